"""The pieces of a film one after the other, with their sound, chapters and captions: an MP4 that plays as it comes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import InputContainer, OutputContainer
from av.video.stream import VideoStream
from numpy.typing import NDArray

from activities.filming.encoding import TICK
from activities.media.container import OnProgress
from domain.errors import DecodingDied

RATE_HZ = 48_000
SOUND_BITS = 96_000
FADE = RATE_HZ // 50
"""Samples over which a cut in the sound swells and fades: a step within a wave is heard as a click."""

LONGEST_CAPTION = 4_000
"""Bytes. Two lines have a tenth of it."""

STYLE = b"""[Script Info]
ScriptType: v4.00+
PlayResX: 384
PlayResY: 288

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, \
StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Default,Arial,16,&Hffffff,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,1

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
"""
"""How captions look, as the format of timed text wants to be listed; players have their own ways."""

Samples = NDArray[np.float32]


def join(sound: Path, folder: Path, order: Mapping[str, Any], at: OnProgress) -> dict[str, int]:
    """Write the film that ``order`` describes to the file that it names; its length, ms.

    ``order``: pieces of file, length_ms, and span (ms of ``sound``) or voices (files, from ``lead_ms`` on) or neither;
    is_heard; chapters of title and start_ms; captions of start_ms, end_ms and text; title.
    """
    pieces: Sequence[Mapping[str, Any]] = order["pieces"]
    options = {"movflags": "+faststart", "fflags": "+bitexact"}
    with av.open(f"file:{folder / order['made']}", "w", format="mp4", options=options) as sink:
        sink.metadata["title"] = order["title"]
        with av.open(f"file:{folder / pieces[0]['file']}") as first:
            video = sink.add_stream_from_template(first.streams.video[0])
            header = first.streams.video[0].codec_context.extradata
        audio = _audio(sink) if order["is_heard"] else None
        captions = _Captions(sink, order["captions"])
        starts = _chapters(sink, order)
        begun_ms = 0
        heard = _Sound(sink, audio)
        for piece in pieces:
            at(begun_ms)
            captions.write_until(begun_ms + piece["length_ms"])
            _copy(folder / piece["file"], sink, video, begun_ms, piece["length_ms"], header)
            if audio is not None:
                heard.add(_samples(piece, sound, folder), piece["length_ms"])
            begun_ms += piece["length_ms"]
        heard.close()
    return {"length_ms": begun_ms, "chapters": starts}


def _audio(sink: OutputContainer) -> AudioStream:
    return sink.add_stream("aac", rate=RATE_HZ, layout="mono", bit_rate=SOUND_BITS)


def _chapters(sink: OutputContainer, order: Mapping[str, Any]) -> int:
    listed = order["chapters"]
    ends = [*(each["start_ms"] for each in listed[1:]), sum(each["length_ms"] for each in order["pieces"])]
    sink.set_chapters(
        [
            {
                "id": number,
                "start": each["start_ms"],
                "end": end,
                "time_base": TICK,
                "metadata": {"title": each["title"]},
            }
            for number, (each, end) in enumerate(zip(listed, ends, strict=True))
        ]
    )
    return len(listed)


def _copy(
    path: Path, sink: OutputContainer, video: VideoStream, begun_ms: int, length_ms: int, header: bytes | None
) -> None:
    """A piece's packets, at its place in the film."""
    with av.open(f"file:{path}") as piece:
        source = piece.streams.video[0]
        if source.codec_context.extradata != header:
            raise DecodingDied("The pieces of the video do not fit together. It is made once more.")
        waiting = None
        for packet in piece.demux(source):
            if packet.size == 0 or packet.pts is None:
                continue
            ms = round(packet.pts * packet.time_base / TICK)
            if waiting is not None:
                _mux(sink, video, waiting, begun_ms, ms)
            waiting = (packet, ms)
        if waiting is not None:
            _mux(sink, video, waiting, begun_ms, length_ms)


def _mux(sink: OutputContainer, video: VideoStream, waiting: tuple[Any, int], begun_ms: int, next_ms: int) -> None:
    packet, ms = waiting
    packet.time_base = TICK
    packet.pts = packet.dts = begun_ms + ms
    packet.duration = max(1, next_ms - ms)
    packet.stream = video
    sink.mux(packet)


class _Captions:
    """A track of text that players show on request. Without any there is no track."""

    def __init__(self, sink: OutputContainer, listed: Sequence[Mapping[str, Any]]) -> None:
        self._sink = sink
        self._left = list(reversed(listed))
        if listed:
            self._stream = sink.add_stream("mov_text")
            self._stream.codec_context.subtitle_header = STYLE
            self._stream.codec_context.time_base = self._stream.time_base = TICK

    def write_until(self, until_ms: int) -> None:
        """What begins before ``until_ms``. The text is written as it is: no encoder reads braces in it as styles."""
        while self._left and self._left[-1]["start_ms"] < until_ms:
            listed = self._left.pop()
            text = str(listed["text"]).encode()[:LONGEST_CAPTION]
            packet = av.Packet(len(text).to_bytes(2, "big") + text)
            packet.stream, packet.time_base = self._stream, TICK
            packet.pts = packet.dts = listed["start_ms"]
            packet.duration = listed["end_ms"] - listed["start_ms"]
            self._sink.mux(packet)


class _Sound:
    """One track, whole from its beginning: what is silent is written as silence."""

    def __init__(self, sink: OutputContainer, stream: AudioStream | None) -> None:
        self._sink, self._stream = sink, stream
        self._written = 0
        self._wanted = 0

    def add(self, parts: Iterator[Samples], length_ms: int) -> None:
        """The sound of a piece, cut or filled to its length."""
        self._wanted += length_ms * RATE_HZ // 1000
        for part in parts:
            self._write(part[: self._wanted - self._written])
        while self._written < self._wanted:
            self._write(np.zeros(min(RATE_HZ, self._wanted - self._written), dtype=np.float32))

    def close(self) -> None:
        if self._stream is not None:
            self._sink.mux(self._stream.encode(None))

    def _write(self, samples: Samples) -> None:
        if self._stream is None or not samples.size:
            return
        frame = av.AudioFrame.from_ndarray(samples.reshape(1, -1), format="fltp", layout="mono")
        frame.sample_rate, frame.time_base, frame.pts = RATE_HZ, Fraction(1, RATE_HZ), self._written
        self._sink.mux(self._stream.encode(frame))
        self._written += samples.size


def _samples(piece: Mapping[str, Any], sound: Path, folder: Path) -> Iterator[Samples]:
    if piece.get("voices"):
        yield np.zeros(piece["lead_ms"] * RATE_HZ // 1000, dtype=np.float32)
        for name in piece["voices"]:
            with av.open(f"file:{folder / name}") as voice:
                yield from _decoded(voice, 0, None)
    elif piece.get("span"):
        start_ms, end_ms = piece["span"]
        with av.open(f"file:{sound}") as recorded:
            yield from _faded(_decoded(recorded, start_ms, end_ms), (end_ms - start_ms) * RATE_HZ // 1000)


def _decoded(source: InputContainer, start_ms: int, end_ms: int | None) -> Iterator[Samples]:
    """A stretch of a sound file, at our rate. What is not there is left out, at the end."""
    stream = source.streams.audio[0]
    base = stream.time_base or Fraction(1, RATE_HZ)
    if start_ms:
        source.seek(int(Fraction(start_ms, 1000) / base), stream=stream)
    resampler = av.AudioResampler(format="fltp", layout="mono", rate=RATE_HZ)
    left = None if end_ms is None else (end_ms - start_ms) * RATE_HZ // 1000
    skipped = False
    for frame in source.decode(stream):
        at = Fraction(frame.pts or 0) * (frame.time_base or base)
        if not skipped and at + Fraction(frame.samples, frame.sample_rate) <= Fraction(start_ms, 1000):
            continue
        for part in resampler.resample(frame):
            samples = np.asarray(part.to_ndarray(), dtype=np.float32).reshape(-1)
            if not skipped:
                samples = samples[max(0, int((Fraction(start_ms, 1000) - at) * RATE_HZ)) :]
                skipped = True
            if left is not None:
                samples = samples[:left]
                left -= samples.size
            if samples.size:
                yield samples
        if left == 0:
            return
    for part in resampler.resample(None):
        rest = np.asarray(part.to_ndarray(), dtype=np.float32).reshape(-1)
        yield rest if left is None else rest[:left]


def _faded(parts: Iterator[Samples], count: int) -> Iterator[Samples]:
    """Swells at its beginning and fades at its end, ``count`` samples on."""
    at = 0
    for part in parts:
        places = np.arange(at, at + part.size)
        gain = np.clip(np.minimum(places, count - 1 - places) / FADE, 0, 1)
        yield np.asarray(part * gain, dtype=np.float32)
        at += part.size
