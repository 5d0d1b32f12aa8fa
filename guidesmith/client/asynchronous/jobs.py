"""Jobs of the asynchronous client."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx

from guidesmith.client.asynchronous.calls import Calls
from guidesmith.client.errors import ApiError, Unreachable
from guidesmith.client.flows import asking
from guidesmith.client.flows import jobs as flows
from guidesmith.client.flows.events import EventLines
from guidesmith.client.shapes import (
    Event,
    Job,
    Project,
)
from guidesmith.client.transport import PROJECT, STREAMED


class Jobs(Calls):
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
        await self._run(asking.delete(f"jobs/{job_id}"))

    async def delete_recording(self, job_id: str) -> None:
        await self._run(asking.delete(f"jobs/{job_id}/recording"))

    async def move_job(self, job_id: str, project: Project | str) -> Job:
        return await self._run(flows.move_job(job_id, asking.id_of(project)))

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

    async def _log(self, job_id: str, after: str | None) -> AsyncIterator[Event | None]:
        lines, failures = EventLines(after), 0
        while True:
            try:
                async for event in self._stream(job_id, lines):
                    failures = 0
                    yield event
            except httpx.TransportError as broken:
                failures += 1
                if failures > asking.TRIES:
                    raise Unreachable("The API does not answer any more. The job may still be running.") from broken
            yield None
            await asyncio.sleep(asking.FIRST_PAUSE_S * 2**failures)

    async def _stream(self, job_id: str, lines: EventLines) -> AsyncIterator[Event | None]:
        headers = {**self._authorisation, **lines.headers()}
        async with self._http.stream("GET", f"jobs/{job_id}/events", headers=headers, timeout=STREAMED) as answer:
            if answer.status_code in asking.BUSY:
                raise httpx.ReadError("busy")
            if answer.is_error:
                await answer.aread()
                raise ApiError.of(answer)
            async for line in answer.aiter_lines():
                for event in lines.feed(line):
                    yield event
                if line.startswith(":"):
                    yield None
