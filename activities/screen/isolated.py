"""Reading a recording's screen apart from the worker: a stranger's pictures are decoded and read in a confined process.

The same signature as ``activities.screen.reading``, which does the work there. Nothing of the decoder, of OpenCV and of
the networks is loaded here.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from activities.decoding.ordering import LOADS as DECODING
from activities.decoding.ordering import Allowance, decoding_died, ordered
from activities.media.container import OnProgress
from activities.screen.resume_point import SAVE_EVERY_S, ScreenResumePoint
from domain.recordings.screen import ScreenRecord

INSIDE = "activities.screen.inside"

NETWORKS_BYTES = 1536 << 20
"""Address space of OpenCV, the networks and what they compute with. Measured, decoding included: 1.3 GB in all on small
pictures, 1.6 GB on 4K full of text (of which 1.05 GB were used)."""

ALLOWANCE = Allowance(cpu_s=24 * 3600, wall_s=24 * 3600.0, more_bytes=NETWORKS_BYTES)
"""Twice the twelve hours of the longest recording that is taken. An execution has less (a stage's time limit): it is
the next one that goes on, with an allowance of its own."""

LARGEST_RECORD = 256 << 20
"""Bytes of what was read, as JSON: a million lines of text."""

LOADS = (*DECODING, "activities.screen.reading")
"""As much again as for decoding. Not ONNX Runtime, which has threads as soon as it is loaded."""
_MADE = "screen.json"
_SAVED = "so-far-{:06}.json"
_Model = TypeVar("_Model", bound=BaseModel)


def read_screen(
    path: Path,
    *,
    threads: int = 1,
    on_progress: OnProgress | None = None,
    so_far: ScreenResumePoint | None = None,
    save: Callable[[ScreenResumePoint], None] | None = None,
    save_every_s: float = SAVE_EVERY_S,
) -> ScreenRecord:
    """See ``activities.screen.reading``. ``on_progress`` is called five times a second. Also raises: DecodingDied."""
    order = {
        "threads": threads,
        "so_far": so_far.model_dump(mode="json") if so_far is not None else None,
        "save_every_s": save_every_s,
        "made": _MADE,
        "saved": _SAVED if save is not None else None,
    }
    how: Any = {"file_bytes": LARGEST_RECORD, "allowance": ALLOWANCE, "loads": LOADS}
    with ordered(path, (INSIDE, "screen"), on_progress, order, **how) as decoding:
        for place, _ in enumerate(decoding.reports()):
            name = _SAVED.format(place)
            now = _read(ScreenResumePoint, decoding.file(name, LARGEST_RECORD))
            (decoding.folder / name).unlink()
            if save is not None:
                save(now)
        return _read(ScreenRecord, decoding.file(_MADE, LARGEST_RECORD))


def _read(kind: type[_Model], data: bytes) -> _Model:
    try:
        return kind.model_validate_json(data)
    except ValidationError:
        raise decoding_died() from None
