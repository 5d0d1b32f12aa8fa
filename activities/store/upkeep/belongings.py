"""All that is a user's, row by row, for whoever wants it in their own hands.

It is read in pages, each a transaction of its own: who takes long to fetch it holds nobody up. Secrets, and what only
keeps requests from counting twice, stay.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Table, and_, or_, select, tuple_

from activities.store.repository import Repository
from activities.store.tables import (
    comments,
    default_projects,
    erasures,
    idempotency_keys,
    jobs,
    metadata,
    presences,
    project_brands,
    project_invitations,
    project_logos,
    project_members,
    projects,
    provider_webhooks,
    purges,
    reviews,
    shares,
    sign_ins,
    sittings,
    webhook_endpoints,
    webhook_tickets,
)
from activities.store.upkeep.erasures import own_rows
from domain.erasure import names_of_owner

KEPT_BACK = (default_projects, erasures, idempotency_keys, presences, purges, reviews, sign_ins, webhook_tickets)
"""Tables of which nothing is told: locks, what is being erased, repeats of requests, what administrators note under
their names, sessions, addresses that are secrets, and who has a guide open this very moment."""

SECRET = frozenset(
    {
        webhook_endpoints.c.secret,
        shares.c.token_sha256,
        shares.c.passphrase_hash,
        project_invitations.c.token_sha256,
        provider_webhooks.c.ticket,  # the address that it came to: whoever has it can send there
    }
)

AT_ONCE = 100
"""Rows that are read together."""

Row = dict[str, Any]


class Belongings(Repository):
    def rows_of_user(self, owner: str) -> Iterator[tuple[str, Iterator[Row]]]:
        """What is the user's and of no job, table by table: projects and who is in them, projects of others that they
        are in and what they said and have not saved there, endpoints, entries in the books. As :meth:`rows_of_job`."""
        theirs = select(projects.c.id).where(projects.c.owner == owner)
        joined = or_(project_members.c.subject == owner, project_members.c.project_id.in_(theirs))
        others = select(jobs.c.id).where(jobs.c.owner.not_in(names_of_owner(owner)))
        also = {
            project_members: joined,
            project_invitations: project_invitations.c.project_id.in_(theirs),
            project_brands: project_brands.c.project_id.in_(theirs),
            project_logos: project_logos.c.project_id.in_(theirs),
            comments: and_(comments.c.author == owner, comments.c.job_id.in_(others)),
            sittings: and_(sittings.c.owner.in_(names_of_owner(owner)), sittings.c.job_id.in_(others)),
        }
        for table in metadata.sorted_tables:
            if table in also:
                yield table.name, self._paged(table, also[table])
            elif "owner" in table.c and table not in KEPT_BACK and own_rows(table, "") is None:
                yield table.name, self._paged(table, table.c.owner == owner)

    def rows_of_job(self, owner: str, job_id: str) -> Iterator[tuple[str, Iterator[Row]]]:
        """The rows of a job of ``owner``'s, table by table: to be read in this order. Moments are text (ISO 8601, UTC).
        What others have not saved in it is theirs alone."""
        for table in metadata.sorted_tables:
            own = own_rows(table, job_id)
            if own is not None and table not in KEPT_BACK:
                if table is sittings:
                    own &= sittings.c.owner.in_(names_of_owner(owner))
                yield table.name, self._paged(table, own)

    def job_ids_of(self, owner: str) -> Iterator[str]:
        """Every job of the user's, oldest first, those in the bin too."""
        for row in self._paged(jobs, jobs.c.owner.in_(names_of_owner(owner))):
            yield row["id"]

    def _paged(self, table: Table, own: ColumnElement[bool]) -> Iterator[Row]:
        key = list(table.primary_key)
        told = [column for column in table.c if column not in SECRET]
        query = select(*told).where(own).order_by(*key).limit(AT_ONCE)
        after: ColumnElement[bool] | None = None
        while True:
            with self._database.read() as connection:
                found = connection.execute(query if after is None else query.where(after)).mappings().all()
            for row in found:
                yield {name: _plain(value) for name, value in row.items()}
            if len(found) < AT_ONCE:
                return
            after = tuple_(*key) > tuple(found[-1][column] for column in key)


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value
