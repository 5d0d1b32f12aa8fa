"""Runs of jobs: those of recordings are started, and failed ones tried again.

What each call changes is decided in one transaction or by one start of one workflow id, so any number of concurrent
calls have one effect. What is done with the document that comes of a run is in ``documents``.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

import uuid_utils
from temporalio.client import Client
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError

from activities.artifacts import ArtifactStore
from activities.rails.checkpoints import Checkpoints
from activities.rails.contracts import JobStart, RunOptions
from activities.rails.dispatching import begin_run
from activities.store import Dispatch, RecordedDispatch, Store
from domain.artifacts import ArtifactKind
from domain.errors import (
    DispatchFailed,
    Fenced,
    IdempotencyConflict,
    JobAlreadyRunning,
    RetryNotAllowed,
    TerminalImmutable,
    TransitionRefused,
)
from domain.jobs import Actor, Job
from domain.lifecycles import analysis
from domain.lifecycles.analysis import ANALYSIS
from domain.lifecycles.callbacks import external_stages
from domain.lifecycles.instruction import AUDIO_EXTRACTING, FAILED, INSTRUCTION, RETRY, RUNNABLE, UPLOADED
from domain.lifecycles.kinds import STARTS, lifecycle_of
from domain.lifecycles.lifecycle import Trigger
from domain.lifecycles.resume import CHECKPOINT_ARTIFACT, starting_checkpoint
from starter.services.engine import engine_faults
from starter.services.live_runs import LiveRuns, has_ended
from starter.services.profiles import check_profile

T = TypeVar("T")


@dataclass(frozen=True)
class RunAnswer:
    """``replayed``: the run was under way already."""

    job_id: str
    status: str
    dispatch_id: str
    replayed: bool


@dataclass(frozen=True)
class RetryAnswer:
    """``checkpoint_ref`` is the URI of the artifact that the retry starts from, ``None`` from the upload."""

    job_id: str
    status: str
    resume_from_status: str
    checkpoint_ref: str | None
    model_profile: str | None
    dispatch_id: str
    replayed: bool


class JobService:
    """Starts runs, and retries.

    Args:
        store: Called from threads.
        artifacts: Where checkpoints are verified.
        client: A (lazily connected) Temporal client.
        options: How runs execute their stages.
        profiles: The model profiles that a job may name.
    """

    def __init__(
        self, store: Store, artifacts: ArtifactStore, client: Client, options: RunOptions, profiles: tuple[str, ...]
    ) -> None:
        self._store = store
        self._artifacts = artifacts
        self._client = client
        self._options = options
        self._profiles = profiles
        self._checkpoints = Checkpoints(store, artifacts)
        self._runs = LiveRuns(store, client)

    async def run(self, owner: str, job_id: str) -> RunAnswer:
        """Start the job, or say which run has it.

        Raises:
            NotFound, TransitionRefused, TerminalImmutable: The job is absent, not ready, or has ended.
            QuotaExceeded: As many of the owner's jobs are run as may be.
            EngineUnavailable, DispatchFailed: Nothing changed.
        """
        job = await self._get(owner, job_id)
        if job.kind != INSTRUCTION.kind:
            raise _runs_by_itself(job)
        if job.dispatch_id is not None and not has_ended(job):
            if await self._runs.is_live(job):
                return RunAnswer(job.id, job.status, job.dispatch_id, replayed=True)
            job = await self._thread(self._store.get_job, job.id)
        if job.status not in RUNNABLE:
            INSTRUCTION.check(INSTRUCTION.status(job.status), AUDIO_EXTRACTING, Trigger.API)
        await self._thread(self._store.check_run, owner, job.id)
        external = await self._external(job)
        resume_from = await self._resume_point(job, external) if job.dispatch_id else INSTRUCTION.status(job.status)
        start = JobStart(
            job_id=job.id,
            kind=job.kind,
            attempt=job.attempt if job.dispatch_id is None else job.attempt + 1,
            resume_from=str(resume_from),
            correlation_id=job.correlation_id,
            client_request_id=f"run-{uuid_utils.uuid7()}",
            model_profile=job.model_profile,
            pieces=await self._pieces(job, resume_from),
            external=external,
            options=self._options,
        )
        done = await self._dispatch(job, start, Trigger.API)
        return RunAnswer(job.id, done.job.status, done.dispatch.dispatch_id, replayed=not done.first)

    async def retry(
        self,
        owner: str,
        job_id: str,
        *,
        model_profile: str | None,
        client_request_id: str,
        trigger: Trigger = Trigger.USER,
    ) -> RetryAnswer:
        """Run a failed job again from its latest checkpoint that verifies. ``trigger``: its owner, or an administrator.

        Raises:
            RetryNotAllowed, JobAlreadyRunning: The job has not failed.
            ModelNotAllowed: There is no such profile.
            IdempotencyConflict: The same request id came with another profile.
            QuotaExceeded: As many of the owner's jobs are run as may be.
            EngineUnavailable, DispatchFailed: Nothing changed.
        """
        job = await self._get(owner, job_id)
        known = await self._thread(self._store.find_dispatch, job.id, client_request_id)
        if known is not None:
            if model_profile is not None and known.model_profile != model_profile:
                raise IdempotencyConflict("This client_request_id was used with another model_profile.")
            return await self._retry_answer(job, known, replayed=True)
        check_profile(model_profile, self._profiles)
        if job.kind in _RETRIED and job.dispatch_id is not None and not has_ended(job):
            if await self._runs.is_live(job):
                raise JobAlreadyRunning("The job is running.", details={"current_status": job.status})
            job = await self._runs.settled_if_lost(job)
        if job.status != _RETRIED.get(job.kind):
            raise _not_retried(job)
        if trigger is not Trigger.ADMIN:
            await self._thread(self._store.check_run, owner, job.id)
        await self._runs.until_closed(job)
        external = await self._external(job)
        await self._check_recording(job, external)
        resume_from = await self._resume_point(job, external)
        start = JobStart(
            job_id=job.id,
            kind=job.kind,
            attempt=job.attempt + 1,
            resume_from=resume_from,
            correlation_id=job.correlation_id,
            action=RETRY,
            client_request_id=client_request_id,
            model_profile=model_profile,
            pieces=await self._pieces(job, resume_from),
            external=external,
            options=self._options,
        )
        done = await self._dispatch(job, start, trigger)
        if done.dispatch.client_request_id != client_request_id:
            raise JobAlreadyRunning(
                "The job was retried by another request.", details={"current_status": done.job.status}
            )
        return await self._retry_answer(done.job, done.dispatch, replayed=not done.first)

    def may_be_retried(self, job: Job) -> bool:
        """Whether the job's owner can retry it as it stands, as far as that can be told beforehand. Reads the
        database."""
        if job.status != _RETRIED.get(job.kind):
            return False
        if job.kind != INSTRUCTION.kind or not self._store.has_lost_recording(job.id):
            return True
        return bool(external_stages(self._store.get_project(job.owner, job.project_id).stages))

    async def _dispatch(self, job: Job, start: JobStart, trigger: Trigger) -> RecordedDispatch:
        """Start the attempt's one workflow, and record it. Whoever comes second finds what the first one did."""
        dispatch_id = await self._start(job, start)
        try:
            return await self._thread(
                self._store.record_dispatch,
                job.id,
                attempt=start.attempt,
                dispatch_id=dispatch_id,
                resume_from=start.resume_from,
                action=start.action,
                trigger=trigger,
                actor=Actor.SYSTEM if trigger is Trigger.ADMIN else Actor.EDITOR,
                client_request_id=start.client_request_id,
                model_profile=start.model_profile,
                answering=True,
            )
        except Fenced:
            job = await self._thread(self._store.get_job, job.id)
        dispatch = await self._thread(self._store.get_dispatch, job.id, job.attempt)
        if dispatch is None:
            raise DispatchFailed("The job was given to another run meanwhile. Try again.")
        return RecordedDispatch(job=job, dispatch=dispatch, first=False)

    async def _start(self, job: Job, start: JobStart) -> str:
        """The first execution's run id of the job's workflow: started now, or running already."""
        async with engine_faults():
            try:
                handle = await begin_run(self._client, job, start, WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY)
            except WorkflowAlreadyStartedError:
                raise DispatchFailed("The job's run ended meanwhile. Load the job again.") from None
        return handle.first_execution_run_id or handle.result_run_id or ""

    async def _retry_answer(self, job: Job, dispatch: Dispatch, *, replayed: bool) -> RetryAnswer:
        resume_from = dispatch.resume_from or job.status
        kind = CHECKPOINT_ARTIFACT.get(INSTRUCTION.status(resume_from)) if job.kind == INSTRUCTION.kind else None
        artifact = await self._thread(self._store.latest_artifact, job.id, kind) if kind else None
        return RetryAnswer(
            job_id=job.id,
            status=job.status,
            resume_from_status=resume_from,
            checkpoint_ref=self._artifacts.uri(artifact.blob.key) if artifact else None,
            model_profile=dispatch.model_profile,
            dispatch_id=dispatch.dispatch_id,
            replayed=replayed,
        )

    async def _resume_point(self, job: Job, external: tuple[str, ...]) -> str:
        """The latest checkpoint whose artifact is there and has its recorded hash; where its run begins, of a kind
        without checkpoints."""
        if job.kind != INSTRUCTION.kind:
            return str(STARTS[job.kind])
        verified = await self._thread(self._checkpoints.verified, job.id, external)
        return str(starting_checkpoint(verified))

    async def _check_recording(self, job: Job, external: tuple[str, ...]) -> None:
        """Raises: RetryNotAllowed: The recording was erased, and with it what every stage looks at."""
        if job.kind != INSTRUCTION.kind or external:
            return
        if await self._thread(self._store.has_lost_recording, job.id):
            raise RetryNotAllowed("The recording of this job was erased. Upload it again as a new job.")

    async def _external(self, job: Job) -> tuple[str, ...]:
        """The stages that the job's project has done outside."""
        if job.kind != INSTRUCTION.kind:
            return ()
        project = await self._thread(self._store.get_project, job.owner, job.project_id)
        return tuple(sorted(external_stages(project.stages)))

    async def _pieces(self, job: Job, resume_from: str) -> int:
        """Into how many pieces the audio is cut, where the run does not cut it itself."""
        if resume_from == UPLOADED or job.kind != INSTRUCTION.kind:
            return 0
        audio = await self._thread(self._store.latest_artifact, job.id, ArtifactKind.AUDIO)
        pieces = audio.facts.get("pieces", 0) if audio else 0
        return pieces if isinstance(pieces, int) else 0

    async def _get(self, owner: str, job_id: str) -> Job:
        return await self._thread(self._store.get_job, job_id, owner=owner)

    @staticmethod
    async def _thread(call: Callable[..., T], *args: Any, **named: Any) -> T:
        return await asyncio.to_thread(call, *args, **named)


_RETRIED: Mapping[str, StrEnum] = {INSTRUCTION.kind: FAILED, ANALYSIS.kind: analysis.FAILED}
"""From where a job is retried by its owner, of the kinds whose table lets them."""


def _not_retried(job: Job) -> RetryNotAllowed:
    said = f"Only a failed job can be retried; this one is {job.status}."
    if job.kind not in _RETRIED:
        said = f"A job of the kind {job.kind} is not retried by whoever asked for it. Ask for it again."
    return RetryNotAllowed(said, details={"current_status": job.status})


def _runs_by_itself(job: Job) -> TransitionRefused:
    """Why a job of another kind is not run on this request."""
    lifecycle = lifecycle_of(job.kind)
    said = f"A job of the kind {job.kind} begins by itself. There is nothing to run."
    if job.kind == ANALYSIS.kind:
        said = "An analysis is run by POST /analyses/{id}/run, once its plan is confirmed."
    ended = lifecycle.is_terminal(lifecycle.status(job.status))
    return (TerminalImmutable if ended else TransitionRefused)(
        said,
        details={
            "current_status": job.status,
            "attempted_status": str(STARTS[job.kind]),
            "allowed_next_statuses": [str(each) for each in lifecycle.allowed_next(lifecycle.status(job.status))],
        },
    )
