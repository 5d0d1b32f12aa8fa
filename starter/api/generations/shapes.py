"""The bodies of what is asked and answered about generations."""

from abc import abstractmethod
from typing import Annotated, Any, Literal, get_args

from pydantic import ConfigDict, Field, StrictInt, StringConstraints

from activities.providers.outbound import URL_LIMIT
from domain.errors import RequestInvalid
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
from starter.api.images.shapes import PROMPT_CAP
from starter.api.shapes import AssetFacts, JobAnswer, Moment, Shape, Text

KEY_LIMIT = 200

Tone = Literal["plain", "warm", "bold"]
TONES: tuple[Tone, ...] = get_args(Tone)

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
    product_id: Detail | None = Field(
        default=None, description="What you call what is advertised: named where nothing else says what is made."
    )
    style: Detail | None = Field(default=None, description="In your words. It is part of what a model is told.")

    def brief(self, prompt: str | None) -> str:
        """What a model is told: ``prompt``, or the product's name; and the style."""
        if prompt is None and self.product_id is None:
            raise RequestInvalid("Say what is made: a prompt, or a product_id.", field="body.prompt")
        told = prompt if prompt is not None else str(self.product_id)
        return f"{told}\nStyle: {self.style}" if self.style else told

    @property
    def named(self) -> dict[str, Any]:
        """What the order keeps of it."""
        return {"product_id": self.product_id, "style": self.style}

    @abstractmethod
    def order(self) -> GenerationOrder: ...


class NewCopy(_Asked):
    """Texts that advertise something."""

    prompt: Prompt | None = Field(
        default=None,
        description="What is advertised; without it the product_id says so.",
        examples=["A kettle that boils in a minute"],
    )
    audience: Detail | None = Field(default=None, description="To whom.")
    tone: Tone = Field(default="plain", description="A style that is one of these is the tone where none is given.")
    variants: Annotated[StrictInt, Field(ge=1, le=MOST_VARIANTS)] = VARIANTS

    def order(self) -> CopyOrder:
        tone = self.style if self.style in TONES and "tone" not in self.model_fields_set else self.tone
        told = self.model_copy(update={"style": None}) if tone == self.style else self
        facts = self.model_dump(include={"audience", "variants"})
        return CopyOrder(prompt=told.brief(self.prompt), tone=tone, **facts, **self.named)


class NewScrape(_Asked):
    """The readable text of a public web page whose robots.txt allows it."""

    url: Annotated[Text, StringConstraints(min_length=1, max_length=URL_LIMIT)] | None = Field(
        default=None,
        description="Without it the product_id is read as one.",
        examples=["https://example.org/"],
    )

    def order(self) -> ScrapeOrder:
        url = self.url or self.product_id
        if url is None:
            raise RequestInvalid("Say which page: a url, or a product_id that is one.", field="body.url")
        return ScrapeOrder(url=url, **self.named)


class NewStaticAd(_Asked):
    """A picture that advertises something, by the configured provider."""

    prompt: Prompt | None = Field(default=None, description="What it shows; without it the product_id says so.")
    params: Params = Field(default_factory=dict)

    def order(self) -> AdOrder:
        return AdOrder(prompt=self.brief(self.prompt), params=self.params, **self.named)


class NewVideo(_Asked):
    """A video as a user would make it, by the configured provider."""

    prompt: Prompt | None = Field(default=None, description="What it shows; without it the product_id says so.")
    params: Params = Field(default_factory=dict)

    def order(self) -> VideoOrder:
        return VideoOrder(prompt=self.brief(self.prompt), params=self.params, **self.named)


class NewSpeech(_Asked):
    """A text, spoken."""

    text: Annotated[Text, StringConstraints(max_length=PROMPT_CAP)] | None = Field(
        default=None, description=f"At most {TEXT_LIMIT} characters; without it the product_id is spoken."
    )
    voice: Detail | None = Field(default=None, description="As who speaks calls it; none: the usual one.")
    params: Params = Field(default_factory=dict)

    def order(self) -> SpeechOrder:
        text = self.text if self.text is not None else self.product_id
        if text is None:
            raise RequestInvalid("Say what is spoken: a text, or a product_id.", field="body.text")
        # a style is kept with the order: what is spoken is the text alone
        return SpeechOrder(text=text, voice=self.voice, params=self.params, **self.named)


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
