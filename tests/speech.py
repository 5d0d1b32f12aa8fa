"""Spoken audio for tests: the clips of tests/data as 16 kHz mono FLAC, joined with silences, tones and noise.

The clips are synthesised (English: Flite's voice rms; German and Spanish: eSpeak NG). In the English one, after 2.0 s
of silence, four sentences begin at the times of ``ENGLISH``.
"""

from collections.abc import Iterable
from pathlib import Path

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from numpy.typing import NDArray

RATE_HZ = 16_000
DATA = Path(__file__).parent / "data"

Samples = NDArray[np.float32]

ENGLISH = (
    (2_000, 3_907, "Welcome to the invoice assistant."),
    (5_107, 8_537, "First, open the dashboard and click the new invoice button."),
    (11_037, 14_312, "Next, type the name of the customer into the first field."),
    (15_812, 19_323, "Then press save and wait until the green message appears."),
)
"""(start in ms, end in ms, what is said)."""

ENGLISH_MS = 20_524


def clip(language: str) -> Samples:
    """``english``, ``german`` or ``spanish``."""
    resampler = AudioResampler(format="fltp", layout="mono", rate=RATE_HZ)
    parts = []
    with av.open(str(DATA / f"spoken-{language}.ogg"), "r") as container:
        for frame in container.decode(audio=0):
            parts += [resampled.to_ndarray()[0] for resampled in resampler.resample(frame)]
    parts += [resampled.to_ndarray()[0] for resampled in resampler.resample(None)]
    return np.concatenate(parts)


def silence(ms: int) -> Samples:
    return np.zeros(ms * RATE_HZ // 1000, dtype=np.float32)


def noise(ms: int, level: float = 0.2) -> Samples:
    """White noise, the same each time."""
    return np.random.default_rng(7).normal(0.0, level, ms * RATE_HZ // 1000).clip(-1, 1).astype(np.float32)


def music(ms: int) -> Samples:
    """Chords with overtones that change twice a second, over a beat."""
    at = np.arange(ms * RATE_HZ // 1000) / RATE_HZ
    chords = np.array([[220.0, 277.2, 329.6], [196.0, 246.9, 293.7], [174.6, 220.0, 261.6], [164.8, 207.7, 246.9]])
    notes = chords[(at * 2).astype(int) % len(chords)]
    decay = np.exp(-3.0 * ((at * 2) % 1.0))
    tones = sum(np.sin(2 * np.pi * notes[:, note] * part * at) / part for note in range(3) for part in (1, 2, 3))
    return np.asarray(0.12 * tones * decay, dtype=np.float32)


def write_flac(path: Path, parts: Iterable[Samples]) -> Path:
    """16-bit mono FLAC, as audio extraction leaves it."""
    samples = (np.concatenate(list(parts)) * 32767).clip(-32768, 32767).astype(np.int16)
    with av.open(str(path), "w", format="flac") as container:
        stream = container.add_stream("flac", rate=RATE_HZ, layout="mono")
        for at in range(0, samples.size, RATE_HZ):
            frame = AudioFrame.from_ndarray(samples[None, at : at + RATE_HZ], format="s16", layout="mono")
            frame.sample_rate = RATE_HZ
            frame.pts = at
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path
