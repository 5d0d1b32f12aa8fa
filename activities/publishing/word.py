"""DOCX, with python-docx: real styles, headings, lists and a table of contents, so that it can be worked on in Word."""

import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from docx import Document
from docx.document import Document as Docx
from docx.enum.table import WD_TABLE_DIRECTION
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.image.exceptions import UnrecognizedImageError
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor
from docx.table import _Cell
from docx.text.paragraph import Paragraph as WordParagraph
from PIL import Image

from activities.publishing import word_xml as xml
from activities.publishing.archive import redated
from activities.publishing.direction import Direction, of_language, of_nodes, of_text
from activities.publishing.manuscript import Manuscript, Section, SectionKind
from activities.publishing.markup import (
    Block,
    Blocks,
    CodeBlock,
    CodeSpan,
    Heading,
    Inlines,
    LineBreak,
    Link,
    Listing,
    Paragraph,
    Quote,
    Rule,
    Style,
    Styled,
    Table,
    Text,
    plain,
)
from activities.publishing.pictures import Illustration
from activities.publishing.word_style import CODE_FONT, EMU_PER_PIXEL, LEVELS, LIST_INDENT_MM, TEXT_WIDTH, Design
from domain.documents.publication import clock

PICTURE_HEIGHT = Mm(84)
"""So that a screenshot shares its page with the step."""
OUTCOME_HEIGHT = Mm(52)
"""What came of a step is read at a glance."""
CONTENTS_FROM = 3


def word(manuscript: Manuscript, on_progress: Callable[[], None] = lambda: None) -> bytes:
    """The document. Its dates are the version's, in its properties and in the ZIP that it is."""
    written = _Writer(manuscript).write(on_progress)
    out = io.BytesIO()
    written.save(out)
    return redated(out.getvalue(), manuscript.publication.created_at)


@dataclass(slots=True)
class _Place:
    """Where blocks go: the document or a table's cell, at a depth of list."""

    container: Docx | _Cell
    way: Direction
    indent_mm: float = 0
    keep: bool = False
    """Stay on the page of what follows (a screenshot)."""

    def reading(self, way: Direction) -> "_Place":
        return replace(self, way=way)


class _Writer:
    def __init__(self, manuscript: Manuscript) -> None:
        self._manuscript = manuscript
        self._docx: Docx = Document()
        self._design = Design(self._docx, manuscript)
        self._last = self._docx.add_paragraph(style="Title")
        self._way = of_language(manuscript.publication.language)
        self._bookmarks = 0
        self._pictures = 0

    def write(self, on_progress: Callable[[], None]) -> Docx:
        manuscript = self._manuscript
        top = _Place(self._docx, self._way)
        self._fill(self._last, manuscript.title)
        self._blocks(manuscript.lead, top)
        self._docx.add_paragraph(manuscript.edition, style="Edition")
        self._contents()
        for section in manuscript.sections:
            on_progress()
            self._section(section)
        for remark in manuscript.remarks:
            self._directed(self._docx.add_paragraph(remark, style="Edition"), of_text(remark, self._way))
        return self._docx

    def _contents(self) -> None:
        """A field that Word can update, filled in already, so that it says something everywhere else too."""
        listed = [section for section in self._manuscript.sections if section.heading]
        if len(listed) < CONTENTS_FROM:
            return
        self._docx.add_paragraph(self._manuscript.labels.contents, style="Contents Heading")
        for place, section in enumerate(listed):
            line = self._docx.add_paragraph(style="Contents")
            if section.level > 1:
                line.paragraph_format.left_indent = Mm(LIST_INDENT_MM)
            if place == 0:
                levels = "1-2" if self._manuscript.has_parts else "1-1"
                xml.field_begin(line, f'TOC \\o "{levels}" \\h \\z')
            link = xml.child(line._p, "w:hyperlink", new=True)
            link.set(qn("w:anchor"), _bookmark_name(self._manuscript.sections.index(section)))
            way = self._directed(line, of_nodes(section.heading, self._way))
            link.append(xml.run(_heading_text(section), rtl=self._rtl(way)))
            if place == len(listed) - 1:
                xml.field_end(line)

    # --- sections ----------------------------------------------------------------------------------------------

    def _section(self, section: Section) -> None:
        if section.label:
            self._note(section)
            return
        way = of_nodes((*section.heading, *section.body), self._way)
        if section.heading:
            self._heading(section)
        if section.kind is SectionKind.STEP and section.start_ms is not None:
            self._directed(self._docx.add_paragraph(clock(section.start_ms), style="Timestamp"), way)
        self._blocks(section.body, _Place(self._docx, way, keep=bool(section.illustrations)))
        for picture in section.illustrations:
            self._caption(picture, way)
            paragraph = self._docx.add_paragraph()
            self._directed(paragraph, way)
            self._picture(paragraph, picture, TEXT_WIDTH)

    def _caption(self, picture: Illustration, way: Direction) -> None:
        if picture.is_outcome:
            self._directed(self._docx.add_paragraph(self._manuscript.labels.outcome, style="Outcome"), way)

    def _heading(self, section: Section) -> None:
        heading = self._docx.add_paragraph(style=f"Heading {section.level}")
        name = _bookmark_name(self._manuscript.sections.index(section))
        self._bookmarks += 1
        begin, end = xml.element("w:bookmarkStart"), xml.element("w:bookmarkEnd")
        for mark in (begin, end):
            mark.set(qn("w:id"), str(self._bookmarks))
        begin.set(qn("w:name"), name)
        heading._p.append(begin)
        if section.mark:
            heading.add_run(section.lead_in).font.color.rgb = RGBColor.from_string(self._design.ink)
        self._fill(heading, section.heading)
        heading._p.append(end)

    def _note(self, section: Section) -> None:
        way = of_nodes(section.body, self._way)
        table = self._docx.add_table(rows=1, cols=1)
        cell = table.cell(0, 0)
        properties = cell._tc.get_or_add_tcPr()
        is_warning = section.kind is SectionKind.WARNING
        line, wash = (xml.RED, xml.RED_WASH) if is_warning else (xml.AMBER, xml.AMBER_WASH)
        properties.append(xml.borders("w:tcBorders", {"right" if way == "rtl" else "left": (line, 24)}))
        properties.append(xml.shading(wash))
        label = cell.paragraphs[0]
        label.style = self._docx.styles["Warning Label" if is_warning else "Note Label"]
        time = "" if section.start_ms is None else f"  {clock(section.start_ms)}"
        label.add_run(f"{section.label}{time}")
        self._directed(label, way)
        self._blocks(section.body, _Place(cell, way))
        for picture in section.illustrations:
            self._picture(cell.add_paragraph(), picture, TEXT_WIDTH - Mm(8))
        if not section.body and not section.illustrations:
            cell.add_paragraph()
        self._docx.add_paragraph().paragraph_format.space_after = Pt(2)

    def _picture(self, paragraph: WordParagraph, picture: Illustration, room: int) -> None:
        natural = picture.width * EMU_PER_PIXEL
        height = OUTCOME_HEIGHT if picture.is_outcome else PICTURE_HEIGHT
        tallest = int(height * picture.width / picture.height)
        paragraph.paragraph_format.space_before = Pt(4)
        run = paragraph.add_run()
        width = max(1, min(room, natural, tallest))
        try:
            shape = run.add_picture(io.BytesIO(picture.data), width=width)
        except UnrecognizedImageError:  # a JPEG without the header that python-docx looks for
            shape = run.add_picture(io.BytesIO(_as_png(picture.data)), width=width)
        self._pictures += 1
        for side in ("distT", "distB", "distL", "distR"):  # LibreOffice makes up a margin where none is named
            shape._inline.set(side, "0")
        properties = shape._inline.docPr
        properties.set("descr", picture.alt)
        properties.set("name", picture.name)
        properties.set("id", str(self._pictures))

    # --- blocks ------------------------------------------------------------------------------------------------

    def _blocks(self, blocks: Blocks, place: _Place) -> None:
        for block in blocks:
            self._block(block, place.reading(of_nodes((block,), place.way)))

    def _block(self, block: Block, place: _Place) -> None:
        match block:
            case Paragraph(content):
                self._fill(self._paragraph(place), content)
            case Heading(level, content):
                sunk = level + 1 + self._manuscript.has_parts
                self._fill(self._paragraph(place, f"Heading {min(6, sunk)}"), content)
            case CodeBlock(text, _):
                self._code(text, place)
            case Quote(inner):
                self._blocks(inner, replace(place, indent_mm=place.indent_mm + 8))
            case Listing():
                self._list(block, place, 0)
            case Table():
                self._table(block, place)
            case Rule():
                line = self._paragraph(place)
                xml.place(line._p.get_or_add_pPr(), xml.borders("w:pBdr", {"bottom": (xml.HAIRLINE, 6)}))

    def _paragraph(self, place: _Place, style: str | None = None) -> WordParagraph:
        paragraph = place.container.add_paragraph(style=self._docx.styles[style] if style else None)
        if place.indent_mm:
            paragraph.paragraph_format.left_indent = Mm(place.indent_mm)
        if place.keep:
            paragraph.paragraph_format.keep_with_next = True
        self._last = paragraph
        if style != "Code":
            self._directed(paragraph, place.way)
        return paragraph

    def _directed(self, paragraph: WordParagraph, way: Direction) -> Direction:
        """The way it reads, said where the document reads the other one."""
        if way != self._way:
            properties = paragraph._p.get_or_add_pPr()
            xml.place(properties, xml.element("w:bidi") if way == "rtl" else xml.switched_off("w:bidi"))
        return way

    def _rtl(self, way: Direction) -> bool | None:
        """What a run of words says of itself; nothing in a document that reads from the left altogether."""
        if way == "rtl":
            return True
        return None if self._way == "ltr" else False

    def _code(self, text: str, place: _Place) -> None:
        paragraph = self._paragraph(place, "Code")
        for at, line in enumerate(text.replace("\t", "    ").split("\n")):
            if at:
                paragraph.add_run().add_break()
            paragraph.add_run(line)

    def _list(self, listing: Listing, place: _Place, level: int) -> None:
        level = min(level, LEVELS - 1)
        number = self._design.numbering(listing.start, level)
        inside = replace(place, indent_mm=place.indent_mm + LIST_INDENT_MM * (level + 1))
        for item in listing.items:
            match item:
                case (Paragraph(content), *rest):
                    paragraph = self._paragraph(inside.reading(of_nodes(content, place.way)))
                    paragraph.paragraph_format.space_after = Pt(2)
                    xml.number(paragraph, number, level)
                    self._fill(paragraph, content)
                case _:
                    rest = [*item]
            for block in rest:
                if isinstance(block, Listing):
                    self._list(block, place, level + 1)
                else:
                    self._block(block, inside.reading(of_nodes((block,), place.way)))
        if level == 0:
            self._last.paragraph_format.space_after = Pt(6)

    def _table(self, table: Table, place: _Place) -> None:
        columns = max(1, len(table.header))
        made = (
            place.container.add_table(rows=0, cols=columns)
            if not isinstance(place.container, _Cell)
            else place.container.add_table(0, columns)
        )
        if place.way == "rtl":
            made.table_direction = WD_TABLE_DIRECTION.RTL
        for at, cells in enumerate((table.header, *table.rows)):
            row = made.add_row()
            for cell, content, align in zip(row.cells, cells, table.aligns, strict=False):
                paragraph = cell.paragraphs[0]
                paragraph.paragraph_format.space_after = Pt(2)
                paragraph.paragraph_format.keep_with_next = place.keep or None
                if align in ("center", "right"):
                    paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER if align == "center" else WD_ALIGN_PARAGRAPH.RIGHT
                self._directed(paragraph, of_nodes(content, place.way))
                self._fill(paragraph, content, xml.Look(bold=at == 0))
                colour, weight = (self._design.fill, 8) if at == 0 else (xml.HAIRLINE, 4)
                cell._tc.get_or_add_tcPr().append(xml.borders("w:tcBorders", {"bottom": (colour, weight)}))
            if at == 0:
                row._tr.get_or_add_trPr().append(xml.element("w:tblHeader"))
        if isinstance(place.container, _Cell):
            return  # python-docx ends a cell with the paragraph that it needs
        self._paragraph(_Place(place.container, self._way, keep=place.keep)).paragraph_format.space_after = Pt(0)

    # --- runs --------------------------------------------------------------------------------------------------

    def _fill(self, paragraph: WordParagraph, content: Inlines, look: xml.Look | None = None) -> None:
        """``content`` as the paragraph's text, which then reads as its words do, if nobody said so yet."""
        way = self._way_of(paragraph) or self._directed(paragraph, of_nodes(content, self._way))
        for element in self._runs(paragraph, content, look or xml.Look(), way):
            paragraph._p.append(element)

    @staticmethod
    def _way_of(paragraph: WordParagraph) -> Direction | None:
        properties = paragraph._p.pPr
        said = properties.find(qn("w:bidi")) if properties is not None else None
        return None if said is None else "ltr" if said.get(qn("w:val")) == "0" else "rtl"

    def _runs(
        self, paragraph: WordParagraph, content: Inlines, look: xml.Look, way: Direction
    ) -> Iterable[xml.Element]:
        for node in content:
            match node:
                case Text(text):
                    yield xml.run(text, look, rtl=self._rtl(way))
                case CodeSpan(text):
                    yield xml.run(text, look, font=CODE_FONT, rtl=False if way == "rtl" or self._way == "rtl" else None)
                case LineBreak(hard):
                    yield xml.run("\n" if hard else " ", look)
                case Styled(style, children):
                    deeper = xml.Look(
                        bold=look.bold or style is Style.STRONG,
                        italic=look.italic or style is Style.EMPHASIS,
                        struck=look.struck or style is Style.STRUCK,
                    )
                    yield from self._runs(paragraph, children, deeper, way)
                case Link(href, children):
                    link = xml.element("w:hyperlink")
                    link.set(qn("r:id"), paragraph.part.relate_to(href, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
                    for run in self._runs(paragraph, children, look, way):
                        # a link inside a link cannot be: Markdown has none
                        xml.linked(run, self._design.ink)
                        link.append(run)
                    yield link


def _heading_text(section: Section) -> str:
    return f"{section.lead_in}{plain(section.heading)}"


def _bookmark_name(place: int) -> str:
    return f"_Toc{100_000_000 + place}"


def _as_png(data: bytes) -> bytes:
    out = io.BytesIO()
    with Image.open(io.BytesIO(data)) as image:
        image.convert("RGB").save(out, "PNG")
    return out.getvalue()
