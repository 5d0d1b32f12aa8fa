"""What the parts of an upload may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import UploadInvalid
from domain.uploads import MOST_PARTS, ArrivedPart, MiB, bytes_of_part, check_parts, part_size
from starter.api.part_counts import AGE_PER_TAKEN, PartCounts

GiB = 1 << 30


def parts(*sizes: int) -> list[ArrivedPart]:
    return [ArrivedPart(number, size, "etag") for number, size in enumerate(sizes, start=1)]


def test_given_a_size_that_fits_when_parts_are_cut_then_they_have_the_preferred_size() -> None:
    assert part_size(16 * MiB, least=5 * MiB, size_bytes=10 * GiB) == 16 * MiB


def test_given_a_store_that_takes_no_small_parts_when_parts_are_cut_then_they_are_as_large_as_it_wants() -> None:
    assert part_size(64 * 1024, least=5 * MiB, size_bytes=10 * MiB) == 5 * MiB


@given(size=st.integers(0, 50_000 * GiB), preferred=st.integers(1, 5 * GiB))
def test_given_any_size_when_parts_are_cut_then_ten_thousand_of_them_hold_it(size: int, preferred: int) -> None:
    chosen = part_size(preferred, least=5 * MiB, size_bytes=size)
    assert chosen * MOST_PARTS >= size
    assert chosen >= max(preferred, 5 * MiB)
    assert chosen == max(preferred, 5 * MiB) or chosen % MiB == 0


@given(size=st.integers(0, 10_000), cut=st.integers(1, 1000))
def test_given_a_declared_size_when_each_part_is_measured_then_together_they_have_it(size: int, cut: int) -> None:
    count = max(1, -(-size // cut))
    assert sum(bytes_of_part(number, cut, size) for number in range(1, count + 1)) == size
    with pytest.raises(UploadInvalid):
        bytes_of_part(count + 1, cut, size)


def test_given_every_part_when_checked_then_they_make_a_whole() -> None:
    check_parts(parts(5 * MiB, 5 * MiB, 1), least=5 * MiB)
    check_parts(parts(0), least=5 * MiB)


def test_given_no_part_or_a_gap_or_a_small_one_when_checked_then_the_upload_is_invalid_and_says_which() -> None:
    with pytest.raises(UploadInvalid, match="Nothing has arrived"):
        check_parts([], least=1)
    with pytest.raises(UploadInvalid) as gap:
        check_parts([ArrivedPart(MOST_PARTS, 1, "etag")], least=1)
    assert gap.value.details["missing_parts"] == list(range(1, 101))
    with pytest.raises(UploadInvalid) as small:
        check_parts(parts(5 * MiB, 5 * MiB - 1, 7 * MiB), least=5 * MiB)
    assert small.value.details["small_parts"] == [2]


# --- parts that have arrived --------------------------------------------------------------------------------------


def test_given_two_thousand_parts_when_each_asks_for_all_before_it_then_few_are_listed() -> None:
    now_s, arrived, listed = 0.0, dict[int, int](), list[int]()
    counts = PartCounts(clock=lambda: now_s)

    def listing() -> list[ArrivedPart]:
        nonlocal now_s
        now_s += 20e-6 * len(arrived)  # what a folder takes
        listed.append(len(arrived))
        return [ArrivedPart(number, size, "etag") for number, size in arrived.items()]

    for number in range(1, 2001):
        assert counts.sizes("upload", listing) == arrived, "none is missed"
        arrived[number] = number
        counts.took("upload", number, number)
        now_s += 5e-3  # what a part takes
    assert len(listed) < 100
    assert sum(listed) * 20e-6 < 1.1 * now_s / AGE_PER_TAKEN
