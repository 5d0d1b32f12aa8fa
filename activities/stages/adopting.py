"""Takes over what a runner outside left: read, verified, measured, and from then on an artifact like our own.

What a runner reports is a URI, taken as given. Only objects in our own artifact store are ever opened; a URI that leads
elsewhere is passed on to the runner of the next stage, or the job fails with a code that says so. The formats are those
of our own stages: a sound file for the audio (or ``{"audio": null}``), ``domain.recordings.transcript.Transcript`` and
``domain.documents.draft.Draft`` as JSON.
"""

import json
import mimetypes
from collections.abc import Callable, Sequence
from typing import Protocol

from temporalio import activity

from activities.rails.contracts import StageCall, StageResult
from activities.rails.heartbeat import Heartbeat
from activities.rails.stage import Product, Stage, StageSpec, Work, stage_result
from activities.stages.instruction import InstructionStages, Library, Parts
from activities.stages.reported_drafts import Reader
from activities.stages.transcription import NO_AUDIO
from domain.artifacts import Artifact, ArtifactKind, Blob
from domain.documents.draft import Draft, check_draft
from domain.documents.screenshots import NewScreenshot
from domain.documents.versions import NewVersion
from domain.errors import (
    DocumentInvalid,
    DraftInvalid,
    ExternalArtifactInvalid,
    ExternalArtifactUnreachable,
    Fenced,
    MediaError,
    MediaTooLong,
    RequestInvalid,
)
from domain.jobs import Job, NewArtifact, StageName
from domain.lifecycles.callbacks import AUDIO, DRAFT, TRANSCRIPTION, ExternalStage, ReportedArtifact
from domain.lifecycles.fence import Fence
from domain.lifecycles.progress import job_progress
from domain.recordings.transcript import SpeechFound, Transcript

NOTE_LIMIT_BYTES = 64
"""A file this small may be the note that a recording has no sound."""

Body = Callable[[Work, ReportedArtifact], Product]


class Reports(Library, Protocol):
    """What taking over needs of the store."""

    def get_job(self, job_id: str) -> Job: ...
    def latest_report(self, job_id: str, kind: ArtifactKind) -> ReportedArtifact | None: ...
    def reject_report(self, report_id: str, code: str) -> None: ...
    def adoption_retried(self, job_id: str, fence: Fence, stage: ExternalStage) -> None: ...
    def adopt_report(
        self,
        report: ReportedArtifact,
        fence: Fence,
        new: Sequence[NewArtifact],
        *,
        progress: int,
        version: NewVersion | None = None,
        screenshots: Sequence[NewScreenshot] = (),
    ) -> Artifact: ...


def adoption(stage: ExternalStage, *, queue: str) -> Callable[[Stage], Stage]:
    """Make a method the activity that takes over what ``stage`` left. It moves no status, and may run again: a report
    is taken over once."""
    summary = f"check what the outside runner left of the {stage.name}"

    def defined(method: Stage) -> Stage:
        made = activity.defn(name=f"adopt-{stage.name}", no_thread_cancel_exception=True)(method)
        made.__dict__["spec"] = StageSpec(stage.name, stage.checkpoint, None, queue, summary)
        return made

    return defined


class Adoptions(InstructionStages):
    """The activities behind an external stage."""

    def __init__(self, parts: Parts, reports: Reports) -> None:
        super().__init__(parts)
        self._reports = reports
        self._reader = Reader(parts.artifacts)

    @adoption(AUDIO, queue="media")
    def adopt_audio(self, call: StageCall) -> StageResult:
        """A sound file of any format that we can decode, or the note that there is no sound."""
        return self._adopt(call, AUDIO, self._audio)

    @adoption(TRANSCRIPTION, queue="jobs")
    def adopt_transcript(self, call: StageCall) -> StageResult:
        """A transcript in our own format."""
        return self._adopt(call, TRANSCRIPTION, self._spoken)

    @adoption(DRAFT, queue="media")
    def adopt_draft(self, call: StageCall) -> StageResult:
        """A draft in our own format, which cites the transcript; it becomes the document's first version, with a
        picture for every step."""
        return self._adopt(call, DRAFT, self._drafted)

    # --- what each of them is ------------------------------------------------------------------------------

    def _audio(self, work: Work, report: ReportedArtifact) -> Product:
        """Measured as our own audio is, so that whatever follows need not know who made it."""
        from activities import media
        from activities.speech.pieces import plan_pieces

        blob = self._blob(work, report)
        with self._parts.artifacts.local_path(self._recording(work)) as recording:
            info = media.probe(recording)
        facts: dict[str, object] = {
            "container": info.container,
            "duration_ms": info.duration_ms,
            "has_video": info.video is not None,
            "has_audio": False,
            "pieces": 0,
        }
        if info.video is not None:
            facts |= info.video.facts
        if self._says_no_audio(blob):
            silent = blob.model_copy(update={"media_type": NO_AUDIO})
            return Product([NewArtifact(kind=ArtifactKind.AUDIO, blob=silent, facts=facts)])
        with self._parts.artifacts.local_path(blob) as path:
            try:
                sound = media.probe(path)
            except MediaError as unreadable:
                raise ExternalArtifactInvalid(f"The runner's audio cannot be used. {unreadable.message}") from None
            if not sound.audio:
                raise ExternalArtifactInvalid("The runner's audio has no sound track.")
            if sound.duration_ms > self._parts.longest_ms:
                raise MediaTooLong(f"The audio is longer than {self._parts.longest_ms / 3_600_000:g} hours.")
            cuts = plan_pieces(path, on_progress=lambda _: work.check())
        facts |= {
            "duration_ms": max(info.duration_ms, sound.duration_ms),
            "has_audio": True,
            "pieces": len(cuts),
            "cuts": [list(cut) for cut in cuts],
        }
        return Product([NewArtifact(kind=ArtifactKind.AUDIO, blob=blob, facts=facts)])

    def _spoken(self, work: Work, report: ReportedArtifact) -> Product:
        blob = self._blob(work, report)
        transcript = self._reader.parsed(blob, Transcript)
        facts: dict[str, object] = {
            "speech": str(transcript.speech),
            "segments": len(transcript.segments),
            "language": transcript.language,
            "duration_ms": transcript.duration_ms,
        }
        return Product([NewArtifact(kind=ArtifactKind.TRANSCRIPT, blob=blob, facts=facts)])

    def _drafted(self, work: Work, report: ReportedArtifact) -> Product:
        blob = self._blob(work, report)
        outline = self._reader.parsed(blob, Draft)
        if self._taken_over(work, TRANSCRIPTION, self._spoken) is None:  # it may have come together with the draft
            raise ExternalArtifactUnreachable(
                "There is no transcript that the draft could cite. Report a transcript_uri, too."
            )
        transcript = self._transcript(work)
        silent = transcript.speech is not SpeechFound.SPEECH
        scenes = self._scenes(work, lambda _: work.check(), thorough=True) if silent else ()
        check_draft(outline, transcript, scenes)
        made = self._illustrated(work, outline, transcript, attempt=report.attempt)
        kept = NewArtifact(kind=ArtifactKind.OUTLINE, blob=blob, facts={"blocks": len(outline.blocks)})
        return Product([*made.artifacts, kept], version=made.version, screenshots=made.screenshots)

    # --- how -----------------------------------------------------------------------------------------------

    def _adopt(self, call: StageCall, stage: ExternalStage, body: Body) -> StageResult:
        fence = call.fence(activity.info().attempt)
        with Heartbeat(call.heartbeat_timeout_s) as heartbeat:
            job = self._reports.get_job(call.job_id)
            if (job.attempt, job.dispatch_id) != (call.attempt, call.dispatch_id):
                raise Fenced("A newer run of this job has taken over; there is nothing left to do.")
            if fence.execution > 1:
                self._reports.adoption_retried(job.id, fence, stage)
            work = Work(job, call, fence, heartbeat, stage.name, self._ledger)
            artifact = self._taken_over(work, stage, body)
            if artifact is None and call.required:
                raise ExternalArtifactUnreachable(
                    f"The runner reported no {stage.artifact}_uri. Report it with the callback, then retry the job."
                )
            return stage_result([artifact] if artifact is not None else [])

    def _taken_over(self, work: Work, stage: ExternalStage, body: Body) -> Artifact | None:
        """What the newest report became; what an earlier one became, where there is no newer that can be used."""
        report = self._reports.latest_report(work.job.id, stage.artifact)
        if report is None or report.artifact_id is not None or report.rejected_code is not None:
            return self._reports.latest_artifact(work.job.id, stage.artifact)
        try:
            if not work.call.required and self._reader.key(report.kind, report.uri) is None:
                return None
            product = body(work, report)
            work.check()
            return self._reports.adopt_report(
                report,
                work.fence,
                product.artifacts,
                progress=job_progress(StageName.ILLUSTRATION if stage is DRAFT else stage.name, 1.0),
                version=product.version,
                screenshots=product.screenshots,
            )
        except (DraftInvalid, DocumentInvalid, RequestInvalid) as unusable:
            self._reports.reject_report(report.id, ExternalArtifactInvalid.code)
            raise ExternalArtifactInvalid(unusable.message) from None
        except (ExternalArtifactInvalid, ExternalArtifactUnreachable, MediaTooLong) as unusable:
            self._reports.reject_report(report.id, unusable.code)
            raise

    def _blob(self, work: Work, report: ReportedArtifact) -> Blob:
        """The object that a report names, with its size and hash as they are now.

        Raises:
            ExternalArtifactUnreachable: It lies elsewhere, or is not there.
        """
        media_type = mimetypes.guess_type(report.uri)[0] or "application/octet-stream"
        return self._reader.blob(report.kind, report.uri, media_type, on_progress=lambda _: work.check())

    def _says_no_audio(self, blob: Blob) -> bool:
        if blob.size_bytes > NOTE_LIMIT_BYTES:
            return False
        try:
            reported: object = json.loads(self._parts.artifacts.read_bytes(blob))
        except ValueError:
            return False
        return reported == {"audio": None}
