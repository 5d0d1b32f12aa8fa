"""What is forgotten once it is old: the log of webhooks, which every move of every job adds to, and what outside
runners called back with besides the ends of their stages.

Jobs and their history stay, unless the settings say how long those of a kind, or of a project, are kept, or their
recordings: these are found here, and erased as their owner would erase them. Rows go some at a time, so that no
transaction holds others up.
"""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import ColumnElement, Table, and_, delete, exists, or_, select, text, tuple_

from activities.store.documents.sittings import is_kept
from activities.store.repository import Repository
from activities.store.tables import (
    FORGOTTEN_CALLBACKS,
    artifacts,
    callback_events,
    jobs,
    provider_webhooks,
    sittings,
    webhook_attempts,
    webhook_deliveries,
    webhook_endpoints,
)
from activities.store.upkeep.purges import read_for_others
from domain.artifacts import ArtifactKind
from domain.erasure import NOBODY, RECORDING_MAY_GO
from domain.lifecycles.instruction import INSTRUCTION

AT_ONCE = 500
"""Rows of one transaction."""


class Retention(Repository):
    def purge_deliveries(self, older_than_s: float) -> int:
        """Forget deliveries that were last sent off more than ``older_than_s`` seconds ago (longer than one may be on
        its way), with their requests; then endpoints that were deleted before, and that nothing speaks of any more.

        Returns:
            How many deliveries.
        """
        before = self._clock() - timedelta(seconds=older_than_s)
        purged = self._purge(webhook_deliveries, webhook_deliveries.c.handed_over_at < before)
        spoken_of = exists().where(webhook_deliveries.c.endpoint_id == webhook_endpoints.c.id)
        self._purge(webhook_endpoints, and_(webhook_endpoints.c.deleted_at < before, ~spoken_of))
        return purged

    def purge_provider_webhooks(self, older_than_s: float) -> int:
        """Forget what providers sent more than ``older_than_s`` seconds ago, but for what a job that goes on has still
        to read, and what its run was not told of. Answers how many."""
        job = jobs.c.id == provider_webhooks.c.job_id
        over = or_(provider_webhooks.c.job_id.is_(None), exists().where(job, jobs.c.completed_at.is_not(None)))
        old = provider_webhooks.c.received_at < self._clock() - timedelta(seconds=older_than_s)
        return self._purge(provider_webhooks, and_(old, provider_webhooks.c.delivered_at.is_not(None), over))

    def purge_callbacks(self, older_than_s: float) -> int:
        """Forget what outside runners called back with more than ``older_than_s`` seconds ago, but for the ends of
        stages, which a retry goes by, and what a workflow was not told of. Answers how many."""
        before = self._clock() - timedelta(seconds=older_than_s)
        return self._purge(callback_events, and_(callback_events.c.recorded_at < before, text(FORGOTTEN_CALLBACKS)))

    def purge_sittings(self) -> int:
        """Forget what was written at a desk and made no version by anybody for so long that it is not offered any more:
        nothing of what lies in the bin. Answers how many."""
        return self._purge(sittings, ~is_kept(self._clock()))

    def expired_jobs(
        self, kind: str, older_than_s: float, limit: int = 100, *, within: str | None = None, but: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Jobs of ``kind`` that ended more than ``older_than_s`` seconds ago, and are not being erased: in the bin,
        too, which holds up no rule of how long things are kept.

        Args:
            within: Of this project alone; ``None``: of all but ``but``.
        """
        before = self._clock() - timedelta(seconds=older_than_s)
        standing = jobs.c.owner.not_like(f"{NOBODY}%")
        query = select(jobs.c.id).where(jobs.c.kind == kind, jobs.c.completed_at < before, standing)
        query = query.where(_of_projects(within, but))
        with self._database.read() as connection:
            return tuple(connection.scalars(query.order_by(jobs.c.id).limit(limit)))

    def expired_recordings(
        self, older_than_s: float, limit: int = 100, *, within: str | None = None, but: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Jobs whose recording arrived more than ``older_than_s`` seconds ago, and is not needed by a run, nor
        read for another job; in the bin, too. ``within`` and ``but`` as for :meth:`expired_jobs`."""
        before = self._clock() - timedelta(seconds=older_than_s)
        video = artifacts.c.job_id == jobs.c.id, artifacts.c.kind == str(ArtifactKind.VIDEO)
        idle = jobs.c.kind == INSTRUCTION.kind, jobs.c.status.in_([str(each) for each in RECORDING_MAY_GO])
        standing = jobs.c.owner.not_like(f"{NOBODY}%")
        old = exists().where(*video, artifacts.c.created_at < before)
        query = select(jobs.c.id).where(*idle, standing, old, ~read_for_others(), _of_projects(within, but))
        with self._database.read() as connection:
            return tuple(connection.scalars(query.order_by(jobs.c.id).limit(limit)))

    def _purge(self, table: Table, old: ColumnElement[bool]) -> int:
        key = tuple_(*table.primary_key)
        purged = 0
        while True:
            with self._database.write() as connection:
                found = [tuple(row) for row in connection.execute(select(*table.primary_key).where(old).limit(AT_ONCE))]
                if table is webhook_deliveries:
                    ids = [id for (id,) in found]
                    connection.execute(delete(webhook_attempts).where(webhook_attempts.c.delivery_id.in_(ids)))
                connection.execute(delete(table).where(key.in_(found), old))
            purged += len(found)
            if len(found) < AT_ONCE:
                return purged


def _of_projects(within: str | None, but: Sequence[str]) -> ColumnElement[bool]:
    return jobs.c.project_id == within if within is not None else jobs.c.project_id.not_in(but)
