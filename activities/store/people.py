"""People: what to call whom a subject stands for."""

from collections.abc import Iterable

from sqlalchemy import Connection, select

from activities.store.database import inserting
from activities.store.repository import Repository
from activities.store.rows import Columns
from activities.store.tables import people as table
from domain.people import Person

AT_ONCE = 500
"""Subjects of one statement: SQLite takes 32,766 parameters, and nobody shows so many."""


class People(Repository):
    def saw_person(self, person: Person) -> None:
        """Remember what they are called now, and that they were seen. What their provider does not tell any more is
        forgotten."""
        row = {
            "owner": person.subject,
            "name": person.name,
            "email": person.email,
            "email_verified": person.email_verified,
            "seen_at": self._clock(),
        }
        with self._database.write() as connection:
            seeing = inserting(connection, table).values(row)
            connection.execute(seeing.on_conflict_do_update(index_elements=[table.c.owner], set_=row))

    def people(self, subjects: Iterable[str]) -> dict[str, str]:
        """What to show for each of ``subjects``: a name, else an address, else the subject itself. Each is answered."""
        with self._database.read() as connection:
            return names_of(connection, subjects)

    def person(self, subject: str) -> Person | None:
        """What is known of one; ``None``: their provider has told nothing yet."""
        with self._database.read() as connection:
            row = connection.execute(select(table).where(table.c.owner == subject)).mappings().one_or_none()
        return _person(row) if row is not None else None

    def people_with_email(self, email: str) -> tuple[Person, ...]:
        """Those whose provider says that this address is theirs, whatever its case."""
        theirs = table.c.email == email.strip().lower(), table.c.email_verified
        with self._database.read() as connection:
            rows = connection.execute(select(table).where(*theirs).order_by(table.c.owner)).mappings()
            return tuple(_person(row) for row in rows)


def names_of(connection: Connection, subjects: Iterable[str]) -> dict[str, str]:
    """As :meth:`People.people`, within a transaction."""
    wanted = list(dict.fromkeys(subjects))
    shown = {subject: subject for subject in wanted}
    for start in range(0, len(wanted), AT_ONCE):
        query = select(table).where(table.c.owner.in_(wanted[start : start + AT_ONCE]))
        for row in connection.execute(query).mappings():
            shown[row["owner"]] = _person(row).shown
    return shown


def _person(row: Columns) -> Person:
    columns = dict(row)
    return Person(subject=columns.pop("owner"), **columns)
