"""Translations of a job's document: asked for, made, and held against their original.

A translation is an instruction of the same job, so whatever goes by the job (who may see it, the bin, its erasure,
its owner's archive) goes for it. What a task has translated so far is kept in its row while it is going on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, Text, and_, cast, delete, insert, select, update

from activities.store import rows
from activities.store.documents.documents import (
    Composed,
    LockedInstruction,
    add_version,
    compose,
    current_version,
    lock_instruction,
    owned_version,
)
from activities.store.documents.translated import (
    STREAM,
    Compared,
    Translated,
    compared,
    evidence_of,
    keep_offers,
    offers_of,
    standing_of,
)
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.records import EventType
from activities.store.tables import (
    comment_threads,
    comments,
    exports,
    idempotency_keys,
    instructions,
    metadata,
    translation_tasks,
)
from domain.documents.document import Document, parse
from domain.documents.translations import NewText, Offer, TranslationTask, Update, updated
from domain.documents.versions import InstructionVersion, NewVersion, VersionOrigin
from domain.errors import IdempotencyConflict, TranslationExists, TranslationInProgress, TranslationMismatch
from domain.jobs import Actor, Failure, TaskStatus

_ENDED = (TaskStatus.SUCCEEDED, TaskStatus.FAILED)
_ASKED = ("language", "source_version", "blocks", "reorder")


@dataclass(frozen=True)
class TranslationWork:
    """What a task is to do: the version of the original, the translation as it stands (``None``: there is none), the
    blocks that are to be translated, and those of them that are already."""

    task: TranslationTask
    source: InstructionVersion
    current: Compared | None
    wanted: tuple[str, ...]
    made: Mapping[str, NewText]


@dataclass(frozen=True)
class _Merged:
    """What the work comes to against one version of the translation; ``None``: against none."""

    onto: int | None
    update: Update
    composed: Composed | None


class Translations(Translated):
    def request_translation(
        self,
        owner: str,
        source_id: str,
        language: str,
        *,
        is_update: bool,
        client_request_id: str,
        requested_by: str,
        source_version: int | None = None,
        blocks: Sequence[str] | None = None,
        reorder: bool = False,
        model_profile_id: str | None = None,
    ) -> tuple[TranslationTask, bool]:
        """Ask for a translation of a version of an original (``None``: its newest), or for an update of the one there
        is.

        Returns:
            The task, and whether it is new: the same ``client_request_id`` with the same request is the same task.

        Raises:
            NotFound: The original is absent, not ``owner``'s, or has no such version.
            TranslationMismatch: It is a translation itself; or there is none to be updated.
            TranslationExists: There is one into this language already.
            TranslationInProgress: It is being made; ``details`` hold the ``task_id``.
            IdempotencyConflict: The same ``client_request_id`` with another request.
        """
        newest = self.get_instruction(owner, source_id)
        if newest.translation_of is not None:
            raise TranslationMismatch(
                "This is a translation. Translate the original.", details={"translation_of": newest.translation_of}
            )
        if source_version is not None:
            self.get_instruction(owner, source_id, source_version)
        asked: dict[str, Any] = {
            "language": language,
            "source_version": source_version or newest.version,
            "blocks": None if blocks is None else tuple(blocks),
            "reorder": reorder,
        }
        now = self._clock()
        with self._database.write() as connection:
            job = LockedJob(connection, newest.job_id, now, owner=owner)
            before = _find(connection, source_id, client_request_id)
            if before is not None:
                given = before.model_dump(include=set(_ASKED))
                if source_version is None:
                    given["source_version"] = asked["source_version"]  # it was the newest then
                if given != asked:
                    raise IdempotencyConflict("This client_request_id was used for another translation.")
                return before, False
            active = _active(connection, source_id, language)
            if active is not None:
                raise TranslationInProgress(
                    "The guide is being translated into this language. Wait for it to end.",
                    details={"task_id": active},
                )
            known = _translation_into(connection, source_id, language)
            if known is not None and not is_update:
                raise TranslationExists(
                    "The guide has been translated into this language. Bring that translation up to date.",
                    details={"instruction_id": known},
                )
            if known is None and is_update:
                raise not_found()
            task = TranslationTask(
                id=self._new_id(),
                source_id=source_id,
                job_id=newest.job_id,
                owner=owner,
                status=TaskStatus.PENDING,
                client_request_id=client_request_id,
                requested_by=requested_by,
                requested_at=now,
                updated_at=now,
                instruction_id=known,
                model_profile_id=model_profile_id,
                **asked,
            )
            columns = task.model_dump(mode="json", exclude={"failure"})
            connection.execute(insert(translation_tasks), {**columns, "requested_at": now, "updated_at": now})
            _log(job, EventType.TRANSLATION_REQUESTED, task, actor=Actor.EDITOR)
            job.save()
            return task, True

    def get_translation_task(self, task_id: str, *, owner: str | None = None) -> TranslationTask:
        """Raises: NotFound: absent, or not ``owner``'s where one is given."""
        with self._database.read() as connection:
            task = _read(connection, task_id)
        if owner is not None and task.owner != owner:
            raise not_found()
        return task

    def latest_translation_tasks(self, source_id: str) -> dict[str, TranslationTask]:
        """The task that was asked for last of an original, by language."""
        query = select(translation_tasks).where(translation_tasks.c.source_id == source_id)
        with self._database.read() as connection:
            found = connection.execute(query.order_by(translation_tasks.c.id)).mappings().all()
        return {row["language"]: rows.translation_task(row) for row in found}

    def begin_translation(self, task_id: str) -> TranslationWork | None:
        """The work begins, or goes on; ``None``: it has ended. Raises: NotFound."""
        with self._database.write() as connection:
            job, task = _hold(connection, task_id, self._clock())
            if task.status in _ENDED:
                return None
            if task.status is TaskStatus.PENDING:
                task = _settle(connection, job, task, TaskStatus.RUNNING, EventType.TRANSLATION_STARTED)
            kept = connection.scalar(select(translation_tasks.c.made).where(translation_tasks.c.id == task_id)) or {}
            source = owned_version(connection, task.owner, task.source_id, task.source_version)
            current = compared(connection, task.owner, task.instruction_id) if task.instruction_id else None
            wanted = _wanted(connection, task, source, current)
        made = {block_id: NewText.model_validate(text) for block_id, text in kept.items()}
        return TranslationWork(task=task, source=source, current=current, wanted=wanted, made=made)

    def keep_translated(self, task_id: str, made: Mapping[str, NewText], progress_pct: int) -> None:
        """What is translated so far, so that whoever goes on after a death asks for the rest alone."""
        kept = {block_id: text.model_dump() for block_id, text in made.items()}
        changed = update(translation_tasks).where(
            translation_tasks.c.id == task_id, translation_tasks.c.completed_at.is_(None)
        )
        with self._database.write() as connection:
            connection.execute(changed.values(made=kept, progress_pct=progress_pct, updated_at=self._clock()))

    def finish_translation(
        self, work: TranslationWork, made: Mapping[str, NewText], written_by: Mapping[str, str | None]
    ) -> TranslationTask:
        """Everything is translated: a first version, or what it comes to against the one that is current now. What was
        edited meanwhile keeps its text.

        Args:
            written_by: ``model_profile_id``, ``prompt_template_id``, ``prompt_params_ref``.

        A task that had ended before is answered as it is. Raises: NotFound.
        """
        task = work.task
        ahead = self._put_onto(task, work.source, self._current_of(task), made, written_by)
        with self._database.write() as connection:
            job, held = _hold(connection, task.id, self._clock())
            if held.status in _ENDED:
                return held
            instruction = self._made_for(connection, held, job)
            found = ahead
            if found.onto != (instruction.current_version or None):
                onto = current_version(connection, instruction.id) if instruction.current_version else None
                offers = offers_of(connection, instruction.id)
                found = self._put_onto(task, work.source, (onto, offers) if onto else None, made, written_by)
            version = instruction.current_version
            if found.composed is not None:
                version = add_version(connection, instruction, found.composed, job.now, self._new_id).version
            keep_offers(connection, instruction.id, found.update.offers, job.now)
            new = set(found.update.offers) & set(made)
            return _settle(
                connection,
                job,
                held,
                TaskStatus.SUCCEEDED,
                EventType.TRANSLATION_SUCCEEDED,
                progress_pct=100,
                instruction_id=instruction.id,
                instruction_version=version,
                translated=len(found.update.applied),
                offered=len(new),
                removed=len(found.update.removed),
                untranslated=[block_id for block_id in found.update.applied if made[block_id].untranslated],
                **written_by,
            )

    def _current_of(self, task: TranslationTask) -> tuple[InstructionVersion, dict[str, Offer]] | None:
        with self._database.read() as connection:
            known = _translation_into(connection, task.source_id, task.language)
            return None if known is None else (current_version(connection, known), offers_of(connection, known))

    def _made_for(self, connection: Connection, task: TranslationTask, job: LockedJob) -> LockedInstruction:
        """The translation, locked; made where there is none. Its first version comes in this transaction."""
        known = _translation_into(connection, task.source_id, task.language)
        if known is not None:
            return lock_instruction(connection, known)
        row = {
            "id": self._new_id(),
            "job_id": job.id,
            "owner": job["owner"],
            "translation_of": task.source_id,
            "language": task.language,
        }
        connection.execute(
            insert(instructions), {**row, "current_version": 1, "created_at": job.now, "updated_at": job.now}
        )
        return LockedInstruction(**row, current_version=0)

    def _put_onto(
        self,
        task: TranslationTask,
        source: InstructionVersion,
        current: tuple[InstructionVersion, dict[str, Offer]] | None,
        made: Mapping[str, NewText],
        written_by: Mapping[str, str | None],
    ) -> _Merged:
        onto, offers = current if current is not None else (None, {})
        result = updated(
            parse(source.markdown),
            evidence_of(source),
            parse(onto.markdown) if onto else Document(),
            evidence_of(onto) if onto else (),
            made,
            offers=offers,
            reorder=task.reorder,
        )
        new = NewVersion(
            title=result.document.title or (onto or source).title,
            markdown=result.document.render(),
            evidence=tuple(each.model_dump(mode="json") for each in result.evidence),
            language=task.language,
            origin=VersionOrigin.TRANSLATE,
            author=task.requested_by,
            **written_by,
        )
        same = onto is not None and new.markdown == onto.markdown and evidence_of(onto) == result.evidence
        return _Merged(onto.version if onto else None, result, None if same else compose(new, self._new_id))

    def delete_translation(self, owner: str, instruction_id: str) -> tuple[str, ...]:
        """Remove a translation for good, with all that is its own: versions, exports, links, comments, and what was
        asked for in its language. The original and its other translations stay.

        Returns:
            Keys of its files, which no row names any more.

        Raises:
            NotFound: It is absent, or not ``owner``'s. TranslationMismatch: It is an original.
            TranslationInProgress: It is being brought up to date; ``details`` hold the ``task_id``.
        """
        mine = instructions.c.id == instruction_id, instructions.c.owner == owner
        with self._database.write() as connection:
            row = connection.execute(select(instructions).where(*mine)).mappings().one_or_none()
            if row is None:
                raise not_found()
            source_id, language = row["translation_of"], row["language"]
            if source_id is None:
                raise TranslationMismatch("This guide is an original. Delete the guide itself.")
            job = LockedJob(connection, row["job_id"], self._clock(), owner=owner)
            active = _active(connection, source_id, language)
            if active is not None:
                raise TranslationInProgress(
                    "The translation is being brought up to date. Stop that first.", details={"task_id": active}
                )
            lock_instruction(connection, instruction_id)
            keys = connection.scalars(select(exports.c.key).where(exports.c.instruction_id == instruction_id)).all()
            for table in reversed(metadata.sorted_tables):
                if (own := _own_rows(table, instruction_id, source_id, language)) is not None:
                    connection.execute(delete(table).where(own))
            job.log(EventType.TRANSLATION_DELETED, stream=STREAM, actor=Actor.EDITOR, data={"language": language})
            job.save()
            return tuple(sorted(key for key in keys if key))

    def fail_translation(self, task_id: str, failure: Failure) -> TranslationTask:
        """The work failed; a task that had ended before is answered as it is. Raises: NotFound."""
        with self._database.write() as connection:
            job, task = _hold(connection, task_id, self._clock())
            if task.status in _ENDED:
                return task
            columns = rows.failure_columns(failure, job["correlation_id"])
            return _settle(connection, job, task, TaskStatus.FAILED, EventType.TRANSLATION_FAILED, **columns)


def _own_rows(table: Table, instruction_id: str, source_id: str, language: str) -> ColumnElement[bool] | None:
    """Which rows of ``table`` are a translation's own. Pictures are the original's."""
    threads = select(comment_threads.c.id).where(comment_threads.c.instruction_id == instruction_id)
    its_own: dict[Table, ColumnElement[bool]] = {
        instructions: instructions.c.id == instruction_id,
        comments: comments.c.thread_id.in_(threads),
        translation_tasks: and_(translation_tasks.c.source_id == source_id, translation_tasks.c.language == language),
        idempotency_keys: idempotency_keys.c.path.contains(instruction_id)
        | cast(idempotency_keys.c.response, Text).contains(instruction_id),
    }
    if table in its_own:
        return its_own[table]
    is_a_documents = any(key.target_fullname == "instructions.id" for key in table.foreign_keys)
    return table.c.instruction_id == instruction_id if is_a_documents else None


def _wanted(
    connection: Connection, task: TranslationTask, source: InstructionVersion, current: Compared | None
) -> tuple[str, ...]:
    document = parse(source.markdown)
    if current is None:
        return tuple(block.id for block in document.blocks if block.markdown)
    if task.blocks is not None:
        return tuple(block.id for block in document.blocks if block.markdown and block.id in task.blocks)
    stands = standing_of(connection, current.translation, source, current.version)
    return tuple(each for each in document.ids if each in stands.to_translate)


def _hold(connection: Connection, task_id: str, now: datetime) -> tuple[LockedJob, TranslationTask]:
    """The task's job, locked, and the task as it is under that lock."""
    job = LockedJob(connection, _read(connection, task_id).job_id, now)
    return job, _read(connection, task_id)


def _settle(
    connection: Connection, job: LockedJob, task: TranslationTask, status: TaskStatus, event: EventType, **columns: Any
) -> TranslationTask:
    over = status in _ENDED
    columns |= {"status": str(status), "updated_at": job.now, "completed_at": job.now if over else None}
    if over:
        columns["made"] = None
    changed = update(translation_tasks).where(translation_tasks.c.id == task.id).values(columns)
    settled = rows.translation_task(connection.execute(changed.returning(*translation_tasks.c)).mappings().one())
    _log(job, event, settled)
    job.save()
    return settled


def _read(connection: Connection, task_id: str) -> TranslationTask:
    query = select(translation_tasks).where(translation_tasks.c.id == task_id)
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        raise not_found()
    return rows.translation_task(row)


def _find(connection: Connection, source_id: str, client_request_id: str) -> TranslationTask | None:
    query = select(translation_tasks).where(
        translation_tasks.c.source_id == source_id, translation_tasks.c.client_request_id == client_request_id
    )
    row = connection.execute(query).mappings().one_or_none()
    return rows.translation_task(row) if row is not None else None


def _active(connection: Connection, source_id: str, language: str) -> str | None:
    query = select(translation_tasks.c.id).where(
        translation_tasks.c.source_id == source_id,
        translation_tasks.c.language == language,
        translation_tasks.c.completed_at.is_(None),
    )
    return connection.execute(query).scalar_one_or_none()


def _translation_into(connection: Connection, source_id: str, language: str) -> str | None:
    query = select(instructions.c.id).where(
        instructions.c.translation_of == source_id, instructions.c.language == language
    )
    return connection.execute(query).scalar_one_or_none()


def _log(job: LockedJob, event: EventType, task: TranslationTask, actor: Actor = Actor.ORCHESTRATOR) -> None:
    data: dict[str, object] = {
        "translation_task_id": task.id,
        "task_status": str(task.status),
        "language": task.language,
    }
    if task.failure is not None:
        data["failure_code"] = task.failure.failure_code
    job.log(event, stream=STREAM, actor=actor, data=data)
