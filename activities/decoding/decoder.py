"""The process that decodes a recording: one order, then it ends.

It is confined: it sees the recording and the folder for its answer, and nothing else. Run as a script. Everything that
FFmpeg reads of a stranger's file is read here; who ordered it is ``activities/decoding/ordering.py``.
"""

import errno
import os
import resource
from importlib import import_module
from pathlib import Path
from typing import IO

from activities.confined import inside

OVER_THE_LIMIT = frozenset({errno.ENOMEM, errno.EFBIG})
"""What a process meets at its own bounds: it ends, and says nothing of the recording."""
CROWDED = 0.75
"""Of its address space: a process that has had so much of it, and calls a recording damaged, may only have run out of
room. FFmpeg tells some failed allocations so (of PyAV 19, seen at 0.96 and above)."""
SIZES = Path("/proc/self/status")


def main() -> None:
    order = inside.order()
    recording, folder = Path(order["recording"]), Path(order["folder"])
    sizes = SIZES.open() if SIZES.exists() else None  # behind the lock it cannot be opened any more
    inside.lock_down(readable=[recording], writable=[folder])
    # behind the lock, as all that follows: what reads hostile bytes, too
    from domain.errors import GuidesmithError, MediaTruncated

    try:
        inside.report(done=import_module(order["module"]).WORK[order["work"]](recording, folder, order))
    except GuidesmithError as refused:
        if isinstance(refused, MediaTruncated) and sizes is not None and _is_crowded(sizes):
            raise MemoryError from refused
        inside.report(refused=refused.code, message=refused.message, details=refused.details)
    except OSError as fault:
        if fault.errno in OVER_THE_LIMIT:
            raise
        inside.report(machine=fault.errno)


def _is_crowded(sizes: IO[str]) -> bool:
    """Whether the process has had nearly all the address space that it may have."""
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    sizes.seek(0)
    peak = next(1024 * int(line.split()[1]) for line in sizes if line.startswith("VmPeak:"))
    return most != resource.RLIM_INFINITY and peak > CROWDED * most


if __name__ == "__main__":
    main()
    os._exit(0)  # what was told was told: nothing is left to tidy up, and FFmpeg's threads need not be waited for
