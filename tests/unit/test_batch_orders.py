"""What a batch is asked to do falls into items, each of which is found by its number."""

import pytest

from domain.errors import RequestInvalid
from domain.lifecycles.batch import BatchType
from domain.orders.batch import (
    ASSETS_PER_ITEM,
    MAX_ITEMS,
    MAX_STILLS,
    BatchItem,
    BatchOrder,
    Span,
    item_of,
    progress_of,
)

SPANS = (Span(start_ms=0, end_ms=1), Span(start_ms=1, end_ms=2))


def test_given_two_recordings_and_two_ranges_when_numbered_then_four_items_recording_by_recording() -> None:
    order = BatchOrder(job_type=BatchType.CLIPS, sources=("a", "b"), spans=SPANS)
    order.check()
    items = [order.item(number) for number in range(1, order.items + 1)]
    assert [(each.source, each.span) for each in items] == [(s, p) for s in ("a", "b") for p in SPANS]


def test_given_thumbnails_when_numbered_then_an_item_a_recording() -> None:
    order = BatchOrder(job_type=BatchType.THUMBNAILS, sources=("a", "b"))
    assert (order.items, order.item(2).source, order.item(2).span) == (2, "b", None)


@pytest.mark.parametrize(
    "order",
    [
        BatchOrder(job_type=BatchType.CLIPS, sources=("a",)),
        BatchOrder(job_type=BatchType.CAPTIONS, sources=()),
        BatchOrder(job_type=BatchType.CAPTIONS, sources=("a",) * (MAX_ITEMS + 1)),
        BatchOrder(job_type=BatchType.CLIPS, sources=("a",) * 501, spans=SPANS),
        BatchOrder(job_type=BatchType.CLIPS, sources=("a",), spans=(Span(start_ms=2, end_ms=1),)),
    ],
)
def test_given_an_order_without_sense_when_checked_then_refused(order: BatchOrder) -> None:
    with pytest.raises(RequestInvalid):
        order.check()


def test_given_any_asset_of_an_item_when_numbered_then_the_item_is_found_again() -> None:
    for number in (1, 2, MAX_ITEMS):
        item = BatchItem(number=number, source="a")
        assert {item_of(item.ordinal(asset)) for asset in range(1, ASSETS_PER_ITEM)} == {number}
    with pytest.raises(ValueError, match="assets"):
        item.ordinal(ASSETS_PER_ITEM)
    assert MAX_STILLS + 1 < ASSETS_PER_ITEM


def test_given_items_that_are_settled_when_told_then_progress_rises_and_stays_below_the_end() -> None:
    told = [progress_of(settled, 7) for settled in range(8)]
    assert told == sorted(told) and told[0] == 0 and told[-1] == 99
