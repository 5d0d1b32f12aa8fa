"""The errors a route can answer with, for OpenAPI: declared once here, named by status at each route."""

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from starter.api.errors import ErrorBody

EVERYWHERE = (401, 405, 429, 500, 503)
"""What any route below the base path may answer."""

REQUEST_ID = {
    "X-Request-Id": {"description": "Leads to the request in the logs.", "schema": {"type": "string"}},
}

Responses = dict[int | str, dict[str, Any]]


def errors(*statuses: int) -> Responses:
    """The ``responses`` of a route that answers with these errors, besides those of every route. One that takes a body
    (413) may find it to be no JSON (400)."""
    shape = {400} if 413 in statuses else set()
    return {status: _response(HTTPStatus(status)) for status in sorted({*EVERYWHERE, *statuses, *shape})}


def signed_errors(*statuses: int) -> Responses:
    """As :func:`errors`, for a route that needs no token."""
    return {status: body for status, body in errors(*statuses).items() if status != HTTPStatus.UNAUTHORIZED}


def _response(status: HTTPStatus) -> dict[str, Any]:
    headers: dict[str, Any] = dict(REQUEST_ID)
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        headers["Retry-After"] = {"description": "Seconds.", "schema": {"type": "integer"}}
    return {"model": ErrorBody, "description": status.phrase, "headers": headers}


def binary(description: str, media_type: str = "application/octet-stream") -> dict[str, Any]:
    """An answer that is a stream of bytes or text."""
    return {"description": description, "content": {media_type: {"schema": {"type": "string"}}}}


def declare(app: FastAPI) -> None:
    """Let ``app`` describe itself as it really behaves: bearer tokens, and 400 where the framework would say 422."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _corrected(
                get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
            )
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


def _corrected(schema: dict[str, Any]) -> dict[str, Any]:
    schemas = schema.get("components", {}).get("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for path in schema["paths"].values():
        for operation in path.values():
            operation["responses"].pop("422", None)
            if "401" in operation["responses"]:
                operation["security"] = [{"bearer": []}]
    schema.setdefault("components", {})["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
    }
    return schema
