"""The asynchronous client: :class:`guidesmith.client.Client` with coroutines."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
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


class AsyncClient:
    """As :class:`guidesmith.client.Client`, in one event loop."""

    def __init__(self, base_url: str, token: str, *, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._authorisation = authorisation(token)
        self._http = httpx.AsyncClient(base_url=base_url.rstrip("/") + BASE, timeout=TIMEOUT, transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def request(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        return await self.send(flows.route(method, path, body, params))

    async def send(self, ask: Ask) -> Any:
        return await self._run(flows.asked(ask))

    # --- jobs --------------------------------------------------------------------------------------------------

    async def make(
        self,
        recording: str | Path,
        *,
        project: str | Project = PROJECT,
        language: str | None = None,
        on_event: Callable[[Event], None] = lambda _: None,
        on_bytes: Callable[[int], None] = lambda _: None,
    ) -> Job:
        job = await self.create_job(project=project, language=language)
        await self.upload(job.id, recording, on_bytes=on_bytes)
        await self.run(job.id)
        return await self.wait(job.id, on_event=on_event)

    async def create_job(self, *, project: str | Project = PROJECT, language: str | None = None) -> Job:
        return await self._run(flows.create_job(project, language))

    async def upload(
        self, job_id: str, recording: str | Path, *, on_bytes: Callable[[int], None] = lambda _: None
    ) -> Job:
        return await self._run(flows.upload(job_id, Path(recording), on_bytes))

    async def run(self, job_id: str) -> Job:
        return await self._run(flows.act_on_job(job_id, "run"))

    async def job(self, job_id: str) -> Job:
        return await self._run(flows.get_job(job_id))

    async def jobs(self, *, kind: str | None = None, status: str | None = None) -> AsyncIterator[Job]:
        async for each in self._listed("jobs", Job, kind=kind, status=status):
            yield each

    async def cancel(self, job_id: str) -> Job:
        return await self._run(flows.act_on_job(job_id, "cancel"))

    async def retry(self, job_id: str) -> Job:
        return await self._run(flows.retry_job(job_id))

    async def delete_job(self, job_id: str) -> None:
        await self._run(flows.delete(f"jobs/{job_id}"))

    async def delete_recording(self, job_id: str) -> None:
        await self._run(flows.delete(f"jobs/{job_id}/recording"))

    async def follow(self, job_id: str, *, after: str | None = None) -> AsyncIterator[Event]:
        async for event in self._log(job_id, after):
            if event is not None:
                yield event
            if (event is None or event.new_status) and (await self.job(job_id)).is_settled:
                return

    async def events(self, job_id: str, *, after: str | None = None) -> AsyncIterator[Event]:
        async for event in self._log(job_id, after):
            if event is not None:
                yield event

    async def wait(self, job_id: str, *, on_event: Callable[[Event], None] = lambda _: None) -> Job:
        async for event in self.follow(job_id):
            on_event(event)
        return flows.raise_if_failed(await self.job(job_id))

    # --- projects ----------------------------------------------------------------------------------------------

    async def projects(self) -> AsyncIterator[Project]:
        cursor: str | None = None
        while True:
            page, cursor = await self._run(flows.page_of_projects(cursor))
            for each in page:
                yield each
            if cursor is None:
                return

    async def members(self, project: Project | str) -> tuple[Member, ...]:
        return await self._run(flows.members(project if isinstance(project, str) else project.id))

    async def invite(self, project: Project | str, role: str, *, email: str | None = None) -> Invitation:
        project_id = project if isinstance(project, str) else project.id
        return await self._run(flows.invite(project_id, role, email))

    async def accept_invitation(self, url: str) -> Project:
        return await self._run(flows.accept_invitation(url))

    async def brand(self, project: Project | str) -> Brand:
        return await self._run(flows.brand(project if isinstance(project, str) else project.id))

    async def save_brand(self, project: Project | str, **chosen: str | None) -> Brand:
        return await self._run(flows.save_brand(project if isinstance(project, str) else project.id, chosen))

    async def save_logo(self, project: Project | str, path: Path | str) -> Brand:
        project_id = project if isinstance(project, str) else project.id
        return await self._run(flows.save_logo(project_id, Path(path)))

    async def delete_logo(self, project: Project | str) -> None:
        project_id = project if isinstance(project, str) else project.id
        await self._run(flows.delete(f"projects/{project_id}/brand/logo"))

    # --- comments ----------------------------------------------------------------------------------------------

    async def comments(self, instruction: Instruction | str, *, resolved: bool | None = None) -> AsyncIterator[Thread]:
        url = f"instructions/{flows.instruction_id(instruction)}/comments"
        async for each in self._listed(url, Thread, resolved=resolved):
            yield each

    async def comment(self, instruction: Instruction | str, block_id: str, text: str) -> Thread:
        return await self._run(flows.comment(flows.instruction_id(instruction), block_id, text))

    async def reply(self, thread: Thread | str, text: str) -> Thread:
        return await self._run(flows.reply(thread if isinstance(thread, str) else thread.id, text))

    async def resolve(self, thread: Thread | str, *, resolved: bool = True) -> Thread:
        return await self._run(flows.resolve(thread if isinstance(thread, str) else thread.id, resolved))

    # --- guides ------------------------------------------------------------------------------------------------

    async def guides(self, *, sort: str | None = None, project_id: str | None = None) -> AsyncIterator[Guide]:
        async for each in self._listed("guides", Guide, sort=sort, project_id=project_id):
            yield each

    async def search_guides(self, words: str, *, project_id: str | None = None) -> AsyncIterator[FoundGuide]:
        async for each in self._listed("guides/search", FoundGuide, q=words, project_id=project_id):
            yield each

    async def rename_guide(self, job_id: str, title: str) -> Guide:
        return await self._run(flows.rename_guide(job_id, title))

    async def throw_away(self, job_id: str) -> BinnedGuide:
        return await self._run(flows.throw_away(job_id))

    async def bin(self) -> AsyncIterator[BinnedGuide]:
        async for each in self._listed("guides/bin", BinnedGuide):
            yield each

    async def restore_guide(self, job_id: str) -> Job:
        return await self._run(flows.restore_guide(job_id))

    # --- documents ---------------------------------------------------------------------------------------------

    async def instruction(self, instruction_id: str, version: int | None = None) -> Instruction:
        return await self._run(flows.get_instruction(instruction_id, version))

    async def save(self, instruction: Instruction, markdown: str) -> Instruction:
        return await self._run(flows.save_instruction(instruction.instruction_id, instruction.version, markdown))

    async def regenerate(self, instruction: Instruction, block_id: str, context: str | None = None) -> Task:
        return await self._run(flows.regenerate(instruction.instruction_id, instruction.version, block_id, context))

    async def translate(
        self, instruction: Instruction, language: str, *, version: int | None = None
    ) -> TranslationTask:
        return await self._run(flows.translate(instruction.instruction_id, language, version))

    async def translations(self, instruction: Instruction) -> tuple[Translation, ...]:
        return await self._run(flows.translations(instruction.instruction_id))

    async def export(self, job: Job | str, format: str = "PDF", *, version_id: str | None = None) -> Export:
        return await self._run(flows.export(job if isinstance(job, str) else job.id, format, version_id))

    async def download(self, export: Export, path: str | Path) -> Path:
        """As :meth:`Client.download`: a file that is there is replaced."""
        if export.download_url is None:
            raise Unreachable("The export has no file: it has not succeeded.")
        return await self.fetch(export.download_url, path)

    async def download_site(self, exports: Iterable[Export], path: str | Path, *, title: str = "Guides") -> Path:
        return await self.fetch(flows.site_url(exports, title), path)

    async def fetch(self, url: str, path: str | Path) -> Path:
        target = Path(path)
        with appearing(target) as file:
            async with self._answer(url) as answer:
                if answer.is_error:
                    await answer.aread()
                    raise ApiError.of(answer)
                async for piece in answer.aiter_bytes():
                    file.write(piece)
        return target

    # --- how ---------------------------------------------------------------------------------------------------

    async def _listed(self, url: str, shape: type[flows.Shown], **chosen: Any) -> AsyncIterator[flows.Shown]:
        cursor: str | None = None
        while True:
            page, cursor = await self._run(flows.page_of(url, shape, cursor, chosen))
            for each in page:
                yield each
            if cursor is None:
                return

    @asynccontextmanager
    async def _answer(self, url: str) -> AsyncIterator[httpx.Response]:
        if "://" in url:  # it is its own permission
            async with (
                httpx.AsyncClient(timeout=TIMEOUT, follow_redirects=True) as files,
                files.stream("GET", url) as answer,
            ):
                yield answer
        else:
            async with self._http.stream("GET", url, headers=self._authorisation, timeout=flows.PATIENT) as answer:
                yield answer

    async def _log(self, job_id: str, after: str | None) -> AsyncIterator[Event | None]:
        lines, failures = flows.EventLines(after), 0
        while True:
            try:
                async for event in self._stream(job_id, lines):
                    failures = 0
                    yield event
            except httpx.TransportError as broken:
                failures += 1
                if failures > flows.TRIES:
                    raise Unreachable("The API does not answer any more. The job may still be running.") from broken
            yield None
            await asyncio.sleep(flows.FIRST_PAUSE_S * 2**failures)

    async def _stream(self, job_id: str, lines: flows.EventLines) -> AsyncIterator[Event | None]:
        headers = {**self._authorisation, **lines.headers()}
        async with self._http.stream("GET", f"jobs/{job_id}/events", headers=headers, timeout=STREAMED) as answer:
            if answer.status_code in flows.BUSY:
                raise httpx.ReadError("busy")
            if answer.is_error:
                await answer.aread()
                raise ApiError.of(answer)
            async for line in answer.aiter_lines():
                for event in lines.feed(line):
                    yield event
                if line.startswith(":"):
                    yield None

    async def _run(self, flow: Flow[T]) -> T:
        given: Given = None
        while True:
            try:
                step = flow.send(given)
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]
            if isinstance(step, Ask):
                given = await self._sent(step)
            else:
                await asyncio.sleep(step.seconds)
                given = None

    async def _sent(self, ask: Ask) -> Given:
        try:
            return await self._http.request(
                ask.method,
                ask.url,
                json=ask.json,
                params=ask.params or None,
                content=_pieces(ask.content) if callable(ask.content) else ask.content,
                headers={**({} if ask.signed else self._authorisation), **ask.headers},
                timeout=ask.timeout or TIMEOUT,
            )
        except httpx.TransportError as broken:
            return broken


async def _pieces(content: Callable[[], Iterator[bytes]]) -> AsyncIterator[bytes]:
    for piece in content():
        yield piece
