"""Who has a guide open now. A row is a few seconds old or it is gone: whoever comes or stays takes away what is not."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, and_, delete, or_, select

from activities.store.database import inserting
from activities.store.jobs.locking import not_found
from activities.store.people import names_of
from activities.store.repository import Repository
from activities.store.tables import instructions
from activities.store.tables import presences as table
from domain.documents.presence import GONE_AFTER_S, MOST_DESKS, MOST_TOLD, Place, Presence


class Presences(Repository):
    def be_present(
        self, owner: str, instruction_id: str, desk_id: str, place: Place, *, subject: str
    ) -> tuple[Presence, ...]:
        """``subject`` has the guide open, and is at ``place``; who else has, the desk itself among them.

        Raises:
            NotFound: The instruction is absent, or not ``owner``'s.
        """
        now = self._clock()
        key = {"instruction_id": instruction_id, "subject": subject, "desk_id": desk_id}
        with self._database.write() as connection:
            job_id: str | None = connection.scalar(_job_of(instruction_id, owner))
            if job_id is None:
                raise not_found()
            said = {"block_id": place.block_id, "writes": place.writes, "seen_at": now}
            coming = inserting(connection, table).values({**key, **said, "job_id": job_id, "came_at": now})
            connection.execute(coming.on_conflict_do_update(index_elements=list(key), set_=said))
            mine = and_(table.c.instruction_id == instruction_id, table.c.subject == subject)
            newest = select(table.c.desk_id).where(mine).order_by(table.c.seen_at.desc()).limit(MOST_DESKS)
            surplus = and_(mine, table.c.desk_id.not_in(newest))
            connection.execute(delete(table).where(or_(table.c.seen_at < _gone(now), surplus)))
            return _present(connection, [job_id], now).get(job_id, ())

    def leave(self, owner: str, instruction_id: str, desk_id: str, *, subject: str) -> None:
        """``subject`` has the guide open at that desk no more. Raises: NotFound: the instruction is absent, or not
        ``owner``'s."""
        which = table.c.instruction_id == instruction_id, table.c.subject == subject, table.c.desk_id == desk_id
        with self._database.write() as connection:
            if connection.scalar(_job_of(instruction_id, owner)) is None:
                raise not_found()
            connection.execute(delete(table).where(*which))

    def present(self, job_ids: Sequence[str]) -> Mapping[str, tuple[Presence, ...]]:
        """Who has the guides of these jobs open, by the job: one statement, and one more for their names."""
        with self._database.read() as connection:
            return _present(connection, job_ids, self._clock())

    def forget_presences(self) -> int:
        """Forget who was there last and has said no more. Answers how many desks."""
        with self._database.write() as connection:
            return connection.execute(delete(table).where(table.c.seen_at < _gone(self._clock()))).rowcount


def _job_of(instruction_id: str, owner: str) -> Select[Any]:
    return select(instructions.c.job_id).where(instructions.c.id == instruction_id, instructions.c.owner == owner)


def _gone(now: datetime) -> datetime:
    return now - timedelta(seconds=GONE_AFTER_S)


def _present(connection: Connection, job_ids: Sequence[str], now: datetime) -> dict[str, tuple[Presence, ...]]:
    query = select(table).where(table.c.job_id.in_(job_ids), table.c.seen_at >= _gone(now))
    rows = connection.execute(query.order_by(table.c.came_at, table.c.desk_id)).mappings().all()
    names = names_of(connection, (row["subject"] for row in rows)) if rows else {}
    found: dict[str, tuple[Presence, ...]] = {}
    for row in rows:
        known = found.get(row["job_id"], ())
        if len(known) < MOST_TOLD:
            told = {name: row[name] for name in ("desk_id", "subject", "block_id", "writes")}
            found[row["job_id"]] = (*known, Presence(**told, name=names[row["subject"]]))
    return found
