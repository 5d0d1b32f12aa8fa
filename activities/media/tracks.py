"""Which of a recording's audio tracks holds the narration.

Recorders write the microphone and the computer's sound as tracks of their own, often with one of them empty. Long
recordings are sampled, not decoded: windows spread over their length are heard on all tracks at once.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np
from av.container import InputContainer

from activities.media.container import Beat, OnProgress, opened, packets, read_only, recording_zero, seek, to_ms
from activities.media.sound import (
    FLOOR_DBFS,
    SAMPLE_RATE_HZ,
    SILENCE_DBFS,
    LevelMeter,
    MonoMixer,
    Samples,
    UndecodablePacket,
    decoded,
)
from activities.process.telemetry import report_nothing
from domain.errors import MediaHasNoContent
from domain.recordings.media import AudioTrack, MediaInfo

Reason = Literal["only_track", "only_audible", "most_speech", "loudest", "all_silent"]

_HEARD_WHOLE_MS = 90_000
"""Recordings up to this length are decoded whole."""

_WINDOW_MS = 4_000
_WINDOWS = (20, 100)
"""How many windows are heard; the second number where the first ones heard nothing on any track."""

_SPEECH_MARGIN = 0.05
"""Share of speech by which a track must beat the default one: two copies of one microphone differ by less."""


@dataclass(frozen=True, slots=True)
class TrackLevel:
    """How one track sounds in what was heard of it: dBFS, and the share (0 to 1) of speech where it was judged."""

    index: int
    peak_dbfs: float
    rms_dbfs: float
    speech_share: float | None = None


@dataclass(frozen=True, slots=True)
class TrackChoice:
    """The chosen track's ``index``, why, and how each track sounded (nothing for an only track)."""

    index: int
    reason: Reason
    levels: tuple[TrackLevel, ...] = ()


@dataclass(slots=True)
class _Listener:
    track: AudioTrack
    mixer: MonoMixer = field(default_factory=MonoMixer)
    level: LevelMeter = field(default_factory=LevelMeter)
    heard: list[Samples] = field(default_factory=list)

    def listen(self, samples: Samples) -> None:
        self.level.add(samples)
        self.heard.append(samples)

    @property
    def is_audible(self) -> bool:
        return self.level.peak_dbfs >= SILENCE_DBFS


def speech_share(samples: Samples) -> float:
    """Share of 16 kHz samples in which Silero VAD, at Whisper's own settings, hears speech."""
    # Imported here: a second of imports that only recordings with several audible tracks need.
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    if samples.size < SAMPLE_RATE_HZ // 4:
        return 0.0
    report_nothing()
    found = get_speech_timestamps(samples, VadOptions(min_silence_duration_ms=300, speech_pad_ms=0))
    return float(sum(each["end"] - each["start"] for each in found)) / samples.size


def pick_speech_track(
    path: Path,
    info: MediaInfo,
    on_progress: OnProgress | None = None,
    *,
    judge: Callable[[Samples], float] = speech_share,
) -> TrackChoice:
    """Choose the track to transcribe.

    An only track is taken unheard. Of several, the only audible one; of several audible ones the one with the most
    speech (the default track, then the first, within 5 points); of several without speech the loudest; if all are
    silent, the first.

    Args:
        path: The recording.
        info: Its probe.
        on_progress: Called with the position in ms; may raise ``Cancelled``.
        judge: Gives the share of speech in 16 kHz mono samples.

    Raises:
        MediaHasNoContent: The recording has no audio track.
    """
    if not info.audio:
        raise MediaHasNoContent("The recording has no sound track. Record it again with the microphone switched on.")
    if len(info.audio) == 1:
        return TrackChoice(info.audio[0].index, "only_track")
    listeners = _hear(path, info, Beat(on_progress))
    audible = [listener for listener in listeners if listener.is_audible]
    if not audible:
        return TrackChoice(info.audio[0].index, "all_silent", _levels(listeners, {}))
    if len(audible) == 1:
        return TrackChoice(audible[0].track.index, "only_audible", _levels(listeners, {}))
    shares = {each.track.index: judge(np.concatenate(each.heard)) for each in audible}
    chosen, reason = _most_speech(audible, shares)
    return TrackChoice(chosen.track.index, reason, _levels(listeners, shares))


def _most_speech(audible: Sequence[_Listener], shares: dict[int, float]) -> tuple[_Listener, Reason]:
    best = max(shares.values())
    if best <= 0:
        return max(audible, key=lambda each: each.level.rms_dbfs), "loudest"
    close = [each for each in audible if shares[each.track.index] >= best - _SPEECH_MARGIN]
    return min(close, key=lambda each: (not each.track.is_default, each.track.index)), "most_speech"


def _levels(listeners: Iterable[_Listener], shares: dict[int, float]) -> tuple[TrackLevel, ...]:
    return tuple(
        TrackLevel(
            index=each.track.index,
            peak_dbfs=round(each.level.peak_dbfs, 1) if each.level.samples else FLOOR_DBFS,
            rms_dbfs=round(each.level.rms_dbfs, 1),
            speech_share=shares.get(each.track.index),
        )
        for each in listeners
    )


# --- listening ---------------------------------------------------------------------------------------------------


def _hear(path: Path, info: MediaInfo, beat: Beat) -> list[_Listener]:
    listeners: list[_Listener] = []
    for windows in _plans(info.duration_ms):
        listeners = [_Listener(track) for track in info.audio]
        with opened(path) as source:
            for start_ms, end_ms in windows:
                _hear_window(source, listeners, start_ms, end_ms, beat)
        if any(listener.is_audible for listener in listeners):
            break
    return listeners


def _plans(duration_ms: int) -> list[list[tuple[int, int]]]:
    """Lists of windows to hear, each finer than the one before."""
    if duration_ms <= _HEARD_WHOLE_MS:
        return [[(0, duration_ms + _WINDOW_MS)]]
    return [_spread(count, duration_ms) for count in _WINDOWS]


def _spread(count: int, duration_ms: int) -> list[tuple[int, int]]:
    pitch = max(_WINDOW_MS, duration_ms // count)
    return [(start, start + _WINDOW_MS) for start in range((pitch - _WINDOW_MS) // 2, duration_ms, pitch)]


def _hear_window(source: InputContainer, listeners: list[_Listener], start_ms: int, end_ms: int, beat: Beat) -> None:
    zero = recording_zero(source)
    by_index = {listener.track.index: listener for listener in listeners}
    streams = [stream for stream in source.streams.audio if stream.index in by_index]
    read_only(source, *streams)
    if start_ms > 0:
        seek(source, zero + Fraction(start_ms, 1000))
    still_running = set(by_index)
    for packet in packets(source, *streams):
        at_ms = start_ms if packet.pts is None else to_ms(packet.pts * packet.time_base - zero)
        if at_ms >= end_ms:
            still_running.discard(packet.stream_index)
            if not still_running:
                break
        elif at_ms >= start_ms:
            listener = by_index[packet.stream_index]
            try:
                for frame in decoded(packet):
                    listener.listen(listener.mixer.push(frame))
            except UndecodablePacket:
                continue
        if at_ms > end_ms + _WINDOW_MS:
            break  # the other tracks have ended, or hold nothing here
        beat(at_ms)
    for listener in listeners:
        listener.listen(listener.mixer.flush())
