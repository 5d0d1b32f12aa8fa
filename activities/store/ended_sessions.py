"""Sessions that were ended before their time: a copy of their cookie opens nothing any more."""

from datetime import timedelta

from sqlalchemy import delete, exists, select

from activities.store.database import inserting
from activities.store.repository import Repository
from activities.store.tables import ended_sessions, sign_ins


class EndedSessions(Repository):
    def end_session(self, session_id: str, kept_s: float) -> bool:
        """Let a session (or what opens one) count no more, for good. Answers whether it counted until now: of any who
        ask at once, one is told so.

        Args:
            kept_s: How long a cookie of it may hold yet, in seconds: so long it is remembered.
        """
        row = {"id": session_id, "expires_at": self._clock() + timedelta(seconds=kept_s)}
        with self._database.write() as connection:
            added = connection.execute(inserting(connection, ended_sessions).values(row).on_conflict_do_nothing())
            return added.rowcount == 1

    def is_session_ended(self, session_id: str) -> bool:
        """Whether somebody has signed out of it."""
        with self._database.read() as connection:
            return bool(connection.scalar(select(exists().where(ended_sessions.c.id == session_id))))

    def purge_ended_sessions(self) -> int:
        """Forget those whose cookies have expired, and say how many; and what providers vouched for, if it is over."""
        with self._database.write() as connection:
            now = self._clock()
            connection.execute(delete(sign_ins).where(sign_ins.c.ends_at <= now))
            return connection.execute(delete(ended_sessions).where(ended_sessions.c.expires_at <= now)).rowcount
