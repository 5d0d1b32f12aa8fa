"""The reconciler's workflow, for schedules of versions up to 0.1; rounds are workers' own now
(``activities/upkeep/rounds.py``)."""

from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy

with workflow.unsafe.imports_passed_through():
    from activities.rails.versioning import soon_over
    from activities.upkeep.reconciling import Reconciled, Reconciler

NAME = "reconciler"


@workflow.defn(name=NAME, versioning_behavior=soon_over())
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
