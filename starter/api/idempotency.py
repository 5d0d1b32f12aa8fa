"""``Idempotency-Key``: a creation that is sent twice happens once."""

import hashlib
from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Request, Response
from pydantic import BaseModel

from activities.process.callers import acting_member
from activities.store import IdempotencyScope
from starter.api.context import Api, Facts, Subject
from starter.api.context import ApiParts as Parts

REPLAYED = "Idempotency-Replayed"

Answer = TypeVar("Answer", bound=BaseModel)

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        pattern=r"^[\x21-\x7e]+$",
        description="The same key with the same body gets the same answer for 24 hours.",
    ),
]


class Once:
    """Does a creation once for each key of a caller, method and path, in however many processes it is asked for. A
    call that fails does not spend its key."""

    def __init__(
        self,
        request: Request,
        response: Response,
        api: Parts,
        facts: Facts,
        subject: Subject,
        idempotency_key: IdempotencyKey = None,
    ) -> None:
        self._api: Api = api
        self._response = response
        self._body = facts.body_sha256
        self.key = idempotency_key
        self._scope = (
            IdempotencyScope(subject, request.method, request.scope["path"], idempotency_key)
            if idempotency_key
            else None
        )

    def answer(self, kind: type[Answer], create: Callable[[], Answer]) -> Answer:
        """What ``create`` answers, or what it answered when the key was first used.

        Call it in a thread. What ``create`` changes in the database is committed with the key or not at all; it is
        short, and reaches for nothing but the database.

        Raises:
            IdempotencyConflict: The key came before with another body.
        """
        if self._scope is None:
            return create()
        store = self._api.store
        answer = store.idempotent_answer(self._scope, self._body)
        replayed = answer is not None
        if answer is None:
            answer, replayed = store.once(
                self._scope, self._body, lambda: create().model_dump(mode="json", by_alias=True)
            )
        if replayed:
            self._response.headers[REPLAYED] = "true"
        return kind.model_validate(answer)


class KeyInBody:
    """The key that a body has, of what is one by its identity anyway: the same key with something else is refused.

    Args:
        body: The body without its key, in one way of writing.
    """

    def __init__(self, api: Api, request: Request, owner: str, key: str | None, body: BaseModel) -> None:
        self._store = api.store
        whose = acting_member() or owner
        self._scope = IdempotencyScope(whose, request.method, request.scope["path"], key) if key else None
        written = body.model_dump_json(exclude={"idempotency_key"})
        self._sha256 = hashlib.sha256(written.encode()).hexdigest()

    def check(self) -> None:
        """Raises: IdempotencyConflict: The key came before with another body."""
        if self._scope is not None:
            self._store.idempotent_answer(self._scope, self._sha256)

    def spend(self, id: str) -> None:
        """What was asked for is there, and is called ``id``. Raises: as :meth:`check`."""
        if self._scope is not None:
            self._store.once(self._scope, self._sha256, lambda: {"id": id})


OnceOnly = Annotated[Once, Depends()]
