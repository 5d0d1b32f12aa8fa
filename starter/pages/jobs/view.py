"""A person's jobs of every kind, newest first, found by what they are and by what is in their names."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from fastapi.responses import Response

from domain.errors import RequestInvalid
from domain.lifecycles.kinds import LIFECYCLES
from starter.pages.projects.view import projects_to_make_in
from starter.pages.shell.context import Context, PageContext
from starter.pages.shell.status_view import Group, row_of, status_options

router = APIRouter()

PAGE = 20


@router.get("/jobs")
def jobs(
    context: Context, kind: str = "", state: str = "", project: str = "", search: str = "", cursor: str = ""
) -> Response:
    """The jobs that fit. A module of ours that asks again gets the list alone."""
    wanted = {"kind": kind, "state": state, "project": project, "search": search}
    shown = _listed(context, wanted, cursor)
    if context.is_partial:
        return context.page("jobs/list.html", **shown)
    return context.page(
        "jobs/jobs.html",
        modules=["jobs/jobs.js"],
        wanted=wanted,
        kinds=[(each, context.say(f"kind-{each}")) for each in LIFECYCLES],
        states=[(each.value, context.say(f"state-{each}")) for each in Group],
        projects=projects_to_make_in(context),
        **shown,
    )


def _listed(context: PageContext, wanted: Mapping[str, str], cursor: str) -> dict[str, Any]:
    kind = wanted["kind"] if wanted["kind"] in LIFECYCLES else None
    group = Group(wanted["state"]) if wanted["state"] in list(Group) else None
    chosen: dict[str, Any] = {
        "kind": kind,
        "statuses": status_options(group) if group else None,
        "project_id": wanted["project"] or None,
        "search": wanted["search"],
        "shared": True,
        "limit": PAGE,
    }
    try:
        page = context.api.store.job_cards(context.owner, cursor=cursor or None, **chosen)
    except RequestInvalid:  # a cursor that somebody has cut: from the beginning
        cursor, page = "", context.api.store.job_cards(context.owner, **chosen)
    now, still = datetime.now(UTC), context.api.store.stalled_jobs([card.job for card in page.items])
    asked = {name: value for name, value in wanted.items() if value}
    return {
        "rows": [row_of(context.say, card, now, still) for card in page.items],
        "narrowed": bool(asked),
        "later": bool(cursor),
        "first_address": f"/jobs?{urlencode(asked)}" if asked else "/jobs",
        "next_address": f"/jobs?{urlencode({**asked, 'cursor': page.next_cursor})}" if page.next_cursor else None,
    }
