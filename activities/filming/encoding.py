"""A scene of a film as a piece of H.264, which is joined to the others without being encoded again.

Each piece begins with a key frame and has no frames that refer forward, so that its times are those of its packets. A
frame is shown until the next one: what stands still on the screen takes no frames, but one a second for players that
seek.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange, Colorspace
from av.video.stream import VideoStream
from numpy.typing import NDArray
from PIL import Image

from activities.media.colours import Colours
from activities.media.container import (
    Clock,
    InOrder,
    OnProgress,
    decoded,
    limit_pictures,
    opened,
    packets,
    read_only,
    recorded_video,
    recording_zero,
    rewind,
    seek,
)
from activities.media.frames import picture
from activities.media.orientation import NO_TURN, Orientation, pixel_aspect
from domain.errors import MediaHasNoContent, MediaTruncated

TICK = Fraction(1, 1000)
LEAST_APART_MS = 30
"""Between two frames: some 30 a second, whatever the recording has."""
MOST_APART_MS = 1_000
BACK_S = (0, 5, 30)
"""Before a time, where an index leads past it."""

OPTIONS = {"preset": "veryfast", "crf": "22", "bf": "0", "g": "300", "profile": "high", "threads": "2"}
"""x264's. The same for every piece: they share one header."""

GROUND = (0x14, 0x18, 0x1D)
"""Beside a picture of another shape: the colour of the cards."""

LIKE = 6.0
"""Grey levels, on average, by which a part of the screen may differ from the marked picture and be the same: what
encoding twice makes of it. A pressed or moved control differs by more."""
ALIKE_SHARE, FAR = 0.03, 40
"""Of its pixels, so many may differ by more than that: a pointer that comes by."""

_HD_LINES, _UNSPECIFIED_COLOURS = 720, 2
"""See ``activities/media/frames.py``."""

Pixels = NDArray[np.uint8]


def encode(recording: Path, folder: Path, order: Mapping[str, Any], at: OnProgress) -> dict[str, int]:
    """Write the piece that ``order`` describes to the file that it names; how many frames it has.

    ``order``: width, height (of the picture), whole (rows in all), length_ms, under (the picture of the band, or of the
    whole card), and either span (ms of the recording), marked (base, drawn, boxes in pixels) or stills.

    Raises:
        MediaError: The recording cannot be read there.
    """
    under = _rgb(folder / order["under"])
    writer = _Writer(folder / order["made"], order["width"], order["whole"], order["length_ms"], at)
    try:
        if order.get("span"):
            _film(recording, folder, order, under, writer)
        elif order["stills"]:
            each_ms = order["length_ms"] // len(order["stills"])
            for place, name in enumerate(order["stills"]):
                writer.show(_above(_still(folder / name, order["width"], order["height"]), under), place * each_ms)
        else:
            writer.show(under, 0)
    finally:
        writer.close()
    return {"frames": writer.frames}


def _film(recording: Path, folder: Path, order: Mapping[str, Any], under: Pixels, writer: _Writer) -> None:
    marks = _Marks.read(folder, order)
    start_ms, end_ms = order["span"]
    canvas = _above(np.zeros((order["height"], order["width"], 3), dtype=np.uint8), under)
    for at_ms, shown in moving(recording, start_ms, end_ms, order["width"], order["height"]):
        canvas[: order["height"]] = shown
        if marks is not None:
            marks.draw(canvas)
        writer.show(canvas, at_ms - start_ms)


class _Writer:
    """Writes frames; each is shown until the next one, the last to the end."""

    def __init__(self, path: Path, width: int, height: int, length_ms: int, at: OnProgress) -> None:
        self.frames = 0
        self._sink = av.open(f"file:{path}", "w", format="mp4")
        self._stream = self._sink.add_stream("libx264", rate=30, options=OPTIONS)
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, "yuv420p"
        self._stream.codec_context.time_base = self._stream.time_base = TICK
        self._stream.codec_context.colorspace = Colorspace.ITU709
        self._stream.codec_context.color_range = ColorRange.MPEG
        self._length_ms = length_ms
        self._shown: VideoFrame | None = None
        self._next_ms = 0
        self._at = at

    def show(self, pixels: Pixels, at_ms: int) -> None:
        """From ``at_ms`` on."""
        if at_ms >= self._length_ms or (
            self._shown is not None and at_ms < self._next_ms - MOST_APART_MS + LEAST_APART_MS
        ):
            return
        self._hold(at_ms)
        frame = VideoFrame.from_ndarray(pixels, format="rgb24")
        self._shown = frame.reformat(
            format="yuv420p", dst_colorspace=Colorspace.ITU709, dst_color_range=ColorRange.MPEG
        )
        self._encode(at_ms)

    def close(self) -> None:
        try:
            if self._shown is not None:
                self._hold(self._length_ms)
                self._sink.mux(self._stream.encode(None))
        finally:
            self._sink.close()

    def _hold(self, until_ms: int) -> None:
        while self._shown is not None and self._next_ms < until_ms:
            self._encode(self._next_ms)

    def _encode(self, at_ms: int) -> None:
        assert self._shown is not None
        self._shown.pts, self._shown.time_base = at_ms, TICK
        self._sink.mux(self._stream.encode(self._shown))
        self.frames += 1
        self._next_ms = at_ms + MOST_APART_MS
        self._at(at_ms)


# --- the recording, moving -----------------------------------------------------------------------------------------


def moving(path: Path, start_ms: int, end_ms: int, width: int, height: int) -> Iterator[tuple[int, Pixels]]:
    """The pictures of a stretch, fitted into a size: when each appears (the first: at the start), and its pixels.

    Raises:
        MediaHasNoContent: The recording has no picture.
        MediaTruncated: Nothing can be decoded there.
    """
    with opened(path) as container:
        tracks = recorded_video(container)
        if not tracks:
            raise MediaHasNoContent("The recording has no picture.")
        stream = tracks[0]
        limit_pictures(stream)
        stream.codec_context.thread_type = "AUTO"
        read_only(container, stream)
        zero = recording_zero(container)
        clock = Clock(stream.time_base or Fraction(1, av.time_base), zero)
        look: _Look | None = None
        held: VideoFrame | None = None
        begun = False
        for frame in _frames(container, stream, clock, start_ms, zero):
            look = look or _Look.of(frame, stream, width, height)
            at_ms = clock.ms(frame.pts or 0)
            if at_ms > start_ms and held is not None:
                begun = True
                yield start_ms, look.pixels(held)
                held = None
            if at_ms >= end_ms and begun:
                return
            if at_ms <= start_ms or not begun:
                held = frame
                continue
            yield at_ms, look.pixels(frame)
        if held is None or look is None:
            if not begun:
                raise MediaTruncated("The recording cannot be read at a step's moment. Export it as PDF instead.")
            return
        yield start_ms, look.pixels(held)


def _frames(
    container: InputContainer, stream: VideoStream, clock: Clock, start_ms: int, zero: Fraction
) -> Iterator[VideoFrame]:
    """From the last frame at or before ``start_ms`` that can be found on, or from an earlier one."""
    order = InOrder(container, stream)
    for back_s in () if order.is_needed else BACK_S:
        if not seek(container, max(zero, zero + Fraction(start_ms, 1000) - back_s), stream):
            break
        source = decoded(stream, packets(container, stream), order)
        first = next(source, None)
        if first is not None and clock.ms(first.pts or 0) <= start_ms:
            yield first
            yield from source
            return
    rewind(container)
    order.restart()
    yield from decoded(stream, packets(container, stream), order)


@dataclass(frozen=True, slots=True)
class _Look:
    """How a decoded frame becomes pixels of the film."""

    aspect: Fraction
    turn: Orientation
    colours: Colours | None
    width: int
    height: int

    @classmethod
    def of(cls, frame: VideoFrame, stream: VideoStream, width: int, height: int) -> _Look:
        return cls(pixel_aspect(stream), Orientation.of(frame), Colours.of(frame), width, height)

    def pixels(self, frame: VideoFrame) -> Pixels:
        if self.colours is not None or self.turn != NO_TURN:
            return _fitted(picture(frame, self.aspect, self.turn, self.colours), self.width, self.height)
        assumed = Colorspace.ITU709 if frame.colorspace == _UNSPECIFIED_COLOURS and frame.height >= _HD_LINES else None
        rgb = frame.reformat(
            self.width, self.height, format="rgb24", src_colorspace=assumed, interpolation="BICUBIC"
        ).to_ndarray()
        return np.asarray(rgb, dtype=np.uint8)


# --- what is drawn on it -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Mark:
    """What is drawn in one place, and what the screen shows there when it is."""

    rows: slice
    columns: slice
    base: NDArray[np.int16]
    drawn: Pixels
    mask: NDArray[np.bool_]

    def fits(self, screen: Pixels) -> bool:
        """Whether the screen is there what it was when it was drawn on."""
        there = np.abs(_grey(screen[self.rows, self.columns]) - self.base)
        return float(there.mean()) < LIKE and float((there > FAR).mean()) < ALIKE_SHARE


@dataclass(frozen=True, slots=True)
class _Marks:
    marks: tuple[_Mark, ...]

    @classmethod
    def read(cls, folder: Path, order: Mapping[str, Any]) -> _Marks | None:
        marked = order.get("marked")
        if marked is None:
            return None
        size = (order["width"], order["height"])
        base, drawn = (_fitted(Image.open(folder / marked[name]), *size) for name in ("base", "drawn"))
        return cls(tuple(mark for box in marked["boxes"] if (mark := _mark(base, drawn, box)) is not None))

    def draw(self, screen: Pixels) -> None:
        """Draw what fits: it was drawn on a picture of one moment, and what it points at may have gone or moved."""
        for mark in [each for each in self.marks if each.fits(screen)]:
            screen[mark.rows, mark.columns][mark.mask] = mark.drawn[mark.mask]


def _mark(base: Pixels, drawn: Pixels, box: tuple[int, int, int, int]) -> _Mark | None:
    left, top, right, bottom = box
    rows, columns = slice(top, bottom), slice(left, right)
    mask = np.asarray(np.abs(drawn[rows, columns].astype(np.int16) - base[rows, columns]).max(axis=2) > 2)
    return _Mark(rows, columns, _grey(base[rows, columns]), drawn[rows, columns], mask) if mask.any() else None


def _grey(pixels: Pixels) -> NDArray[np.int16]:
    return np.asarray(pixels.astype(np.int16).sum(axis=2) // 3, dtype=np.int16)


# --- pictures ------------------------------------------------------------------------------------------------------


def _above(shown: Pixels, under: Pixels) -> Pixels:
    """A picture with the band below it."""
    return np.concatenate((shown, under))


def _still(path: Path, width: int, height: int) -> Pixels:
    """A picture as large as it can be shown, not larger than it is, in the middle."""
    with Image.open(path, formats=("PNG", "JPEG")) as opened_picture:
        shown = opened_picture.convert("RGB")
    shown.thumbnail((width, height), Image.Resampling.LANCZOS)
    canvas = Image.new("RGB", (width, height), GROUND)
    canvas.paste(shown, ((width - shown.width) // 2, (height - shown.height) // 2))
    return np.asarray(canvas)


def _fitted(image: Image.Image, width: int, height: int) -> Pixels:
    rgb = image.convert("RGB")
    return np.asarray(rgb if rgb.size == (width, height) else rgb.resize((width, height), Image.Resampling.BICUBIC))


def _rgb(path: Path) -> Pixels:
    with Image.open(path, formats=("PNG",)) as card:
        return np.asarray(card.convert("RGB"))
