"""What runners outside left, read; and the document of a draft that they report, made as the report is taken.

A job says DRAFT_READY with the callback that reports it, and whoever sees that looks for the instruction. Made later,
where the workflow takes the draft over, it would be missing in between. So what can be read at once (the draft and the
transcript that it cites, in our own store, no codec in sight) becomes the document's first version in the callback's
own transaction. Its pictures follow with the adoption, which verifies everything anew by the same rules, and finds the
version made.

A URI that cannot be read, or leads to a draft that lies, is taken as given all the same, as the contract has it: the
job is DRAFT_READY by the runner's word, without a document, until the adoption says FAILED and why. There is one draft
whose document comes with the adoption only: where nobody spoke, it cites screens of the recording, which nobody may
have looked for yet.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

import structlog
from pydantic import BaseModel, ValidationError

from activities.stages.instruction import first_version
from domain.artifacts import Artifact, ArtifactKind, Blob
from domain.documents.document import stable_ids
from domain.documents.draft import Draft
from domain.documents.versions import NewVersion
from domain.errors import (
    ArtifactKeyInvalid,
    ArtifactMissing,
    ArtifactTooLarge,
    ExternalArtifactInvalid,
    ExternalArtifactUnreachable,
    GuidesmithError,
    NotFound,
)
from domain.jobs import Job, Project
from domain.lifecycles.callbacks import DRAFT, TRANSCRIPTION, Callback, ReportedArtifact, external_stages
from domain.recordings.transcript import SpeechFound, Transcript

if TYPE_CHECKING:
    from activities.artifacts import ArtifactStore

Format = TypeVar("Format", bound=BaseModel)

MEDIA_TYPE = "application/json"

log = structlog.get_logger("guidesmith.callbacks")


class Reader:
    """Opens what a reported URI leads to, where that is in our own store.

    Raises:
        ExternalArtifactInvalid, ExternalArtifactUnreachable: By every method.
    """

    def __init__(self, artifacts: "ArtifactStore") -> None:
        self._artifacts = artifacts

    def key(self, kind: ArtifactKind, uri: str) -> str | None:
        """The object's key; ``None``: it lies elsewhere."""
        try:
            return self._artifacts.locate(uri)
        except ArtifactKeyInvalid:
            raise ExternalArtifactInvalid(
                f"The {kind}'s URI names a place that no artifact can have. "
                "Each part of its path has letters, digits or '_.=+@-'."
            ) from None

    def blob(
        self, kind: ArtifactKind, uri: str, media_type: str, on_progress: Callable[[int], None] | None = None
    ) -> Blob:
        """The object, with its size and hash as they are now."""
        key = self.key(kind, uri)
        if key is None:
            raise ExternalArtifactUnreachable(
                f"The {kind} does not lie in guidesmith's artifact store, and nothing is fetched from "
                "elsewhere. Let the runner put it there, or do the next stage, too."
            )
        try:
            return self._artifacts.blob_of(key, media_type, on_progress=on_progress)
        except ArtifactMissing:
            raise ExternalArtifactUnreachable(
                f"The {kind} that the runner reported is not in the artifact store. "
                "Put it there before the callback, then retry the job."
            ) from None

    def parsed(self, blob: Blob, form: type[Format]) -> Format:
        """What the object says."""
        try:
            return form.model_validate_json(self._artifacts.read_bytes(blob), strict=True)
        except ArtifactTooLarge as large:
            raise ExternalArtifactInvalid(large.message) from None
        except ValidationError as invalid:
            issue = invalid.errors(include_url=False, include_input=False, include_context=False)[0]
            where = ".".join(str(part) for part in issue["loc"]) or "the file"
            raise ExternalArtifactInvalid(
                f"The runner's file is no {form.__name__} in guidesmith's format: {where[:100]}: {issue['msg'][:200]}."
            ) from None


class Reports(Protocol):
    """What the question needs of the store."""

    def get_job(self, job_id: str) -> Job: ...
    def get_project(self, owner: str, project_id: str) -> Project: ...
    def latest_artifact(self, job_id: str, kind: ArtifactKind) -> Artifact | None: ...
    def latest_report(self, job_id: str, kind: ArtifactKind) -> ReportedArtifact | None: ...


class ReportedDrafts:
    """Makes documents of what callbacks report."""

    def __init__(self, reports: Reports, artifacts: "ArtifactStore") -> None:
        self._reports = reports
        self._artifacts = artifacts
        self._reader = Reader(artifacts)

    def document(self, job_id: str, callback: Callback) -> NewVersion | None:
        """The first version of the document that ``callback`` brings; ``None``: it brings none that can be made now.

        Raises:
            NotFound: There is no such job.
        """
        if callback.status is not DRAFT.checkpoint:
            return None
        job = self._reports.get_job(job_id)
        if job.status not in (DRAFT.before, DRAFT.processing):
            return None
        try:
            return self._made(job, callback)
        except NotFound:
            raise
        except GuidesmithError as unusable:
            log.info("callback.document_follows", job_id=job.id, code=unusable.code)
            return None

    def _made(self, job: Job, callback: Callback) -> NewVersion | None:
        uri, attempt = callback.artifacts.get(DRAFT.artifact), job.attempt
        if uri is None:
            report = self._unread(job, DRAFT.artifact)
            if report is None:
                return None
            uri, attempt = report.uri, report.attempt
        transcript = self._transcript(job, callback)
        if transcript is None or transcript.speech is not SpeechFound.SPEECH:
            return None
        outline = self._parsed(DRAFT.artifact, uri, Draft)
        return first_version(outline, transcript, (), stable_ids(f"{job.id}:{attempt}"))[0]

    def _transcript(self, job: Job, callback: Callback) -> Transcript | None:
        """What the draft cites: by the same rule as the adoption's, what came last."""
        kind = TRANSCRIPTION.artifact
        stages = self._reports.get_project(job.owner, job.project_id).stages
        if TRANSCRIPTION.name in external_stages(stages):
            report = self._unread(job, kind)
            uri = callback.artifacts.get(kind) or (report.uri if report else None)
            if uri is not None:
                return self._parsed(kind, uri, Transcript)
        stored = self._reports.latest_artifact(job.id, kind)
        return Transcript.model_validate_json(self._artifacts.read_bytes(stored.blob)) if stored else None

    def _unread(self, job: Job, kind: ArtifactKind) -> ReportedArtifact | None:
        """The newest report, where nothing was made of it yet and it may be of use."""
        report = self._reports.latest_report(job.id, kind)
        return report if report is not None and report.artifact_id is None and report.rejected_code is None else None

    def _parsed(self, kind: ArtifactKind, uri: str, form: type[Format]) -> Format:
        return self._reader.parsed(self._reader.blob(kind, uri, MEDIA_TYPE), form)
