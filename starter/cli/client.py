"""The API as the command line uses it: synchronous, with a word for every way it can fail."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import httpx

from domain.errors import GuidesmithError
from starter.cli.connection import Connection
from starter.cli.exits import Unreachable, UsageWrong
from starter.cli.sending import PIECE_BYTES, Sending

Json = dict[str, Any]

TIMEOUT = httpx.Timeout(30.0, connect=5.0)
STREAM_TIMEOUT = httpx.Timeout(30.0, connect=5.0, read=45.0)
"""The event stream says something at least every 15 s."""

BODY_TIMEOUT = httpx.Timeout(120.0, connect=5.0)
CONFIRM_TIMEOUT = httpx.Timeout(30.0, connect=5.0, read=600.0)

TRIES = 5
"""How often an idempotent request is sent when the connection breaks or the API is busy."""

FIRST_PAUSE_S = 0.2
TRANSIENT = frozenset({429, 502, 503, 504})


class Refused(GuidesmithError):
    """The API said no. ``code`` is the API's own."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        details = body.get("details") or {}
        said = [str(body.get("message", "The API refused."))]
        said += [f"{issue.get('path')}: {issue.get('message')}." for issue in details.get("issues") or ()]
        super().__init__(" ".join(said), details=details)
        self.status = status
        self.code = str(body.get("code", "INTERNAL"))  # type: ignore[misc]


@dataclass(frozen=True)
class ServerEvent:
    """One server-sent event. ``id`` is the number within the job's log."""

    id: str
    name: str
    data: Json


class Client:
    """One API, one caller."""

    def __init__(self, connection: Connection) -> None:
        self._http = httpx.Client(
            base_url=f"{connection.api_url}/api/v1/",
            headers={"Authorization": f"Bearer {connection.token}"},
            timeout=TIMEOUT,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, **parameters: object) -> Json:
        return self._json("GET", path, params={name: str(value) for name, value in parameters.items() if value})

    def post(self, path: str, body: Json | None = None) -> Json:
        """One logical request: however often it has to be sent, it creates once."""
        return self._json("POST", path, json=body, headers={"Idempotency-Key": uuid4().hex})

    def delete(self, path: str, **parameters: str) -> Json:
        return self._json("DELETE", path, params=parameters)

    def replace(self, path: str, body: Json) -> Json:
        """PUT; the API may read what was sent for it, which takes a while when it is large."""
        return self._json("PUT", path, json=body, timeout=CONFIRM_TIMEOUT)

    def change(self, path: str, body: Json) -> Json:
        """PATCH."""
        return self._json("PATCH", path, json=body)

    def listed(self, path: str, **parameters: object) -> Iterator[Json]:
        """Every item of a list, page after page."""
        cursor: str | None = None
        while True:
            page = self.get(path, cursor=cursor, **parameters)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def upload(self, path: Path, session: Json, on_bytes: Callable[[int], None]) -> None:
        """Send the file to an upload session; what has arrived before is not sent again.

        Args:
            on_bytes: Called with the bytes that have arrived so far.
        """
        size = path.stat().st_size
        if size > session["part_size"]:
            Sending(self, path, session).run(on_bytes)
            return

        def pieces() -> Iterator[bytes]:
            with path.open("rb") as file:
                while piece := file.read(PIECE_BYTES):
                    yield piece
                    on_bytes(file.tell())

        self.put(session["upload_url"], pieces, size)

    def put(self, url: str, body: Callable[[], Iterator[bytes]], length: int) -> None:
        """Send ``length`` bytes; ``body`` gives them, each time from the start."""
        headers = {"Content-Length": str(length), "Content-Type": "application/octet-stream"}
        self._retried(lambda: self._http.put(url, content=body(), headers=headers, timeout=BODY_TIMEOUT))

    def confirm_upload(self, job_id: str, body: Json) -> Json:
        """Say that the recording has arrived. The API reads it for that, which takes a while when it is large."""
        return self._json("POST", f"jobs/{job_id}/confirm-upload", json=body, timeout=CONFIRM_TIMEOUT)

    def download(self, url: str, path: Path) -> int:
        """Save what ``url`` holds as ``path``, which appears whole or not at all. Answers its size in bytes.

        Raises:
            UsageWrong: The file cannot be written there.
        """
        return _saved(httpx.stream("GET", url, timeout=TIMEOUT, follow_redirects=True), path)

    def save(self, path: str, to: Path) -> int:
        """As :meth:`download`, of what the API itself answers at ``path``."""
        return _saved(self._http.stream("GET", path, timeout=CONFIRM_TIMEOUT), to)

    def events(self, job_id: str) -> Iterator[ServerEvent]:
        """The job's log from its beginning, then live, through broken connections. Never ends by itself."""
        last: str | None = None
        failures = 0
        while True:
            headers = {"Last-Event-ID": last} if last else {}
            try:
                with self._http.stream(
                    "GET", f"jobs/{job_id}/events", headers=headers, timeout=STREAM_TIMEOUT
                ) as answer:
                    if answer.is_error:
                        answer.read()
                        raise _refusal(answer)
                    for event in parsed_events(answer.iter_lines()):
                        failures, last = 0, event.id or last
                        yield event
            except (httpx.TransportError, Refused) as broken:
                if isinstance(broken, Refused) and broken.status not in TRANSIENT:
                    raise
                failures += 1
                if failures > TRIES:
                    raise Unreachable("The API does not answer any more. The job may still be running.") from broken
                time.sleep(FIRST_PAUSE_S * 2**failures)

    def _json(self, method: str, path: str, **request: Any) -> Json:
        answer = self._retried(lambda: self._http.request(method, path, **request))
        body: Json = answer.json() if answer.content else {}
        return body

    def _retried(self, send: Callable[[], httpx.Response]) -> httpx.Response:
        """Every request of this client may be sent twice: creations are guarded by what they create."""
        pause = FIRST_PAUSE_S
        for attempt in range(1, TRIES + 1):
            try:
                answer = send()
            except httpx.TransportError as broken:
                if attempt == TRIES:
                    raise Unreachable("The API does not answer. `guidesmith doctor` says more.") from broken
            else:
                if answer.status_code not in TRANSIENT or attempt == TRIES:
                    if answer.is_error:
                        raise _refusal(answer)
                    return answer
                pause = max(pause, float(answer.headers.get("Retry-After", 0)))
            time.sleep(pause)
            pause *= 2
        raise AssertionError("unreachable")


def parsed_events(lines: Iterator[str]) -> Iterator[ServerEvent]:
    """Server-sent events out of a stream's lines (WHATWG HTML, 9.2): comments and unknown fields are skipped."""
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            if name in ("id", "event", "data"):
                value = value.removeprefix(" ")
                fields[name] = f"{fields['data']}\n{value}" if name == "data" and "data" in fields else value
        elif fields:
            if "data" in fields:
                yield ServerEvent(fields.get("id", ""), fields.get("event", "message"), json.loads(fields["data"]))
            fields = {}


def _refusal(answer: httpx.Response) -> Refused:
    try:
        body = answer.json()
    except ValueError:
        body = {}
    return Refused(answer.status_code, body if isinstance(body, dict) else {})


def _saved(streaming: AbstractContextManager[httpx.Response], path: Path) -> int:
    part = path.with_name(f".{uuid4().hex}.part")  # not longer than the shortest limit of any file system
    try:
        with streaming as answer, part.open("wb") as file:
            if answer.is_error:
                answer.read()
                raise _refusal(answer)
            for piece in answer.iter_bytes():
                file.write(piece)
        part.replace(path)
    except httpx.TransportError as broken:
        raise Unreachable("The download broke off. Run the same command again.") from broken
    except OSError as broken:
        raise UsageWrong(
            f"The file {path} cannot be written: {broken.strerror}. Mend that or name another --out, and run the "
            "same command again: what is done is not done again."
        ) from broken
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return path.stat().st_size
