"""Starting a job's run where nobody asks for it: the kinds whose work begins as soon as their job is made.

Idempotent by the job's id, so that the API, its retried request and the reconciler may all try.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

import structlog
from temporalio.client import Client, WorkflowHandle
from temporalio.common import (
    Priority,
    SearchAttributePair,
    TypedSearchAttributes,
    WorkflowIDConflictPolicy,
    WorkflowIDReusePolicy,
)
from temporalio.exceptions import WorkflowAlreadyStartedError

from activities.rails.contracts import JobStart, RunOptions
from activities.rails.search_attributes import KIND, OWNER, STATUS
from domain.jobs import Job
from domain.lifecycles.kinds import STARTS

Terms = Mapping[str, Mapping[str, int | float | str | bool]]
"""By kind: what its workflow goes by (see ``JobStart.terms``)."""

log = structlog.get_logger("guidesmith.jobs")


def is_startable(job: Job) -> bool:
    """Whether the job waits for its run to be started, and none has been yet."""
    return job.dispatch_id is None and STARTS.get(job.kind) == job.status


def turn_of(owner: str, project_id: str = "", weight: float | None = None) -> Priority:
    """What the stages of an owner's jobs wait by: one owner's backlog lets the others' through, each in turn. A server
    that is not told to be fair serves them as they come.

    Args:
        weight: Of a project that has turns of its own, that many where others get one.
    """
    whose = owner if weight is None else f"{owner}\n{project_id}"
    # a key has up to 64 bytes
    return Priority(fairness_key=hashlib.sha256(whose.encode()).hexdigest()[:32], fairness_weight=weight)


async def begin_run(
    client: Client, job: Job, start: JobStart, reuse: WorkflowIDReusePolicy
) -> WorkflowHandle[Any, Any]:
    """Start the job's workflow, or find the one that runs already. A kind's workflow is called as the kind is.

    Raises:
        WorkflowAlreadyStartedError: There was one, and ``reuse`` allows no other.
        temporalio.service.RPCError: Temporal could not be asked.
    """
    return await client.start_workflow(
        job.kind,
        start,
        id=job.id,
        task_queue=start.options.queue("jobs"),
        id_reuse_policy=reuse,
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        priority=turn_of(job.owner, job.project_id, start.options.weights.get(job.project_id)),
        search_attributes=TypedSearchAttributes(
            [
                SearchAttributePair(KIND, job.kind),
                SearchAttributePair(STATUS, start.resume_from),
                SearchAttributePair(OWNER, job.owner),
            ]
        ),
        static_summary=f"{job.kind} job, attempt {start.attempt}",
        static_details=f"Project `{job.project_id}`, correlation `{job.correlation_id}`.",
    )


class Dispatcher:
    """Starts runs.

    Args:
        client: Temporal.
        options: How runs execute their stages.
        terms: What each kind's workflow goes by.
    """

    def __init__(self, client: Client, options: RunOptions, terms: Terms | None = None) -> None:
        self._client = client
        self._options = options
        self._terms = terms or {}

    async def start(self, job: Job) -> None:
        """Start the run of the job's current attempt, unless there is one or has been.

        Raises:
            temporalio.service.RPCError: Temporal could not be asked.
        """
        start = JobStart(
            job_id=job.id,
            kind=job.kind,
            attempt=job.attempt,
            resume_from=job.status,
            correlation_id=job.correlation_id,
            options=self._options,
            terms=dict(self._terms.get(job.kind, {})),
        )
        first = job.attempt == 1  # a later attempt has a closed run before it, whichever way that ended
        reuse = WorkflowIDReusePolicy.REJECT_DUPLICATE if first else WorkflowIDReusePolicy.ALLOW_DUPLICATE
        try:
            await begin_run(self._client, job, start, reuse)
        except WorkflowAlreadyStartedError:
            log.info("job.run_already", job_id=job.id)
