"""Rounds: what one of many workers does at a time, again and again. Whose turn it is stands in one row, by the
database's clock."""

from datetime import timedelta

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError

from activities.store.repository import Repository
from activities.store.tables import rounds

_TAKEN = select(rounds.c.taken_until).where(rounds.c.name == bindparam("round"))


class Rounds(Repository):
    def take_round(self, name: str, every_s: float) -> float:
        """Begin the next round, unless somebody has begun one less than ``every_s`` seconds ago.

        Returns:
            0: it is the caller's. Else the seconds until there may be another.
        """
        with self._database.read() as connection:
            taken_until = connection.execute(_TAKEN, {"round": name}).scalar_one_or_none()
        now = self._clock()
        if taken_until is not None and taken_until > now:
            return float((taken_until - now).total_seconds())
        row = {"name": name, "taken_until": now + timedelta(seconds=every_s)}
        try:
            with self._database.write() as connection:
                if taken_until is None:
                    connection.execute(insert(rounds), row)
                    return 0.0
                free = update(rounds).where(rounds.c.name == name, rounds.c.taken_until <= now)
                if connection.execute(free.values(taken_until=row["taken_until"])).rowcount == 1:
                    return 0.0
        except IntegrityError:  # somebody was faster
            pass
        return every_s

    def keep_round(self, name: str, for_s: float) -> None:
        """A round takes long: nobody else begins one for ``for_s`` seconds from now."""
        until = self._clock() + timedelta(seconds=for_s)
        with self._database.write() as connection:
            connection.execute(update(rounds).where(rounds.c.name == name).values(taken_until=until))
