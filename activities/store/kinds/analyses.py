"""Analyses: what they are over, their drafts, and their frozen plans. Each call is one transaction, behind the lock of
the job's row.

A draft is made by a task of its own (``plan_tasks``) while the job waits; it counts only if nothing that it was made
for has changed meanwhile. After the plan is confirmed nothing here changes any more.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.engine import RowMapping

from activities.store import rows
from activities.store.cursors import newest_first
from activities.store.jobs.artifacts import add_artifacts
from activities.store.jobs.inputs import Inputs, JobRequest
from activities.store.jobs.locking import LockedJob, not_found, read_job
from activities.store.jobs.quotas import check_run, check_uploads
from activities.store.records import EventType, UploadSession
from activities.store.tables import analyses, artifacts, job_inputs, plan_tasks, uploads
from activities.store.uploads.uploads import SEALED
from domain.analyses.analysis import (
    SUPERSEDED,
    Analysis,
    AnnouncedFile,
    DraftChange,
    InputFile,
    KeptTable,
    NewAnalysis,
    Planning,
    fingerprint_of,
)
from domain.analyses.plan import FrozenPlan, Plan, freeze
from domain.artifacts import Artifact, ArtifactKind, Blob
from domain.errors import JobVersionConflict, UploadInvalid, UploadSealed
from domain.jobs import Actor, Failure, Job, NewArtifact, Page, TaskStatus
from domain.lifecycles.analysis import (
    ANALYSIS,
    CONFIRMED,
    DRAFT_READY,
    QUEUED,
    RUNNING,
    SUCCEEDED,
    check_unlocked,
)
from domain.lifecycles.lifecycle import Trigger

NOT_ARRIVED = "The inputs have not all arrived. Send them, then PUT the analysis's inputs."


class AnalysisRequest(JobRequest):
    """Two requests are the same by their identity, however their words are spaced."""

    @property
    def sha256(self) -> str:
        return self.idempotency_key or super().sha256


class Analyses(Inputs):
    # --- asked for -----------------------------------------------------------------------------------------------

    def request_analysis(self, owner: str, new: NewAnalysis) -> tuple[Analysis, bool]:
        """Make the analysis that is asked for, with an upload session for each of its files; or answer with the one
        that is there for the same requirement and inputs, its sessions refreshed.

        Returns:
            The analysis, and whether this call made it.
        """
        asked = {"requirement": new.requirement, "plan_revision": new.plan_revision}
        request = AnalysisRequest(owner=owner, kind=ANALYSIS.kind, input=asked, idempotency_key=new.identity)
        with self._database.together() as connection:
            made, created = self.request_job(request)
            now = self._clock()
            if created:
                row: dict[str, Any] = {
                    "job_id": made.id,
                    "requirement": new.requirement,
                    "plan_revision": new.plan_revision,
                    "files": [],
                    "inputs_fingerprint": fingerprint_of(new.files),
                    "generation": 1,
                    "answers": {},
                    "tables": [],
                }
                connection.execute(insert(analyses), row)
            job = LockedJob(connection, made.id, now)
            current = _analysis(connection, job.save())
            if current.is_drafting:
                files = _declared(connection, current, new.files, now)
                check_uploads(connection, owner, self._limits, now)
                _change(connection, job.id, files=_plain(files))
                job.set(source_name=_first_name(files))
            return _analysis(connection, job.save()), created

    def get_analysis(self, job_id: str, *, owner: str | None = None) -> Analysis:
        """Raises: NotFound: absent, another kind of job, or not ``owner``'s."""
        with self._database.read() as connection:
            return _analysis(connection, read_job(connection, job_id, owner))

    # --- inputs --------------------------------------------------------------------------------------------------

    def declare_inputs(self, owner: str, job_id: str, files: Sequence[AnnouncedFile]) -> Analysis:
        """Say which files the analysis is over; those that it has keep their sessions, and what has arrived.

        Others than before need a new plan, and make the analysis another one to whoever asks for the same again.

        Raises:
            TransitionRefused: The plan was confirmed. NotFound.
        """
        with self._database.write() as connection:
            now = self._clock()
            job, current = _locked(connection, job_id, now, owner)
            check_unlocked(current.status)
            declared = _declared(connection, current, files, now)
            check_uploads(connection, owner, self._limits, now)
            fingerprint = fingerprint_of(declared)
            if fingerprint == current.inputs_fingerprint:
                _change(connection, job.id, files=_plain(declared))
                return _analysis(connection, job.save())
            job.set(version=job["version"] + 1, source_name=_first_name(declared))
            job.log(EventType.INPUTS_CHANGED, stream="task", actor=Actor.EDITOR, data={"files": len(declared)})
            _change(
                connection,
                job.id,
                files=_plain(declared),
                inputs_fingerprint=fingerprint,
                generation=current.generation + 1,
                answers={},
            )
            _supersede(connection, job, current, now)
            asked = NewAnalysis(
                requirement=current.requirement, files=tuple(files), plan_revision=current.plan_revision
            )
            _name(connection, owner, job.id, asked.identity)
            return _analysis(connection, job.save())

    def settle_input(self, job_id: str, upload_id: str, blob: Blob, lease: str) -> Analysis:
        """Record that a file has arrived and is what was declared.

        Args:
            lease: The lease under which that was verified.

        Raises:
            UploadSealed: The lease was lost to somebody else. TransitionRefused: The plan was confirmed meanwhile.
        """
        with self._database.write() as connection:
            now = self._clock()
            job, current = _locked(connection, job_id, now)
            check_unlocked(current.status)
            held = update(uploads).where(uploads.c.id == upload_id, uploads.c.sealed_by == lease)
            emptied = {"multipart_id": None, "whole_sha256": None, "sealed_by": None, "sealed_until": None}
            if connection.execute(held.values(**emptied, confirmed_at=now)).rowcount == 0:
                raise UploadSealed(SEALED)
            files = tuple(
                file.model_copy(update={"blob": blob}) if file.upload_id == upload_id else file
                for file in current.files
            )
            _change(connection, job.id, files=_plain(files))
            return _analysis(connection, job.save())

    # --- planning ------------------------------------------------------------------------------------------------

    def request_planning(self, owner: str, job_id: str, *, again: bool = False) -> Analysis:
        """Have a plan drafted for what is asked now, unless it is being done, or (but with ``again``) was.

        Raises:
            TransitionRefused: The plan was confirmed. UploadInvalid: Inputs are missing. NotFound.
        """
        with self._database.write() as connection:
            now = self._clock()
            job, current = _locked(connection, job_id, now, owner)
            check_unlocked(current.status)
            if not current.is_complete:
                raise UploadInvalid(NOT_ARRIVED, details={"mismatch": ["absent"]})
            active = current.planning is not None and current.planning.is_under_way
            if active or (current.is_planned and not again):
                return current
            self._ask_for_plan(connection, job, current.generation, now)
            return _analysis(connection, job.save())

    def begin_planning(self, task_id: str) -> Planning:
        """A drafting begins, or goes on. One that ended stays as it is. Raises: NotFound: there is none."""
        with self._database.write() as connection:
            _, _, task = self._drafting(connection, task_id)
            if task.status is TaskStatus.PENDING:
                return _settle(connection, task, status=str(TaskStatus.RUNNING))
            return task

    def keep_tables(self, task_id: str, fingerprint: str, tables: Sequence[KeptTable]) -> None:
        """Keep what the inputs with ``fingerprint`` hold, where they still are the analysis's."""
        with self._database.write() as connection:
            job, current, task = self._drafting(connection, task_id)
            if task.is_under_way and current.is_drafting and current.inputs_fingerprint == fingerprint:
                kept = [table.model_dump(mode="json") for table in tables]
                _change(connection, job.id, tables=kept, tables_fingerprint=fingerprint)

    def finish_planning(self, task_id: str, plan: Plan) -> Planning:
        """Keep the plan that was drafted, and the job is draft_ready; nothing of that where what it was drafted for
        has changed, or the plan was confirmed meanwhile."""
        with self._database.write() as connection:
            job, current, task = self._drafting(connection, task_id)
            if not task.is_under_way:
                return task
            if not current.is_drafting or task.generation != current.generation:
                return _settle(connection, task, failure=SUPERSEDED, now=job.now)
            facts = {"task_id": task.id, "plan_source": str(plan.plan_source), "steps": len(plan.steps)}
            _change(connection, job.id, plan=plan.canonical(), planned_generation=task.generation)
            job.set(version=job["version"] + 1)
            job.log(EventType.PLAN_DRAFTED, stream="task", data=facts)
            job.move(str(DRAFT_READY), Trigger.WORKER, data=facts)
            job.save()
            return _settle(connection, task, status=str(TaskStatus.SUCCEEDED), now=job.now)

    def fail_planning(self, task_id: str, failure: Failure) -> Planning:
        """Say why no plan could be drafted. The job stays where it is, and may have it tried again."""
        with self._database.write() as connection:
            job, _, task = self._drafting(connection, task_id)
            if not task.is_under_way:
                return task
            facts = {"task_id": task.id, "failure_code": failure.failure_code, "failed_stage": failure.failed_stage}
            job.log(EventType.PLAN_FAILED, stream="task", data=facts)
            job.set(version=job["version"] + 1)
            job.save()
            return _settle(connection, task, failure=failure, now=job.now)

    def change_draft(
        self, owner: str, job_id: str, version: int, change: Callable[[Analysis], DraftChange]
    ) -> Analysis:
        """Edit the draft that ``version`` of the job had.

        Args:
            change: What becomes of it; pure. What it raises changes nothing.

        Raises:
            TransitionRefused: The plan was confirmed. JobVersionConflict: The job changed since. NotFound.
        """
        with self._database.write() as connection:
            now = self._clock()
            job, current = _locked(connection, job_id, now, owner)
            check_unlocked(current.status)
            _check_version(job, version)
            made = change(current)
            words = {} if made.requirement is None else {"requirement": made.requirement}
            generation = current.generation + made.plan_again
            planned = current.planned_generation if made.plan_again else generation
            _change(
                connection,
                job.id,
                plan=made.plan.canonical(),
                planned_generation=planned,
                generation=generation,
                answers=made.answers,
                **words,
            )
            job.set(version=job["version"] + 1)
            job.log(EventType.PLAN_CHANGED, stream="task", actor=Actor.EDITOR, data={"steps": len(made.plan.steps)})
            if made.requirement is not None:
                asked = NewAnalysis(requirement=made.requirement, plan_revision=current.plan_revision)
                identity = asked.model_copy(update={"files": current.files}).identity
                _name(connection, owner, job.id, identity)
            if made.plan_again:
                _supersede(connection, job, current, now)
                self._ask_for_plan(connection, job, generation, now)
            return _analysis(connection, job.save())

    # --- confirmed and run ---------------------------------------------------------------------------------------

    def confirm_plan(self, owner: str, job_id: str, version: int, frozen: FrozenPlan, document: Blob) -> Analysis:
        """Freeze the plan: ``document`` is its one artifact, and the job is confirmed.

        Args:
            version: Of the job that ``frozen`` was made from.

        Raises:
            JobVersionConflict: The job changed since. TransitionRefused: It is not draft_ready. NotFound.
        """
        with self._database.write() as connection:
            job, current = _locked(connection, job_id, self._clock(), owner)
            _check_version(job, version)
            ANALYSIS.check(current.status, CONFIRMED, Trigger.USER)
            _change(connection, job.id, plan_id=frozen.plan_id)
            facts = {"name": "plan.json"}
            kept = NewArtifact(kind=ArtifactKind.PLAN, blob=document, facts=facts)
            add_artifacts(connection, job.id, job["attempt"], None, (kept,), job.now, self._new_id)
            job.move(str(CONFIRMED), Trigger.USER, actor=Actor.EDITOR, data={"plan_id": frozen.plan_id})
            return _analysis(connection, job.save())

    def enqueue_analysis(self, owner: str, job_id: str) -> tuple[Analysis, bool]:
        """Put a confirmed analysis into the queue, once; whether it was there, or further, already.

        Raises:
            TransitionRefused: It is not confirmed. TerminalImmutable: It has failed.
            PlanConflict: What would be run is not the plan that was frozen. NotFound.
            QuotaExceeded: As many of the owner's jobs are run as may be.
        """
        with self._database.write() as connection:
            job, current = _locked(connection, job_id, self._clock(), owner)
            if current.status in (QUEUED, RUNNING, SUCCEEDED):
                return current, True
            ANALYSIS.check(current.status, QUEUED, Trigger.USER)
            check_run(connection, owner, self._limits)
            freeze(current.current_plan(), current.inputs_fingerprint, current.plan_id)
            job.move(str(QUEUED), Trigger.USER, actor=Actor.EDITOR, data={"plan_id": current.plan_id})
            return _analysis(connection, job.save()), False

    def outputs(self, job_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Artifact]:
        """The frozen plan and what its run made, newest first. Raises: RequestInvalid: bad limit or cursor."""
        query = select(artifacts).where(artifacts.c.job_id == job_id)
        with self._database.read() as connection:
            return newest_first(
                connection,
                query,
                artifacts.c.created_at,
                artifacts.c.id,
                limit=limit,
                cursor=cursor,
                read=rows.artifact,
            )

    # --- how -----------------------------------------------------------------------------------------------------

    def _ask_for_plan(self, connection: Connection, job: LockedJob, generation: int, now: datetime) -> None:
        row = {
            "id": self._new_id(),
            "job_id": job.id,
            "generation": generation,
            "status": str(TaskStatus.PENDING),
            "requested_at": now,
        }
        connection.execute(insert(plan_tasks), row)
        job.log(EventType.PLAN_REQUESTED, stream="task", actor=Actor.EDITOR, data={"task_id": row["id"]})

    def _drafting(self, connection: Connection, task_id: str) -> tuple[LockedJob, Analysis, Planning]:
        job, current = _locked(connection, _task(connection, task_id).job_id, self._clock())
        return job, current, _task(connection, task_id)


def _locked(connection: Connection, job_id: str, now: datetime, owner: str | None = None) -> tuple[LockedJob, Analysis]:
    job = LockedJob(connection, job_id, now, owner=owner)
    return job, _analysis(connection, job.save())


def _analysis(connection: Connection, job: Job) -> Analysis:
    row = connection.execute(select(analyses).where(analyses.c.job_id == job.id)).mappings().one_or_none()
    if row is None:
        raise not_found()
    latest = select(plan_tasks).where(plan_tasks.c.job_id == job.id).order_by(plan_tasks.c.id.desc()).limit(1)
    task = connection.execute(latest).mappings().one_or_none()
    return Analysis(**row, job=job, planning=_planning(task) if task is not None else None)


def _planning(row: RowMapping) -> Planning:
    return Planning(**row, failure=rows.failure(row))


def _task(connection: Connection, task_id: str) -> Planning:
    row = connection.execute(select(plan_tasks).where(plan_tasks.c.id == task_id)).mappings().one_or_none()
    if row is None:
        raise not_found()
    return _planning(row)


def _settle(
    connection: Connection,
    task: Planning,
    *,
    status: str = str(TaskStatus.FAILED),
    failure: Failure | None = None,
    now: datetime | None = None,
) -> Planning:
    values = {"status": status, "completed_at": now, **rows.failure_columns(failure)}
    connection.execute(update(plan_tasks).where(plan_tasks.c.id == task.id).values(values))
    return task.model_copy(update={"status": TaskStatus(status), "completed_at": now, "failure": failure})


def _supersede(connection: Connection, job: LockedJob, current: Analysis, now: datetime) -> None:
    if current.planning is not None and current.planning.is_under_way:
        _settle(connection, current.planning, failure=SUPERSEDED, now=now)


def _change(connection: Connection, job_id: str, **columns: Any) -> None:
    connection.execute(update(analyses).where(analyses.c.job_id == job_id).values(columns))


def _first_name(files: Sequence[InputFile]) -> str | None:
    """What lists of jobs call an analysis."""
    return files[0].filename if files else None


def _plain(files: Sequence[InputFile]) -> list[dict[str, Any]]:
    return [file.model_dump(mode="json") for file in files]


def _check_version(job: LockedJob, version: int) -> None:
    if version != job["version"]:
        raise JobVersionConflict(
            "The analysis changed meanwhile. Load its draft again.",
            details={"base_version": version, "current_version": job["version"]},
        )


def _declared(
    connection: Connection, current: Analysis, files: Sequence[AnnouncedFile], now: datetime
) -> tuple[InputFile, ...]:
    """The files, each with its session: the one that it has, refreshed, or a new one."""
    known = {(file.filename, file.checksum_sha256): file for file in current.files}
    highest = select(func.coalesce(func.max(uploads.c.ordinal), 0)).where(uploads.c.job_id == current.job.id)
    ordinal = connection.execute(highest).scalar_one()
    declared = []
    for file in files:
        old = known.get((file.filename, file.checksum_sha256))
        if old is None:
            ordinal += 1
            _open(connection, current.job.id, file, ordinal, now)
            declared.append(InputFile(**file.declared.model_dump(), upload_id=file.upload_id))
            continue
        size = file.size_bytes if file.size_bytes is not None else old.size_bytes
        refreshed = update(uploads).where(uploads.c.id == old.upload_id)
        connection.execute(refreshed.values(expires_at=file.expires_at, size_bytes=size))
        declared.append(old.model_copy(update={"size_bytes": size}))
    return tuple(declared)


def _open(connection: Connection, job_id: str, file: AnnouncedFile, ordinal: int, now: datetime) -> None:
    session = UploadSession(
        id=file.upload_id,
        job_id=job_id,
        key=file.key,
        filename=file.filename,
        size_bytes=file.size_bytes,
        checksum_sha256=file.checksum_sha256,
        expires_at=file.expires_at,
        created_at=now,
        part_size=file.part_size,
        ordinal=ordinal,
    )
    connection.execute(insert(uploads), session.model_dump())


def _name(connection: Connection, owner: str, job_id: str, identity: str) -> None:
    """Let the analysis be found by what it is now; where another is found by that, by its id alone."""
    taken = select(job_inputs.c.job_id).where(
        job_inputs.c.owner == owner,
        job_inputs.c.kind == ANALYSIS.kind,
        job_inputs.c.idempotency_key == identity,
        job_inputs.c.job_id != job_id,
    )
    free = connection.execute(taken).one_or_none() is None
    values = {"idempotency_key": identity, "request_sha256": identity} if free else {"idempotency_key": None}
    connection.execute(update(job_inputs).where(job_inputs.c.job_id == job_id).values(values))
