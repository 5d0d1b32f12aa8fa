"""Files that the pages are made of, and those that a person looks at on them."""

from collections.abc import Mapping

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from domain.artifacts import ArtifactKind
from domain.errors import NotFound
from starter.api.context import Api
from starter.api.file_responses import FileRequest, file_response
from starter.pages.shell.built import built, send

router = APIRouter()


@router.get("/static/{name}")
def static(name: str, request: Request) -> Response:
    """A built module, style sheet or picture."""
    return send(name, request.headers)


@router.get("/favicon.ico")
def favicon(request: Request) -> Response:
    """The icon, for browsers that ask without being told where it is."""
    return send(built("shell/icon.svg").address.rpartition("/")[2], request.headers)


def recording_response(
    api: Api, job_id: str, asked: FileRequest, *, ttl_s: int, headers: Mapping[str, str]
) -> Response:
    """A job's recording, to play: a part of it at a time, or where in the object store it is, for ``ttl_s`` seconds.

    Raises:
        NotFound: There is none (any more).
    """
    video = api.store.latest_artifact(job_id, ArtifactKind.VIDEO)
    if video is None:
        raise NotFound
    direct = api.artifacts.signed_get_url(video.blob, ttl_s, inline=True)
    if direct is not None:
        return RedirectResponse(direct, status_code=307)
    return file_response(api.artifacts, video.blob, asked, headers)
