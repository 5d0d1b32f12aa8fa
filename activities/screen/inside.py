"""What a decoder does for this room."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from activities.decoding import inside
from activities.decoding.inside import Work

TOLD_EVERY_S = 0.2
"""Between positions of a reading, of which twelve hours have millions."""


def _screen(recording: Path, folder: Path, order: Mapping[str, Any]) -> bool:
    """The record and, on the way, each moment to go on from: told one by one, as JSON in files of their own."""
    from activities.screen.reading import read_screen
    from activities.screen.resume_point import ScreenResumePoint

    place, told_at = 0, float("-inf")

    def at(position_ms: int) -> None:
        nonlocal told_at
        if time.monotonic() - told_at >= TOLD_EVERY_S:
            told_at = time.monotonic()
            inside.at(position_ms)

    def save(now: ScreenResumePoint) -> None:
        nonlocal place
        (folder / order["saved"].format(place)).write_bytes(now.model_dump_json().encode())
        inside.report(saved=place)
        place += 1

    so_far = order["so_far"]
    record = read_screen(
        recording,
        threads=order["threads"],
        on_progress=at,
        so_far=ScreenResumePoint.model_validate(so_far) if so_far is not None else None,
        save=save if order["saved"] else None,
        save_every_s=order["save_every_s"],
    )
    (folder / order["made"]).write_bytes(record.model_dump_json().encode())
    return True


WORK: Mapping[str, Work] = {
    "screen": _screen,
}
