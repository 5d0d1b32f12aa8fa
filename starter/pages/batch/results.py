"""The page of a batch: how far each item is, what went wrong with those that did, and what was made."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from activities.stages.batch import order_of
from domain.errors import NotFound
from domain.jobs import Job, Page
from domain.library import LibraryAsset
from domain.orders.batch import BatchOrder, item_of
from starter.pages.shell.context import PageContext
from starter.pages.shell.longer_lists import gathered, rows_wanted
from starter.pages.shell.status_view import title_of

ASSETS = 24
ITEMS_SHOWN = 60
"""Rows of the table of items, and of errors; the figures count all."""


def batch(context: PageContext, job: Job) -> Mapping[str, Any]:
    """``items`` are the first ones with their states: waiting, done or failed; ``errors`` of all that failed."""
    store = context.api.store
    order = order_of(store, job.id)
    settled, states, errors = (
        store.settled_items(job.id),
        store.item_states(job.id, ITEMS_SHOWN),
        store.item_errors(job.id),
    )
    title = _titles(context)
    return {
        "type": str(order.job_type),
        "sources": len(order.sources),
        "count": order.items,
        "done": settled.done,
        "failed": settled.failed,
        "items": [
            _item(order, number, title, {None: "waiting", True: "done", False: "failed"}[states.get(number)])
            for number in range(1, min(order.items, ITEMS_SHOWN) + 1)
        ],
        "errors": [
            _item(order, each.number, title, "failed") | {"code": each.failure_code, "message": each.failure_message}
            for each in errors[:ITEMS_SHOWN]
        ],
        "more_errors": max(0, len(errors) - ITEMS_SHOWN),
        **assets_shown(context, job, None),
    }


def assets_shown(context: PageContext, job: Job, cursor: str | None) -> dict[str, Any]:
    """A page of what was made, of the last item first. Raises: RequestInvalid: somebody has cut the cursor."""

    def read(limit: int, cursor: str | None) -> Page[LibraryAsset]:
        return context.api.store.assets_of_job(job.id, limit=limit, cursor=cursor)

    page = gathered(read, rows_wanted(context, "made", ASSETS), cursor)
    title = _titles(context)
    return {"assets": [_asset(each, title) for each in page.items], "older": page.next_cursor}


def _asset(asset: LibraryAsset, title: Any) -> dict[str, Any]:
    facts = asset.facts
    return {
        "asset": asset,
        "item": item_of(asset.ordinal),
        "name": facts.get("name"),
        "source": title(str(facts.get("source"))),
        "from_ms": facts.get("begins_ms", facts.get("at_ms")),
        "to_ms": facts.get("ends_ms"),
    }


def _item(order: BatchOrder, number: int, title: Any, state: str) -> dict[str, Any]:
    item = order.item(number)
    return {"number": number, "job_id": item.source, "source": title(item.source), "span": item.span, "state": state}


def _titles(context: PageContext) -> Any:
    @cache
    def title(job_id: str) -> str:
        try:
            return title_of(context.say, context.api.store.job_card(context.owner, job_id))
        except NotFound:
            return job_id

    return title
