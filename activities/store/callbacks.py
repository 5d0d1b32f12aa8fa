"""Callbacks of external stage runners: each event counts once."""

from datetime import datetime

from sqlalchemy import func, insert, select

from activities.store.area import Area
from activities.store.locking import LockedJob
from activities.store.records import CallbackReceipt
from activities.store.tables import callback_events
from domain.errors import IdempotencyConflict


class Callbacks(Area):
    def record_callback(
        self, job_id: str, event_id: str, *, payload_sha256: str, status: str, occurred_at: datetime
    ) -> CallbackReceipt:
        """Remember that an event came.

        Args:
            payload_sha256: Hash of the canonical payload, 64 hexadecimal digits.

        Returns:
            Whether it had come before (nothing is written then), and when the newest of the job's events occurred.

        Raises:
            IdempotencyConflict: The same event id with another payload; ``details`` hold ``event_id``.
            NotFound: There is no such job.
        """
        with self._database.write() as connection:
            now = self._clock()
            LockedJob(connection, job_id, now)
            of_job = callback_events.c.job_id == job_id
            known = select(callback_events.c.payload_sha256).where(of_job, callback_events.c.event_id == event_id)
            before = connection.execute(known).scalar_one_or_none()
            if before not in (None, payload_sha256):
                raise IdempotencyConflict(
                    "This event_id came before with another payload.", details={"event_id": event_id}
                )
            if before is None:
                connection.execute(
                    insert(callback_events),
                    {
                        "job_id": job_id,
                        "event_id": event_id,
                        "payload_sha256": payload_sha256,
                        "status": status,
                        "occurred_at": occurred_at,
                        "recorded_at": now,
                    },
                )
            newest = connection.execute(select(func.max(callback_events.c.occurred_at)).where(of_job)).scalar_one()
            return CallbackReceipt(replayed=before is not None, latest_occurred_at=newest)
