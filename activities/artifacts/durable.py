"""Getting files onto the disk before anything relies on them."""

import os
from pathlib import Path


def fsync(path: Path) -> None:
    """Have what was written to a file, or which names a folder holds, outlast a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
