"""The bodies of what is asked and answered about batches."""

from abc import abstractmethod
from typing import Annotated, Literal

from pydantic import Field, StrictInt, StringConstraints

from domain.lifecycles.batch import BatchType
from domain.orders.batch import (
    LONGEST_MS,
    MAX_ITEMS,
    MAX_STILLS,
    MAX_WIDTH,
    MIN_WIDTH,
    STILLS,
    WIDTH,
    BatchOrder,
    CaptionFormat,
    Span,
)
from starter.api.shapes import AssetFacts, Moment, Sent, Shape

JobId = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class Recording(Sent):
    job_id: JobId = Field(description="One of your jobs: its uploaded recording, or what is said in it.")


class Parameters(Sent):
    inputs: Annotated[tuple[Recording, ...], Field(min_length=1, max_length=MAX_ITEMS)]

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(each.job_id for each in self.inputs)


class Range(Sent):
    start_ms: Annotated[StrictInt, Field(ge=0, le=LONGEST_MS)]
    end_ms: Annotated[StrictInt, Field(ge=1, le=LONGEST_MS)]


class ClipParameters(Parameters):
    ranges: Annotated[tuple[Range, ...], Field(min_length=1, max_length=MAX_ITEMS)] = Field(
        description=f"Each is cut out of each recording: up to {MAX_ITEMS} clips in all."
    )


class ThumbnailParameters(Parameters):
    stills: Annotated[StrictInt, Field(ge=1, le=MAX_STILLS)] = Field(
        default=STILLS, description="Pictures of each recording, besides its contact sheet."
    )
    width: Annotated[StrictInt, Field(ge=MIN_WIDTH, le=MAX_WIDTH)] = Field(default=WIDTH, description="Of a still.")


class CaptionParameters(Parameters):
    formats: Annotated[tuple[CaptionFormat, ...], Field(min_length=1, max_length=len(CaptionFormat))] = tuple(
        CaptionFormat
    )


class _Asked(Sent):
    """A batch that is asked for."""

    @abstractmethod
    def order(self) -> BatchOrder: ...


class NewClips(_Asked):
    """Stretches of recordings, cut out as they are: nothing is encoded again."""

    job_type: Literal["clips"]
    parameters: ClipParameters

    def order(self) -> BatchOrder:
        spans = tuple(Span(start_ms=each.start_ms, end_ms=each.end_ms) for each in self.parameters.ranges)
        return BatchOrder(job_type=BatchType.CLIPS, sources=self.parameters.sources, spans=spans)


class NewThumbnails(_Asked):
    """Stills of recordings, spread evenly, and a contact sheet of each."""

    job_type: Literal["thumbnails"]
    parameters: ThumbnailParameters

    def order(self) -> BatchOrder:
        return BatchOrder(
            job_type=BatchType.THUMBNAILS,
            sources=self.parameters.sources,
            stills=self.parameters.stills,
            width=self.parameters.width,
        )


class NewCaptions(_Asked):
    """Captions of recordings that have a transcript."""

    job_type: Literal["captions"]
    parameters: CaptionParameters

    def order(self) -> BatchOrder:
        formats = tuple(dict.fromkeys(self.parameters.formats))
        return BatchOrder(job_type=BatchType.CAPTIONS, sources=self.parameters.sources, formats=formats)


NewBatch = Annotated[NewClips | NewThumbnails | NewCaptions, Field(discriminator="job_type")]


class JobAsset(AssetFacts):
    """What a job made. ``item`` and what follows: of a batch."""

    item: int | None = Field(description="The number of the item that made it, from 1.")
    name: str | None = Field(description="clip, contact-sheet, still, captions.srt, captions.vtt.")
    source_job_id: str | None = Field(description="Whose recording it is of.")
    begins_ms: int | None = Field(description="Of a clip: the recording's time at which it begins when it is played.")
    ends_ms: int | None
    at_ms: int | None = Field(description="Of a still: the recording's time.")
    created_at: Moment


class ItemErrorAnswer(Shape):
    """Why an item of a batch was given up."""

    item: int
    source_job_id: str
    code: str
    message: str


class JobAssets(Shape):
    """One page of what a job made, newest first, and all that went wrong."""

    items: tuple[JobAsset, ...]
    next_cursor: str | None = Field(description="For the next page; null at the end.")
    errors: tuple[ItemErrorAnswer, ...] = Field(
        description="Of a batch: every item that was given up, in order, on the first page."
    )
