"""Sends a large recording in parts, a few at a time, past the API where the object store itself can be reached.

What has arrived before is not sent again. An address that cannot be reached from here, or is not taken, costs nothing
but the attempt: the API takes every part, too.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Protocol

import httpx

Json = dict[str, Any]

AT_ONCE = 4
PIECE_BYTES = 1 << 20
ADDRESSED_AT_ONCE = 100
"""Addresses are asked for as they are needed: those of the last parts of a long upload must not expire on the way."""

LOOK_EVERY_S = 0.2
DIRECT_TRIES = 2
TIMEOUT = httpx.Timeout(120.0, connect=5.0)


class PartsApi(Protocol):
    """What sending needs of the API's client. It tries again by itself, and raises when that is of no use."""

    def get(self, path: str) -> Json: ...
    def post(self, path: str, body: Json | None = None) -> Json: ...
    def put(self, url: str, body: Callable[[], Iterator[bytes]], length: int) -> None: ...


class Stopped(Exception):
    """Ends a part that is on its way when the sending is given up."""


class Sending:
    """One file on its way to one upload session, larger than a part."""

    def __init__(self, api: PartsApi, path: Path, session: Mapping[str, Any]) -> None:
        self._api, self._path = api, path
        self._url: str = session["upload_url"]
        self._parts_url: str | None = session.get("parts_url")
        self._part_size: int = session["part_size"]
        self._size = path.stat().st_size
        self._sent: dict[int, int] = {}
        self._stop = threading.Event()
        self._store = httpx.Client(timeout=TIMEOUT)

    def run(self, on_bytes: Callable[[int], None]) -> None:
        """Send what is missing. ``on_bytes``: called from this thread with the bytes that have arrived so far."""
        received = set(self._api.get(self._url)["received_parts"])
        numbers = range(1, -(-self._size // self._part_size) + 1)
        self._sent = {number: self._length(number) if number in received else 0 for number in numbers}
        missing = [number for number in numbers if number not in received]
        with self._store, ThreadPoolExecutor(AT_ONCE, thread_name_prefix="part") as pool:
            try:
                for at in range(0, len(missing), ADDRESSED_AT_ONCE):
                    self._send(pool, missing[at : at + ADDRESSED_AT_ONCE], on_bytes)
            except BaseException:
                self._stop.set()
                pool.shutdown(cancel_futures=True)
                raise
        on_bytes(self._size)

    def _send(self, pool: ThreadPoolExecutor, numbers: Sequence[int], on_bytes: Callable[[int], None]) -> None:
        addresses = self._addresses(numbers)
        pending: set[Future[None]] = {pool.submit(self._part, number, addresses.get(number)) for number in numbers}
        shown = 0
        while pending:
            ended, pending = wait(pending, timeout=LOOK_EVERY_S, return_when=FIRST_COMPLETED)
            shown = max(shown, sum(self._sent.values()))  # a part that is sent again counts once
            on_bytes(shown)
            for part in ended:
                part.result()

    def _addresses(self, numbers: Sequence[int]) -> dict[int, Json]:
        """Where the object store takes these parts; none where only the API does."""
        if self._parts_url is None:
            return {}
        offered = self._api.post(self._parts_url, {"numbers": list(numbers)})["parts"]
        return {each["part"]: each for each in offered if not each["url"].startswith(self._url)}

    def _part(self, number: int, address: Json | None) -> None:
        if address is not None and self._parts_url is not None and self._taken(number, address):
            return
        self._api.put(f"{self._url}?part={number}", lambda: self._pieces(number), self._length(number))

    def _taken(self, number: int, address: Json) -> bool:
        """Whether the object store took the part. One that cannot be reached is not asked for the others."""
        for _ in range(DIRECT_TRIES):
            headers = {**address["headers"], "Content-Length": str(self._length(number))}
            try:
                if self._store.put(address["url"], content=self._pieces(number), headers=headers).is_success:
                    return True
            except httpx.TransportError:
                continue
        self._parts_url = None
        return False

    def _pieces(self, number: int) -> Iterator[bytes]:
        left = self._length(number)
        self._sent[number] = 0
        with self._path.open("rb") as file:
            file.seek((number - 1) * self._part_size)
            while left and (piece := file.read(min(PIECE_BYTES, left))):
                if self._stop.is_set():
                    raise Stopped
                left -= len(piece)
                yield piece
                self._sent[number] += len(piece)

    def _length(self, number: int) -> int:
        return min(self._part_size, self._size - (number - 1) * self._part_size)
