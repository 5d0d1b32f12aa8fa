"""Leases: one process at a time confirms an upload or sweeps it away, and nothing changes it meanwhile.

The holder of a lease works outside any transaction, for as long as it takes to read a recording, and extends
it; when the holder dies the lease runs out, and somebody else takes it.
"""

from datetime import timedelta

from sqlalchemy import or_, select, update

from activities.store.records import UploadSession
from activities.store.repository import Repository
from activities.store.tables import jobs, uploads
from activities.store.uploads.uploads import change_session, locked_session
from domain.lifecycles.analysis import DRAFTING
from domain.lifecycles.instruction import UPLOADING


class Leases(Repository):
    def lease_upload(self, upload_id: str, lease: str, for_s: float) -> UploadSession | None:
        """Take the lease for ``for_s`` seconds; ``None`` where somebody else holds it.

        Args:
            lease: Names the holder; nobody else's is the same.

        Raises:
            NotFound: There is no such session.
        """
        with self._database.write() as connection:
            now = self._clock()
            session = locked_session(connection, upload_id)
            if session.is_leased(now):
                return None
            return change_session(connection, session, sealed_by=lease, sealed_until=now + timedelta(seconds=for_s))

    def extend_lease(self, upload_id: str, lease: str, for_s: float) -> bool:
        """Hold it for ``for_s`` seconds from now; whether it was still the holder's to extend."""
        until = self._clock() + timedelta(seconds=for_s)
        held = update(uploads).where(uploads.c.id == upload_id, uploads.c.sealed_by == lease)
        with self._database.write() as connection:
            return connection.execute(held.values(sealed_until=until)).rowcount == 1

    def release_lease(self, upload_id: str, lease: str, *, multipart_id: str | None) -> bool:
        """Give it back; from now on the session holds ``multipart_id``, or nothing. Whether it was still held."""
        held = update(uploads).where(uploads.c.id == upload_id, uploads.c.sealed_by == lease)
        values = {"sealed_by": None, "sealed_until": None, "multipart_id": multipart_id}
        with self._database.write() as connection:
            if multipart_id is None:
                values["whole_sha256"] = None
            return connection.execute(held.values(values)).rowcount == 1

    def abandoned_uploads(self, expired_for_s: float, limit: int = 100) -> tuple[UploadSession, ...]:
        """Sessions that hold something nobody will confirm: expired ``expired_for_s`` seconds ago, or of a job that
        takes no more (a recording's that is not UPLOADING, an analysis whose inputs are locked); without those that
        are sealed."""
        now = self._clock()
        taking = [str(status) for status in (UPLOADING, *sorted(DRAFTING))]
        query = (
            select(uploads)
            .join(jobs, jobs.c.id == uploads.c.job_id)
            .where(
                uploads.c.multipart_id.is_not(None),
                or_(uploads.c.expires_at < now - timedelta(seconds=expired_for_s), jobs.c.status.not_in(taking)),
                or_(uploads.c.sealed_until.is_(None), uploads.c.sealed_until <= now),
            )
            .order_by(uploads.c.id)
            .limit(limit)
        )
        with self._database.read() as connection:
            return tuple(UploadSession.model_validate(dict(row)) for row in connection.execute(query).mappings())

    def is_multipart_held(self, multipart_id: str) -> bool:
        """Whether some session holds that multipart upload."""
        query = select(uploads.c.id).where(uploads.c.multipart_id == multipart_id).limit(1)
        with self._database.read() as connection:
            return connection.execute(query).one_or_none() is not None
