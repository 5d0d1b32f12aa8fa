"""Run a command that does not outlive its parent.

    python -I -S parent_watch.py PARENT_PID COMMAND ARGUMENT…

On Linux the kernel sends the command SIGTERM when the process that started it is gone, however it went (also by
SIGKILL). The command replaces this process, so nothing stays between the two. A script of its own instead of a
``preexec_fn``, which is not safe in a process with threads.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
"""From ``<linux/prctl.h>``. The setting survives ``execve``."""


def tie(parent: int) -> None:
    """Ask the kernel for SIGTERM at the parent's end; leave at once when it has ended already."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(1)


if __name__ == "__main__":
    tie(int(sys.argv[1]))
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606  (no shell is the point: the command is ours, word by word)
