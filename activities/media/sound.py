"""Decoded sound of any rate and layout as 16 kHz mono samples, and how loud they are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.packet import Packet
from av.stream import Stream
from numpy.typing import NDArray

from activities.media.container import is_machine_fault

SAMPLE_RATE_HZ = 16_000
"""What Whisper and Silero VAD were trained on."""

FLOOR_DBFS = -120.0
"""What is reported for digital silence, whose level has no logarithm."""

Samples = NDArray[np.float32]
"""Mono, 16 kHz, -1 to 1."""

_NO_SAMPLES: Samples = np.zeros(0, dtype=np.float32)

_UNTERMINATED_PLANES = 8
"""AV_NUM_DATA_POINTERS, libavutil/frame.h."""

# Dialogue is mixed to the centre; the low-frequency channel holds none. Weights are normalised to a sum of 1, so
# that no mix can clip: in 5.1 the centre keeps half of its amplitude, in stereo each side does.
_CENTRE, _FRONT, _OTHER = 1.0, 0.4, 0.1
_LOST = 0.32
"""A mix whose level is below this share of its loudest channel's (10 dB) has lost that one: channels of opposite phase
cancel each other out, and a voice on a surround channel alone is mixed as if it were an echo. A voice on one side of
stereo loses 6 dB, which is no loss."""

_OPPOSED = 1.5
"""Half the difference of two channels may be so many times their mix. More, and what is lost is the louder part, though
what the channels share hides it: a voice of opposite phase over the music of a screen."""

_FADE_S = 0.01
"""From one way of mixing to another, so that the change is not heard as a click."""

_WEIGHTS = {"FC": _CENTRE, "FL": _FRONT, "FR": _FRONT, "LFE": 0.0, "LFE2": 0.0}


class MonoMixer:
    """Turns frames into 16 kHz mono. Follows a track that changes its rate, format or layout on the way.

    Frames are short (about 20 ms), and what costs is their number: they are mixed and resampled a second at a time.
    """

    def __init__(self) -> None:
        self._packer: AudioResampler | None = None
        self._resampler: AudioResampler | None = None
        self._shape: tuple[str, str, int] | None = None
        self._weights: Samples = _NO_SAMPLES
        self._used: Samples = _NO_SAMPLES
        self._waiting: list[Samples] = []
        self._waiting_samples = 0

    def push(self, frame: AudioFrame) -> Samples:
        """Take a frame, and give what is ready: often nothing, up to a second stays inside."""
        before = _NO_SAMPLES
        shape = (frame.format.name, frame.layout.name, frame.sample_rate)
        if shape != self._shape:
            before = self.flush()
            self._shape = shape
            self._weights = self._used = mono_weights([channel.name for channel in frame.layout.channels])
            self._packer = _packer(frame)
        for readable in self._packer.resample(frame) if self._packer is not None else [frame]:
            self._waiting.append(_channels(readable))
            self._waiting_samples += readable.samples
        if self._waiting_samples < frame.sample_rate:
            return before
        return np.concatenate((before, self._resample_waiting()))

    def flush(self) -> Samples:
        """What is still inside. The mixer can be used again afterwards."""
        rest = [self._resample_waiting()]
        if self._resampler is not None:
            # One that had nothing to do hands the None through.
            rest += [_mono(frame) for frame in self._resampler.resample(None) if frame is not None]
            self._resampler = None
        return np.concatenate(rest)

    def _resample_waiting(self) -> Samples:
        if not self._waiting or self._shape is None:
            return _NO_SAMPLES
        mixed = self._mixed(np.concatenate(self._waiting, axis=1), self._shape[2])
        self._waiting, self._waiting_samples = [], 0
        if self._resampler is None:
            self._resampler = AudioResampler(format="fltp", layout="mono", rate=SAMPLE_RATE_HZ)
        frame = av.AudioFrame.from_ndarray(mixed.reshape(1, -1), format="fltp", layout="mono")
        frame.sample_rate = self._shape[2]
        return np.concatenate([_NO_SAMPLES, *map(_mono, self._resampler.resample(frame))])

    def _mixed(self, channels: Samples, rate: int) -> Samples:
        """One second or less, as it is usually mixed; where that loses the loudest channel, that channel alone."""
        mixed: Samples = self._weights @ channels
        if len(channels) == 1:
            return mixed
        used = self._used
        levels = np.sqrt(np.mean(np.square(channels), axis=1))
        counted = levels * (self._weights > 0)
        if counted.max() >= _LOST * levels.max():  # else only one speaks that is not mixed in: its order may be wrong
            levels = counted
        loudest = float(levels.max())
        if loudest > 0:
            heard = float(np.sqrt(np.mean(np.square(mixed))))
            lost = heard < _LOST * loudest or (len(channels) == 2 and _opposed(channels) > _OPPOSED * heard)
            used = _alone(levels, used) if lost else self._weights
        before, self._used = self._used, used
        chosen: Samples = used @ channels
        if used is before or np.array_equal(used, before):
            return chosen
        fade = np.minimum(np.arange(chosen.size, dtype=np.float32) / max(1.0, _FADE_S * rate), 1)
        faded: Samples = (1 - fade) * (before @ channels) + fade * chosen
        return faded


def _opposed(channels: Samples) -> float:
    """Mean level of what two channels cancel of each other."""
    return float(np.sqrt(np.mean(np.square(channels[0] - channels[1])))) / 2


def _alone(levels: Samples, used: Samples) -> Samples:
    """The loudest channel alone; the one that was taken alone before as long as it is not much quieter."""
    if np.count_nonzero(used) == 1 and levels[used.argmax()] >= 0.5 * levels.max():
        return used
    weights: Samples = np.zeros(len(levels), dtype=np.float32)
    weights[levels.argmax()] = 1
    return weights


class LevelMeter:
    """Peak and mean power of all samples that went through."""

    def __init__(self) -> None:
        self.samples = 0
        self._peak = 0.0
        self._energy = 0.0

    def add(self, samples: Samples) -> None:
        if samples.size:
            self.samples += samples.size
            self._peak = max(self._peak, float(np.max(np.abs(samples))))
            self._energy += float(np.dot(samples, samples))

    @property
    def peak_dbfs(self) -> float:
        return dbfs(self._peak)

    @property
    def rms_dbfs(self) -> float:
        return dbfs(math.sqrt(self._energy / self.samples)) if self.samples else FLOOR_DBFS


def mono_weights(channels: Sequence[str]) -> Samples:
    """Each channel's share in the mono mix, by FFmpeg's channel names. The shares sum to 1."""
    named = [_WEIGHTS.get(channel, _OTHER) for channel in channels]
    if not sum(named):
        named = [1.0] * len(channels)
    weights = np.array(named, dtype=np.float32)
    weights /= weights.sum()
    return weights


def _packer(frame: AudioFrame) -> AudioResampler | None:
    """What makes a frame safe to read. PyAV finds a frame's planes by a null pointer after the last one, and with eight
    or more of them FFmpeg writes none: 7.1 sound would be read past its end."""
    if not frame.format.is_planar or len(frame.layout.channels) < _UNTERMINATED_PLANES:
        return None
    frame.pts = None
    return AudioResampler(format="flt", layout=frame.layout.name, rate=frame.sample_rate)


def _channels(frame: AudioFrame) -> Samples:
    """A frame of any sample format as (channels, samples), -1 to 1. Always a copy: the decoder reuses its buffers."""
    stored = frame.to_ndarray()
    if not frame.format.is_planar:
        stored = stored.reshape(-1, len(frame.layout.channels)).T
    samples = stored.astype(np.float32)
    if stored.dtype == np.uint8:
        samples -= 128
    if stored.dtype.kind in "iu":
        samples /= 2.0 ** (8 * stored.dtype.itemsize - 1)
    else:  # a recorder's overflow is no number, and would make all that it is mixed with none
        np.nan_to_num(samples, copy=False, nan=0.0, posinf=1.0, neginf=-1.0)
    return samples


def _mono(frame: AudioFrame) -> Samples:
    samples: Samples = frame.to_ndarray()[0]
    return samples


def dbfs(amplitude: float) -> float:
    """Amplitude (1 is full scale) in dBFS, not below ``FLOOR_DBFS``."""
    return max(FLOOR_DBFS, 20 * math.log10(amplitude)) if amplitude > 0 else FLOOR_DBFS


def decoded(packet: Packet[Stream]) -> Iterator[AudioFrame]:
    """The packet's frames.

    Raises:
        UndecodablePacket: The decoder refuses the packet; the next one may be fine.
    """
    try:
        frames = packet.decode()
    except (av.FFmpegError, ValueError) as error:
        if is_machine_fault(error):
            raise
        raise UndecodablePacket from error
    for frame in frames:
        if isinstance(frame, AudioFrame):
            yield frame


class UndecodablePacket(Exception):
    """A damaged packet. Never leaves this package."""
