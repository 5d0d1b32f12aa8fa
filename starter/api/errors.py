"""Errors as HTTP: one table from the taxonomy to a status, one shape of body.

Everything that leaves the API as an error goes through :func:`error_response`: the taxonomy's errors, a request that
does not validate, an unknown route, and (from the gate) what nobody foresaw: 500, told to the log, not to the caller.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from activities.process.log_context import note_denied
from domain import errors
from domain.errors import GuidesmithError
from starter.access.jwks import KeysUnavailable
from starter.access.tokens import Unauthorized
from starter.api.signed_urls import AddressExpired
from starter.logs import log


class Forbidden(GuidesmithError):
    """An admin route, and the caller is no admin; or what the caller's role in the project does not let them do."""

    code = "FORBIDDEN"


class BodyTooLarge(GuidesmithError):
    """More bytes than the route takes."""

    code = "PAYLOAD_TOO_LARGE"


class BodyTypeUnsupported(GuidesmithError):
    """A body that is not of the type the route takes."""

    code = "UNSUPPORTED_MEDIA_TYPE"


class RateLimited(GuidesmithError):
    """Too much at once. ``retry_after_s`` says when to come back."""

    code = "RATE_LIMITED"


class MethodNotAllowed(GuidesmithError):
    """The route has no such method."""

    code = "METHOD_NOT_ALLOWED"


class RangeUnsatisfiable(GuidesmithError):
    """A byte range outside the file."""

    code = "RANGE_NOT_SATISFIABLE"


STATUS: Mapping[type[GuidesmithError], HTTPStatus] = {
    Unauthorized: HTTPStatus.UNAUTHORIZED,
    Forbidden: HTTPStatus.FORBIDDEN,
    BodyTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    BodyTypeUnsupported: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    RateLimited: HTTPStatus.TOO_MANY_REQUESTS,
    MethodNotAllowed: HTTPStatus.METHOD_NOT_ALLOWED,
    RangeUnsatisfiable: HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
    KeysUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.NotFound: HTTPStatus.NOT_FOUND,
    errors.RequestInvalid: HTTPStatus.BAD_REQUEST,
    errors.ColoursUnreadable: HTTPStatus.BAD_REQUEST,
    errors.UploadInvalid: HTTPStatus.BAD_REQUEST,
    errors.UploadSealed: HTTPStatus.CONFLICT,
    errors.RecordingInUse: HTTPStatus.CONFLICT,
    errors.GuideInUse: HTTPStatus.CONFLICT,
    errors.GuideUnwritten: HTTPStatus.CONFLICT,
    errors.UploadExpired: HTTPStatus.GONE,
    errors.ExportRequestInvalid: HTTPStatus.BAD_REQUEST,
    errors.ArtifactKeyInvalid: HTTPStatus.BAD_REQUEST,
    errors.ModelNotAllowed: HTTPStatus.BAD_REQUEST,
    errors.AddressRefused: HTTPStatus.BAD_REQUEST,
    errors.ProviderNotConfigured: HTTPStatus.CONFLICT,
    errors.DocumentInvalid: HTTPStatus.BAD_REQUEST,
    errors.PayloadUnreadable: HTTPStatus.CONFLICT,
    errors.PayloadTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.ProjectInUse: HTTPStatus.CONFLICT,
    errors.OwnerCannotLeave: HTTPStatus.CONFLICT,
    errors.InvitationForAnother: HTTPStatus.FORBIDDEN,
    errors.PromptRefused: HTTPStatus.BAD_REQUEST,
    errors.TableInvalid: HTTPStatus.BAD_REQUEST,
    errors.TableTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.PlanInvalid: HTTPStatus.BAD_REQUEST,
    errors.OpenQuestions: HTTPStatus.BAD_REQUEST,
    errors.DraftNotReady: HTTPStatus.CONFLICT,
    errors.PlanConflict: HTTPStatus.CONFLICT,
    errors.InsufficientCredits: HTTPStatus.PAYMENT_REQUIRED,
    errors.QuotaExceeded: HTTPStatus.TOO_MANY_REQUESTS,
    errors.TransitionRefused: HTTPStatus.CONFLICT,
    errors.VersionConflict: HTTPStatus.CONFLICT,
    errors.Fenced: HTTPStatus.CONFLICT,
    errors.VideoUriConflict: HTTPStatus.CONFLICT,
    errors.TranscriptNotReady: HTTPStatus.CONFLICT,
    errors.ScreenNotReady: HTTPStatus.CONFLICT,
    errors.CorrectionConflict: HTTPStatus.CONFLICT,
    errors.RetryNotAllowed: HTTPStatus.CONFLICT,
    errors.JobAlreadyRunning: HTTPStatus.CONFLICT,
    errors.RegenerateInProgress: HTTPStatus.CONFLICT,
    errors.TranslationUnavailable: HTTPStatus.CONFLICT,
    errors.TranslationExists: HTTPStatus.CONFLICT,
    errors.TranslationInProgress: HTTPStatus.CONFLICT,
    errors.TranslationMismatch: HTTPStatus.CONFLICT,
    errors.IdempotencyConflict: HTTPStatus.CONFLICT,
    errors.CallbackOutOfOrder: HTTPStatus.CONFLICT,
    errors.StaleDispatch: HTTPStatus.CONFLICT,
    errors.PictureUnusable: HTTPStatus.CONFLICT,
    errors.ArtifactMissing: HTTPStatus.CONFLICT,
    errors.ArtifactCorrupt: HTTPStatus.CONFLICT,
    errors.MediaHasNoContent: HTTPStatus.CONFLICT,
    errors.DispatchFailed: HTTPStatus.BAD_GATEWAY,
    errors.EngineForeign: HTTPStatus.BAD_GATEWAY,
    errors.EngineUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.DatabaseUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.ArtifactStoreUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}
"""The one place that says which error is which status. A subclass has its parent's; what is not here is our fault."""

RETRY_LATER_S = 2
"""What a 503 tells the caller when the error does not know better."""

ISSUES_LIMIT = 50
ISSUE_TEXT_LIMIT = 300
KEY = "[key]"
"""What pydantic calls the name of a field that anybody may name."""
FIELD_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}|\[key\]")


class ErrorBody(BaseModel):
    """The body of every error."""

    code: str = Field(description="Stable, for programs.", examples=["RESOURCE_NOT_FOUND"])
    message: str = Field(description="A sentence for people.")
    details: dict[str, Any] | None = Field(default=None, description="Facts that belong to the code.")


def status_of(error: GuidesmithError) -> HTTPStatus:
    """The HTTP status of an error: its own row of :data:`STATUS`, else that of the nearest parent."""
    for kind in type(error).__mro__:
        if kind in STATUS:
            return STATUS[kind]
    return HTTPStatus.INTERNAL_SERVER_ERROR


def error_response(error: GuidesmithError) -> JSONResponse:
    """``error`` as it is sent."""
    status = status_of(error)
    if status is HTTPStatus.NOT_FOUND and not isinstance(error, AddressExpired):
        error = not_found()
    if status is HTTPStatus.BAD_REQUEST and isinstance(error, errors.RequestInvalid) and "issues" not in error.details:
        error.details["issues"] = [{"path": _place(error.field), "code": "value_error", "message": error.message}]
    if status is HTTPStatus.INTERNAL_SERVER_ERROR:
        log("api").error("request.failed", code=error.code, error=error.message)
        error = GuidesmithError("Something went wrong on our side. The request id leads to it in the logs.")
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.details:
        body["details"] = error.details
    return JSONResponse(body, status_code=status, headers=_headers(error, status))


def _headers(error: GuidesmithError, status: HTTPStatus) -> dict[str, str]:
    if status is HTTPStatus.UNAUTHORIZED:
        return {"WWW-Authenticate": "Bearer"}
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        return {"Retry-After": str(max(1, math.ceil(error.retry_after_s or RETRY_LATER_S)))}
    if isinstance(error, RangeUnsatisfiable):
        return {"Content-Range": f"bytes */{error.details['size_bytes']}"}
    return {}


def handle_errors(app: FastAPI) -> None:
    """Install the handlers on ``app``."""
    app.add_exception_handler(GuidesmithError, _known)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


async def _known(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, GuidesmithError)
    note_denied(error)
    return error_response(error)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return error_response(invalid_request(error.errors(), error.body))


async def _http(request: Request, error: Exception) -> JSONResponse:
    """What the framework itself refuses."""
    assert isinstance(error, HTTPException)
    if error.status_code == HTTPStatus.NOT_FOUND:
        return error_response(not_found())
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        response = error_response(MethodNotAllowed("This address does not take that method."))
        response.headers["Allow"] = ", ".join(_allowed(request))
        return response
    return error_response(errors.RequestInvalid("The request cannot be read."))


def _allowed(request: Request) -> list[str]:
    """Every method of the path; the framework names only those of the first route that it tried."""
    path: str = request.scope["path"]
    for template, operations in request.app.openapi()["paths"].items():
        if re.fullmatch(re.sub(r"\\{[^}]*\\}", "[^/]+", re.escape(template)), path):
            return sorted(method.upper() for method in operations)
    return []


def not_found() -> errors.NotFound:
    """The one answer for what is absent and for what is somebody else's: byte for byte the same."""
    return errors.NotFound()


@contextmanager
def inside(place: str) -> Iterator[None]:
    """What is wrong with a field is wrong with one inside ``place`` of the body."""
    try:
        yield
    except errors.RequestInvalid as invalid:
        if invalid.field:
            invalid.field = f"{place}.{invalid.field}"
        raise


def _place(field: str) -> str:
    """Where ``field`` is, from the request's own parts down: in the body, where it does not say."""
    return field if field.partition(".")[0] in ("", "body", "query", "header") else f"body.{field}"


def invalid_request(issues: Sequence[Mapping[str, Any]], body: object = None) -> errors.RequestInvalid:
    """Pydantic's issues as ours: where and why, never the value that was sent.

    Args:
        body: What was sent, so that a path names what is in it.
    """
    return errors.RequestInvalid(
        "The request does not have the shape this route takes; details.issues says where.",
        details={
            "issues": [
                {
                    "path": ".".join(_shown(part) for part in _path(issue, body))[:ISSUE_TEXT_LIMIT],
                    "code": issue["type"],
                    "message": _reason(issue)[:ISSUE_TEXT_LIMIT],
                }
                for issue in issues[:ISSUES_LIMIT]
            ]
        },
    )


def _path(issue: Mapping[str, Any], body: object) -> Iterator[object]:
    """The issue's place without what pydantic puts into it that nobody sent: which of several shapes it tried."""
    where, *steps = issue["loc"]
    yield where
    if where != "body":
        yield from steps
        return
    inner: Any = body
    for left, step in enumerate(steps, start=1 - len(steps)):
        if _holds(inner, step):
            inner = inner[step]
        elif step != KEY and not (left == 0 and issue["type"] == "missing"):
            continue
        yield step


def _holds(body: Any, step: Any) -> bool:
    return step in body if isinstance(body, dict) else isinstance(body, list) and step in range(len(body))


def _shown(part: object) -> str:
    """A step of an issue's path; ``…`` for a name that the caller made up, which may be anything."""
    text = str(part)
    return text if FIELD_NAME.fullmatch(text) else "…"


def _reason(issue: Mapping[str, Any]) -> str:
    if issue["type"] == "union_tag_invalid":  # the one message of pydantic's that quotes what was sent
        return f"Input should be one of {issue['ctx']['expected_tags']}"
    return str(issue["msg"]).removeprefix("Value error, ")
