"""What the bundler has made for the browser (``static/``): found by its source's name, sent with its content's.

A file's name changes with what is in it, so a browser may keep it for ever, and so does this process: a page has two
dozen, and each is sent before anything else is done for a request, without a line in the log.
"""

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope, Send

from domain.errors import NotFound, SettingsInvalid

FOLDER = Path(__file__).parents[1] / "static"
ADDRESS = "/static/"
TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}
FOR_EVER = "public, max-age=31536000, immutable"

Raw = list[tuple[bytes, bytes]]
"""Headers as ASGI has them."""


class Built(NamedTuple):
    """A built file's address, and those of the modules that it loads at once."""

    address: str
    imports: tuple[str, ...]


@cache
def _manifest(_changed: float) -> dict[str, Built]:
    entries = json.loads((FOLDER / "manifest.json").read_text("utf-8"))
    return {
        name: Built(ADDRESS + entry["file"], tuple(ADDRESS + each for each in entry["imports"]))
        for name, entry in entries.items()
    }


def built(name: str) -> Built:
    """The built form of ``name``, a source's path from ``starter/pages``.

    Raises:
        SettingsInvalid: The pages were not built: this is a checkout that was never installed.
    """
    try:
        return _manifest((FOLDER / "manifest.json").stat().st_mtime)[name]
    except (OSError, KeyError):
        raise SettingsInvalid("The pages are not built. Run `make setup`, or `python hatch_build.py`.") from None


class Form(NamedTuple):
    """A built file as it is sent, packed or as it is, with its raw headers and its ETag."""

    content: bytes
    headers: Raw
    tag: str


@cache
def form(name: str, *, packed: bool) -> Form:
    """The file ``name``, read once; as it is where it has no packed form that is smaller.

    Raises:
        NotFound: There is none.
    """
    path = FOLDER / name
    kind = TYPES.get(path.suffix)
    try:
        is_there = kind is not None and path.parent == FOLDER and path.is_file()
    except OSError:  # a name that is longer than any file's
        is_there = False
    if kind is None or not is_there:
        raise NotFound
    headers = {"Content-Type": kind, "Cache-Control": FOR_EVER, "Vary": "Accept-Encoding"}
    smaller = path.with_name(f"{name}.gz")
    if packed and smaller.is_file() and smaller.stat().st_size < path.stat().st_size:
        path = smaller
        headers["Content-Encoding"] = "gzip"
    headers["ETag"] = f'"{path.name}"'
    return Form(path.read_bytes(), raw(headers), headers["ETag"])


def raw(headers: Mapping[str, str]) -> Raw:
    """``headers`` as ASGI has them."""
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


def response(name: str, asked: Headers) -> Response:
    """The file ``name``, packed for who can unpack it, at an address of another name.

    Raises:
        NotFound: There is none.
    """
    found = form(name, packed=_unpacks(asked.get("accept-encoding", "")))
    answer = Response(found.content)
    answer.raw_headers.extend(found.headers)
    return answer


async def sent(scope: Scope, send: Send, safe: Raw) -> bool:
    """Answer a request below :data:`ADDRESS` with the file, or with 304 who has it; else say that there is none such.

    Args:
        safe: Headers that every page has.
    """
    if scope["method"] not in ("GET", "HEAD"):
        return False
    asked = dict(scope["headers"])
    try:
        packed = _unpacks(asked.get(b"accept-encoding", b"").decode("latin-1"))
        found = form(scope["path"].removeprefix(ADDRESS), packed=packed)
    except NotFound:
        return False
    known = asked.get(b"if-none-match", b"").decode("latin-1")
    if known and found.tag in (each.strip().removeprefix("W/") for each in known.split(",")):
        await send({"type": "http.response.start", "status": HTTPStatus.NOT_MODIFIED, "headers": found.headers + safe})
        await send({"type": "http.response.body"})
        return True
    size = (b"content-length", str(len(found.content)).encode())
    await send({"type": "http.response.start", "status": HTTPStatus.OK, "headers": [size, *found.headers, *safe]})
    await send({"type": "http.response.body", "body": found.content if scope["method"] == "GET" else b""})
    return True


@lru_cache(maxsize=64)
def _unpacks(accepted: str) -> bool:
    """Whether gzip is among the codings that ``accepted`` names, other than with ``q=0`` (RFC 9110, 12.5.3)."""
    for each in accepted.lower().split(","):
        coding, _, weight = each.replace(" ", "").partition(";q=")
        if coding == "gzip":
            return weight.strip("0.") != "" or not weight
    return False
