"""How the sandbox is told to behave, and what it remembers of requests."""

from collections import Counter, deque
from contextvars import ContextVar
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

KEPT_REQUESTS = 1_000
"""Older ones are forgotten; the counts go on."""


class Cut(StrEnum):
    """JSON: a complete HTTP answer whose JSON ends in the middle. CONNECTION: the answer itself does."""

    JSON = "json"
    CONNECTION = "connection"


class Behaviour(BaseModel):
    """What one request gets. Without ``status`` and ``body`` it is the good answer, perhaps late or cut.

    Args:
        delay_ms: Before anything is sent.
        status: HTTP status of an error; its body is in OpenAI's shape unless ``body`` is given.
        retry_after: Value of that header: seconds, or an HTTP date.
        headers: Further headers.
        code: ``error.code`` of an error.
        body: Sent instead: JSON, or text as it is when it is a string.
        cut: See :class:`Cut`.
        hang: Never answer.
        times: How many requests get this.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    delay_ms: int = Field(default=0, ge=0)
    status: int | None = Field(default=None, ge=200, le=599)
    retry_after: str | int | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    code: str | None = None
    body: Any = None
    cut: Cut | None = None
    hang: bool = False
    times: int = Field(default=1, ge=1)


GOOD = Behaviour()


class Refusal(ValueError):
    """A good answer would be wrong here: an error of this status with this ``error.code``."""

    def __init__(self, code: str, *, status: int = 400) -> None:
        super().__init__(code)
        self.code = code
        self.status = status


class Repeats:
    """Good answers by the caller's ``Idempotency-Key``: the same request again gets the same answer, made once."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], tuple[Any, Any]] = {}

    def given(self, route: str, key: str | None, request: Any) -> Any:
        """The answer that such a request got; ``None``: it is the first.

        Raises:
            Refusal: The key came with another request.
        """
        if key is None or (route, key) not in self._given:
            return None
        before, answer = self._given[route, key]
        if before != request:
            raise Refusal("idempotency_key_reused", status=409)
        return answer

    def keep(self, route: str, key: str | None, request: Any, answer: Any) -> None:
        if key is not None:
            self._given[route, key] = (request, answer)

    def forget(self) -> None:
        self._given.clear()


called_at: ContextVar[str] = ContextVar("called_at", default="")
"""Where the sandbox was called, for addresses in an answer: ``http://127.0.0.1:8900/``."""


class Received(BaseModel):
    """A request as the sandbox saw it. The key is not kept, only whether there was one."""

    route: str
    method: str
    path: str
    headers: dict[str, str]
    authorized: bool
    body: Any = None


class Script:
    """What each route does next, and what it got. Belongs to one event loop."""

    def __init__(self) -> None:
        self._next: dict[str, deque[Behaviour]] = {}
        self._received: deque[Received] = deque(maxlen=KEPT_REQUESTS)
        self._counts: Counter[str] = Counter()

    def write(self, routes: dict[str, list[Behaviour]]) -> None:
        """Replace what the named routes do next."""
        for route, behaviours in routes.items():
            self._next[route] = deque(behaviour for behaviour in behaviours for _ in range(behaviour.times))

    def clear(self) -> None:
        self._next.clear()

    def take(self, route: str) -> Behaviour:
        """What the request that is being handled gets."""
        waiting = self._next.get(route)
        return waiting.popleft() if waiting else GOOD

    def note(self, received: Received) -> None:
        self._received.append(received)
        self._counts[received.route] += 1

    def forget(self) -> None:
        self._received.clear()
        self._counts.clear()

    def report(self) -> dict[str, Any]:
        """Counts by route, and the requests, oldest first."""
        return {"counts": dict(self._counts), "requests": [one.model_dump() for one in self._received]}
