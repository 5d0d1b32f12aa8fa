"""Audio is read from any point, exactly, a block at a time."""

from pathlib import Path

import numpy as np
import pytest

from activities.decoding import ordering
from activities.speech import isolated
from activities.speech.sound import blocks, duration_ms
from domain.errors import ArtifactCorrupt, Cancelled, DecodingDied
from tests.children import running
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


def test_given_audio_when_read_apart_then_the_same_comes_and_no_process_is_left(audio: Path) -> None:
    assert isolated.duration_ms(audio) == duration_ms(audio)
    mine, theirs = isolated.blocks(audio, 17_003, 64_999), blocks(audio, 17_003, 64_999)
    for got, due in zip(mine, theirs, strict=True):
        assert np.array_equal(got, due)
    spans = [(1_000, 3_000), (94_000, 96_000), (200_000, 201_000)]
    whole = [np.concatenate([*blocks(audio, *span), np.zeros(0, np.float32)]) for span in spans]
    assert all(map(np.array_equal, isolated.stretches(audio, spans), whole))
    left = isolated.blocks(audio, block_ms=1_000)
    next(left)
    left.close()
    assert running("decoder.py") == []


def test_given_a_file_that_kills_its_reader_or_is_none_when_read_apart_then_it_is_said_so(
    audio: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "audio.flac"
    broken.write_bytes(b"no audio at all" * 100)
    with pytest.raises(ArtifactCorrupt):
        list(isolated.blocks(broken))
    with pytest.raises(Cancelled):
        list(isolated.blocks(audio, on_poll=lambda: (_ for _ in ()).throw(Cancelled("stop"))))
    monkeypatch.setattr(ordering, "LIMITS", ordering.Limits(64 << 20))
    with pytest.raises(DecodingDied):
        list(isolated.blocks(audio))
    with pytest.raises(DecodingDied):
        isolated.duration_ms(audio)
    assert running("decoder.py") == []
