"""One job: where it is on its way, what went on, what went wrong and what to do about it."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from domain.artifacts import ArtifactKind
from domain.credits import GIVEN_BACK
from domain.errors import NotFound, needs_another_recording
from domain.jobs import Job
from domain.lifecycles.batch import BATCH
from domain.lifecycles.instruction import INSTRUCTION
from domain.lifecycles.kinds import LIFECYCLES, STARTS
from domain.lifecycles.lifecycle import Trigger
from domain.lifecycles.resume import CHECKPOINT_ARTIFACT, starting_checkpoint
from starter.api.context import identifier
from starter.pages.analysis.results import analysis
from starter.pages.batch.results import batch, items_shown
from starter.pages.generation.results import generation
from starter.pages.image.results import image
from starter.pages.shell.context import Context, PageContext
from starter.pages.shell.longer_lists import gathered, rows_wanted
from starter.pages.shell.status_view import failure_words, row_of, status_word, steps_of, title_of

router = APIRouter()

LOG_PAGE = 30

Results = Callable[[PageContext, Job], Mapping[str, Any]]

RESULTS: dict[str, Results] = {"image": image, "generation": generation, "batch": batch, "analysis": analysis}
"""What the page of a kind shows beside what every kind's has: facts for ``<kind>/results.html``."""

MODULES: dict[str, str] = {
    "generation": "generation/results.js",
    "analysis": "analysis/results.js",
    "batch": "batch/results.js",
}
"""What runs in the browser on the page of a kind, beside what runs for all."""


@router.get("/jobs/{job_id}")
def job(job_id: str, context: Context) -> Response:
    """The job. A module of ours that asks again gets what may have changed."""
    shown = _shown(context, identifier(job_id))
    if context.is_partial:
        return context.page("job/body.html", **shown)
    modules = ["job/job.js", *(each for kind, each in MODULES.items() if kind == shown["kind"])]
    return context.page("job/job.html", modules=modules, **shown)


@router.get("/jobs/{job_id}/log")
def log_rows(job_id: str, context: Context, cursor: str) -> Response:
    """Older rows of the job's audit trail."""
    kind = context.api.store.get_job(identifier(job_id), owner=context.owner).kind
    page = context.api.store.history(context.owner, job_id, LOG_PAGE, cursor)
    return context.page("job/log.html", job_id=job_id, kind=kind, log=page.items, older=page.next_cursor)


@router.get("/jobs/{job_id}/items")
def items(job_id: str, context: Context, first: int) -> Response:
    """Items of a batch from a number on, with what they made."""
    job = context.api.store.get_job(identifier(job_id), owner=context.owner)
    if job.kind != BATCH.kind:
        raise NotFound
    return context.page("batch/items.html", items=items_shown(context, job, first))


def _shown(context: PageContext, job_id: str) -> dict[str, Any]:
    store = context.api.store
    card = store.job_card(context.owner, job_id)
    found = card.job
    lifecycle = LIFECYCLES[found.kind]
    status = lifecycle.status(found.status)
    row = row_of(context.say, card, datetime.now(UTC), store.stalled_jobs((found,)))
    log = gathered(partial(store.history, context.owner, job_id), rows_wanted(context, "log", LOG_PAGE))
    results = RESULTS.get(found.kind)
    return {
        "job": found,
        "job_id": found.id,
        "kind": found.kind,
        "row": row,
        "title": title_of(context.say, card),
        "over": lifecycle.is_terminal(status),
        "steps": steps_of(context.say, found.kind, found.status, store.status_rows(job_id, found.attempt)),
        "given_back": (found.kind, status) in GIVEN_BACK,
        # a guide that is written is thrown away: to cancel it would end it, and delete nothing
        "can_cancel": lifecycle.may_cancel(status, Trigger.API)
        and context.offers("POST /jobs/{job_id}/cancel")
        and found.instruction_id is None,
        "has_transcript": found.kind == INSTRUCTION.kind and _has(context, found.id, ArtifactKind.TRANSCRIPT),
        "may_drop_recording": context.offers("DELETE /jobs/{job_id}/recording") and store.recording_may_go(found),
        "retry_from": _retry_from(context, found) if context.offers("POST /jobs/{job_id}/retry") else None,
        "needs_another": bool(found.failure and needs_another_recording(found.failure.failure_code)),
        "failure": failure_words(context, found.failure),
        "engine_address": engine_address(context, found),
        "log": log.items,
        "older": log.next_cursor,
        "results": results(context, found) if results else None,
    }


def _retry_from(context: PageContext, job: Job) -> str | None:
    """Where its owner's retry would resume, in words; ``None``: they cannot retry it.

    What is there is looked at, not read through: the retry itself verifies it, and begins earlier where it must.
    """
    if not context.api.jobs.may_be_retried(job):
        return None
    if job.kind != INSTRUCTION.kind:
        return status_word(context.say, job.kind, str(STARTS[job.kind]))
    there = {kind: _has(context, job.id, kind) for kind in CHECKPOINT_ARTIFACT.values()}
    return status_word(context.say, job.kind, str(starting_checkpoint(there)))


def _has(context: PageContext, job_id: str, kind: ArtifactKind) -> bool:
    return context.api.store.latest_artifact(job_id, kind) is not None


def engine_address(context: PageContext, job: Job) -> str | None:
    """The job's run in the Temporal UI, where the operator has said where that is."""
    root = context.api.settings.temporal_ui_url
    return f"{root.rstrip('/')}/workflows/{job.id}" if root and job.dispatch_id else None
