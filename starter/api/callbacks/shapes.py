"""What an external stage runner sends, and what a repeated event is answered."""

import hashlib
import json
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, StringConstraints

from domain.artifacts import ArtifactKind
from domain.errors import RequestInvalid
from domain.jobs import Actor
from domain.lifecycles.callbacks import CLOCK_SKEW_S, URI_LIMIT, Callback, checked_moment, checked_uri
from domain.lifecycles.instruction import InstructionStatus
from starter.api.shapes import GivenMoment, Line, Moment, Sent, Shape, Text

METRICS_LIMIT = 32
YEARS = range(2000, 2200)
"""Of a runner's clock. Beyond them a time zone may lead out of what a date can be."""


def _plausible(moment: datetime) -> datetime:
    if moment.year not in YEARS:
        raise ValueError("is no moment of our time")
    try:
        return checked_moment(moment.astimezone(UTC), datetime.now(UTC))
    except RequestInvalid as ahead:
        raise ValueError(ahead.message) from None


def _uri(value: str) -> str:
    try:
        return checked_uri(value)
    except RequestInvalid as invalid:
        raise ValueError(invalid.message) from None


Occurred = Annotated[
    GivenMoment,
    AfterValidator(_plausible),
    Field(
        description=f"By the runner's clock, at most {CLOCK_SKEW_S} s ahead of ours; RFC 3339 with a time zone.",
        examples=["2026-01-31T12:00:00Z"],
    ),
]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$")]
Uri = Annotated[str, StringConstraints(min_length=1, max_length=URI_LIMIT), AfterValidator(_uri)]
Metric = (
    bool
    | Annotated[int, Field(ge=-(2**53), le=2**53)]
    | Annotated[float, Field(allow_inf_nan=False)]
    | Annotated[Text, StringConstraints(max_length=200)]
    | None
)


class ArtifactUpdates(Sent):
    """Where the runner put what it made. Only what lies in this server's artifact store (`artifact://KEY`, or the
    store's own URL and the key) is ever opened."""

    audio_uri: Uri | None = None
    transcript_uri: Uri | None = None
    draft_uri: Uri | None = None
    export_uri: Uri | None = None
    video_uri: Uri | None = Field(default=None, description="Ignored: a recording is never replaced.")
    metrics: dict[Name, Metric] = Field(default_factory=dict, max_length=METRICS_LIMIT)

    def by_kind(self) -> dict[ArtifactKind, str]:
        named = {
            ArtifactKind.AUDIO: self.audio_uri,
            ArtifactKind.TRANSCRIPT: self.transcript_uri,
            ArtifactKind.DRAFT: self.draft_uri,
            ArtifactKind.EXPORT: self.export_uri,
            ArtifactKind.VIDEO: self.video_uri,
        }
        return {kind: uri for kind, uri in named.items() if uri is not None}


class NewCallback(Sent):
    event_id: Line | None = Field(
        default=None, description="Of this event alone: sent again, it counts once. Here or as X-Event-Id."
    )
    job_id: Line | None = Field(default=None, description="As in the path, where it is given.")
    status: InstructionStatus | None = Field(
        default=None, description="The stage's checkpoint, FAILED, or its processing status again: a sign of life."
    )
    target_status: InstructionStatus | None = Field(default=None, description="Another name of status.")
    occurred_at: Occurred
    correlation_id: Line
    dispatch_id: Line | None = Field(default=None, description="Of the run that it speaks of; checked when given.")
    actor_type: Literal["editor", "orchestrator", "system"] = "orchestrator"
    artifact_updates: ArtifactUpdates | None = None
    failure_code: Name | None = None
    failure_message: Text | None = Field(default=None, description="Shown to people, cut at 500 characters.")
    failed_stage: Name | None = None

    def named(self, job_id: str, event_id: str | None) -> Self:
        """The same as it is said in one way: with ``event_id`` and ``status``, without ``job_id``.

        Args:
            job_id: The path's.
            event_id: The header's.

        Raises:
            RequestInvalid: Something is missing, or said twice and differently.
        """
        if self.job_id is not None and self.job_id != job_id:
            raise RequestInvalid("The job_id is another than the path's.", field="body.job_id")
        event = _one(self.event_id, event_id, "body.event_id", "an event_id, here or as X-Event-Id")
        status = _one(self.status, self.target_status, "body.status", "a status (or target_status)")
        return self.model_copy(
            update={"event_id": event, "status": status, "target_status": None, "job_id": None},
        )

    def callback(self) -> Callback:
        assert self.event_id is not None and self.status is not None, "it was named"
        updates = self.artifact_updates or ArtifactUpdates()
        return Callback(
            event_id=self.event_id,
            status=self.status,
            occurred_at=self.occurred_at,
            correlation_id=self.correlation_id,
            dispatch_id=self.dispatch_id,
            actor=Actor(self.actor_type),
            artifacts=updates.by_kind(),
            metrics=updates.metrics,
            failure_code=self.failure_code,
            failure_message=self.failure_message,
            failed_stage=self.failed_stage,
        )

    def payload_sha256(self) -> str:
        """Hash of what is said, however it was written down."""
        body: dict[str, Any] = self.model_dump(mode="json", exclude_none=True)
        return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


Told = TypeVar("Told", bound=str)


def _one(one: Told | None, other: Told | None, place: str, what: str) -> Told:
    given = {each for each in (one, other) if each is not None}
    if len(given) != 1:
        raise RequestInvalid(f"Say {what}" + (", and the same twice." if given else "."), field=place)
    return given.pop()


class CallbackReplayed(Shape):
    job_id: str
    event_id: str
    replayed: Literal[True] = True
    current_status: str
    latest_applied_occurred_at: Moment
