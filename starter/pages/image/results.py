"""The page of a picture: what was asked for, how it was judged, and the picture."""

from collections.abc import Mapping
from typing import Any

from domain.jobs import Job
from domain.lifecycles.image import COMPLETED, REJECTED
from domain.orders.picture import PictureOrder
from starter.pages.kinds.tries import next_try_at
from starter.pages.shell.context import PageContext


def image(context: PageContext, job: Job) -> Mapping[str, Any]:
    """``asset`` is ``None`` before there is one; ``next_try_at`` is set while the job waits for its next try."""
    order = PictureOrder.model_validate(context.api.store.job_input(job.id).input)
    return {
        "prompt": order.prompt,
        "size": order.size,
        "params": {name: value for name, value in order.params.items() if name != "size"},
        "asset": next(iter(context.api.store.library_of_job(job.id)), None),
        "verdict": _verdict(context, job),
        "next_try_at": next_try_at(context, job),
    }


def _verdict(context: PageContext, job: Job) -> str | None:
    """How the prompt was judged; ``None`` while it is not."""
    if job.status == REJECTED:
        return "rejected"
    if not context.api.settings.moderation_base_url:
        return "unmoderated"
    return "passed" if job.status == COMPLETED else None
