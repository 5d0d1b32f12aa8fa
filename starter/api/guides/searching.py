"""The search in guides."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field

from activities.store.documents.searching import FoundGuide, Hit
from domain.search import LONGEST_QUERY, Part, read_query
from starter.api.context import Api, ApiParts, Owner
from starter.api.guides.routes import GuideAnswer
from starter.api.paging import Limit, OpaqueCursor, place_cursor, place_of
from starter.api.responses import errors
from starter.api.shapes import Listed, Shape

router = APIRouter(prefix="/guides", tags=["guides"])

CURSOR = "guides"


class Mark(Shape):
    """A stretch of the text, in code points."""

    start: int
    end: int


class HitAnswer(Shape):
    part: Part = Field(description="What of the guide it is in.")
    text: str = Field(description="What stands there, cut to what is around it.")
    marks: tuple[Mark, ...] = Field(description="Where in `text` the words are that were looked for.")
    block_id: str | None = Field(description="In a step: its block.")
    step: int | None = Field(description="Its number, where the block is a step.")
    at_ms: int | None = Field(description="In the transcript or on the screen: when, in the recording.")

    @classmethod
    def of(cls, hit: Hit) -> "HitAnswer":
        marks = tuple(Mark(start=each.start, end=each.end) for each in hit.marks)
        where = hit.passage
        return cls(
            part=hit.part, text=hit.text, marks=marks, block_id=where.block_id, step=where.step, at_ms=where.at_ms
        )


class FoundAnswer(Shape):
    guide: GuideAnswer
    hits: tuple[HitAnswer, ...]
    more_hits: int = Field(description="How many there are in this guide besides.")

    @classmethod
    def of(cls, api: Api, request: Request, found: FoundGuide) -> "FoundAnswer":
        hits = tuple(HitAnswer.of(each) for each in found.hits)
        return cls(guide=GuideAnswer.of(api, request, found.card), hits=hits, more_hits=found.more)


@router.get("/search", responses=errors(400))
def search_guides(
    api: ApiParts,
    owner: Owner,
    request: Request,
    q: Annotated[
        str,
        Query(
            max_length=LONGEST_QUERY,
            description="Words that a guide holds, whatever their case and accents; each finds what begins with it. In "
            'quotes: just these words, one behind the other ("Endpoint URL").',
        ),
    ] = "",
    project_id: Annotated[str | None, Query(max_length=100, pattern=r"^[A-Za-z0-9-]*$")] = None,
    limit: Limit = 20,
    cursor: OpaqueCursor = None,
) -> Listed[FoundAnswer]:
    """Guides that you may see and that hold every word, in their titles, their steps, what was said in their
    recordings, and what stood on the screen: with where it is. First those that have it in the title, then in the
    steps, then elsewhere. What a guide said a moment ago is found at once; a new recording as soon as it was indexed,
    some seconds later."""
    place = place_of(CURSOR, cursor)
    found, more = api.store.search_guides(owner, read_query(q), project_id=project_id or None, limit=limit, place=place)
    items = tuple(FoundAnswer.of(api, request, each) for each in found)
    return Listed(items=items, next_cursor=place_cursor(CURSOR, place + limit) if more else None)
