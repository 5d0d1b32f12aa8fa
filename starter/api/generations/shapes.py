"""The bodies of what is asked and answered about generations."""

from abc import abstractmethod
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StrictInt, StringConstraints

from activities.providers.outbound import URL_LIMIT
from domain.lifecycles.generation import GenerationType
from domain.orders.generation import (
    DETAIL_LIMIT,
    MOST_VARIANTS,
    TEXT_LIMIT,
    VARIANTS,
    AdOrder,
    CopyOrder,
    GenerationOrder,
    ScrapeOrder,
    SpeechOrder,
    VideoOrder,
)
from starter.api.images.shapes import PROMPT_CAP, AssetFacts
from starter.api.shapes import JobAnswer, Moment, Shape, Text

KEY_LIMIT = 200

Detail = Annotated[Text, StringConstraints(min_length=1, max_length=DETAIL_LIMIT)]
Prompt = Annotated[Text, StringConstraints(max_length=PROMPT_CAP)]
Params = Annotated[
    dict[str, Any], Field(description="What the provider's model takes besides, as it knows it; numbers, short texts.")
]


class _Asked(Shape):
    """Something that is asked for."""

    model_config = ConfigDict(extra="forbid")

    idempotency_key: Annotated[str, StringConstraints(min_length=1, max_length=KEY_LIMIT)] | None = Field(
        default=None,
        description="Yours, for good: the same key with the same body is answered with the job that it made, and costs "
        "nothing. Where it is given, the Idempotency-Key header says nothing.",
    )

    @abstractmethod
    def order(self) -> GenerationOrder: ...


class NewCopy(_Asked):
    """Texts that advertise something."""

    prompt: Prompt = Field(description="What is advertised.", examples=["A kettle that boils in a minute"])
    audience: Detail | None = Field(default=None, description="To whom.")
    tone: Literal["plain", "warm", "bold"] = "plain"
    variants: Annotated[StrictInt, Field(ge=1, le=MOST_VARIANTS)] = VARIANTS

    def order(self) -> CopyOrder:
        return CopyOrder(**self.model_dump(exclude={"idempotency_key"}))


class NewScrape(_Asked):
    """The readable text of a public web page whose robots.txt allows it."""

    url: Annotated[Text, StringConstraints(min_length=1, max_length=URL_LIMIT)] = Field(
        examples=["https://example.org/"], json_schema_extra={"format": "uri"}
    )

    def order(self) -> ScrapeOrder:
        return ScrapeOrder(url=self.url)


class NewStaticAd(_Asked):
    """A picture that advertises something, by the configured provider."""

    prompt: Prompt = Field(description="What it shows.")
    params: Params = Field(default_factory=dict)

    def order(self) -> AdOrder:
        return AdOrder(prompt=self.prompt, params=self.params)


class NewVideo(_Asked):
    """A video as a user would make it, by the configured provider."""

    prompt: Prompt = Field(description="What it shows.")
    params: Params = Field(default_factory=dict)

    def order(self) -> VideoOrder:
        return VideoOrder(prompt=self.prompt, params=self.params)


class NewSpeech(_Asked):
    """A text, spoken."""

    text: Annotated[Text, StringConstraints(max_length=PROMPT_CAP)] = Field(
        description=f"At most {TEXT_LIMIT} characters."
    )
    voice: Detail | None = Field(default=None, description="As who speaks calls it; none: the usual one.")
    params: Params = Field(default_factory=dict)

    def order(self) -> SpeechOrder:
        return SpeechOrder(text=self.text, voice=self.voice, params=self.params)


class GenerationAnswer(JobAnswer):
    """The job, with what it was asked for and what it made."""

    type: GenerationType
    order: dict[str, Any] = Field(description="What was asked for.")
    cost: int = Field(ge=0, description="Credits that an attempt costs.")
    retry_count: int = Field(ge=0, description="Executions of the current attempt that have failed.")
    next_try_at: Moment | None = Field(description="While it waits for its next try.")
    assets: tuple[AssetFacts, ...]
    result_url: str | None = Field(description="Signed: the first asset. Null before it is there.")
    result_url_expires_at: Moment | None
