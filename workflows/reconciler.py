"""The reconciler's workflow, and how often it is started."""

from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy

with workflow.unsafe.imports_passed_through():
    from activities.upkeep.reconciling import Reconciled, Reconciler

NAME = "reconciler"
EVERY = timedelta(minutes=1)
"""A lost job is shown as such within this. Each round costs two billed actions."""


@workflow.defn(name=NAME)
class ReconcilerWorkflow:
    """One round."""

    @workflow.run
    async def run(self) -> Reconciled:
        return await workflow.execute_activity_method(
            Reconciler.reconcile,
            start_to_close_timeout=timedelta(minutes=10),
            heartbeat_timeout=timedelta(seconds=30),
            retry_policy=RetryPolicy(maximum_attempts=3),
            summary="compare the mirror with the engine",
        )
