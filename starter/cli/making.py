"""``guidesmith make``: a recording in, the exported instruction out, whatever happened before."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from domain.documents.publication import FILM_FORMATS, ExportFormat
from domain.lifecycles.instruction import CANCELLED, CREATED, DONE, DRAFT_READY, EDITING, EXPORTING, FAILED, UPLOADING
from starter.cli.client import Client, Json, Refused
from starter.cli.exits import JobFailed, UsageWrong
from starter.cli.memory import Memory, recording_sha256
from starter.cli.stages import PIPELINE, TITLES, Pipeline, is_settled
from starter.cli.views import View

PROJECT = "Recordings"
"""The project that ``make`` keeps its jobs in."""

FORMATS: Mapping[str, tuple[ExportFormat, str]] = {
    "pdf": (ExportFormat.PDF, ".pdf"),
    "md": (ExportFormat.MD_ZIP, ".zip"),
    "docx": (ExportFormat.DOCX, ".docx"),
    "html": (ExportFormat.HTML, ".html"),
    "srt": (ExportFormat.SRT, ".srt"),
    "vtt": (ExportFormat.VTT, ".vtt"),
    "mp4-voice": (ExportFormat.MP4_VOICE, "-voice.mp4"),
    "mp4": (ExportFormat.MP4, ".mp4"),
}
"""What ``--format`` takes: the API's name for it, and the file's suffix. ``md`` is a zip with the pictures inside."""

POLL_S = 0.15
EXPORT_TIMEOUT_S = 600.0
FILM_TIMEOUT_S = 6 * 3600.0
"""What the worker may take for one: a video takes about as long as it plays."""
CANCEL_TIMEOUT_S = 20.0
DONE_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class Target:
    """Where the exports go: one file for each format."""

    files: Mapping[str, Path]

    @classmethod
    def of(cls, out: Path, formats: str | None, stem: str) -> "Target":
        """``out`` is a folder, or, with a single format and that format's suffix, the file itself.

        Raises:
            UsageWrong: An unknown format, or a suffix that does not fit.
        """
        by_suffix = {suffix: name for name, (_, suffix) in FORMATS.items()}
        single = by_suffix.get(out.suffix.lower()) if not out.is_dir() else None
        names = [each.strip().lower() for each in formats.split(",")] if formats else [single or "pdf"]
        unknown = [each for each in names if each not in FORMATS]
        if unknown:
            raise UsageWrong(f"Unknown format {', '.join(unknown)[:60]!r}. There are: {', '.join(FORMATS)}.")
        if single is None:
            return cls({name: out / f"{stem}{FORMATS[name][1]}" for name in dict.fromkeys(names)})
        if names != [single]:
            raise UsageWrong(f"--out names one {single} file, --format asks for {', '.join(names)}. Name a folder.")
        return cls({single: out})

    def prepare(self) -> None:
        """Raises: UsageWrong: the files cannot be written there."""
        for path in self.files.values():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as broken:
                raise UsageWrong(f"The output folder cannot be made: {broken.strerror}.") from broken


@dataclass
class Making:
    """One run of the command. ``job_id`` is known as soon as there is a job, so that a Ctrl-C can cancel it."""

    client: Client
    memory: Memory
    view: View
    job_id: str | None = None
    warnings: list[str] = field(default_factory=list)

    def make(
        self,
        recording: Path,
        target: Target,
        *,
        language: str | None = None,
        fresh: bool = False,
        private: Sequence[str] | None = None,
    ) -> Json:
        """Run the job to its document and save the exports; what has been done before is not done again.

        Args:
            fresh: Make a new job even when the recording has one.
            private: Blur what is private on the pictures before they are exported, and these words; ``None``: do not.

        Returns:
            What happened: job, status, files.

        Raises:
            JobFailed: The job failed, now.
            Refused, Unreachable: The API said no, or nothing.
            UsageWrong: The recording cannot be read, or the files cannot be written.
        """
        if not recording.is_file():  # a pipe or a device may never end, and cannot be read twice
            raise UsageWrong("The recording is not a regular file. Save it as one first.")
        target.prepare()
        size = max(recording.stat().st_size, 1)
        sha256 = recording_sha256(recording, lambda done: self.view.step("read", "Reading the recording", done / size))
        self.view.step("read", "Reading the recording", 1.0)
        job, resumed = self._job(sha256, language, fresh)
        self._bring_to_document(job, recording, sha256)
        redacted = None if private is None else self._redact(private)
        files = self._export(target)
        job = self._after_export()
        return {
            "job_id": job["id"],
            "status": job["status"],
            "instruction_id": job["instruction_id"],
            "recording_sha256": sha256,
            "resumed": resumed,
            "files": files,
            "warnings": self.warnings,
            **({} if redacted is None else {"redacted": redacted}),
        }

    def cancel(self) -> bool:
        """Cancel the job and wait until it says so. False: there was none, or it had ended."""
        if self.job_id is None:
            return False
        try:
            job = self.client.post(f"jobs/{self.job_id}/cancel")
        except Refused:
            return False
        deadline = time.monotonic() + CANCEL_TIMEOUT_S
        while job["status"] != CANCELLED and time.monotonic() < deadline:
            time.sleep(POLL_S)
            job = self.client.get(f"jobs/{self.job_id}")
        return bool(job["status"] == CANCELLED)

    # --- the job -------------------------------------------------------------------------------------------------

    def _job(self, sha256: str, language: str | None, fresh: bool) -> tuple[Json, bool]:
        """The recording's job, and whether it had one that can go on."""
        known = None if fresh else self._known_job(sha256, language)
        if known is not None and known["status"] != CANCELLED:
            self.job_id = known["id"]
            return known, True
        body = {"language": language} if language else {}
        job = self.client.post(f"projects/{self._project()}/jobs", body)
        self.job_id = job["id"]
        self.memory.note(sha256, language, job["id"])
        return job, False

    def _known_job(self, sha256: str, language: str | None) -> Json | None:
        noted = self.memory.job_of(sha256, language)
        if noted is None:
            return None
        try:
            return self.client.get(f"jobs/{noted}")
        except Refused as refused:
            if refused.code == "RESOURCE_NOT_FOUND":  # another database by now
                return None
            raise

    def _project(self) -> str:
        listed = self.client.listed("projects", limit=100)
        found = (each for each in listed if each["name"] == PROJECT and each["role"] == "owner")
        project = next(found, None) or self.client.post("projects", {"name": PROJECT})
        return str(project["id"])

    def _bring_to_document(self, job: Json, recording: Path, sha256: str) -> None:
        if job["status"] in (CREATED, UPLOADING):
            self._upload(recording, sha256)
            job = self.client.get(f"jobs/{self.job_id}")
        if job["status"] != FAILED and is_settled(job["status"]):
            return
        self._start(job)
        ended = self.watch()
        if ended["status"] == FAILED:
            raise self._failed(ended["failure"])
        if ended["status"] == CANCELLED:
            raise JobFailed(
                "CANCELLED",
                "The job was cancelled from elsewhere. Run the command again for a new one.",
                job_id=ended["id"],
            )

    def _start(self, job: Json) -> None:
        """Run the job, or run it again where it has failed; one whose run was lost is found to have failed now."""
        if job["status"] != FAILED:
            try:
                self.client.post(f"jobs/{self.job_id}/run")
                return
            except Refused:
                job = self.client.get(f"jobs/{self.job_id}")
                if job["status"] != FAILED:
                    raise
        self.view.say(f"Retrying job {self.job_id}: it failed before ({job['failure']['failure_code']}).")
        self.client.post(f"jobs/{self.job_id}/retry", {"client_request_id": f"make-{job['attempt']}"})

    def _failed(self, failure: Json) -> JobFailed:
        facts = {"job_id": self.job_id, "failed_stage": failure["failed_stage"]}
        return JobFailed(failure["failure_code"], failure["failure_message"], **facts)

    def watch(self) -> Json:
        """Show the stages until the pipeline is over; answers the job."""
        job = self.client.get(f"jobs/{self.job_id}")
        pipeline = Pipeline()
        for event in self.client.events(str(self.job_id)):
            pipeline.feed(event.stream, event.model_dump())
            if pipeline.attempt >= job["attempt"]:
                for stage in PIPELINE:
                    if stage in pipeline.fraction:
                        self.view.step(f"{stage}-{pipeline.attempt}", TITLES[stage], pipeline.fraction[stage])
                if is_settled(pipeline.status):
                    break
        return self.client.get(f"jobs/{self.job_id}")

    def _upload(self, recording: Path, sha256: str) -> None:
        size = recording.stat().st_size
        session = self.client.post(
            f"jobs/{self.job_id}/upload",
            {"filename": printable_name(recording.name), "size_bytes": size, "checksum_sha256": sha256},
        )
        self._send(recording, session, size)
        self.client.confirm_upload(
            str(self.job_id), {"video_uri": session["video_uri"], "size_bytes": size, "checksum_sha256": sha256}
        )

    def _send(self, recording: Path, session: Json, size: int) -> None:
        title = "Uploading the recording"
        self.client.upload(recording, session, lambda done: self.view.step("upload", title, done / max(size, 1)))
        self.view.step("upload", title, 1.0)

    # --- the exports ---------------------------------------------------------------------------------------------

    def _export(self, target: Target) -> list[Json]:
        """Ask for all formats, then save each as it is done."""
        job = self.client.get(f"jobs/{self.job_id}")
        instruction = self.client.get(f"instructions/{job['instruction_id']}")
        self.warnings += [str(each["message"]) for each in instruction.get("warnings") or ()]
        asked = {
            name: self.client.post(
                f"jobs/{self.job_id}/exports",
                {"format": FORMATS[name][0], "instruction_version_id": instruction["instruction_version_id"]},
            )
            for name in target.files
        }
        return [self._saved(name, asked[name], path) for name, path in target.files.items()]

    def _redact(self, private: Sequence[str]) -> Json:
        """Blur what is private on every picture; what could not be checked becomes a warning."""
        self.view.step("redact", "Blurring what is private", 0.0)
        instruction = self.client.get(f"jobs/{self.job_id}")["instruction_id"]
        made = self.client.post(f"instructions/{instruction}/redactions", {"also": list(private)})
        self.view.step("redact", "Blurring what is private", 1.0)
        blurred = sum(1 for each in made["pictures"] if each["blurs"])
        if made["unchecked"]:
            self.warnings.append(
                f"{made['unchecked']} of {len(made['pictures'])} pictures could not be checked for what is private: "
                "nothing, or not everything, could be read on them. Look at them before you pass the files on."
            )
        return {"values": len(made["found"]), "pictures": blurred, "unchecked": made["unchecked"]}

    def _after_export(self) -> Json:
        """The job once it has heard of its exports: they are retrievable a moment before it says DONE."""
        deadline = time.monotonic() + DONE_TIMEOUT_S
        job = self.client.get(f"jobs/{self.job_id}")
        while job["status"] in (DRAFT_READY, EDITING, EXPORTING) and time.monotonic() < deadline:
            time.sleep(POLL_S)
            job = self.client.get(f"jobs/{self.job_id}")
        return job

    def _saved(self, name: str, export: Json, path: Path) -> Json:
        title = f"Exporting {printable_name(path.name)}"
        self.view.step(f"export-{name}", title, 0.0)
        export = self._ended(export, FILM_TIMEOUT_S if FORMATS[name][0] in FILM_FORMATS else EXPORT_TIMEOUT_S)
        if export["status"] == "FAILED":
            raise self._failed(export["failure"])
        size = self.client.download(export["download_url"], path)
        self.view.step(f"export-{name}", title, 1.0)
        return {"format": name, "path": printable_name(str(path)), "size_bytes": size, "export_id": export["id"]}

    def _ended(self, export: Json, timeout_s: float) -> Json:
        deadline = time.monotonic() + timeout_s
        while export["status"] not in ("SUCCEEDED", "FAILED") and time.monotonic() < deadline:
            time.sleep(POLL_S)
            export = self.client.get(f"exports/{export['id']}")
        return export


def printable_name(name: str) -> str:
    """``name`` as text that can be sent and shown: file systems hold bytes that no encoding explains."""
    return name.encode("utf-8", "replace").decode()


def interrupted(making: Making) -> str:
    """Cancel on Ctrl-C, and the sentence that says what came of it."""
    if making.job_id is None:
        return "Stopped before there was a job."
    making.view.say("Cancelling …")
    if making.cancel():
        return f"Job {making.job_id} is CANCELLED. Run the same command again: finished work is used again."
    status = making.client.get(f"jobs/{making.job_id}")["status"]
    if status == DONE:
        return f"Job {making.job_id} was DONE already. Run the same command again to save its files."
    return f"Job {making.job_id} is {status}."
