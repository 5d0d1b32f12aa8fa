"""What a link opens to whoever holds it: the guide, and its recording where that is allowed.

The guide is the HTML export that the link names: one file without a script, under a policy that lets it show itself and
do nothing. A link that is absent, revoked or expired is answered alike.
"""

from datetime import UTC, datetime, timedelta
from functools import partial
from http import HTTPStatus
from itertools import chain
from typing import Annotated, cast

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse
from markupsafe import Markup

from activities.artifacts import content_disposition
from domain.documents.sharing import Share, fingerprint
from domain.errors import ArtifactCorrupt, ArtifactMissing, NotFound
from starter.api.context import Api
from starter.api.documents.exports import SANDBOXED
from starter.api.documents.shares import SHARED
from starter.api.file_responses import AskedFile, FileRequest, file_response
from starter.api.perimeter.limits import Limits
from starter.pages.shell.context import Context, PageContext
from starter.pages.shell.files import recording_response

router = APIRouter()

COOKIE = "guidesmith_shared"
OPENED_FOR = timedelta(hours=12)
"""How long a passphrase need not be typed again."""

WAIT_S = 2
"""Between two looks for a guide that is being made."""

HEAD_END = b"</header>"
"""Where an export's head ends: nothing that a user wrote can hold it, since their tags are escaped."""

PRIVATE = {"Cache-Control": "private, no-store", "X-Robots-Tag": "noindex, nofollow"}

_trying = CapacityLimiter(2)
"""Passphrases that a process tries at once: each takes 50 ms and 16 MiB."""


@router.get(SHARED + "{token}")
async def guide(token: str, request: Request, context: Context, asked: AskedFile, save: bool = False) -> Response:
    """The guide; or what stands before it: a passphrase, or that it is being made.

    Args:
        save: As a file to keep.
    """
    share = await _found(context, token)
    if not _is_let_in(context, share):
        return _barred(context, share, HTTPStatus.OK)
    return await to_thread.run_sync(_guide, context, share, token, asked, save)


@router.post(SHARED + "{token}")
async def enter(
    token: str, request: Request, context: Context, passphrase: Annotated[str, Form(max_length=1000)] = ""
) -> Response:
    """Try a passphrase. Every try is counted, by address and by link, before it is looked at."""
    share = await _found(context, token)
    await cast(Limits, request.app.state.limits).attempt(request.scope, at=share.id)
    if not await to_thread.run_sync(context.api.sharing.opens, share, passphrase, limiter=_trying):
        return _barred(context, share, HTTPStatus.FORBIDDEN)
    until = datetime.now(UTC) + OPENED_FOR
    pass_ = context.api.signed_urls.sign("share", _pass_subject(share), until.timestamp())
    secure = "; Secure" if (context.api.settings.public_url or "").startswith("https://") else ""
    cookie = (
        f"{COOKIE}={pass_}; Path={SHARED}{token}; HttpOnly; SameSite=Lax; Max-Age={int(OPENED_FOR.total_seconds())}"
    )
    return RedirectResponse(f"{SHARED}{token}", status_code=303, headers={"Set-Cookie": cookie + secure})


@router.head(SHARED + "{token}/recording")
@router.get(SHARED + "{token}/recording")
async def recording(token: str, context: Context, asked: AskedFile) -> Response:
    """The recording, a part of it at a time, where the link shows it.

    Raises:
        NotFound: The link does not show it, or it is gone.
    """
    share = await _found(context, token)
    if not share.recording or not _is_let_in(context, share):
        raise NotFound
    return await to_thread.run_sync(_recording, context.api, token, share, asked)


async def _found(context: PageContext, token: str) -> Share:
    """Raises: NotFound: as ``SharingService.find``; guesses are counted. RateLimited."""
    limits, scope = cast(Limits, context.request.app.state.limits), context.request.scope
    try:
        share = await to_thread.run_sync(context.api.sharing.find, token)
    except NotFound:
        await limits.attempt(scope)
        raise
    await limits.admit_reader(scope, share.id)
    return share


def _is_let_in(context: PageContext, share: Share) -> bool:
    if share.passphrase_hash is None:
        return True
    try:
        return context.api.signed_urls.read("share", context.request.cookies.get(COOKIE, "")) == _pass_subject(share)
    except NotFound:
        return False


def _pass_subject(share: Share) -> str:
    """For one link and one passphrase, of which it tells nothing."""
    return f"{share.id} {fingerprint(share.passphrase_hash or '')}"


def _barred(context: PageContext, share: Share, status: HTTPStatus) -> Response:
    answer = context.page("sharing/passphrase.html", status, wrong=status is not HTTPStatus.OK)
    answer.headers.update(PRIVATE)
    return answer


def _guide(context: PageContext, share: Share, token: str, asked: FileRequest, save: bool) -> Response:
    api = context.api
    export = api.sharing.shown(share)
    if export is None or export.blob is None:
        return _not_there(context, lost=api.sharing.is_lost(share))
    embedders = " ".join(share.embed_origins) or "'none'"
    headers = PRIVATE | {
        "Content-Security-Policy": f"{SANDBOXED}; frame-ancestors {embedders}",
        "Cross-Origin-Opener-Policy": "unsafe-none",  # a sandboxed page can ask for no other
    }
    if save:
        headers["Content-Disposition"] = content_disposition(export.filename)
    elif asked.range is None and asked.if_none_match is None:
        api.store.count_view(share.id)
    lose = partial(api.store.lose_export, export.id)
    if not share.recording or save:
        return file_response(api.artifacts, export.blob, asked, headers, on_loss=lose)
    pieces = api.artifacts.read_chunks(export.blob)
    try:
        head = next(pieces, b"")
    except (ArtifactMissing, ArtifactCorrupt):
        lose()
        return _not_there(context, lost=True)
    watch = Markup('<p class="origin"><a href="{}{}/recording">{}</a></p>').format(
        SHARED, token, context.say("shared-watch")
    )
    body = chain((head.replace(HEAD_END, watch.encode() + HEAD_END, 1),), pieces)
    return StreamingResponse(body, headers=headers, media_type="text/html")


def _not_there(context: PageContext, *, lost: bool) -> Response:
    """That it is being made, and will be looked for again; or that nobody makes it."""
    status = HTTPStatus.SERVICE_UNAVAILABLE if lost else HTTPStatus.ACCEPTED
    answer = context.page("sharing/waiting.html", status, wait_s=0 if lost else WAIT_S)
    answer.headers.update(PRIVATE if lost else PRIVATE | {"Refresh": str(WAIT_S)})
    return answer


def _recording(api: Api, token: str, share: Share, asked: AskedFile) -> Response:
    """From here, wherever it is kept: an object store's own address does not know when the link is revoked."""

    def is_open() -> bool:
        try:
            return api.sharing.find(token).recording
        except NotFound:
            return False

    return recording_response(api, share.job_id, asked, headers=PRIVATE, may_go_on=is_open)
