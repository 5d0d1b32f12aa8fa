"""The stretches of a recording in which the screen stood still.

A look is a small grey picture. A scene is a longest stretch in which every look is the same screen as its first one;
what changes from look to look (a fade, a slide, a scroll) makes stretches too short to count, so transitions lie
between scenes. Comparing with the first look, and not with the one before, lets slow changes add up.

Two ways of getting looks:

- *thorough*: decode the recording and look three times a second.
- *quick*: decode key frames, and let the size of the packets between them say whether anything happened: a still
  screen costs an encoder next to nothing. Only groups of pictures in which something happened are decoded, within a
  budget; beyond it, their packet sizes alone mark where the still stretches are. Where neither key frames nor sizes
  tell anything, it gives way to the thorough one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Literal, cast

import av
import numpy as np
from av.container import InputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from activities.media.colours import Colours, grey
from activities.media.container import (
    Beat,
    Clock,
    OnProgress,
    decoded,
    limit_pictures,
    opened,
    packets,
    read_only,
    recorded_video,
    recording_zero,
    to_ms,
)
from domain.recordings.media import Scene

Effort = Literal["auto", "thorough", "quick"]
Look = NDArray[np.uint8]

_SETTLED_MS = 700
"""A screen that stands still for less is part of a transition."""

_LOOK_EVERY_MS = 320
"""Three looks a second: a settled screen gets at least two."""

_GRID = (18, 32)
_CELL = 10
"""Looks are 320 by 180 pixels in 18 by 32 cells: on a full-HD screen a cell is 60 pixels square, a line of text."""

_PIXEL_CHANGED = 24
"""Grey levels, of 255: above an encoder's noise after shrinking, below the weakest text."""

_SCREEN_CHANGED = 0.025
"""Share of cells in which something changed that makes another screen. A pointer that moved touches up to 1.5 %
(both its places, a cell's corner each), a word typed less; a menu or a small dialog starts at 3 %."""

_ALWAYS_MOVING = 0.5
_MOTION_MEMORY = 1 / 45
"""A cell that changed in half of the last 15 s of looks (the memory fades exponentially) plays something, such as
the speaker's camera in a corner, and says nothing about the screen."""

_MOSTLY_MOVING = 0.35
"""Where more of the picture plays, it is no corner: nothing is ignored, and nothing settles."""

_DECODED_PIXELS_PER_S = 2.2e9
"""Decoding without unreferenced frames, H.264, 2 cores, pixels of all frames. Only a yardstick for the budgets."""

_THOROUGH_BUDGET = (0.5, 0.005)
_QUICK_BUDGET = (0.5, 0.003)
"""Seconds of decoding, and seconds a second of recording. Speech recognition takes about 0.05 on the same cores."""

_BUSY_TO_KEY = 0.04
_BUSY_TO_MEDIAN = 6
"""A packet is busy when larger than this share of its key frame, and than this many usual ones of its group."""

_LONGEST_GROUP = 300
"""Packets between key frames that are weighed, and kept in memory, together."""

_SLOWEST_SKIPPABLE_FPS = 12
"""Below this rate even frames that nothing refers to are decoded: each may be on screen for long."""


def find_scenes(path: Path, *, effort: Effort = "auto", on_progress: OnProgress | None = None) -> tuple[Scene, ...]:
    """Still stretches in order, without overlap. None for a recording without a picture, or one that never rests.

    Args:
        path: The recording.
        effort: ``thorough``, ``quick``, or what fits the budget of a run that also transcribes. Where there is no
            speech and the scenes are all there is, ask for ``thorough``.
        on_progress: Called with the position in ms; may raise ``Cancelled``.
    """
    beat = Beat(on_progress)
    if effort != "thorough":
        with _film(path, beat) as film:
            if film is None:
                return ()
            if effort == "quick" or not film.is_cheap:
                with suppress(_NothingToGoBy):
                    return _look_at_keys(film)
    with _film(path, beat) as film:
        return _look_everywhere(film) if film is not None else ()


# --- what stands still ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Stretch:
    look: Look | None
    start_ms: int
    end_ms: int


class StillScreens:
    """Collects looks, in order of time, into scenes."""

    def __init__(self) -> None:
        self._scenes: list[Scene] = []
        self._stretch: _Stretch | None = None
        self._motion = np.zeros(_GRID, dtype=np.float32)
        self._last: tuple[int, Look] | None = None

    def see(self, start_ms: int, look: Look, until_ms: int | None = None) -> None:
        """The picture at ``start_ms``, which is known to stay until ``until_ms``."""
        self._note_motion(start_ms, look)
        end_ms = start_ms if until_ms is None else max(start_ms, until_ms)
        stretch = self._stretch
        if stretch is not None and stretch.look is not None and self.is_same_screen(stretch.look, look):
            stretch.end_ms = end_ms
        else:
            self._close()
            self._stretch = _Stretch(look, start_ms, end_ms)

    def stay(self, until_ms: int) -> None:
        """Nothing happened until then: what was on screen still is."""
        if self._stretch is not None:
            self._stretch.end_ms = max(self._stretch.end_ms, until_ms)

    def change_unseen(self, at_ms: int) -> None:
        """Something else is on screen from then on, and nobody saw what."""
        self._close()
        self._stretch = _Stretch(None, at_ms, at_ms)

    def finish(self, end_ms: int) -> tuple[Scene, ...]:
        """The scenes. The last picture stays on screen until ``end_ms``."""
        if self._stretch is not None and self._stretch.end_ms + 2 * _LOOK_EVERY_MS >= end_ms:
            self._stretch.end_ms = max(self._stretch.end_ms, end_ms)
        self._close()
        return tuple(self._scenes)

    def is_same_screen(self, one: Look, other: Look) -> bool:
        changed = _changed_cells(one, other)
        playing = self._motion > _ALWAYS_MOVING
        if playing.mean() <= _MOSTLY_MOVING:
            changed &= ~playing
        return bool(changed.mean() <= _SCREEN_CHANGED)

    def _note_motion(self, start_ms: int, look: Look) -> None:
        if self._last is not None and start_ms - self._last[0] <= 2 * _LOOK_EVERY_MS:
            moved = _changed_cells(self._last[1], look)
            self._motion += _MOTION_MEMORY * (moved - self._motion)
        self._last = (start_ms, look)

    def _close(self) -> None:
        if self._stretch is not None:
            self._keep(self._stretch.start_ms, self._stretch.end_ms)
            self._stretch = None

    def _keep(self, start_ms: int, end_ms: int) -> None:
        if end_ms - start_ms >= _SETTLED_MS:
            self._scenes.append(Scene(id=len(self._scenes), start_ms=start_ms, end_ms=end_ms))


def _changed_cells(one: Look, other: Look) -> NDArray[np.bool_]:
    difference = np.abs(one.astype(np.int16) - other) > _PIXEL_CHANGED
    rows, columns = _GRID
    changed: NDArray[np.bool_] = difference.reshape(rows, _CELL, columns, _CELL).any(axis=(1, 3))
    return changed


def _look(frame: VideoFrame, colours: Colours | None) -> Look:
    rows, columns = _GRID
    if colours is not None:
        return grey(colours.rgb(frame, columns * _CELL, rows * _CELL, interpolation="AREA"))
    small = frame.reformat(columns * _CELL, rows * _CELL, format="gray8", interpolation="AREA")
    return np.ascontiguousarray(small.to_ndarray(), dtype=np.uint8)


# --- the recording -------------------------------------------------------------------------------------------------


_UNKNOWN = object()


class _Film:
    """One video track, its times and its decoder."""

    def __init__(self, container: InputContainer, stream: VideoStream, beat: Beat) -> None:
        self.beat = beat
        self._container = container
        self._stream = stream
        self._colours: object = _UNKNOWN
        self._clock = Clock(stream.time_base or Fraction(1, av.time_base), recording_zero(container))
        limit_pictures(stream)
        stream.codec_context.thread_type = "AUTO"
        read_only(container, stream)

    @property
    def duration_ms(self) -> int:
        return to_ms(Fraction(self._container.duration or 0, av.time_base))

    @property
    def fps(self) -> float:
        return float(self._stream.average_rate or 30)

    def decoding_s(self, frames: float) -> float:
        """About how long it takes to decode so many frames."""
        return frames * self._stream.width * self._stream.height / _DECODED_PIXELS_PER_S

    @property
    def is_cheap(self) -> bool:
        """All of it can be decoded within a small share of the time that its speech takes to recognise."""
        if not self._container.duration:
            return False
        seconds = self.duration_ms / 1000
        return self.decoding_s(seconds * self.fps) <= _allowed(_THOROUGH_BUDGET, seconds)

    def packets(self) -> Iterator[Packet[Stream]]:
        return packets(self._container, self._stream)

    def start_ms(self, item: Packet[Stream] | VideoFrame) -> int:
        at = item.pts if item.pts is not None else item.dts
        return self._clock.ms(at or 0)

    def end_ms(self, item: Packet[Stream] | VideoFrame) -> int:
        return self.start_ms(item) + self._clock.span_ms(item.duration or 0)

    def look(self, frame: VideoFrame) -> Look:
        if self._colours is _UNKNOWN:
            self._colours = Colours.of(frame)
        return _look(frame, cast("Colours | None", self._colours))

    def decode(self, source: Iterable[Packet[Stream]]) -> Iterator[VideoFrame]:
        """Frames in order of time, without those that nothing refers to. The source begins with a key frame."""
        codec = self._stream.codec_context
        codec.skip_frame = "NONREF" if self.fps >= _SLOWEST_SKIPPABLE_FPS else "DEFAULT"
        yield from decoded(self._stream, source)
        codec.flush_buffers()


@contextmanager
def _film(path: Path, beat: Beat) -> Iterator[_Film | None]:
    with opened(path) as container:
        pictures = recorded_video(container)
        yield _Film(container, pictures[0], beat) if pictures else None


def _allowed(budget: tuple[float, float], seconds: float) -> float:
    return budget[0] + budget[1] * seconds


# --- thorough --------------------------------------------------------------------------------------------------------


def _look_everywhere(film: _Film) -> tuple[Scene, ...]:
    detector = StillScreens()
    end_ms = _look_at_frames(film, detector, film.packets())
    return detector.finish(max(film.duration_ms, end_ms))


def _look_at_frames(film: _Film, detector: StillScreens, source: Iterable[Packet[Stream]]) -> int:
    """Look about three times a second, and at every frame that stays longer. Returns where the last frame ends, ms."""
    due_ms = -1
    held: VideoFrame | None = None
    end_ms = 0
    for frame in film.decode(source):
        if held is not None:
            due_ms = _look_if_due(film, detector, held, film.start_ms(frame), due_ms)
        held = frame
        film.beat(film.start_ms(frame))
    if held is not None:
        end_ms = film.end_ms(held)
        _look_if_due(film, detector, held, end_ms, due_ms)
    return end_ms


def _look_if_due(film: _Film, detector: StillScreens, frame: VideoFrame, next_ms: int, due_ms: int) -> int:
    start_ms = film.start_ms(frame)
    stays = next_ms - start_ms > _LOOK_EVERY_MS
    if start_ms < due_ms and not stays:
        return due_ms
    detector.see(start_ms, film.look(frame), next_ms if stays else None)
    return start_ms + _LOOK_EVERY_MS


# --- quick -----------------------------------------------------------------------------------------------------------


class _Group:
    """A key frame's packet and those up to the next one, or a part of them where the next one is far."""

    def __init__(self, film: _Film, group: list[Packet[Stream]], key_bytes: int) -> None:
        self.packets = group
        self.key = group[0] if group[0].is_keyframe else None
        self.start_ms = film.start_ms(group[0])
        self.end_ms = max(film.end_ms(packet) for packet in group)
        between = group[1:] if self.key else group
        usual = median([packet.size for packet in between]) if between else 0
        quiet = _BUSY_TO_KEY * key_bytes
        self.says_nothing = usual > quiet
        """Every packet is large: a film, or an encoder that fills up to a constant rate."""
        self.busy_ms = sorted(
            film.start_ms(packet) for packet in between if packet.size > max(quiet, _BUSY_TO_MEDIAN * usual)
        )

    @property
    def is_quiet(self) -> bool:
        return not self.says_nothing and not self.busy_ms


class _NothingToGoBy(Exception):
    """Large packets only, and no key frame in sight."""


def _look_at_keys(film: _Film) -> tuple[Scene, ...]:
    """
    Raises:
        _NothingToGoBy: The recording has to be decoded.
    """
    detector = StillScreens()
    spent_s = 0.0
    end_ms = 0
    for group, look, next_look in _with_next_look(_with_look(film, _groups(film))):
        end_ms = max(end_ms, group.end_ms)
        film.beat(group.start_ms)
        if group.is_quiet:
            _trust(detector, group, look)
            continue
        if group.says_nothing and group.key is None:
            raise _NothingToGoBy
        cost_s = film.decoding_s(len(group.packets))
        in_budget = spent_s + cost_s <= _allowed(_QUICK_BUDGET, group.start_ms / 1000)
        is_last = next_look is None
        if group.key is not None and (in_budget or is_last):
            spent_s += cost_s
            _look_at_frames(film, detector, group.packets)
        elif group.says_nothing:
            _compare_ends(detector, group, look, next_look)
        else:
            _trust_sizes(detector, group, look)
    return detector.finish(max(film.duration_ms, end_ms))


def _groups(film: _Film) -> Iterator[_Group]:
    group: list[Packet[Stream]] = []
    key_bytes = 0
    for packet in film.packets():
        if group and (packet.is_keyframe or len(group) >= _LONGEST_GROUP):
            yield _Group(film, group, key_bytes)
            group = []
        if packet.is_keyframe:
            key_bytes = packet.size
        group.append(packet)
    if group:
        yield _Group(film, group, key_bytes)


def _with_look(film: _Film, groups: Iterable[_Group]) -> Iterator[tuple[_Group, Look | None]]:
    for group in groups:
        frame = next(iter(list(film.decode([group.key]))), None) if group.key is not None else None
        yield group, film.look(frame) if frame is not None else None


def _with_next_look(
    looked: Iterable[tuple[_Group, Look | None]],
) -> Iterator[tuple[_Group, Look | None, Look | None]]:
    held: tuple[_Group, Look | None] | None = None
    for group, look in looked:
        if held is not None:
            yield (*held, look)
        held = (group, look)
    if held is not None:
        yield (*held, None)


def _trust(detector: StillScreens, group: _Group, look: Look | None) -> None:
    if look is not None:
        detector.see(group.start_ms, look)
    detector.stay(group.end_ms)


def _compare_ends(detector: StillScreens, group: _Group, look: Look | None, next_look: Look | None) -> None:
    if look is None:
        return
    same = next_look is not None and detector.is_same_screen(look, next_look)
    detector.see(group.start_ms, look, group.end_ms if same else None)


def _trust_sizes(detector: StillScreens, group: _Group, look: Look | None) -> None:
    """Still between busy packets; at first with what the key frame, or the group before, shows."""
    if look is not None:
        detector.see(group.start_ms, look)
    for busy_ms in group.busy_ms:
        detector.stay(busy_ms)
        detector.change_unseen(busy_ms)
    detector.stay(group.end_ms)
