"""The blocking client."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from guidesmith.client import flows
from guidesmith.client.errors import ApiError, Unreachable
from guidesmith.client.flows import Ask, Flow, Given, T
from guidesmith.client.saving import appearing
from guidesmith.client.shapes import (
    BinnedGuide,
    Brand,
    Event,
    Export,
    FoundGuide,
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
from guidesmith.client.transport import BASE, PROJECT, STREAMED, TIMEOUT, authorisation


class Client:
    """One API, one caller. May be shared between threads.

    Args:
        base_url: ``https://guidesmith.example.org``.
        token: A bearer token.
        transport: Another way to send requests, for tests.
    """

    def __init__(self, base_url: str, token: str, *, transport: httpx.BaseTransport | None = None) -> None:
        self._authorisation = authorisation(token)
        self._http = httpx.Client(base_url=base_url.rstrip("/") + BASE, timeout=TIMEOUT, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def request(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        """Any route below ``/api/v1/``; answers its JSON. Raises: ApiError, Unreachable."""
        return self.send(flows.route(method, path, body, params))

    def send(self, ask: Ask) -> Any:
        """One request, as often as it has to be sent; answers its JSON. Raises: ApiError, Unreachable."""
        return self._run(flows.asked(ask))

    # --- jobs --------------------------------------------------------------------------------------------------

    def make(
        self,
        recording: str | Path,
        *,
        project: str | Project = PROJECT,
        language: str | None = None,
        on_event: Callable[[Event], None] = lambda _: None,
        on_bytes: Callable[[int], None] = lambda _: None,
    ) -> Job:
        """Send a recording, run its job, and wait for the draft of its document.

        Args:
            project: Its name, of one of yours; made, where there is none. Or one that you can make jobs in.
            language: What is spoken (``en``); ``None``: it is detected.

        Raises:
            JobFailed: It did. ApiError, Unreachable: The API said no, or nothing. OSError: The file cannot be read.
        """
        job = self.create_job(project=project, language=language)
        self.upload(job.id, recording, on_bytes=on_bytes)
        self.run(job.id)
        return self.wait(job.id, on_event=on_event)

    def create_job(self, *, project: str | Project = PROJECT, language: str | None = None) -> Job:
        """A job that waits for its recording."""
        return self._run(flows.create_job(project, language))

    def upload(self, job_id: str, recording: str | Path, *, on_bytes: Callable[[int], None] = lambda _: None) -> Job:
        """Send the job's recording; what has arrived before is not sent again."""
        return self._run(flows.upload(job_id, Path(recording), on_bytes))

    def run(self, job_id: str) -> Job:
        """Start the job, once, however often this is called."""
        return self._run(flows.act_on_job(job_id, "run"))

    def job(self, job_id: str) -> Job:
        return self._run(flows.get_job(job_id))

    def jobs(self, *, kind: str | None = None, status: str | None = None) -> Iterator[Job]:
        """Your jobs, newest first, page after page."""
        return self._listed("jobs", Job, kind=kind, status=status)

    def cancel(self, job_id: str) -> Job:
        return self._run(flows.act_on_job(job_id, "cancel"))

    def retry(self, job_id: str) -> Job:
        """Run a failed job again, from its latest checkpoint."""
        return self._run(flows.retry_job(job_id))

    def delete_job(self, job_id: str) -> None:
        """Erase the job with all that is its own."""
        self._run(flows.delete(f"jobs/{job_id}"))

    def delete_recording(self, job_id: str) -> None:
        """Erase its recording alone."""
        self._run(flows.delete(f"jobs/{job_id}/recording"))

    def follow(self, job_id: str, *, after: str | None = None) -> Iterator[Event]:
        """The job's log, from its beginning or ``after`` an event's id, then live, through broken connections, until
        nothing goes on by itself."""
        for event in self._log(job_id, after):
            if event is not None:
                yield event
            if (event is None or event.new_status) and self.job(job_id).is_settled:
                return

    def events(self, job_id: str, *, after: str | None = None) -> Iterator[Event]:
        """The job's log as :meth:`follow` has it, which never ends by itself."""
        return (event for event in self._log(job_id, after) if event is not None)

    def wait(self, job_id: str, *, on_event: Callable[[Event], None] = lambda _: None) -> Job:
        """The job, once nothing goes on by itself. Raises: JobFailed."""
        for event in self.follow(job_id):
            on_event(event)
        return flows.raise_if_failed(self.job(job_id))

    # --- projects ----------------------------------------------------------------------------------------------

    def projects(self) -> Iterator[Project]:
        """Your projects, and those that you are a member of, newest first."""
        cursor: str | None = None
        while True:
            page, cursor = self._run(flows.page_of_projects(cursor))
            yield from page
            if cursor is None:
                return

    def members(self, project: Project | str) -> tuple[Member, ...]:
        """Who is in a project: its owner first."""
        return self._run(flows.members(project if isinstance(project, str) else project.id))

    def invite(self, project: Project | str, role: str, *, email: str | None = None) -> Invitation:
        """Invite one person: who has its ``url``, or who signs in with that address."""
        project_id = project if isinstance(project, str) else project.id
        return self._run(flows.invite(project_id, role, email))

    def accept_invitation(self, url: str) -> Project:
        """Become a member of the project that the link leads to."""
        return self._run(flows.accept_invitation(url))

    def brand(self, project: Project | str) -> Brand:
        """How the guides of a project look."""
        return self._run(flows.brand(project if isinstance(project, str) else project.id))

    def save_brand(self, project: Project | str, **chosen: str | None) -> Brand:
        """Have its guides look so from now on: ``accent``, ``on_accent``, ``font``, ``header``, ``footer``, ``before``,
        ``closing``, ``numbering``. What is not named stays."""
        return self._run(flows.save_brand(project if isinstance(project, str) else project.id, chosen))

    def save_logo(self, project: Project | str, path: Path | str) -> Brand:
        """Give it a logo: PNG, JPEG or WebP."""
        project_id = project if isinstance(project, str) else project.id
        return self._run(flows.save_logo(project_id, Path(path)))

    def delete_logo(self, project: Project | str) -> None:
        """Take its logo away."""
        project_id = project if isinstance(project, str) else project.id
        self._run(flows.delete(f"projects/{project_id}/brand/logo"))

    # --- comments ----------------------------------------------------------------------------------------------

    def comments(self, instruction: Instruction | str, *, resolved: bool | None = None) -> Iterator[Thread]:
        """What is said about a guide's blocks, by threads, the newest first. ``resolved``: only those that are, or only
        those that are not."""
        url = f"instructions/{flows.instruction_id(instruction)}/comments"
        return self._listed(url, Thread, resolved=resolved)

    def comment(self, instruction: Instruction | str, block_id: str, text: str) -> Thread:
        """Say something about a block, in a thread of its own."""
        return self._run(flows.comment(flows.instruction_id(instruction), block_id, text))

    def reply(self, thread: Thread | str, text: str) -> Thread:
        """Say something in a thread. One that was resolved is open again."""
        return self._run(flows.reply(thread if isinstance(thread, str) else thread.id, text))

    def resolve(self, thread: Thread | str, *, resolved: bool = True) -> Thread:
        """Settle a thread, or open it again."""
        return self._run(flows.resolve(thread if isinstance(thread, str) else thread.id, resolved))

    # --- guides ------------------------------------------------------------------------------------------------

    def guides(self, *, sort: str | None = None, project_id: str | None = None) -> Iterator[Guide]:
        """Your guides, page after page. ``sort``: ``changed`` (as it is), ``made``, ``title``."""
        return self._listed("guides", Guide, sort=sort, project_id=project_id)

    def search_guides(self, words: str, *, project_id: str | None = None) -> Iterator[FoundGuide]:
        """Those that hold every word in their titles, steps, transcripts, or on their screens, and where."""
        return self._listed("guides/search", FoundGuide, q=words, project_id=project_id)

    def rename_guide(self, job_id: str, title: str) -> Guide:
        """Give its document another title, in a new version."""
        return self._run(flows.rename_guide(job_id, title))

    def throw_away(self, job_id: str) -> BinnedGuide:
        """Put a guide into the bin: for 30 days it can be restored."""
        return self._run(flows.throw_away(job_id))

    def bin(self) -> Iterator[BinnedGuide]:
        """What lies in it, the latest first, page after page."""
        return self._listed("guides/bin", BinnedGuide)

    def restore_guide(self, job_id: str) -> Job:
        """Take a guide out of the bin, with all that is its own."""
        return self._run(flows.restore_guide(job_id))

    # --- documents ---------------------------------------------------------------------------------------------

    def instruction(self, instruction_id: str, version: int | None = None) -> Instruction:
        """The document: this version, or the newest."""
        return self._run(flows.get_instruction(instruction_id, version))

    def save(self, instruction: Instruction, markdown: str) -> Instruction:
        """Store an edit of that version as the next one. Raises: ApiError: ``VERSION_CONFLICT``: it is not the newest
        any more."""
        return self._run(flows.save_instruction(instruction.instruction_id, instruction.version, markdown))

    def regenerate(self, instruction: Instruction, block_id: str, context: str | None = None) -> Task:
        """Have a block written again, and wait until it is. Raises: JobFailed."""
        return self._run(flows.regenerate(instruction.instruction_id, instruction.version, block_id, context))

    def translate(self, instruction: Instruction, language: str, *, version: int | None = None) -> TranslationTask:
        """Have the newest version, or this one, translated, and wait until it is. Where there is a translation into the
        language, what is behind in it is translated. Raises: JobFailed."""
        return self._run(flows.translate(instruction.instruction_id, language, version))

    def translations(self, instruction: Instruction) -> tuple[Translation, ...]:
        """The translations of a document, and which steps of each are behind: in numbers."""
        return self._run(flows.translations(instruction.instruction_id))

    def export(self, job: Job | str, format: str = "PDF", *, version_id: str | None = None) -> Export:
        """Export the newest version, or this one, and wait until it is done. Raises: JobFailed."""
        return self._run(flows.export(job if isinstance(job, str) else job.id, format, version_id))

    def download(self, export: Export, path: str | Path) -> Path:
        """Save an export's file as ``path``, which appears whole or not at all. A file that is there is replaced."""
        if export.download_url is None:
            raise Unreachable("The export has no file: it has not succeeded.")
        return self.fetch(export.download_url, path)

    def download_site(self, exports: Iterable[Export], path: str | Path, *, title: str = "Guides") -> Path:
        """Save the static site of these exports, each of format ``SITE``, as the ZIP ``path``; see :meth:`download`."""
        return self.fetch(flows.site_url(exports, title), path)

    def fetch(self, url: str, path: str | Path) -> Path:
        """Save what an address, or a route below ``/api/v1/``, answers as ``path``; see :meth:`download`."""
        target = Path(path)
        with appearing(target) as file, self._answer(url) as answer:
            if answer.is_error:
                answer.read()
                raise ApiError.of(answer)
            for piece in answer.iter_bytes():
                file.write(piece)
        return target

    # --- how ---------------------------------------------------------------------------------------------------

    def _listed(self, url: str, shape: type[flows.Shown], **chosen: Any) -> Iterator[flows.Shown]:
        cursor: str | None = None
        while True:
            page, cursor = self._run(flows.page_of(url, shape, cursor, chosen))
            yield from page
            if cursor is None:
                return

    def _answer(self, url: str) -> AbstractContextManager[httpx.Response]:
        if "://" in url:  # it is its own permission
            return httpx.stream("GET", url, timeout=TIMEOUT, follow_redirects=True)
        return self._http.stream("GET", url, headers=self._authorisation, timeout=flows.PATIENT)

    def _log(self, job_id: str, after: str | None) -> Iterator[Event | None]:
        """The job's log through broken connections; ``None`` for each sign of life between two events."""
        lines, failures = flows.EventLines(after), 0
        while True:
            try:
                for event in self._stream(job_id, lines):
                    failures = 0
                    yield event
            except httpx.TransportError as broken:
                failures += 1
                if failures > flows.TRIES:
                    raise Unreachable("The API does not answer any more. The job may still be running.") from broken
            yield None
            time.sleep(flows.FIRST_PAUSE_S * 2**failures)

    def _stream(self, job_id: str, lines: flows.EventLines) -> Iterator[Event | None]:
        headers = {**self._authorisation, **lines.headers()}
        with self._http.stream("GET", f"jobs/{job_id}/events", headers=headers, timeout=STREAMED) as answer:
            if answer.status_code in flows.BUSY:
                raise httpx.ReadError("busy")
            if answer.is_error:
                answer.read()
                raise ApiError.of(answer)
            for line in answer.iter_lines():
                yield from lines.feed(line)
                if line.startswith(":"):
                    yield None

    def _run(self, flow: Flow[T]) -> T:
        given: Given = None
        while True:
            try:
                step = flow.send(given)
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]
            if isinstance(step, Ask):
                given = self._sent(step)
            else:
                time.sleep(step.seconds)
                given = None

    def _sent(self, ask: Ask) -> Given:
        try:
            return self._http.request(
                ask.method,
                ask.url,
                json=ask.json,
                params=ask.params or None,
                content=ask.content() if callable(ask.content) else ask.content,
                headers={**({} if ask.signed else self._authorisation), **ask.headers},
                timeout=ask.timeout or TIMEOUT,
            )
        except httpx.TransportError as broken:
            return broken
