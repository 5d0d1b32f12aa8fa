"""The ``generation`` lifecycle: copy, scraped text, ads, videos, speech. And which webhooks count for a job."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.lifecycles.instruction import RETRY
from domain.lifecycles.lifecycle import Lifecycle, Trigger, rows

API, WORKER, WEBHOOK, ADMIN, SYSTEM = Trigger.API, Trigger.WORKER, Trigger.WEBHOOK, Trigger.ADMIN, Trigger.SYSTEM

MAX_ATTEMPTS = 3
"""Executions of one attempt's work that may fail for a passing reason before the job is ``failed``."""


class GenerationType(StrEnum):
    """What is generated."""

    COPY = "copy"
    SCRAPE = "scrape"
    STATIC_AD = "static_ad"
    UGC_VIDEO = "ugc_video"
    TTS = "tts"


SUBMITTED = frozenset({GenerationType.STATIC_AD, GenerationType.UGC_VIDEO, GenerationType.TTS})
"""Given to a provider, and completed by its webhook. The others are completed by the worker itself."""


class GenerationStatus(StrEnum):
    """Statuses in order. ``failed`` and ``expired`` are terminal but for the retry."""

    PENDING = "pending"
    QUEUED = "queued"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELED = "canceled"
    EXPIRED = "expired"


PENDING = GenerationStatus.PENDING
QUEUED = GenerationStatus.QUEUED
PROCESSING = GenerationStatus.PROCESSING
COMPLETED = GenerationStatus.COMPLETED
FAILED = GenerationStatus.FAILED
CANCELED = GenerationStatus.CANCELED
EXPIRED = GenerationStatus.EXPIRED

BY_RUN = (WORKER, API)
BY_ANYONE = (WORKER, WEBHOOK, API, SYSTEM)

GENERATION = Lifecycle(
    kind="generation",
    statuses=GenerationStatus,
    terminals=frozenset({COMPLETED, FAILED, CANCELED, EXPIRED}),
    failures=frozenset({FAILED, EXPIRED}),
    cancelled=CANCELED,
    runner=WORKER,
    transitions=Lifecycle.of(
        rows(None, PENDING, API, "the input is valid; credits are deducted with the row's insert"),
        rows(PENDING, QUEUED, BY_RUN, "waits for a worker"),
        rows((PENDING, QUEUED), PROCESSING, BY_RUN, "work began; what needs no queue skips it"),
        rows((PENDING, QUEUED), FAILED, BY_RUN, "could not begin; refunded"),
        rows((PENDING, QUEUED), CANCELED, BY_RUN, "stopped on request; refunded"),
        rows(PROCESSING, COMPLETED, BY_ANYONE, "the result is stored"),
        rows(PROCESSING, FAILED, BY_ANYONE, "not recoverable, or the retries are spent; refunded"),
        rows(PROCESSING, CANCELED, BY_ANYONE, "stopped on request; refunded"),
        rows(PROCESSING, EXPIRED, BY_ANYONE, "no word from the provider by the deadline, nor when asked; refunded"),
        rows((FAILED, EXPIRED), PENDING, ADMIN, "a new attempt; credits are deducted again", action=RETRY),
    ),
)


def backoff_s(failures: int) -> float:
    """Seconds to wait once ``failures`` executions (from 1) of an attempt have failed: 2, 4."""
    return float(2 ** min(max(failures, 1), 5))


class Addressee(BaseModel):
    """The job that a webhook was issued for, as it stands.

    ``issued_for`` is the attempt that the webhook's address was made for, ``attempt`` the job's current one.
    """

    model_config = ConfigDict(frozen=True)

    issued_for: int
    attempt: int
    status: GenerationStatus


class WebhookVerdict(StrEnum):
    """What to do with a webhook whose signature holds. All of them are answered 2xx."""

    APPLY = "apply"
    """Deliver it to the job's run."""
    EARLY = "early"
    """The run has not submitted yet: keep it, the run asks for it once it has."""
    REPEATED = "repeated"
    """It came before: nothing changes."""
    LATE = "late"
    """Its attempt is over: nothing changes."""
    UNKNOWN = "unknown"
    """It belongs to no job: nothing changes, and it is stored for inspection."""


def judge_webhook(addressee: Addressee | None, *, repeated: bool) -> WebhookVerdict:
    """Whether a webhook counts.

    Args:
        addressee: ``None``: no job was found for it.
        repeated: The provider's event id was seen before.
    """
    if addressee is None:
        return WebhookVerdict.UNKNOWN
    if repeated:
        return WebhookVerdict.REPEATED
    if addressee.issued_for != addressee.attempt or GENERATION.is_terminal(addressee.status):
        return WebhookVerdict.LATE
    return WebhookVerdict.APPLY if addressee.status is PROCESSING else WebhookVerdict.EARLY
