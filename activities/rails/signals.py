"""Tells a job's workflow that its row has news. Says nothing else, so that it may be said twice or not at all."""

from datetime import timedelta

from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

REPORTED = "reported"
"""The signal's name."""

EDIT = "edit"
"""The signal that a job's document was changed for the first time."""

TASKS_ENDED = "tasks_ended"
"""The signal that exports or regenerations ended which the job's run does not follow."""

PATIENCE = timedelta(seconds=3)
"""A runner that called back is not kept waiting for an engine that is away."""


async def wake(client: Client, job_id: str, signal: str = REPORTED) -> None:
    """Signal the job's live workflow; a job without one has nobody to tell.

    Raises:
        RPCError, RuntimeError: Temporal was not reached.
    """
    try:
        await client.get_workflow_handle(job_id).signal(signal, rpc_timeout=PATIENCE)
    except RPCError as fault:
        if fault.status is not RPCStatusCode.NOT_FOUND:
            raise
