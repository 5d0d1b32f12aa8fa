"""Gives memory back between the steps of long work.

glibc keeps what was freed for later, in pieces that the next window's arrays of many megabytes do not fit into: a
worker that has heard an hour would hold half as much again as one that has heard five minutes.
"""

import ctypes
import sys
from collections.abc import Callable
from functools import cache


def release_memory() -> None:
    """Return free memory of this process to the system, where the C library can. Takes some milliseconds."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # musl has none, and needs none
        return None
    return found
