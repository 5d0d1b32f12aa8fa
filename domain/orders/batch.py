"""What a batch is asked to do, and which items that makes. Items are numbered from 1."""

from enum import StrEnum

from pydantic import Field

from domain.errors import RequestInvalid
from domain.jobs import Frozen
from domain.lifecycles.batch import BatchType

MAX_ITEMS = 1000
"""Items of one batch."""

MAX_STILLS = 24
STILLS = 12
MAX_WIDTH, MIN_WIDTH, WIDTH = 1280, 64, 320
"""Pixels of a still's width."""

LONGEST_MS = 24 * 3600 * 1000
"""No recording is longer."""

ASSETS_PER_ITEM = 32
"""Numbers of the job's assets that belong to one item: its own is theirs divided by this."""


class CaptionFormat(StrEnum):
    SRT = "srt"
    VTT = "vtt"


class Span(Frozen):
    """A stretch of a recording, in ms from its beginning."""

    start_ms: int = Field(ge=0)
    end_ms: int = Field(ge=1)


class BatchItem(Frozen):
    """One piece of the work. ``source``: the job whose recording it is about."""

    number: int
    source: str
    span: Span | None = None

    def ordinal(self, asset: int) -> int:
        """The number among the job's assets of this item's ``asset`` (from 1)."""
        if not 1 <= asset < ASSETS_PER_ITEM:
            raise ValueError(f"an item has up to {ASSETS_PER_ITEM - 1} assets")
        return (self.number - 1) * ASSETS_PER_ITEM + asset


class BatchOrder(Frozen):
    """The order, as it is kept with the job.

    Args:
        sources: Jobs whose recordings (or transcripts) are worked on.
        spans: Of clips: each is cut out of each recording.
        stills: Of thumbnails: how many pictures, spread evenly, besides the contact sheet.
        width: Of thumbnails: a still's, in pixels.
        formats: Of captions.
    """

    job_type: BatchType
    sources: tuple[str, ...]
    spans: tuple[Span, ...] = ()
    stills: int = Field(default=STILLS, ge=1, le=MAX_STILLS)
    width: int = Field(default=WIDTH, ge=MIN_WIDTH, le=MAX_WIDTH)
    formats: tuple[CaptionFormat, ...] = (CaptionFormat.SRT, CaptionFormat.VTT)

    @property
    def _each(self) -> tuple[Span | None, ...]:
        """What is done to each recording."""
        return self.spans if self.job_type is BatchType.CLIPS else (None,)

    @property
    def items(self) -> int:
        return len(self.sources) * len(self._each)

    def item(self, number: int) -> BatchItem:
        """Item ``number``: every piece of the first recording comes first."""
        place, piece = divmod(number - 1, len(self._each))
        return BatchItem(number=number, source=self.sources[place], span=self._each[piece])

    def check(self) -> None:
        """Raises: RequestInvalid: nothing to do, too much, or a stretch that ends before it begins."""
        if not 1 <= self.items <= MAX_ITEMS:
            raise RequestInvalid(
                f"The batch has {self.items} items; it may have 1 to {MAX_ITEMS}. Split it into several.",
                field="parameters",
            )
        for span in self.spans:
            if not span.start_ms < span.end_ms <= LONGEST_MS:
                raise RequestInvalid(
                    "A range ends after it starts, and within 24 hours. Correct the range.", field="parameters.ranges"
                )


def item_of(ordinal: int) -> int:
    """The item that made the job's asset number ``ordinal``."""
    return (ordinal - 1) // ASSETS_PER_ITEM + 1


def progress_of(settled: int, items: int) -> int:
    """A batch's progress while it works. 100 is said where it ends."""
    return min(99, 100 * settled // items)
