"""The one place where the error taxonomy becomes Temporal's.

``type`` is the stable code, ``non_retryable`` the taxonomy's verdict, ``next_retry_delay`` what a provider asked for.
Causes are cut: a driver's message may hold what must not be kept in a history.
"""

from datetime import timedelta
from typing import Any

import structlog
from temporalio import activity
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from domain.errors import MESSAGE_LIMIT, Cancelled, GuidesmithError

RETRY_AFTER_LIMIT_S = 600.0
"""Longest wait that a provider can impose on one retry. Beyond it the budget, not the provider, decides."""

log = structlog.get_logger("guidesmith.activity")


class ErrorInterceptor(Interceptor):
    """Translates what an activity raises, and logs it once, by code."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _Translating(next)


class _Translating(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        try:
            return await super().execute_activity(input)
        except Cancelled as stopped:
            raise CancelledError(stopped.message) from None
        except GuidesmithError as error:
            self._log(error.code, error.retryable)
            raise application_error(error) from None
        except (ApplicationError, CancelledError):
            raise
        except Exception as fault:
            self._log("INTERNAL", True, fault)
            raise ApplicationError(f"An unexpected {type(fault).__name__}.", type="INTERNAL") from None

    @staticmethod
    def _log(code: str, retryable: bool, fault: Exception | None = None) -> None:
        info = activity.info()
        log.warning(
            "activity.failed",
            activity=info.activity_type,
            workflow_id=info.workflow_id,
            execution=info.attempt,
            code=code,
            retryable=retryable,
            fault=_where(fault) if fault else None,
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


def _where(fault: Exception) -> str:
    """The fault's class and the last lines of code it passed, without its message: that may quote the user."""
    frames = []
    trace = fault.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(f"{code.co_name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"{type(fault).__name__} at {' > '.join(frames[-6:])}"
