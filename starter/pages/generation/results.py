"""The page of a generation: what was ordered, from whom, and what they made."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from domain.jobs import Job
from domain.library import AssetMedium, LibraryAsset
from domain.lifecycles.generation import PROCESSING, SUBMITTED
from domain.orders.generation import read_order
from starter.pages.kinds.prose import prose
from starter.pages.kinds.tries import next_try_at
from starter.pages.shell.context import PageContext

MARKDOWN = "text/markdown"
TEXT_SHOWN = 200_000
"""Characters of a text that the page shows; the file has the rest."""

SHOWN_FIRST = ("prompt", "text", "url")
"""What an order is about; the rest of it are details."""


def generation(context: PageContext, job: Job) -> Mapping[str, Any]:
    """``text`` of a document is shown as it is, ``html`` where it is Markdown."""
    order = read_order(context.api.store.job_input(job.id).input)
    facts = order.model_dump(exclude={"type"}, exclude_none=True)
    asset = next(iter(context.api.store.library_of_job(job.id)), None)
    text = _text(context, asset)
    html = prose(text) if text is not None and asset is not None and asset.blob.media_type == MARKDOWN else None
    return {
        "type": str(order.type),
        "about": next(facts[name] for name in SHOWN_FIRST if name in facts),
        "details": {name: value for name, value in facts.items() if name not in (*SHOWN_FIRST, "params")},
        "params": facts.get("params", {}),
        "asset": asset,
        "text": text,
        "html": html,
        "cut": text is not None and len(text) >= TEXT_SHOWN,
        "next_try_at": next_try_at(context, job),
        "awaited_until": _deadline(context, job) if order.type in SUBMITTED else None,
    }


def _text(context: PageContext, asset: LibraryAsset | None) -> str | None:
    if asset is None or asset.medium is not AssetMedium.DOCUMENT:
        return None
    return context.api.artifacts.read_bytes(asset.blob).decode("utf-8", "replace")[:TEXT_SHOWN]


def _deadline(context: PageContext, job: Job) -> datetime | None:
    """Until when the provider's word is awaited. One that answers at once is not waited for."""
    if job.status != PROCESSING or not context.api.settings.predictions_base_url:
        return None
    rows = context.api.store.status_rows(job.id, job.attempt)
    began = next((row.occurred_at for row in reversed(rows) if row.prev_status != row.new_status), None)
    return began + timedelta(seconds=context.api.settings.predictions_deadline_s) if began else None
