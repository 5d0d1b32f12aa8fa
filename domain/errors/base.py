"""What every error of the taxonomy is: a stable code, whether it is retried, and a message that is safe to show."""

from collections.abc import Mapping
from typing import ClassVar

MESSAGE_LIMIT = 500
"""Characters of an error message that are kept. A sentence or three; more is somebody's stack."""


STAGE_TIMED_OUT = "STAGE_TIMED_OUT"
"""No error of ours, but a silence: an execution of a stage that was not heard of again."""


WORKFLOW_LOST = "WORKFLOW_LOST"
"""Likewise: the workflow of a job ended, and did not say so."""


class GuidesmithError(Exception):
    """Root of the tree.

    Args:
        message: What happened and what the reader can do, safe to show.
        details: Structured facts for programs, safe to show.
        retry_after_s: Seconds a provider asked us to wait, when it did.
    """

    code: ClassVar[str] = "INTERNAL"
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        message: str,
        *,
        details: Mapping[str, object] | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        self.message = message[:MESSAGE_LIMIT]
        self.details: dict[str, object] = dict(details or {})
        self.retry_after_s = retry_after_s
        super().__init__(self.message)
