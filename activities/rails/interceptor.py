"""The one place where the error taxonomy becomes Temporal's, and where the log learns what it is about.

``type`` is the stable code, ``non_retryable`` the taxonomy's verdict, ``next_retry_delay`` what a provider asked for.
Causes are cut: a driver's message may hold what must not be kept in a history.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import structlog
from temporalio import activity
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from activities.process.log_context import gathering, note_denied, place_of
from activities.process.metrics import EXECUTIONS, QUEUE_WAIT, RETRIES
from domain.errors import MESSAGE_LIMIT, Cancelled, GuidesmithError, exhausted_by

RETRY_AFTER_LIMIT_S = 600.0
"""Longest wait that a provider can impose on one retry. Beyond it the budget, not the provider, decides."""

LOGGED_IDS = ("job_id", "task_id", "correlation_id")
"""What every line of an activity carries of its input, where that has it."""

PROGRAMMING_ERRORS = (
    *(TypeError, AttributeError, NameError, LookupError, AssertionError, NotImplementedError),
    *(ArithmeticError, RecursionError),
)
"""What the code, and not the world, is to blame for. A second try tells a rare race from a fault."""

log = structlog.get_logger("guidesmith.activity")


class ErrorInterceptor(Interceptor):
    """Translates what an activity raises, logs it once, by code, and has every line inside say whose work it is."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _Translating(next)


class _Translating(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        info = activity.info()
        with (
            _timed(info),
            gathering(
                activity=info.activity_type, workflow_id=info.workflow_id, execution=info.attempt, **_ids(input.args)
            ),
        ):
            return await self._translated(input)

    async def _translated(self, input: ExecuteActivityInput) -> Any:
        try:
            return await super().execute_activity(input)
        except Cancelled as stopped:
            raise CancelledError(stopped.message) from None
        except GuidesmithError as error:
            self._log(error.code, error.retryable)
            note_denied(error)
            raise application_error(error) from None
        except (ApplicationError, CancelledError):
            raise
        except Exception as fault:
            lacking = exhausted_by(fault)
            told = unforeseen(fault) if lacking is None else application_error(lacking)
            self._log(told.type or "INTERNAL", not told.non_retryable, fault)
            raise told from None

    @staticmethod
    def _log(code: str, retryable: bool, fault: Exception | None = None) -> None:
        named = {} if fault is None else {"error": type(fault).__qualname__, "at": place_of(fault)}
        log.warning("activity.failed", code=code, retryable=retryable, exc_info=fault, **named)


@contextmanager
def _timed(info: activity.Info) -> Iterator[None]:
    """Around one execution, for the metrics."""
    if info.attempt > 1:
        RETRIES.labels(info.activity_type).inc()
    else:
        waited = (info.started_time - info.current_attempt_scheduled_time).total_seconds()
        QUEUE_WAIT.labels(info.task_queue.rpartition("-")[2]).observe(max(0.0, waited))
    began, outcome = time.perf_counter(), "ok"
    try:
        yield
    except ApplicationError as fault:
        outcome = fault.type or "INTERNAL"
        raise
    except BaseException:
        outcome = Cancelled.code  # nothing else comes through `_translated`
        raise
    finally:
        EXECUTIONS.labels(info.activity_type, outcome).observe(time.perf_counter() - began)


def unforeseen(fault: Exception) -> ApplicationError:
    """An error that is none of the taxonomy's, by its kind and its place: what it says may quote anything.

    Code that is wrong is wrong again: its second execution is its last. Where the caller gives up never (a status that
    has to reach the database), neither does this: better code will come.
    """
    info = activity.info()
    gives_up = info.retry_policy is not None and info.retry_policy.maximum_attempts > 0
    return ApplicationError(
        f"An unexpected {type(fault).__qualname__} at {place_of(fault)}."[:MESSAGE_LIMIT],
        type="INTERNAL",
        non_retryable=gives_up and info.attempt > 1 and isinstance(fault, PROGRAMMING_ERRORS),
    )


def application_error(error: GuidesmithError) -> ApplicationError:
    """``error`` as Temporal carries it."""
    delay = None if error.retry_after_s is None else timedelta(seconds=min(error.retry_after_s, RETRY_AFTER_LIMIT_S))
    return ApplicationError(
        error.message[:MESSAGE_LIMIT],
        type=error.code,
        non_retryable=not error.retryable,
        next_retry_delay=delay,
    )


def _ids(args: Sequence[object]) -> dict[str, object]:
    return {name: value for name in LOGGED_IDS for each in args if (value := getattr(each, name, None)) is not None}
