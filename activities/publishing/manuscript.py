"""A publication made ready for every format: its blocks parsed, its steps numbered, its pictures named.

What a step's heading is, how it is numbered and what its pictures are called is decided here, once, so that the same
document has the same structure as PDF, Markdown, DOCX and HTML.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC
from enum import StrEnum

from activities.publishing.branding.appearance import Appearance, FilledSection, appearance
from activities.publishing.labels import RIGHT_TO_LEFT, Labels, labels_of, primary_language
from activities.publishing.markup import (
    Block,
    Blocks,
    Heading,
    Inline,
    Inlines,
    LineBreak,
    Listing,
    Paragraph,
    Parsed,
    Quote,
    Style,
    Styled,
    Text,
    parse,
    plain,
    printable,
)
from activities.publishing.pictures import Illustration, illustrate
from domain.documents.brand import Numbering
from domain.documents.publication import Picture, Publication, PublicationBlock

LEFT_TO_RIGHT = "\u2066{}\u2069"
"""Isolated (UAX #9): after an Arabic word the parts of a date would change places."""
OWN_NUMBER = re.compile(r"(?i)^(?:step\s+)?\d{1,3}[.):]\s+")
"""A number that the heading brings along: steps are numbered by their place, so a stale one would contradict it."""
STEP_WITHOUT_HEADING = 120
"""Characters of a heading that is taken from a step's text, where the step has none."""


class SectionKind(StrEnum):
    """PART is the heading of what follows it, STEP is numbered, both are listed in the contents, NOTE is a call-out,
    TEXT is what was written by hand."""

    PART = "part"
    STEP = "step"
    NOTE = "note"
    WARNING = "warning"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Section:
    """One block of the document. ``number`` counts the steps from 1, through all parts, and is 0 elsewhere; ``mark`` is
    the number that readers see, if any (``2.1``); ``heading`` is empty for what has none, and of ``level`` 1, or 2
    within a part; ``start_ms`` is the moment of the recording it rests on; ``anchor`` is the name by which links find a
    section of the project's template."""

    kind: SectionKind
    number: int
    heading: Inlines
    body: Blocks
    start_ms: int | None
    illustrations: tuple[Illustration, ...]
    level: int = 1
    label: str = ""
    block_id: str = ""
    mark: str = ""
    anchor: str = ""

    @property
    def lead_in(self) -> str:
        """The mark as it stands before a heading: ``3. `` or ``2.1 ``."""
        return f"{self.mark}{' ' if '.' in self.mark else '. '}" if self.mark else ""


@dataclass(frozen=True, slots=True)
class Manuscript:
    """The document. ``own_lead`` is what it says itself under its title. ``remarks`` are the version's own warnings,
    ``warnings`` what happened while it was read; ``appearance`` is its project's brand, if it has one."""

    publication: Publication
    labels: Labels
    title: Inlines
    own_lead: Blocks
    sections: tuple[Section, ...]
    remarks: tuple[str, ...]
    warnings: tuple[str, ...]
    appearance: Appearance | None = None

    @property
    def title_text(self) -> str:
        return plain(self.title)

    @property
    def lead(self) -> Blocks:
        """All that stands under the title: what the document says, then what its project's template does."""
        return self.own_lead if self.appearance is None else (*self.own_lead, *self.appearance.lead)

    @property
    def edition(self) -> str:
        """What the document was made from, and when: for the colophon."""
        source = self.publication.source_name
        return " · ".join(part for part in (f"{self.labels.source} {source}" if source else "", self.dated) if part)

    @property
    def dated(self) -> str:
        """The version and, where it is known, the day (UTC) on which it was written."""
        version = f"{self.labels.version} {self.publication.version}"
        day = _day(self.publication)
        return f"{version} · {day}" if day else version

    @property
    def has_parts(self) -> bool:
        return any(section.kind is SectionKind.PART for section in self.sections)

    @property
    def steps(self) -> tuple[Section, ...]:
        return tuple(section for section in self.sections if section.kind is SectionKind.STEP)


def read(publication: Publication, on_progress: Callable[[], None] = lambda: None) -> Manuscript:
    """The publication as a manuscript; ``on_progress`` is called before each block.

    Pictures that cannot be read and images that the Markdown refers to are left out, with a warning.
    """
    return _Reading(publication).manuscript(on_progress)


class _Reading:
    def __init__(self, publication: Publication) -> None:
        self._publication = publication.model_copy(
            update={
                "title": printable(publication.title),
                "source_name": printable(publication.source_name),
                "warnings": tuple(printable(warning) for warning in publication.warnings),
            }
        )
        self._labels = labels_of(publication.language)
        self._title: Inlines = ()
        self._lead: list[Block] = []
        self._sections: list[Section] = []
        self._left_images = 0
        self._warnings: list[str] = []
        branding = self._publication.branding
        self._numbering = Numbering.STEPS if branding is None else branding.brand.numbering
        self._steps = 0
        self._parts = 0
        self._within = 0
        self._level = 1

    def manuscript(self, on_progress: Callable[[], None]) -> Manuscript:
        for place, block in enumerate(self._publication.blocks, start=1):
            on_progress()
            parsed = parse(block.markdown)
            self._left_images += parsed.left_images
            self._take(place, block, parsed)
        if self._left_images:
            self._warnings.append(
                f"{self._left_images} image(s) that the text links to were not fetched; their descriptions stand "
                "in for them. Add them as screenshots to have them in the document."
            )
        title = self._title or _fallback_title(self._publication)
        look = self._appearance(plain(title))
        return Manuscript(
            publication=self._publication,
            labels=self._labels,
            title=title,
            own_lead=tuple(self._lead),
            sections=tuple(self._sections) if look is None else _framed(look, self._sections),
            remarks=self._publication.warnings,
            warnings=tuple(self._warnings),
            appearance=look,
        )

    def _appearance(self, title: str) -> Appearance | None:
        branding = self._publication.branding
        if branding is None or branding.is_plain:
            return None
        return appearance(
            branding,
            title=title,
            version=self._publication.version,
            day=_day(self._publication),
            steps=self._steps if self._publication.steps is None else self._publication.steps,
            duration_ms=self._publication.duration_ms,
        )

    def _take(self, place: int, block: PublicationBlock, parsed: Parsed) -> None:
        match block.role:
            case "title" if not self._title:
                self._title, rest = _headed(parsed.blocks)
                self._lead += rest
            case "lead" if not self._sections:
                self._lead += parsed.blocks
            case "section":
                heading, body = _headed(parsed.blocks)
                self._level = 1
                self._parts += 1
                self._within = 0
                if self._numbering is Numbering.PARTS and heading:
                    heading = (Text(f"{self._parts}. "), *heading)
                pictures = self._pictures(f"section-{place:02}", block.pictures, plain(heading))
                self._add(SectionKind.PART, 0, heading, body, block, pictures)
                self._level = 2
                return
            case "step":
                self._steps += 1
                self._within += 1
                mark = self._mark()
                heading, body = _step(parsed.blocks, f"{self._labels.step} {mark or self._steps}")
                pictures = self._pictures(f"step-{self._steps:02}", block.pictures, plain(heading))
                self._add(SectionKind.STEP, self._steps, heading, body, block, pictures, mark=mark)
                return
            case "note" | "warning":
                kind = SectionKind(block.role)
                label = self._labels.note if kind is SectionKind.NOTE else self._labels.warning
                pictures = self._pictures(f"{kind}-{place:02}", block.pictures, label)
                self._add(kind, 0, (), _note(parsed.blocks, self._labels), block, pictures, label)
                return
            case _:
                heading, body = _titled(parsed.blocks)
                pictures = self._pictures(f"text-{place:02}", block.pictures, plain(heading) or self._about())
                self._add(SectionKind.TEXT, 0, heading, body, block, pictures)
                return
        if block.pictures:
            pictures = self._pictures(f"text-{place:02}", block.pictures, self._about())
            self._add(SectionKind.TEXT, 0, (), (), block, pictures)

    def _mark(self) -> str:
        """The number that the readers of a step see."""
        match self._numbering:
            case Numbering.NONE:
                return ""
            case Numbering.PARTS if any(block.role == "section" for block in self._publication.blocks):
                return f"{self._parts}.{self._within}"
            case _:
                return str(self._steps)

    def _about(self) -> str:
        return plain(self._title or _fallback_title(self._publication))

    def _add(
        self,
        kind: SectionKind,
        number: int,
        heading: Inlines,
        body: Blocks,
        block: PublicationBlock,
        pictures: tuple[Illustration, ...],
        label: str = "",
        *,
        mark: str = "",
    ) -> None:
        if heading or body or pictures:
            self._sections.append(
                Section(kind, number, heading, body, block.start_ms, pictures, self._level, label, block.block_id, mark)
            )

    def _pictures(self, name: str, pictures: tuple[Picture, ...], about: str) -> tuple[Illustration, ...]:
        """The pictures under names of their own; one without a description gets that of its section."""
        shown: list[Illustration] = []
        for place, picture in enumerate(pictures, start=1):
            own = name if place == 1 else f"{name}-{place}"
            described = picture if picture.alt.strip() else picture.model_copy(update={"alt": about})
            illustration = illustrate(described, own)
            if illustration is None:
                self._warnings.append(f"A screenshot ({own}) could not be read and was left out. Take it again.")
            else:
                shown.append(illustration)
        return tuple(shown)


def _framed(look: Appearance, sections: Sequence[Section]) -> tuple[Section, ...]:
    """The sections between those of the template."""

    def fixed(place: str, given: Sequence[FilledSection]) -> list[Section]:
        made = []
        for number, each in enumerate(given, start=1):
            heading, body = (each.heading, each.body) if each.heading else _titled(each.body)
            made.append(Section(SectionKind.TEXT, 0, heading, body, None, (), anchor=f"{place}-{number}"))
        return made

    return (*fixed("before", look.before), *sections, *fixed("after", look.after))


def _day(publication: Publication) -> str:
    """On which (UTC) it was written, where that is known."""
    if publication.created_at is None:
        return ""
    day = f"{publication.created_at.astimezone(UTC):%Y-%m-%d}"
    return LEFT_TO_RIGHT.format(day) if primary_language(publication.language) in RIGHT_TO_LEFT else day


def _fallback_title(publication: Publication) -> Inlines:
    return (Text(" ".join(publication.title.split()) or "Instruction"),)


def _headed(blocks: Blocks) -> tuple[Inlines, Blocks]:
    """The heading and what follows: a Markdown heading, else the first line."""
    match blocks:
        case (Heading(_, content), *rest):
            return content, tuple(rest)
        case (Paragraph(content), *rest):
            first, others = _first_line(content)
            return first, (*([Paragraph(others)] if others else []), *rest)
        case _:
            return (), blocks


def _step(blocks: Blocks, unnamed: str) -> tuple[Inlines, Blocks]:
    match blocks:
        case (Listing(start, (only,)), *rest) if start is not None:  # a step that is written as "3. Click Save"
            blocks = (*only, *rest)
        case _:
            pass
    heading, body = _headed(blocks)
    if not isinstance(blocks[0] if blocks else None, Heading) and len(plain(heading)) > STEP_WITHOUT_HEADING:
        heading, body = (Text(unnamed),), blocks
    heading = _without_number(heading)
    return heading or (Text(unnamed),), body


def _titled(blocks: Blocks) -> tuple[Inlines, Blocks]:
    """A hand-written block has a heading only if it begins with one of the upper levels."""
    match blocks:
        case (Heading(level, content), *rest) if level <= 2:
            return content, tuple(rest)
        case _:
            return (), blocks


def _note(blocks: Blocks, labels: Labels) -> Blocks:
    """A note without the quotation marks and the label that a writer gives it: the call-out has its own."""
    match blocks:
        case (Quote(inner),):
            blocks = inner
        case _:
            pass
    match blocks:
        case (Paragraph(content), *rest):
            content = _without_label(content, labels)
            return (*([Paragraph(content)] if content else []), *rest)
        case _:
            return blocks


def _without_label(content: Inlines, labels: Labels) -> Inlines:
    names = "|".join(re.escape(name) for name in sorted({labels.note, labels.warning, "Note", "Warning"}))
    match content:
        case (Styled(Style.STRONG, (Text(text),)), Text(following), *rest) if re.fullmatch(
            rf"(?i)(?:{names})\s*:?", text
        ) and (text.endswith(":") or following.startswith(":")):
            return _kept(following.lstrip(": "), rest)
        case (Text(text), *rest):
            return _kept(re.sub(rf"(?i)^(?:{names})\s*:\s*", "", text), rest)
        case _:
            return content


def _without_number(content: Inlines) -> Inlines:
    match content:
        case (Text(text), *rest):
            return _kept(OWN_NUMBER.sub("", text), rest)
        case _:
            return content


def _kept(text: str, rest: list[Inline]) -> Inlines:
    return (Text(text), *rest) if text else tuple(rest)


def _first_line(content: Inlines) -> tuple[Inlines, Inlines]:
    for at, node in enumerate(content):
        if isinstance(node, LineBreak):
            return content[:at], content[at + 1 :]
    return content, ()
