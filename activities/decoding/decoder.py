"""The process that decodes a recording: one order, then it ends.

It is confined: it sees the recording and the folder for its answer, and nothing else. Run as a script. Everything that
FFmpeg reads of a stranger's file is read here; who ordered it is ``activities/decoding/ordering.py``.
"""

import errno
import os
from importlib import import_module
from pathlib import Path

from activities.confined import inside

OVER_THE_LIMIT = frozenset({errno.ENOMEM, errno.EFBIG})
"""What a process meets at its own bounds: it ends, and says nothing of the recording."""


def main() -> None:
    order = inside.order()
    recording, folder = Path(order["recording"]), Path(order["folder"])
    inside.lock_down(readable=[recording], writable=[folder])
    # behind the lock, as all that follows: what reads hostile bytes, too
    from domain.errors import GuidesmithError, MediaTruncated

    try:
        inside.report(done=import_module(order["module"]).WORK[order["work"]](recording, folder, order))
    except GuidesmithError as refused:
        if isinstance(refused, MediaTruncated) and inside.is_crowded():
            raise MemoryError from refused
        inside.report(refused=refused.code, message=refused.message, details=refused.details)
    except OSError as fault:
        if fault.errno in OVER_THE_LIMIT:
            raise
        inside.report(machine=fault.errno)


if __name__ == "__main__":
    main()
    os._exit(0)  # what was told was told: nothing is left to tidy up, and FFmpeg's threads need not be waited for
