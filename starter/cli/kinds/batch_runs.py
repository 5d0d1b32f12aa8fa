"""What ``guidesmith batch`` does: recordings go up, a batch is asked for and watched, and what it makes is saved."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from domain.lifecycles.batch import BATCH, FAILED, PARTIAL, BatchStatus
from domain.orders.batch import file_name
from starter.cli.client import Client, Json
from starter.cli.connection import connected
from starter.cli.exits import JobFailed, UsageWrong
from starter.cli.flows import say_addresses, stay_up
from starter.cli.making import PROJECT, printable_name
from starter.cli.memory import recording_sha256
from starter.cli.printing import print_json, print_listed, print_table
from starter.cli.views import View, shown
from starter.local.sample import sample_recording

POLL_S = 0.2

PAGE = 100
"""Assets whose links are asked for at once: they hold for minutes, and a batch may have made thousands."""

ORDERS: dict[str, Json] = {
    "clips": {"ranges": [{"start_ms": 0, "end_ms": 10_000}, {"start_ms": 10_000, "end_ms": 20_000}]},
    "thumbnails": {"stills": 12},
}
"""What the demo asks for, by type of job."""


@dataclass
class Batches:
    """Batches on one API, with progress in ``view``."""

    client: Client
    view: View

    def source(self, given: str) -> str:
        """The job that ``given`` means: its id, or that of a new one which has the file.

        Raises:
            UsageWrong: The file cannot be read.
        """
        path = Path(given)
        return self._uploaded(path) if path.is_file() else given

    def ask(self, job_type: str, sources: Sequence[str], **parameters: Any) -> Json:
        """A new batch."""
        inputs = [{"job_id": each} for each in sources]
        return self.client.post("jobs", {"job_type": job_type, "parameters": {"inputs": inputs, **parameters}})

    def ended(self, job_id: str, title: str) -> Json:
        """The batch, once it has ended, however that is.

        Raises:
            UsageWrong: The job is no batch.
        """
        while True:
            job = self.client.get(f"jobs/{job_id}")
            if job["kind"] != BATCH.kind:
                raise UsageWrong(f"Job {job_id} is no batch. `guidesmith jobs watch` follows it.")
            if BATCH.is_terminal(BatchStatus(job["status"])):
                self.view.step(job_id, title, 1.0)
                return job
            self.view.step(job_id, title, min(job["progress"] / 100, 0.99))
            time.sleep(POLL_S)

    def saved(self, job: Json, out: Path) -> Json:
        """Save what an ended batch made in ``out``; answers what became of it, and where its files are."""
        title = "Saving the files"
        errors: list[Json] = []
        files: list[Json] = []
        for page in self._pages(job["id"]):
            errors += page["errors"]
            for asset in page["items"]:
                path = out / file_name(asset["name"], asset["item"], asset["at_ms"], asset["mime_type"])
                size = self.client.download(asset["url"], path)
                files.append({"path": printable_name(str(path)), "size_bytes": size, "item": asset["item"]})
                self.view.step(f"save-{job['id']}", title, 0.0)
        if files:
            self.view.step(f"save-{job['id']}", title, 1.0)
        return {"job_id": job["id"], "status": job["status"], "files": files[::-1], "errors": errors}

    def _pages(self, job_id: str) -> Iterator[Json]:
        cursor: str | None = None
        while True:
            page = self.client.get(f"jobs/{job_id}/assets", limit=PAGE, cursor=cursor)
            yield page
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def _project(self) -> str:
        listed = self.client.listed("projects", limit=100)
        found = (each for each in listed if each["name"] == PROJECT and each["role"] == "owner")
        return str((next(found, None) or self.client.post("projects", {"name": PROJECT}))["id"])

    def _uploaded(self, recording: Path) -> str:
        """The id of a new job that has the recording."""
        try:
            size = recording.stat().st_size
            sha256 = recording_sha256(recording, lambda _: None)
        except OSError as broken:
            raise UsageWrong(f"The recording cannot be read: {broken.strerror}.") from broken
        job_id = str(self.client.post(f"projects/{self._project()}/jobs")["id"])
        facts: Json = {"size_bytes": size, "checksum_sha256": sha256}
        name = printable_name(recording.name)
        session = self.client.post(f"jobs/{job_id}/upload", {"filename": name, **facts})
        key, title = f"upload-{job_id}", f"Uploading {name}"
        self.client.upload(recording, session, lambda done: self.view.step(key, title, 0.99 * done / max(size, 1)))
        self.client.confirm_upload(job_id, {"video_uri": session["video_uri"], **facts})
        self.view.step(key, title, 1.0)
        return job_id


def folder_of(out: Path) -> Path:
    """``out``, made where it is not there. Raises: UsageWrong: it cannot be."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as broken:
        raise UsageWrong(f"The output folder cannot be made: {broken.strerror}.") from broken
    return out


def made(
    job_type: str, given: Sequence[str], out: Path | None, *, as_json: bool, data_dir: Path | None, **parameters: Any
) -> Json:
    """Ask for a batch; with ``out`` also watch it, and save there what it makes.

    Raises:
        JobFailed: It made nothing.
        Refused, Unreachable: The API said no, or nothing.
        UsageWrong: A file cannot be read, or written there.
    """
    folder = folder_of(out) if out is not None else None
    start = folder is not None  # what nobody waits for needs a stack that stays
    with shown(as_json=as_json) as view, connected(data_dir, start=start) as at, Client(at) as client:
        batches = Batches(client, view)
        job = batches.ask(job_type, [batches.source(each) for each in given], **parameters)
        if folder is None:
            return _told(job, as_json=as_json)
        return _finished(batches, job["id"], f"Making {job_type}", folder, as_json=as_json)


def watched(job_id: str, out: Path | None, *, as_json: bool, data_dir: Path | None) -> Json:
    """Follow a batch to its end; with ``out`` save there what it made. Raises: as :func:`made`."""
    folder = folder_of(out) if out is not None else None
    with shown(as_json=as_json) as view, connected(data_dir, start=False) as connection, Client(connection) as client:
        return _finished(Batches(client, view), job_id, "Working on the batch", folder, as_json=as_json)


def demonstrated(out: Path, *, keep: bool, as_json: bool, data_dir: Path | None) -> None:
    """Upload the sample recording, have each of ``ORDERS`` made of it, and save the files in ``out``.

    Raises:
        JobFailed: A batch made nothing.
        Refused, Unreachable: The API said no, or nothing.
        UsageWrong: There is no recording, or the files cannot be written there.
    """
    recording = sample_recording()
    folder = folder_of(out)
    with shown(as_json=as_json) as view, connected(data_dir, start=True) as connection, Client(connection) as client:
        batches = Batches(client, view)
        source = batches.source(str(recording))
        asked = {name: batches.ask(name, [source], **parameters) for name, parameters in ORDERS.items()}
        results = [
            batches.saved(_not_failed(batches.ended(job["id"], f"Making {name}")), folder)
            for name, job in asked.items()
        ]
        if as_json:
            print_json({"source_job_id": source, "batches": results})
        else:
            _print_files([file for result in results for file in result["files"]])
        if keep:
            say_addresses(connection, view)
            stay_up(view)


def _finished(batches: Batches, job_id: str, title: str, folder: Path | None, *, as_json: bool) -> Json:
    try:
        job = batches.ended(job_id, title)
    except KeyboardInterrupt:
        batches.view.say(f"The batch goes on: `guidesmith batch watch {job_id} -o OUT` saves what it makes.")
        raise
    if folder is None:
        return _told(_not_failed(job), as_json=as_json)
    result = batches.saved(job, folder)
    if as_json:
        print_json(result)
    else:
        for each in result["errors"]:
            batches.view.say(f"Item {each['item']} failed: {each['code']}: {each['message']}")
        _print_files(result["files"])
    return result


def _told(job: Json, *, as_json: bool) -> Json:
    print_listed(
        job, ("BATCH", job["id"]), (("status", job["status"]), ("progress", f"{job['progress']} %")), as_json=as_json
    )
    return job


def _print_files(files: Sequence[Json]) -> None:
    print_table(("FILE", "BYTES"), ((each["path"], each["size_bytes"]) for each in files))


def _not_failed(job: Json) -> Json:
    """Raises: JobFailed: the batch made nothing at all."""
    if job["status"] == FAILED:
        failure = job["failure"]
        raise JobFailed(failure["failure_code"], failure["failure_message"], job_id=job["id"])
    return job


def is_whole(job: Json) -> bool:
    """Whether every item of a batch that is known so far has been done."""
    return job["status"] not in (PARTIAL, FAILED)
