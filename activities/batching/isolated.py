"""Clips, cut apart from the worker: in a confined process (``activities/decoding``)."""

from collections.abc import Callable
from pathlib import Path

from PIL import Image

from activities.batching.clips import MATROSKA, MP4, WEBM, Clip
from activities.confined.outside import moved
from activities.decoding.ordering import Decoding, decoding_died, natural, ordered
from domain.orders.batch import POSTER_WIDTH, Span

INSIDE = "activities.batching.inside"
POSTER = "poster.rgb"
LARGEST_POSTER = 3 * POSTER_WIDTH * 65_536
"""Bytes: no picture of a recording is higher."""
CONTAINER_OVERHEAD = 64 << 20


def cut(recording: Path, span: Span, out: Path, check: Callable[[], None] = lambda: None) -> Clip:
    """See ``activities.batching.clips``. Also raises: DecodingDied."""
    most = recording.stat().st_size + CONTAINER_OVERHEAD
    order = {"span": span.model_dump(mode="json"), "made": "clip", "poster": POSTER}
    with ordered(recording, (INSIDE, "clip"), lambda _: check(), order, beside=out, file_bytes=most) as decoding:
        report = decoding.answer()
        container = {each.suffix: each for each in (MP4, WEBM, MATROSKA)}.get(report.get("suffix"))
        if container is None:
            raise decoding_died()
        poster = _poster(decoding, natural(report, "poster_width"), natural(report, "poster_height"))
        moved(decoding.folder, "clip", out, most)
        begins_ms, ends_ms = natural(report, "begins_ms"), natural(report, "ends_ms")
        return Clip(container, begins_ms, ends_ms, report.get("has_video") is True, poster)


def _poster(decoding: Decoding, width: int, height: int) -> Image.Image | None:
    if not width or not height:
        return None
    data = decoding.file(POSTER, LARGEST_POSTER)
    if width > POSTER_WIDTH or len(data) != 3 * width * height:
        raise decoding_died()
    return Image.frombuffer("RGB", (width, height), data)
