"""Jobs that are asked for in one request: made together with what they were asked for, once for each request.

The input (a prompt, parameters) lies here and nowhere else: neither Temporal nor a log ever holds it. All jobs of one
owner are made one after the other, behind the lock of the owner's default project, so that a request which is sent
twice at once finds the job of the first, and a quota counts what another request is making.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from pydantic import Field
from sqlalchemy import Connection, func, insert, select, update

from activities.store.jobs.creation import NewJob, add_job
from activities.store.jobs.locking import LockedJob, not_found, read_job
from activities.store.jobs.projects import hold_owner
from activities.store.repository import Repository
from activities.store.tables import default_projects, job_inputs, jobs, projects
from domain.canonical import digest
from domain.errors import IdempotencyConflict
from domain.jobs import Actor, Frozen, Job, Project
from domain.lifecycles.lifecycle import Trigger

PROJECT_NAME = "Default"
"""The project of jobs that were asked for without one; each owner has one of their own."""

QUOTA_WINDOW = timedelta(hours=24)

GivesWay = Callable[[str], tuple[StrEnum, str] | None]
"""For the status of the job that a repeated request finds: where the job goes and by which explicit action, where it
gives way to a new one; ``None``: it answers for the repeat."""

Admit = Callable[[int, float], None]
"""Given how many jobs of the kind the owner made in the last 24 hours, and in how many seconds the oldest of them no
longer counts; raises ``QuotaExceeded``."""


class JobRequest(Frozen):
    """A job that is asked for.

    Args:
        cost: Credits that an attempt costs, of a kind that costs any.
        input: Plain JSON: the user's own words.
        idempotency_key: What the same request has again; unique for the owner and the kind.
        job_type: What is made, of a kind that makes several things.
    """

    owner: str
    kind: str
    input: dict[str, Any]
    cost: int | None = None
    idempotency_key: str | None = None
    correlation_id: str | None = None
    job_type: str | None = None

    @property
    def sha256(self) -> str:
        """What tells two requests with one key apart."""
        return digest(self.kind, self.input)


class JobInput(Frozen):
    """What a job was asked for, and what became of it where its stages say so."""

    job_id: str
    owner: str
    kind: str
    input: dict[str, Any] = Field(default_factory=dict)
    result: dict[str, Any] | None = None
    created_at: datetime


@dataclass(frozen=True)
class Admission:
    """A kind's own rules about making one more of its jobs. ``gave_way`` hears the id of a job that did, before the
    transaction is committed."""

    gives_way: GivesWay | None = None
    admit: Admit | None = None
    gave_way: Callable[[str], None] | None = None


FREELY = Admission()


def keep_result(connection: Connection, job_id: str, result: Mapping[str, object]) -> None:
    """Keep what a job came to beside its input, in the caller's transaction."""
    connection.execute(update(job_inputs).where(job_inputs.c.job_id == job_id).values(result=dict(result)))


def input_of(connection: Connection, job_id: str) -> dict[str, Any]:
    """What the job was asked for. Raises: NotFound: it was not asked for in one request."""
    found: dict[str, Any] | None = connection.execute(
        select(job_inputs.c.input).where(job_inputs.c.job_id == job_id)
    ).scalar_one_or_none()
    if found is None:
        raise not_found()
    return found


class Inputs(Repository):
    def request_job(self, request: JobRequest, rules: Admission = FREELY) -> tuple[Job, bool]:
        """Make the job that is asked for, in its kind's first status, and charge for it; or answer with the one that
        was made for the same request.

        Returns:
            The job, and whether this call made it.

        Raises:
            IdempotencyConflict: The key came before with another request.
            QuotaExceeded: The kind's rules let nobody make so many. Nothing changed.
            InsufficientCredits: It costs more than the owner has. Nothing changed.
        """
        with self._database.write() as connection:
            project_id = self._default_project(connection, request.owner, self._clock())
            now = self._clock()  # under the owner's lock, so that none of their jobs is younger
            known = _known(connection, request)
            if known is not None and not _made_way(connection, known, rules, now):
                return known, False
            if rules.admit is not None:
                rules.admit(*_made_lately(connection, request, now))
            named = request.model_dump(include={"cost", "correlation_id", "job_type"})
            new = NewJob(request.owner, project_id, request.kind, **named)
            job = add_job(connection, new, now, self._new_id, self._limits)
            columns = {
                **request.model_dump(include={"owner", "kind", "input", "idempotency_key"}),
                "job_id": job.id,
                "request_sha256": request.sha256,
                "created_at": now,
            }
            connection.execute(insert(job_inputs), columns)
            return job, True

    def job_input(self, job_id: str) -> JobInput:
        """What the job was asked for. Raises: NotFound: it was not asked for in one request."""
        with self._database.read() as connection:
            row = connection.execute(select(job_inputs).where(job_inputs.c.job_id == job_id)).mappings().one_or_none()
        if row is None:
            raise not_found()
        return JobInput.model_validate(dict(row))

    def _default_project(self, connection: Connection, owner: str, now: datetime) -> str:
        """The owner's default project, made at first use; locked until the transaction ends."""
        project_id = hold_owner(connection, owner, now)
        if project_id is not None:
            return project_id
        project = Project(id=self._new_id(), owner=owner, name=PROJECT_NAME, created_at=now)
        connection.execute(insert(projects), project.model_dump())
        connection.execute(
            update(default_projects).where(default_projects.c.owner == owner).values(project_id=project.id)
        )
        return project.id


def _known(connection: Connection, request: JobRequest) -> Job | None:
    if request.idempotency_key is None:
        return None
    query = select(job_inputs.c.job_id, job_inputs.c.request_sha256).where(
        job_inputs.c.owner == request.owner,
        job_inputs.c.kind == request.kind,
        job_inputs.c.idempotency_key == request.idempotency_key,
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    if row.request_sha256 != request.sha256:
        raise IdempotencyConflict("This idempotency_key was used with another request.")
    return read_job(connection, row.job_id)


def _made_way(connection: Connection, known: Job, rules: Admission, now: datetime) -> bool:
    """Whether the job that a repeat found was ended for a new one to take its place; judged under its lock."""
    if rules.gives_way is None:
        return False
    job = LockedJob(connection, known.id, now)
    leave = rules.gives_way(job["status"])
    if leave is None:
        return False
    target, action = leave
    job.move(str(target), Trigger.API, action=action, actor=Actor.EDITOR, failure=known.failure)
    job.save()
    connection.execute(update(job_inputs).where(job_inputs.c.job_id == known.id).values(idempotency_key=None))
    if rules.gave_way is not None:
        rules.gave_way(known.id)
    return True


def _made_lately(connection: Connection, request: JobRequest, now: datetime) -> tuple[int, float]:
    """How many jobs of the kind the owner made in the window, and seconds until the oldest leaves it."""
    query = select(func.count(), func.min(jobs.c.created_at)).where(
        jobs.c.owner == request.owner, jobs.c.kind == request.kind, jobs.c.created_at > now - QUOTA_WINDOW
    )
    made, oldest = connection.execute(query).one()
    frees_in_s = (oldest + QUOTA_WINDOW - now).total_seconds() if made else 0.0
    return made, frees_in_s
