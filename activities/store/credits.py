"""The ledger: postings between accounts, each two entries that sum to zero, and the balances that follow from them.

A user's balances are kept beside the entries, changed by the same transaction, and cannot fall below zero: what takes
is one conditional UPDATE, so that of many requests at once as many win as there is money for. Accounts are locked in
one order (available, reserved), and after the job's row, so that nobody waits for each other in a circle. The house's
accounts have no balance of their own: one row that every posting changes would be a queue for all of them.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, exists, func, insert, not_, or_, select, tuple_, update
from sqlalchemy.exc import IntegrityError

from activities.process.metrics import CREDITS
from activities.store.after_commit import after_commit
from activities.store.cursors import newest_first
from activities.store.database import inserting
from activities.store.repository import Repository, new_uuid7
from activities.store.tables import credit_accounts, credit_entries, credit_postings, jobs
from domain.credits import (
    BOOKS,
    CHARGES,
    HOUSE,
    LEGS,
    SETTLED,
    SETTLES,
    USERS,
    Account,
    Balance,
    BooksReport,
    Charge,
    Entry,
    Posted,
    Posting,
    PostingKind,
    charge_of,
)
from domain.erasure import whose
from domain.errors import IdempotencyConflict, InsufficientCredits, PostingRefused
from domain.jobs import Page

SYSTEM = "system"

FINDINGS_LIMIT = 20
"""Findings of each sort that an audit names; the first ones tell what is wrong."""


def post(connection: Connection, posting: Posting, now: datetime, new_id: Callable[[], str] = new_uuid7) -> Posted:
    """Make a posting in the caller's transaction. What is written beside it commits with it, or not at all.

    Raises:
        InsufficientCredits: The user has less available than it takes.
        PostingRefused: The user has less reserved than it takes.
        IntegrityError: The attempt was charged or settled before, or the idempotency key was used: the caller asks
            first, under the job's lock.
    """
    source, target = LEGS[posting.kind]
    legs = {source: -posting.amount, target: posting.amount}
    for account in USERS:  # in this order, whichever way the credits go
        if legs.get(account, 0) < 0:
            _take(connection, posting, account)
        elif account in legs:
            _give(connection, posting, account, now)
    posted = Posted(**posting.model_dump(), id=new_id(), created_at=now)
    after_commit(partial(CREDITS.labels(str(posting.kind)).inc, posting.amount))
    connection.execute(insert(credit_postings), posted.model_dump())
    connection.execute(
        insert(credit_entries),
        [
            {
                "id": new_id(),
                "posting_id": posted.id,
                "owner": posting.owner if account in USERS else HOUSE,
                "account": account,
                "amount": amount,
                "created_at": now,
            }
            for account, amount in legs.items()
        ],
    )
    return posted


def _account(owner: str, account: Account) -> ColumnElement[bool]:
    return and_(credit_accounts.c.owner == owner, credit_accounts.c.account == account)


def _take(connection: Connection, posting: Posting, account: Account) -> None:
    enough = and_(_account(posting.owner, account), credit_accounts.c.balance >= posting.amount)
    taking = update(credit_accounts).where(enough).values(balance=credit_accounts.c.balance - posting.amount)
    if connection.execute(taking).rowcount == 1:
        return
    if account is not Account.AVAILABLE:
        raise PostingRefused("The user has less reserved than the posting takes.")
    balance = read_balance(connection, posting.owner).available
    raise InsufficientCredits(
        f"This costs {posting.amount} credits, and you have {balance} to spend.",
        details={"balance": balance, "cost": posting.amount},
    )


def _give(connection: Connection, posting: Posting, account: Account, now: datetime) -> None:
    """Add to an account, which is opened where it is not there."""
    opening = inserting(connection, credit_accounts).values(
        owner=posting.owner, account=account, balance=posting.amount, created_at=now
    )
    connection.execute(
        opening.on_conflict_do_update(
            index_elements=[credit_accounts.c.owner, credit_accounts.c.account],
            set_={"balance": credit_accounts.c.balance + opening.excluded.balance},
        )
    )


def book(
    connection: Connection, job: Mapping[str, Any], source: StrEnum | None, target: StrEnum, now: datetime
) -> Charge | None:
    """Post what the books have for a transition of a job, in the transition's own transaction.

    Args:
        job: The row's ``id``, ``kind``, ``owner``, ``attempt`` (as the transition leaves it) and ``cost``.

    Returns:
        What was posted; ``None``: the transition moves no credits.

    Raises:
        InsufficientCredits: It costs more than the user has.
        PostingRefused: The attempt was charged already, or has nothing left to settle.
    """
    move = (job["kind"], source, target)
    if move not in BOOKS or not job["cost"]:  # most moves: they cost no statement either
        return None
    posted = [] if source is None else list(_posted(connection, job["id"]))
    charge = charge_of(move, cost=job["cost"], attempt=job["attempt"], posted=posted)
    if charge is not None:
        posting = Posting(
            **charge.model_dump(),
            owner=whose(job["owner"]),
            job_id=job["id"],
            actor=SYSTEM,
            reason=f"{job['kind']} {target}",
        )
        post(connection, posting, now)
    return charge


def _posted(connection: Connection, job_id: str) -> Iterator[Charge]:
    """What was posted in a job's name; the job's row is locked by the caller."""
    columns = credit_postings.c
    query = select(columns.kind, columns.attempt, columns.amount).where(columns.job_id == job_id)
    for row in connection.execute(query).mappings():
        yield Charge.model_validate(dict(row))


def read_balance(connection: Connection, owner: str) -> Balance:
    """What ``owner`` has; nothing, where nothing was ever posted."""
    query = select(credit_accounts.c.account, credit_accounts.c.balance).where(credit_accounts.c.owner == owner)
    found = {row.account: row.balance for row in connection.execute(query)}
    return Balance(available=found.get(Account.AVAILABLE, 0), reserved=found.get(Account.RESERVED, 0))


class Credits(Repository):
    def grant(self, owner: str, amount: int, *, reason: str, actor: str, idempotency_key: str) -> tuple[Posted, bool]:
        """Give ``owner`` credits, once for each key of ``actor``.

        Returns:
            The posting, and whether it stood before.

        Raises:
            IdempotencyConflict: The key was used for another grant.
        """
        wanted = Posting(
            kind=PostingKind.GRANT,
            owner=owner,
            amount=amount,
            reason=reason,
            actor=actor,
            idempotency_key=idempotency_key,
        )
        try:
            with self._database.write() as connection:
                before = _find_grant(connection, actor, idempotency_key)
                if before is None:
                    return post(connection, wanted, self._clock(), self._new_id), False
        except IntegrityError:  # the same key at the same moment, in another process
            with self._database.read() as connection:
                before = _find_grant(connection, actor, idempotency_key)
            if before is None:
                raise
        if (before.owner, before.amount, before.reason) != (owner, amount, reason):
            raise IdempotencyConflict("This idempotency_key was used for another grant.")
        return before, True

    def welcome(self, owner: str, amount: int) -> None:
        """Give ``owner`` the initial credits, unless they had theirs, however many those were. 0: none."""
        key = f"initial:{owner}"
        with self._database.read() as connection:
            if amount == 0 or _find_grant(connection, SYSTEM, key) is not None:
                return
        self.grant(owner, amount, reason="initial credits", actor=SYSTEM, idempotency_key=key)

    def balance(self, owner: str) -> Balance:
        """What ``owner`` has."""
        with self._database.read() as connection:
            return read_balance(connection, owner)

    def balances(self, user: str = "", *, most: int = 50) -> tuple[tuple[str, Balance], ...]:
        """What people have, in the order of their names: those whose name has ``user`` in it, ``most`` of them."""
        account, name = credit_accounts.c.account, credit_accounts.c.owner
        kept = {
            each: func.coalesce(func.sum(credit_accounts.c.balance).filter(account == str(each)), 0).label(str(each))
            for each in (Account.AVAILABLE, Account.RESERVED)
        }
        query = select(name, *kept.values()).group_by(name).order_by(name).limit(most)
        if user:
            query = query.where(func.lower(name).contains(user.lower(), autoescape=True))
        with self._database.read() as connection:
            return tuple(
                (owner, Balance(available=available, reserved=reserved))
                for owner, available, reserved in connection.execute(query)
            )

    def credit_entries(self, owner: str, limit: int = 20, cursor: str | None = None) -> Page[Entry]:
        """The entries of ``owner``'s accounts, newest first. Raises: RequestInvalid: bad limit or cursor."""
        told = ("kind", "job_id", "attempt", "reason")
        query = (
            select(credit_entries, *(credit_postings.c[name] for name in told))
            .join(credit_postings, credit_postings.c.id == credit_entries.c.posting_id)
            .where(credit_entries.c.owner == owner)
        )
        with self._database.read() as connection:
            return newest_first(
                connection,
                query,
                credit_entries.c.created_at,
                credit_entries.c.id,
                limit=limit,
                cursor=cursor,
                read=lambda row: Entry.model_validate(dict(row)),
            )

    def audit_credits(self) -> BooksReport:
        """Add the whole ledger up. Reads every entry: for a doctor, not for a request."""
        with self._database.read() as connection:
            findings = (*_lopsided(connection), *_drifted(connection), *_unsettled(connection))
            users = select(func.count(credit_accounts.c.owner.distinct())).where(credit_accounts.c.owner != HOUSE)
            return BooksReport(
                postings=connection.execute(select(func.count()).select_from(credit_postings)).scalar_one(),
                users=connection.execute(users).scalar_one(),
                findings=findings,
            )


def _find_grant(connection: Connection, actor: str, idempotency_key: str) -> Posted | None:
    query = select(credit_postings).where(
        credit_postings.c.actor == actor, credit_postings.c.idempotency_key == idempotency_key
    )
    row = connection.execute(query).mappings().one_or_none()
    return Posted.model_validate(dict(row)) if row is not None else None


def _lopsided(connection: Connection) -> Iterator[str]:
    """Postings that are not two entries of their amount that sum to zero."""
    postings, entries = credit_postings.c, credit_entries.c
    gained = func.sum(case((entries.amount > 0, entries.amount), else_=0))
    query = (
        select(postings.id)
        .outerjoin(credit_entries, entries.posting_id == postings.id)
        .group_by(postings.id, postings.amount)
        .having(or_(func.count(entries.id) != 2, func.sum(entries.amount) != 0, gained != postings.amount))
        .limit(FINDINGS_LIMIT)
    )
    for row in connection.execute(query):
        yield f"posting {row.id} does not sum to zero"


def _drifted(connection: Connection) -> Iterator[str]:
    """Users' accounts whose balance is not the sum of their entries."""
    accounts, entries = credit_accounts.c, credit_entries.c
    total = func.coalesce(func.sum(entries.amount), 0)
    query = (
        select(accounts.owner, accounts.account, accounts.balance, total.label("total"))
        .outerjoin(credit_entries, and_(entries.owner == accounts.owner, entries.account == accounts.account))
        .where(accounts.owner != HOUSE)
        .group_by(accounts.owner, accounts.account, accounts.balance)
        .having(total != accounts.balance)
        .limit(FINDINGS_LIMIT)
    )
    for row in connection.execute(query):
        yield f"{row.owner}'s {row.account} credits are {row.balance}, their entries sum to {row.total}"


def _unsettled(connection: Connection) -> Iterator[str]:
    """Jobs whose status says that their latest charge is settled and it is not, or the other way round."""
    charge, settling = credit_postings.alias("charge"), credit_postings.alias("settling")
    newer = credit_postings.alias("newer")
    in_settled_status = tuple_(jobs.c.kind, jobs.c.status).in_([(kind, str(status)) for kind, status in SETTLED])
    is_settled = exists().where(
        settling.c.job_id == charge.c.job_id, settling.c.attempt == charge.c.attempt, settling.c.kind.in_(SETTLES)
    )
    is_latest = ~exists().where(
        newer.c.job_id == charge.c.job_id, newer.c.kind.in_(CHARGES), newer.c.attempt > charge.c.attempt
    )
    query = (
        select(jobs.c.id, jobs.c.status)
        .join(charge, charge.c.job_id == jobs.c.id)
        .where(
            charge.c.kind.in_(CHARGES),
            is_latest,
            or_(and_(in_settled_status, not_(is_settled)), and_(not_(in_settled_status), is_settled)),
        )
        .limit(FINDINGS_LIMIT)
    )
    for row in connection.execute(query):
        yield f"job {row.id} is {row.status}, and its credits are not where they belong"
