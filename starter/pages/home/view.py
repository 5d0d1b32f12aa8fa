"""The first page: a person's guides, in their folders; and the bin."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from fastapi.responses import Response

from activities.store.documents.guides import GuideCard, GuideSort
from activities.store.documents.searching import Hit
from activities.store.upkeep.bin import BinnedGuide
from domain.documents.guides import GuideState
from domain.erasure import BIN_DAYS
from domain.errors import RequestInvalid
from domain.lifecycles.standstill import Standstill
from domain.projects import ProjectRole
from domain.search import LONGEST_QUERY, Part, read_query
from starter.pages.exports.view import placed_formats
from starter.pages.new.view import form_facts
from starter.pages.shell.catalogue import Say, explained
from starter.pages.shell.context import Context, PageContext, offered
from starter.pages.shell.rendering import duration
from starter.pages.shell.status_view import Tone, told_to

router = APIRouter()

PAGE = 24
BIN_PAGE = 50
LAST_PLACE = 10_000
"""Of what was found: nobody leafs further."""

FORMATS = ("PDF", "DOCX", "HTML", "MD_ZIP", "SITE")
"""That many guides at once are exported to; and to places elsewhere, where these are set up."""

DEEDS = {
    "rename": "PATCH /guides/{job_id}",
    "move": "PATCH /jobs/{job_id}",
    "export": "POST /jobs/{job_id}/exports",
    "delete": "POST /guides/{job_id}/bin",
}
"""What is done with a guide from its card, and the route of the API that does it."""

_TONES = {
    GuideState.MAKING: Tone.BUSY,
    GuideState.READY: Tone.GOOD,
    GuideState.LOOK: Tone.WARN,
    GuideState.FAILED: Tone.BAD,
    GuideState.STOPPED: Tone.PLAIN,
}


@dataclass(frozen=True)
class Guide:
    """A guide on its card. Times in seconds. ``remark``: why somebody should look at it; ``may``: which of ``DEEDS``
    the visitor's role lets them do."""

    id: str
    title: str
    address: str
    instruction_id: str | None
    version_id: str | None
    picture: str | None
    state: str
    word: str
    tone: str
    steps: int | None
    folder: str
    progress: int
    working: bool
    elapsed_s: float
    changed_at: datetime
    made_at: datetime
    remark: str | None
    may: str


@router.get("/")
def home(context: Context, folder: str = "", sort: str = GuideSort.CHANGED, cursor: str = "") -> Response:
    """The guides of a folder, or all. A module of ours that asks again gets the list alone."""
    by = GuideSort(sort) if sort in list(GuideSort) else GuideSort.CHANGED
    folders = context.api.store.folders(context.owner)
    folder = folder if folder in {each.id for each in folders} else ""
    shown = _listed(context, folder, by, cursor)
    if context.is_partial:
        return context.page("home/list.html", **shown)
    return context.page(
        "home/home.html",
        modules=["home/home.js"],
        folders=folders,
        own_folders=[each for each in folders if each.owner == context.owner],
        total=sum(each.guides for each in folders),
        sorts=[(str(each), context.say(f"sort-{each}")) for each in GuideSort],
        formats=FORMATS,
        placed=placed_formats(context.api),
        new=form_facts(context),
        **shown,
    )


def _listed(context: PageContext, folder: str, by: GuideSort, cursor: str) -> dict[str, Any]:
    store = context.api.store
    chosen: dict[str, Any] = {"sort": by, "project_id": folder or None, "limit": PAGE}
    try:
        page = store.guides(context.owner, cursor=cursor or None, **chosen)
    except RequestInvalid:  # a cursor that somebody has cut, or of another order: from the beginning
        cursor, page = "", store.guides(context.owner, **chosen)
    asked = {
        name: value for name, value in (("folder", folder), ("sort", "" if by is GuideSort.CHANGED else by)) if value
    }
    return {
        "guides": _guides(context, page.items),
        "folder": folder,
        "by": by,
        "later": bool(cursor),
        "first_address": f"/?{urlencode(asked)}" if asked else "/",
        "next_address": f"/?{urlencode({**asked, 'cursor': page.next_cursor})}" if page.next_cursor else None,
    }


def _guides(context: PageContext, cards: Sequence[GuideCard]) -> list[Guide]:
    now, store = datetime.now(UTC), context.api.store
    still = store.stalled_jobs([card.job for card in cards])
    others = {card.job.project_id for card in cards if card.job.owner != context.owner}
    roles = store.roles_of(context.owner, others) if others else {}
    return [
        _guide(context, card, now, still.get(card.job.id), roles.get(card.job.project_id, ProjectRole.OWNER))
        for card in cards
    ]


def _guide(context: PageContext, card: GuideCard, now: datetime, still: Standstill | None, role: ProjectRole) -> Guide:
    say, job, making = context.say, card.job, card.state is GuideState.MAKING
    remark = None
    if job.failure:
        said = told_to(say, job.failure, operator=False)
        remark = explained(context.language, "error", job.failure.failure_code, said)
    if remark is None and card.state is GuideState.LOOK:
        remark = say("guide-look-draft" if card.version_id else "guide-look-recording")
    return Guide(
        id=job.id,
        title=title_of(say, card.title, card.file_name),
        address=f"/instructions/{job.instruction_id}" if job.instruction_id and not making else f"/jobs/{job.id}",
        instruction_id=job.instruction_id,
        version_id=card.version_id,
        picture=card.picture.id if card.picture else None,
        state=str(card.state),
        word=say("guide-still") if still else say(f"guide-{card.state}"),
        tone=Tone.WARN if still else _TONES[card.state],
        steps=card.steps or None,
        folder=card.project_name,
        progress=job.progress,
        working=making,
        elapsed_s=max(0.0, (now - job.created_at).total_seconds()),
        changed_at=card.changed_at,
        made_at=job.created_at,
        remark=remark,
        may=" ".join(deed for deed, route in DEEDS.items() if offered(role, route)),
    )


def title_of(say: Say, title: str | None, file_name: str | None) -> str:
    """What a guide is called: as its document is, its recording's file, or that it has no name yet."""
    return title or file_name or say("guide-untitled")


# --- the search

FOUND_PAGE = 20


@dataclass(frozen=True)
class Where:
    """A place in a guide, as it is shown and led to. ``text``: stretches of it, and whether each was looked for."""

    word: str
    address: str
    text: tuple[tuple[str, bool], ...]


@router.get("/search")
def search(context: Context, q: str = "", folder: str = "", at: int = 0) -> Response:
    """Guides that hold every word of ``q``. A module of ours that asks again gets what was found alone."""
    shown = _found(context, q[:LONGEST_QUERY].strip(), folder, max(0, min(at, LAST_PLACE)))
    if context.is_partial:
        return context.page("home/found.html", **shown)
    folders = context.api.store.folders(context.owner)
    return context.page("home/search.html", modules=["home/search.js"], folders=folders, **shown)


def _found(context: PageContext, asked: str, folder: str, at: int) -> dict[str, Any]:
    try:
        query = read_query(asked)
    except RequestInvalid:  # no word yet
        return {"asked": asked, "folder": folder, "query": None, "found": [], "next_address": None}
    found, more = context.api.store.search_guides(
        context.owner, query, project_id=folder or None, limit=FOUND_PAGE, place=at
    )
    guides = _guides(context, [each.card for each in found])
    further = {"q": asked, **({"folder": folder} if folder else {}), "at": at + FOUND_PAGE}
    return {
        "asked": asked,
        "folder": folder,
        "query": query,
        "found": [
            (guide, _places(context.say, guide, each.hits), each.more)
            for guide, each in zip(guides, found, strict=True)
        ],
        "next_address": f"/search?{urlencode(further)}" if more else None,
    }


def _places(say: Say, guide: Guide, hits: Sequence[Hit]) -> list[Where]:
    """Where it stands, and what leads there."""
    document = f"/instructions/{guide.instruction_id}"
    recording = f"/jobs/{guide.id}/transcript"
    places = []
    for hit in hits:
        passage = hit.passage
        if passage.at_ms is None:
            word = say("found-title-of" if hit.part is Part.TITLE else "found-text")
            word = say("found-step", number=passage.step) if passage.step else word
            address = f"{document}#block-{passage.block_id}" if passage.block_id else document
        else:
            word = say(f"found-{hit.part}", time=duration(passage.at_ms / 1000))
            address = f"{recording}#t={passage.at_ms}"
        places.append(Where(word, address, tuple(_stretches(hit))))
    return places


def _stretches(hit: Hit) -> Iterator[tuple[str, bool]]:
    last = 0
    for mark in hit.marks:
        yield hit.text[last : mark.start], False
        yield hit.text[mark.start : mark.end], True
        last = mark.end
    yield hit.text[last:], False


# --- the bin


@dataclass(frozen=True)
class Thrown:
    """A guide in the bin. ``days``: how long it is still there."""

    id: str
    title: str
    at: datetime
    days: int


@router.get("/bin")
def bin_(context: Context, cursor: str = "") -> Response:
    """What was thrown away, and can be given back."""
    store = context.api.store
    try:
        page = store.list_bin(context.owner, BIN_PAGE, cursor or None)
    except RequestInvalid:
        cursor, page = "", store.list_bin(context.owner, BIN_PAGE)
    now = store.now()
    shown: dict[str, Any] = {
        "thrown": [_thrown(context.say, each, now) for each in page.items],
        "later": bool(cursor),
        "next_address": f"/bin?{urlencode({'cursor': page.next_cursor})}" if page.next_cursor else None,
    }
    if context.is_partial:
        return context.page("home/bin_list.html", **shown)
    return context.page("home/bin.html", modules=["home/bin.js"], kept=BIN_DAYS, **shown)


def _thrown(say: Say, guide: BinnedGuide, now: datetime) -> Thrown:
    left = max(0, ceil((guide.goes_at - now).total_seconds() / 86400))
    title = title_of(say, guide.card.title, guide.card.file_name)
    return Thrown(guide.card.job.id, title, guide.binned_at, left)
