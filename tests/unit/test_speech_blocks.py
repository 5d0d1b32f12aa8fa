"""Speech is packed into the blocks that Whisper hears at once."""

from hypothesis import given
from hypothesis import strategies as st

from activities.speech.blocks import LONGEST_S, pack


def test_given_speech_that_fits_then_one_block() -> None:
    assert pack([4.0, 6.0, 2.5]) == [slice(0, 3)]


def test_given_none_then_no_block() -> None:
    assert pack([]) == []


def test_given_more_then_each_block_is_filled_and_ends_in_a_pause() -> None:
    assert pack([5.0] * 12) == [slice(0, 5), slice(5, 10), slice(10, 12)]


def test_given_speech_without_a_pause_then_it_is_one_block_whatever_its_length() -> None:
    assert pack([70.0]) == [slice(0, 1)]
    assert pack([3.0, 70.0, 3.0]) == [slice(0, 1), slice(1, 2), slice(2, 3)]


@given(st.lists(st.floats(0.3, 20.0), min_size=1, max_size=60))
def test_blocks_cover_the_speech_and_are_no_longer_than_whisper_hears(sizes: list[float]) -> None:
    blocks = pack(sizes)
    assert [place for block in blocks for place in range(len(sizes))[block]] == list(range(len(sizes)))
    assert all(sum(sizes[block]) <= LONGEST_S + 1e-6 for block in blocks)
