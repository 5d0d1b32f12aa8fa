"""What a generation is asked for, by its type; and what a provider says of the end of its work."""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from domain.jobs import Frozen
from domain.lifecycles.generation import SUBMITTED, GenerationType

MOST_VARIANTS = 5
VARIANTS = 3

TEXT_LIMIT = 4096
"""Characters that are spoken at once: OpenAI's limit of a speech request."""

DETAIL_LIMIT = 200
"""Characters of an audience, of a voice's name."""


class Order(Frozen):
    """What every type may say. ``product_id``: what the caller calls what is advertised; ``style``: in their words."""

    product_id: str | None = None
    style: str | None = None


class CopyOrder(Order):
    """Texts that advertise something. ``prompt`` says what, ``audience`` to whom."""

    type: Literal[GenerationType.COPY] = GenerationType.COPY
    prompt: str
    audience: str | None = None
    tone: Literal["plain", "warm", "bold"] = "plain"
    variants: int = VARIANTS


class ScrapeOrder(Order):
    """The readable text of a public web page."""

    type: Literal[GenerationType.SCRAPE] = GenerationType.SCRAPE
    url: str


class AdOrder(Order):
    """A picture that advertises something. ``params`` go to the provider's model as they are."""

    type: Literal[GenerationType.STATIC_AD] = GenerationType.STATIC_AD
    prompt: str
    params: dict[str, Any] = Field(default_factory=dict)


class VideoOrder(Order):
    """A video as a user would make it. ``params`` as of an ad."""

    type: Literal[GenerationType.UGC_VIDEO] = GenerationType.UGC_VIDEO
    prompt: str
    params: dict[str, Any] = Field(default_factory=dict)


class SpeechOrder(Order):
    """A text, spoken."""

    type: Literal[GenerationType.TTS] = GenerationType.TTS
    text: str
    voice: str | None = None
    params: dict[str, Any] = Field(default_factory=dict)


GenerationOrder = Annotated[CopyOrder | ScrapeOrder | AdOrder | VideoOrder | SpeechOrder, Field(discriminator="type")]

_ORDERS: TypeAdapter[GenerationOrder] = TypeAdapter(GenerationOrder)


def read_order(stored: dict[str, Any]) -> GenerationOrder:
    """The order that a job's input holds."""
    return _ORDERS.validate_python(stored)


def needs_queue(of: GenerationType) -> bool:
    """Whether a job of this type waits in the queue; the others are begun at once."""
    return of in SUBMITTED


class ProviderWord(Frozen):
    """How a provider's work ended.

    Args:
        outputs: Where the results lie.
        failure_code: Set where there are none. ``passing``: the same work, given to it again, may succeed.
        failure_message: Safe to show.
    """

    outputs: tuple[str, ...] = ()
    failure_code: str | None = None
    failure_message: str | None = None
    passing: bool = False


class Submission(Frozen):
    """What an attempt gave to a provider, as number ``number``. ``external_id``: what the provider calls it, once the
    submit call has returned. ``word``: how it ended, once anybody knows."""

    job_id: str
    attempt: int
    number: int
    provider: str
    external_id: str | None = None
    word: ProviderWord | None = None

    @property
    def request_id(self) -> str:
        """The same however often the submit call is made: a provider that keeps it begins one work."""
        return f"{self.job_id}-{self.attempt}" + (f"-{self.number}" if self.number > 1 else "")
