"""What a decoder's work is made with: it says how far it is, and puts down what it made."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from activities.confined import inside

HELD_BACK = 3
"""Pictures, or blocks of samples, that wait for whoever ordered them. The next one comes when one was taken away."""

WAIT_S = 0.004

Work = Callable[[Path, Path, Mapping[str, Any]], Any]
"""Of a recording, a folder and an order: the answer."""

report = inside.report
"""One line to whoever ordered the work."""


def at(position_ms: int) -> None:
    """How far it is."""
    report(at=position_ms)


def put(folder: Path, made: str, place: int, data: bytes) -> None:
    """The next one of many files, once whoever ordered them has taken earlier ones away."""
    gone = folder / made.format(place - HELD_BACK)
    while gone.exists():
        time.sleep(WAIT_S)
    (folder / made.format(place)).write_bytes(data)
