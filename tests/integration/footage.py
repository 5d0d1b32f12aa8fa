"""Jobs with a real recording and an instruction, and a worker that takes screenshots: for tests of what is taken."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from temporalio.client import Client

from activities.artifacts import ArtifactStore
from activities.media.probe import probe
from activities.store import Store
from activities.tasks.screenshots import ScreenshotTaker
from domain.artifacts import ArtifactKind
from domain.jobs import Job, NewArtifact
from domain.lifecycles.instruction import AUDIO_EXTRACTING, AUDIO_READY, DRAFT_READY, GENERATING
from starter.settings import Settings
from tests.integration.store_builders import Run, artifact, blob, created_job, draft
from tests.stack import Loop
from tests.workers import serving
from workflows.screenshots import ScreenshotWorkflow


@dataclass(frozen=True)
class Recorded:
    """A job at DRAFT_READY with a recording, and no picture yet."""

    job: Job
    instruction_id: str
    version_id: str

    def wish(self, timestamp_ms: int, **more: object) -> dict[str, object]:
        """The body of an extraction."""
        named = {"instruction_id": self.instruction_id, "instruction_version_id": self.version_id}
        return {**named, "timestamp_ms": timestamp_ms, **more}


def recorded_job(
    store: Store, artifacts: ArtifactStore, recording: Path, owner: str = "ann", *, measured: bool = True
) -> Recorded:
    """``measured``: whether the recording was looked at, as where the sound is not taken out by a runner outside."""
    job = created_job(store, owner)
    info = probe(recording)
    video = artifacts.put_file(f"jobs/{job.id}/upload/{recording.name}", recording, "video/mp4")
    store.confirm_upload(owner, job.id, video, recording.name)
    run = Run(store, job.id).dispatched()
    facts = {"duration_ms": info.duration_ms, "has_video": info.video is not None} if measured else {}
    audio = NewArtifact(kind=ArtifactKind.AUDIO, blob=blob(f"audio/{job.id}"), facts=facts)
    store.begin_stage(job.id, run.fence(), AUDIO_EXTRACTING)
    store.finish_stage(job.id, run.fence(), target=AUDIO_READY, artifacts=[audio])
    run = run.next().transcribe()
    store.begin_stage(job.id, run.fence(), GENERATING)
    store.finish_stage(
        job.id, run.fence(), target=DRAFT_READY, artifacts=[artifact(ArtifactKind.DRAFT)], version=draft()
    )
    job = store.get_job(job.id)
    version = store.get_instruction(owner, job.instruction_id or "")
    return Recorded(job, version.instruction_id, version.id)


@dataclass(frozen=True)
class Watch:
    """Looks at the Temporal that a worker serves."""

    client: Client
    loop: Loop


@contextmanager
def screenshot_worker(settings: Settings, store: Store, artifacts: ArtifactStore, address: str) -> Iterator[Watch]:
    """A worker in this process that takes screenshots, until the block ends."""
    taker = ScreenshotTaker(store, artifacts)
    activities = [taker.take, taker.fail_screenshot]
    with serving(address, settings, ("jobs", "media"), activities, (ScreenshotWorkflow,)) as (client, loop):
        yield Watch(client, loop)
