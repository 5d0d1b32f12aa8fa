"""Reads audio from any point as 16 kHz mono, a block at a time.

Done in a confined process (``apart``), whoever made the file: a runner outside may have.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import av
import numpy as np
from av.audio.resampler import AudioResampler
from av.container import InputContainer
from numpy.typing import NDArray

from domain.errors import ArtifactCorrupt, exhausted_by

SAMPLE_RATE_HZ = 16_000
"""What Whisper and Silero VAD were trained on."""

SAMPLES_PER_MS = SAMPLE_RATE_HZ // 1000

Samples = NDArray[np.float32]
"""Mono, 16 kHz, -1 to 1."""

NO_SAMPLES: Samples = np.zeros(0, dtype=np.float32)

_SEEK_MARGIN_MS = 500
"""Demuxers land on a frame near the point asked for, sometimes behind it; the surplus is decoded and thrown away."""


def duration_ms(audio: Path) -> int:
    """Length of the audio: what its header says, or else what decoding it all shows.

    Raises:
        ArtifactCorrupt: It cannot be read.
    """
    with _opened(audio) as container:
        stream = container.streams.audio[0]
        if stream.duration is not None and stream.time_base is not None:
            return round(stream.duration * stream.time_base * 1000)
        if container.duration is not None:
            return container.duration // 1000
    return sum(block.size for block in blocks(audio)) // SAMPLES_PER_MS


def blocks(audio: Path, start_ms: int = 0, end_ms: int | None = None, *, block_ms: int = 10_000) -> Iterator[Samples]:
    """The audio from ``start_ms`` to ``end_ms`` (``None``: to its end) in blocks of ``block_ms``, the last one shorter.

    Raises:
        ArtifactCorrupt: It cannot be read.
    """
    size = block_ms * SAMPLES_PER_MS
    parts: list[Samples] = []
    held = 0
    for samples in _trimmed(audio, start_ms, end_ms):
        parts.append(samples)
        held += samples.size
        if held < size:
            continue
        joined = np.concatenate(parts)
        whole = held - held % size
        for at in range(0, whole, size):
            yield joined[at : at + size]
        parts, held = [joined[whole:]], held - whole
    if held:
        yield np.concatenate(parts)


def _trimmed(audio: Path, start_ms: int, end_ms: int | None) -> Iterator[Samples]:
    begin = start_ms * SAMPLES_PER_MS
    end = None if end_ms is None else end_ms * SAMPLES_PER_MS
    for position, samples in _decoded(audio, start_ms):
        first = max(0, begin - position)
        last = samples.size if end is None else min(samples.size, end - position)
        if last > first:
            yield samples[first:last]
        if end is not None and position + samples.size >= end:
            return


def _decoded(audio: Path, start_ms: int) -> Iterator[tuple[int, Samples]]:
    """(position in samples, samples), from somewhere before ``start_ms`` on."""
    with _opened(audio) as container:
        stream = container.streams.audio[0]
        if start_ms > _SEEK_MARGIN_MS and stream.time_base is not None:
            container.seek(int((start_ms - _SEEK_MARGIN_MS) / 1000 / stream.time_base), stream=stream, backward=True)
        resampler = AudioResampler(format="fltp", layout="mono", rate=SAMPLE_RATE_HZ)
        position: int | None = None
        for frame in container.decode(stream):
            if position is None:
                # Frames follow one another without gaps: only the first one's time is taken from the container.
                position = 0 if frame.time is None else round(frame.time * SAMPLE_RATE_HZ)
            frame.pts = None
            for resampled in resampler.resample(frame):
                samples = resampled.to_ndarray()[0]
                yield position, samples
                position += samples.size
        for resampled in resampler.resample(None):
            samples = resampled.to_ndarray()[0]
            yield position or 0, samples


@contextmanager
def _opened(audio: Path) -> Iterator[InputContainer]:
    try:
        with av.open(str(audio)) as container:
            # Something that is merely called audio opens too, but without a sample rate.
            if not container.streams.audio or not container.streams.audio[0].sample_rate:
                raise ArtifactCorrupt("The extracted audio holds no sound track. Retry the job to extract it again.")
            yield container
    except av.FFmpegError as fault:
        lacking = exhausted_by(fault)
        if lacking is not None:
            raise lacking from None
        raise ArtifactCorrupt("The extracted audio cannot be read. Retry the job to extract it again.") from fault
