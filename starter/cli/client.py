"""The API as the command line uses it: the package's own client, with the command line's word for every way it can
fail."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from domain.errors import GuidesmithError
from guidesmith import client as api
from guidesmith.client.flows.asking import PATIENT, Ask, post
from guidesmith.client.shapes import Event
from starter.cli.connection import Connection
from starter.cli.exits import Unreachable, UsageWrong
from starter.cli.sending import PIECE_BYTES, Sending

Json = dict[str, Any]


class Refused(GuidesmithError):
    """The API said no. ``code`` is the API's own."""

    def __init__(self, refusal: api.ApiError) -> None:
        super().__init__(refusal.message, details=refusal.details)
        self.status = refusal.status
        self.code = refusal.code  # type: ignore[misc]


class Client:
    """One API, one caller."""

    def __init__(self, connection: Connection) -> None:
        self._api = api.Client(connection.api_url, connection.token)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._api.close()

    def get(self, path: str, **parameters: object) -> Json:
        return self._json(Ask("GET", path, params={name: str(value) for name, value in parameters.items() if value}))

    def post(self, path: str, body: Json | None = None) -> Json:
        """One logical request: however often it has to be sent, it creates once."""
        return self._json(post(path, body))

    def delete(self, path: str, **parameters: str) -> Json:
        return self._json(Ask("DELETE", path, params=parameters))

    def replace(self, path: str, body: Json) -> Json:
        """PUT; the API may read what was sent for it, which takes a while when it is large."""
        return self._json(Ask("PUT", path, json=body, timeout=PATIENT))

    def change(self, path: str, body: Json) -> Json:
        """PATCH."""
        return self._json(Ask("PATCH", path, json=body))

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
        self._json(Ask("PUT", url, content=body, headers=headers, timeout=PATIENT))

    def confirm_upload(self, job_id: str, body: Json) -> Json:
        """Say that the recording has arrived. The API reads it for that, which takes a while when it is large."""
        return self._json(post(f"jobs/{job_id}/confirm-upload", body, timeout=PATIENT))

    def download(self, url: str, path: Path) -> int:
        """Save what ``url``, an address or a route, holds as ``path``, which appears whole or not at all. Answers its
        size in bytes.

        Raises:
            UsageWrong: The file cannot be written there.
        """
        try:
            with _translated("Run the same command again."):
                return self._api.fetch(url, path).stat().st_size
        except OSError as broken:
            raise UsageWrong(
                f"The file {path} cannot be written: {broken.strerror}. Mend that or name another --out, and run the "
                "same command again: what is done is not done again."
            ) from broken

    def events(self, job_id: str) -> Iterator[Event]:
        """The job's log from its beginning, then live, through broken connections. Never ends by itself."""
        with _translated():
            yield from self._api.events(job_id)

    def _json(self, ask: Ask) -> Json:
        """An address is its own permission: whoever answers there is not shown the token."""
        with _translated("`guidesmith doctor` says more."):
            return self._api.send(replace(ask, signed="://" in ask.url)) or {}


@contextmanager
def _translated(hint: str = "") -> Iterator[None]:
    """The client's errors as the command line has them. ``hint``: what may help where the API does not answer."""
    try:
        yield
    except api.ApiError as refused:
        raise Refused(refused) from refused
    except api.Unreachable as broken:
        raise Unreachable(f"{broken} {hint}".rstrip()) from broken
