"""Where a guide stands that was put somewhere else."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """Where a guide stands there, to be found again. ``version`` counts how often it was written, from 1."""

    site: str
    page_id: str
    url: str
    version: int


def receipt(place: Place, out: Path) -> Path:
    """What an export leaves as its file: where the page is."""
    path = out / "place.json"
    path.write_text(
        json.dumps({"url": place.url, "page_id": place.page_id, "version": place.version}), encoding="utf-8"
    )
    return path
