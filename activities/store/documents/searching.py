"""The search in guides: what of each is indexed, and where what somebody looks for stands.

A document is indexed in the transaction that saves its version. Transcripts and what was read off screens lie in the
artifact store: a worker indexes them soon after they are there (``activities/upkeep/indexing.py``), and everything that
was there before there was an index. What was indexed last stands in ``search_sources``.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, and_, case, delete, func, insert, or_, select

from activities.store import rows
from activities.store.database import inserting
from activities.store.documents.corrections import corrections_of
from activities.store.documents.guides import GuideCard, cards_of, changed_at
from activities.store.fulltext import holds
from activities.store.jobs.locking import not_found
from activities.store.jobs.memberships import seen_by
from activities.store.repository import Repository
from activities.store.tables import (
    artifacts,
    instruction_versions,
    instructions,
    jobs,
    search_sources,
    search_texts,
)
from domain.artifacts import Artifact, ArtifactKind
from domain.documents.guides import passages_of
from domain.jobs import Frozen
from domain.lifecycles.instruction import INSTRUCTION
from domain.recordings.corrections import Correction
from domain.search import BETWEEN, Part, Passage, Piece, Query, Span, excerpt, pieces

DOCUMENT = "document"
OF_RECORDING: Mapping[str, Part] = {
    str(ArtifactKind.TRANSCRIPT): Part.TRANSCRIPT,
    str(ArtifactKind.SCREEN): Part.SCREEN,
}
"""What else is indexed of a guide: artifacts by their kind."""

HITS_SHOWN = 4
"""Of one guide in a list of what was found."""

_RANK = case({part: place for place, part in enumerate(Part)}, value=search_texts.c.part)


class Hit(Frozen):
    """Where something stands in a guide. ``text`` is cut to what is around it, ``marks`` are places in it."""

    part: Part
    passage: Passage
    text: str
    marks: tuple[Span, ...]


class FoundGuide(Frozen):
    """A guide that holds every term. ``more``: hits beside those that are shown."""

    card: GuideCard
    hits: tuple[Hit, ...]
    more: int


class Unindexed(NamedTuple):
    """What is to be indexed: of which job, and the artifact; ``None``: its document."""

    job_id: str
    artifact: Artifact | None


class Searching(Repository):
    def search_guides(
        self, owner: str, query: Query, *, project_id: str | None = None, limit: int = 20, place: int = 0
    ) -> tuple[tuple[FoundGuide, ...], bool]:
        """Guides that ``owner`` may see and that hold every term of ``query``, wherever in the guide each is: those
        first that have it in their titles, then in their steps, what was said, what was shown; of these, what changed
        last.

        Args:
            place: How many to leave out, which were answered before.

        Returns:
            At most ``limit``, and whether there are more.
        """
        with self._database.read() as connection:
            ranked = connection.execute(
                _ranked(connection, owner, query, project_id).limit(limit + 1).offset(place)
            ).all()
            ids = [job_id for job_id, _ in ranked[:limit]]
            cards = cards_of(connection, owner, ids)
            hits = _hits(connection, query, ids)
        found = (FoundGuide(card=cards[each], hits=hits[each][0], more=hits[each][1]) for each in ids if each in cards)
        return tuple(found), len(ranked) > limit

    def unindexed(self, limit: int = 20) -> tuple[Unindexed, ...]:
        """What of guides is not indexed, or has changed since: some of it, the oldest first."""
        with self._database.read() as connection:
            documents = list(connection.execute(_unindexed_documents().limit(limit)).scalars())
            of_recordings = connection.execute(_unindexed_artifacts().limit(limit)).mappings().all()
        found = (*(Unindexed(job_id, None) for job_id in documents), *_unindexed(of_recordings))
        return found[:limit]

    def index_document(self, job_id: str) -> None:
        """Index the newest version of a job's document, which no save has. Raises: NotFound: it has none (any more)."""
        with self._database.read() as connection:
            newest = _NEWEST.where(instructions.c.job_id == job_id, instructions.c.translation_of.is_(None))
            version = connection.execute(newest).mappings().one_or_none()
        if version is None:
            raise not_found()
        known = rows.version(version)
        indexed = document_pieces(known.title, known.markdown, known.evidence)
        with self._database.write() as connection:
            mine = instructions.c.job_id == job_id, instructions.c.translation_of.is_(None)
            locked = select(instructions.c.current_version).where(*mine).with_for_update()
            if connection.scalar(locked) == known.version:  # else a save was faster, and has indexed its own
                put_document(connection, job_id, known.id, indexed, self._clock())

    def index_artifact(
        self, artifact: Artifact, passages: Iterable[Passage], corrections: Sequence[Correction] = ()
    ) -> None:
        """Index what a transcript says, as it is corrected, or what stood on a screen. Where the corrections are
        others by now, nothing is: that comes again."""
        kind, job_id = str(artifact.kind), artifact.job_id
        part = OF_RECORDING[kind]
        made = tuple(pieces(part, passages))
        locked = select(jobs.c.id).where(jobs.c.id == job_id).with_for_update()
        with self._database.write() as connection:
            there = connection.execute(locked).first() is not None
            if there and (part is not Part.TRANSCRIPT or corrections_of(connection, job_id) == tuple(corrections)):
                _put(connection, job_id, kind, artifact.id, (part,), made, self._clock())


def document_pieces(title: str, markdown: str, evidence: Sequence[Mapping[str, Any]]) -> tuple[Piece, ...]:
    """What is indexed of a version: its title, and its blocks. A large text takes a while: call it before the
    transaction."""
    return (
        *pieces(Part.TITLE, (Passage(text=title),)),
        *pieces(Part.STEP, passages_of(markdown, evidence)),
    )


def put_document(connection: Connection, job_id: str, version_id: str, indexed: Sequence[Piece], now: datetime) -> None:
    """Index a version in the transaction that makes it the newest."""
    _put(connection, job_id, DOCUMENT, version_id, (Part.TITLE, Part.STEP), indexed, now)


def _put(
    connection: Connection,
    job_id: str,
    source: str,
    made_of: str,
    parts: Sequence[Part],
    indexed: Sequence[Piece],
    now: datetime,
) -> None:
    before = search_texts.c.job_id == job_id, search_texts.c.part.in_([str(each) for each in parts])
    connection.execute(delete(search_texts).where(*before))
    if indexed:
        made = [
            {
                "job_id": job_id,
                "part": str(each.part),
                "piece": each.number,
                "passages": [passage.model_dump(exclude_none=True) for passage in each.passages],
                "words": each.words,
            }
            for each in indexed
        ]
        connection.execute(insert(search_texts), made)
    row = {"job_id": job_id, "source": source, "made_of": made_of, "indexed_at": now}
    known = inserting(connection, search_sources).values(row)
    changed = {"made_of": made_of, "indexed_at": now}
    connection.execute(known.on_conflict_do_update(index_elements=["job_id", "source"], set_=changed))


def _ranked(connection: Connection, owner: str, query: Query, project_id: str | None) -> Select[Any]:
    """Each term is looked for once, in its own grouped query, which no planner can ask row by row."""
    dialect = connection.dialect.name
    best = [
        select(search_texts.c.job_id, func.min(_RANK).label("rank"))
        .where(holds(dialect, search_texts.c.id, search_texts.c.words, (term,)))
        .group_by(search_texts.c.job_id)
        .subquery()
        for term in query.terms
    ]
    first, *others = best
    ranks = [each.c.rank for each in best]
    smallest = func.least if dialect == "postgresql" else func.min
    rank = smallest(*ranks) if others else first.c.rank
    found = select(jobs.c.id, rank).join(first, first.c.job_id == jobs.c.id)
    for each in others:
        found = found.join(each, each.c.job_id == first.c.job_id)
    found = found.outerjoin(instructions, instructions.c.id == jobs.c.instruction_id).where(
        seen_by(connection, owner), jobs.c.kind == INSTRUCTION.kind
    )
    if project_id is not None:
        found = found.where(jobs.c.project_id == project_id)
    return found.order_by(rank, changed_at().desc(), jobs.c.id.desc())


def _hits(connection: Connection, query: Query, job_ids: Sequence[str]) -> dict[str, tuple[tuple[Hit, ...], int]]:
    """Of each job the passages that hold the most terms, in the order of the guide, and how many more there are."""
    texts = select(search_texts).where(
        search_texts.c.job_id.in_(job_ids),
        holds(connection.dialect.name, search_texts.c.id, search_texts.c.words, query.terms),
    )
    found: dict[str, list[tuple[int, int, int, Part, Mapping[str, Any]]]] = {each: [] for each in job_ids}
    for row in connection.execute(texts.order_by(search_texts.c.piece)).mappings():
        part = Part(row["part"])
        words = row["words"].split(f" {BETWEEN}")
        for passage, chunk in zip(row["passages"], words, strict=False):
            if (terms := query.terms_in(chunk)) > 0:
                some = found[row["job_id"]]
                some.append((-terms, list(Part).index(part), len(some), part, passage))
    return {
        job_id: (
            tuple(_hit(query, part, passage) for *_, part, passage in sorted(some, key=_order)[:HITS_SHOWN]),
            max(0, len(some) - HITS_SHOWN),
        )
        for job_id, some in found.items()
    }


def _order(one: tuple[int, int, int, Part, Mapping[str, Any]]) -> tuple[int, int, int]:
    return one[:3]


def _hit(query: Query, part: Part, passage: Mapping[str, Any]) -> Hit:
    known = Passage.model_validate(passage)
    text, marks = excerpt(known.text, query.spans_in(known.text))
    return Hit(part=part, passage=known, text=text, marks=marks)


_NEWEST = (
    select(instruction_versions, instructions.c.job_id, instructions.c.owner)
    .select_from(instructions)
    .join(
        instruction_versions,
        and_(
            instruction_versions.c.instruction_id == instructions.c.id,
            instruction_versions.c.version == instructions.c.current_version,
        ),
    )
)


def _unindexed_documents() -> Select[Any]:
    known = and_(search_sources.c.job_id == instructions.c.job_id, search_sources.c.source == DOCUMENT)
    newest = and_(
        instruction_versions.c.instruction_id == instructions.c.id,
        instruction_versions.c.version == instructions.c.current_version,
    )
    return (
        select(instructions.c.job_id)
        .join(instruction_versions, newest)
        .outerjoin(search_sources, known)
        .where(
            instructions.c.translation_of.is_(None),
            or_(search_sources.c.made_of.is_(None), search_sources.c.made_of != instruction_versions.c.id),
        )
        .order_by(instructions.c.id)
    )


def _unindexed_artifacts() -> Select[Any]:
    later = artifacts.alias("later")
    newest = ~(
        select(later.c.id)
        .where(
            later.c.job_id == artifacts.c.job_id,
            later.c.kind == artifacts.c.kind,
            later.c.version > artifacts.c.version,
        )
        .exists()
    )
    known = and_(search_sources.c.job_id == artifacts.c.job_id, search_sources.c.source == artifacts.c.kind)
    return (
        select(artifacts)
        .join(jobs, jobs.c.id == artifacts.c.job_id)
        .outerjoin(search_sources, known)
        .where(
            artifacts.c.kind.in_(list(OF_RECORDING)),
            jobs.c.kind == INSTRUCTION.kind,
            or_(search_sources.c.made_of.is_(None), search_sources.c.made_of != artifacts.c.id),
            newest,
        )
        .order_by(artifacts.c.id)
    )


def _unindexed(found: Iterable[Any]) -> Iterable[Unindexed]:
    return (Unindexed(row["job_id"], rows.artifact(row)) for row in found)
