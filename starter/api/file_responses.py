"""Stored files on their way out, by the signed addresses that answers gave out.

A file never changes, so its checksum is its entity tag: whoever has it is told so (304), and whoever has the beginning
of it can have the rest (206).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Any, Protocol

from fastapi import Depends, Header, Request, Response
from fastapi.responses import StreamingResponse
from starlette.types import Send

from domain.artifacts import Blob
from domain.errors import ArtifactCorrupt, ArtifactMissing, NotFound
from starter.api.errors import RangeUnsatisfiable, not_found
from starter.api.responses import binary, signed_errors
from starter.logs import log

ONE_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")


def file_answers(description: str, *media_types: str) -> dict[int | str, dict[str, Any]]:
    """The ``responses`` of a route that sends a stored file."""
    return {
        200: binary(description, *media_types),
        206: binary("The part of it that Range asked for.", *media_types),
        304: {"description": "It is the one that If-None-Match names."},
        **signed_errors(404, 416),
    }


@dataclass(frozen=True)
class FileRequest:
    """What a request says of how it wants a file."""

    head: bool
    range: str | None
    if_range: str | None
    if_none_match: str | None


def _file_request(
    request: Request,
    range_: Annotated[str | None, Header(alias="Range", description="One range: `bytes=0-1023`.")] = None,
    if_range: Annotated[str | None, Header(alias="If-Range", description="Range holds for this ETag only.")] = None,
    if_none_match: Annotated[str | None, Header(alias="If-None-Match", description="An ETag that is there.")] = None,
) -> FileRequest:
    return FileRequest(request.method == "HEAD", range_, if_range, if_none_match)


AskedFile = Annotated[FileRequest, Depends(_file_request)]


class Files(Protocol):
    """Where files are read from: the artifact store, or what makes one of several of its files."""

    def read_chunks(self, blob: Blob, start: int = 0, end: int | None = None) -> Iterator[bytes]: ...


def file_response(
    artifacts: Files,
    blob: Blob,
    asked: FileRequest,
    headers: Mapping[str, str],
    *,
    on_loss: Callable[[], object] = lambda: None,
) -> Response:
    """The file, a part of it, its head alone, or that it has not changed (RFC 9110, 13.2.2 and 14.2).

    Args:
        on_loss: Called where the file turns out to be gone or damaged.

    Raises:
        NotFound: It is gone or damaged: the address leads to nothing that can be had.
        RangeUnsatisfiable: The range begins beyond the file.
    """
    etag = f'"{blob.checksum_sha256}"'
    sent = {**headers, "ETag": etag, "Accept-Ranges": "bytes"}
    if _names(asked.if_none_match, etag):
        return Response(status_code=304, headers=sent)
    whole = asked.head or asked.if_range not in (None, etag)
    wanted = _wanted(None if whole else asked.range, blob)
    sent["Content-Length"] = str(wanted.end - wanted.start)
    if wanted.partial:
        sent["Content-Range"] = f"bytes {wanted.start}-{wanted.end - 1}/{blob.size_bytes}"
    end = wanted.start if asked.head else wanted.end
    body = _begun(artifacts, blob, wanted.start, end, on_loss)
    return _Stream(body, 206 if wanted.partial else 200, sent, media_type=blob.media_type)


class _Stream(StreamingResponse):
    """Where its body ends early, so does the connection, as what was promised does not come: whoever ended it has said
    why."""

    async def stream_response(self, send: Send) -> None:
        with suppress(NotFound, ArtifactMissing, ArtifactCorrupt):
            await super().stream_response(send)


def _names(tags: str | None, etag: str) -> bool:
    """Whether an If-None-Match names it: compared weakly, as that header is."""
    given = [tag.strip() for tag in (tags or "").split(",")]
    return given == ["*"] or etag in (tag.removeprefix("W/") for tag in given)


def _begun(artifacts: Files, blob: Blob, start: int, end: int, on_loss: Callable[[], object]) -> Iterator[bytes]:
    """The file's bytes, the first of them read already: what is gone or damaged is an error before the status is out,
    not half an answer. Damage that shows later breaks the answer off."""
    body = _watched(artifacts.read_chunks(blob, start, end), on_loss)
    try:
        return chain((next(body, b""),), body)
    except (ArtifactMissing, ArtifactCorrupt):
        raise not_found() from None


def _watched(body: Iterator[bytes], on_loss: Callable[[], object]) -> Iterator[bytes]:
    try:
        yield from body
    except (ArtifactMissing, ArtifactCorrupt) as loss:
        log("api").error("artifact.lost", code=loss.code)
        on_loss()
        raise


@dataclass(frozen=True)
class _Range:
    start: int
    end: int
    partial: bool


def _wanted(header: str | None, blob: Blob) -> _Range:
    """The bytes that a Range header asks for; what is not one plain range asks for all of them.

    Raises:
        RangeUnsatisfiable: It begins beyond the file.
    """
    size = blob.size_bytes
    asked = ONE_RANGE.fullmatch(header or "")
    if asked is None or not (asked[1] or asked[2]):
        return _Range(0, size, partial=False)
    if not asked[1]:
        start, end = max(size - int(asked[2]), 0), size
    else:
        start, end = int(asked[1]), min(int(asked[2]) + 1, size) if asked[2] else size
    if asked[1] and asked[2] and int(asked[2]) < int(asked[1]):
        return _Range(0, size, partial=False)
    if start >= end:
        raise RangeUnsatisfiable("The file ends before that range.", details={"size_bytes": size})
    return _Range(start, end, partial=True)
