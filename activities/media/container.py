"""Opening a recording: which containers are let in, where its time begins, and reading it past damaged stretches.

Everything that FFmpeg raises while a recording is open is translated here, once, into ``domain.errors.MediaError``.

Files come from strangers. FFmpeg also opens playlists, concatenation scripts, session descriptions and image
sequences, all of which make it read other files or addresses; only self-contained recordings are let in, and only
the ``file`` protocol.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import chain
from math import floor
from pathlib import Path
from time import monotonic
from typing import Any

import av
from av.container import InputContainer
from av.packet import Packet
from av.stream import Discard, Disposition, Stream
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from activities.confined.inside import is_crowded
from domain.errors import DecoderFailed, MediaEmpty, MediaError, MediaNotRecognised, MediaTruncated, exhausted_by

OnProgress = Callable[[int], None]
"""Called with a position in the recording, ms. May raise ``Cancelled`` to stop the work."""

ALLOWED_DEMUXERS = (
    "mov,mp4,m4a,3gp,3g2,mj2",
    "matroska,webm",
    "mp3",
    "aac",
    "wav",
    "w64",
    "aiff",
    "caf",
    "flac",
    "ogg",
    "amr",
    "avi",
    "asf",
    "flv",
    "mpegts",
    "mpeg",
)
"""FFmpeg's names of the containers that hold what they play and refer to nothing outside."""

MAX_PICTURE_PIXELS = 8192 * 8192
"""Larger pictures are not decoded: twice 8K, and what a hostile header could otherwise make us allocate."""

SEARCHED_BY_DECODING_TIME = frozenset({"mpegts", "mpeg"})
"""Containers without an index, whose times are sought by those at which packets are decoded."""

ORDERED_BY_DECODING = frozenset({"avi"})
"""Containers that hold no times of presentation."""

_BEAT_S = 0.25
"""Seconds between two calls of ``on_progress``."""

_DAMAGED_READS_IN_A_ROW = 20
"""Reads that may fail one after the other before the rest of a recording counts as missing."""

_OLD_METADATA: Mapping[str, Any] = {"metadata_errors": "replace"} if int(av.__version__.partition(".")[0]) < 19 else {}
"""Titles in no encoding of this world are no reason to refuse a recording. From version 19 on PyAV never does."""

_OF_THE_BYTES = (
    *(av.InvalidDataError, av.EOFError, av.ArgumentError, av.BufferTooSmallError, av.LookupError),
    *(av.PatchWelcomeError, av.NotImplementedError, av.OverflowError, av.PermissionError),
)
"""What FFmpeg says of what it reads: broken, at its end, or written in a way that it does not know. All else it says
(AVERROR_UNKNOWN, AVERROR_BUG, AVERROR_EXTERNAL, a file system that went away) may be its own fault or the machine's."""

_FILE_SYSTEM_FAULTS = frozenset({errno.EACCES, errno.ENOENT, errno.EROFS})
_NOT_RECORDINGS = Disposition.attached_pic | Disposition.timed_thumbnails | Disposition.still_image
_MAGIC_AT_0 = (
    b"\x1aE\xdf\xa3",
    b"RIFF",
    b"RF64",
    b"OggS",
    b"fLaC",
    b"ID3",
    b"FLV",
    b"FORM",
    b"caff",
    b"\x30\x26\xb2\x75",
)
_ISO_BOXES = (b"ftyp", b"moov", b"mdat", b"moof", b"styp", b"wide")


@contextmanager
def opened(path: Path) -> Iterator[InputContainer]:
    """Open a recording for reading.

    Raises:
        MediaEmpty: Zero bytes.
        MediaNotRecognised: No container that is let in.
        MediaTruncated: A known container that cannot be read, now or while the ``with`` block reads on.
        DecoderFailed: FFmpeg failed for a reason that says nothing of the recording.
        OSError: The file system failed; nothing is said about the recording.
    """
    size = path.stat().st_size
    if size == 0:
        raise MediaEmpty(
            "The file is empty (0 bytes). The recording or its upload was cut off: "
            "check that it plays on your machine, then send it again."
        )
    try:
        container = av.open(
            f"file:{path.absolute()}",
            "r",
            container_options={
                "protocol_whitelist": "file",
                "format_whitelist": ",".join(ALLOWED_DEMUXERS),
            },
            **_OLD_METADATA,
        )
    except (av.FFmpegError, ValueError) as error:
        raise _refusal(path, error) from error
    with container:
        try:
            yield container
        except av.FFmpegError as error:
            raise _read_failure(error) from error


def recording_zero(container: InputContainer) -> Fraction:
    """The container's time, in seconds, at which the recording begins: a player shows 0:00 there.

    The earliest start of any picture or sound, edit lists applied; the pictures' and the sound's times are all
    counted from it.
    """
    starts = [
        stream.start_time * stream.time_base
        for stream in container.streams
        if is_recorded(stream) and stream.start_time is not None and stream.time_base
    ]
    return min(starts, default=Fraction(0))


def is_recorded(stream: Stream) -> bool:
    """Sound or moving picture, as against subtitles, data, cover art and thumbnails."""
    return stream.type == "audio" or (stream.type == "video" and not stream.disposition & _NOT_RECORDINGS)


def recorded_video(container: InputContainer) -> list[VideoStream]:
    """The moving pictures that a decoder is at hand for, the one to use first (default, then the container's order)."""
    pictures = [
        stream for stream in container.streams.video if is_recorded(stream) and stream.codec_context is not None
    ]
    return sorted(pictures, key=lambda stream: (not stream.disposition & Disposition.default, stream.index))


def read_only(container: InputContainer, *streams: Stream) -> None:
    """Let the demuxer skip every other stream's bytes."""
    wanted = {stream.index for stream in streams}
    for stream in container.streams:
        stream.discard = Discard.default if stream.index in wanted else Discard.all


def packets(container: InputContainer, *streams: Stream) -> Iterator[Packet[Stream]]:
    """The streams' packets in file order. Damaged stretches are stepped over; a missing tail ends the iteration."""
    failures = 0
    while failures <= _DAMAGED_READS_IN_A_ROW:
        try:
            for packet in container.demux(*streams):
                if packet.size:
                    failures = 0
                    yield packet
        except av.FFmpegError as error:
            failures += 1
            if is_machine_fault(error) or (failures > _DAMAGED_READS_IN_A_ROW and not _is_of_the_bytes(error)):
                raise
        except IndexError:
            return  # PyAV, at the end of a stream whose damage made new tracks appear on the way
        else:
            return


def end_of_packets(container: InputContainer, streams: Sequence[Stream], beat: Beat) -> Fraction:
    """Seconds from the recording's zero to the end of the last packet, read from wherever the container stands."""
    zero = recording_zero(container)
    end = Fraction(0)
    for packet in packets(container, *streams):
        at = packet.pts if packet.pts is not None else packet.dts
        if at is None:
            continue
        end = max(end, (at + (packet.duration or 0)) * packet.time_base - zero)
        beat(to_ms(end))
    return end


def limit_pictures(stream: VideoStream) -> None:
    """Refuse absurd picture sizes while decoding. Call before the first packet is decoded."""
    stream.codec_context.options = {"max_pixels": str(MAX_PICTURE_PIXELS)}


def is_machine_fault(error: Exception) -> bool:
    """Whether the machine failed, and not the recording. FFmpeg uses EPERM and EIO for malformed input, too, and calls
    a picture damaged for which there was no room: what is stepped over as damage would be missing without a word."""
    return _tells_of_the_machine(error) or is_crowded()


def _tells_of_the_machine(error: Exception) -> bool:
    return getattr(error, "errno", None) in _FILE_SYSTEM_FAULTS or exhausted_by(error) is not None


def _is_of_the_bytes(error: Exception) -> bool:
    """Whether a fault that is none of the file system says that the recording is at fault."""
    return not isinstance(error, av.FFmpegError) or isinstance(error, _OF_THE_BYTES) or error.errno == errno.EIO


def seek(container: InputContainer, seconds: Fraction, stream: Stream | None = None) -> bool:
    """Go to the last key frame at or before a time of the container. False where it cannot be reached."""
    base = stream.time_base if stream is not None and stream.time_base else Fraction(1, av.time_base)
    try:
        container.seek(floor(seconds / base), stream=stream)
    except av.FFmpegError as error:
        if is_machine_fault(error):
            raise
        return False
    return True


def rewind(container: InputContainer) -> None:
    """Stand before the first packet. By its time it is not found everywhere: MPEG streams are searched by decoding
    times, and a first picture that is decoded before the recording's zero is then passed over; in FLV nothing is found
    before the first picture, and the place is lost."""
    by_place = container.format.name in SEARCHED_BY_DECODING_TIME
    if by_place and _seek_first_byte(container):
        return
    if not (seek(container, recording_zero(container)) or seek(container, Fraction(0)) or by_place):
        _seek_first_byte(container)


def _seek_first_byte(container: InputContainer) -> bool:
    with suppress(av.FFmpegError):
        container.seek(0, unsupported_byte_offset=True)
        return True
    return False


def to_ms(seconds: Fraction | float) -> int:
    return round(seconds * 1000)


class InOrder:
    """Presentation times where a container has none: AVI counts packets as they are decoded, and FFmpeg's guess from
    that is up to four frames off where pictures are decoded in another order than they are shown in. What a decoder
    gives back is in the order of showing; so the first of it has the least of the times that went in. That holds from
    the first packet on only: behind a seek, decoders pass over pictures that refer to what they have not seen.
    """

    def __init__(self, container: InputContainer, stream: VideoStream) -> None:
        self.is_needed = container.format.name in ORDERED_BY_DECODING and bool(stream.codec_context.has_b_frames)
        self._times: list[int] = []

    def restart(self) -> None:
        """The decoder was emptied."""
        self._times.clear()

    def sent(self, packet: Packet[Stream] | None) -> None:
        """A packet that a frame is to come of goes to the decoder."""
        if self.is_needed and packet is not None and packet.dts is not None:
            heappush(self._times, packet.dts)

    def refused(self, packet: Packet[Stream] | None) -> None:
        """No frame comes of it."""
        if self.is_needed and packet is not None and packet.dts in self._times:
            self._times.remove(packet.dts)
            heapify(self._times)

    def timed(self, frames: list[VideoFrame]) -> list[VideoFrame]:
        """The frames with their times."""
        for frame in frames if self.is_needed else ():
            if self._times:
                frame.pts = heappop(self._times)
        return frames


def decoded(
    stream: VideoStream, source: Iterable[Packet[Stream]], order: InOrder | None = None
) -> Iterator[VideoFrame]:
    """The frames with a time that come of ``source``'s packets, each decoded when it is asked for, and at last what the
    decoder still held. A packet that it refuses is left out.

    Args:
        order: Gives the frames their times where the container has none.

    Raises:
        OSError: The file cannot be read any more.
    """
    for packet in chain(source, (None,)):
        if order is not None and (packet is None or packet.is_keyframe or stream.codec_context.skip_frame != "NONKEY"):
            order.sent(packet)
        try:
            frames = stream.decode(packet)
        except (av.FFmpegError, ValueError) as error:
            if is_machine_fault(error):
                raise
            if order is not None:
                order.refused(packet)
            continue
        yield from (frame for frame in (order.timed(frames) if order else frames) if frame.pts is not None)


class Clock:
    """A stream's ticks as milliseconds of the recording; as :func:`to_ms`, at a tenth of the cost of fractions.

    Args:
        tick: Seconds a tick.
        zero: The recording's zero, in seconds of the container.
    """

    def __init__(self, tick: Fraction, zero: Fraction) -> None:
        whole = tick.denominator * zero.denominator
        self._tick, self._zero, self._ms = (
            1000 * tick.numerator * zero.denominator,
            1000 * zero.numerator * tick.denominator,
            whole,
        )

    def ms(self, at: int) -> int:
        return round((at * self._tick - self._zero) / self._ms)

    def span_ms(self, ticks: int) -> int:
        return round(ticks * self._tick / self._ms)


class Beat:
    """Passes a position on to ``on_progress``, but only every quarter of a second of work."""

    def __init__(self, on_progress: OnProgress | None) -> None:
        self._on_progress = on_progress
        self._last = float("-inf")

    def __call__(self, position_ms: int) -> None:
        if self._on_progress is None:
            return
        now = monotonic()
        if now - self._last >= _BEAT_S:
            self._last = now
            self._on_progress(max(0, position_ms))


def not_recognised() -> MediaNotRecognised:
    return MediaNotRecognised(
        "This file is not a recording that can be read. Send a video (mp4, mov, mkv, webm) or a sound file "
        "(wav, mp3, m4a, ogg, flac); a renamed document or a playlist does not work."
    )


def truncated() -> MediaTruncated:
    return MediaTruncated(
        "The recording is incomplete or damaged: its index or its end is missing, so it cannot be played. "
        "Check that it plays on your machine and that the recorder had finished saving it, then send it again."
    )


def _failed() -> DecoderFailed:
    return DecoderFailed(
        "Decoding the recording failed, and FFmpeg does not say why. Nothing is known to be wrong with the recording. "
        "It is tried again; if that does not help, save the recording anew as MP4 (H.264, AAC) and send that."
    )


def _refusal(path: Path, error: Exception) -> MediaError | DecoderFailed | OSError:
    if is_machine_fault(error):
        return _without_path(error)
    if not _is_of_the_bytes(error):
        return _failed()
    # The whitelist answers EINVAL for a demuxer that is not let in, whatever the bytes look like.
    refused_demuxer = isinstance(error, av.ArgumentError)
    return truncated() if not refused_demuxer and _has_known_magic(path) else not_recognised()


def _read_failure(error: av.FFmpegError) -> MediaError | DecoderFailed | OSError:
    if is_machine_fault(error):
        return _without_path(error)
    return truncated() if _is_of_the_bytes(error) else _failed()


def _without_path(error: Exception) -> OSError:
    number = getattr(error, "errno", None) if _tells_of_the_machine(error) else None
    number = number or errno.ENOMEM
    return OSError(number, os.strerror(number))


def _has_known_magic(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(12)
    return head.startswith(_MAGIC_AT_0) or head[4:8] in _ISO_BOXES
