"""What a decoder does for this room."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from activities.decoding.inside import Work
from domain.errors import GuidesmithError
from domain.orders.batch import POSTER_WIDTH


def _clip(recording: Path, folder: Path, order: Mapping[str, Any]) -> dict[str, Any]:
    from activities.batching.clips import cut
    from domain.orders.batch import Span

    span = Span.model_validate(order["span"])
    clip = cut(recording, span, folder / order["made"], lambda: None)
    poster = (0, 0)
    if clip.has_video:
        poster = _poster(recording, span.start_ms, max(clip.ends_ms, span.start_ms), folder / order["poster"])
    return {
        "suffix": clip.container.suffix,
        "begins_ms": clip.begins_ms,
        "ends_ms": clip.ends_ms,
        "has_video": clip.has_video,
        "poster_width": poster[0],
        "poster_height": poster[1],
    }


def _poster(recording: Path, at_ms: int, duration_ms: int, made: Path) -> tuple[int, int]:
    """The size of the picture at a time, which is in ``made``: RGB, three bytes a pixel. No size where it cannot be
    decoded: a clip is copied, not decoded, and good without."""
    from activities.batching.thumbnails import small
    from activities.media.frames import grab_frame

    try:
        picture = small(grab_frame(recording, at_ms, duration_ms=duration_ms), POSTER_WIDTH).image
    except GuidesmithError:
        return 0, 0
    made.write_bytes(picture.tobytes())
    return picture.size


WORK: Mapping[str, Work] = {
    "clip": _clip,
}
