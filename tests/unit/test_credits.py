"""The ledger's rules: legs that sum to zero, which transition posts what, and never twice."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from domain.credits import (
    AMOUNT_LIMIT,
    BOOKS,
    CHARGES,
    GIVEN_BACK,
    LEGS,
    PRICED,
    SETTLED,
    SETTLES,
    USERS,
    Account,
    Balance,
    Charge,
    Posting,
    PostingKind,
    charge_of,
    cost_of,
    is_charged,
    read_prices,
)
from domain.errors import PostingRefused
from domain.lifecycles import image
from domain.lifecycles.image import IMAGE
from domain.lifecycles.kinds import LIFECYCLES

RESERVE, CAPTURE, RELEASE = PostingKind.RESERVE, PostingKind.CAPTURE, PostingKind.RELEASE
DEDUCT, REFUND = PostingKind.DEDUCT, PostingKind.REFUND

PRICES = read_prices("image=4,copy=1,scrape=1,static_ad=8,ugc_video=40,tts=2")


def test_given_the_books_when_read_then_each_move_of_the_contract_posts_what_it_says() -> None:
    lines = {f"{kind}: {source or '-'} > {target}": str(posting) for (kind, source, target), posting in BOOKS.items()}
    assert lines == {
        "image: - > queued": "reserve",
        "image: running > completed": "capture",
        "image: running > rejected": "capture",
        "image: queued > rejected": "capture",
        "image: failed > dead_letter": "release",
        "generation: - > pending": "deduct",
        "generation: failed > pending": "deduct",
        "generation: expired > pending": "deduct",
        "generation: pending > failed": "refund",
        "generation: queued > failed": "refund",
        "generation: processing > failed": "refund",
        "generation: pending > canceled": "refund",
        "generation: queued > canceled": "refund",
        "generation: processing > canceled": "refund",
        "generation: processing > expired": "refund",
    }


def test_given_the_books_when_compared_with_the_tables_then_they_name_only_moves_that_there_are() -> None:
    for kind, source, target in BOOKS:
        assert any((row.source, row.target) == (source, target) for row in LIFECYCLES[kind].transitions)


@pytest.mark.parametrize("kind", LIFECYCLES)
def test_given_a_table_when_every_way_through_it_is_booked_then_no_charge_is_lost_or_settled_twice(kind: str) -> None:
    """Every status is reached with its latest charge open or settled, never with either, depending on the way."""
    lifecycle = LIFECYCLES[kind]
    seen: set[tuple[Any, bool]] = set()
    frontier: list[tuple[Any, bool]] = [(None, False)]
    while frontier:
        here, is_open = frontier.pop()
        for row in lifecycle.transitions:
            if row.source is not here:
                continue
            posting = BOOKS.get((kind, row.source, row.target))
            assert not (posting in CHARGES and is_open), f"{row} charges what is charged"
            assert not (posting in SETTLES and not is_open), f"{row} settles what is settled"
            after = (row.target, posting in CHARGES or (is_open and posting not in SETTLES))
            if after not in seen:
                seen.add(after)
                frontier.append(after)
    for status, is_open in seen:
        assert (status, not is_open) not in seen
        assert is_open is (is_charged(kind) and (kind, status) not in SETTLED)


def test_given_a_job_that_has_ended_then_it_is_known_whether_its_owner_got_back_what_it_cost() -> None:
    assert (IMAGE.kind, image.DEAD_LETTER) in GIVEN_BACK
    assert (IMAGE.kind, image.REJECTED) in SETTLED - GIVEN_BACK


def test_given_a_posting_when_its_legs_are_read_then_one_account_gives_what_another_gets() -> None:
    assert set(LEGS) == set(PostingKind)
    assert all(source is not target for source, target in LEGS.values())
    for settling, charge in SETTLES.items():
        assert LEGS[settling][0] is LEGS[charge][1], "what settles takes from where the charge went"


def test_given_a_balance_when_read_then_it_is_the_sum_of_the_users_accounts() -> None:
    assert Balance(available=3, reserved=4).balance == 7
    assert USERS == (Account.AVAILABLE, Account.RESERVED)


def test_given_a_kind_when_a_job_is_made_then_its_price_is_said_exactly_where_it_costs_something() -> None:
    assert [kind for kind in LIFECYCLES if is_charged(kind)] == ["image", "generation"]
    assert (cost_of("image", 4), cost_of("image", 0), cost_of("instruction", None)) == (4, 0, 0)
    for kind, price in (("image", None), ("generation", None), ("batch", 1), ("image", -1), ("image", 10**10)):
        with pytest.raises(ValueError, match="price"):
            cost_of(kind, price)


# --- what a transition posts ---------------------------------------------------------------------------------------


def charge(kind: PostingKind, attempt: int = 1, amount: int = 4) -> Charge:
    return Charge(kind=kind, attempt=attempt, amount=amount)


def due(kind: str, source: str | None, target: str, *posted: Charge, attempt: int = 1, cost: int = 4) -> Any:
    lifecycle = LIFECYCLES[kind]
    move = (kind, lifecycle.status(source) if source else None, lifecycle.status(target))
    return charge_of(move, cost=cost, attempt=attempt, posted=posted)


def test_given_an_image_when_it_goes_its_ways_then_it_is_reserved_and_captured_or_released() -> None:
    assert due("image", None, "queued") == charge(RESERVE)
    assert due("image", "queued", "running", charge(RESERVE)) is None
    assert due("image", "running", "completed", charge(RESERVE)) == charge(CAPTURE)
    assert due("image", "failed", "dead_letter", charge(RESERVE)) == charge(RELEASE)


def test_given_a_charge_of_an_earlier_attempt_when_settled_then_it_is_that_one_and_at_its_price() -> None:
    assert due("image", "running", "completed", charge(RESERVE, 1, 9), attempt=2) == charge(CAPTURE, 1, 9)


def test_given_a_retry_when_the_attempt_is_new_then_it_is_charged_again_and_refunded_again() -> None:
    failed = (charge(DEDUCT), charge(REFUND))
    assert due("generation", "failed", "pending", *failed, attempt=2) == charge(DEDUCT, 2)
    again = (*failed, charge(DEDUCT, 2))
    assert due("generation", "processing", "expired", *again, attempt=2) == charge(REFUND, 2)


@pytest.mark.parametrize(
    ("move", "posted"),
    [
        (("image", None, "queued"), (charge(RESERVE),)),
        (("image", "running", "completed"), ()),
        (("image", "running", "completed"), (charge(RESERVE), charge(RELEASE))),
        (("image", "failed", "dead_letter"), (charge(RESERVE), charge(CAPTURE))),
        (("generation", "failed", "pending"), (charge(DEDUCT), charge(REFUND))),
        (("generation", "processing", "failed"), (charge(DEDUCT), charge(REFUND))),
    ],
)
def test_given_a_charge_or_a_settlement_that_stands_when_asked_for_again_then_refused(
    move: tuple[str, str | None, str], posted: tuple[Charge, ...]
) -> None:
    with pytest.raises(PostingRefused):
        due(*move, *posted)


def test_given_a_free_job_or_a_kind_without_books_when_it_moves_then_nothing_is_posted() -> None:
    assert due("image", None, "queued", cost=0) is None
    assert due("image", "running", "completed", cost=0) is None
    assert due("batch", None, "queued") is None


@given(
    kind=st.sampled_from(PostingKind),
    job=st.none() | st.just("j"),
    attempt=st.none() | st.integers(1, 3),
    amount=st.integers(-1, AMOUNT_LIMIT + 1),
    owner=st.sampled_from(["", "ann"]),
)
def test_given_a_posting_when_it_is_made_then_it_has_an_owner_an_amount_and_belongs_to_an_attempt_or_is_a_grant(
    kind: PostingKind, job: str | None, attempt: int | None, amount: int, owner: str
) -> None:
    belongs = (job is None, attempt is None) == ((True, True) if kind is PostingKind.GRANT else (False, False))
    whole = belongs and 1 <= amount <= AMOUNT_LIMIT and owner != ""
    try:
        Posting(kind=kind, owner=owner, amount=amount, job_id=job, attempt=attempt)
    except ValidationError:
        assert not whole
    else:
        assert whole


# --- prices ------------------------------------------------------------------------------------------------------


def test_given_a_price_list_when_read_then_what_it_does_not_name_keeps_its_price() -> None:
    assert set(PRICES) == set(PRICED)
    assert read_prices(" image = 0 ,tts=7, ", PRICES) == {**PRICES, "image": 0, "tts": 7}


@pytest.mark.parametrize("text", ["images=4", "image", "image=", "image=-1", "image=1.5", "image=٤", "image=1e3", "=4"])
def test_given_a_price_list_that_cannot_be_read_when_read_then_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"names only|is a list"):
        read_prices(text, PRICES)


def test_given_a_price_that_is_missing_when_read_without_defaults_then_it_is_named() -> None:
    with pytest.raises(ValueError, match="ugc_video"):
        read_prices("image=4")
