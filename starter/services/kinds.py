"""The life of a job of any kind that one request makes: made, started, stopped.

A job is made in the database first, with its input and what it costs, and its run is started then. Where the start is
lost in between, the reconciler makes up for it: whoever was told of the job need not ask again.
"""

import asyncio
import time

import structlog
from temporalio.client import Client

from activities.rails.contracts import RunOptions
from activities.rails.dispatching import Dispatcher, Terms, is_startable
from activities.store import Store
from domain.errors import Cancelled, DispatchFailed, EngineUnavailable, JobVersionConflict
from domain.jobs import Actor, Failure, Job
from domain.lifecycles.batch import BATCH
from domain.lifecycles.kinds import WORKING_ON, lifecycle_of
from domain.lifecycles.lifecycle import Trigger
from starter.services.engine import engine_faults, signalled

CANCEL = "cancel"
"""The signal that every workflow takes whose kind can be cancelled."""

SUPERSEDED = "superseded"
"""The signal to a run that waits for its next try, where a newer job has taken its place."""

CANCEL_WAIT_S = 6.0
"""Seconds a cancel request waits for the mirror to say so; a job is promised to take five."""

CANCEL_POLL_S = 0.1

log = structlog.get_logger("guidesmith.jobs")


class KindService:
    """What is the same for every such kind.

    Args:
        store: Called from threads.
        client: A (lazily connected) Temporal client.
        options: How runs execute their stages.
        terms: What each kind's runs go by.
    """

    def __init__(self, store: Store, client: Client, options: RunOptions, terms: Terms | None = None) -> None:
        self._store = store
        self._client = client
        self._dispatcher = Dispatcher(client, options, terms)

    async def check_engine(self) -> None:
        """Ask before anything is written. Raises: EngineUnavailable: Temporal is not there, and nothing changed."""
        async with engine_faults():
            await self._client.service_client.check_health()

    async def start(self, job: Job) -> None:
        """Start the job's run, unless there is one or the job does not wait for one. It is not an error if Temporal
        went away meanwhile: the reconciler starts it."""
        if not is_startable(job):
            return
        try:
            async with engine_faults():
                await self._dispatcher.start(job)
        except (EngineUnavailable, DispatchFailed) as absent:
            log.warning("job.start_postponed", job_id=job.id, code=absent.code)

    async def tell_superseded(self, job_id: str) -> None:
        """Tell a job's run that a newer job has taken its place. Where Temporal is away, or its caller dies before
        this, the run finds that by itself when its pause is over."""
        try:
            await signalled(self._client, job_id, SUPERSEDED)
        except (EngineUnavailable, DispatchFailed) as absent:
            log.warning("job.superseded_untold", job_id=job_id, code=absent.code)

    async def cancel(self, owner: str, job_id: str) -> Job:
        """Stop the job; answers once it has ended, or after ``CANCEL_WAIT_S`` as it then stands. A batch ends by what
        there is by then.

        Raises:
            TransitionRefused, TerminalImmutable: The kind's table has no such move from where the job is, or it ended
                otherwise before it could be stopped.
            NotFound. EngineUnavailable: nothing changed.
        """
        job = await asyncio.to_thread(self._store.get_job, job_id, owner=owner)
        lifecycle = lifecycle_of(job.kind)
        target = lifecycle.check_cancel(lifecycle.status(job.status), Trigger.API)
        if job.dispatch_id is None or not await signalled(self._client, job.id, CANCEL):
            try:
                return await asyncio.to_thread(self._stop, job, str(target))
            except JobVersionConflict:  # a run has taken it up meanwhile: that is told
                return await self.cancel(owner, job_id)
        deadline = time.monotonic() + CANCEL_WAIT_S
        while not lifecycle.is_terminal(lifecycle.status(job.status)) and time.monotonic() < deadline:
            await asyncio.sleep(CANCEL_POLL_S)
            job = await asyncio.to_thread(self._store.get_job, job_id, owner=owner)
        status = lifecycle.status(job.status)
        if lifecycle.is_terminal(status) and not lifecycle.is_stopped(status):
            lifecycle.check_cancel(status, Trigger.API)  # refuses
        return job

    def _stop(self, job: Job, target: str) -> Job:
        """Stop a job that no run works on."""
        lifecycle = lifecycle_of(job.kind)
        note = "cancelled on request"
        failure = Failure(
            failure_code=Cancelled.code,
            failure_message="The work was stopped on request.",
            failed_stage=WORKING_ON[job.kind].get(lifecycle.status(job.status)),
            correlation_id=job.correlation_id,
        )
        if job.kind == BATCH.kind:
            return self._store.end_batch(job.id, failure, version=job.version, actor=Actor.EDITOR, note=note)
        return self._store.move(job.id, None, target, trigger=Trigger.API, actor=Actor.EDITOR, note=note)
