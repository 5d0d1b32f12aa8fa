"""The sandbox as an ASGI app: the pretend provider's routes and the control routes."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from starter.sandbox.chat import completion
from starter.sandbox.images import Pictures, verdict
from starter.sandbox.script import Behaviour, Cut, Received, Refusal, Script, called_at
from starter.sandbox.speech import transcription

MODELS = ("sandbox", "sandbox-speech", "sandbox-images")

_script = TypeAdapter(dict[str, list[Behaviour]])

Good = Callable[[Any, bytes], Any]
"""Makes the good answer from the request's JSON or form fields and the bytes of its file. ``ValueError``: a 400."""


def create_sandbox_app() -> Starlette:
    """A new sandbox, without a script. ``app.state.script`` is its :class:`Script`."""
    script = Script()
    pictures = Pictures()
    app = Starlette(
        routes=[
            *_control(script),
            _provider(script, "images", "/v1/images/generations", "POST", lambda request, _: pictures.made(request)),
            _provider(script, "moderations", "/v1/moderations", "POST", lambda request, _: verdict(request)),
            pictures.route(),
            _provider(script, "chat", "/v1/chat/completions", "POST", lambda request, _: completion(request)),
            _provider(script, "models", "/v1/models", "GET", lambda *_: _models()),
            _provider(script, "transcriptions", "/v1/audio/transcriptions", "POST", transcription),
        ]
    )
    app.state.script = script
    return app


def _control(script: Script) -> list[Route]:
    async def write(request: Request) -> Response:
        if request.method == "DELETE":
            script.clear()
            return Response(status_code=204)
        try:
            script.write(_script.validate_json(await request.body()))
        except ValidationError as wrong:
            return JSONResponse({"issues": json.loads(wrong.json(include_url=False))}, status_code=400)
        return Response(status_code=204)

    async def requests(request: Request) -> Response:
        if request.method == "DELETE":
            script.forget()
            return Response(status_code=204)
        return JSONResponse(script.report())

    return [
        Route("/_sandbox/script", write, methods=["PUT", "DELETE"]),
        Route("/_sandbox/requests", requests, methods=["GET", "DELETE"]),
    ]


def _provider(script: Script, name: str, path: str, method: str, good: Good) -> Route:
    """A route of the provider that does what the script says next."""

    async def answer(request: Request) -> Response:
        content, file = await _content(request)
        called_at.set(str(request.base_url))
        script.note(_received(name, request, content, file))
        behaviour = script.take(name)
        if behaviour.hang:
            await _until_gone(request)
            return Response(status_code=499)
        await asyncio.sleep(behaviour.delay_ms / 1000)
        return _behave(behaviour, lambda: good(content, file))

    return Route(path, answer, methods=[method])


async def _content(request: Request) -> tuple[Any, bytes]:
    """The request's JSON or form fields, and the content of its file."""
    if request.headers.get("content-type", "").startswith("multipart/"):
        file = b""
        fields: dict[str, str] = {}
        async with request.form(max_part_size=1 << 26) as form:
            for field, value in form.multi_items():
                if isinstance(value, UploadFile):
                    file = await value.read()
                else:
                    fields[field] = value
        return fields, file
    body = await request.body()
    try:
        return (json.loads(body) if body else {}), b""
    except ValueError:
        return {}, b""


def _received(name: str, request: Request, content: Any, file: bytes) -> Received:
    headers = {key: value for key, value in request.headers.items() if key not in ("authorization", "cookie")}
    body = {**content, "file_bytes": len(file)} if file and isinstance(content, dict) else content
    return Received(
        route=name,
        method=request.method,
        path=request.url.path,
        headers=headers,
        authorized=request.headers.get("authorization", "").startswith("Bearer "),
        body=body,
    )


async def _until_gone(request: Request) -> None:
    while not await request.is_disconnected():
        await asyncio.sleep(0.05)


def _behave(behaviour: Behaviour, good: Callable[[], Any]) -> Response:
    headers = dict(behaviour.headers)
    if behaviour.retry_after is not None:
        headers["Retry-After"] = str(behaviour.retry_after)
    status = behaviour.status or 200
    if behaviour.body is not None:
        content = behaviour.body
    elif status >= 300:
        content = _error(status, behaviour.code)
    else:
        try:
            content = good()
        except ValueError as wrong:
            status, content = 400, _error(400, wrong.code if isinstance(wrong, Refusal) else "invalid_file_format")
    response = _response(content, status, headers)
    if behaviour.cut is Cut.JSON:
        return Response(response.body[: len(response.body) // 2], status, headers, media_type="application/json")
    if behaviour.cut is Cut.CONNECTION:
        return _CutResponse(response.body, status, headers, media_type="application/json")
    return response


def _response(content: Any, status: int, headers: dict[str, str]) -> Response:
    if isinstance(content, str):
        return PlainTextResponse(content, status, headers)
    return JSONResponse(content, status, headers)


def _error(status: int, code: str | None) -> dict[str, Any]:
    return {"error": {"message": "as scripted", "type": "sandbox_error", "code": code or f"sandbox_{status}"}}


class _CutResponse(Response):
    """Promises its whole length and sends half of it; the server then drops the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        half = bytes(self.body)[: len(self.body) // 2]
        await send({"type": "http.response.body", "body": half, "more_body": True})


def _models() -> dict[str, Any]:
    return {
        "object": "list",
        "data": [{"id": name, "object": "model", "created": 0, "owned_by": "sandbox"} for name in MODELS],
    }
