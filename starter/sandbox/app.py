"""The sandbox as an ASGI app: the pretend provider's routes and the control routes."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from starter.sandbox.calling import SECRET, Call, Caller
from starter.sandbox.chat import completion
from starter.sandbox.images import Pictures, verdict
from starter.sandbox.predictions import Course, Predictions
from starter.sandbox.script import Behaviour, Cut, Received, Refusal, Repeats, Script, called_at
from starter.sandbox.speaking import speech_response
from starter.sandbox.speech import transcription

MODELS = ("sandbox", "sandbox-speech", "sandbox-images", "sandbox-voice")

_script = TypeAdapter(dict[str, list[Behaviour]])
_courses = TypeAdapter(list[Course])

Good = Callable[[Any, bytes], Any]
"""Makes the good answer, perhaps awaited, from the request's JSON or form fields with the path's parameters, and the
bytes of its file. ``ValueError``: a 400, or what a ``Refusal`` says."""

REPEATABLE = frozenset({"images", "chat", "moderations", "transcriptions", "speech", "predictions"})
"""Routes that know an ``Idempotency-Key``."""


class _Remembered(NamedTuple):
    """What a sandbox keeps between requests."""

    script: Script
    repeats: Repeats
    pictures: Pictures
    caller: Caller
    predictions: Predictions


def create_sandbox_app(secret: str = SECRET) -> Starlette:
    """A new sandbox, without a script. ``app.state.script`` is its :class:`Script`.

    Args:
        secret: What its webhooks are signed with.
    """
    caller = Caller(secret)
    memory = _Remembered(Script(), Repeats(), Pictures(), caller, Predictions(caller))
    app = Starlette(routes=[*_control(memory), *_openai(memory), *_replicate(memory)])
    app.state.script = memory.script
    return app


def _openai(memory: _Remembered) -> list[Route]:
    return [
        _provider(memory, "images", "/v1/images/generations", "POST", lambda request, _: memory.pictures.made(request)),
        _provider(memory, "moderations", "/v1/moderations", "POST", lambda request, _: verdict(request)),
        memory.pictures.route(),
        _provider(memory, "chat", "/v1/chat/completions", "POST", lambda request, _: completion(request)),
        _provider(memory, "models", "/v1/models", "GET", lambda *_: _models()),
        _provider(memory, "transcriptions", "/v1/audio/transcriptions", "POST", transcription),
        _provider(memory, "speech", "/v1/audio/speech", "POST", lambda request, _: speech_response(request)),
    ]


def _replicate(memory: _Remembered) -> list[Route]:
    made, one = memory.predictions, "/v1/predictions/{id}"
    of_model = "/v1/models/{owner}/{name}/predictions"
    return [
        _provider(memory, "predictions", "/v1/predictions", "POST", lambda asked, _: made.create(asked), status=201),
        _provider(memory, "predictions", of_model, "POST", lambda asked, _: made.create(asked), status=201),
        _provider(memory, "prediction", one, "GET", lambda asked, _: made.get(asked["id"])),
        _provider(memory, "cancel", f"{one}/cancel", "POST", lambda asked, _: made.cancel(asked["id"])),
        _provider(memory, "files", "/files/{name}", "GET", lambda asked, _: made.file(asked["name"])),
    ]


def _control(memory: _Remembered) -> list[Route]:
    async def write(request: Request) -> Response:
        if request.method == "DELETE":
            memory.script.clear()
            memory.predictions.write([])
        else:
            memory.script.write(_script.validate_json(await request.body()))
        return Response(status_code=204)

    async def plan(request: Request) -> Response:
        memory.predictions.write(_courses.validate_json(await request.body()))
        return Response(status_code=204)

    async def requests(request: Request) -> Response:
        if request.method == "DELETE":
            memory.script.forget()
            memory.repeats.forget()
            memory.predictions.forget()
            memory.caller.sent.clear()
            return Response(status_code=204)
        return JSONResponse(memory.script.report())

    async def calls(_: Request) -> Response:
        return JSONResponse([each.model_dump() for each in memory.caller.sent])

    async def call(request: Request) -> Response:
        told = Call.model_validate_json(await request.body() or b"{}")
        return JSONResponse((await memory.predictions.call(request.path_params["id"], told)).model_dump())

    return [
        Route("/_sandbox/script", _checked(write), methods=["PUT", "DELETE"]),
        Route("/_sandbox/predictions", _checked(plan), methods=["PUT"]),
        Route("/_sandbox/predictions/{id}/calls", _checked(call), methods=["POST"]),
        Route("/_sandbox/requests", requests, methods=["GET", "DELETE"]),
        Route("/_sandbox/calls", calls, methods=["GET"]),
    ]


def _checked(control: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """``control``, with what is wrong in its body as a 400 that names the reasons."""

    async def answer(request: Request) -> Response:
        try:
            return await control(request)
        except ValidationError as wrong:
            return JSONResponse({"issues": json.loads(wrong.json(include_url=False))}, status_code=400)
        except Refusal as refused:
            return JSONResponse(_error(refused.status, refused.code), status_code=refused.status)

    return answer


def _provider(memory: _Remembered, name: str, path: str, method: str, good: Good, *, status: int = 200) -> Route:
    """A route of the provider that does what the script says next, and else answers ``good`` with ``status``."""

    async def answer(request: Request) -> Response:
        content, file = await _content(request)
        called_at.set(str(request.base_url))
        memory.script.note(_received(name, request, content, file))
        behaviour = memory.script.take(name)
        if behaviour.hang:
            await _until_gone(request)
            return Response(status_code=499)
        await asyncio.sleep(behaviour.delay_ms / 1000)
        key = request.headers.get("idempotency-key") if name in REPEATABLE else None
        asked = {**content, **request.path_params} if isinstance(content, dict) else content

        async def made() -> Any:
            if (repeated := memory.repeats.given(name, key, asked)) is not None:
                return repeated
            found = good(asked, file)
            found = await found if isawaitable(found) else found
            memory.repeats.keep(name, key, asked, found)
            return found

        return await _behave(behaviour, made, status)

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


async def _behave(behaviour: Behaviour, good: Callable[[], Awaitable[Any]], good_status: int) -> Response:
    headers = dict(behaviour.headers)
    if behaviour.retry_after is not None:
        headers["Retry-After"] = str(behaviour.retry_after)
    status = behaviour.status or good_status
    if behaviour.body is not None:
        content = behaviour.body
    elif status >= 300:
        content = _error(status, behaviour.code)
    else:
        try:
            content = await good()
        except Refusal as refused:
            status, content = refused.status, _error(refused.status, refused.code)
        except ValueError:
            status, content = 400, _error(400, "invalid_file_format")
    response = _response(content, status, headers)
    if behaviour.cut is Cut.JSON:
        return Response(response.body[: len(response.body) // 2], status, headers, media_type=response.media_type)
    if behaviour.cut is Cut.CONNECTION:
        return _CutResponse(response.body, status, headers, media_type=response.media_type)
    return response


def _response(content: Any, status: int, headers: dict[str, str]) -> Response:
    if isinstance(content, Response):
        return Response(content.body, status, headers, media_type=content.media_type)
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
