"""The errors a route can answer with, for OpenAPI: declared once here, named by status at each route."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from domain.errors import STAGE_TIMED_OUT, WORKFLOW_LOST, GuidesmithError
from domain.projects import ProjectRole, allows
from starter.access.reach import API
from starter.api.errors import ErrorBody
from starter.api.perimeter.admission import BASE

EVERYWHERE = (400, 401, 405, 429, 500, 503)
"""What any route below the base path may answer. 400: its query names what it does not take."""

REQUEST_ID = {
    "X-Request-Id": {
        "description": "Leads to the request in the logs.",
        "required": True,
        "schema": {"type": "string"},
    },
}
REPLAYED = {
    "Idempotency-Replayed": {
        "description": "The answer is the one that the Idempotency-Key was first given.",
        "schema": {"type": "string", "const": "true"},
    },
}

REFERENCE = "#/components/schemas/"

Responses = dict[int | str, dict[str, Any]]


def errors(*statuses: int) -> Responses:
    """The ``responses`` of a route that answers with these errors, besides those of every route."""
    return {status: _response(HTTPStatus(status)) for status in sorted({*EVERYWHERE, *statuses})}


def signed_errors(*statuses: int) -> Responses:
    """As :func:`errors`, for a route that needs no token."""
    return {status: body for status, body in errors(*statuses).items() if status != HTTPStatus.UNAUTHORIZED}


def _response(status: HTTPStatus) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        headers["Retry-After"] = {"description": "Seconds.", "required": True, "schema": {"type": "integer"}}
    # by its name: a model would be worked out anew for each status of each route, which is most of an API's start
    content = {"application/json": {"schema": {"$ref": f"{REFERENCE}{ErrorBody.__name__}"}}}
    return {"description": status.phrase, "headers": headers, "content": content}


def binary(description: str, *media_types: str) -> dict[str, Any]:
    """An answer that is a stream of bytes or text, of one of these types."""
    names = [name.partition(";")[0] for name in media_types]
    return {"description": description, "content": {name: {"schema": _stream(name)} for name in names}}


def _stream(media_type: str) -> dict[str, str]:
    if media_type == "application/json":
        return {"type": "object"}
    return {"type": "string"} if media_type.startswith("text/") else {"type": "string", "format": "binary"}


def described(app: FastAPI) -> dict[str, Any]:
    """OpenAPI of ``app`` as it really behaves: bearer tokens, and 400 where the framework would say 422."""
    schema = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    error = ErrorBody.model_json_schema(mode="serialization")
    del error["properties"]["details"]["default"]  # as of every other answer: what is always there has none
    shapes = schema["components"]["schemas"] | {ErrorBody.__name__: error}
    schema["components"]["schemas"] = dict(sorted(shapes.items()))
    return _plainly_named(_corrected(schema))


FAILURE_CODES = (
    ("FailureAnswer", "failure_code"),
    ("ScreenshotTaskAnswer", "failure_code"),
    ("ItemErrorAnswer", "code"),
)
"""Where an answer says with which code something failed."""
OUTSIDE = {"type": "string", "description": "What a runner of yours reported."}


def _plainly_named(schema: dict[str, Any]) -> dict[str, Any]:
    """With a name for each shape that a generated client can use for a class: the framework tells what is sent from
    what is answered by a suffix, and gives both one title."""
    shapes = schema["components"]["schemas"]
    names = {name: name.removesuffix("-Output").replace("-Input", "Request") for name in shapes}
    for name, plain in names.items():
        shapes[name]["title"] = plain
    schema["components"]["schemas"] = {names[name]: shape for name, shape in shapes.items()}
    return cast(dict[str, Any], _renamed(schema, names))


def _renamed(part: Any, names: Mapping[str, str]) -> Any:
    if isinstance(part, dict):
        return {key: _renamed(value, names) for key, value in part.items()}
    if isinstance(part, list):
        return [_renamed(each, names) for each in part]
    if isinstance(part, str) and part.startswith(REFERENCE):
        return REFERENCE + names[part.removeprefix(REFERENCE)]
    return part


def _codes(of: type[GuidesmithError]) -> Iterator[str]:
    """The codes of errors, all of whose modules are there once the routes are."""
    yield of.code
    for each in of.__subclasses__():
        yield from _codes(each)


def _may_lack_a_role(method: str, template: str) -> bool:
    """Whether the route may tell a member of a project that their role is not enough."""
    reach = API.get(f"{method.upper()} {template.removeprefix(BASE)}")
    return reach is not None and not all(allows(role, reach.permission) for role in ProjectRole)


def _corrected(schema: dict[str, Any]) -> dict[str, Any]:
    schemas = schema.get("components", {}).get("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    known = set(_codes(GuidesmithError))
    schemas["ErrorBody"]["properties"]["code"]["enum"] = sorted(known)
    schemas["FailureCode"] = {"type": "string", "enum": sorted(known | {STAGE_TIMED_OUT, WORKFLOW_LOST})}
    for shape, name in FAILURE_CODES:
        described = schemas[shape]["properties"][name]
        may_be_null = {"type": "null"} in described.pop("anyOf", ())
        described.pop("type", None)
        described["anyOf"] = [
            {"$ref": f"{REFERENCE}FailureCode"},
            OUTSIDE,
            *([{"type": "null"}] if may_be_null else []),
        ]
    for template, path in schema["paths"].items():
        for method, operation in path.items():
            operation["responses"].pop("422", None)
            once = any(each["name"] == "Idempotency-Key" for each in operation.get("parameters", ()))
            for status, answer in operation["responses"].items():
                replayable = REPLAYED if once and status.startswith("2") else {}
                answer["headers"] = REQUEST_ID | replayable | answer.get("headers", {})
            if _may_lack_a_role(method, template):
                forbidden = {**operation["responses"]["404"], "description": HTTPStatus.FORBIDDEN.phrase}
                operation["responses"] = dict(sorted({**operation["responses"], "403": forbidden}.items()))
            if "401" in operation["responses"]:
                operation.setdefault("security", [{"bearer": []}])
    schemes = schema.setdefault("components", {}).setdefault("securitySchemes", {})
    schemes["bearer"] = {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
    return schema
