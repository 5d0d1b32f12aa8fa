"""Stages that are done outside: where they stand, and what their runners left.

The statuses of an attempt only go forward, and callbacks move them only where an external stage is waited for. So the
workflow that waits needs no message: the job's status says whether its stage began, works or ended.
"""

from collections.abc import Sequence

from sqlalchemy import Connection, exists, select, update

from activities.store import rows
from activities.store.documents.documents import Composed, add_version, compose, ensure_instruction
from activities.store.documents.screenshots import add_screenshots
from activities.store.jobs.artifacts import add_artifacts
from activities.store.jobs.dispatches import OVERTAKEN, adopt, judged_move
from activities.store.jobs.locking import LockedJob
from activities.store.records import EventType
from activities.store.repository import Repository
from activities.store.runs.stages import is_logged
from activities.store.tables import artifacts, callback_events, instruction_versions, reported_artifacts
from domain.artifacts import Artifact, ArtifactKind
from domain.documents.screenshots import NewScreenshot
from domain.documents.versions import NewVersion, VersionOrigin
from domain.errors import Fenced
from domain.jobs import Failure, Job, NewArtifact
from domain.lifecycles.callbacks import ExternalStage, Reached, ReportedArtifact, reached
from domain.lifecycles.fence import Fence, Verdict, judge_move
from domain.lifecycles.instruction import FAILED
from domain.lifecycles.lifecycle import Trigger


class External(Repository):
    def enter_external(self, job_id: str, fence: Fence, stage: ExternalStage) -> Job:
        """The workflow begins to wait for ``stage``: the job gets its processing status, unless the runner was
        faster. The same again changes nothing.

        Raises:
            Fenced: A newer run owns the job. DispatchUnrecorded: see ``begin_stage``.
            TransitionRefused, TerminalImmutable: The job is elsewhere, or has ended.
        """
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock())
            passed = fence.again and job.is_own(fence) and job["fence_seq"] >= fence.seq
            if not passed and judged_move(job, fence) is Verdict.APPLY:
                adopt(connection, job, fence, job.now)
                job.advance(fence, fence.seq)
            if reached(job.status, stage) is Reached.BEFORE:
                job.move(
                    str(stage.processing),
                    Trigger.WORKFLOW,
                    step=fence.seq,
                    note=f"waiting for the outside runner of the {stage.name}",
                )
            return job.save()

    def external_state(self, job_id: str, fence: Fence, stage: ExternalStage, overdue: Failure | None = None) -> Job:
        """The job as its callbacks have left it. Where its deadline is over and it still waits, it fails, here and
        now, under the same lock: either the callback counts or the deadline.

        Args:
            overdue: How the job fails in that case; ``None``: the deadline is not over.

        Raises:
            Fenced: A newer run owns the job. TerminalImmutable: it has ended otherwise.
        """
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock())
            stale = judge_move(job.seen, fence) is Verdict.STALE
            if stale and not (fence.again and job.is_own(fence)):
                raise Fenced(OVERTAKEN)
            if not stale and overdue is not None and reached(job.status, stage) in (Reached.BEFORE, Reached.PROCESSING):
                job.advance(fence, fence.seq)
                job.move(str(FAILED), Trigger.WORKFLOW, failure=overdue, step=fence.seq)
            return job.save()

    # --- what the runners left -----------------------------------------------------------------------------

    def reported_artifacts(self, job_id: str) -> tuple[ReportedArtifact, ...]:
        """Every URI that was reported, oldest first."""
        query = select(reported_artifacts).where(reported_artifacts.c.job_id == job_id)
        query = query.order_by(reported_artifacts.c.created_at, reported_artifacts.c.id)
        with self._database.read() as connection:
            return tuple(ReportedArtifact.model_validate(dict(row)) for row in connection.execute(query).mappings())

    def latest_report(self, job_id: str, kind: ArtifactKind) -> ReportedArtifact | None:
        """The newest URI that was reported of its kind, or ``None``."""
        query = select(reported_artifacts).where(
            reported_artifacts.c.job_id == job_id, reported_artifacts.c.kind == str(kind)
        )
        query = query.order_by(reported_artifacts.c.created_at.desc(), reported_artifacts.c.id.desc()).limit(1)
        with self._database.read() as connection:
            row = connection.execute(query).mappings().one_or_none()
        return ReportedArtifact.model_validate(dict(row)) if row is not None else None

    def ended_outside(self, report: ReportedArtifact, stage: ExternalStage) -> bool:
        """Whether the runner called ``stage`` done with ``report`` or after it, in the same attempt: a URI that came
        with a sign of life or a failure is no checkpoint."""
        query = select(
            exists().where(
                callback_events.c.job_id == report.job_id,
                callback_events.c.attempt == report.attempt,
                callback_events.c.status == str(stage.checkpoint),
                callback_events.c.recorded_at >= report.created_at,
            )
        )
        with self._database.read() as connection:
            return bool(connection.execute(query).scalar_one())

    def reject_report(self, report_id: str, code: str) -> None:
        """What was reported cannot be used: a rerun does not start from it."""
        rejected = update(reported_artifacts).where(reported_artifacts.c.id == report_id)
        with self._database.write() as connection:
            connection.execute(rejected.values(rejected_code=code))

    def adoption_retried(self, job_id: str, fence: Fence, stage: ExternalStage) -> None:
        """Log that taking over what the runner of ``stage`` left is tried again, once for each execution. The job is at
        the stage's checkpoint: its table has no self transition there, and nothing moves."""
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock())
            if job.is_terminal or is_logged(connection, job.id, fence, 0):
                return
            job.log(
                EventType.STAGE_RETRIED, execution=fence.execution, step=fence.seq, data={"adopting": str(stage.name)}
            )
            job.save()

    def adopt_report(
        self,
        report: ReportedArtifact,
        fence: Fence,
        new: Sequence[NewArtifact],
        *,
        progress: int,
        version: NewVersion | None = None,
        screenshots: Sequence[NewScreenshot] = (),
    ) -> Artifact:
        """Record what was made of a report that was read and verified, in one transaction; once, however often.

        Args:
            new: The artifacts; the first is what stands for the report.
            progress: 0 to 100; a lower one than the job has is ignored.
            version, screenshots: See ``finish_stage``. A version that came with the callback is not added again.

        Raises:
            Fenced: A newer run owns the job, or it has ended.
            DocumentInvalid: The version's structure cannot be saved.
        """
        composed = compose(version, self._new_id) if version is not None else None
        with self._database.write() as connection:
            job = LockedJob(connection, report.job_id, self._clock())
            if job.is_terminal or (fence.attempt, fence.dispatch_id) != (job["attempt"], job["dispatch_id"]):
                raise Fenced(OVERTAKEN)
            of_report = reported_artifacts.c.id == report.id
            known = (
                select(artifacts)
                .join(reported_artifacts, reported_artifacts.c.artifact_id == artifacts.c.id)
                .where(of_report)
            )
            before = connection.execute(known).mappings().one_or_none()
            if before is not None:
                return rows.artifact(before)
            stored = add_artifacts(connection, job.id, fence.attempt, None, new, job.now, self._new_id)
            if composed is not None and not _is_made(connection, job["instruction_id"], composed):
                instruction = ensure_instruction(connection, job, job.now, self._new_id)
                add_version(connection, instruction, composed, job.now, self._new_id, attempt=fence.attempt)
            if screenshots:
                add_screenshots(connection, job["instruction_id"], screenshots, job.now, self._new_id)
            connection.execute(update(reported_artifacts).where(of_report).values(artifact_id=stored[0].id))
            job.set(version=job["version"] + 1, progress=max(job["progress"], progress))
            job.log(EventType.PROGRESS, stream="progress", data={"progress": job["progress"], "status": job["status"]})
            job.save()
            return stored[0]


def _is_made(connection: Connection, instruction_id: str | None, composed: Composed) -> bool:
    """Whether the callback that reported the draft made this version already: block ids are of one report, so the same
    text is of the same."""
    made = exists().where(
        instruction_versions.c.instruction_id == instruction_id,
        instruction_versions.c.origin == str(VersionOrigin.DRAFT),
        instruction_versions.c.markdown == composed.markdown,
    )
    return instruction_id is not None and bool(connection.execute(select(made)).scalar_one())
