"""A user's glossary: words that are misheard, and what they are, for one project's recordings or for all."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from activities.store.cursors import newest_first
from activities.store.jobs.locking import not_found
from activities.store.jobs.projects import hold_owner, read_project
from activities.store.repository import Repository
from activities.store.tables import glossary_terms as table
from domain.errors import QuotaExceeded
from domain.jobs import Page
from domain.recordings.glossary import MOST_TERMS, Pair, Term

EVERYWHERE = ""
"""In place of a project: the recordings of all."""


class Glossary(Repository):
    def glossary(self, owner: str, project_id: str | None = None) -> tuple[Term, ...]:
        """What counts for a recording of that project: its own terms, and those of all projects that it does not say
        otherwise. ``None``: those of all projects alone. In order of what is heard."""
        scopes = (EVERYWHERE,) if project_id is None else (EVERYWHERE, project_id)
        query = select(table).where(table.c.owner == owner, table.c.project_id.in_(scopes)).order_by(table.c.project_id)
        with self._database.read() as connection:
            found = {str(row["folded"]): _read(row) for row in connection.execute(query).mappings()}
        return tuple(found[each] for each in sorted(found))

    def list_terms(
        self, owner: str, project_id: str | None = None, limit: int = 20, cursor: str | None = None
    ) -> Page[Term]:
        """Every term, or with ``project_id`` that project's own, the last changed first. Raises: RequestInvalid: bad
        limit or cursor."""
        query = select(table).where(table.c.owner == owner)
        if project_id is not None:
            query = query.where(table.c.project_id == project_id)
        with self._database.read() as connection:
            moment, unique = table.c.changed_at, table.c.id
            return newest_first(connection, query, moment, unique, limit=limit, cursor=cursor, read=_read)

    def keep_term(self, owner: str, pair: Pair, project_id: str | None = None) -> tuple[Term, bool]:
        """Keep a pair; what is heard so there already becomes what is right now.

        Returns:
            The term, and whether it is new.

        Raises:
            NotFound: The project is absent, or not ``owner``'s.
            QuotaExceeded: As many are kept as may be.
        """
        with self._database.write() as connection:
            now = self._clock()
            hold_owner(connection, owner, now)
            if project_id is not None:
                read_project(connection, owner, project_id)
            scope = project_id or EVERYWHERE
            same = (table.c.owner == owner, table.c.project_id == scope, table.c.folded == folded_words(pair.heard))
            known = connection.execute(select(table).where(*same)).mappings().one_or_none()
            if known is not None:
                if known["right"] == pair.right and known["heard"] == pair.heard:
                    return _read(known), False
                said = {"heard": pair.heard, "right": pair.right, "changed_at": now}
                connection.execute(update(table).where(table.c.id == known["id"]).values(said))
                return _read({**known, **said}), False
            if _count(connection, owner) >= MOST_TERMS:
                raise QuotaExceeded(f"A glossary has at most {MOST_TERMS} entries. Remove some that you need no more.")
            row = {
                "id": self._new_id(),
                "owner": owner,
                "project_id": scope,
                "heard": pair.heard,
                "right": pair.right,
                "folded": folded_words(pair.heard),
                "changed_at": now,
            }
            connection.execute(insert(table), row)
            return _read(row), True

    def remove_term(self, owner: str, term_id: str) -> None:
        """Raises: NotFound: absent, or not ``owner``'s."""
        with self._database.write() as connection:
            gone = connection.execute(delete(table).where(table.c.id == term_id, table.c.owner == owner))
            if gone.rowcount == 0:
                raise not_found()


def hand_terms_over(connection: Connection, project_id: str, owner: str, subject: str) -> None:
    """Make the project's own terms ``subject``'s, in the caller's transaction, which holds both. Of what both have
    there, as where ``subject`` once owned it, ``owner``'s counts.

    Raises:
        QuotaExceeded: They would keep more than may be.
    """
    theirs = table.c.project_id == project_id, table.c.owner == owner
    before = table.c.project_id == project_id, table.c.owner == subject
    connection.execute(delete(table).where(*before, table.c.folded.in_(select(table.c.folded).where(*theirs))))
    given = connection.execute(update(table).where(*theirs).values(owner=subject)).rowcount
    if given and _count(connection, subject) > MOST_TERMS:
        raise QuotaExceeded(
            f"With the {given} entries that this project's glossary has, theirs would have more than {MOST_TERMS}. "
            "Remove some before you hand it over."
        )


def _count(connection: Connection, owner: str) -> int:
    return connection.scalar(select(func.count()).select_from(table).where(table.c.owner == owner)) or 0


def folded_words(heard: str) -> str:
    """By what a pair is known again: its words, whatever their case."""
    return " ".join(heard.casefold().split())


def _read(row: Mapping[Any, Any]) -> Term:
    facts = {name: row[name] for name in Term.model_fields}
    return Term.model_validate({**facts, "project_id": row["project_id"] or None})
