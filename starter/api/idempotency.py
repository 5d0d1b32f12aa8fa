"""``Idempotency-Key``: a creation that is sent twice happens once."""

from collections.abc import Callable
from threading import Lock
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Request, Response
from pydantic import BaseModel

from activities.store import IdempotencyScope
from starter.api.context import Api, Facts, Owner
from starter.api.context import ApiParts as Parts

_LOCKS = tuple(Lock() for _ in range(64))
"""The same key twice at once waits here for itself, and now and then for another."""

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
    """Does a creation once for each key of a caller, method and path. A call that fails does not spend its key."""

    def __init__(
        self,
        request: Request,
        response: Response,
        api: Parts,
        facts: Facts,
        owner: Owner,
        idempotency_key: IdempotencyKey = None,
    ) -> None:
        self._api: Api = api
        self._response = response
        self._body = facts.body_sha256
        self._scope = (
            IdempotencyScope(owner, request.method, request.url.path, idempotency_key) if idempotency_key else None
        )

    def answer(self, kind: type[Answer], create: Callable[[], Answer]) -> Answer:
        """What ``create`` answers, or what it answered when the key was first used.

        Raises:
            IdempotencyConflict: The key came before with another body.
        """
        if self._scope is None:
            return create()
        with _LOCKS[hash(self._scope) % len(_LOCKS)]:
            before = self._api.store.idempotent_answer(self._scope, self._body)
            if before is not None:
                self._response.headers["Idempotency-Replayed"] = "true"
                return kind.model_validate(before)
            answer = create()
            self._api.store.keep_answer(self._scope, self._body, answer.model_dump(mode="json", by_alias=True))
            # of two processes at once the first to keep its answer wins, and both give that one
            kept = self._api.store.idempotent_answer(self._scope, self._body)
            return answer if kept is None else kind.model_validate(kept)


OnceOnly = Annotated[Once, Depends()]
