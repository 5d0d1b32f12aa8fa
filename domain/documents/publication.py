"""What a publisher needs to typeset one version of an instruction, and the formats there are."""

import re
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from domain.documents.brand import Branding
from domain.geometry import Box

ADDED = "X_"
"""What the names of formats begin with that other packages bring."""

ADDED_NAME = re.compile(r"X_[A-Z][A-Z0-9_]{0,37}")


_NAME = re.compile(r"[A-Z][A-Z0-9_]{1,39}")


class ExportFormat(StrEnum):
    """Names as the API and the database use them. A format that another package brings (``X_NAME``) is a value, too,
    and equal to its name, whether or not the package is installed where a row is read; it is no member. So is one that
    a newer version knows: its rows are read after a rollback."""

    PDF = "PDF"
    MD_ZIP = "MD_ZIP"
    DOCX = "DOCX"
    HTML = "HTML"
    SRT = "SRT"
    VTT = "VTT"
    MP4 = "MP4"
    MP4_VOICE = "MP4_VOICE"
    SITE = "SITE"
    CONFLUENCE = "CONFLUENCE"
    NOTION = "NOTION"

    @classmethod
    def _missing_(cls, value: object) -> "ExportFormat | None":
        if not isinstance(value, str) or not _NAME.fullmatch(value):
            return None
        added = str.__new__(cls, value)
        added._name_ = added._value_ = value
        return added

    @property
    def is_added(self) -> bool:
        """Whether another package brings it, or a newer version."""
        return self._name_ not in type(self).__members__


CAPTION_FORMATS = frozenset({ExportFormat.SRT, ExportFormat.VTT})
"""Made of the transcript; the others are made of the document, and do without one."""

HEARD_FORMATS = CAPTION_FORMATS | {ExportFormat.MP4}
"""Those in which what was said stands as captions: what is corrected in the transcript makes another file of them."""

FILM_FORMATS = frozenset({ExportFormat.MP4, ExportFormat.MP4_VOICE})
"""The recording cut to the document's steps: with its own sound, or with a voice that reads the document out."""

BRANDED_FORMATS = frozenset(ExportFormat) - CAPTION_FORMATS
"""Those that show a project's brand. So does one that another package brings, which is handed it."""

PLACED_FORMATS = frozenset({ExportFormat.CONFLUENCE, ExportFormat.NOTION})
"""Those that put the guide somewhere else: each request does so anew, since what stands there may have changed."""

WHOLE_FORMATS = frozenset({ExportFormat.HTML, ExportFormat.MD_ZIP, ExportFormat.SITE, *FILM_FORMATS})
"""Those in which a part of a picture can be opened to the whole, or stands for it."""

MEDIA_TYPES = {
    ExportFormat.PDF: "application/pdf",
    ExportFormat.MD_ZIP: "application/zip",
    ExportFormat.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ExportFormat.HTML: "text/html; charset=utf-8",
    ExportFormat.SRT: "application/x-subrip; charset=utf-8",
    ExportFormat.VTT: "text/vtt; charset=utf-8",
    ExportFormat.MP4: "video/mp4",
    ExportFormat.MP4_VOICE: "video/mp4",
    ExportFormat.SITE: "application/zip",
    ExportFormat.CONFLUENCE: "application/json",
    ExportFormat.NOTION: "application/json",
}
"""What a file of each format says it is."""


class Picture(BaseModel):
    """A screenshot as it goes into a publication.

    ``data`` holds the encoded image (PNG, JPEG or WebP), ``timestamp_ms`` the moment of the recording it shows. Where
    it is a part of a picture that readers may open, ``whole`` is that picture and ``crop`` the part. ``is_outcome``:
    it shows what came of the step.
    """

    model_config = ConfigDict(frozen=True)

    anchor_id: str
    data: bytes
    media_type: str
    width: int
    height: int
    timestamp_ms: int | None = None
    alt: str = ""
    whole: bytes | None = None
    crop: Box | None = None
    is_outcome: bool = False


class PublicationBlock(BaseModel):
    """A block of the document: Markdown without its marker line, where it happens, and what it shows."""

    model_config = ConfigDict(frozen=True)

    block_id: str
    markdown: str
    role: str = "text"
    """``title``, ``lead``, ``section``, ``step``, ``note``, ``warning`` or ``text`` (written by hand, or made so)."""
    start_ms: int | None = None
    end_ms: int | None = None
    pictures: tuple[Picture, ...] = ()


class Publication(BaseModel):
    """One version of an instruction, ready to be typeset. ``language`` is a BCP 47 tag."""

    model_config = ConfigDict(frozen=True)

    title: str
    language: str | None = None
    version: int
    blocks: tuple[PublicationBlock, ...]
    steps: int | None = None
    """How many the guide has, where ``blocks`` are not all of it."""
    source_name: str = ""
    """The recording's file name, for the colophon."""
    warnings: tuple[str, ...] = ()
    """Sentences about the version that its readers must know (nobody spoke, a part was guessed)."""
    created_at: datetime | None = None
    """When the version was written (with a time zone): the date that the files carry, whenever they are made."""
    duration_ms: int | None = None
    """Of the recording, where it is known."""
    branding: Branding | None = None
    """How its project's guides look; ``None``: as guides do without one."""


class Exporter(Protocol):
    """What makes files of a format that another package brings."""

    @property
    def title(self) -> str:
        """What people call the format."""

    @property
    def media_type(self) -> str: ...

    @property
    def extension(self) -> str:
        """Of its files, with the dot."""

    def export(self, publication: Publication) -> bytes:
        """The file. The same publication gives the same bytes; its texts are hostile until escaped."""


def clock(time_ms: int) -> str:
    """A moment of the recording as people write it: ``0:05``, ``12:34``, ``1:02:03``. Rounded down."""
    minutes, seconds = divmod(max(0, time_ms) // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
