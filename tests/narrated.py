"""The sample's narration in other wrappings: its beginning as sound alone, all of it as surround sound, and behind a
track that is empty.

Every maker takes a folder and returns the file in it, as those of ``tests/recordings.py`` do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.audio.resampler import AudioResampler
from av.packet import Packet
from av.stream import Disposition, Stream

import sample.truth
from tests.recordings import Sound, Track, recording, silence, write

RATE_HZ = 48_000

BEGINNING_MS = 13_700
"""Ends in the pause after the third sentence."""


@cache
def narration(until_ms: int | None = None) -> Sound:
    """The sample's sound: 48 kHz mono, beginning where its picture does."""
    resampler = AudioResampler(format="flt", layout="mono", rate=RATE_HZ)
    with av.open(str(sample.truth.recording())) as source:
        parts = [
            piece.to_ndarray()[0] for frame in [*source.decode(audio=0), None] for piece in resampler.resample(frame)
        ]
    return np.concatenate(parts)[: None if until_ms is None else until_ms * RATE_HZ // 1000]


@recording("narrated.wav")
def wav(out: Path) -> None:
    write(out, tracks=[Track(narration(BEGINNING_MS), codec="pcm_s16le")])


@recording("narrated.mp3")
def mp3(out: Path) -> None:
    write(out, tracks=[Track(narration(BEGINNING_MS), codec="libmp3lame")])


@recording("narrated.m4a")
def m4a(out: Path) -> None:
    write(out, tracks=[Track(narration(BEGINNING_MS))], container="ipod")


@recording("narrated.ogg")
def ogg(out: Path) -> None:
    """Opus in Ogg."""
    write(out, tracks=[Track(narration(BEGINNING_MS), codec="libopus")])


@recording("narrated-surround.mkv")
def mkv_surround(out: Path) -> None:
    """The sample with 48 kHz 5.1 sound: the voice in the centre, quiet hiss everywhere else."""
    voice = narration()
    channels = (np.random.default_rng(1).standard_normal((6, voice.size)) * 0.002).astype(np.float32)
    channels[2] = voice
    _with_sound(out, [Track(channels, codec="ac3", layout="5.1")])


@recording("narrated-second-track.mp4")
def mp4_voice_in_the_second_track(out: Path) -> None:
    """The sample with two audio tracks, of which the first, the default one, is silent."""
    voice = narration()
    empty = silence(RATE_HZ, duration_ms=voice.size * 1000 // RATE_HZ)
    _with_sound(out, [Track(empty, default=True), Track(voice)])


def _with_sound(out: Path, tracks: Sequence[Track]) -> None:
    """The sample's picture, copied, and other sound."""
    sound = out.with_suffix(".sound.mkv")
    write(sound, tracks=tracks)
    with (
        av.open(str(sample.truth.recording())) as picture,
        av.open(str(sound)) as heard,
        av.open(str(out), "w") as sink,
    ):
        copies: dict[Stream, Stream] = {}
        for stream in (*picture.streams.video, *heard.streams.audio):
            copies[stream] = sink.add_stream_from_template(stream)
        for track, voice in zip(tracks, heard.streams.audio, strict=True):
            copies[voice].disposition = Disposition.default if track.default else Disposition(0)
        packets: list[Packet[Any]] = [*picture.demux(video=0), *heard.demux()]
        for packet in sorted((each for each in packets if each.size), key=_decoded_at):
            packet.stream = copies[packet.stream]
            sink.mux(packet)
    sound.unlink()


def _decoded_at(packet: Packet[Any]) -> float:
    return float((packet.dts or 0) * packet.time_base)
