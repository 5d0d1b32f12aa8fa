"""Speech is packed into the blocks that Whisper hears at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.speech.blocks import LONGEST_S, pack


def test_given_speech_that_fits_then_one_block() -> None:
    assert pack([4.0, 6.0, 2.5]) == [0.0, 12.5]


def test_given_more_then_blocks_are_about_equal_and_end_in_pauses() -> None:
    edges = pack([5.0] * 12)
    assert edges == [0.0, 20.0, 20.0, 40.0, 40.0, 60.0]


def test_given_speech_without_a_pause_then_it_is_one_block_whatever_its_length() -> None:
    assert pack([70.0]) == [0.0, 70.0]
    assert pack([70.0, 3.0]) == [0.0, 73.0]


@given(st.lists(st.floats(0.3, 20.0), min_size=1, max_size=60))
def test_blocks_cover_the_speech_end_in_pauses_and_are_no_longer_than_whisper_hears(sizes: list[float]) -> None:
    edges = pack(sizes)
    starts, ends = edges[::2], edges[1::2]
    assert starts == [0.0, *ends[:-1]]
    assert ends[-1] == pytest.approx(sum(sizes))
    assert all(end - start <= LONGEST_S + 1e-6 for start, end in zip(starts, ends, strict=True))
    pauses = [sum(sizes[: place + 1]) for place in range(len(sizes))]
    assert all(min(abs(end - pause) for pause in pauses) < 1e-6 for end in ends)
