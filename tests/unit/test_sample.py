"""The sample recording is what its ground truth says, so that other tests may lean on both."""

from collections.abc import Iterator
from fractions import Fraction

import av
import pytest
from PIL import Image

from sample.truth import Truth, recording, truth

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def told() -> Truth:
    return truth()


def stills(every_s: Fraction) -> Iterator[tuple[int, Image.Image]]:
    """A frame every so many seconds, with its time in milliseconds."""
    due = Fraction(0)
    with av.open(str(recording())) as film:
        for frame in film.decode(video=0):
            assert frame.pts is not None and frame.time_base is not None
            at = frame.pts * frame.time_base
            if at >= due:
                due += every_s
                yield round(at * 1000), Image.fromarray(frame.to_ndarray(format="rgb24"))


def test_the_recording_is_small_enough_to_keep_and_of_a_kind_that_everything_plays() -> None:
    assert recording().stat().st_size <= 2 * MEGABYTE
    with av.open(str(recording())) as film:
        assert film.duration is not None
        assert 30 <= film.duration / av.time_base <= 60
        picture, sound = film.streams.video[0].codec_context, film.streams.audio[0].codec_context
        assert (picture.name, picture.width, picture.height) == ("h264", 1280, 720)
        assert sound.name == "aac"


def test_the_truth_fits_the_recording(told: Truth) -> None:
    with av.open(str(recording())) as film:
        assert film.duration is not None
        assert told.duration_ms == pytest.approx(film.duration / 1000, abs=100)
    assert told.sentences[-1].end_ms < told.duration_ms
    for before, after in zip(told.sentences, told.sentences[1:], strict=False):
        assert before.start_ms < before.end_ms < after.start_ms


def test_it_tells_enough_to_check_steps_and_screenshots(told: Truth) -> None:
    assert len(told.steps) >= 6
    assert [sentence.role for sentence in told.sentences][:1] == ["intro"]
    assert "note" in {sentence.role for sentence in told.sentences}
    assert len({step.screen for step in told.steps}) == len(told.steps), "each step ends on a screen of its own"


def test_every_still_is_recognised_as_the_screen_that_the_truth_says(told: Truth) -> None:
    compared = set()
    for moment_ms, picture in stills(every_s=Fraction(2, 5)):
        screen = told.screen_at(moment_ms)
        if screen is not None:
            compared.add(screen)
            assert told.screen_in(picture) == screen, f"at {moment_ms} ms"
    assert compared == {screen.name for screen in told.screens}


def test_given_a_step_that_was_spoken_then_its_result_is_seen_within_a_second(told: Truth) -> None:
    for step in told.steps:
        seen = {told.screen_at(step.end_ms + later_ms) for later_ms in range(0, 1000, 100)}
        assert step.screen in seen, step.text
