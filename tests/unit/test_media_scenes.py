"""Where the screen stands still, and when a step's screenshot is taken."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from activities.media.scenes import Effort, find_scenes
from activities.media.screenshot_timing import FrameRequest, scene_at, settled_frame_request, settled_frame_time
from domain.errors import Cancelled
from domain.recordings.media import Scene
from tests import recordings


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "recordings"


def stretches(scenes: tuple[Scene, ...]) -> list[tuple[int, int]]:
    return [(scene.start_ms, scene.end_ms) for scene in scenes]


@pytest.mark.parametrize("effort", ["auto", "thorough", "quick"])
def test_given_transitions_then_they_lie_between_scenes_and_pointer_and_caret_do_not_count(
    effort: Effort, folder: Path
) -> None:
    scenes = find_scenes(recordings.mp4_screens_with_transitions(folder), effort=effort)
    assert [scene.id for scene in scenes] == [0, 1, 2, 3]
    for (start, end), (due_start, due_end) in zip(stretches(scenes), recordings.SETTLED_MS, strict=True):
        assert due_start - 50 <= start <= due_start + 400
        assert due_end - 400 <= end <= due_end + 50


@pytest.mark.parametrize("effort", ["thorough", "quick"])
def test_given_something_that_never_rests_in_a_corner_then_the_rest_still_settles(effort: Effort, folder: Path) -> None:
    scenes = find_scenes(recordings.mp4_speaker_in_the_corner(folder), effort=effort)
    assert len(scenes) == 2
    assert scenes[0].end_ms == pytest.approx(20_000, abs=450)
    assert scenes[1].start_ms == pytest.approx(20_000, abs=450)
    assert scenes[1].end_ms == 40_000


def test_given_a_film_that_never_rests_then_there_are_no_scenes(tmp_path: Path) -> None:
    noise = np.random.default_rng(1)
    path = tmp_path / "film.mp4"
    film = recordings.Film(picture=lambda _ms: noise.integers(0, 255, (90, 160, 3), dtype=np.uint8), duration_ms=4_000)
    recordings.write(path, film=film)
    assert find_scenes(path, effort="thorough") == ()


@pytest.mark.parametrize("effort", ["thorough", "quick"])
def test_given_a_frame_that_stays_long_then_it_is_a_scene(effort: Effort, folder: Path) -> None:
    scenes = find_scenes(recordings.mp4_variable_frame_rate(folder), effort=effort)
    assert [scene_at(scenes, time) is not None for time in (1_500, 3_000, 5_000)] == [True, True, True]
    assert len({scene_at(scenes, time) for time in (1_500, 3_000, 5_000)}) == 3


@pytest.mark.parametrize("effort", ["thorough", "quick"])
@pytest.mark.parametrize(
    "make", [recordings.webm_without_duration, recordings.mpegts, recordings.mp4_fragmented, recordings.mp4_rotated]
)
def test_given_any_container_then_its_screens_are_found(make: recordings.Maker, effort: Effort, folder: Path) -> None:
    scenes = find_scenes(make(folder), effort=effort)
    assert [scene.start_ms for scene in scenes] == pytest.approx([0, 2_000, 4_000], abs=400)


def test_given_an_encoder_that_fills_up_and_a_single_key_frame_then_quick_gives_way_to_thorough(tmp_path: Path) -> None:
    screens = [recordings.text_screen(number, 320, 180) for number in range(3)]
    constant_rate = "nal-hrd=cbr:vbv-maxrate=800:vbv-bufsize=800:keyint=infinite:scenecut=0"
    path = tmp_path / "constant.mp4"
    film = recordings.Film(
        picture=lambda ms: screens[min(int(ms // 10_000), 2)],
        options=(("preset", "ultrafast"), ("b", "800000"), ("x264-params", constant_rate)),
        duration_ms=30_000,
        fps=20,
    )
    recordings.write(path, film=film)
    scenes = find_scenes(path, effort="quick")
    assert [scene.start_ms for scene in scenes] == pytest.approx([0, 10_000, 20_000], abs=450)


def test_given_sound_only_then_there_are_no_scenes(folder: Path) -> None:
    assert find_scenes(recordings.wav(folder)) == ()


@pytest.mark.parametrize("effort", ["thorough", "quick"])
def test_given_a_cancelled_job_then_looking_stops(effort: Effort, folder: Path) -> None:
    def cancel(_position_ms: int) -> None:
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        find_scenes(recordings.mp4_screens_with_transitions(folder), effort=effort, on_progress=cancel)


# --- a step's screenshot -------------------------------------------------------------------------------------------


def scenes_of(*settled: tuple[int, int]) -> list[Scene]:
    return [Scene(id=number, start_ms=start, end_ms=end) for number, (start, end) in enumerate(settled)]


@pytest.mark.parametrize(
    ("settled", "talk", "due"),
    [
        # One screen throughout: as late as the talk goes.
        ([(0, 60_000)], (10_000, 14_000), 14_000),
        # The action is done during the talk, however late: what it led to.
        ([(0, 12_000), (12_400, 30_000)], (8_000, 15_000), 15_000),
        ([(0, 13_500), (14_500, 30_000)], (8_000, 14_600), 14_750),
        # It is done as the sentence ends.
        ([(0, 9_000), (9_400, 30_000)], (5_000, 8_900), 9_650),
        # It is done later: that is the next step's.
        ([(0, 9_600), (9_900, 30_000)], (5_000, 9_000), 9_000),
        # The talk ends within a transition: the screen that settles next, unless that takes long.
        ([(0, 8_000), (10_500, 30_000)], (5_000, 9_000), 10_750),
        ([(0, 8_000), (13_000, 30_000)], (5_000, 9_000), 7_750),
        # All of the talk is transition: the screen that settles next, or else the last one.
        ([(0, 5_000), (9_000, 20_000)], (6_000, 8_000), 9_250),
        ([(0, 5_000), (12_500, 20_000)], (6_000, 8_000), 12_750),
        ([(0, 5_000), (30_000, 40_000)], (6_000, 8_000), 4_750),
        # The recording ends with the talk.
        ([(0, 60_000)], (58_000, 60_000), 59_750),
        # Nothing ever settles.
        ([], (10_000, 20_000), 18_000),
    ],
)
def test_given_a_step_then_its_screenshot_is_of_the_settled_screen_that_it_leads_to(
    settled: list[tuple[int, int]], talk: tuple[int, int], due: int
) -> None:
    assert settled_frame_time(scenes_of(*settled), *talk, 60_000) == due


def test_given_a_still_screen_then_any_picture_of_the_last_second_since_it_settled_will_do() -> None:
    assert settled_frame_request(scenes_of((5_000, 60_000)), 10_000, 14_000, 60_000) == FrameRequest(
        14_000, earliest_ms=13_000
    )
    assert settled_frame_request(scenes_of((13_500, 60_000)), 10_000, 14_000, 60_000) == FrameRequest(
        14_000, earliest_ms=13_750
    )


def test_given_no_settled_screen_then_only_the_time_itself_will_do() -> None:
    assert settled_frame_request([], 10_000, 20_000, 60_000) == FrameRequest(18_000)


@given(
    edges=some.lists(some.integers(0, 100_000), unique=True, max_size=20).map(sorted),
    talk=some.tuples(some.integers(0, 100_000), some.integers(0, 20_000)),
    duration=some.integers(1, 100_000),
)
def test_given_anything_then_the_time_is_within_the_recording_and_within_a_scene_where_one_was_found(
    edges: list[int], talk: tuple[int, int], duration: int
) -> None:
    scenes = scenes_of(*zip(edges[::2], edges[1::2], strict=False))
    request = settled_frame_request(scenes, talk[0], talk[0] + talk[1], duration)
    assert 0 <= request.timestamp_ms < duration
    if request.earliest_ms is not None:
        assert 0 <= request.earliest_ms <= request.timestamp_ms
        unclamped = settled_frame_request(scenes, talk[0], talk[0] + talk[1], 10**9)
        assert scene_at(scenes, unclamped.timestamp_ms) is not None
