"""A recording's pictures as looks: ten a second, small and grey, with the full picture at hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import av
import cv2
import numpy as np
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

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
    seek,
    to_ms,
)
from activities.media.frames import picture
from activities.media.orientation import Orientation, pixel_aspect, shown_size, square_pixel_size

Grey = NDArray[np.uint8]
Colours = NDArray[np.uint8]

LOOK_EVERY_MS = 100
"""Ten looks a second: a click's place is known before the screen answers it, and decoding costs more than looking."""

LONG_SIDE = 960
"""Pixels of a look's longer side. On a full-HD screen a check box of 13 pixels is still 6 of these."""

_LUMA_FIRST = frozenset(("yuv420p", "yuv422p", "yuv444p", "yuvj420p", "yuvj422p", "yuvj444p", "nv12", "nv21", "gray"))
"""Formats whose first plane is the grey picture, a byte a pixel: it is shrunk where the decoder left it."""
_FULL_RANGE = 2
"""AVCOL_RANGE_JPEG, libavutil/pixfmt.h."""
_WIDENED = np.clip(np.rint((np.arange(256) - 16) * (255 / 219)), 0, 255).astype(np.uint8)
"""Of each level of a picture between 16 and 235, as most videos are, the level of 255."""

_SLOWEST_SKIPPABLE_FPS = 24
"""Below this rate frames that nothing refers to are decoded, too: each may be a look."""


@dataclass(eq=False)
class Look:
    """What is on screen from ``at_ms`` on.

    Attributes:
        grey: Upright, rows by columns, at most :data:`LONG_SIDE` long. The same object as the look before's where
            nothing at all changed.
        way: How far the picture has moved against the first one, in parts of its width and height; it is moved back.
    """

    at_ms: int
    grey: Grey
    _frame: VideoFrame
    _aspect: Fraction
    _turn: Orientation
    way: tuple[float, float] = (0.0, 0.0)

    @cached_property
    def colours(self) -> Colours:
        """The whole picture as a player shows it, rows by columns by blue, green, red."""
        rgb = np.asarray(picture(self._frame, self._aspect, self._turn))
        whole = np.ascontiguousarray(rgb[:, :, ::-1])
        if self.way == (0.0, 0.0):
            return whole
        high, wide = whole.shape[:2]
        back = np.array([[1, 0, -self.way[0] * wide], [0, 1, -self.way[1] * high]], dtype=np.float32)
        return np.asarray(cv2.warpAffine(whole, back, (wide, high), borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)

    def forget(self) -> None:
        """Let go of the whole picture's copy; it is made again when it is asked for."""
        self.__dict__.pop("colours", None)


class Film:
    """One video track, its times and its decoder."""

    def __init__(self, container: av.container.InputContainer, stream: VideoStream, beat: Beat) -> None:
        self._beat = beat
        self._container = container
        self._stream = stream
        self._clock = Clock(stream.time_base or Fraction(1, av.time_base), recording_zero(container))
        self._aspect = pixel_aspect(stream)
        limit_pictures(stream)
        stream.codec_context.thread_type = "AUTO"
        read_only(container, stream)
        self.duration_ms = to_ms(Fraction(container.duration or 0, av.time_base))
        self._small: Grey = np.zeros((0, 0), dtype=np.uint8)
        self._grey = self._small
        """Of the last look, as it is stored and as it is shown."""
        self.width = self.height = 0
        """As shown; known once the first look was taken."""

    def looks(self, from_ms: int = 0) -> Iterator[Look]:
        """From ``from_ms`` on, the pictures at least :data:`LOOK_EVERY_MS` apart, and every one that stays longer."""
        turn: Orientation | None = None
        due_ms = from_ms
        if from_ms > 0:
            zero = recording_zero(self._container)
            if not seek(self._container, zero + Fraction(from_ms, 1000), self._stream):
                seek(self._container, zero)
        held: VideoFrame | None = None
        for frame in self._frames():
            if turn is None:
                turn = Orientation.of(frame)
                self.width, self.height = shown_size(frame.width, frame.height, self._aspect, turn)
            at_ms = self._clock.ms(frame.pts or 0)
            self._beat(at_ms)
            if held is not None:
                held_ms = self._clock.ms(held.pts or 0)
                stays = at_ms - held_ms > LOOK_EVERY_MS and at_ms > from_ms
                if held_ms >= due_ms or stays:
                    yield self._look(held, held_ms, turn)
                    due_ms = held_ms + LOOK_EVERY_MS - 5
            held = frame
        if held is not None and turn is not None:
            end_ms = self._clock.ms(held.pts or 0)
            self.duration_ms = max(self.duration_ms, end_ms + self._clock.span_ms(held.duration or 0))
            yield self._look(held, end_ms, turn)

    def _look(self, frame: VideoFrame, at_ms: int, turn: Orientation) -> Look:
        wide, high = square_pixel_size(frame.width, frame.height, self._aspect)
        scale = min(1.0, LONG_SIDE / max(wide, high))
        small = _shrunk(frame, max(16, round(wide * scale)), max(16, round(high * scale)))
        if small.shape != self._small.shape or cv2.norm(small, self._small, cv2.NORM_INF) > 0:
            self._small, self._grey = small, _upright(small, turn)
        return Look(max(0, at_ms), self._grey, frame, self._aspect, turn)

    def _frames(self) -> Iterator[VideoFrame]:
        rate = float(self._stream.average_rate or 30)
        self._stream.codec_context.skip_frame = "NONREF" if rate >= _SLOWEST_SKIPPABLE_FPS else "DEFAULT"
        return decoded(self._stream, packets(self._container, self._stream))


def _shrunk(frame: VideoFrame, wide: int, high: int) -> Grey:
    """The grey picture, levels of 0 to 255."""
    if frame.format.name not in _LUMA_FIRST:
        grey = frame.reformat(wide, high, format="gray8", interpolation="AREA").to_ndarray()
        return np.asarray(grey, dtype=np.uint8)
    plane = frame.planes[0]
    rows = np.frombuffer(memoryview(plane), dtype=np.uint8).reshape(-1, plane.line_size)
    small = cv2.resize(rows[: frame.height, : frame.width], (wide, high), interpolation=cv2.INTER_AREA)
    full = frame.color_range == _FULL_RANGE or frame.format.name.startswith(("yuvj", "gray"))
    return np.asarray(small if full else cv2.LUT(small, _WIDENED), dtype=np.uint8)


def _upright(small: Grey, turn: Orientation) -> Grey:
    if turn.transposed:
        small = small.T
    if turn.flipped_x:
        small = small[:, ::-1]
    if turn.flipped_y:
        small = small[::-1]
    return np.ascontiguousarray(small)


@contextmanager
def film(path: Path, on_progress: OnProgress | None) -> Iterator[Film | None]:
    """The recording's pictures; ``None`` where it has none."""
    with opened(path) as container:
        found = recorded_video(container)
        yield Film(container, found[0], Beat(on_progress)) if found else None
