"""One request, and what goes for every request: how often it is sent, and what its answer means."""

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar
from uuid import uuid4

import httpx
from pydantic import BaseModel

from guidesmith.client.errors import ApiError, JobFailed, Unreachable

TRIES = 5
"""How often a request is sent when the connection breaks or the API is busy."""

FIRST_PAUSE_S = 0.2
BUSY = frozenset({429, 502, 503, 504})
POLL_S = 0.5
ENDED_WITHIN_S = 600.0
"""How long an export or a regeneration is waited for."""

PATIENT = httpx.Timeout(30.0, connect=5.0, read=600.0)
"""For requests that the API reads a whole recording for."""


@dataclass(frozen=True)
class Ask:
    """A request. ``url`` is below the API's base, or whole; ``signed``: the URL is its own permission. ``content`` may
    be read piece by piece, and is each time that the request is sent. ``takes_away``: what it is about is gone once it
    is done, as by DELETE."""

    method: str
    url: str
    json: Any = None
    params: Mapping[str, Any] = field(default_factory=dict)
    content: bytes | Callable[[], Iterator[bytes]] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: httpx.Timeout | None = None
    signed: bool = False
    takes_away: bool = False


@dataclass(frozen=True)
class Pause:
    """Nothing, for so long."""

    seconds: float


Given = httpx.Response | httpx.TransportError | None
T = TypeVar("T")
Flow = Generator[Ask | Pause, Given, T]
"""What is yielded is done; what is sent in is the answer, or why there is none."""


def asked(ask: Ask) -> Flow[Any]:
    """The JSON of an answer; ``None`` where it has no body, or where what is to be deleted is gone by the second time
    that this is sent.

    Raises:
        ApiError: It was refused.
        Unreachable: It was sent :data:`TRIES` times, and not answered.
    """
    pause = FIRST_PAUSE_S
    perhaps_done = False
    for attempt in range(1, TRIES + 1):
        answer = yield ask
        if isinstance(answer, httpx.Response):
            if answer.status_code not in BUSY or attempt == TRIES:
                if (ask.takes_away or ask.method == "DELETE") and answer.status_code == 404 and perhaps_done:
                    return None
                if answer.is_error:
                    raise ApiError.of(answer)
                return answer.json() if answer.content and "json" in answer.headers.get("content-type", "") else None
            pause = max(pause, _retry_after_s(answer))
            perhaps_done |= answer.status_code != 429
        elif attempt == TRIES:
            raise Unreachable("The API does not answer.") from answer
        else:
            perhaps_done = True
        yield Pause(pause)
        pause *= 2
    raise AssertionError("unreachable")


def _retry_after_s(answer: httpx.Response) -> float:
    said = answer.headers.get("retry-after", "")
    return float(said) if said.isdecimal() else 0.0


def route(method: str, path: str, body: Any, params: Mapping[str, Any]) -> Ask:
    """A request to any route. One that creates has a key, so that it creates once."""
    return Ask(method, path, json=body, params=params, headers=creation_key() if method.upper() == "POST" else {})


def creation_key() -> dict[str, str]:
    return {"Idempotency-Key": uuid4().hex}


def post(url: str, body: Any = None, *, timeout: httpx.Timeout | None = None) -> Ask:
    """A creation: however often it has to be sent, it creates once."""
    return Ask("POST", url, json=body, headers=creation_key(), timeout=timeout)


Shown = TypeVar("Shown", bound=BaseModel)


class Identified(Protocol):
    @property
    def id(self) -> str: ...


def id_of(what: Identified | str) -> str:
    """Of what an answer told of, or what is its id already."""
    return what if isinstance(what, str) else what.id


def shaped(shape: type[Shown], ask: Ask) -> Flow[Shown]:
    """The answer as what it tells of."""
    return shape.model_validate((yield from asked(ask)))


def page_of(
    url: str, shape: type[Shown], cursor: str | None, chosen: Mapping[str, Any]
) -> Flow[tuple[tuple[Shown, ...], str | None]]:
    """A page of any list."""
    given = {**chosen, "cursor": cursor, "limit": 100}
    page = yield from asked(Ask("GET", url, params={name: each for name, each in given.items() if each is not None}))
    return tuple(shape.model_validate(each) for each in page["items"]), page["next_cursor"]


def moment(at: datetime | None) -> str | None:
    """As the API takes it: with its offset, as which one without is the machine's own."""
    return None if at is None else at.astimezone().isoformat()


def delete(url: str) -> Flow[None]:
    yield from asked(Ask("DELETE", url))


def ended(row: Any, url: str) -> Flow[Any]:
    deadline = time.monotonic() + ENDED_WITHIN_S
    while row["status"] not in ("SUCCEEDED", "FAILED"):
        if time.monotonic() > deadline:
            raise Unreachable(f"It is {row['status']} after {ENDED_WITHIN_S:.0f} s. Ask for it again later.")
        yield Pause(POLL_S)
        row = yield from asked(Ask("GET", url))
    if row["failure"] is not None:
        raise JobFailed(row["id"], row["failure"]["failure_code"], row["failure"]["failure_message"])
    return row
