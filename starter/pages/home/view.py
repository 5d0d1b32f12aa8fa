"""The first page: a person's jobs, newest first, found by what they are and by what is in their names."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from fastapi.responses import Response

from domain.errors import RequestInvalid
from domain.lifecycles.kinds import LIFECYCLES
from starter.pages.new.view import form_facts
from starter.pages.shell.status_view import Group, row_of, standings
from starter.pages.shell.visit import Visit, Visiting

router = APIRouter()

PAGE = 20


@router.get("/")
def home(
    visit: Visiting, kind: str = "", state: str = "", project: str = "", search: str = "", cursor: str = ""
) -> Response:
    """The jobs that fit. A module of ours that asks again gets the list alone."""
    wanted = {"kind": kind, "state": state, "project": project, "search": search}
    shown = _listed(visit, wanted, cursor)
    if visit.is_partial:
        return visit.page("home/list.html", **shown)
    return visit.page(
        "home/home.html",
        modules=["home/home.js"],
        wanted=wanted,
        kinds=[(each, visit.say(f"kind-{each}")) for each in LIFECYCLES],
        states=[(each.value, visit.say(f"state-{each}")) for each in Group],
        new=form_facts(visit),
        **shown,
    )


def _listed(visit: Visit, wanted: Mapping[str, str], cursor: str) -> dict[str, Any]:
    kind = wanted["kind"] if wanted["kind"] in LIFECYCLES else None
    group = Group(wanted["state"]) if wanted["state"] in list(Group) else None
    chosen: dict[str, Any] = {
        "kind": kind,
        "standings": standings(group) if group else None,
        "project_id": wanted["project"] or None,
        "search": wanted["search"],
        "limit": PAGE,
    }
    try:
        page = visit.api.store.job_cards(visit.owner, cursor=cursor or None, **chosen)
    except RequestInvalid:  # a cursor that somebody has cut: from the beginning
        cursor, page = "", visit.api.store.job_cards(visit.owner, **chosen)
    now, still = datetime.now(UTC), visit.api.store.standing_still([card.job for card in page.items])
    asked = {name: value for name, value in wanted.items() if value}
    return {
        "rows": [row_of(visit.say, card, now, still) for card in page.items],
        "narrowed": bool(asked),
        "later": bool(cursor),
        "first_address": f"/?{urlencode(asked)}" if asked else "/",
        "next_address": f"/?{urlencode({**asked, 'cursor': page.next_cursor})}" if page.next_cursor else None,
    }
