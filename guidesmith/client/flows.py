"""What the client does, without doing it: a flow says which request comes next and is given its answer. The blocking
client and the asynchronous one run the same flows."""

import base64
import json
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode
from uuid import uuid4

import httpx
from pydantic import BaseModel

from guidesmith.client.errors import ApiError, JobFailed, Unreachable
from guidesmith.client.shapes import (
    BinnedGuide,
    Brand,
    Event,
    Export,
    Guide,
    Instruction,
    Invitation,
    Job,
    Member,
    Project,
    Task,
    Thread,
    Translation,
    TranslationTask,
)

TRIES = 5
"""How often a request is sent when the connection breaks or the API is busy."""

FIRST_PAUSE_S = 0.2
BUSY = frozenset({429, 502, 503, 504})
POLL_S = 0.5
ENDED_WITHIN_S = 600.0
"""How long an export or a regeneration is waited for."""

READ_AT_ONCE = 1 << 20
PATIENT = httpx.Timeout(30.0, connect=5.0, read=600.0)
"""For requests that the API reads a whole recording for."""


@dataclass(frozen=True)
class Ask:
    """A request. ``url`` is below the API's base, or whole; ``signed``: the URL is its own permission. ``content`` may
    be read piece by piece, and is each time that the request is sent."""

    method: str
    url: str
    json: Any = None
    params: Mapping[str, Any] = field(default_factory=dict)
    content: bytes | Callable[[], Iterator[bytes]] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: httpx.Timeout | None = None
    signed: bool = False


@dataclass(frozen=True)
class Pause:
    """Nothing, for so long."""

    seconds: float


Given = httpx.Response | httpx.TransportError | None
T = TypeVar("T")
Flow = Generator[Ask | Pause, Given, T]
"""What is yielded is done; what is sent in is the answer, or why there is none."""


def asked(ask: Ask) -> Flow[Any]:
    """The JSON of an answer; ``None`` where it has no body, or where what is to be deleted is gone by the second time
    that this is sent.

    Raises:
        ApiError: It was refused.
        Unreachable: It was sent :data:`TRIES` times, and not answered.
    """
    pause = FIRST_PAUSE_S
    perhaps_done = False
    for attempt in range(1, TRIES + 1):
        answer = yield ask
        if isinstance(answer, httpx.Response):
            if answer.status_code not in BUSY or attempt == TRIES:
                if ask.method == "DELETE" and answer.status_code == 404 and perhaps_done:
                    return None
                if answer.is_error:
                    raise ApiError.of(answer)
                return answer.json() if answer.content and "json" in answer.headers.get("content-type", "") else None
            pause = max(pause, _retry_after_s(answer))
            perhaps_done |= answer.status_code != 429
        elif attempt == TRIES:
            raise Unreachable("The API does not answer.") from answer
        else:
            perhaps_done = True
        yield Pause(pause)
        pause *= 2
    raise AssertionError("unreachable")


def _retry_after_s(answer: httpx.Response) -> float:
    said = answer.headers.get("retry-after", "")
    return float(said) if said.isdecimal() else 0.0


def route(method: str, path: str, body: Any, params: Mapping[str, Any]) -> Ask:
    """A request to any route. One that creates has a key, so that it creates once."""
    return Ask(method, path, json=body, params=params, headers=creation_key() if method.upper() == "POST" else {})


def creation_key() -> dict[str, str]:
    return {"Idempotency-Key": uuid4().hex}


def post(url: str, body: Any = None, *, timeout: httpx.Timeout | None = None) -> Ask:
    """A creation: however often it has to be sent, it creates once."""
    return Ask("POST", url, json=body, headers=creation_key(), timeout=timeout)


# --- jobs ----------------------------------------------------------------------------------------------------------


def get_job(job_id: str) -> Flow[Job]:
    return Job.model_validate((yield from asked(Ask("GET", f"jobs/{job_id}"))))


Shown = TypeVar("Shown", bound=BaseModel)


def page_of(
    url: str, shape: type[Shown], cursor: str | None, chosen: Mapping[str, Any]
) -> Flow[tuple[tuple[Shown, ...], str | None]]:
    """A page of any list."""
    given = {**chosen, "cursor": cursor, "limit": 100}
    page = yield from asked(Ask("GET", url, params={name: each for name, each in given.items() if each is not None}))
    return tuple(shape.model_validate(each) for each in page["items"]), page["next_cursor"]


def throw_away(job_id: str) -> Flow[BinnedGuide]:
    return BinnedGuide.model_validate((yield from asked(post(f"guides/{job_id}/bin"))))


def rename_guide(job_id: str, title: str) -> Flow[Guide]:
    return Guide.model_validate((yield from asked(Ask("PATCH", f"guides/{job_id}", json={"title": title}))))


def restore_guide(job_id: str) -> Flow[Job]:
    return Job.model_validate((yield from asked(post(f"guides/bin/{job_id}/restore"))))


def act_on_job(job_id: str, action: str) -> Flow[Job]:
    yield from asked(post(f"jobs/{job_id}/{action}"))
    return (yield from get_job(job_id))


def retry_job(job_id: str) -> Flow[Job]:
    yield from asked(post(f"jobs/{job_id}/retry", {"client_request_id": uuid4().hex}))
    return (yield from get_job(job_id))


def delete(url: str) -> Flow[None]:
    yield from asked(Ask("DELETE", url))


def project_named(name: str) -> Flow[Project]:
    """The caller's own project of that name; made, where there is none."""
    cursor: str | None = None
    while True:
        page = yield from asked(Ask("GET", "projects", params={"limit": 100} | ({"cursor": cursor} if cursor else {})))
        for each in page["items"]:
            if each["name"] == name and each.get("role", "owner") == "owner":
                return Project.model_validate(each)
        cursor = page["next_cursor"]
        if cursor is None:
            return Project.model_validate((yield from asked(post("projects", {"name": name}))))


def create_job(project: str | Project, language: str | None) -> Flow[Job]:
    """A job that waits for its recording, in that project, or the caller's own of that name."""
    home = project if isinstance(project, Project) else (yield from project_named(project))
    body = {"language": language} if language else {}
    return Job.model_validate((yield from asked(post(f"projects/{home.id}/jobs", body))))


# --- projects ------------------------------------------------------------------------------------------------------


def page_of_projects(cursor: str | None) -> Flow[tuple[tuple[Project, ...], str | None]]:
    page = yield from asked(Ask("GET", "projects", params={"limit": 100} | ({"cursor": cursor} if cursor else {})))
    return tuple(Project.model_validate(each) for each in page["items"]), page["next_cursor"]


def members(project_id: str) -> Flow[tuple[Member, ...]]:
    page = yield from asked(Ask("GET", f"projects/{project_id}/members"))
    return tuple(Member.model_validate(each) for each in page["items"])


def invite(project_id: str, role: str, email: str | None) -> Flow[Invitation]:
    made = yield from asked(post(f"projects/{project_id}/invitations", {"role": role, "email": email}))
    return Invitation.model_validate(made)


def brand(project_id: str) -> Flow[Brand]:
    return Brand.model_validate((yield from asked(Ask("GET", f"projects/{project_id}/brand"))))


def save_brand(project_id: str, chosen: Mapping[str, str | None]) -> Flow[Brand]:
    """What is named; the rest stays."""
    now = yield from brand(project_id)
    named = ("accent", "on_accent", "font", "header", "footer", "before", "closing", "numbering")
    body = {name: chosen.get(name, getattr(now, name)) for name in (*named, *chosen)}
    return Brand.model_validate((yield from asked(Ask("PUT", f"projects/{project_id}/brand", json=body))))


def save_logo(project_id: str, path: Path) -> Flow[Brand]:
    """Raises: OSError: The file cannot be read."""
    body = {"data": base64.b64encode(path.read_bytes()).decode()}
    return Brand.model_validate((yield from asked(Ask("PUT", f"projects/{project_id}/brand/logo", json=body))))


def accept_invitation(link: str) -> Flow[Project]:
    token = link.rstrip("/").rpartition("/")[2]
    return Project.model_validate((yield from asked(post("invitations/accept", {"token": token}))))


def instruction_id(instruction: Instruction | str) -> str:
    return instruction if isinstance(instruction, str) else instruction.instruction_id


def comment(instruction_id: str, block_id: str, text: str) -> Flow[Thread]:
    body = {"block_id": block_id, "text": text}
    return Thread.model_validate((yield from asked(post(f"instructions/{instruction_id}/comments", body))))


def reply(thread_id: str, text: str) -> Flow[Thread]:
    return Thread.model_validate((yield from asked(post(f"comment-threads/{thread_id}/comments", {"text": text}))))


def resolve(thread_id: str, resolved: bool) -> Flow[Thread]:
    settled = yield from asked(Ask("PUT", f"comment-threads/{thread_id}", json={"resolved": resolved}))
    return Thread.model_validate(settled)


def upload(job_id: str, path: Path, on_bytes: Callable[[int], None]) -> Flow[Job]:
    """Send a recording in parts, and have it checked; what has arrived before is not sent again.

    Args:
        on_bytes: Called with the bytes that have arrived so far.

    Raises:
        OSError: The file cannot be read.
    """
    size, digest = path.stat().st_size, _sha256(path)
    declared = {"size_bytes": size, "checksum_sha256": digest}
    session = yield from asked(post(f"jobs/{job_id}/upload", {"filename": path.name, **declared}))
    url, part_size = session["upload_url"], session["part_size"]
    arrived = yield from asked(Ask("GET", url, signed=True))
    received = set(arrived["received_parts"])
    with path.open("rb") as file:
        for number, at in enumerate(range(0, size, part_size), start=1):
            if number not in received:
                file.seek(at)
                part = file.read(part_size)
                yield from asked(Ask("PUT", url, params={"part": number}, content=part, timeout=PATIENT, signed=True))
            on_bytes(min(at + part_size, size))
    confirm = {"video_uri": session["video_uri"], **declared}
    yield from asked(post(f"jobs/{job_id}/confirm-upload", confirm, timeout=PATIENT))
    return (yield from get_job(job_id))


def _sha256(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while piece := file.read(READ_AT_ONCE):
            digest.update(piece)
    return digest.hexdigest()


def raise_if_failed(job: Job) -> Job:
    """Raises: JobFailed: the job ended with a failure."""
    if job.is_settled and job.failure is not None:
        raise JobFailed(job.id, job.failure.failure_code, job.failure.failure_message)
    return job


# --- documents -----------------------------------------------------------------------------------------------------


def get_instruction(instruction_id: str, version: int | None) -> Flow[Instruction]:
    params = {} if version is None else {"version": version}
    return Instruction.model_validate((yield from asked(Ask("GET", f"instructions/{instruction_id}", params=params))))


def save_instruction(instruction_id: str, base_version: int, markdown: str) -> Flow[Instruction]:
    body = {"base_version": base_version, "markdown": markdown}
    return Instruction.model_validate((yield from asked(Ask("PUT", f"instructions/{instruction_id}", json=body))))


def regenerate(instruction_id: str, base_version: int, block_id: str, context: str | None) -> Flow[Task]:
    """Have a block written again, and wait until it is. Raises: JobFailed."""
    body = {"base_version": base_version, "selection": {"block_id": block_id}, "client_request_id": uuid4().hex}
    task = yield from asked(post(f"instructions/{instruction_id}/regenerate", body | {"context": context}))
    return Task.model_validate((yield from _ended(task, f"tasks/{task['id']}")))


def translate(instruction_id: str, language: str, version: int | None) -> Flow[TranslationTask]:
    """Have an original translated, or its translation brought up to date, and wait until it is. Raises: JobFailed."""
    asked_id = {"client_request_id": uuid4().hex}
    known = {each.language.lower(): each for each in (yield from translations(instruction_id))}
    if (there := known.get(language.lower())) is not None and version is None:
        task = yield from asked(post(f"instructions/{there.instruction_id}/translation/update", asked_id))
    else:
        order = {**asked_id, "language": language, "version": version}
        task = yield from asked(post(f"instructions/{instruction_id}/translations", order))
    return TranslationTask.model_validate((yield from _ended(task, f"translation-tasks/{task['id']}")))


def translations(instruction_id: str) -> Flow[tuple[Translation, ...]]:
    listed = yield from asked(Ask("GET", f"instructions/{instruction_id}/translations"))
    return tuple(Translation.model_validate(each) for each in listed["items"])


def export(job_id: str, format: str, version_id: str | None) -> Flow[Export]:
    """Have a version exported, the newest where none is named, and wait until it is. Raises: JobFailed."""
    if version_id is None:
        job = yield from get_job(job_id)
        if job.instruction_id is None:
            raise JobFailed(job_id, "NO_INSTRUCTION", "The job has no instruction to export yet.")
        version_id = (yield from get_instruction(job.instruction_id, None)).instruction_version_id
    order = {"format": format, "instruction_version_id": version_id}
    asked_for = yield from asked(post(f"jobs/{job_id}/exports", order))
    return Export.model_validate((yield from _ended(asked_for, f"exports/{asked_for['id']}")))


def site_url(exports: Iterable[Export], title: str) -> str:
    """Where the static site of these exports is fetched: its pages are their guides."""
    return "guides/site.zip?" + urlencode({"export_ids": ",".join(each.id for each in exports), "title": title})


def _ended(row: Any, url: str) -> Flow[Any]:
    deadline = time.monotonic() + ENDED_WITHIN_S
    while row["status"] not in ("SUCCEEDED", "FAILED"):
        if time.monotonic() > deadline:
            raise Unreachable(f"It is {row['status']} after {ENDED_WITHIN_S:.0f} s. Ask for it again later.")
        yield Pause(POLL_S)
        row = yield from asked(Ask("GET", url))
    if row["failure"] is not None:
        raise JobFailed(row["id"], row["failure"]["failure_code"], row["failure"]["failure_message"])
    return row


# --- events --------------------------------------------------------------------------------------------------------


class EventLines:
    """Server-sent events out of a stream's lines (WHATWG HTML, 9.2). ``last`` is the newest event's id."""

    def __init__(self, after: str | None) -> None:
        self.last = after
        self._fields: dict[str, str] = {}

    def headers(self) -> dict[str, str]:
        return {"Last-Event-ID": self.last} if self.last else {}

    def feed(self, line: str) -> Iterator[Event]:
        """The event that the line completes, if it does. Comments and unknown fields are skipped."""
        if line:
            name, _, value = line.partition(":")
            if name in ("id", "event", "data"):
                value = value.removeprefix(" ")
                known = self._fields.get("data")
                self._fields[name] = f"{known}\n{value}" if name == "data" and known is not None else value
            return
        fields, self._fields = self._fields, {}
        if "data" in fields:
            self.last = fields.get("id") or self.last
            stream = fields.get("event", "message")
            yield Event.model_validate({**json.loads(fields["data"]), "id": self.last or "", "stream": stream})
