"""When to take a step's screenshot. Pure: times in, times out.

The rule, for a step narrated from ``start`` to ``end``:

1. The screen that the talk leads to: the one that stands half a second after it. People announce an action, do it
   while they speak or as they finish, and what it led to is what the reader should see.
2. Everything is in motion at that moment: the screen that settles next, if that is soon; else the one that stood last
   during the talk; else the one that settles within 5 s, or that stood last before it.
3. Within the screen, as late as the talk goes: fields are filled in and the pointer is where it was led. But a
   quarter of a second away from either edge, where a transition may already show.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.recordings.media import Scene

_EDGE_MS = 250
"""Distance kept from a scene's edges: about one sample of the scene finder."""

_AFTERMATH_MS = 500
"""People click as they finish the sentence, and recognisers end it a little early."""

_SOON_MS = 2_000
_PATIENCE_MS = 5_000
"""How long after the talk a screen may settle and still be the step's, where another one stood during the talk, and
where none did."""

_FRESH_MS = 1_000
"""How much earlier within the screen a picture would do. Not more: a word that is being typed makes no new screen."""

_LATEST_SHARE = 0.8
"""Where in a step without any settled screen the picture is taken: the action is mostly done by then."""


@dataclass(frozen=True, slots=True)
class FrameRequest:
    """A time to see, ms, and how early a picture would do as well.

    Between ``earliest_ms`` and ``timestamp_ms`` the screen is known to stand still: a picture from there is taken
    where it spares decoding what lies between.
    """

    timestamp_ms: int
    earliest_ms: int | None = None


def settled_frame_time(scenes: Sequence[Scene], start_ms: int, end_ms: int, duration_ms: int) -> int:
    """The best time, ms, for a screenshot of a step narrated from ``start_ms`` to ``end_ms``.

    Args:
        scenes: Of the whole recording, in order; may be empty. For a step that is a screen: that one alone.
        start_ms: Where the talk begins.
        end_ms: Where it ends.
        duration_ms: Of the recording. The answer is always within it.
    """
    return settled_frame_request(scenes, start_ms, end_ms, duration_ms).timestamp_ms


def settled_frame_request(scenes: Sequence[Scene], start_ms: int, end_ms: int, duration_ms: int) -> FrameRequest:
    """As ``settled_frame_time``, with how early within the same still screen a picture would do."""
    scene = _screen_of(scenes, start_ms, end_ms)
    if scene is None:
        return FrameRequest(_within(start_ms + round((end_ms - start_ms) * _LATEST_SHARE), duration_ms))
    first, last = _inner(scene)
    best_ms = min(max(end_ms, first), last)
    return FrameRequest(
        timestamp_ms=_within(best_ms, duration_ms),
        earliest_ms=_within(max(first, best_ms - _FRESH_MS), duration_ms),
    )


def scene_at(scenes: Sequence[Scene], timestamp_ms: int) -> Scene | None:
    """The still stretch that holds a time, if one does."""
    return next((scene for scene in scenes if scene.start_ms <= timestamp_ms <= scene.end_ms), None)


def _screen_of(scenes: Sequence[Scene], start_ms: int, end_ms: int) -> Scene | None:
    moment_ms = end_ms + _AFTERMATH_MS
    standing = scene_at(scenes, moment_ms)
    if standing is not None:
        return standing
    before = next((scene for scene in reversed(scenes) if scene.end_ms < moment_ms), None)
    after = next((scene for scene in scenes if scene.start_ms > moment_ms), None)
    talked_about = before is not None and before.end_ms > start_ms
    if after is not None and after.start_ms <= end_ms + (_SOON_MS if talked_about else _PATIENCE_MS):
        return after
    return before


def _inner(scene: Scene) -> tuple[int, int]:
    middle = (scene.start_ms + scene.end_ms) // 2
    return min(scene.start_ms + _EDGE_MS, middle), max(scene.end_ms - _EDGE_MS, middle)


def _within(timestamp_ms: int, duration_ms: int) -> int:
    return max(0, min(timestamp_ms, duration_ms - 1))
