"""The bodies of what is asked and answered about the kinds that one request makes."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from domain.orders.picture import SIZES
from starter.api.shapes import AssetFacts, JobAnswer, Moment, Sent, Text

PROMPT_CAP = 100_000
"""Characters of a prompt that are looked at; how many it may have is a setting."""


class NewImage(Sent):
    prompt: Annotated[Text, StringConstraints(max_length=PROMPT_CAP)] = Field(
        description="What the picture shows.", examples=["A lighthouse in a storm, seen from the sea"]
    )
    params: dict[str, Any] = Field(
        default_factory=dict,
        description=f"size ({', '.join(SIZES)}), quality, style, background: as the image model knows them. "
        "Others are kept with the job, and not passed on.",
        examples=[{"size": SIZES[0]}],
    )


class ImageAnswer(JobAnswer):
    """The job, with what it was asked for and what it made."""

    prompt: str
    params: dict[str, Any]
    retry_count: int = Field(ge=0, description="Executions that have failed.")
    started_at: Moment | None = Field(description="When a worker first took it.")
    next_try_at: Moment | None = Field(description="While it waits for its next try.")
    asset: AssetFacts | None
    result_url: str | None = Field(description="Signed: the picture. Null before it is there.")
    result_url_expires_at: Moment | None
