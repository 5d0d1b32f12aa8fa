"""A misheard word put right everywhere at once, and the glossary that keeps what was misheard."""

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Response
from pydantic import Field, StrictBool, StringConstraints

from domain.documents.correcting import MOST_PAIRS, MOST_PLACES, CorrectionSet, Place
from domain.errors import RequestInvalid
from domain.recordings.glossary import LONGEST_WORDS, How, Pair, Term
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.idempotency import OnceOnly
from starter.api.paging import Cursor, Limit
from starter.api.responses import errors
from starter.api.shapes import Line, Listed, Moment, Sent, Shape, VersionNumber
from starter.services.correcting import Correcting, FoundPlaces, check_pairs

router = APIRouter(tags=["corrections"])

Words = Annotated[Line, StringConstraints(max_length=LONGEST_WORDS)]


class PairSent(Sent):
    heard: Words = Field(description="What stands there, however its case is.")
    right: Words = Field(description="What it is, spelt as it is to be.")

    @property
    def pair(self) -> Pair:
        return Pair(heard=self.heard, right=self.right)


class PairAnswer(Shape):
    heard: str
    right: str


Pairs = Annotated[tuple[PairSent, ...], Field(min_length=1, max_length=MOST_PAIRS)]


class FindCorrections(Sent):
    """Either pairs, or the glossary's."""

    pairs: Annotated[tuple[PairSent, ...], Field(max_length=MOST_PAIRS)] = ()
    glossary: StrictBool = Field(default=False, description="All that your glossary has for the job's project.")


class MisheardPlace(Shape):
    id: str = Field(description="Holds as long as the text there stays the same.")
    pair: int = Field(description="Which of the pairs, from 0.")
    segment: int | None = Field(description="Of the transcript, from 0; else it is a block.")
    block_id: str | None
    start_ms: int | None = Field(description="When it is said.")
    before: str
    found: str
    after: str
    becomes: str
    how: How = Field(
        description="word: the words themselves, which is certain. inflected, compound (a part of a word with hyphens, "
        "or of a path), code, address, similar (it only sounds so): for you to decide."
    )
    certain: bool

    @classmethod
    def of(cls, place: Place) -> "MisheardPlace":
        return cls(**place.model_dump(), certain=place.is_certain)


class MisheardAnswer(Shape):
    pairs: tuple[PairAnswer, ...]
    places: tuple[MisheardPlace, ...] = Field(description="The document's first, in its order.")
    base_version: int | None = Field(description="The version that was looked at; null where there is no document yet.")
    more: bool = Field(description=f"There are more than the {MOST_PLACES} that are told at once.")

    @classmethod
    def of(cls, found: FoundPlaces) -> "MisheardAnswer":
        return cls(
            pairs=tuple(PairAnswer(**each.model_dump()) for each in found.pairs),
            places=tuple(map(MisheardPlace.of, found.places)),
            base_version=found.version,
            more=found.more,
        )


class NewCorrections(Sent):
    pairs: Pairs = Field(description="As they were looked for.")
    places: Annotated[tuple[Line, ...], Field(min_length=1, max_length=MOST_PLACES)] = Field(
        description="The ids of the places that are to be put right."
    )
    base_version: VersionNumber | None = Field(
        default=None, description="As it was told with the places; null where there was no document."
    )


class CorrectionSetAnswer(Shape):
    id: str
    job_id: str
    pairs: tuple[PairAnswer, ...]
    segments: int = Field(description="Of the transcript, that were corrected.")
    blocks: int = Field(description="Of the document, that were corrected.")
    version: int | None = Field(description="The version that it made.")
    undone_version: int | None = Field(description="The version that undid it.")
    made_at: Moment
    undone_at: Moment | None

    @classmethod
    def of(cls, made: CorrectionSet) -> "CorrectionSetAnswer":
        told = made.model_dump(include=set(cls.model_fields) - {"segments", "blocks"})
        return cls.model_validate({**told, "segments": len(made.segments), "blocks": len(made.blocks)})


class NewTerm(PairSent):
    project_id: Line | None = Field(default=None, description="Its recordings alone; null: those of all projects.")


class TermAnswer(Shape):
    id: str
    heard: str
    right: str
    project_id: str | None = Field(description="Null: it counts for all projects.")
    changed_at: Moment

    @classmethod
    def of(cls, term: Term) -> "TermAnswer":
        return cls(**term.model_dump(include=set(cls.model_fields)))


@router.post("/jobs/{job_id}/corrections/find", responses=errors(400, 404, 409, 413, 415))
def find_corrections(job_id: str, wanted: FindCorrections, api: ApiParts, owner: Owner) -> MisheardAnswer:
    """Where misheard words stand: in the transcript, and in the newest version of the instruction. Nothing changes."""
    if wanted.glossary == bool(wanted.pairs):
        raise RequestInvalid("Name pairs, or say glossary: one of the two.", field="pairs")
    correcting = _correcting(api)
    if wanted.glossary:
        return MisheardAnswer.of(correcting.find_known(owner, identifier(job_id)))
    return MisheardAnswer.of(correcting.find(owner, identifier(job_id), _pairs(wanted.pairs)))


@router.post("/jobs/{job_id}/corrections", status_code=201, responses=errors(400, 404, 409, 413, 415))
async def correct_everywhere(
    job_id: str, new: NewCorrections, api: ApiParts, owner: Owner, once: OnceOnly
) -> CorrectionSetAnswer:
    """Put misheard words right in the chosen places: in the transcript as corrections of its segments, in the
    instruction as one new version. All of it or nothing; it can be undone."""
    pairs, prepare = _pairs(new.pairs), _correcting(api).prepare
    make = await to_thread.run_sync(prepare, owner, identifier(job_id), pairs, new.places, new.base_version)
    answer = await to_thread.run_sync(once.answer, CorrectionSetAnswer, lambda: CorrectionSetAnswer.of(make()))
    if answer.version is not None:
        await api.documents.edited(answer.job_id)
    return answer


@router.post("/jobs/{job_id}/corrections/{set_id}/undo", responses=errors(404, 409, 413, 415))
def undo_corrections(job_id: str, set_id: str, api: ApiParts, owner: Owner) -> CorrectionSetAnswer:
    """Let everything read as it did before, but what was changed since. Once more: nothing."""
    return CorrectionSetAnswer.of(_correcting(api).undo(owner, identifier(job_id), identifier(set_id)))


@router.get("/glossary", responses=errors(400))
def list_terms(
    api: ApiParts,
    owner: Owner,
    project_id: Annotated[str | None, Query(description="That project's own; without it, all.")] = None,
    limit: Limit = 20,
    cursor: Cursor = None,
) -> Listed[TermAnswer]:
    """What you keep of misheard words, the last changed first."""
    page = api.store.list_terms(owner, project_id, limit, cursor)
    return Listed(items=tuple(map(TermAnswer.of, page.items)), next_cursor=page.next_cursor)


@router.post(
    "/glossary",
    status_code=201,
    responses={200: {"model": TermAnswer, "description": "It was there, and says this now."}, **errors(404, 413, 415)},
)
def keep_term(new: NewTerm, api: ApiParts, owner: Owner, response: Response) -> TermAnswer:
    """Keep what is misheard, and what is right: later recordings are corrected so, and other documents are offered it.
    What is heard so already gets the new words."""
    (pair,) = check_pairs([new.pair])
    project = identifier(new.project_id) if new.project_id is not None else None
    term, is_new = api.store.keep_term(owner, pair, project)
    response.status_code = 201 if is_new else 200
    return TermAnswer.of(term)


@router.delete("/glossary/{term_id}", status_code=204, response_class=Response, responses=errors(404, 413, 415))
def remove_term(term_id: str, api: ApiParts, owner: Owner) -> Response:
    """Keep it no longer. What was corrected by it stays so."""
    api.store.remove_term(owner, identifier(term_id))
    return Response(status_code=204)


def _pairs(sent: tuple[PairSent, ...]) -> tuple[Pair, ...]:
    return check_pairs([each.pair for each in sent])


def _correcting(api: Api) -> Correcting:
    return Correcting(api.store, api.artifacts)
