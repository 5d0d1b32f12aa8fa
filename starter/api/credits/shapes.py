"""The bodies of the credits' requests and answers."""

from typing import Annotated

from pydantic import Field, StrictInt, StringConstraints

from domain.credits import AMOUNT_LIMIT, Account, Balance, Entry, Posted, PostingKind
from starter.access.tokens import SUBJECT_LIMIT
from starter.api.shapes import Line, Moment, Sent, Shape

Key = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$")]


class CreditsAnswer(Shape):
    balance: int = Field(description="All that is yours: available and reserved.")
    reserved: int = Field(description="Held for jobs that run.")
    available: int = Field(description="What can be spent.")

    @classmethod
    def of(cls, balance: Balance) -> "CreditsAnswer":
        return cls(balance=balance.balance, reserved=balance.reserved, available=balance.available)


class EntryAnswer(Shape):
    """One entry of one of your two accounts. The amounts of all of them sum to your balance."""

    id: str
    posting_id: str = Field(description="Entries of one posting belong together: what one account loses.")
    kind: PostingKind
    account: Account
    amount: int = Field(description="Negative: taken from the account.")
    job_id: str | None
    attempt: int | None
    reason: str
    created_at: Moment

    @classmethod
    def of(cls, entry: Entry) -> "EntryAnswer":
        return cls(**entry.model_dump())


class NewGrant(Sent):
    user_id: Annotated[Line, StringConstraints(max_length=SUBJECT_LIMIT)] = Field(
        description="A token's subject.", examples=["alice"]
    )
    amount: Annotated[StrictInt, Field(ge=1, le=AMOUNT_LIMIT)]
    reason: Line
    idempotency_key: Key = Field(description="Yours: the same key and the same grant give it once, whenever.")


class GrantAnswer(Shape):
    id: str
    user_id: str
    amount: int
    reason: str
    granted_by: str
    created_at: Moment

    @classmethod
    def of(cls, posted: Posted) -> "GrantAnswer":
        return cls(
            id=posted.id,
            user_id=posted.owner,
            amount=posted.amount,
            reason=posted.reason,
            granted_by=posted.actor,
            created_at=posted.created_at,
        )
