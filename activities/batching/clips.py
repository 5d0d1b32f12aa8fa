"""Clips: a stretch of a recording, cut out without being encoded again.

Nothing is lost and little is computed: packets are copied, from the last key frame at or before the stretch, without
which its pictures cannot be decoded. So a clip may begin a little early; ``Clip.begins_ms`` says where. (An MP4 can
hide that lead by an edit list. Players do not agree on what it means where a picture stands still across its edge, as
those of screen recordings do: sound and picture come apart.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
from av.container import InputContainer, OutputContainer
from av.packet import Packet
from av.stream import Stream
from PIL import Image

from activities.media.container import (
    is_machine_fault,
    is_recorded,
    opened,
    packets,
    recorded_video,
    recording_zero,
    seek,
    to_ms,
)
from domain.errors import MediaCodecUnsupported, MediaHasNoContent, RequestInvalid
from domain.orders.batch import Span

Check = Callable[[], None]
"""Raises where nobody waits for the clip any more."""

CHECK_EVERY = 256
"""Packets between two looks at whether to stop."""

BACK_S = (0, 5, 30, None)
"""Seconds before a time at which its key frame is looked for, one after the other; at last from the beginning."""


@dataclass(frozen=True)
class Container:
    """A container for clips: FFmpeg's name, the file's suffix and its types with and without pictures."""

    muxer: str
    suffix: str
    video: str
    audio: str


MP4 = Container("mp4", "mp4", "video/mp4", "audio/mp4")
WEBM = Container("webm", "webm", "video/webm", "audio/webm")
MATROSKA = Container("matroska", "mkv", "video/x-matroska", "audio/x-matroska")

_MP4_CODECS = frozenset({"h264", "hevc", "av1", "mpeg4", "aac", "mp3", "ac3", "eac3", "alac", "opus", "flac"})
_WEBM_CODECS = frozenset({"vp8", "vp9", "av1", "opus", "vorbis"})


@dataclass(frozen=True)
class Clip:
    """A clip that was written. ``begins_ms``: the recording's time of the first picture or sound that is shown;
    ``poster``: a small picture of where the stretch begins, where there is one that can be decoded."""

    container: Container
    begins_ms: int
    ends_ms: int
    has_video: bool
    poster: Image.Image | None = None

    @property
    def media_type(self) -> str:
        return self.container.video if self.has_video else self.container.audio


def cut(recording: Path, span: Span, out: Path, check: Check = lambda: None) -> Clip:
    """Write the stretch ``span`` of ``recording`` to ``out``, which has no suffix of its own to go by.

    Raises:
        RequestInvalid: The stretch begins behind the recording's end.
        MediaHasNoContent: There is neither a picture nor sound in the stretch.
        MediaCodecUnsupported: No container takes what the recording holds.
        MediaError: The recording cannot be read.
    """
    with opened(recording) as source:
        chosen = _chosen(source)
        container = _container(chosen)
        has_video = any(each.type == "video" for each in chosen)
        zero = recording_zero(source)
        start, end = zero + Fraction(span.start_ms, 1000), zero + Fraction(span.end_ms, 1000)
        begin = _stand_before(source, chosen[0], start, zero, check)
        try:
            with av.open(str(out), "w", format=container.muxer) as sink:
                copied = _Copy(source, sink, chosen, (begin, end)).run(check)
        except (av.FFmpegError, ValueError) as unfit:
            if is_machine_fault(unfit):
                raise
            if isinstance(unfit, OSError) and not isinstance(unfit, av.ArgumentError | av.InvalidDataError):
                raise
            raise MediaCodecUnsupported(
                "The recording's tracks cannot be kept in a clip without being encoded again. Convert it to MP4 first."
            ) from None
        if copied.first is None or copied.last <= start:
            raise RequestInvalid(
                f"There is nothing at {span.start_ms} ms: the recording ends before. Choose a range within it.",
                details={"start_ms": span.start_ms},
            )
    return Clip(
        container,
        begins_ms=to_ms(copied.first - zero),
        ends_ms=to_ms(min(copied.last, end) - zero),
        has_video=has_video,
    )


def _stand_before(source: InputContainer, lead: Stream, start: Fraction, zero: Fraction, check: Check) -> Fraction:
    """Stand where a copy can begin, and say when that is: at the last key frame of ``lead`` at or before ``start``;
    where there is none, at ``start``. Without an index a demuxer may land behind it; then further back."""
    for back_s in BACK_S:
        at = zero if back_s is None else max(zero, start - back_s)
        _go(source, at, zero, lead)
        key = _last_key(source, lead, start, check)
        if key is not None:
            _go(source, at, zero, lead)
            return key
    _go(source, zero, zero, lead)
    return start


def _go(source: InputContainer, at: Fraction, zero: Fraction, lead: Stream) -> None:
    if not seek(source, at, lead) and not seek(source, zero):
        seek(source, Fraction(0))


def _last_key(source: InputContainer, lead: Stream, start: Fraction, check: Check) -> Fraction | None:
    """The last key frame at or before ``start``, reading on from here."""
    found = None
    for number, packet in enumerate(packets(source, lead)):
        if number % CHECK_EVERY == 0:
            check()
        at = packet.pts if packet.pts is not None else packet.dts
        if at is None:
            continue
        decoded = packet.dts if packet.dts is not None else at
        if decoded * packet.time_base > start:
            break
        if packet.is_keyframe and at * packet.time_base <= start:
            found = at * packet.time_base
    return found


def _chosen(source: InputContainer) -> list[Stream]:
    """The picture that players show, and all sound."""
    pictures = recorded_video(source)[:1]
    sounds = [each for each in source.streams if each.type == "audio" and is_recorded(each)]
    chosen: list[Stream] = [*pictures, *sounds]
    if not chosen:
        raise MediaHasNoContent("The recording has neither a picture nor sound, so there is nothing to cut.")
    return chosen


def _container(chosen: list[Stream]) -> Container:
    codecs = {each.codec_context.name for each in chosen if each.codec_context is not None}
    for container, takes in ((WEBM, _WEBM_CODECS), (MP4, _MP4_CODECS)):
        if _canonical(codecs) <= takes:
            return container
    return MATROSKA


def _canonical(codecs: set[str]) -> set[str]:
    """Codecs by their own names, where a decoder is called after a library."""
    named = {"libdav1d": "av1", "libopus": "opus", "libvorbis": "vorbis", "libvpx": "vp8", "libvpx-vp9": "vp9"}
    return {named.get(each, "mp3" if each == "mp3float" else each) for each in codecs}


class _Copy:
    """Packets on their way from one container to the other. ``first`` and ``last``: what was copied, in seconds of
    the source's time."""

    def __init__(
        self, source: InputContainer, sink: OutputContainer, chosen: list[Stream], window: tuple[Fraction, Fraction]
    ) -> None:
        self._source, self._sink, self._chosen = source, sink, chosen
        self._start, self._end = window
        self._targets = {each.index: sink.add_stream_from_template(each) for each in chosen}
        self._open = set(self._targets)
        self._keyed: set[int] = set()
        self.first: Fraction | None = None
        self.last = Fraction(0)

    def run(self, check: Check) -> _Copy:
        for number, packet in enumerate(self._wanted()):
            if number % CHECK_EVERY == 0:
                check()
            self._copy(packet)
        return self

    def _wanted(self) -> Iterator[Packet[Stream]]:
        """The packets from the beginning on: pictures from a key frame, sound that lasts until then or longer."""
        for packet in packets(self._source, *self._chosen):
            at = packet.pts if packet.pts is not None else packet.dts
            if at is None or packet.stream.index not in self._open:
                continue
            shown = at * packet.time_base
            decoded = (packet.dts if packet.dts is not None else at) * packet.time_base
            if decoded >= self._end:
                self._open.discard(packet.stream.index)
                if not self._open:
                    return
            elif packet.stream.type == "video":
                if packet.is_keyframe and shown >= self._start:
                    self._keyed.add(packet.stream.index)
                if packet.stream.index in self._keyed and shown < self._end:
                    yield packet
            elif shown + (packet.duration or 0) * packet.time_base > self._start:
                yield packet

    def _copy(self, packet: Packet[Stream]) -> None:
        tick = packet.time_base
        shown = (packet.pts if packet.pts is not None else packet.dts or 0) * tick
        self.first = shown if self.first is None else min(self.first, shown)
        self.last = max(self.last, shown + (packet.duration or 0) * tick)
        back = int(self._start / tick)
        packet.pts = None if packet.pts is None else packet.pts - back
        packet.dts = None if packet.dts is None else packet.dts - back
        packet.stream = self._targets[packet.stream.index]
        self._sink.mux(packet)
