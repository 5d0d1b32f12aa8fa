"""When to take a step's screenshot. Pure: times in, times out.

The rule, for a step narrated from ``start`` to ``end``:

1. The screen talked about is the still stretch that overlaps the talk the longest. A later one wins when it overlaps
   at least half as long: people announce an action, do it, and go on talking about what it led to.
2. Nothing stands still during the talk (it is all transition, or something plays): the screen that settles within
   5 s after it, else the one that stood last before it.
3. Within the screen, as late as the talk goes: fields are filled in and the pointer is where it was led. But a
   quarter of a second away from either edge, where a transition may already show.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.media import Scene

_EDGE_MS = 250
"""Distance kept from a scene's edges: about one sample of the scene finder."""

_PATIENCE_MS = 5_000
"""How long after the talk a screen may settle and still be the step's."""

_LATER_WINS_FROM = 0.5
_LATEST_SHARE = 0.8
"""Where in a step without any settled screen the picture is taken: the action is mostly done by then."""


@dataclass(frozen=True, slots=True)
class FrameWish:
    """A time to see, ms, and how early a picture would do as well.

    Between ``earliest_ms`` and ``timestamp_ms`` the screen is known to stand still: a picture from there is taken
    where it spares decoding what lies between.
    """

    timestamp_ms: int
    earliest_ms: int | None = None


def settled_frame_time(scenes: Sequence[Scene], start_ms: int, end_ms: int, duration_ms: int) -> int:
    """The best time, ms, for a screenshot of a step narrated from ``start_ms`` to ``end_ms``.

    Args:
        scenes: Of the whole recording, in order; may be empty.
        start_ms: Where the talk begins.
        end_ms: Where it ends.
        duration_ms: Of the recording. The answer is always within it.
    """
    return settled_wish(scenes, start_ms, end_ms, duration_ms).timestamp_ms


def settled_wish(scenes: Sequence[Scene], start_ms: int, end_ms: int, duration_ms: int) -> FrameWish:
    """As ``settled_frame_time``, with how early within the same still screen a picture would do."""
    scene = _screen_of(scenes, start_ms, end_ms)
    if scene is None:
        return FrameWish(_within(start_ms + round((end_ms - start_ms) * _LATEST_SHARE), duration_ms))
    first, last = _inner(scene)
    return FrameWish(
        timestamp_ms=_within(min(max(end_ms, first), last), duration_ms), earliest_ms=_within(first, duration_ms)
    )


def scene_at(scenes: Sequence[Scene], timestamp_ms: int) -> Scene | None:
    """The still stretch that holds a time, if one does."""
    return next((scene for scene in scenes if scene.start_ms <= timestamp_ms <= scene.end_ms), None)


def _screen_of(scenes: Sequence[Scene], start_ms: int, end_ms: int) -> Scene | None:
    overlaps = [(scene, min(scene.end_ms, end_ms) - max(scene.start_ms, start_ms)) for scene in scenes]
    talked_about = [(scene, overlap) for scene, overlap in overlaps if overlap > 0]
    if talked_about:
        longest = max(overlap for _, overlap in talked_about)
        return [scene for scene, overlap in talked_about if overlap >= longest * _LATER_WINS_FROM][-1]
    after = [scene for scene in scenes if end_ms <= scene.start_ms <= end_ms + _PATIENCE_MS]
    before = [scene for scene in scenes if scene.end_ms <= start_ms]
    return after[0] if after else before[-1] if before else None


def _inner(scene: Scene) -> tuple[int, int]:
    middle = (scene.start_ms + scene.end_ms) // 2
    return min(scene.start_ms + _EDGE_MS, middle), max(scene.end_ms - _EDGE_MS, middle)


def _within(timestamp_ms: int, duration_ms: int) -> int:
    return max(0, min(timestamp_ms, duration_ms - 1))
