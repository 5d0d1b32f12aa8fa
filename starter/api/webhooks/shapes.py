"""The bodies of webhooks' requests and answers."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from activities.providers.outbound import URL_LIMIT
from domain.lifecycles.generation import WebhookVerdict
from domain.webhooks import Delivery, DeliveryAttempt, DeliveryStatus, Endpoint, WebhookEvent
from starter.api.shapes import Line, Moment, Sent, Shape


class NewEndpoint(Sent):
    url: Annotated[str, StringConstraints(min_length=1, max_length=URL_LIMIT)] = Field(
        description="http or https, on the public internet.", examples=["https://example.org/guidesmith"]
    )
    events: tuple[WebhookEvent, ...] = Field(
        default=(), max_length=len(WebhookEvent), description="What to tell; empty: everything."
    )
    description: Line | None = None


class EndpointAnswer(Shape):
    id: str
    url: str
    events: tuple[WebhookEvent, ...]
    description: str | None
    created_at: Moment

    @classmethod
    def of(cls, endpoint: Endpoint) -> "EndpointAnswer":
        return cls(**endpoint.model_dump(include=set(cls.model_fields)))


class MadeEndpoint(EndpointAnswer):
    """An endpoint as it is answered once, when it is made."""

    secret: str = Field(description="Signs what is sent there (Standard Webhooks). It is not shown again.")

    @classmethod
    def made(cls, endpoint: Endpoint) -> "MadeEndpoint":
        return cls(**endpoint.model_dump(include=set(cls.model_fields)))


class AttemptAnswer(Shape):
    number: int
    status_code: int | None = Field(description="What the endpoint answered, if it did.")
    duration_ms: int
    error_code: str | None
    error: str | None
    attempted_at: Moment

    @classmethod
    def of(cls, attempt: DeliveryAttempt) -> "AttemptAnswer":
        return cls(**attempt.model_dump())


class DeliveryAnswer(Shape):
    id: str
    endpoint_id: str
    job_id: str
    event: WebhookEvent
    message_id: str = Field(description="The webhook-id header: the same however often it is sent.")
    status: DeliveryStatus
    round: int = Field(description="1, and one more for each redelivery.")
    payload: dict[str, Any] = Field(description="What is sent.")
    attempts: tuple[AttemptAnswer, ...]
    created_at: Moment
    completed_at: Moment | None

    @classmethod
    def of(cls, delivery: Delivery) -> "DeliveryAnswer":
        return cls(
            **delivery.model_dump(include=set(cls.model_fields) - {"attempts", "message_id"}),
            message_id=delivery.message_id,
            attempts=tuple(AttemptAnswer.of(each) for each in delivery.attempts),
        )


class WebhookTaken(Shape):
    """What became of a provider's webhook. All of it is taken; not all of it counts."""

    event_id: str
    verdict: WebhookVerdict
