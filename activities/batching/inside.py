"""What a decoder does for this room."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from activities.decoding.inside import Work


def _clip(recording: Path, folder: Path, order: Mapping[str, Any]) -> dict[str, Any]:
    from activities.batching.clips import cut
    from domain.orders.batch import Span

    clip = cut(recording, Span.model_validate(order["span"]), folder / order["made"], lambda: None)
    return {
        "suffix": clip.wrapping.suffix,
        "begins_ms": clip.begins_ms,
        "ends_ms": clip.ends_ms,
        "has_video": clip.has_video,
    }


WORK: Mapping[str, Work] = {
    "clip": _clip,
}
