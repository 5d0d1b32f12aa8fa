"""The reverse proxy of Temporal's web UI: it lets in whom this machine's own browser brings, and nobody else's page.

The UI believes any Host header. A page whose name was made to resolve to this machine (DNS rebinding) is then of one
origin with it, and may read every job and end it. So the UI itself listens where no page can find it, at an address of
the loopback network and a port that are drawn anew at each start, and only this proxy, which knows its own name, is at
the address that people are told.

Raw HTTP/1.1, one request a connection: what has passed is handed on byte by byte, in both directions.
"""

import asyncio
import contextlib
import re
import secrets
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from starter.local.ports import LOOPBACK

HEAD_LIMIT_BYTES = 64 * 1024
HEAD_TIMEOUT_S = 15.0
CHUNK_BYTES = 64 * 1024

READING = frozenset({"GET", "HEAD"})

REQUEST_LINE = re.compile(r"([A-Z]+) (/\S*) HTTP/1\.1")
HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*")

DRAWS = 8
"""How many addresses are tried: on Linux all of 127.0.0.0/8 is this machine, elsewhere often the first alone."""


@dataclass(frozen=True)
class Upstream:
    """Where the UI itself listens."""

    address: str
    port: int


def secret_upstream() -> Upstream | None:
    """An address of 127.0.0.0/8 and a port, 2³⁹ to guess among; ``None`` where this machine has only 127.0.0.1."""
    for _ in range(DRAWS):
        address = f"127.{1 + secrets.randbelow(254)}.{secrets.randbelow(256)}.{1 + secrets.randbelow(254)}"
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe, contextlib.suppress(OSError):
            probe.bind((address, 0))
            return Upstream(address, probe.getsockname()[1])
    return None


class Refused(Exception):
    """A request that goes no further. ``status`` is the answer's first line."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


BAD_REQUEST, FORBIDDEN, TOO_LARGE = "400 Bad Request", "403 Forbidden", "431 Request Header Fields Too Large"


@dataclass(frozen=True)
class RequestFilter:
    """Who may pass, by the head of a request.

    Args:
        port: Where the proxy listens on the loopback address: what its own name ends with.
    """

    port: int

    def filtered(self, head: bytes) -> bytes:
        """The head as it is handed on.

        Raises:
            Refused: It was called by another name, or by another's page, or is not HTTP/1.1 to the letter.
        """
        try:
            first, *lines = head.decode("ascii").removesuffix("\r\n\r\n").split("\r\n")
        except UnicodeDecodeError:
            raise Refused(BAD_REQUEST) from None
        asked = REQUEST_LINE.fullmatch(first)
        headers = [HEADER.fullmatch(line) for line in lines]
        if asked is None or any(each is None or not each[2].isprintable() for each in headers):
            raise Refused(BAD_REQUEST)
        fields = [(each[1].lower(), each[2]) for each in headers if each is not None]
        self._check(asked[1], fields)
        kept = [f"{name}: {value}" for name, value in fields if name not in ("connection", "upgrade", "keep-alive")]
        return "\r\n".join([first, *kept, "Connection: close", "", ""]).encode("ascii")

    def _check(self, method: str, fields: list[tuple[str, str]]) -> None:
        names = {f"{name}:{self.port}" for name in (LOOPBACK, "localhost")}
        hosts = [value for name, value in fields if name == "host"]
        if len(hosts) != 1 or hosts[0] not in names:
            raise Refused(FORBIDDEN)
        if method in READING:  # nothing is changed, and no other page may read the answer
            return
        origins = [value for name, value in fields if name == "origin"]
        sites = [value for name, value in fields if name == "sec-fetch-site"]
        if any(urlsplit(each).netloc != hosts[0] for each in origins) or any(each != "same-origin" for each in sites):
            raise Refused(FORBIDDEN)


@asynccontextmanager
async def reverse_proxy(port: int, upstream: Upstream) -> AsyncIterator[None]:
    """Listen at ``port`` of the loopback address while the block runs.

    Raises:
        OSError: The port is taken.
    """
    rules = RequestFilter(port)
    connections: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await _answered(rules, upstream, reader, writer)
        finally:
            connections.discard(task)
            writer.close()

    server = await asyncio.start_server(serve, LOOPBACK, port, limit=HEAD_LIMIT_BYTES)
    try:
        yield
    finally:
        server.close()
        for each in list(connections):
            each.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


async def _answered(
    rules: RequestFilter, upstream: Upstream, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        async with asyncio.timeout(HEAD_TIMEOUT_S):
            head = await reader.readuntil(b"\r\n\r\n")
        head = rules.filtered(head)
        to_ui = await asyncio.open_connection(upstream.address, upstream.port)
    except TimeoutError:
        return
    except (Refused, asyncio.LimitOverrunError) as refused:
        status = refused.status if isinstance(refused, Refused) else TOO_LARGE
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        return
    except OSError:  # it starts, or starts again
        writer.write(
            b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
        await writer.drain()
        return
    from_ui, ui = to_ui
    try:
        ui.write(head)
        sending = asyncio.create_task(_piped(reader, ui))
        try:
            await _piped(from_ui, writer)
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
    finally:
        ui.close()


async def _piped(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(CHUNK_BYTES):
        writer.write(chunk)
        await writer.drain()
