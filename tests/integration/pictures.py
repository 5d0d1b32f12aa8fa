"""A job with a real screenshot, for tests of what is done with pictures."""

import hashlib
import io
from dataclasses import dataclass

from PIL import Image, ImageDraw

from activities.artifacts import ArtifactStore
from activities.store import Store
from domain.artifacts import ArtifactKind
from domain.documents.screenshots import NewScreenshot
from domain.jobs import Job
from domain.lifecycles.instruction import DRAFT_READY, GENERATING
from tests.integration.store_builders import STEP_BLOCK, Run, artifact, draft, uploaded_job

SIZE = (320, 200)


def screen(text: str = "hunter2") -> bytes:
    """A screen that says something, as PNG."""
    image = Image.new("RGB", SIZE, "#f3f5f8")
    ImageDraw.Draw(image).text((120, 60), text, fill="#1a2129", font_size=20)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


@dataclass(frozen=True)
class Illustrated:
    """A job at DRAFT_READY whose one step shows one picture."""

    job: Job
    instruction_version_id: str
    anchor_id: str
    asset_id: str
    data: bytes


def illustrated_job(
    store: Store, artifacts: ArtifactStore, owner: str = "ann", data: bytes | None = None
) -> Illustrated:
    data = screen() if data is None else data
    run = Run(store, uploaded_job(store, owner).id).dispatched().extract_audio().transcribe()
    blob = artifacts.put_bytes(f"jobs/{run.job_id}/frame.png", data, "image/png")
    shot = NewScreenshot(
        block_id=STEP_BLOCK,
        blob=blob,
        width=SIZE[0],
        height=SIZE[1],
        timestamp_ms=500,
        extraction_key=hashlib.sha256(data).hexdigest(),
    )
    store.begin_stage(run.job_id, run.fence(), GENERATING)
    store.finish_stage(
        run.job_id,
        run.fence(),
        target=DRAFT_READY,
        artifacts=[artifact(ArtifactKind.DRAFT)],
        progress=100,
        version=draft(),
        screenshots=[shot],
    )
    job = store.get_job(run.job_id)
    assert job.instruction_id is not None
    version = store.get_instruction(owner, job.instruction_id)
    (shown,) = store.screenshots_for(version.id)
    return Illustrated(job, version.id, shown.anchor_id, shown.asset_id, data)
