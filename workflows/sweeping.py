"""The sweeps' workflows, and how often they are started."""

from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy

with workflow.unsafe.imports_passed_through():
    from activities.rails.versioning import soon_over
    from activities.upkeep.orphans import Orphaned, OrphanSweeper
    from activities.upkeep.sweeping import HEARTBEAT_TIMEOUT_S, Sweeper, Swept

NAME = "sweep"
EVERY = timedelta(hours=1)
"""What was abandoned lies about for a day before it is swept; an hour more does not matter. Two billed actions each."""

ORPHANS = "sweep-orphans"
ORPHANS_EVERY = timedelta(days=1)
"""It lists the whole store, a request for each thousand objects; what it looks for is weeks old."""


@workflow.defn(name=NAME, versioning_behavior=soon_over())
class SweepWorkflow:
    """One round."""

    @workflow.run
    async def run(self) -> Swept:
        return await workflow.execute_activity_method(
            Sweeper.sweep,
            start_to_close_timeout=timedelta(hours=1),
            heartbeat_timeout=timedelta(seconds=HEARTBEAT_TIMEOUT_S),
            retry_policy=RetryPolicy(maximum_attempts=2),
            summary="drop abandoned uploads",
        )


@workflow.defn(name=ORPHANS, versioning_behavior=soon_over())
class SweepOrphansWorkflow:
    """One round."""

    @workflow.run
    async def run(self) -> Orphaned:
        return await workflow.execute_activity_method(
            OrphanSweeper.sweep,
            start_to_close_timeout=timedelta(hours=20),
            heartbeat_timeout=timedelta(seconds=HEARTBEAT_TIMEOUT_S),
            retry_policy=RetryPolicy(maximum_attempts=2),
            summary="drop files that nobody recorded",
        )
