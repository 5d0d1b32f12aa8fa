"""Short words for what the store's tests need again and again."""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Barrier
from typing import TypeVar

from activities.store import Store
from domain.artifacts import ArtifactKind, Blob
from domain.documents.screenshots import NewScreenshot
from domain.documents.versions import NewVersion, VersionOrigin
from domain.jobs import Actor, Job, NewArtifact
from domain.lifecycles.fence import Fence
from domain.lifecycles.instruction import (
    AUDIO_EXTRACTING,
    AUDIO_READY,
    DRAFT_READY,
    GENERATING,
    TRANSCRIBING,
    TRANSCRIPT_READY,
)
from domain.lifecycles.lifecycle import Trigger

Answer = TypeVar("Answer")

OWNER = "ann"
TITLE_BLOCK = "0192f3a1-0000-7000-8000-000000000001"
STEP_BLOCK = "0192f3a1-0000-7000-8000-000000000002"
OTHER_BLOCK = "0192f3a1-0000-7000-8000-000000000003"
MARKDOWN = f"""<!-- block:{TITLE_BLOCK} -->
# Add a customer

<!-- block:{STEP_BLOCK} -->
Choose **New**.

<!-- block:{OTHER_BLOCK} -->
Enter the name.
"""


def blob(key: str = "some/key", media_type: str = "application/octet-stream") -> Blob:
    return Blob(
        key=key, size_bytes=len(key), checksum_sha256=hashlib.sha256(key.encode()).hexdigest(), media_type=media_type
    )


def artifact(kind: ArtifactKind, key: str = "some/key") -> NewArtifact:
    return NewArtifact(kind=kind, blob=blob(key), facts={"duration_ms": 1000})


def draft(markdown: str = MARKDOWN) -> NewVersion:
    return NewVersion(
        title="Add a customer",
        markdown=markdown,
        evidence=({"block_id": STEP_BLOCK, "role": "step", "segments": (0,), "start_ms": 0, "end_ms": 900},),
        language="en",
        warnings=({"code": "LOCAL_DRAFTER", "message": "Written without a language model."},),
        origin=VersionOrigin.DRAFT,
        author="system",
        model_profile_id="local",
        prompt_template_id="local/1",
    )


def edit(markdown: str) -> NewVersion:
    return NewVersion(title="Add a customer", markdown=markdown, origin=VersionOrigin.EDIT, author=OWNER)


def screenshot(block_id: str, key: str) -> NewScreenshot:
    return NewScreenshot(
        block_id=block_id, blob=blob(key, "image/png"), width=1280, height=720, timestamp_ms=500, extraction_key=key
    )


def created_job(store: Store, owner: str = OWNER) -> Job:
    return store.create_job(owner, store.create_project(owner, "Manuals").id)


def uploaded_job(store: Store, owner: str = OWNER, project_id: str | None = None) -> Job:
    job = created_job(store, owner) if project_id is None else store.create_job(owner, project_id)
    return store.confirm_upload(owner, job.id, blob(f"videos/{job.id}", "video/mp4"), "demo.mp4")[0]


@dataclass(frozen=True)
class Run:
    """A workflow run of a job, as the store sees it: it holds the fence and counts on."""

    store: Store
    job_id: str
    attempt: int = 1
    dispatch_id: str = "run-1"
    seq: int = 1

    def fence(self, execution: int = 1) -> Fence:
        return Fence(attempt=self.attempt, dispatch_id=self.dispatch_id, seq=self.seq, execution=execution)

    def next(self, steps: int = 2) -> "Run":
        return replace(self, seq=self.seq + steps)

    def dispatched(self) -> "Run":
        self.store.record_dispatch(
            self.job_id,
            attempt=self.attempt,
            dispatch_id=self.dispatch_id,
            trigger=Trigger.API,
            actor=Actor.EDITOR,
        )
        return self

    def extract_audio(self) -> "Run":
        self.store.begin_stage(self.job_id, self.fence(), AUDIO_EXTRACTING)
        self.store.finish_stage(
            self.job_id, self.fence(), target=AUDIO_READY, artifacts=[artifact(ArtifactKind.AUDIO)], progress=15
        )
        return self.next()

    def transcribe(self) -> "Run":
        self.store.begin_stage(self.job_id, self.fence(), TRANSCRIBING)
        self.store.finish_stage(
            self.job_id,
            self.fence(),
            target=TRANSCRIPT_READY,
            artifacts=[artifact(ArtifactKind.TRANSCRIPT)],
            progress=70,
        )
        return self.next()

    def write_draft(self, version: NewVersion | None = None) -> "Run":
        self.store.begin_stage(self.job_id, self.fence(), GENERATING)
        self.store.finish_stage(
            self.job_id,
            self.fence(),
            target=DRAFT_READY,
            artifacts=[artifact(ArtifactKind.DRAFT)],
            progress=100,
            version=version or draft(),
            screenshots=[screenshot(STEP_BLOCK, f"frames/{self.attempt}/step")],
        )
        return self.next()


def drafted_job(store: Store, owner: str = OWNER, project_id: str | None = None) -> tuple[Job, Run]:
    """A job at DRAFT_READY with an instruction and one screenshot, and the run that owns it."""
    run = Run(store, uploaded_job(store, owner, project_id).id).dispatched().extract_audio().transcribe().write_draft()
    return store.get_job(run.job_id), run


def instruction_of(job: Job) -> str:
    assert job.instruction_id is not None
    return job.instruction_id


def at_once(times: int, call: Callable[[int], Answer]) -> list[Answer | Exception]:
    """Call it ``times`` times, in as many threads that begin together; an exception is an answer too."""
    barrier = Barrier(times)

    def one(number: int) -> Answer | Exception:
        barrier.wait()
        try:
            return call(number)
        except Exception as error:
            return error

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(one, range(times)))


def log_of(store: Store, job_id: str) -> list[tuple[str, str | None, str | None]]:
    """The log without progress: what happened, from where, to where."""
    return [
        (event.event_type, event.prev_status, event.new_status)
        for event in store.events(job_id)
        if event.stream != "progress"
    ]
