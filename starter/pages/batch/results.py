"""The page of a batch: how far each item is, what went wrong with those that did, and what was made, in the order of
the request. What is far from the window is asked for once somebody comes near (``results.js``)."""

import base64
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

from activities.stages.batch import order_of
from domain.artifacts import Blob
from domain.errors import ArtifactCorrupt, ArtifactMissing, NotFound
from domain.jobs import Job
from domain.library import LibraryAsset
from domain.lifecycles.batch import BatchType
from domain.orders.batch import BatchOrder, item_of
from starter.pages.shell.context import PageContext
from starter.pages.shell.status_view import title_of

ERRORS_SHOWN = 60
"""Of all that there are; each item says its own as well."""

ASSETS_AT_ONCE = 25
"""In one answer: a thousand clips are forty answers, each of 0.25 MB with its posters. Twice as much takes the browser
half a frame to decode and another to parse (Chromium's trace)."""

READ_AT_ONCE = 8
"""Posters: each is a request of its own where the object store is another machine."""


def batch(context: PageContext, job: Job) -> Mapping[str, Any]:
    """``items`` are the first ones; ``rest`` the numbers of those behind them; ``errors`` of all that failed."""
    store = context.api.store
    order = order_of(store, job.id)
    settled, errors = store.settled_items(job.id), store.item_errors(job.id)
    title = _titles(context)
    at_once = items_at_once(order)
    return {
        "type": str(order.job_type),
        "count": order.items,
        "at_once": at_once,
        "done": settled.done,
        "failed": settled.failed,
        "items": () if context.is_partial else items_shown(context, job, 1),
        "rest": range(at_once + 1, order.items + 1),
        "errors": [
            {
                "number": each.number,
                "source": title(order.item(each.number).source),
                "span": order.item(each.number).span,
                "code": each.failure_code,
                "message": each.failure_message,
            }
            for each in errors[:ERRORS_SHOWN]
        ],
        "more_errors": max(0, len(errors) - ERRORS_SHOWN),
    }


def items_at_once(order: BatchOrder) -> int:
    """Items of one answer."""
    each = {BatchType.THUMBNAILS: order.stills + 1, BatchType.CAPTIONS: len(order.formats)}
    return max(1, ASSETS_AT_ONCE // each.get(order.job_type, 1))


def items_shown(context: PageContext, job: Job, first: int) -> list[dict[str, Any]]:
    """The items from number ``first`` on, as many as one answer has. Raises: NotFound: there is no such one, or the job
    is no batch."""
    store = context.api.store
    order = order_of(store, job.id)
    among = range(first, min(first + items_at_once(order), order.items + 1))
    if first < 1 or not among:
        raise NotFound
    title = _titles(context)
    made: dict[int, list[LibraryAsset]] = {}
    for asset in store.assets_of_items(job.id, among):
        made.setdefault(item_of(asset.ordinal), []).append(asset)
    errors = {each.number: each for each in store.item_errors(job.id, among)}
    done = store.done_items(job.id, among)
    posters = _posters(context, [asset for assets in made.values() for asset in assets])
    return [
        {
            "number": number,
            "job_id": order.item(number).source,
            "source": title(order.item(number).source),
            "span": order.item(number).span,
            "state": "failed" if number in errors else "done" if number in done else "waiting",
            "error": errors.get(number),
            "assets": [
                {"asset": each, **_facts(each), "poster": posters.get(each.id)} for each in made.get(number, ())
            ],
        }
        for number in among
    ]


def _facts(asset: LibraryAsset) -> dict[str, Any]:
    facts = asset.facts
    return {"name": str(facts.get("name", "")), "from_ms": facts.get("begins_ms"), "to_ms": facts.get("ends_ms")}


def _posters(context: PageContext, assets: list[LibraryAsset]) -> dict[str, str]:
    """What stands for each asset, by its id: with the answer itself, for fifty are fifty requests otherwise."""
    small = [(each.id, each.thumbnail) for each in assets if each.thumbnail is not None]
    if not small:
        return {}

    def read(blob: Blob) -> str | None:
        try:
            data = context.api.artifacts.read_bytes(blob)
        except (ArtifactMissing, ArtifactCorrupt):
            return None
        return f"data:{blob.media_type};base64,{base64.b64encode(data).decode()}"

    with ThreadPoolExecutor(READ_AT_ONCE) as readers:
        found = readers.map(read, [blob for _, blob in small])
        return {name: data for (name, _), data in zip(small, found, strict=True) if data is not None}


def _titles(context: PageContext) -> Callable[[str], str]:
    @cache
    def title(job_id: str) -> str:
        try:
            return title_of(context.say, context.api.store.job_card(context.owner, job_id))
        except NotFound:
            return job_id

    return title
