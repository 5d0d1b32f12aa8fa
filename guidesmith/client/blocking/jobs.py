"""Jobs of the blocking client."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx

from guidesmith.client.blocking.calls import Calls
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
        self._run(asking.delete(f"jobs/{job_id}"))

    def delete_recording(self, job_id: str) -> None:
        """Erase its recording alone."""
        self._run(asking.delete(f"jobs/{job_id}/recording"))

    def move_job(self, job_id: str, project: Project | str) -> Job:
        """Put a job into another project of yours: that one's members see it from now on, and no others."""
        return self._run(flows.move_job(job_id, asking.id_of(project)))

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

    def _log(self, job_id: str, after: str | None) -> Iterator[Event | None]:
        """The job's log through broken connections; ``None`` for each sign of life between two events."""
        lines, failures = EventLines(after), 0
        while True:
            try:
                for event in self._stream(job_id, lines):
                    failures = 0
                    yield event
            except httpx.TransportError as broken:
                failures += 1
                if failures > asking.TRIES:
                    raise Unreachable("The API does not answer any more. The job may still be running.") from broken
            yield None
            time.sleep(asking.FIRST_PAUSE_S * 2**failures)

    def _stream(self, job_id: str, lines: EventLines) -> Iterator[Event | None]:
        headers = {**self._authorisation, **lines.headers()}
        with self._http.stream("GET", f"jobs/{job_id}/events", headers=headers, timeout=STREAMED) as answer:
            if answer.status_code in asking.BUSY:
                raise httpx.ReadError("busy")
            if answer.is_error:
                answer.read()
                raise ApiError.of(answer)
            for line in answer.iter_lines():
                yield from lines.feed(line)
                if line.startswith(":"):
                    yield None
