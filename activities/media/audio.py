"""A recording's sound as one 16 kHz mono FLAC file whose time 0 is the recording's time 0.

Sound is placed by its timestamps, not by counting samples: a track that starts late, pauses, drifts or lost packets
stays in step with the picture, because the transcript's times later choose the screenshots.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import InputContainer, OutputContainer

from activities.media.container import (
    Beat,
    OnProgress,
    is_machine_fault,
    opened,
    packets,
    read_only,
    recording_zero,
    to_ms,
    truncated,
)
from activities.media.sound import (
    SAMPLE_RATE_HZ,
    LevelMeter,
    MonoMixer,
    Samples,
    UndecodablePacket,
    decoded,
)
from domain.errors import MediaCodecUnsupported
from domain.recordings.media import SILENCE_DBFS

_TOLERANCE_S = 0.05
"""Drift that is left alone. Half of the 100 ms that times may be wrong by, and above the jitter of live recorders."""

_SAMPLE_S = 1 / SAMPLE_RATE_HZ
_LARGEST_OVERLAP_S = 2.0
"""A step back by more than this is a clock that started again, not sound that overlaps."""

_LONGEST_GAP_S = 3600.0
"""A step forward by more than this is a broken timestamp, whatever the header says about the recording's length."""

_PAST_THE_END_S = 5.0
"""How far past the stated end of the recording sound may still be placed."""

_EMPTY_FILE_SAMPLES = SAMPLE_RATE_HZ // 10
_NOTHING: Samples = np.zeros(0, dtype=np.float32)
_MOST_GAIN = 8.0
"""18 dB: about what a quiet microphone is behind the sound of a meeting."""

_SILENCE_BLOCK: Samples = np.zeros(SAMPLE_RATE_HZ, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class AudioFacts:
    """What was extracted.

    Attributes:
        track_index: The container's stream that was read.
        duration_ms: Length of the sound from the recording's time 0; 0 where the track holds none (the file then is
            100 ms of silence, so that it still is a file which players open).
        peak_dbfs: Loudest sample of the mono mix; -120 for digital silence.
        rms_dbfs: Mean level of the whole.
        filled_ms: Silence that was put in where the track starts late, pauses or lost packets.
        damaged_packets: Packets that could not be decoded and were skipped.
    """

    track_index: int
    duration_ms: int
    peak_dbfs: float
    rms_dbfs: float
    filled_ms: int = 0
    damaged_packets: int = 0
    sample_rate_hz: int = SAMPLE_RATE_HZ

    @property
    def is_silent(self) -> bool:
        """Nothing louder than a microphone's own noise anywhere."""
        return self.peak_dbfs < SILENCE_DBFS


def extract_audio(
    path: Path, track_index: int, out: Path, *, also: Sequence[int] = (), on_progress: OnProgress | None = None
) -> AudioFacts:
    """Write a track as 16 kHz mono 16-bit FLAC. Streams; nothing of it is left behind when it fails.

    Other tracks that are heard ``also`` are mixed into it, each at its place in the recording and none so quiet that it
    is lost; the facts are then those of the mix.

    Args:
        path: The recording.
        track_index: An ``AudioTrack.index`` of its probe.
        out: The file to write. Its folder exists.
        also: Further tracks, by the same index. One that cannot be decoded is left out.
        on_progress: Called with the position in ms about four times a second; may raise ``Cancelled``.

    Raises:
        MediaTruncated: The recording cannot be opened any more, or is cut before the first sound.
        MediaCodecUnsupported: No packet of the track can be decoded.
        OSError: ``out`` cannot be written.
    """
    if also:
        return _mixed(path, (track_index, *also), out, on_progress)
    with opened(path) as source, _flac(out) as sink:
        stream = _audio_stream(source, track_index)
        read_only(source, stream)
        writer = _Writer(sink)
        placement = _Placement(writer, float(recording_zero(source)), _latest(source))
        damaged, received = _transfer(source, stream, placement, Beat(on_progress))
        if received and not placement.frames:
            raise _undecodable(stream) if received == damaged else truncated()
        placement.finish()
        facts = AudioFacts(
            track_index=track_index,
            duration_ms=to_ms(writer.written / SAMPLE_RATE_HZ),
            peak_dbfs=writer.level.peak_dbfs,
            rms_dbfs=writer.level.rms_dbfs,
            filled_ms=to_ms(writer.filled / SAMPLE_RATE_HZ),
            damaged_packets=damaged,
        )
        writer.close()
    return facts


def _mixed(path: Path, tracks: Sequence[int], out: Path, on_progress: OnProgress | None) -> AudioFacts:
    with TemporaryDirectory(prefix="guidesmith-tracks-", dir=out.parent) as folder:
        parts: list[tuple[Path, AudioFacts]] = []
        reached = [0]
        for place, index in enumerate(tracks):
            part = Path(folder) / f"{index}.flac"
            share = _share(on_progress, place, len(tracks), reached)
            try:
                parts.append((part, extract_audio(path, index, part, on_progress=share)))
            except MediaCodecUnsupported:
                if not place:
                    raise
        heard = [(part, _gain(facts) / len(parts)) for part, facts in parts if not facts.is_silent]
        with _flac(out) as sink:
            writer = _Writer(sink)
            blocks = [_amplified(part, gain) for part, gain in heard]
            for together in zip_longest(*blocks, fillvalue=_NOTHING):
                writer.write(_summed(together))
            facts = replace(
                parts[0][1],
                duration_ms=max(each.duration_ms for _, each in parts),
                peak_dbfs=writer.level.peak_dbfs,
                rms_dbfs=writer.level.rms_dbfs,
                damaged_packets=sum(each.damaged_packets for _, each in parts),
            )
            writer.close()
    return facts


def _share(on_progress: OnProgress | None, place: int, count: int, reached: list[int]) -> OnProgress | None:
    """Progress of one of several passes over the recording, as progress of them all: never backwards, and complete
    with the last. ``reached`` is one number that they share."""
    if on_progress is None:
        return None

    def report(at_ms: int) -> None:
        reached[0] = max(reached[0], at_ms * (place + 1) // count)
        on_progress(reached[0])

    return report


def _gain(facts: AudioFacts) -> float:
    """What brings the loudest sample to full scale, within reason: noise is not made louder than that."""
    return float(min(_MOST_GAIN, 10 ** (-facts.peak_dbfs / 20)))


def _amplified(part: Path, gain: float) -> Iterator[Samples]:
    """The sound of a file of ours, a second at a time."""
    with opened(part) as source:
        waiting: list[Samples] = []
        size = 0
        for frame in source.decode(audio=0):
            waiting.append(frame.to_ndarray().reshape(-1).astype(np.float32) * (gain / 32768))
            size += frame.samples
            if size >= SAMPLE_RATE_HZ:
                joined = np.concatenate(waiting)
                yield joined[:SAMPLE_RATE_HZ]
                waiting, size = [joined[SAMPLE_RATE_HZ:]], size - SAMPLE_RATE_HZ
        if size:
            yield np.concatenate(waiting)


def _summed(blocks: Sequence[Samples]) -> Samples:
    total: Samples = np.zeros(max(block.size for block in blocks), dtype=np.float32)
    for block in blocks:
        total[: block.size] += block
    return total


def sound_ms(path: Path) -> int:
    """How long a file's first sound track is, ms, by decoding it: what a header says need not be there. 0: none.

    Raises:
        MediaError: It cannot be read.
    """
    with opened(path) as container:
        if not container.streams.audio:
            return 0
        frames = container.decode(container.streams.audio[0])
        return round(1000 * sum(frame.samples / frame.sample_rate for frame in frames))


def _transfer(source: InputContainer, stream: AudioStream, placement: "_Placement", beat: Beat) -> tuple[int, int]:
    """Decode and place everything. Returns how many packets were damaged, and how many there were."""
    damaged = received = 0
    for packet in packets(source, stream):
        received += 1
        try:
            for frame in decoded(packet):
                placement.put(frame)
        except UndecodablePacket:
            damaged += 1
            placement.expect_a_gap()
        beat(placement.position_ms)
    for frame in _held_back(stream):
        placement.put(frame)
    return damaged, received


def _held_back(stream: AudioStream) -> list[AudioFrame]:
    try:
        return stream.decode(None)
    except (av.FFmpegError, ValueError) as error:
        if is_machine_fault(error):
            raise
        return []


class _Placement:
    """Decides where in the recording each frame belongs."""

    def __init__(self, writer: "_Writer", zero: float, latest: float | None) -> None:
        self.frames = 0
        self._writer = writer
        self._mixer = MonoMixer()
        self._zero = zero
        self._latest = latest
        self._shift = 0.0
        self._is_adrift = True
        self._expected = 0.0

    @property
    def position_ms(self) -> int:
        return to_ms(self._expected)

    def put(self, frame: AudioFrame) -> None:
        if not frame.samples or not frame.sample_rate:
            return
        self._align(self._believed_time(frame))
        self.frames += 1
        self._expected += frame.samples / frame.sample_rate
        self._writer.write(self._mixer.push(frame))

    def expect_a_gap(self) -> None:
        """Something was lost: the next frame is placed by its time alone, without tolerance."""
        self._is_adrift = True

    def finish(self) -> None:
        self._writer.write(self._mixer.flush())

    def _believed_time(self, frame: AudioFrame) -> float:
        """The frame's start in seconds of the recording; right after the previous frame where its own time is absent
        or cannot be true."""
        if frame.pts is None or frame.time_base is None:
            return self._expected
        at = frame.pts * float(frame.time_base) - self._zero + self._shift
        if self._is_broken(at):
            self._shift += self._expected - at
            return self._expected
        return at

    def _is_broken(self, at: float) -> bool:
        drift = at - self._expected
        if drift <= 0:
            return bool(self.frames) and -drift > _LARGEST_OVERLAP_S
        if drift <= _TOLERANCE_S:
            return False
        return drift > _LONGEST_GAP_S or (self._latest is not None and at > self._latest)

    def _align(self, at: float) -> None:
        drift = at - self._expected
        if abs(drift) <= (_SAMPLE_S if self._is_adrift else _TOLERANCE_S):
            self._is_adrift = False
            return
        self._is_adrift = False
        self._writer.write(self._mixer.flush())
        self._writer.move_to(round(at * SAMPLE_RATE_HZ))
        self._expected = at


class _Writer:
    """Appends samples to a FLAC file and measures them."""

    def __init__(self, sink: OutputContainer) -> None:
        self.written = 0
        self.filled = 0
        self.level = LevelMeter()
        self._drop = 0
        self._sink = sink
        self._stream = sink.add_stream("flac", rate=SAMPLE_RATE_HZ, layout="mono", format="s16")
        self._stream.time_base = Fraction(1, SAMPLE_RATE_HZ)

    def move_to(self, sample: int) -> None:
        """Make the next sample land at this position: fill with silence, or drop what would overlap."""
        missing = sample - self.written
        self._drop = max(0, -missing)
        self.filled += max(0, missing)
        while missing > 0:
            block = _SILENCE_BLOCK[:missing]
            self._append(block)
            missing -= block.size

    def write(self, samples: Samples) -> None:
        if self._drop:
            dropped = min(self._drop, samples.size)
            self._drop -= dropped
            samples = samples[dropped:]
        if samples.size:
            self._append(samples)

    def close(self) -> None:
        if not self.written:
            self._encode(_SILENCE_BLOCK[:_EMPTY_FILE_SAMPLES])
        self._sink.mux(self._stream.encode(None))

    def _append(self, samples: Samples) -> None:
        self.level.add(samples)
        self._encode(samples)
        self.written += samples.size

    def _encode(self, samples: Samples) -> None:
        pcm = np.clip(np.rint(samples * 32767), -32768, 32767).astype(np.int16)
        frame = av.AudioFrame.from_ndarray(pcm.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate = SAMPLE_RATE_HZ
        frame.time_base = Fraction(1, SAMPLE_RATE_HZ)
        frame.pts = self.written
        self._sink.mux(self._stream.encode(frame))


@contextmanager
def _flac(out: Path) -> Iterator[OutputContainer]:
    try:
        # bitexact: the same sound gives the same bytes, whatever version of the encoder wrote them.
        with av.open(f"file:{out.absolute()}", "w", format="flac", container_options={"fflags": "+bitexact"}) as sink:
            yield sink
    except BaseException:
        out.unlink(missing_ok=True)
        raise


def _audio_stream(source: InputContainer, index: int) -> AudioStream:
    for stream in source.streams.audio:
        if stream.index == index:
            if stream.codec_context is None:
                raise _undecodable(stream)
            return stream
    raise truncated()


def _latest(source: InputContainer) -> float | None:
    """The last time, in seconds of the recording, at which sound can be believed to be."""
    return source.duration / av.time_base + _PAST_THE_END_S if source.duration else None


def _undecodable(stream: AudioStream) -> MediaCodecUnsupported:
    return MediaCodecUnsupported(
        "No sound of this track can be decoded: it is protected, damaged, or in a format that is not supported. "
        "Convert the recording to mp4 with H.264 video and AAC sound, then send it again.",
        details={"track": stream.index},
    )
