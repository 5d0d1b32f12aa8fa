"""Stages that a runner outside does, and what its callbacks may do to a job.

The workflow sets a stage's processing status and waits; the runner reports the checkpoint or the failure. Everything
that decides whether a callback counts is here, in the order of the contract: a replay, a terminal job, an overtaken
dispatch, the order in time, the table. Nothing here knows a database or a clock.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple
from urllib.parse import unquote

from pydantic import Field

from domain.artifacts import ArtifactKind
from domain.errors import (
    MESSAGE_LIMIT,
    CallbackOutOfOrder,
    EventPayloadMismatch,
    ExternalStageFailed,
    RequestInvalid,
    StaleDispatch,
    TerminalImmutable,
    TransitionRefused,
)
from domain.jobs import Actor, Failure, Frozen, StageName
from domain.lifecycles.instruction import (
    AUDIO_EXTRACTING,
    AUDIO_READY,
    DRAFT_READY,
    FAILED,
    GENERATING,
    TRANSCRIBING,
    TRANSCRIPT_READY,
    UPLOADED,
    InstructionStatus,
)
from domain.lifecycles.lifecycle import Lifecycle, Trigger

EXTERNAL = "external"
"""What a project writes beside a stage that a runner of its own does."""

RAW = frozenset({ArtifactKind.VIDEO})
"""What people uploaded: no callback replaces it."""

URI_LIMIT = 1000
"""Characters of an artifact's URI."""

CLOCK_SKEW_S = 300
"""How far a runner's clock may be ahead of ours: what Standard Webhooks allow a sender's (five minutes)."""

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s\\]+")


# --- the stages --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExternalStage:
    """A stage that can be done outside: from ``before`` by ``processing`` to ``checkpoint``, leaving ``artifact``."""

    name: StageName
    before: InstructionStatus
    processing: InstructionStatus
    checkpoint: InstructionStatus
    artifact: ArtifactKind


AUDIO = ExternalStage(StageName.AUDIO, UPLOADED, AUDIO_EXTRACTING, AUDIO_READY, ArtifactKind.AUDIO)
TRANSCRIPTION = ExternalStage(
    StageName.TRANSCRIPTION, AUDIO_READY, TRANSCRIBING, TRANSCRIPT_READY, ArtifactKind.TRANSCRIPT
)
DRAFT = ExternalStage(StageName.DRAFT, TRANSCRIPT_READY, GENERATING, DRAFT_READY, ArtifactKind.DRAFT)

EXTERNAL_STAGES: Mapping[StageName, ExternalStage] = {stage.name: stage for stage in (AUDIO, TRANSCRIPTION, DRAFT)}


def external_stages(stages: Mapping[str, str]) -> frozenset[StageName]:
    """Which stages a project has done outside, from its ``stages`` (``{"audio": "external"}``)."""
    return frozenset(StageName(name) for name, runner in stages.items() if runner == EXTERNAL)


def never_replaced(external: Collection[str]) -> frozenset[ArtifactKind]:
    """The artifacts that no callback replaces: what people uploaded, and what stages of ours make."""
    return RAW | {stage.artifact for stage in EXTERNAL_STAGES.values() if stage.name not in external}


def is_needed(stage: ExternalStage, external: Collection[str]) -> bool:
    """Whether a stage of ours reads what ``stage`` leaves, so that it must lie where we can: the audio where we
    transcribe, the transcript where we draft, the draft always, since it becomes the document."""
    reader = {StageName.AUDIO: StageName.TRANSCRIPTION, StageName.TRANSCRIPTION: StageName.DRAFT}.get(stage.name)
    return reader is None or reader not in external


class Reached(StrEnum):
    """Where a job stands, seen from one stage."""

    BEFORE = "before"
    PROCESSING = "processing"
    ENDED = "ended"
    FAILED = "failed"


def reached(status: InstructionStatus, stage: ExternalStage) -> Reached:
    """How far ``stage`` is. The statuses of an attempt only go forward, so whatever lies behind means it ended.

    Raises:
        TerminalImmutable: The job has ended otherwise than by a failure.
    """
    order = list(InstructionStatus)
    if status is FAILED:
        return Reached.FAILED
    if status in (InstructionStatus.DONE, InstructionStatus.CANCELLED):
        raise TerminalImmutable(
            f"The job has ended as {status}.",
            details={
                "current_status": str(status),
                "attempted_status": str(stage.processing),
                "allowed_next_statuses": [],
            },
        )
    if order.index(status) >= order.index(stage.checkpoint):
        return Reached.ENDED
    return Reached.PROCESSING if status is stage.processing else Reached.BEFORE


# --- what a runner reports ---------------------------------------------------------------------------------------


class Callback(Frozen):
    """What a runner says happened.

    ``occurred_at`` is the runner's own clock. ``artifacts`` are URIs, taken as given. ``metrics`` are small measured
    facts. ``failure`` counts where ``status`` is FAILED.
    """

    event_id: str
    status: InstructionStatus
    occurred_at: datetime
    correlation_id: str
    dispatch_id: str | None = None
    actor: Actor = Actor.ORCHESTRATOR
    artifacts: Mapping[ArtifactKind, str] = Field(default_factory=dict)
    metrics: Mapping[str, int | float | str | bool | None] = Field(default_factory=dict)
    failure_code: str | None = None
    failure_message: str | None = None
    failed_stage: str | None = None

    def failure(self, stage: ExternalStage) -> Failure | None:
        """What the job is to say of its end, or ``None`` where the runner reports none."""
        if self.status is not FAILED:
            return None
        return Failure(
            failure_code=self.failure_code or ExternalStageFailed.code,
            failure_message=one_line(self.failure_message or "")
            or f"The outside runner failed at the {stage.name} and did not say why. Look at its log, then retry.",
            failed_stage=self.failed_stage or str(stage.name),
            correlation_id=self.correlation_id,
        )


class ReportedArtifact(Frozen):
    """A URI that a runner reported. ``artifact_id``: the artifact that was made of it once it was read and verified.
    ``rejected_code``: why it could not be."""

    id: str
    job_id: str
    event_id: str
    attempt: int
    kind: ArtifactKind
    uri: str
    artifact_id: str | None = None
    rejected_code: str | None = None
    created_at: datetime


class Undelivered(NamedTuple):
    """A callback that moved its job, and that the job's workflow was perhaps not told of."""

    job_id: str
    event_id: str


def in_words(seconds: float) -> str:
    """How long somebody waits, in the largest unit of which it is one or more: ``24 hours``, ``1 minute``."""
    unit, name = next((each for each in ((3600, "hour"), (60, "minute")) if seconds >= each[0]), (1, "second"))
    count = f"{seconds / unit:.3g}"
    return f"{count} {name}" if count == "1" else f"{count} {name}s"


def one_line(text: str) -> str:
    """A runner's sentence, safe to show: printable, on one line, at most ``MESSAGE_LIMIT`` characters."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())[:MESSAGE_LIMIT]


def checked_uri(uri: str) -> str:
    """``uri``, when an artifact may be said to lie there. It is never fetched unless it is in our own store.

    Raises:
        RequestInvalid: No absolute URI, too long, with unprintable characters, or climbing (``..``).
    """
    if len(uri) > URI_LIMIT or not uri.isprintable() or not _URI.fullmatch(uri):
        raise RequestInvalid(f"An artifact's URI has a scheme, no blanks and at most {URI_LIMIT} characters.")
    path = unquote(unquote(uri.partition("://")[2]))
    if not path.isprintable() or {".", ".."} & set(re.split(r"[/\\?#]", path)):
        raise RequestInvalid("An artifact's URI names its place directly, without `.` or `..`.")
    return uri


def checked_moment(occurred_at: datetime, now: datetime) -> datetime:
    """``occurred_at``, when it can have happened by ``now``. One that lies ahead would put every later callback of its
    attempt out of order until its time has come.

    Raises:
        RequestInvalid: It is more than ``CLOCK_SKEW_S`` ahead.
    """
    if occurred_at > now + timedelta(seconds=CLOCK_SKEW_S):
        raise RequestInvalid(f"An event has happened already, and this is over {in_words(CLOCK_SKEW_S)} ahead of now.")
    return occurred_at


# --- the decision ------------------------------------------------------------------------------------------------


class Effect(StrEnum):
    """What an accepted callback does."""

    MOVE = "move"
    SELF = "self"
    """The processing status again: an audit row, nothing else."""
    REPLAY = "replay"
    """The same event came before: nothing at all."""


@dataclass(frozen=True)
class CallbackContext:
    """What the store knows when a callback comes, read under the job's lock.

    Args:
        attempt_began: When the current attempt was dispatched; ``None``: it was not.
        latest_occurred_at: Of the job's callbacks that were applied, the newest; ``None``: none was.
        latest_in_attempt: The same of the current attempt: a retry does not inherit what a wrong clock once said.
        known_payload: The hash with which this event came before; ``None``: it did not.
        external: The stages that are done outside.
    """

    lifecycle: Lifecycle[Any]
    status: str
    dispatch_id: str | None
    attempt_began: datetime | None
    latest_occurred_at: datetime | None
    latest_in_attempt: datetime | None
    known_payload: str | None
    external: frozenset[StageName]


@dataclass(frozen=True)
class Decision:
    """``stage`` is the one that the callback speaks for; ``None`` for a replay."""

    effect: Effect
    stage: ExternalStage | None = None


def decide(context: CallbackContext, callback: Callback, payload_sha256: str) -> Decision:
    """Whether ``callback`` counts, by the checks of the contract in their order.

    Raises:
        EventPayloadMismatch: The event came before and said something else.
        TerminalImmutable: The job has ended.
        StaleDispatch: It speaks of a run that another has overtaken.
        CallbackOutOfOrder: A newer callback was applied, or the current attempt began after it.
        TransitionRefused: The job was not dispatched, its stage is not done outside, or the table has no such move.
    """
    if context.known_payload is not None:
        if context.known_payload != payload_sha256:
            raise EventPayloadMismatch(
                "This event_id came before with another payload. Give every event an id of its own.",
                details={"event_id": callback.event_id},
            )
        return Decision(Effect.REPLAY)
    if context.lifecycle.is_terminal(context.lifecycle.status(context.status)):
        raise _refused(context, callback, TerminalImmutable, f"The job has ended as {context.status}.")
    _check_run(context, callback)
    stage = _stage_at(context, callback)
    context.lifecycle.check(InstructionStatus(context.status), callback.status, Trigger.WORKFLOW)
    return Decision(Effect.SELF if callback.status == context.status else Effect.MOVE, stage)


def _check_run(context: CallbackContext, callback: Callback) -> None:
    if callback.dispatch_id is not None and callback.dispatch_id != context.dispatch_id:
        raise StaleDispatch(
            "This dispatch_id is not the job's current one: another run has taken over.",
            details={"dispatch_id": callback.dispatch_id, "current_dispatch_id": context.dispatch_id},
        )
    # Without a dispatch_id only its time can tell a callback that was meant for an earlier attempt.
    began = context.attempt_began if callback.dispatch_id is None else None
    if any(moment is not None and callback.occurred_at < moment for moment in (context.latest_in_attempt, began)):
        raise CallbackOutOfOrder(
            "A newer callback was applied already, or the current attempt began after this one occurred.",
            details={
                "latest_applied_occurred_at": _rfc3339(context.latest_occurred_at),
                "current_status": context.status,
                "attempted_status": str(callback.status),
            },
        )


def _rfc3339(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _stage_at(context: CallbackContext, callback: Callback) -> ExternalStage:
    if context.dispatch_id is None:
        raise _refused(context, callback, TransitionRefused, "The job was not started yet: run it first.")
    for stage in EXTERNAL_STAGES.values():
        if context.status in (stage.before, stage.processing) and stage.name in context.external:
            return stage
    raise _refused(
        context,
        callback,
        TransitionRefused,
        f"The job is {context.status}, where no outside runner is waited for: only a stage that its project calls "
        f"{EXTERNAL} takes callbacks.",
    )


def _refused(
    context: CallbackContext, callback: Callback, refusal: type[TransitionRefused], message: str
) -> TransitionRefused:
    allowed = context.lifecycle.allowed_next(context.lifecycle.status(context.status))
    return refusal(
        message,
        details={
            "current_status": context.status,
            "attempted_status": str(callback.status),
            "allowed_next_statuses": [str(each) for each in allowed],
        },
    )
