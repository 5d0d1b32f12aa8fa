"""The pictures of a recording at given times, by presentation timestamp.

A frame is on screen from its timestamp until the next one's, however far away that is: variable frame rates need no
special case. Pictures come out as a player shows them: turned, with square pixels, RGB.

Many times are served in one ordered pass that seeks only when a key frame lies between here and there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, islice
from pathlib import Path
from typing import Literal

import av
from av.container import InputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.frame import VideoFrame
from av.video.reformatter import Colorspace
from PIL import Image

from activities.media.colours import Colours
from activities.media.container import (
    Beat,
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
    to_ms,
    truncated,
)
from activities.media.orientation import Orientation, pixel_aspect, square_pixel_size
from activities.media.pictures import sharpness
from activities.media.probe import probe
from activities.media.screenshot_timing import FrameRequest
from domain.errors import MediaHasNoContent, RequestInvalid

Strategy = Literal["precise", "nearest_keyframe"]

_END_TOLERANCE_MS = 100
"""How far past the stated end a time may be: durations are rounded, and the last frame is still on screen."""

_LOOKAHEAD_PACKETS = 24
"""Packets read ahead of the decoder to know which frames nobody will see. More than any codec reorders."""

_BLIND_SEEK_S = 10
"""Without an index, seeking is tried only over distances longer than a usual key frame interval."""

_WORTHWHILE_SEEK_S = Fraction(1, 2)
_STEPS_BACK_S = (0, 5, 30)
"""Where there is no index, or it leads past a time, seeking is tried so much before it, and then the whole is read."""

_HD_LINES = 720
_UNSPECIFIED_COLOURS = 2
"""AVCOL_SPC_UNSPECIFIED, libavutil/pixfmt.h."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture as a player shows it.

    Attributes:
        image: RGB.
        pts_ms: When it appeared on screen, in the recording's time.
        timestamp_ms: The time it was asked for.
    """

    image: Image.Image
    pts_ms: int
    timestamp_ms: int


def grab_frame(
    path: Path, timestamp_ms: int, *, strategy: Strategy = "precise", duration_ms: int | None = None
) -> Frame:
    """The picture on screen at a time.

    Args:
        path: The recording.
        timestamp_ms: From 0 to the recording's duration.
        strategy: ``precise`` decodes up to the time; ``nearest_keyframe`` takes the key frame closest to it, before
            or after.
        duration_ms: The recording's, from its probe; probed where it is not given.

    Raises:
        RequestInvalid: The time is outside the recording.
        MediaHasNoContent: The recording has no picture.
        MediaTruncated: Nothing can be decoded there.
    """
    _refuse_outside(path, [timestamp_ms], duration_ms)
    with opened(path) as container:
        reader = _Reader(container)
        if strategy == "nearest_keyframe":
            return reader.nearest_keyframe(timestamp_ms)
        return reader.frame_at(FrameRequest(timestamp_ms))


def grab_frames(
    path: Path,
    requests: Sequence[int | FrameRequest],
    *,
    duration_ms: int | None = None,
    on_progress: OnProgress | None = None,
) -> Iterator[Frame]:
    """The pictures at many times, in the order of the times, each distinct request once.

    One pass, one picture in memory at a time. Close the iterator to stop early.

    Args:
        path: The recording.
        requests: Times in ms, in any order, or ``FrameRequest``.
        duration_ms: The recording's, from its probe; probed where it is not given.
        on_progress: Called with the position in ms; may raise ``Cancelled``.

    Raises:
        RequestInvalid: A time is outside the recording; raised before the first picture.
        MediaHasNoContent: The recording has no picture.
        MediaTruncated: Nothing can be decoded there.
    """
    ordered = in_order(requests)
    if not ordered:
        return
    _refuse_outside(path, [request.timestamp_ms for request in ordered], duration_ms)
    with opened(path) as container:
        reader = _Reader(container, Beat(on_progress))
        for request in ordered:
            yield reader.frame_at(request)


def in_order(requests: Sequence[int | FrameRequest]) -> list[FrameRequest]:
    """Each distinct request once, in the order in which its picture comes."""
    return sorted(
        {FrameRequest(request) if isinstance(request, int) else request for request in requests},
        key=lambda request: (request.timestamp_ms, request.earliest_ms or 0),
    )


class _Reader:
    """Walks one video track forwards, and remembers what is on screen."""

    def __init__(self, container: InputContainer, beat: Beat | None = None) -> None:
        pictures = recorded_video(container)
        if not pictures:
            raise MediaHasNoContent("The recording has no picture, so there is nothing to take a screenshot of.")
        self._container = container
        self._stream = pictures[0]
        self._beat = beat or Beat(None)
        self._zero = recording_zero(container)
        self._order = InOrder(container, self._stream)
        self._aspect = pixel_aspect(self._stream)
        self._turn: Orientation | None = None
        self._colours: Colours | None = None
        limit_pictures(self._stream)
        self._stream.codec_context.thread_type = "AUTO"
        read_only(container, self._stream)
        self._needed_until_ms = 0
        self._sought_in_vain = False
        self._source: Iterator[VideoFrame] = iter(())
        self._shown: VideoFrame | None = None
        self._ahead: VideoFrame | None = None

    def frame_at(self, request: FrameRequest) -> Frame:
        """The last frame that appeared at or before the request; the first of all where the picture starts later."""
        t = request.timestamp_ms
        self._needed_until_ms = t
        if not self._is_on_screen(t) and self._seek_is_worthwhile(t):
            self._go_to(t)
        while not self._will_do(request) and not self._is_on_screen(t):
            if not self._advance():
                break
        found = self._ahead if self._will_do(request) else self._shown or self._ahead
        if found is None:
            raise truncated()
        return self._frame(found, t)

    def nearest_keyframe(self, timestamp_ms: int) -> Frame:
        self._stream.codec_context.skip_frame = "NONKEY"
        best: VideoFrame | None = None
        for frame in self._keys_from(timestamp_ms):
            if best is None or self._distance(frame, timestamp_ms) < self._distance(best, timestamp_ms):
                best = frame
            if self._ms(frame) > timestamp_ms:
                break
        if best is None:
            raise truncated()
        return self._frame(best, timestamp_ms)

    def _keys_from(self, timestamp_ms: int) -> Iterator[VideoFrame]:
        """Key frames, from the last one at or before a time on."""
        for back_s in _STEPS_BACK_S:
            if not seek(self._container, max(self._zero, self._seconds(timestamp_ms) - back_s), self._stream):
                break
            keys = self._decode_all()
            first = next(keys, None)
            if first is not None and self._ms(first) <= timestamp_ms:
                return chain((first,), keys)
        rewind(self._container)
        return self._decode_all()

    # --- moving ---

    def _is_on_screen(self, t: int) -> bool:
        return self._ahead is not None and self._ms(self._ahead) > t

    def _will_do(self, request: FrameRequest) -> bool:
        """The newest frame is a picture of the still stretch that the request names."""
        if request.earliest_ms is None or self._ahead is None:
            return False
        return request.earliest_ms <= self._ms(self._ahead) <= request.timestamp_ms

    def _advance(self) -> bool:
        frame = next(self._source, None)
        if frame is None:
            if self._ahead is None:
                return False
            self._shown, self._ahead = self._ahead, None
            return False
        if self._ahead is not None:
            self._shown = self._ahead
        self._ahead = frame
        self._beat(self._ms(frame))
        return True

    def _seek_is_worthwhile(self, t: int) -> bool:
        here = self._ahead or self._shown
        if here is None:
            return True
        distance = Fraction(t - self._ms(here), 1000)
        if distance < _WORTHWHILE_SEEK_S or self._order.is_needed:
            return distance < 0
        key = self._last_key_before(t)
        if key is None:
            return distance > _BLIND_SEEK_S and not self._sought_in_vain
        return key - (here.pts or 0) * self._tick > _WORTHWHILE_SEEK_S

    def _last_key_before(self, t: int) -> Fraction | None:
        """Container time of the last key frame at or before ``t``, as far as the index knows."""
        index = self._stream.index_entries
        at = index.search_timestamp(int(self._seconds(t) / self._tick)) if len(index) > 1 else -1
        return index[at].timestamp * self._tick if at >= 0 else None

    def _go_to(self, t: int) -> None:
        """Stand before the last key frame at or before ``t``; further back where the index leads past it."""
        for back_s in () if self._order.is_needed else _STEPS_BACK_S:
            if not seek(self._container, max(self._zero, self._seconds(t) - back_s), self._stream):
                break
            self._restart()
            if self._advance() and self._ahead is not None and self._ms(self._ahead) <= t:
                return
        # With one key frame for the whole recording, trying again for each picture would read it all each time.
        self._sought_in_vain = t > 1000 * _STEPS_BACK_S[-1]
        rewind(self._container)
        self._restart()

    def _restart(self) -> None:
        self._shown = self._ahead = None
        self._order.restart()
        self._source = decoded(self._stream, self._needed_packets(), self._order)

    # --- decoding ---

    def _needed_packets(self) -> Iterator[Packet[Stream]]:
        """The packets from here on, each when it is to be decoded: without the frames that no other refers to and that
        nobody asked to see.

        A frame is left out only while a later one is already known to be on screen by the wanted time.
        """
        codec = self._stream.codec_context
        waiting: deque[Packet[Stream]] = deque()
        source = packets(self._container, self._stream)
        while True:
            waiting.extend(islice(source, _LOOKAHEAD_PACKETS - len(waiting)))
            if not waiting:
                break
            packet = waiting.popleft()
            codec.skip_frame = "NONREF" if self._is_overtaken(packet, waiting) else "DEFAULT"
            yield packet

    def _is_overtaken(self, packet: Packet[Stream], waiting: deque[Packet[Stream]]) -> bool:
        if packet.pts is None or self._order.is_needed:
            return False
        until = self._seconds(self._needed_until_ms) / self._tick
        return any(later.pts is not None and packet.pts < later.pts <= until for later in waiting)

    def _decode_all(self) -> Iterator[VideoFrame]:
        self._order.restart()
        return decoded(self._stream, packets(self._container, self._stream), self._order)

    # --- times and pictures ---

    @property
    def _tick(self) -> Fraction:
        return self._stream.time_base or Fraction(1, av.time_base)

    def _seconds(self, t: int) -> Fraction:
        """Container time of a recording time; half a ms later, because times in ms were rounded."""
        return self._zero + Fraction(2 * t + 1, 2000)

    def _ms(self, frame: VideoFrame) -> int:
        return to_ms((frame.pts or 0) * self._tick - self._zero)

    def _distance(self, frame: VideoFrame, t: int) -> int:
        return abs(self._ms(frame) - t)

    def _frame(self, frame: VideoFrame | None, t: int) -> Frame:
        assert frame is not None
        if self._turn is None:
            # Once a recording: PyAV ties a frame whose side data was read into a reference cycle, megabytes each.
            self._turn, self._colours = Orientation.of(frame), Colours.of(frame)
        return Frame(
            image=picture(frame, self._aspect, self._turn, self._colours), pts_ms=self._ms(frame), timestamp_ms=t
        )


def picture(frame: VideoFrame, aspect: Fraction, turn: Orientation, colours: Colours | None = None) -> Image.Image:
    """A decoded frame as an upright sRGB image with square pixels."""
    width, height = square_pixel_size(frame.width, frame.height, aspect)
    if colours is not None:
        return turn.apply(Image.fromarray(colours.rgb(frame, width, height)))
    # What players do with recordings that do not say: HD is BT.709, anything smaller BT.601 (swscale's default).
    assumed = Colorspace.ITU709 if frame.colorspace == _UNSPECIFIED_COLOURS and frame.height >= _HD_LINES else None
    rgb = frame.reformat(width, height, format="rgb24", src_colorspace=assumed)
    return turn.apply(Image.fromarray(rgb.to_ndarray()))


def pick_sharp(path: Path, candidates: Sequence[int], *, duration_ms: int | None = None) -> Frame:
    """The sharpest of the pictures at some neighbouring times of one still screen; the earliest of equals.

    Raises:
        ValueError: No candidates.
        RequestInvalid, MediaHasNoContent, MediaTruncated: As ``grab_frames``.
    """
    best: Frame | None = None
    best_sharpness = -1.0
    for frame in grab_frames(path, candidates, duration_ms=duration_ms):
        measured = sharpness(frame.image)
        if measured > best_sharpness:
            best, best_sharpness = frame, measured
    if best is None:
        raise ValueError("no candidates")
    return best


def _refuse_outside(path: Path, timestamps_ms: Sequence[int], duration_ms: int | None) -> None:
    end_ms = probe(path).duration_ms if duration_ms is None else duration_ms
    for timestamp_ms in timestamps_ms:
        if not 0 <= timestamp_ms <= end_ms + _END_TOLERANCE_MS:
            raise RequestInvalid(
                f"The time {timestamp_ms} ms is outside the recording, which ends at {end_ms} ms. "
                "Choose a time within it.",
                details={"timestamp_ms": timestamp_ms, "duration_ms": end_ms},
            )
