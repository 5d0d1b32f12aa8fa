"""Clips, cut apart from the worker: in a confined process (``activities/decoding``)."""

from collections.abc import Callable
from pathlib import Path

from activities.batching.clips import MATROSKA, MP4, WEBM, Clip
from activities.confined.outside import moved
from activities.decoding.ordering import decoding_died, natural, ordered
from domain.orders.batch import Span

INSIDE = "activities.batching.inside"
CONTAINER_OVERHEAD = 64 << 20


def cut(recording: Path, span: Span, out: Path, check: Callable[[], None] = lambda: None) -> Clip:
    """See ``activities.batching.clips``. Also raises: DecodingDied."""
    most = recording.stat().st_size + CONTAINER_OVERHEAD
    order = {"span": span.model_dump(mode="json"), "made": "clip"}
    with ordered(recording, (INSIDE, "clip"), lambda _: check(), order, beside=out, file_bytes=most) as decoding:
        report = decoding.answer()
        wrapping = {each.suffix: each for each in (MP4, WEBM, MATROSKA)}.get(report.get("suffix"))
        if wrapping is None:
            raise decoding_died()
        moved(decoding.folder, "clip", out, most)
        return Clip(wrapping, natural(report, "begins_ms"), natural(report, "ends_ms"), report.get("has_video") is True)
