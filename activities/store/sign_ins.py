"""Sessions that an identity provider vouches for: until when, as what, and what it is asked again with.

A refresh token is kept sealed, and not at all where there is no key. It may be good for one question alone, so that of
all processes one asks at a time: who takes the question has some seconds for it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, insert, or_, select, update

from activities.store.database import inserting
from activities.store.repository import Repository
from activities.store.tables import ended_sessions
from activities.store.tables import sign_ins as table
from domain.errors import SettingsInvalid
from domain.jobs import Frozen

ASKING_S = 15.0
"""How long who has taken the question may need for it, in seconds: an answer takes 5 at most, in each of its steps."""


class SignIn(Frozen):
    """A session as the provider vouches for it.

    Args:
        due_at: When it is to be asked again.
        until: Until when its last word holds.
        ends_at: When the session is over whatever it says.
        is_renewable: Whether it can be asked again.
    """

    id: str
    owner: str
    role: str
    sid: str | None
    due_at: datetime
    until: datetime
    ends_at: datetime
    is_renewable: bool


class SignIns(Repository):
    def can_renew(self, refresh_token: str | None) -> bool:
        """Whether a session with it can be renewed: not without one, nor where there is no key to seal it with."""
        return refresh_token is not None and self._sealing.has_key

    def record_sign_in(self, sign_in: SignIn, refresh_token: str | None) -> None:
        """Keep a session that has just begun."""
        row = sign_in.model_dump(exclude={"is_renewable"})
        row |= {"refresh_token": self._sealed(refresh_token), "asking_until": None}
        with self._database.write() as connection:
            connection.execute(insert(table), row)

    def sign_in(self, session_id: str) -> SignIn | None:
        """The session; ``None``: no provider vouches for it (any more)."""
        with self._database.read() as connection:
            row = connection.execute(select(table).where(table.c.id == session_id)).mappings().one_or_none()
        if row is None:
            return None
        columns = dict(row)
        del columns["asking_until"]
        return SignIn(**columns, is_renewable=columns.pop("refresh_token") is not None)

    def take_renewal(self, session_id: str, due_at: datetime) -> str | None:
        """Become the one who asks the provider again: the refresh token. ``None``: somebody else does or has, since
        ``due_at`` was read, or there is nothing to ask with.

        Raises:
            SettingsInvalid: The key that the token was sealed with is not here.
        """
        now = self._clock()
        free = or_(table.c.asking_until.is_(None), table.c.asking_until <= now)
        due = table.c.id == session_id, table.c.due_at == due_at, table.c.refresh_token.is_not(None)
        taking = update(table).where(*due, free).values(asking_until=now + timedelta(seconds=ASKING_S))
        with self._database.write() as connection:
            sealed = connection.scalar(taking.returning(table.c.refresh_token))
        return self._sealing.opened(sealed) if sealed is not None else None

    def renew_sign_in(
        self, session_id: str, role: str, *, due_at: datetime, until: datetime, refresh_token: str | None
    ) -> None:
        """The provider vouches for it again, until then and in this role. ``refresh_token``: the next one, where it has
        given another."""
        row = {"role": role, "due_at": due_at, "until": until, "asking_until": None}
        if refresh_token is not None:
            row["refresh_token"] = self._sealed(refresh_token)
        with self._database.write() as connection:
            connection.execute(update(table).where(table.c.id == session_id).values(row))

    def leave_renewal(self, session_id: str) -> None:
        """The provider could not be asked: another may try."""
        with self._database.write() as connection:
            connection.execute(update(table).where(table.c.id == session_id).values(asking_until=None))

    def end_sign_ins(self, *, session_id: str | None = None, owner: str | None = None, sid: str | None = None) -> int:
        """End the sessions of which all that is given is so; their cookies open nothing any more. Answers how many."""
        named = {table.c.id: session_id, table.c.owner: owner, table.c.sid: sid}
        those: Sequence[ColumnElement[bool]] = [column == value for column, value in named.items() if value is not None]
        if not those:
            return 0
        with self._database.write() as connection:
            over = connection.execute(delete(table).where(*those).returning(table.c.id, table.c.ends_at)).all()
            for row in over:
                ended = {"id": row.id, "expires_at": row.ends_at}
                connection.execute(inserting(connection, ended_sessions).values(ended).on_conflict_do_nothing())
        return len(over)

    def drop_sign_in(self, session_id: str) -> str | None:
        """End a session; what the provider could be asked again with, where something is there that can be read."""
        with self._database.together() as connection:
            sealed = connection.scalar(select(table.c.refresh_token).where(table.c.id == session_id))
            self.end_sign_ins(session_id=session_id)
        try:
            return self._sealing.opened(sealed) if sealed is not None else None
        except SettingsInvalid:
            return None

    def _sealed(self, refresh_token: str | None) -> str | None:
        return self._sealing.sealed(refresh_token) if refresh_token and self._sealing.has_key else None
