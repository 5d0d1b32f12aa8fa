"""The stages of the instruction job without their work: what is left is what the engine costs."""

from collections.abc import Callable
from typing import Any

from activities.rails.contracts import StageCall, StageResult
from activities.rails.stage import Product, Stages, Work, spec_of, stage
from activities.stages.instruction import InstructionStages
from domain.artifacts import ArtifactKind, Blob
from domain.documents.versions import NewVersion, VersionOrigin
from domain.jobs import NewArtifact

Method = Callable[[Any, StageCall], StageResult]

DRAFT = NewVersion(
    title="An instruction",
    markdown="# An instruction\n\n## Open the settings\n\nClick the gear.\n\n## Save\n\nClick Save.\n",
    origin=VersionOrigin.DRAFT,
    author="bench",
)


def blob_of(job_id: str, kind: ArtifactKind) -> Blob:
    """What the artifact store would have answered."""
    return Blob(key=f"jobs/{job_id}/{kind}", size_bytes=1, checksum_sha256="0" * 64, media_type="text/plain")


def instant(method: Method, kind: ArtifactKind, version: NewVersion | None = None) -> Method:
    """A stage with the name, statuses and queue of ``method``, that records the same rows at its end."""
    spec = spec_of(method)

    @stage(spec.name, spec.processing, checkpoint=spec.checkpoint, queue=spec.queue, summary=spec.summary)
    def nothing(self: Stages, work: Work) -> Product:
        facts: dict[str, object] = {"duration_ms": 42_000, "pieces": 1}
        return Product([NewArtifact(kind=kind, blob=blob_of(work.job.id, kind), facts=facts)], version=version)

    return nothing


class InstantStages(Stages):
    extract_audio = instant(InstructionStages.extract_audio, ArtifactKind.AUDIO)
    transcribe = instant(InstructionStages.transcribe, ArtifactKind.TRANSCRIPT)
    draft = instant(InstructionStages.draft, ArtifactKind.OUTLINE)
    illustrate = instant(InstructionStages.illustrate, ArtifactKind.DRAFT, DRAFT)
