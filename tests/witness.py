"""Every answer that a test gets from the API, held against the description that the API serves.

The witness stands around the application in ``tests/apis.py``. An answer whose status, media type, headers or body
the description does not have is replaced by one that says so, which fails the test that asked; and whoever started the
API fails at its end, so that nothing is overlooked.
"""

import copy
import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from fastapi import FastAPI
from jsonschema import Draft202012Validator, FormatChecker
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from starter.api.perimeter.admission import is_page, plain_path

UNDECLARED = 599
"""What is answered in place of what the description does not have."""

FORMATS = FormatChecker(())

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@FORMATS.checks("date-time", raises=ValueError)
def is_moment(value: object) -> bool:
    """RFC 3339 in UTC with ``Z``, as the contract has it, to the millisecond."""
    return not isinstance(value, str) or (
        MOMENT.fullmatch(value) is not None and datetime.fromisoformat(value) is not None
    )


class Description:
    """What the API says of itself, and whether an answer is as it says. Objects have no field but those named."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.served = schema
        self.schema = copy.deepcopy(dict(schema))
        for part in _objects(self.schema["components"]):
            part.setdefault("additionalProperties", False)
        by_length = sorted(self.schema["paths"], key=lambda template: (template.count("{"), template))
        self._templates = [(_pattern(template), template) for template in by_length]
        self._validators: dict[str, Draft202012Validator] = {}

    def operations(self, path: str) -> dict[str, Any] | None:
        """The operations of a path, by method in lower case; ``None``: there is no such path."""
        path = plain_path(path)
        for pattern, template in self._templates:
            if pattern.fullmatch(path):
                found: dict[str, Any] = self.schema["paths"][template]
                return found
        return None

    def objection(self, method: str, path: str, status: int, headers: Headers, body: bytes | None) -> str | None:
        """What is wrong with an answer, if anything is. ``body``: ``None`` where it is no JSON."""
        operations = self.operations(path)
        if operations is None:
            return self._unlike_schema(body, {"$ref": "#/components/schemas/ErrorBody"})
        operation = operations.get(method.lower())
        if operation is None:
            declared = [each["responses"] for each in operations.values()]
        else:
            declared = [operation["responses"]]
        answers = [each[str(status)] for each in declared if str(status) in each]
        return self._unlike(answers[0], headers, body) if answers else f"status {status} is not declared"

    def _unlike(self, declared: Mapping[str, Any], headers: Headers, body: bytes | None) -> str | None:
        missing = [name for name, header in declared.get("headers", {}).items() if header.get("required", False)]
        if lost := [name for name in missing if name not in headers]:
            return f"the headers {lost} are missing"
        kind = headers.get("content-type", "").partition(";")[0]
        content = declared.get("content", {})
        if not content:
            return f"a body of type {kind!r} is not declared" if kind else None
        shape = content.get(kind, content.get("*/*"))
        if shape is None:
            return f"the media type {kind!r} is not declared"
        return self._unlike_schema(body, shape.get("schema", {})) if body is not None else None

    def _unlike_schema(self, body: bytes | None, schema: Mapping[str, Any]) -> str | None:
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            whole = {**schema, "components": self.schema["components"]}
            self._validators[key] = Draft202012Validator(whole, format_checker=FORMATS)
        error = next(self._validators[key].iter_errors(json.loads(body or b"null")), None)
        return f"{'/'.join(map(str, error.absolute_path))}: {error.message[:500]}" if error else None


def _objects(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        if part.get("type") == "object" and "properties" in part:
            yield part
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from _objects(each)


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{[^}]*\\}", "[^/]+", re.escape(template)))


_descriptions: list[Description] = []


def _known(schema: Mapping[str, Any]) -> Description:
    """Of all apps of a process the one that they share, with the validators that were made for it."""
    if not _descriptions or _descriptions[0].served is not schema:
        _descriptions[:] = [Description(schema)]
    return _descriptions[0]


class Witness:
    """ASGI middleware around the whole API. A browser's question before its request, and the description itself, are
    not described."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self.objections: list[str] = []

    def _is_no_answer_of_the_api(self, path: str) -> bool:
        return plain_path(path) == self._app.openapi_url or is_page(plain_path(path))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] == "OPTIONS" or self._is_no_answer_of_the_api(scope["path"]):
            await self._app(scope, receive, send)
            return
        description = _known(self._app.openapi())
        await self._app(scope, receive, _Overheard(self, description, scope, send))

    def object_to(self, scope: Scope, objection: str) -> bytes:
        """Remember an objection; the body that tells the client of it."""
        self.objections.append(f"{scope['method']} {scope['path']}: {objection}")
        return self.objections[-1].encode()


class _Overheard:
    """``send`` that lets an answer through once it is found to be as declared: JSON when it is whole, anything else
    (a file, an event stream) as soon as its head is there."""

    def __init__(self, witness: Witness, description: Description, scope: Scope, send: Send) -> None:
        self._witness = witness
        self._description = description
        self._scope = scope
        self._send = send
        self._start: Message | None = None
        self._body = bytearray()
        self._passing = False
        self._refused = False

    async def __call__(self, message: Message) -> None:
        if self._passing:
            await self._send(message)
        elif message["type"] == "http.response.start":
            self._start = message
            if not Headers(raw=message["headers"]).get("content-type", "").startswith("application/json"):
                await self._judge(message, None)
        elif message["type"] == "http.response.body" and not self._refused:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._judge(self._start or {}, bytes(self._body))

    async def _judge(self, start: Message, body: bytes | None) -> None:
        """Send what there is, or in its place what is wrong with it."""
        method, path = self._scope["method"], self._scope["path"]
        objection = self._description.objection(method, path, start["status"], Headers(raw=start["headers"]), body)
        self._passing, self._refused = objection is None, objection is not None
        if objection is not None:
            start = {"type": "http.response.start", "status": UNDECLARED, "headers": [(b"content-type", b"text/plain")]}
            body = self._witness.object_to(self._scope, objection)
        await self._send(start)
        if body is not None:
            await self._send({"type": "http.response.body", "body": body})
