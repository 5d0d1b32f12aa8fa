"""Credits: a double-entry ledger's rules. What is posted, between which accounts, and on which transition of a job.

A posting moves an amount from one account to another: two entries that sum to zero. A user has two accounts, what may
be spent (``available``) and what is held for running jobs (``reserved``); the house has two, where grants come from
(``issued``) and where what was spent goes (``earned``). A user's accounts are never below zero.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from domain.errors import PostingRefused
from domain.lifecycles import generation, image
from domain.lifecycles.generation import GENERATION, GenerationType
from domain.lifecycles.image import IMAGE
from domain.lifecycles.lifecycle import Lifecycle

AMOUNT_LIMIT = 10**9
"""The most that one posting moves; nine billion of them fit into an account."""

HOUSE = ""
"""The owner of the house's accounts; no user is called so."""

PRICED = (IMAGE.kind, *(str(each) for each in GenerationType))
"""What has a price: the image kind, and each type of generation. The other kinds cost nothing."""


class PostingKind(StrEnum):
    """What a posting is for."""

    GRANT = "grant"
    RESERVE = "reserve"
    CAPTURE = "capture"
    RELEASE = "release"
    DEDUCT = "deduct"
    REFUND = "refund"


class Account(StrEnum):
    """The first two are a user's, the others the house's."""

    AVAILABLE = "available"
    RESERVED = "reserved"
    ISSUED = "issued"
    EARNED = "earned"


USERS = (Account.AVAILABLE, Account.RESERVED)
HOUSES = (Account.ISSUED, Account.EARNED)

LEGS: Mapping[PostingKind, tuple[Account, Account]] = {
    PostingKind.GRANT: (Account.ISSUED, Account.AVAILABLE),
    PostingKind.RESERVE: (Account.AVAILABLE, Account.RESERVED),
    PostingKind.CAPTURE: (Account.RESERVED, Account.EARNED),
    PostingKind.RELEASE: (Account.RESERVED, Account.AVAILABLE),
    PostingKind.DEDUCT: (Account.AVAILABLE, Account.EARNED),
    PostingKind.REFUND: (Account.EARNED, Account.AVAILABLE),
}
"""From which account to which."""

SETTLES: Mapping[PostingKind, PostingKind] = {
    PostingKind.CAPTURE: PostingKind.RESERVE,
    PostingKind.RELEASE: PostingKind.RESERVE,
    PostingKind.REFUND: PostingKind.DEDUCT,
}
"""What settles what. An attempt is charged at most once, and its charge is settled at most once."""

CHARGES = tuple(dict.fromkeys(SETTLES.values()))
"""The postings that take from a user, in a job's name."""

Move = tuple[str, StrEnum | None, StrEnum]
"""A transition of a kind: (kind, from, to)."""


def _booked(
    lifecycle: Lifecycle[Any], sources: tuple[StrEnum | None, ...], target: StrEnum, kind: PostingKind
) -> Iterator[tuple[Move, PostingKind]]:
    """One line of the books. Raises ValueError for a move that the kind's table does not have."""
    for source in sources:
        if not any((row.source, row.target) == (source, target) for row in lifecycle.transitions):
            raise ValueError(f"{lifecycle.kind}: the books name {source} -> {target}, the table does not")
        yield (lifecycle.kind, source, target), kind


def _books(*lines: Iterable[tuple[Move, PostingKind]]) -> dict[Move, PostingKind]:
    return {move: kind for line in lines for move, kind in line}


BOOKS: Mapping[Move, PostingKind] = _books(
    _booked(IMAGE, (None,), image.QUEUED, PostingKind.RESERVE),
    _booked(IMAGE, (image.RUNNING,), image.COMPLETED, PostingKind.CAPTURE),
    _booked(IMAGE, (image.QUEUED, image.RUNNING), image.REJECTED, PostingKind.CAPTURE),
    _booked(IMAGE, (image.FAILED,), image.DEAD_LETTER, PostingKind.RELEASE),
    _booked(GENERATION, (None,), generation.PENDING, PostingKind.DEDUCT),
    _booked(GENERATION, (generation.FAILED, generation.EXPIRED), generation.PENDING, PostingKind.DEDUCT),
    _booked(
        GENERATION,
        (generation.PENDING, generation.QUEUED, generation.PROCESSING),
        generation.FAILED,
        PostingKind.REFUND,
    ),
    _booked(
        GENERATION,
        (generation.PENDING, generation.QUEUED, generation.PROCESSING),
        generation.CANCELED,
        PostingKind.REFUND,
    ),
    _booked(GENERATION, (generation.PROCESSING,), generation.EXPIRED, PostingKind.REFUND),
)
"""Which transition moves credits, and how. The store books it in the transition's own transaction."""

SETTLED: frozenset[tuple[str, StrEnum]] = frozenset(
    (kind, target) for (kind, _, target), posting in BOOKS.items() if posting in SETTLES
)
"""(kind, status) of jobs whose latest charge has been settled; in any other status it has not."""

GIVEN_BACK: frozenset[tuple[str, StrEnum]] = frozenset(
    (kind, target)
    for (kind, _, target), posting in BOOKS.items()
    if posting in (PostingKind.RELEASE, PostingKind.REFUND)
)
"""Those whose owner has got it back."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Charge(_Frozen):
    """What a transition is to post, or has posted, in a job's name."""

    kind: PostingKind
    attempt: int = Field(ge=1)
    amount: int = Field(gt=0, le=AMOUNT_LIMIT)


class Posting(_Frozen):
    """A posting to be made.

    Args:
        owner: The user whose accounts it touches.
        amount: Credits, from 1.
        job_id: In whose name; ``None`` for a grant. Goes with ``attempt``.
        reason: For people.
        actor: Who caused it: a user, or ``"system"``.
        idempotency_key: Of a grant; unique for its actor.
    """

    kind: PostingKind
    owner: str = Field(min_length=1)
    amount: int = Field(gt=0, le=AMOUNT_LIMIT)
    job_id: str | None = None
    attempt: int | None = None
    reason: str = ""
    actor: str = "system"
    idempotency_key: str | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        is_grant = self.kind is PostingKind.GRANT
        if is_grant is not (self.job_id is None) or is_grant is not (self.attempt is None):
            raise ValueError("A grant belongs to no job, every other posting to an attempt of one.")
        return self


class Posted(Posting):
    """A posting as it stands in the books."""

    id: str
    created_at: datetime


class Entry(_Frozen):
    """One leg of a posting: ``amount`` is what it adds to ``account`` (negative: takes from it)."""

    id: str
    posting_id: str
    account: Account
    amount: int
    kind: PostingKind
    job_id: str | None
    attempt: int | None
    reason: str
    created_at: datetime


class Balance(_Frozen):
    """What a user has: ``available`` to spend, ``reserved`` for running jobs."""

    available: int = Field(ge=0)
    reserved: int = Field(ge=0)

    @property
    def balance(self) -> int:
        """The sum of the user's entries."""
        return self.available + self.reserved


class BooksReport(_Frozen):
    """What an audit of the whole ledger found. ``findings`` are sentences; none: the books balance."""

    postings: int
    users: int
    findings: tuple[str, ...] = ()

    @property
    def balanced(self) -> bool:
        return not self.findings


def is_charged(kind: str) -> bool:
    """Whether jobs of ``kind`` cost credits as they are made."""
    return any(of == kind and source is None for of, source, _ in BOOKS)


def cost_of(kind: str, price: int | None) -> int:
    """What an attempt of a job of ``kind`` costs at ``price``.

    Raises:
        ValueError: The kind costs credits and has no price, or the other way round: whoever makes the job forgot it.
    """
    if is_charged(kind) is (price is None) or not 0 <= (price or 0) <= AMOUNT_LIMIT:
        raise ValueError(f"a job of the kind {kind} cannot have the price {price}")
    return price or 0


def charge_of(move: Move, *, cost: int, attempt: int, posted: Sequence[Charge]) -> Charge | None:
    """What the transition ``move`` posts; ``None``: nothing, because the books do not name it or the job is free.

    Args:
        cost: What an attempt of the job costs.
        attempt: The job's attempt as the transition leaves it.
        posted: What was posted in the job's name before.

    Raises:
        PostingRefused: The attempt was charged already, or there is no charge left to settle. The transition would
            take or give twice: it must not happen.
    """
    kind = BOOKS.get(move)
    if kind is None or cost == 0:
        return None
    if kind in CHARGES:
        if any(each.kind in CHARGES and each.attempt == attempt for each in posted):
            raise PostingRefused(f"Attempt {attempt} of the job has been charged.")
        return Charge(kind=kind, attempt=attempt, amount=cost)
    charged = max((each for each in posted if each.kind is SETTLES[kind]), key=lambda each: each.attempt, default=None)
    if charged is None or any(each.kind in SETTLES and each.attempt == charged.attempt for each in posted):
        raise PostingRefused("The job has no charge that is not settled.")
    return charged.model_copy(update={"kind": kind})


def read_prices(text: str, defaults: Mapping[str, int] | None = None) -> dict[str, int]:
    """A price list out of ``image=4,copy=1``: credits by name of :data:`PRICED`.

    Args:
        defaults: The prices of what is not named.

    Raises:
        ValueError: A name that has no price, or a price that is not from 0 to ``AMOUNT_LIMIT``; or one is missing.
    """
    prices = dict(defaults or {})
    for item in filter(None, (each.strip() for each in text.split(","))):
        name, _, price = (part.strip() for part in item.partition("="))
        if name not in PRICED:
            raise ValueError(f"names only {', '.join(PRICED)}")
        if not (price.isascii() and price.isdecimal()) or int(price) > AMOUNT_LIMIT:
            raise ValueError("is a list like image=4,copy=1 of whole credits")
        prices[name] = int(price)
    if missing := [name for name in PRICED if name not in prices]:
        raise ValueError(f"has no price for {', '.join(missing)}")
    return prices
