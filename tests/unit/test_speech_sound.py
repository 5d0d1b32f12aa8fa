"""Audio is read from any point, exactly, a block at a time."""

from pathlib import Path

import numpy as np
import pytest

from activities.speech.sound import blocks, duration_ms
from domain.errors import ArtifactCorrupt
from tests.speech import RATE_HZ, noise, write_flac

SECONDS = 95


@pytest.fixture(scope="module")
def samples() -> np.ndarray:
    return noise(SECONDS * 1000)


@pytest.fixture(scope="module")
def audio(samples: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_flac(tmp_path_factory.mktemp("sound") / "noise.flac", [samples])


def test_duration_is_that_of_the_samples(audio: Path) -> None:
    assert duration_ms(audio) == SECONDS * 1000


@pytest.mark.parametrize(
    ("start_ms", "end_ms"), [(0, None), (0, 1_500), (17_003, 64_999), (94_990, None), (40_000, None)]
)
def test_given_a_stretch_when_read_then_exactly_its_samples_come(
    audio: Path, samples: np.ndarray, start_ms: int, end_ms: int | None
) -> None:
    read = np.concatenate(list(blocks(audio, start_ms, end_ms, block_ms=7_000)))
    wanted = samples[start_ms * 16 : None if end_ms is None else end_ms * 16]
    assert read.size == wanted.size
    assert np.abs(read - wanted).max() < 2 / 32768


def test_blocks_have_the_size_asked_for_but_the_last(audio: Path) -> None:
    sizes = [block.size for block in blocks(audio, 1_000, block_ms=10_000)]
    assert sizes == [10 * RATE_HZ] * 9 + [4 * RATE_HZ]


def test_given_a_stretch_behind_the_end_when_read_then_nothing_comes(audio: Path) -> None:
    assert list(blocks(audio, 200_000)) == []


@pytest.mark.parametrize("content", [b"", b"no audio at all" * 100])
def test_given_a_broken_file_when_read_then_the_audio_is_corrupt(tmp_path: Path, content: bytes) -> None:
    broken = tmp_path / "audio.flac"
    broken.write_bytes(content)
    with pytest.raises(ArtifactCorrupt):
        list(blocks(broken))
    with pytest.raises(ArtifactCorrupt):
        duration_ms(broken)
