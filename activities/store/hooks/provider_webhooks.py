"""Webhooks in: what providers tell us, each event once, bound to the attempt of the job that it is for.

As with callbacks (``activities/store/runs/callbacks.py``) the row is the truth: it is committed before a provider is
answered, the workflow is woken by a signal that carries nothing, and reads here. So one that comes before the submit
call returned is not lost: it waits here for the run that asks.

An attempt hands its provider an address of its own (a ticket), which tells whom a webhook is for before anybody knows
what the provider calls the work. Where a provider cannot be given one, it is found by that name, also after the fact.
"""

import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, select, update

from activities.store.database import inserting
from activities.store.jobs.locking import LockedJob
from activities.store.repository import Repository
from activities.store.tables import jobs, provider_webhooks, webhook_tickets
from domain.lifecycles.generation import GENERATION, Addressee, GenerationStatus, WebhookVerdict, judge_webhook
from domain.webhooks import ProviderEvent, ProviderWebhook, Ticket, WebhookReceipt, speaks_for

TOKEN_BYTES = 24
"""Of a ticket: not to be guessed, though a signature is needed besides."""

_COUNTS = (WebhookVerdict.APPLY, WebhookVerdict.EARLY)


class UndeliveredWebhook(NamedTuple):
    """A webhook that counts, and that the job's workflow was perhaps not told of."""

    id: str
    job_id: str


class ProviderWebhooks(Repository):
    def issue_ticket(self, job_id: str, attempt: int, provider: str) -> Ticket:
        """The ticket for the address that ``provider`` is given with an attempt's work; the same when asked again.

        Raises:
            NotFound: There is no such job.
        """
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock())
            row = {
                "token": secrets.token_urlsafe(TOKEN_BYTES),
                "provider": provider,
                "job_id": job.id,
                "attempt": attempt,
                "created_at": job.now,
            }
            connection.execute(inserting(connection, webhook_tickets).values(row).on_conflict_do_nothing())
            return _ticket_of(connection, job_id, attempt, provider)

    def bind_submission(self, job_id: str, attempt: int, provider: str, external_id: str) -> None:
        """The submit call has returned: the provider calls the work ``external_id``. What it said of it meanwhile, to
        an address without a ticket, becomes the attempt's.

        Raises:
            NotFound: There is no such job.
        """
        self.issue_ticket(job_id, attempt, provider)
        with self._database.write() as connection:
            connection.execute(
                update(webhook_tickets)
                .where(
                    webhook_tickets.c.job_id == job_id,
                    webhook_tickets.c.attempt == attempt,
                    webhook_tickets.c.provider == provider,
                )
                .values(external_id=external_id)
            )
            connection.execute(
                update(provider_webhooks)
                .where(
                    provider_webhooks.c.provider == provider,
                    provider_webhooks.c.external_id == external_id,
                    provider_webhooks.c.job_id.is_(None),
                    provider_webhooks.c.ticket.is_(None),
                )
                .values(job_id=job_id, attempt=attempt, verdict=str(WebhookVerdict.EARLY))
            )

    def receive_webhook(self, event: ProviderEvent) -> WebhookReceipt:
        """Store a webhook whose signature holds, with what it is worth. One that came before changes nothing."""
        with self._database.write() as connection:
            ticket = _find_ticket(connection, event)
            addressee = _addressee(connection, ticket, self._clock()) if ticket is not None else None
            verdict = judge_webhook(addressee, repeated=False)
            bound = addressee is not None
            row = {
                **event.model_dump(include={"provider", "event_id", "external_id", "ticket", "payload"}),
                "id": self._new_id(),
                "job_id": ticket.job_id if ticket is not None and bound else None,
                "attempt": ticket.attempt if ticket is not None and bound else None,
                "verdict": str(verdict),
                "received_at": self._clock(),
                "delivered_at": None if verdict in _COUNTS else self._clock(),
            }
            fresh = inserting(connection, provider_webhooks).values(row).on_conflict_do_nothing()
            if connection.execute(fresh.returning(provider_webhooks.c.id)).one_or_none() is None:
                return _repeated(connection, event, addressee)
            return WebhookReceipt(
                id=row["id"], verdict=verdict, job_id=row["job_id"], delivered=row["delivered_at"] is not None
            )

    def webhooks_of(self, job_id: str, attempt: int) -> tuple[ProviderWebhook, ...]:
        """Those that count for an attempt, in the order in which they came. Where the submit call has told what the
        provider calls the work, those that speak of other work are left out."""
        query = (
            select(provider_webhooks, webhook_tickets.c.external_id.label("submitted"))
            .outerjoin(
                webhook_tickets,
                (webhook_tickets.c.job_id == provider_webhooks.c.job_id)
                & (webhook_tickets.c.attempt == provider_webhooks.c.attempt)
                & (webhook_tickets.c.provider == provider_webhooks.c.provider),
            )
            .where(
                provider_webhooks.c.job_id == job_id,
                provider_webhooks.c.attempt == attempt,
                provider_webhooks.c.verdict.in_([str(each) for each in _COUNTS]),
            )
            .order_by(provider_webhooks.c.received_at, provider_webhooks.c.id)
        )
        with self._database.read() as connection:
            found = connection.execute(query).mappings().all()
        return tuple(
            ProviderWebhook.model_validate(dict(row))
            for row in found
            if row["submitted"] is None or row["external_id"] in (None, row["submitted"])
        )

    def undelivered_webhooks(self, older_than_s: float = 10.0, limit: int = 100) -> tuple[UndeliveredWebhook, ...]:
        """Stored more than ``older_than_s`` seconds ago, and the workflow was perhaps not told; oldest first."""
        query = (
            select(provider_webhooks.c.id, provider_webhooks.c.job_id)
            .where(
                provider_webhooks.c.delivered_at.is_(None),
                provider_webhooks.c.received_at < self._clock() - timedelta(seconds=older_than_s),
            )
            .order_by(provider_webhooks.c.received_at)
            .limit(limit)
        )
        with self._database.read() as connection:
            return tuple(UndeliveredWebhook(*row) for row in connection.execute(query))

    def mark_webhooks_delivered(self, delivered: Sequence[str]) -> None:
        """The workflows were told of these (ids), or there is none to be told."""
        mark = update(provider_webhooks).where(provider_webhooks.c.id == bindparam("webhook"))
        with self._database.write() as connection:
            connection.execute(mark.values(delivered_at=self._clock()), [{"webhook": each} for each in delivered])


def _ticket_of(connection: Connection, job_id: str, attempt: int, provider: str) -> Ticket:
    query = select(webhook_tickets).where(
        webhook_tickets.c.job_id == job_id,
        webhook_tickets.c.attempt == attempt,
        webhook_tickets.c.provider == provider,
    )
    return Ticket.model_validate(dict(connection.execute(query).mappings().one()))


def _find_ticket(connection: Connection, event: ProviderEvent) -> Ticket | None:
    query = select(webhook_tickets).where(webhook_tickets.c.provider == event.provider)
    if event.ticket is not None:
        query = query.where(webhook_tickets.c.token == event.ticket)
    elif event.external_id is not None:
        query = query.where(webhook_tickets.c.external_id == event.external_id)
    else:
        return None
    row = connection.execute(query).mappings().one_or_none()
    ticket = Ticket.model_validate(dict(row)) if row is not None else None
    return ticket if ticket is not None and speaks_for(ticket, event.external_id) else None


def _addressee(connection: Connection, ticket: Ticket, now: Any) -> Addressee | None:
    """The ticket's job under its lock: either its end comes first, or the webhook."""
    kind = connection.execute(select(jobs.c.kind).where(jobs.c.id == ticket.job_id)).scalar_one()
    if kind != GENERATION.kind:
        return None
    job = LockedJob(connection, ticket.job_id, now)
    return Addressee(issued_for=ticket.attempt, attempt=job["attempt"], status=GenerationStatus(job["status"]))


def _repeated(connection: Connection, event: ProviderEvent, addressee: Addressee | None) -> WebhookReceipt:
    query = select(provider_webhooks.c.id, provider_webhooks.c.job_id, provider_webhooks.c.delivered_at).where(
        provider_webhooks.c.provider == event.provider, provider_webhooks.c.event_id == event.event_id
    )
    row = connection.execute(query).one()
    return WebhookReceipt(
        id=row.id,
        verdict=judge_webhook(addressee, repeated=True),
        job_id=row.job_id,
        delivered=row.delivered_at is not None,
    )
