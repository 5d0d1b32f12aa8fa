"""How often what fails is tried again."""

from collections.abc import Sequence
from datetime import timedelta

from temporalio.common import RetryPolicy

BESIDE_RETRIES = 4
"""Executions of what goes on beside the stages: the job waits for them, and goes on without their result."""

OVERDUE = "TemporalTimeout:StartToClose"
"""How Temporal's server calls an execution that took all of its time, where a policy names what is not retried."""


def stage_retries(budget: int, expected: Sequence[str] = ()) -> RetryPolicy:
    """Half a second, doubling to half a minute: a worker's death is picked up at once, and ``budget`` = 10 outlasts a
    database restart of two minutes. What fails with a code of ``expected`` is not tried again, nor what was at work for
    the whole of a stage's time: a budget of deaths is none of days.

    Each execution has a stage's time of its own, and nothing bounds their sum but ``budget``. That is meant: a death is
    the worker's and says nothing of the stage, and the next execution goes on from the resume point, so the sum is one
    stage's time and what was lost since the last resume points. Temporal's own bound over all executions
    (``schedule_to_close``) counts the waiting in the queue, too: behind a long queue a job would end unbegun."""
    return RetryPolicy(
        initial_interval=timedelta(milliseconds=500),
        backoff_coefficient=2.0,
        maximum_interval=timedelta(seconds=30),
        maximum_attempts=budget,
        non_retryable_error_types=[*expected, OVERDUE],
    )


ROW_TIMEOUT = timedelta(seconds=30)
"""For an execution that reads or writes a few rows of the database."""

MIRROR_RETRIES = RetryPolicy(initial_interval=timedelta(milliseconds=200), maximum_interval=timedelta(seconds=10))
"""Without end: a status that the database does not know yet is not forgotten."""
