"""What is erased besides whole jobs: a recording alone, a project with its jobs, a user with all that is theirs.

A recording's rows go in the transaction that asks for it, so that nobody finds it from then on; its objects are removed
afterwards, by the keys that the purge's row holds. A user's jobs are erased as jobs are (``erasures.py``), until there
are no more; then what else is theirs goes, and the books keep what was posted under a name that leads nowhere. Any step
may be repeated.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Text, cast, delete, exists, insert, or_, select, update

from activities.store.cursors import newest_first
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.records import EventType
from activities.store.repository import Repository
from activities.store.tables import (
    artifacts,
    credit_accounts,
    credit_entries,
    credit_postings,
    default_projects,
    erasures,
    glossary_terms,
    job_events,
    job_inputs,
    jobs,
    metadata,
    project_brands,
    project_invitations,
    project_logos,
    project_members,
    projects,
    purges,
    reported_artifacts,
    reviews,
    screenshot_tasks,
    shares,
    uploads,
    webhook_attempts,
    webhook_deliveries,
    webhook_endpoints,
)
from activities.store.upkeep.erasures import begin_erasing
from activities.store.upkeep.leaving import leave_projects
from activities.store.uploads.uploads import RECORDING
from domain.artifacts import ArtifactKind
from domain.erasure import NOBODY, RECORDING_MAY_GO, Purge, PurgeKind, check_recording_may_go, names_of_owner, whose
from domain.errors import NotFound
from domain.jobs import Actor, Job, Page
from domain.lifecycles.batch import BATCH, BatchType
from domain.lifecycles.instruction import INSTRUCTION

OF_RECORDING = (ArtifactKind.VIDEO, ArtifactKind.AUDIO)
"""The recording itself, and its sound. What was written down of it and taken out of it is the document's."""

OUTLIVING = (erasures, purges, credit_accounts, credit_entries, credit_postings)
"""Tables with an owner whose rows do not go with them."""

_COLUMNS = ("id", "what", "by_admin", "by_age", "requested_at", "completed_at")


class Purges(Repository):
    def begin_recording_purge(
        self, job_id: str, *, owner: str | None, by_admin: bool = False, by_age: bool = False
    ) -> Purge:
        """Take the recording from the job, which keeps what was made of it.

        Args:
            owner: Whose the job has to be; ``None``: anybody's.

        Raises:
            NotFound: The job is absent, not ``owner``'s, or has no recording (any more).
            RecordingInUse: A run still needs it, a batch, or the task of a picture.
        """
        with self._database.write() as connection:
            now = self._clock()
            job = LockedJob(connection, job_id, now, owner=owner)
            if job["kind"] != INSTRUCTION.kind:
                raise not_found()
            of_job = artifacts.c.job_id == job_id, artifacts.c.kind.in_([str(each) for each in OF_RECORDING])
            found = connection.execute(select(artifacts.c.id, artifacts.c.key).where(*of_job)).all()
            session = uploads.c.job_id == job_id, uploads.c.ordinal == RECORDING
            keys = {row.key for row in found} | set(connection.scalars(select(uploads.c.key).where(*session)))
            if not keys:
                raise not_found()
            others = select(jobs.c.id).where(jobs.c.id == job_id, read_for_others())
            check_recording_may_go(job["status"], read_for_others=connection.execute(others).first() is not None)
            read = reported_artifacts.c.artifact_id.in_([row.id for row in found])
            connection.execute(delete(reported_artifacts).where(read))
            connection.execute(delete(artifacts).where(*of_job))
            connection.execute(delete(uploads).where(*session))
            actor = Actor.EDITOR if not (by_admin or by_age) else Actor.SYSTEM
            job.log(EventType.RECORDING_ERASED, stream="task", actor=actor)
            job.save()
            row = self._row(PurgeKind.RECORDING, whose(job["owner"]), by_admin=by_admin, by_age=by_age)
            connection.execute(insert(purges), row | {"job_id": job_id, "keys": sorted(keys), "requested_at": now})
            return _read(row | {"requested_at": now})

    def recording_may_go(self, job: Job) -> bool:
        """Whether :meth:`begin_recording_purge` would take the recording of the job: there is one, and nothing needs
        it."""
        of_job = artifacts.c.job_id == job.id, artifacts.c.kind.in_([str(each) for each in OF_RECORDING])
        session = uploads.c.job_id == job.id, uploads.c.ordinal == RECORDING
        there = or_(exists().where(*of_job), exists().where(*session))
        query = select(jobs.c.id).where(jobs.c.id == job.id, there, ~read_for_others())
        if job.kind != INSTRUCTION.kind or job.status not in RECORDING_MAY_GO:
            return False
        with self._database.read() as connection:
            return connection.execute(query).first() is not None

    def has_lost_recording(self, job_id: str) -> bool:
        """Whether the job's recording was erased alone."""
        erased = job_events.c.job_id == job_id, job_events.c.event_type == str(EventType.RECORDING_ERASED)
        with self._database.read() as connection:
            return connection.execute(select(job_events.c.seq).where(*erased).limit(1)).first() is not None

    def begin_user_purge(self, user: str, *, by_admin: bool = False) -> Purge:
        """Ask for everything of ``user``'s to be erased; the one that is under way, if there is one. Links to what is
        theirs open nothing from now on."""
        with self._database.write() as connection:
            open_one = select(purges).where(
                purges.c.what == str(PurgeKind.USER), purges.c.owner == user, purges.c.completed_at.is_(None)
            )
            found = connection.execute(open_one).mappings().first()
            if found is not None:
                return _read(found)
            row = self._row(PurgeKind.USER, user, by_admin=by_admin, by_age=False)
            row |= {"job_id": None, "keys": [], "requested_at": self._clock()}
            connection.execute(insert(purges), row)
            links = update(shares).where(shares.c.owner.in_(names_of_owner(user)), shares.c.revoked_at.is_(None))
            connection.execute(links.values(revoked_at=row["requested_at"]))
            return _read(row)

    def begin_project_purge(self, project_id: str, *, owner: str) -> Purge:
        """Take the project from its owner and its members, and ask for it to be erased with all its jobs. Links to what
        is in it open nothing from now on.

        Raises:
            NotFound: Absent, not ``owner``'s, or being erased already.
        """
        with self._database.write() as connection:
            its = projects.c.id == project_id, projects.c.owner == owner
            if connection.execute(select(projects.c.id).where(*its).with_for_update()).one_or_none() is None:
                raise not_found()
            now = self._clock()
            connection.execute(update(projects).where(*its).values(owner=f"{NOBODY} {project_id}"))
            for table in (project_members, project_invitations, default_projects):
                connection.execute(delete(table).where(table.c.project_id == project_id))
            in_it = select(jobs.c.id).where(jobs.c.project_id == project_id)
            links = update(shares).where(shares.c.job_id.in_(in_it), shares.c.revoked_at.is_(None))
            connection.execute(links.values(revoked_at=now))
            row = self._row(PurgeKind.PROJECT, owner, by_admin=False, by_age=False)
            row |= {"job_id": None, "keys": [project_id], "requested_at": now}
            connection.execute(insert(purges), row)
            return _read(row)

    def erase_jobs_of_project(self, purge_id: str, limit: int) -> tuple[str, ...]:
        """As :meth:`erase_jobs_of_user`, of the project's, in the bin or not, whoever's they became."""
        with self._database.read() as connection:
            in_it = jobs.c.project_id.in_(_held(connection, purge_id).get("keys", ()))
            ids = list(connection.scalars(select(jobs.c.id).where(in_it).order_by(jobs.c.id).limit(limit)))
        for job_id in ids:
            with suppress(NotFound), self._database.write() as connection:
                begin_erasing(connection, job_id, self._clock(), owner=None)
        return tuple(ids)

    def erase_project_rows(self, purge_id: str) -> bool:
        """Remove the project and the words that were kept for it, once its jobs are gone. Returns: whether they are."""
        with self._database.write() as connection:
            for project_id in _held(connection, purge_id).get("keys", ()):
                if connection.execute(select(jobs.c.id).where(jobs.c.project_id == project_id).limit(1)).first():
                    return False
                its = (project_brands, project_logos, project_members, project_invitations, default_projects)
                for table in (glossary_terms, *its):
                    connection.execute(delete(table).where(table.c.project_id == project_id))
                connection.execute(delete(projects).where(projects.c.id == project_id))
            return True

    def purge_owner(self, purge_id: str) -> str | None:
        """Whose it is; ``None`` once it is done, or where the job went as a whole meanwhile."""
        return self._open(purge_id)[0]

    def purge_keys(self, purge_id: str) -> tuple[str, ...]:
        """The objects that a recording's purge removes; none once it is done."""
        return self._open(purge_id)[1]

    def erase_jobs_of_user(self, purge_id: str, limit: int) -> tuple[str, ...]:
        """Begin the erasure of up to ``limit`` jobs of the user; answers also those that were begun before and are not
        done. None: there are no more."""
        with self._database.read() as connection:
            user = _held(connection, purge_id).get("owner")
            if user is None:
                return ()
            begun = erasures.c.owner == user, erasures.c.completed_at.is_(None)
            ids = list(connection.scalars(select(erasures.c.job_id).where(*begun).limit(limit)))
            theirs = select(jobs.c.id, jobs.c.owner).where(jobs.c.owner.in_(names_of_owner(user)))
            more = connection.execute(theirs.order_by(jobs.c.id).limit(limit - len(ids))).all()
        for job_id, owner in more:
            with suppress(NotFound), self._database.write() as connection:  # its owner was faster
                begin_erasing(connection, job_id, self._clock(), owner=owner)
        return (*ids, *(job_id for job_id, _ in more))

    def erase_user_rows(self, purge_id: str) -> bool:
        """Remove every row of the user's that belongs to no job. In the books a name that leads nowhere stands for
        theirs, as it does where they acted on what is somebody else's: as a member of a project, which they leave.

        Returns:
            Whether that was done: not where they have made another job meanwhile.
        """
        with self._database.write() as connection:
            user = _held(connection, purge_id).get("owner")
            if user is None:
                return True
            theirs = jobs.c.owner.in_(names_of_owner(user))
            if connection.execute(select(jobs.c.id).where(theirs).limit(1)).one_or_none() is not None:
                return False
            nobody = f"{NOBODY} {purge_id}"
            leave_projects(connection, user, nobody)
            _drop_deliveries(connection, user)
            for table in reversed(metadata.sorted_tables):
                if "owner" in table.c and table not in OUTLIVING:
                    connection.execute(delete(table).where(table.c.owner.in_(names_of_owner(user))))
            booked = select(credit_accounts).where(credit_accounts.c.owner == user)
            if accounts := [dict(row) | {"owner": nobody} for row in connection.execute(booked).mappings()]:
                connection.execute(insert(credit_accounts), accounts)
            said = {"owner": nobody, "reason": NOBODY, "idempotency_key": None}
            connection.execute(update(credit_entries).where(credit_entries.c.owner == user).values(owner=nobody))
            connection.execute(update(credit_postings).where(credit_postings.c.owner == user).values(said))
            connection.execute(delete(credit_accounts).where(credit_accounts.c.owner == user))
            connection.execute(update(credit_postings).where(credit_postings.c.actor == user).values(actor=nobody))
            connection.execute(update(reviews).where(reviews.c.reviewer == user).values(reviewer=nobody))
            return True

    def finish_purge(self, purge_id: str) -> None:
        """All is removed: of the purge, too, but that it was done."""
        done = update(purges).where(purges.c.id == purge_id, purges.c.completed_at.is_(None))
        with self._database.write() as connection:
            connection.execute(done.values(completed_at=self._clock(), owner=None, job_id=None, keys=[]))

    def open_purges(self, older_than_s: float = 30.0, limit: int = 100) -> tuple[tuple[str, PurgeKind], ...]:
        """Purges that were asked for more than ``older_than_s`` seconds ago, and are not done."""
        before = self._clock() - timedelta(seconds=older_than_s)
        query = select(purges.c.id, purges.c.what)
        query = query.where(purges.c.completed_at.is_(None), purges.c.requested_at < before).limit(limit)
        with self._database.read() as connection:
            return tuple((row.id, PurgeKind(row.what)) for row in connection.execute(query))

    def list_purges(self, limit: int = 20, cursor: str | None = None) -> Page[Purge]:
        """Newest first. Raises: RequestInvalid: bad limit or cursor."""
        query = select(*(purges.c[name] for name in _COLUMNS))
        moment, unique = purges.c.requested_at, purges.c.id
        with self._database.read() as connection:
            return newest_first(connection, query, moment, unique, limit=limit, cursor=cursor, read=_read)

    def _row(self, what: PurgeKind, owner: str, *, by_admin: bool, by_age: bool) -> dict[str, Any]:
        return {"id": self._new_id(), "what": str(what), "owner": owner, "by_admin": by_admin, "by_age": by_age}

    def _open(self, purge_id: str) -> tuple[str | None, tuple[str, ...]]:
        with self._database.read() as connection:
            held = _held(connection, purge_id)
        owner = held.get("owner")
        return None if owner is None else whose(owner), tuple(held.get("keys", ()))


def _drop_deliveries(connection: Connection, user: str) -> None:
    """Remove what was sent to the user's endpoints of projects that they have handed over since: the rest went with
    its jobs."""
    endpoints = select(webhook_endpoints.c.id).where(webhook_endpoints.c.owner == user)
    sent = webhook_deliveries.c.endpoint_id.in_(endpoints)
    of = webhook_attempts.c.delivery_id.in_(select(webhook_deliveries.c.id).where(sent))
    connection.execute(delete(webhook_attempts).where(of))
    connection.execute(delete(webhook_deliveries).where(sent))


def read_for_others() -> ColumnElement[bool]:
    """Whether the task of a picture has still to read the recording of a row of ``jobs``, or a batch of its owner's
    (but of captions, which are made of what was written down)."""
    batch = jobs.alias("batch")
    asked = job_inputs.c.job_id == batch.c.id, cast(job_inputs.c.input, Text).contains(jobs.c.id)
    open_batch = (
        batch.c.owner == jobs.c.owner,
        batch.c.completed_at.is_(None),
        batch.c.kind == BATCH.kind,
        batch.c.job_type != str(BatchType.CAPTIONS),
    )
    task = screenshot_tasks.c.job_id == jobs.c.id, screenshot_tasks.c.completed_at.is_(None)
    return or_(exists().where(*task), exists().where(*open_batch, *asked))


def _held(connection: Connection, purge_id: str) -> Mapping[str, Any]:
    row = connection.execute(select(purges).where(purges.c.id == purge_id)).mappings().one_or_none()
    return dict(row) if row is not None else {}


def _read(row: Mapping[Any, Any]) -> Purge:
    return Purge.model_validate({name: row.get(name) for name in _COLUMNS})
