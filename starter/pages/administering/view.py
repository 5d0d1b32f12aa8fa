"""Everybody's jobs, for administrators: found, looked at, stopped, retried, and reviewed where they were given up.

Who is none is told what they are told of a page that there is not. What a job is about (titles, prompts, files) is not
shown: it is its owner's.
"""

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from fastapi.responses import Response

from domain.errors import NotFound, RequestInvalid
from domain.jobs import Job
from domain.lifecycles.instruction import RETRY
from domain.lifecycles.kinds import GIVEN_UP, LIFECYCLES
from domain.lifecycles.lifecycle import Trigger
from starter.api.context import identifier
from starter.pages.job.view import engine_address
from starter.pages.shell.context import Context, PageContext
from starter.pages.shell.status_view import status_word, tone_of

router = APIRouter()

PAGE = 50


@router.get("/behind")
def behind(context: Context) -> Response:
    """Where what runs behind the guides is looked after."""
    _check(context)
    return context.page("administering/behind.html", engine=context.api.settings.temporal_ui_url)


@router.get("/administration")
def everybodys(context: Context, place: str = "", user: str = "", review: str = "", cursor: str = "") -> Response:
    """The jobs that fit. ``place``: a kind, or a kind and a status of its own."""
    _check(context)
    wanted = {"place": place, "user": user.strip(), "review": "yes" if review else ""}
    kind, _, status = place.partition("/")
    if kind not in LIFECYCLES:
        kind = status = wanted["place"] = ""
    elif status not in [str(each) for each in LIFECYCLES[kind].statuses]:
        status, wanted["place"] = "", kind
    chosen: dict[str, Any] = {
        "owner": wanted["user"] or None,
        "kind": kind or None,
        "status": status or None,
        "to_review": bool(review),
        "limit": PAGE,
    }
    try:
        page = context.api.store.list_all_jobs(cursor=cursor or None, **chosen)
    except RequestInvalid:  # a cursor that somebody has cut: from the beginning
        cursor, page = "", context.api.store.list_all_jobs(**chosen)
    asked = {name: value for name, value in wanted.items() if value}
    further = {**asked, "cursor": page.next_cursor} if page.next_cursor else None
    still = context.api.store.stalled_jobs(page.items)
    return context.page(
        "administering/jobs.html",
        wanted=wanted,
        places={kind: [str(each) for each in table.statuses] for kind, table in LIFECYCLES.items()},
        rows=[_row(context, job) | {"still": still.get(job.id)} for job in page.items],
        narrowed=bool(asked) or bool(cursor),
        first_address=f"/administration?{urlencode(asked)}" if cursor else None,
        next_address=f"/administration?{urlencode(further)}" if further else None,
    )


@router.get("/administration/{job_id}")
def anybodys(job_id: str, context: Context, cursor: str | None = None) -> Response:
    """One of them, with what happened to it and what can be done."""
    _check(context)
    store = context.api.store
    job = store.anybodys_job(identifier(job_id))
    lifecycle = LIFECYCLES[job.kind]
    status = lifecycle.status(job.status)
    log = store.history(job.owner, job.id, PAGE, cursor)
    return context.page(
        "administering/job.html",
        modules=["administering/administering.js"],
        kind=job.kind,
        still=store.stalled_jobs((job,)).get(job.id),
        can_cancel=lifecycle.may_cancel(status, Trigger.API),
        can_retry=any(
            row.source == status and row.action == RETRY and Trigger.ADMIN in row.triggers
            for row in lifecycle.transitions
        ),
        given_up=status == GIVEN_UP[job.kind],
        review=store.review_of(job),
        engine_address=engine_address(context, job),
        log=log.items,
        older=log.next_cursor,
        **_row(context, job),
    )


def _row(context: PageContext, job: Job) -> dict[str, Any]:
    return {
        "job": job,
        "kind_word": context.say(f"kind-{job.kind}"),
        "word": status_word(context.say, job.kind, job.status),
        "tone": tone_of(job.kind, job.status),
    }


def _check(context: PageContext) -> None:
    """Raises: NotFound: the visitor is no administrator."""
    if not context.is_admin:
        raise NotFound
