"""Which of a recording's audio tracks hold the narration.

Recorders write the microphone and the computer's sound as tracks of their own, often with one of them empty. Long
recordings are sampled, not decoded: windows spread over their length are heard on all tracks at once. Meetings have the
others on one track and the own microphone on another: who speaks where the chosen track is silent is heard, too.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np
from av.container import InputContainer

from activities.media.container import (
    SEARCHED_BY_DECODING_TIME,
    Beat,
    OnProgress,
    opened,
    packets,
    read_only,
    recording_zero,
    seek,
    to_ms,
)
from activities.media.sound import (
    FLOOR_DBFS,
    SAMPLE_RATE_HZ,
    LevelMeter,
    MonoMixer,
    Samples,
    UndecodablePacket,
    decoded,
)
from activities.process.telemetry import report_nothing
from domain.errors import MediaHasNoContent
from domain.recordings.media import SILENCE_DBFS, AudioTrack, MediaInfo

Reason = Literal["only_track", "only_audible", "most_speech", "loudest", "all_silent"]

_HEARD_WHOLE_MS = 90_000
"""Recordings up to this length are decoded whole."""

_WINDOW_MS = 4_000
_WINDOWS = (20, 100)
"""How many windows are heard; the second number where the first ones heard nothing on any track."""

_SPEECH_MARGIN = 0.05
"""Share of speech by which a track must beat the default one: two copies of one microphone differ by less."""
_FAINT_DB = 20
"""By which one copy may be fainter than another and be taken for its place in the file."""

_UNHEARD_SHARE = 0.15
_UNHEARD_MS = 1_500
"""Speech of a track while the chosen ones are silent, as a share of its speech and in all, from which it is heard, too.
A track that has the same voices a little later, or is a part of the chosen mix, has next to none."""

_MOST_TRACKS = 4

_GRAIN_MS = 100

Spans = Sequence[tuple[int, int]]
"""Stretches of speech: first and last sample (excluded)."""


@dataclass(frozen=True, slots=True)
class TrackLevel:
    """How one track sounds in what was heard of it: dBFS, and the share (0 to 1) of speech where it was judged."""

    index: int
    peak_dbfs: float
    rms_dbfs: float
    speech_share: float | None = None


@dataclass(frozen=True, slots=True)
class TrackChoice:
    """The chosen track's ``index``, why, how each track sounded (nothing for an only track), and the ``also`` heard:
    tracks on which somebody speaks while the chosen one is silent."""

    index: int
    reason: Reason
    levels: tuple[TrackLevel, ...] = ()
    also: tuple[int, ...] = ()


@dataclass(slots=True)
class Listener:
    """What is heard of one track."""

    track: AudioTrack
    mixer: MonoMixer = field(default_factory=MonoMixer)
    level: LevelMeter = field(default_factory=LevelMeter)
    heard: list[tuple[int, list[Samples]]] = field(default_factory=list)
    """Of each window: when its first sample is, ms, and the samples."""

    def begin(self, at_ms: int) -> None:
        self.heard.append((at_ms, []))

    def listen(self, samples: Samples) -> None:
        self.level.add(samples)
        self.heard[-1][1].append(samples)

    def speech(self, judge: "Judge") -> tuple[float, frozenset[int]]:
        """The share of speech, and when it is: grains of ``_GRAIN_MS`` of the recording."""
        spoken = total = 0
        grains: set[int] = set()
        for at_ms, parts in self.heard:
            samples = np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)
            total += samples.size
            for start, end in judge(samples):
                spoken += end - start
                first_ms, last_ms = (at_ms + place * 1000 // SAMPLE_RATE_HZ for place in (start, end))
                grains.update(range(first_ms // _GRAIN_MS, max(first_ms, last_ms - 1) // _GRAIN_MS + 1))
        return (spoken / total if total else 0.0), frozenset(grains)

    @property
    def is_audible(self) -> bool:
        return self.level.peak_dbfs >= SILENCE_DBFS


Judge = Callable[[Samples], Spans]


def speech_spans(samples: Samples) -> Spans:
    """Where in 16 kHz samples Silero VAD, at Whisper's own settings, hears speech."""
    # Imported here: a second of imports that only recordings with several audible tracks need.
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    if samples.size < SAMPLE_RATE_HZ // 4:
        return ()
    report_nothing()
    found = get_speech_timestamps(samples, VadOptions(min_silence_duration_ms=300, speech_pad_ms=0))
    return [(each["start"], each["end"]) for each in found]


def pick_speech_track(
    path: Path,
    info: MediaInfo,
    on_progress: OnProgress | None = None,
    *,
    judge: Judge = speech_spans,
) -> TrackChoice:
    """Choose the track to transcribe.

    An only track is taken unheard. Of several, the only audible one; of several audible ones the one with the most
    speech (the default track, then the first, within 5 points, unless it is far fainter); of several without speech
    the loudest; if all are silent, the first. With it go the others on which somebody speaks while it is silent.

    Args:
        path: The recording.
        info: Its probe.
        on_progress: Called with the position in ms; may raise ``Cancelled``.
        judge: Gives the stretches of speech in 16 kHz mono samples.

    Raises:
        MediaHasNoContent: The recording has no audio track.
    """
    return choose_track(info, lambda: hear_tracks(path, info, on_progress), judge)


def choose_track(info: MediaInfo, hear: Callable[[], Sequence[Listener]], judge: Judge) -> TrackChoice:
    """As :func:`pick_speech_track`, of what ``hear`` heard, which is asked only where there are several tracks.

    Raises:
        MediaHasNoContent: The recording has no audio track.
    """
    if not info.audio:
        raise MediaHasNoContent("The recording has no sound track. Record it again with the microphone switched on.")
    if len(info.audio) == 1:
        return TrackChoice(info.audio[0].index, "only_track")
    listeners = hear()
    audible = [listener for listener in listeners if listener.is_audible]
    if not audible:
        return TrackChoice(info.audio[0].index, "all_silent", _levels(listeners, {}))
    if len(audible) == 1:
        return TrackChoice(audible[0].track.index, "only_audible", _levels(listeners, {}))
    spoken = {each.track.index: each.speech(judge) for each in audible}
    shares = {index: share for index, (share, _) in spoken.items()}
    chosen, reason = _most_speech(audible, shares)
    also = _unheard({index: grains for index, (_, grains) in spoken.items()}, chosen.track.index)
    return TrackChoice(chosen.track.index, reason, _levels(listeners, shares), also)


def _unheard(speech: dict[int, frozenset[int]], chosen: int) -> tuple[int, ...]:
    """The tracks that are heard besides the chosen one, those with most to add first."""
    covered = set(speech[chosen])
    others = {index for index, grains in speech.items() if index != chosen and grains}
    also: list[int] = []
    while others and len(also) + 1 < _MOST_TRACKS:
        best = max(sorted(others), key=lambda index: len(speech[index] - covered))
        adds = len(speech[best] - covered)
        if adds * _GRAIN_MS < _UNHEARD_MS or adds < _UNHEARD_SHARE * len(speech[best]):
            break
        also.append(best)
        covered |= speech[best]
        others.discard(best)
    return tuple(also)


def _most_speech(audible: Sequence[Listener], shares: dict[int, float]) -> tuple[Listener, Reason]:
    best = max(shares.values())
    if best <= 0:
        return max(audible, key=lambda each: each.level.rms_dbfs), "loudest"
    close = [each for each in audible if shares[each.track.index] >= best - _SPEECH_MARGIN]
    loudest = max(each.level.rms_dbfs for each in close)
    close = [each for each in close if each.level.rms_dbfs >= loudest - _FAINT_DB]
    return min(close, key=lambda each: (not each.track.is_default, each.track.index)), "most_speech"


def _levels(listeners: Iterable[Listener], shares: dict[int, float]) -> tuple[TrackLevel, ...]:
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


def hear_tracks(path: Path, info: MediaInfo, on_progress: OnProgress | None = None) -> list[Listener]:
    """Windows of every track, spread over the recording, or all of a short one."""
    beat = Beat(on_progress)
    listeners: list[Listener] = []
    for windows in _plans(info.duration_ms):
        listeners = [Listener(track) for track in info.audio]
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


def _hear_window(source: InputContainer, listeners: list[Listener], start_ms: int, end_ms: int, beat: Beat) -> None:
    zero = recording_zero(source)
    by_index = {listener.track.index: listener for listener in listeners}
    streams = [stream for stream in source.streams.audio if stream.index in by_index]
    read_only(source, *streams)
    if start_ms > 0:
        # Sound by its own times: a picture's key frame may lie far before the window, or behind it.
        seek(
            source,
            zero + Fraction(start_ms, 1000),
            streams[0] if source.format.name in SEARCHED_BY_DECODING_TIME else None,
        )
    still_running = set(by_index)
    begun: set[int] = set()
    for packet in packets(source, *streams):
        at_ms = start_ms if packet.pts is None else to_ms(packet.pts * packet.time_base - zero)
        if at_ms >= end_ms:
            still_running.discard(packet.stream_index)
            if not still_running:
                break
        elif at_ms >= start_ms:
            listener = by_index[packet.stream_index]
            if packet.stream_index not in begun:
                begun.add(packet.stream_index)
                listener.begin(at_ms)
            try:
                for frame in decoded(packet):
                    listener.listen(listener.mixer.push(frame))
            except UndecodablePacket:
                continue
        if at_ms > end_ms + _WINDOW_MS:
            break  # the other tracks have ended, or hold nothing here
        beat(at_ms)
    for listener in listeners:
        if listener.track.index in begun:
            listener.listen(listener.mixer.flush())
