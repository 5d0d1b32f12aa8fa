"""Instructions and their versions. A version is added, never changed; edits are optimistic."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Text, bindparam, cast, delete, insert, or_, select, update

from activities.store import rows
from activities.store.cursors import highest_first
from activities.store.documents.searching import document_pieces, put_document
from activities.store.documents.showing import keep_shown, show_again, to_show_again
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.records import EventType, VersionSummary
from activities.store.repository import Repository
from activities.store.tables import instruction_versions, instructions, sittings
from domain.documents.document import BlockEvidence, BlockMark, carry_evidence, parse, with_ids
from domain.documents.validation import VALIDATOR_VERSION, validate, verdict
from domain.documents.versions import InstructionVersion, NewVersion, VersionOrigin
from domain.errors import VersionConflict
from domain.jobs import Actor, Page
from domain.search import Piece

MOST_BY_NAME = 50
_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
"""Beyond these a time is a slip, and may be none in UTC."""
LATEST_VERSIONS = 100
"""Of which what blocks that are there again rested on is read: a person undoes within a few saves."""

_VERSIONS = select(
    instruction_versions, instructions.c.job_id, instructions.c.owner, instructions.c.translation_of
).join(instructions, instructions.c.id == instruction_versions.c.instruction_id)
_CURRENT = _VERSIONS.where(
    instruction_versions.c.instruction_id == bindparam("instruction_id"),
    instruction_versions.c.version == instructions.c.current_version,
)
_LOCK = (
    select(
        *(instructions.c[name] for name in ("id", "job_id", "owner", "current_version", "translation_of", "language"))
    )
    .where(instructions.c.id == bindparam("instruction_id"))
    .with_for_update()
)
_OF_STEP = select(instruction_versions.c.id).where(
    instruction_versions.c.instruction_id == bindparam("instruction_id"),
    instruction_versions.c.attempt == bindparam("attempt"),
    instruction_versions.c.step == bindparam("step"),
)


@dataclass(frozen=True)
class LockedInstruction:
    """An instruction's row, locked until the transaction ends. ``current_version`` 0: it was just made.
    ``translation_of``: its original, and ``language``, of a translation."""

    id: str
    job_id: str
    owner: str
    current_version: int
    translation_of: str | None = None
    language: str | None = None


def lock_instruction(connection: Connection, instruction_id: str) -> LockedInstruction:
    """Raises: NotFound: there is no such instruction."""
    row = connection.execute(_LOCK, {"instruction_id": instruction_id}).mappings().one_or_none()
    if row is None:
        raise not_found()
    return LockedInstruction(**row)


def ensure_instruction(
    connection: Connection, job: LockedJob, now: datetime, new_id: Callable[[], str]
) -> LockedInstruction:
    """The job's instruction, locked; made where it has none."""
    if job["instruction_id"] is not None:
        return lock_instruction(connection, job["instruction_id"])
    made = LockedInstruction(id=new_id(), job_id=job.id, owner=job["owner"], current_version=0)
    connection.execute(
        insert(instructions),
        {
            "id": made.id,
            "job_id": made.job_id,
            "owner": made.owner,
            "current_version": 1,
            "created_at": now,
            "updated_at": now,
        },
    )
    job.set(instruction_id=made.id)
    return made


def current_version(connection: Connection, instruction_id: str) -> InstructionVersion:
    """The newest version. Raises: NotFound: there is no such instruction."""
    return _one(connection, _CURRENT, {"instruction_id": instruction_id})


def owned_version(
    connection: Connection, owner: str, instruction_id: str, version: int | None = None
) -> InstructionVersion:
    """As :meth:`Documents.get_instruction`, in the caller's transaction."""
    query = _VERSIONS.where(
        instruction_versions.c.instruction_id == instruction_id,
        instruction_versions.c.version == (instructions.c.current_version if version is None else version),
        instructions.c.owner == owner,
    )
    return _one(connection, query)


def last_evidence(connection: Connection, instruction_id: str, block_ids: Collection[str]) -> Iterable[BlockEvidence]:
    """What each block rested on in the newest version that had it; nothing of those that are new. Few are looked for by
    name, in all versions; many, as of a text that was pasted with its markers, in the latest."""
    column = instruction_versions.c.evidence
    query = select(column).where(instruction_versions.c.instruction_id == instruction_id)
    if len(block_ids) <= MOST_BY_NAME:
        query = query.where(or_(*(cast(column, Text).contains(f'"{each}"', autoescape=True) for each in block_ids)))
    found: dict[str, BlockEvidence] = {}
    query = query.order_by(instruction_versions.c.version.desc()).limit(LATEST_VERSIONS)
    for evidence in connection.execute(query).scalars():
        wanted = [each for each in evidence if each["block_id"] in block_ids]
        found = {each["block_id"]: BlockEvidence.model_validate(each) for each in wanted} | found
        if len(found) == len(block_ids):
            break
    return found.values()


def _one(connection: Connection, query: Select[Any], values: Mapping[str, object] | None = None) -> InstructionVersion:
    row = connection.execute(query, values).mappings().one_or_none()
    if row is None:
        raise not_found()
    return rows.version(row)


def version_of_step(connection: Connection, instruction_id: str | None, attempt: int, step: int) -> str | None:
    """The id of the version that one write of a run recorded, if it recorded one."""
    if instruction_id is None:
        return None
    key = {"instruction_id": instruction_id, "attempt": attempt, "step": step}
    return connection.execute(_OF_STEP, key).scalar_one_or_none()


@dataclass(frozen=True)
class Composed:
    """A version as it is to be stored: every block with an id, validated. ``columns`` is what its text decides,
    ``indexed`` what is searched of it."""

    markdown: str
    columns: Mapping[str, Any]
    indexed: tuple[Piece, ...]


def compose(
    new: NewVersion,
    new_id: Callable[[], str],
    *,
    base: InstructionVersion | None = None,
    as_marked: bool = False,
    marks: Sequence[BlockMark] = (),
    earlier: Callable[[Collection[str]], Iterable[BlockEvidence]] = lambda _: (),
) -> Composed:
    """``new`` as it is to be stored. A large text takes seconds: where people can send one, call it before the
    transaction, since on SQLite nobody else writes meanwhile.

    Args:
        base: The version that ``new`` was made from by hand: a paragraph below an unchanged block is a new block, and
            what the blocks rest on goes over to those that are still there, unless ``new`` brings evidence of its own.
        as_marked: Each marker's text stays one block all the same.
        marks: What is said of blocks beside their text.
        earlier: What blocks that ``base`` does not have rested on in the newest version that had them.

    Raises:
        DocumentInvalid: It has too many blocks.
    """
    before = parse(base.markdown) if base else None
    markdown = with_ids(new.markdown, new_id, base=before, as_marked=as_marked)
    document = parse(markdown)
    issues = validate(document)
    evidence = new.evidence or (base.evidence if base else ())
    known = [BlockEvidence.model_validate(each) for each in evidence]
    told = {each.block_id for each in known}.union(before.ids if before else document.ids)
    absent = {*document.ids, *(mark.cut_from for mark in marks if mark.cut_from)} - told
    carried = carry_evidence([*known, *(earlier(absent) if absent else ())], document, marks)
    columns = {
        **new.model_dump(mode="json"),
        "title": document.title or new.title,
        "markdown": markdown,
        "evidence": [each.model_dump(mode="json") for each in carried],
        "language": new.language or (base.language if base else None),
        "validation_status": str(verdict(issues)),
        "validation_errors": [each.model_dump(mode="json") for each in issues],
        "validator_version": VALIDATOR_VERSION,
    }
    return Composed(markdown, columns, document_pieces(columns["title"], markdown, columns["evidence"]))


def add_version(
    connection: Connection,
    instruction: LockedInstruction,
    composed: Composed,
    now: datetime,
    new_id: Callable[[], str],
    *,
    attempt: int | None = None,
    step: int | None = None,
) -> InstructionVersion:
    """Store the next version of a locked instruction."""
    columns: dict[str, Any] = {
        **composed.columns,
        "id": new_id(),
        "instruction_id": instruction.id,
        "version": instruction.current_version + 1,
        "validated_at": now,
        "attempt": attempt,
        "step": step,
        "created_at": now,
    }
    connection.execute(insert(instruction_versions), columns)
    if instruction.translation_of is None:  # the search looks in originals
        put_document(connection, instruction.job_id, columns["id"], composed.indexed, now)
    if instruction.current_version:
        keep_shown(connection, instruction.id, instruction.current_version)
        connection.execute(
            update(instructions)
            .where(instructions.c.id == instruction.id)
            .values(current_version=columns["version"], updated_at=now)
        )
    of = {"job_id": instruction.job_id, "owner": instruction.owner, "translation_of": instruction.translation_of}
    return rows.version({**columns, **of})


def edit_of(
    base: InstructionVersion, markdown: str, author: str, origin: VersionOrigin = VersionOrigin.EDIT
) -> NewVersion:
    """An edit of ``base``: what its text does not say stays as it is."""
    return NewVersion(
        title=base.title,  # what it keeps where the text has none
        markdown=markdown,
        language=base.language,
        origin=origin,
        author=author,
        model_profile_id=base.model_profile_id,
        prompt_template_id=base.prompt_template_id,
        prompt_params_ref=base.prompt_params_ref,
    )


def end_sitting(connection: Connection, instruction_id: str, which: ColumnElement[bool]) -> None:
    """What was written in it is a version, or not wanted."""
    connection.execute(delete(sittings).where(sittings.c.instruction_id == instruction_id, which))


def conflict(base_version: int, current: int) -> VersionConflict:
    return VersionConflict(
        f"The instruction is at version {current}, this change was made to version {base_version}. Load it again.",
        details={"base_version": base_version, "current_version": current},
    )


class Documents(Repository):
    def get_instruction(self, owner: str, instruction_id: str, version: int | None = None) -> InstructionVersion:
        """The newest version, or exactly ``version``. Raises: NotFound: absent, or not ``owner``'s."""
        with self._database.read() as connection:
            return owned_version(connection, owner, instruction_id, version)

    def get_version_by_id(self, instruction_version_id: str, *, owner: str | None = None) -> InstructionVersion:
        """Raises: NotFound: absent, or not ``owner``'s where one is given."""
        query = _VERSIONS.where(instruction_versions.c.id == instruction_version_id)
        if owner is not None:
            query = query.where(instructions.c.owner == owner)
        with self._database.read() as connection:
            return _one(connection, query)

    def current_instruction(self, instruction_id: str) -> InstructionVersion:
        """The newest version, for workers. Raises: NotFound."""
        with self._database.read() as connection:
            return current_version(connection, instruction_id)

    def versions(
        self, owner: str, instruction_id: str, limit: int = 20, cursor: str | None = None
    ) -> Page[VersionSummary]:
        """The versions without their text, newest first.

        Raises:
            NotFound: The instruction is absent, or not ``owner``'s. RequestInvalid: bad limit or cursor.
        """
        wanted = [instruction_versions.c[name] for name in VersionSummary.model_fields]
        query = select(*wanted).where(instruction_versions.c.instruction_id == instruction_id)
        with self._database.read() as connection:
            owned = select(instructions.c.id).where(instructions.c.id == instruction_id, instructions.c.owner == owner)
            if connection.execute(owned).one_or_none() is None:
                raise not_found()
            return highest_first(
                connection,
                query,
                instruction_versions.c.version,
                limit=limit,
                cursor=cursor,
                read=lambda row: VersionSummary.model_validate(dict(row)),
            )

    def save_version(
        self,
        owner: str,
        instruction_id: str,
        base_version: int,
        new: NewVersion,
        *,
        as_marked: bool = False,
        marks: Sequence[BlockMark] = (),
        sitting: str | None = None,
        kept_at: datetime | None = None,
    ) -> tuple[InstructionVersion, bool]:
        """Save an edit of ``base_version``; evidence goes over to the blocks that are still there, and to those that
        are there again, from the newest version that had them.

        Args:
            as_marked: Each marker's text stays one block, also where paragraphs were added below it.
            marks: What is said of blocks beside their text: their roles, what they were cut from, their moments.
            sitting: What this was written in, which ends with it.
            kept_at: When that was kept last, in milliseconds, as whoever saves knows it: what was kept since is not
                saved, and stays. ``None``: nothing was.

        Returns:
            The version and whether it is new: identical text of which nothing new is said makes none, and so does a
            save that comes once more, since its answer was lost.

        Raises:
            VersionConflict: ``base_version`` is no longer the newest; nothing was written.
            NotFound: Absent, or not ``owner``'s.
            DocumentInvalid: It has too many blocks.
        """
        earlier = partial(self._last_evidence, instruction_id)
        composing = partial(compose, new, self._new_id, as_marked=as_marked, marks=marks, earlier=earlier)
        ends = None if sitting is None else sittings.c.sitting_id == sitting
        if ends is not None and kept_at is not None:
            within = max(_EARLIEST, min(kept_at, _LATEST)) + timedelta(milliseconds=1)
            ends &= sittings.c.kept_at < within
        try:
            base = self.get_instruction(owner, instruction_id)
            if base.version != base_version:
                raise conflict(base_version, base.version)
            return self._saved(base, composing(base=base), EventType.INSTRUCTION_SAVED, marked=bool(marks), ends=ends)
        except VersionConflict:
            newest = self.get_instruction(owner, instruction_id)
            if (newest.version, newest.author, newest.origin) != (base_version + 1, new.author, new.origin):
                raise
            base = self.get_instruction(owner, instruction_id, base_version)
            if not _same_edit(newest, composing(base=base), {*parse(base.markdown).ids, *parse(new.markdown).ids}):
                raise
            if ends is not None:
                with self._database.write() as connection:
                    end_sitting(connection, instruction_id, ends)
            return newest, False

    def name_version(self, owner: str, instruction_id: str, version: int, name: str | None) -> VersionSummary:
        """Call a version something; ``None``: nothing any more. Raises: NotFound: absent, or not ``owner``'s."""
        key = (instruction_versions.c.instruction_id == instruction_id, instruction_versions.c.version == version)
        with self._database.write() as connection:
            if lock_instruction(connection, instruction_id).owner != owner:
                raise not_found()
            connection.execute(update(instruction_versions).where(*key).values(name=name))
            wanted = [instruction_versions.c[each] for each in VersionSummary.model_fields]
            row = connection.execute(select(*wanted).where(*key)).mappings().one_or_none()
        if row is None:
            raise not_found()
        return VersionSummary.model_validate(dict(row))

    def restore_version(
        self, owner: str, instruction_id: str, base_version: int, version: int, *, author: str
    ) -> tuple[InstructionVersion, bool]:
        """Make an earlier version's text the newest again, with what it rests on, who wrote it, and the pictures that
        showed with it. Pictures that were deleted or blurred since stay so.

        Returns:
            The version and whether it is new: where the newest has this text and these pictures already, it is
            answered.

        Raises:
            VersionConflict: ``base_version`` is no longer the newest; nothing was written.
            NotFound: The instruction or the version is absent, or not ``owner``'s.
        """
        wanted = self.get_instruction(owner, instruction_id, version)
        current = self.get_instruction(owner, instruction_id)
        if current.version != base_version:
            raise conflict(base_version, current.version)
        composed = self._restored(wanted, author)
        return self._saved(current, composed, EventType.INSTRUCTION_RESTORED, shown_with=wanted.id)

    def _saved(
        self,
        current: InstructionVersion,
        composed: Composed,
        event_type: EventType,
        *,
        marked: bool = False,
        ends: ColumnElement[bool] | None = None,
        shown_with: str | None = None,
    ) -> tuple[InstructionVersion, bool]:
        """What somebody made of ``current``, with a row of the job's log where it is a new version.
        ``ends``: the sitting that it ends. ``shown_with``: the version whose pictures show again."""
        with self._database.write() as connection:
            job = LockedJob(connection, current.job_id, self._clock())
            instruction = lock_instruction(connection, current.instruction_id)
            if instruction.current_version != current.version:
                raise conflict(current.version, instruction.current_version)
            pictures = to_show_again(connection, instruction.id, shown_with) if shown_with else {}
            if pictures:
                version, created = add_version(connection, instruction, composed, job.now, self._new_id), True
                show_again(connection, pictures, job.now)
            else:
                version, created = save_if_changed(
                    connection, instruction, current, composed, job.now, self._new_id, marked=marked
                )
            if ends is not None:
                end_sitting(connection, instruction.id, ends)
            if created:
                job.log(event_type, actor=Actor.EDITOR, data={"instruction_version": version.version})
                job.save()
            return version, created

    def _last_evidence(self, instruction_id: str, block_ids: Collection[str]) -> Iterable[BlockEvidence]:
        """As :func:`last_evidence`, in a transaction of its own."""
        with self._database.read() as connection:
            return last_evidence(connection, instruction_id, block_ids)

    def _restored(self, wanted: InstructionVersion, author: str) -> Composed:
        """``wanted`` as it was stored, verdict included: to take a large text apart again costs seconds, and a caller
        with an Idempotency-Key holds the database meanwhile. A newer validator judges it anew."""
        kept = wanted.model_dump(include=set(NewVersion.model_fields))
        again = NewVersion(**{**kept, "origin": VersionOrigin.RESTORE, "author": author})
        if wanted.validator_version != VALIDATOR_VERSION:
            return compose(again, self._new_id)
        judged = {"validation_status", "validation_errors", "validator_version"}
        return Composed(
            wanted.markdown,
            {**again.model_dump(mode="json"), **wanted.model_dump(mode="json", include=judged)},
            document_pieces(wanted.title, wanted.markdown, wanted.evidence),
        )


def save_if_changed(
    connection: Connection,
    instruction: LockedInstruction,
    current: InstructionVersion,
    composed: Composed,
    now: datetime,
    new_id: Callable[[], str],
    *,
    marked: bool = False,
) -> tuple[InstructionVersion, bool]:
    """``composed`` as the next version after ``current``, or ``current`` where the text is the same; with ``marked``,
    where what its blocks are is the same, too."""
    same = composed.markdown == current.markdown
    if same and not (marked and _roles(composed.columns["evidence"]) != _roles(current.evidence)):
        return current, False
    return add_version(connection, instruction, composed, now, new_id), True


def _same_edit(saved: InstructionVersion, composed: Composed, known: Collection[str]) -> bool:
    """Whether both are one edit. Blocks whose ids are not ``known`` were made by the save, with new ids each time."""

    def content(markdown: str, evidence: Iterable[Mapping[str, Any]]) -> list[object]:
        roles = _roles(evidence)
        blocks = parse(markdown).blocks
        return [(each.id if each.id in known else None, each.markdown, roles.get(each.id)) for each in blocks]

    return content(saved.markdown, saved.evidence) == content(composed.markdown, composed.columns["evidence"])


def _roles(evidence: Iterable[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    return {each["block_id"]: (each["role"], each.get("start_ms")) for each in evidence}
