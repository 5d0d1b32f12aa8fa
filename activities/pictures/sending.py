"""Pictures of what was done, for a model that is asked about a recording: small, and without what is private."""

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from domain.documents.annotations import Crop, Operation
from domain.documents.illustration import sights
from domain.documents.privacy import private_of, to_blur, unchecked, with_blurs
from domain.recordings.screen import ScreenChange, ScreenRecord

if TYPE_CHECKING:
    from activities.media import FrameRequest

LONG_SIDE = 1_280
"""Pixels. Models shrink more themselves; letters of 13 pixels on a full-HD screen can still be read."""
QUALITY = 80
"""Of the JPEG: about 80 kB a picture."""


def sent(
    recording: Path,
    changes: Sequence[ScreenChange],
    screen: ScreenRecord,
    listed: Sequence[str] = (),
    check: Callable[[], None] = lambda: None,
) -> Iterator[tuple[int, bytes]]:
    """For each change, in order of time, its id and a JPEG of the screen that it was made on, its control ringed.

    What is private in what was read (``listed`` words, too) is blurred first. A picture on which nothing was read, or
    something badly, is left out: nobody can say that nothing private is on it. ``check`` is called between pictures,
    and may raise to stop.

    Raises:
        MediaError: The recording cannot be read.
    """
    from PIL import Image

    from activities import media
    from activities.pictures.drawing import draw_on

    known = private_of(screen, listed)
    shots: dict[FrameRequest, list[tuple[int, tuple[Operation, ...]]]] = {}
    for change in changes:
        sight = sights([change], (screen.width, screen.height))[0]
        at_ms = max(0, min(sight.timestamp_ms, screen.duration_ms - 1))
        marks: tuple[Operation, ...] = tuple(each for each in sight.operations if not isinstance(each, Crop))
        shots.setdefault(media.FrameRequest(at_ms, min(sight.earliest_ms, at_ms)), []).append((change.id, marks))
    requests = sorted(shots, key=lambda request: (request.timestamp_ms, request.earliest_ms or 0))
    frames = media.grab_frames(recording, requests, duration_ms=screen.duration_ms, on_progress=lambda _: check())
    for request, frame in zip(requests, frames, strict=True):
        if unchecked(screen, frame.pts_ms):
            continue
        private = [box for _, box in to_blur(screen, frame.pts_ms, known, listed)]
        for number, marks in shots[request]:
            check()
            drawn, _, _ = draw_on(frame.image.convert("RGB").copy(), with_blurs(marks, private))
            with Image.open(io.BytesIO(drawn)) as picture:
                picture.thumbnail((LONG_SIDE, LONG_SIDE))
                out = io.BytesIO()
                picture.convert("RGB").save(out, "JPEG", quality=QUALITY)
            yield number, out.getvalue()
