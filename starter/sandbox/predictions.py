"""The pretend models that take their time: predictions in Replicate's shape, whose end is told by webhook.

A model's name says what it makes: ``video`` in it, ``speech``, ``voice`` or ``tts`` in it, else a picture. What becomes
of a prediction is scripted by a :class:`Course`; without one it succeeds at once and calls back once. As with pictures,
``nsfw`` in what is asked is refused by a safety filter, and ``expired`` gets a file whose address is gone at once.
"""

import asyncio
import base64
import contextlib
import uuid
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from starter.sandbox.calling import Call, Caller, Sent
from starter.sandbox.images import EXPIRED, NSFW, picture
from starter.sandbox.making import mp4, wav
from starter.sandbox.script import Refusal, called_at

NSFW_ERROR = "NSFW content detected. Try running it again, or try a different prompt."
"""As cog-stable-diffusion writes it."""

FAILURE = "Prediction failed for an unknown reason. It might have run out of memory? (E1000)"


class Verdict(StrEnum):
    """How a prediction ends. NEVER: it does not."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"
    NSFW = "nsfw"
    NEVER = "never"


class Course(BaseModel):
    """What becomes of one prediction.

    Args:
        takes_ms: Until it is over.
        error: What it says when it fails.
        expired: Its files are gone at once.
        inline: Its files are in the answer, as ``data:`` URIs.
        calls: The webhooks about it, in this order; none: nobody is ever told.
        times: How many predictions take this course.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    takes_ms: int = Field(default=0, ge=0)
    verdict: Verdict = Verdict.SUCCEEDED
    error: str = FAILURE
    expired: bool = False
    inline: bool = False
    calls: tuple[Call, ...] = (Call(),)
    times: int = Field(default=1, ge=1)


@dataclass
class _Prediction:
    id: str
    model: str
    input: Mapping[str, Any]
    webhook: str | None
    base: str
    course: Course
    status: str = "starting"
    output: list[str] | None = None
    error: str | None = None
    created_at: str = field(default_factory=lambda: _now())
    completed_at: str | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def shown(self) -> dict[str, Any]:
        """In Replicate's shape."""
        url = f"{self.base}v1/predictions/{self.id}"
        return {
            "id": self.id,
            "model": self.model,
            "version": "sandbox",
            "input": self.input,
            "logs": "",
            "output": self.output,
            "error": self.error,
            "status": self.status,
            "created_at": self.created_at,
            "started_at": self.created_at if self.status != "starting" else None,
            "completed_at": self.completed_at,
            "urls": {"get": url, "cancel": f"{url}/cancel"},
            "metrics": {},
            "data_removed": False,
        }


class Predictions:
    """What was asked for and what became of it. Belongs to one event loop."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._courses: deque[Course] = deque()
        self._made: dict[str, _Prediction] = {}
        self._files: dict[str, tuple[bytes, str]] = {}
        self._running: set[asyncio.Task[None]] = set()

    def write(self, courses: list[Course]) -> None:
        """Replace what becomes of the next predictions."""
        self._courses = deque(course for course in courses for _ in range(course.times))

    def forget(self) -> None:
        """What was made, and what is under way."""
        for task in self._running:
            task.cancel()
        self._made.clear()
        self._files.clear()

    async def create(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a request for a prediction: it has only begun, whatever was called back meanwhile.

        Raises:
            Refusal: There is no input.
        """
        given = request.get("input")
        if not isinstance(given, dict):
            raise Refusal("input_required", status=422)
        prediction = _Prediction(
            id=uuid.uuid4().hex[:26],
            model=f"{request['owner']}/{request['name']}" if "owner" in request else str(request.get("version")),
            input=given,
            webhook=request.get("webhook"),
            base=called_at.get(),
            course=self._courses.popleft() if self._courses else _course(given),
        )
        self._made[prediction.id] = prediction
        begun = prediction.shown()
        for call in prediction.course.calls:
            if call.early:
                self._finish(prediction)
                await self._called(prediction, call)
        task = asyncio.create_task(self._run(prediction))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return begun

    def get(self, id: str) -> dict[str, Any]:
        """A prediction as it stands. Raises Refusal: there is none of that name."""
        return self._known(id).shown()

    async def cancel(self, id: str) -> dict[str, Any]:
        """Call a prediction off; one that is over stays as it is. Raises Refusal."""
        prediction = self._known(id)
        if not prediction.over.is_set():
            _end(prediction, "canceled")
        return prediction.shown()

    async def call(self, id: str, call: Call) -> Sent:
        """Send a webhook about a prediction now. Raises Refusal: there is none, or it has no webhook."""
        prediction = self._known(id)
        if prediction.webhook is None:
            raise Refusal("no_webhook", status=409)
        return await self._caller.call(prediction.webhook, prediction.shown(), call)

    def file(self, name: str) -> Response:
        """What a prediction made. Raises Refusal: it is gone."""
        kept = self._files.get(name)
        if kept is None:
            raise Refusal("expired", status=410)
        return Response(kept[0], media_type=kept[1])

    def _known(self, id: str) -> _Prediction:
        if id not in self._made:
            raise Refusal("not_found", status=404)
        return self._made[id]

    async def _run(self, prediction: _Prediction) -> None:
        """To its end, and the calls after it."""
        course = prediction.course
        if not prediction.over.is_set() and (course.takes_ms or course.verdict is Verdict.NEVER):
            prediction.status = "processing"
            with contextlib.suppress(TimeoutError):  # it may be called off meanwhile
                async with asyncio.timeout(None if course.verdict is Verdict.NEVER else course.takes_ms / 1000):
                    await prediction.over.wait()
        self._finish(prediction)
        for call in course.calls:
            if not call.early:
                await asyncio.sleep(call.after_ms / 1000)
                await self._called(prediction, call)

    async def _called(self, prediction: _Prediction, call: Call) -> None:
        if prediction.webhook is not None:
            await self._caller.call(prediction.webhook, prediction.shown(), call)

    def _finish(self, prediction: _Prediction) -> None:
        if prediction.over.is_set():
            return
        verdict = prediction.course.verdict
        if verdict is Verdict.SUCCEEDED:
            prediction.output = [self._output(prediction)]
            _end(prediction, "succeeded")
        elif verdict is Verdict.CANCELED:
            _end(prediction, "canceled")
        else:
            _end(prediction, "failed", NSFW_ERROR if verdict is Verdict.NSFW else prediction.course.error)

    def _output(self, prediction: _Prediction) -> str:
        data, media_type, suffix = _made(prediction.model, _words(prediction.input))
        if prediction.course.inline:
            return f"data:{media_type};base64,{base64.b64encode(data).decode()}"
        name = f"{prediction.id}.{suffix}"
        if not prediction.course.expired:
            self._files[name] = (data, media_type)
        return f"{prediction.base}files/{name}"


def _end(prediction: _Prediction, status: str, error: str | None = None) -> None:
    prediction.status, prediction.error, prediction.completed_at = status, error, _now()
    prediction.over.set()


def _course(given: Mapping[str, Any]) -> Course:
    """What becomes of a prediction that nobody wrote a course for."""
    words = _words(given)
    return Course(verdict=Verdict.NSFW if NSFW in words else Verdict.SUCCEEDED, expired=EXPIRED in words)


def _made(model: str, words: str) -> tuple[bytes, str, str]:
    """A file of what the model makes, its media type and suffix."""
    if "video" in model:
        return mp4(words), "video/mp4", "mp4"
    if any(each in model for each in ("speech", "voice", "tts")):
        return wav(words), "audio/wav", "wav"
    return picture(words, "512x512"), "image/png", "png"


def _words(given: Mapping[str, Any]) -> str:
    return " ".join(str(value) for value in given.values())


def _now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")
