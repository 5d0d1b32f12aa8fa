"""Callbacks of external stage runners: each event counts once, and whole.

How a callback reaches the workflow, and why nothing is lost or doubled on the way: the API applies it here, in one
transaction under the job's lock: the event's receipt, the status, the reported artifacts, the document of a draft, the
failure, the audit row.
From then on it holds, whatever dies, and 204 may be said. The workflow is only woken by a signal that carries nothing:
it reads here how far its stage is (``External.external_state``), and goes on from that. A signal that was lost, because
the API died after the commit or Temporal was away, is sent again for every callback that is not marked delivered: by
the same event when the runner repeats it, by the reconciler, and the workflow looks once more before its deadline
counts. A signal that comes twice finds nothing new.

The opposite order (signal first, the workflow writes) would answer 204 for what the database refuses later, or make the
answer wait for a worker.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, update

from activities.store.documents.documents import Composed, add_version, compose, ensure_instruction
from activities.store.jobs.locking import LockedJob
from activities.store.records import CallbackReceipt, EventType
from activities.store.repository import Repository
from activities.store.tables import callback_events, dispatches, projects, reported_artifacts
from domain.artifacts import ArtifactKind
from domain.documents.versions import NewVersion
from domain.errors import DocumentInvalid
from domain.jobs import StageName
from domain.lifecycles.callbacks import (
    DRAFT,
    Callback,
    CallbackContext,
    Decision,
    Effect,
    Undelivered,
    decide,
    external_stages,
    never_replaced,
)
from domain.lifecycles.lifecycle import Trigger
from domain.lifecycles.progress import job_progress

_OF_JOB = callback_events.c.job_id == bindparam("job_id")
_THIS = select(callback_events).where(_OF_JOB, callback_events.c.event_id == bindparam("event_id"))
_NEWEST = select(func.max(callback_events.c.occurred_at)).where(_OF_JOB)
_KNOWN = select(
    projects.c.stages,
    _THIS.with_only_columns(callback_events.c.payload_sha256).scalar_subquery().label("payload_sha256"),
    _THIS.with_only_columns(callback_events.c.delivered_at).scalar_subquery().label("delivered_at"),
    _NEWEST.scalar_subquery().label("newest"),
    _NEWEST.where(callback_events.c.attempt == bindparam("attempt")).scalar_subquery().label("newest_in_attempt"),
    select(dispatches.c.recorded_at)
    .where(dispatches.c.job_id == bindparam("job_id"), dispatches.c.attempt == bindparam("attempt"))
    .scalar_subquery()
    .label("attempt_began"),
).where(projects.c.id == bindparam("project_id"))


class Callbacks(Repository):
    def apply_callback(
        self, job_id: str, callback: Callback, payload_sha256: str, document: NewVersion | None = None
    ) -> CallbackReceipt:
        """Record an event and all that it causes, or nothing.

        Args:
            payload_sha256: Hash of the canonical payload, 64 hexadecimal digits: the same event again is a replay.
            document: Of the draft that the event brings (see ``activities/stages/reported_drafts.py``): it is there as
            soon as the job says so. ``None``, or one that cannot be saved: the adoption tells.

        Raises:
            NotFound: There is no such job.
            EventPayloadMismatch, TerminalImmutable, StaleDispatch, CallbackOutOfOrder, TransitionRefused: see
                :func:`domain.lifecycles.callbacks.decide`. Nothing was written.
        """
        composed = self._composed(document)
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock())
            known = _known(connection, job, callback.event_id)
            context = _context(job, known)
            decision = decide(context, callback, payload_sha256)
            if decision.stage is None:
                return CallbackReceipt(
                    job=job.save(),
                    replayed=True,
                    latest_occurred_at=known["newest"],
                    delivered=known["delivered_at"] is not None,
                )
            self._keep(connection, job, callback, payload_sha256, delivered=decision.effect is Effect.SELF)
            ours = never_replaced(context.external)
            self._report(connection, job, callback, ours)
            _move(job, callback, decision)
            if composed is not None and callback.status is DRAFT.checkpoint:
                instruction = ensure_instruction(connection, job, job.now, self._new_id)
                add_version(connection, instruction, composed, job.now, self._new_id, attempt=job["attempt"])
            return CallbackReceipt(
                job=job.save(),
                replayed=False,
                latest_occurred_at=max(callback.occurred_at, known["newest"] or callback.occurred_at),
                delivered=decision.effect is Effect.SELF,
                ignored=tuple(kind for kind in callback.artifacts if kind in ours),
            )

    def undelivered_callbacks(self, older_than_s: float = 10.0, limit: int = 100) -> tuple[Undelivered, ...]:
        """Applied more than ``older_than_s`` seconds ago, and the workflow was perhaps not told; oldest first."""
        query = (
            select(callback_events.c.job_id, callback_events.c.event_id)
            .where(
                callback_events.c.delivered_at.is_(None),
                callback_events.c.recorded_at < self._clock() - timedelta(seconds=older_than_s),
            )
            .order_by(callback_events.c.recorded_at)
            .limit(limit)
        )
        with self._database.read() as connection:
            return tuple(Undelivered(*row) for row in connection.execute(query))

    def mark_delivered(self, delivered: Sequence[Undelivered]) -> None:
        """The workflows were told of these, or there is none any more to be told."""
        mark = (
            update(callback_events)
            .where(callback_events.c.job_id == bindparam("job"), callback_events.c.event_id == bindparam("event"))
            .values(delivered_at=self._clock())
        )
        with self._database.write() as connection:
            connection.execute(mark, [{"job": each.job_id, "event": each.event_id} for each in delivered])

    def _composed(self, document: NewVersion | None) -> Composed | None:
        try:
            return compose(document, self._new_id) if document is not None else None
        except DocumentInvalid:
            return None

    def _keep(
        self, connection: Connection, job: LockedJob, callback: Callback, payload_sha256: str, *, delivered: bool
    ) -> None:
        connection.execute(
            insert(callback_events),
            {
                "job_id": job.id,
                "event_id": callback.event_id,
                "payload_sha256": payload_sha256,
                "status": str(callback.status),
                "occurred_at": callback.occurred_at,
                "recorded_at": job.now,
                "attempt": job["attempt"],
                "delivered_at": job.now if delivered else None,
            },
        )

    def _report(
        self, connection: Connection, job: LockedJob, callback: Callback, ours: frozenset[ArtifactKind]
    ) -> None:
        new = [
            {
                "id": self._new_id(),
                "job_id": job.id,
                "event_id": callback.event_id,
                "attempt": job["attempt"],
                "kind": str(kind),
                "uri": uri,
                "created_at": job.now,
            }
            for kind, uri in callback.artifacts.items()
            if kind not in ours
        ]
        if new:
            connection.execute(insert(reported_artifacts), new)


def _known(connection: Connection, job: LockedJob, event_id: str) -> Any:
    key = {"job_id": job.id, "event_id": event_id, "attempt": job["attempt"], "project_id": job["project_id"]}
    return connection.execute(_KNOWN, key).mappings().one()


def _context(job: LockedJob, known: Any) -> CallbackContext:
    return CallbackContext(
        lifecycle=job.lifecycle,
        status=job["status"],
        dispatch_id=job["dispatch_id"],
        attempt_began=known["attempt_began"],
        latest_occurred_at=known["newest"],
        latest_in_attempt=known["newest_in_attempt"],
        known_payload=known["payload_sha256"],
        external=external_stages(known["stages"]),
    )


def _move(job: LockedJob, callback: Callback, decision: Decision) -> None:
    stage = decision.stage
    assert stage is not None, "a replay moves nothing"
    if callback.status is stage.checkpoint:
        job.set(progress=max(job["progress"], job_progress(StageName(stage.name), 1.0)))
    facts: dict[str, object] = {"event_id": callback.event_id, "progress": job["progress"]}
    if callback.metrics:
        facts["metrics"] = dict(callback.metrics)
    job.move(
        str(callback.status),
        Trigger.WORKFLOW,
        event_type=EventType.STAGE_RETRIED if decision.effect is Effect.SELF else EventType.STATUS_CHANGED,
        actor=callback.actor,
        failure=callback.failure(stage),
        note="reported by the outside runner",
        occurred_at=callback.occurred_at,
        correlation_id=callback.correlation_id,
        data=facts,
    )
