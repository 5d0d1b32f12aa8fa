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

SUFFIXES = {
    "video/mp4": "mp4",
    "video/webm": "webm",
    "video/x-matroska": "mkv",
    "audio/mp4": "m4a",
    "audio/webm": "weba",
    "audio/x-matroska": "mka",
    "image/jpeg": "jpg",
}
"""Of the files that batches make, by their type."""

POSTER_WIDTH = 320
"""Pixels of the picture that stands for a clip; on a page it is shown 208 to 320 wide."""

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
        return ordinal_of(self.number, asset)


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


def ordinal_of(item: int, asset: int) -> int:
    """See :meth:`BatchItem.ordinal`."""
    if not 1 <= asset < ASSETS_PER_ITEM:
        raise ValueError(f"an item has up to {ASSETS_PER_ITEM - 1} assets")
    return (item - 1) * ASSETS_PER_ITEM + asset


def item_of(ordinal: int) -> int:
    """The item that made the job's asset number ``ordinal``."""
    return (ordinal - 1) // ASSETS_PER_ITEM + 1


def progress_of(settled: int, items: int) -> int:
    """A batch's progress while it works. 100 is said where it ends."""
    return min(99, 100 * settled // items)


def file_name(name: str, item: int, at_ms: int | None, media_type: str) -> str:
    """What an asset is saved as: what it is, the item that made it, and of a still the moment that it shows. No two of
    a batch are the same, and nothing of it is anybody's words.

    Args:
        name: What it is; with a suffix of its own where one belongs to it.
    """
    plain, _, own = name.partition(".")
    moment = f"-{at_ms:08}ms" if at_ms is not None else ""
    return f"{plain}-{item:04}{moment}.{own or SUFFIXES.get(media_type, 'bin')}"
