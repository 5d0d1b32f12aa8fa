"""Files that the pages are made of, and those that a person looks at on them."""

from collections.abc import Callable, Iterator, Mapping

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from domain.artifacts import ArtifactKind, Blob
from domain.errors import NotFound
from starter.api.context import Api
from starter.api.file_responses import FileRequest, Files, file_response
from starter.pages.shell.built import ADDRESS, built, response

router = APIRouter()

ASKED_EVERY = 1 << 20


@router.api_route("/static/{name}", methods=["GET", "HEAD"])
def static(name: str) -> Response:
    """A module, style sheet or picture that was not built: the gate has sent those that were.

    Raises:
        NotFound: Always.
    """
    raise NotFound


@router.get("/favicon.ico")
def favicon(request: Request) -> Response:
    """The icon, for browsers that ask without being told where it is."""
    return response(built("shell/icon.svg").address.removeprefix(ADDRESS), request.headers)


def recording_response(
    api: Api,
    job_id: str,
    asked: FileRequest,
    *,
    headers: Mapping[str, str],
    ttl_s: int | None = None,
    may_go_on: Callable[[], bool] = lambda: True,
) -> Response:
    """A job's recording, to play: a part of it at a time, or where in the object store it is, for ``ttl_s`` seconds.

    Args:
        ttl_s: ``None``: the object store's own address is not given out.
        may_go_on: Asked before each :data:`ASKED_EVERY` bytes that are sent from here.

    Raises:
        NotFound: There is none (any more).
    """
    video = api.store.latest_artifact(job_id, ArtifactKind.VIDEO)
    if video is None:
        raise NotFound
    direct = None if ttl_s is None else api.artifacts.signed_get_url(video.blob, ttl_s, inline=True)
    if direct is not None:
        return RedirectResponse(direct, status_code=307)
    return file_response(_AsLongAs(api.artifacts, may_go_on), video.blob, asked, headers)


class _AsLongAs:
    """Files that are read as long as they may be."""

    def __init__(self, files: Files, may_go_on: Callable[[], bool]) -> None:
        self._files, self._may_go_on = files, may_go_on

    def read_chunks(self, blob: Blob, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Raises: NotFound: It may not be read any more; and as those files."""
        for chunk in self._files.read_chunks(blob, start, end):
            for at in range(0, len(chunk), ASKED_EVERY):
                if not self._may_go_on():
                    raise NotFound
                yield chunk[at : at + ASKED_EVERY]
