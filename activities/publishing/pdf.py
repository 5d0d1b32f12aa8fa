"""PDF, with Typst.

The manuscript becomes data (``document.json``) that a template of ours (``instruction.typ``) reads: no Typst code is
ever made from a user's text, so there is nothing to inject into. The compiler runs in a process of its own
(``typesetter.py``), sees one temporary folder as its root, has no packages, and gets the version's date instead of
the clock: the same version gives the same bytes.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from activities.confined.outside import Bounds, Died, Overran, answer, made_bytes, places
from activities.publishing import typesetter
from activities.publishing.branding.appearance import LOGO_FILE, Appearance, Line
from activities.publishing.direction import Direction, of_language, of_nodes
from activities.publishing.fonts import Typeface, typeface_for
from activities.publishing.labels import primary_language
from activities.publishing.manuscript import Manuscript, Section
from activities.publishing.markup import (
    Block,
    Blocks,
    CodeBlock,
    CodeSpan,
    Heading,
    Inline,
    Inlines,
    LineBreak,
    Link,
    Listing,
    Paragraph,
    Quote,
    Rule,
    Styled,
    Table,
    Text,
)
from activities.publishing.pictures import Illustration, scaled
from domain.documents.brand import Numbering, Placeholder
from domain.documents.publication import clock
from domain.errors import ExportFailed

EPOCH = datetime(1980, 1, 1, tzinfo=UTC)
"""The date of a version that has none."""
TEMPLATE = "instruction.typ"
CONTENTS_FROM = 3
"""Headings below which a table of contents says nothing that the page does not."""
LARGEST_WHOLE = 20_000
"""Characters of a section's data that may yet fit a page; a larger one is not measured to find that it does not."""
MOST_PIXELS = 150_000_000
"""Of a PDF's pictures together: the typesetter holds them unpacked, four bytes each. More than 72 screenshots of
1920 by 1080 are made smaller to share it; two hundred still have 200 dots an inch."""
TAB = "    "
MADE = "made-{:05}"
"""What the typesetter's files are called, counted from 0."""
MOST_PAGES = 5000
LARGEST_MADE = 1 << 30
FULLEST_ROOT = 4 << 30
"""Bytes of the pictures of a document together with what is made of them."""
TIMEOUT_S = 600.0
CPU_SECONDS = 240
MEMORY_BYTES = 4 * 1024**3
"""Where a document stops being one: a thousand pages take a tenth of either."""
SENTENCE_MAKES_NO_CASE = frozenset({"ar", "fa", "he", "ja", "ko", "ur", "zh"})
"""Languages whose scripts have no capital letters: labels are not spaced out there, which would tear them apart."""


@dataclass(frozen=True, slots=True)
class Typeset:
    """``data`` is one PDF, or the pages as PNG. ``missing_glyphs`` are characters that no font at hand has."""

    data: tuple[bytes, ...]
    missing_glyphs: tuple[str, ...]


def pdf(manuscript: Manuscript, on_progress: Callable[[], None] = lambda: None) -> Typeset:
    """The manuscript as one tagged PDF.

    Raises:
        ExportFailed: The typesetter refused the document.
    """
    return _typeset(manuscript, _How("pdf"), on_progress)


def pages(manuscript: Manuscript, ppi: float) -> Typeset:
    """The same pages as pictures (PNG), ``ppi`` pixels an inch.

    Raises:
        ExportFailed: The typesetter refused the document.
    """
    return _typeset(manuscript, _How("png", ppi), lambda: None)


@dataclass(frozen=True, slots=True)
class _How:
    """``ppi`` is for PNG: pixels an inch."""

    format: Literal["pdf", "png"]
    ppi: float | None = None


def _typeset(manuscript: Manuscript, how: _How, on_progress: Callable[[], None]) -> Typeset:
    language = primary_language(manuscript.publication.language)
    document = _document(manuscript, language)
    look = manuscript.appearance
    typeface = typeface_for(json.dumps(document, ensure_ascii=False), language, look.font if look is not None else None)
    document["fonts"] = {"body": typeface.body, "code": typeface.code}
    with TemporaryDirectory(prefix="guidesmith-pdf-") as folder:
        root = Path(folder)
        _lay_out(root, document, manuscript, on_progress)
        return Typeset(_compile(root, typeface, how, _date(manuscript), on_progress), typeface.missing)


def _lay_out(root: Path, document: dict[str, object], manuscript: Manuscript, on_progress: Callable[[], None]) -> None:
    template = files("activities.publishing").joinpath(TEMPLATE).read_text(encoding="utf-8")
    (root / TEMPLATE).write_text(template, encoding="utf-8")
    (root / "document.json").write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    images = root / "images"
    images.mkdir()
    pictures = [picture for section in manuscript.sections for picture in section.illustrations]
    pixels = sum(picture.width * picture.height for picture in pictures)
    for picture in pictures:
        on_progress()
        data = picture.data if pixels <= MOST_PIXELS else scaled(picture, math.sqrt(MOST_PIXELS / pixels))
        (images / picture.filename).write_bytes(data)
    if manuscript.appearance is not None and manuscript.appearance.logo is not None:
        (images / LOGO_FILE).write_bytes(manuscript.appearance.logo.png)


def _compile(
    root: Path, typeface: Typeface, how: _How, date: datetime, on_progress: Callable[[], None]
) -> tuple[bytes, ...]:
    order = {
        "root": str(root),
        "template": TEMPLATE,
        "format": how.format,
        "ppi": how.ppi,
        "date": date.isoformat(),
        "fonts": [str(folder) for folder in typeface.folders],
        "system_fonts": typeface.with_system,
        "made": MADE,
    }
    made = _ordered(order, on_progress)
    if "error" in made:
        raise _failed(str(made["error"]))
    try:
        return tuple(made_bytes(root, MADE.format(place), LARGEST_MADE) for place in range(made_count(made)))
    except Died:
        raise _failed("the typesetter made something that is no file") from None


def _ordered(order: Mapping[str, object], on_progress: Callable[[], None]) -> dict[str, Any]:
    """What the typesetter answers. It never outlives this call, however the call ends."""
    bounds = Bounds(
        wall_s=TIMEOUT_S,
        cpu_s=CPU_SECONDS,
        memory_bytes=MEMORY_BYTES,
        file_bytes=LARGEST_MADE,
        folder_bytes=FULLEST_ROOT,
    )
    how: Any = {"environment": places(), "cwd": Path(str(order["root"])), "on_poll": on_progress}
    try:
        return answer(Path(typesetter.__file__), order, bounds, **how, loads=typesetter.LOADS)
    except Overran:
        raise _failed("the typesetter took too long") from None
    except Died:
        raise _failed("the typesetter stopped: the document is too large for it, or it crashed") from None


def made_count(made: Mapping[str, Any]) -> int:
    """How many files a typesetter says that it made. Raises: Died: It says nothing of the kind."""
    count = made.get("files", 0)
    if not isinstance(count, int) or not 0 <= count <= MOST_PAGES:
        raise Died
    return count


def _failed(reason: str) -> ExportFailed:
    return ExportFailed(
        "The document could not be typeset as PDF. Export it as DOCX or HTML, or simplify the part edited last.",
        details={"reason": reason},
    )


def _date(manuscript: Manuscript) -> datetime:
    written = manuscript.publication.created_at
    return written.astimezone(UTC).replace(microsecond=0) if written else EPOCH


# --- the manuscript as data ------------------------------------------------------------------------------------


def _document(manuscript: Manuscript, language: str) -> dict[str, object]:
    publication = manuscript.publication
    labels = manuscript.labels
    written = publication.created_at and _date(manuscript)
    headings = sum(bool(section.heading) for section in manuscript.sections)
    direction = of_language(language)
    return {
        "language": language,
        "region": _region(publication.language),
        "direction": direction,
        "cased": language not in SENTENCE_MAKES_NO_CASE,
        "labels": {"contents": labels.contents, "outcome": labels.outcome},
        "title": _inlines(manuscript.title),
        "title-direction": of_nodes(manuscript.title, direction),
        "title-text": manuscript.title_text,
        "date": written
        and {
            "year": written.year,
            "month": written.month,
            "day": written.day,
            "hour": written.hour,
            "minute": written.minute,
            "second": written.second,
        },
        "lead": _blocks(manuscript.lead, direction),
        "origin": manuscript.edition,
        "edition": manuscript.dated,
        "parts": manuscript.has_parts,
        "contents": headings >= CONTENTS_FROM,
        "sections": [_section(section, direction) for section in manuscript.sections],
        "colophon": [*manuscript.remarks],
        "brand": None if manuscript.appearance is None else _brand(manuscript.appearance),
    }


def _brand(look: Appearance) -> dict[str, object]:
    width, height = look.logo_size
    return {
        "logo": None
        if look.logo is None
        else {"file": LOGO_FILE, "width": width, "height": height, "ground": look.logo.ground},
        "project": look.branding.project,
        "colours": None
        if look.light is None
        else {"ink": look.light.ink, "wash": look.light.wash, "fill": look.light.fill, "on-fill": look.light.on_fill},
        "header": _line(look.header),
        "footer": _line(look.footer),
        "tells-page": look.tells_page,
        "numbered": look.numbering is not Numbering.NONE,
    }


def _line(line: Line) -> list[dict[str, str]]:
    return [{"t": str(each)} if isinstance(each, Placeholder) else {"t": "text", "s": each} for each in line]


def _region(tag: str | None) -> str | None:
    """The two-letter region of a BCP 47 tag (``pt-BR`` → ``BR``)."""
    parts = (tag or "").replace("_", "-").split("-")[1:]
    return next((part.upper() for part in parts if len(part) == 2 and part.isascii() and part.isalpha()), None)


def _section(section: Section, around: Direction) -> dict[str, object]:
    direction = of_nodes((*section.heading, *section.body), around)
    body = _blocks(section.body, direction)
    return {
        "dir": direction,
        "kind": str(section.kind),
        "number": section.mark,
        "level": section.level,
        "heading": _inlines(section.heading),
        "label": section.label,
        "time": None if section.start_ms is None else clock(section.start_ms),
        "body": body,
        "pictures": [_picture(picture) for picture in section.illustrations],
        "whole": len(section.illustrations) <= 2 and len(json.dumps(body)) <= LARGEST_WHOLE,
    }


def _picture(picture: Illustration) -> dict[str, object]:
    return {
        "file": picture.filename,
        "width": picture.width,
        "height": picture.height,
        "alt": picture.alt,
        "time": None if picture.timestamp_ms is None else clock(picture.timestamp_ms),
        "outcome": picture.is_outcome,
    }


def _blocks(blocks: Blocks, around: Direction) -> list[dict[str, object]]:
    directed = ((block, of_nodes((block,), around)) for block in blocks)
    return [{"dir": direction, **_block(block, direction)} for block, direction in directed]


def _block(block: Block, direction: Direction) -> dict[str, object]:
    match block:
        case Paragraph(content):
            return {"t": "paragraph", "c": _inlines(content)}
        case Heading(level, content):
            return {"t": "heading", "level": level, "c": _inlines(content)}
        case CodeBlock(text, language):
            return {"t": "code", "s": text.replace("\t", TAB), "lang": language}
        case Quote(inner):
            return {"t": "quote", "c": _blocks(inner, direction)}
        case Listing(start, items):
            return {"t": "list", "start": start, "items": [_blocks(item, direction) for item in items]}
        case Table(aligns, header, rows):
            return {
                "t": "table",
                "aligns": list(aligns),
                "header": [_inlines(cell) for cell in header],
                "rows": [[_inlines(cell) for cell in row] for row in rows],
            }
        case Rule():
            return {"t": "rule"}


def _inlines(content: Inlines) -> list[dict[str, object]]:
    return [_inline(node) for node in content]


def _inline(node: Inline) -> dict[str, object]:
    match node:
        case Text(text):
            return {"t": "text", "s": text}
        case CodeSpan(text):
            return {"t": "code", "s": text}
        case LineBreak(hard):
            return {"t": "break"} if hard else {"t": "text", "s": " "}
        case Styled(style, children):
            return {"t": str(style), "c": _inlines(children)}
        case Link(href, children):
            return {"t": "link", "to": href, "c": _inlines(children)}
