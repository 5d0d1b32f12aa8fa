"""Which checkpoints of a job still hold, so that a run may start there."""

from collections.abc import Collection
from typing import Protocol

from activities.artifacts import ArtifactStore
from domain.artifacts import Artifact, ArtifactKind
from domain.errors import ArtifactKeyInvalid
from domain.lifecycles.callbacks import EXTERNAL_STAGES, ExternalStage, ReportedArtifact, is_needed
from domain.lifecycles.resume import CHECKPOINT_ARTIFACT


class CheckpointStore(Protocol):
    """What the question needs of the store."""

    def latest_artifact(self, job_id: str, kind: ArtifactKind) -> Artifact | None: ...
    def latest_report(self, job_id: str, kind: ArtifactKind) -> ReportedArtifact | None: ...
    def ended_outside(self, report: ReportedArtifact, stage: ExternalStage) -> bool: ...


class Checkpoints:
    """Verifies artifacts: an own one exists and has its recorded hash; what a runner outside reported and nobody read
    yet exists, or lies elsewhere and is read by nobody but the next runner."""

    def __init__(self, store: CheckpointStore, artifacts: ArtifactStore) -> None:
        self._store = store
        self._artifacts = artifacts

    def verified(self, job_id: str, external: Collection[str]) -> dict[ArtifactKind, bool]:
        """For each kind that a checkpoint leaves, whether a run may rely on it.

        Args:
            external: The stages that are done outside.
        """
        verified = {kind: self._stands(job_id, kind) for kind in CHECKPOINT_ARTIFACT.values()}
        for stage in EXTERNAL_STAGES.values():
            if stage.name in external and not verified[stage.artifact]:
                verified[stage.artifact] = self._may_stand(job_id, stage, external)
        return verified

    def _stands(self, job_id: str, kind: ArtifactKind) -> bool:
        artifact = self._store.latest_artifact(job_id, kind)
        return artifact is not None and self._artifacts.verifies(artifact.blob)

    def _may_stand(self, job_id: str, stage: ExternalStage, external: Collection[str]) -> bool:
        report = self._store.latest_report(job_id, stage.artifact)
        if report is None or report.rejected_code is not None or report.artifact_id is not None:
            return False
        if not self._store.ended_outside(report, stage):
            return False
        try:
            key = self._artifacts.locate(report.uri)
        except ArtifactKeyInvalid:
            return False
        return not is_needed(stage, external) if key is None else self._artifacts.exists(key)
