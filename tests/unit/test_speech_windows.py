"""Long audio is cut where nobody speaks: into pieces for several workers, and into windows within a piece."""

import itertools
from pathlib import Path

import pytest

from activities.speech.pieces import plan_pieces
from activities.speech.windows import windows
from domain.errors import Cancelled
from tests.speech import ENGLISH, ENGLISH_MS, clip, music, silence, write_flac

REPEATS = 6
TARGET_MS = 30_000


@pytest.fixture(scope="module")
def audio(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The English clip six times over: 123 s."""
    return write_flac(tmp_path_factory.mktemp("pieces") / "talk.flac", [clip("english")] * REPEATS)


def in_speech(at_ms: int) -> bool:
    within_ms = at_ms % ENGLISH_MS
    return any(start_ms + 50 < within_ms < end_ms - 50 for start_ms, end_ms, _ in ENGLISH)


def test_pieces_cover_the_audio_and_are_cut_in_pauses(audio: Path) -> None:
    pieces = plan_pieces(audio, target_ms=TARGET_MS)
    assert len(pieces) == 4
    assert pieces[0][0] == 0
    assert abs(pieces[-1][1] - ENGLISH_MS * REPEATS) < 20
    for (_, end_ms), (start_ms, _) in itertools.pairwise(pieces):
        assert end_ms == start_ms
        assert not in_speech(end_ms)
    assert all(TARGET_MS / 2 < end_ms - start_ms < TARGET_MS * 1.5 for start_ms, end_ms in pieces)


def test_given_short_audio_when_planned_then_it_stays_one_piece(tmp_path: Path) -> None:
    audio = write_flac(tmp_path / "short.flac", [silence(40_000)])
    assert plan_pieces(audio, target_ms=TARGET_MS) == ((0, 40_000),)


@pytest.mark.parametrize("filling", [silence, music])
def test_given_no_speech_when_planned_then_pieces_still_cover_the_audio(tmp_path: Path, filling: object) -> None:
    assert callable(filling)
    audio = write_flac(tmp_path / "none.flac", [filling(90_000)])
    pieces = plan_pieces(audio, target_ms=TARGET_MS)
    assert [pieces[0][0], *(end_ms for _, end_ms in pieces)] == [0, 30_000, 60_000, 90_000]


def test_given_a_stop_when_planning_then_it_ends_there(audio: Path) -> None:
    def stop(_: int) -> None:
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        plan_pieces(audio, target_ms=TARGET_MS, on_progress=stop)


def test_windows_follow_one_another_and_are_cut_in_pauses(audio: Path) -> None:
    progress: list[int] = []
    found = list(windows(audio, 0, None, progress.append, window_ms=25_000))
    assert found[0].start_ms == 0
    assert abs(found[-1].end_ms - ENGLISH_MS * REPEATS) < 20
    for window, following in itertools.pairwise(found):
        assert window.end_ms == following.start_ms
        assert not in_speech(window.end_ms)
        assert window.samples.size <= 25_000 * 16
    assert progress == sorted(progress)
    assert sum(len(window.speech) for window in found) >= REPEATS * len(ENGLISH) - REPEATS


def test_windows_hold_the_speech_of_the_stretch_asked_for_only(audio: Path) -> None:
    (window,) = windows(audio, 4_500, 10_500, lambda _: None)
    assert (window.start_ms, window.end_ms) == (4_500, 10_500)
    (speech,) = window.speech
    assert abs(speech.start / 16 - 607) < 350
    assert abs(speech.end / 16 - 4_037) < 350
