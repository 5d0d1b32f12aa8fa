"""How a DOCX looks: the page, the styles, the properties, and the lists' numbering."""

import io
from datetime import UTC
from typing import Any

from docx.document import Document as Docx
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_TAB_ALIGNMENT
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor
from docx.text.paragraph import Paragraph as WordParagraph

from activities.publishing import word_xml as xml
from activities.publishing.archive import EARLIEST
from activities.publishing.branding.appearance import Appearance, Line
from activities.publishing.labels import RIGHT_TO_LEFT, primary_language
from activities.publishing.manuscript import Manuscript
from domain.documents.brand import Ground, Placeholder

BODY_FONT = "Calibri"
CODE_FONT = "Consolas"
TEXT_WIDTH = Mm(170)
LOGO_HEIGHT = Mm(11)
EMU_PER_PIXEL = 9_525
"""At 96 pixels an inch: a picture is never blown up beyond that."""
LIST_INDENT_MM = 6.0
"""A level of a list."""
LEVELS = 9
"""What a numbering of Word's holds."""


class Design:
    """Gives a new document its look, and lists their numbers."""

    def __init__(self, docx: Docx, manuscript: Manuscript) -> None:
        self._docx = docx
        self._manuscript = manuscript
        self._language = manuscript.publication.language or "en"
        self._look = manuscript.appearance
        shade = self._look and self._look.light
        self.ink = shade.ink[1:].upper() if shade else xml.ACCENT
        """Of what is written in the accent. ``fill``: of lines in it."""
        self.fill = shade.fill[1:].upper() if shade else xml.ACCENT
        self._font = (self._look and self._look.font) or BODY_FONT
        self.is_rtl = primary_language(manuscript.publication.language) in RIGHT_TO_LEFT
        self._set_page()
        self._set_styles()
        self._set_properties()
        self._bullets = self._abstract_numbering(None)
        self._numbers = self._abstract_numbering("decimal")

    def numbering(self, start: int | None, level: int) -> int:
        """A list of its own, so that its numbers begin anew."""
        numbering = self._docx.part.numbering_part.numbering_definitions._numbering
        if start is None:
            return int(numbering.add_num(self._bullets).numId)
        number = numbering.add_num(self._numbers)
        number.add_lvlOverride(ilvl=level).add_startOverride(start)
        return int(number.numId)

    def _set_properties(self) -> None:
        publication = self._manuscript.publication
        written = (publication.created_at or EARLIEST).astimezone(UTC).replace(microsecond=0, tzinfo=None)
        core = self._docx.core_properties
        core.title = self._manuscript.title_text[:255]
        core.language = self._language
        core.revision = max(1, publication.version)
        core.version = str(publication.version)
        core.subject = self._manuscript.edition[:255]
        core.author = core.last_modified_by = "guidesmith"
        core.comments = core.keywords = core.category = ""
        core.created = core.modified = max(written, EARLIEST.replace(tzinfo=None))

    def _set_page(self) -> None:
        page = self._docx.sections[0]
        page.page_width, page.page_height = Mm(210), Mm(297)
        page.left_margin = page.right_margin = Mm(20)
        page.top_margin, page.bottom_margin = Mm(22), Mm(20)
        header = page.header.paragraphs[0]
        if self._look is None:
            header.text = self._manuscript.title_text
        else:
            self._set_header(header, self._look)
        header.style = self._docx.styles["Header"]
        footer = page.footer.paragraphs[0]
        footer.style = self._docx.styles["Footer"]
        footer.style.paragraph_format.tab_stops.clear_all()
        footer.paragraph_format.tab_stops.add_tab_stop(TEXT_WIDTH, WD_TAB_ALIGNMENT.RIGHT)
        line = (self._look and self._look.footer) or (self._manuscript.dated,)
        if self._look is not None and self._look.tells_page:
            _fill_line(footer, line)
        else:
            ended = (*line, "\t") if isinstance(line[-1], Placeholder) else (*line[:-1], f"{line[-1]}\t")
            _fill_line(footer, ended)
            xml.field(footer, "PAGE", "1")
            footer.add_run(" / ")
            xml.field(footer, "NUMPAGES", "1")

    def _set_header(self, header: WordParagraph, look: Appearance) -> None:
        """The logo, and beside it what the brand says above each page; else the title."""
        header.paragraph_format.tab_stops.clear_all()
        header.paragraph_format.tab_stops.add_tab_stop(TEXT_WIDTH, WD_TAB_ALIGNMENT.RIGHT)
        if look.logo is not None:
            run = header.add_run()
            height = min(LOGO_HEIGHT, look.logo_size[1] * EMU_PER_PIXEL)
            shown = run.add_picture(io.BytesIO(look.logo.png), height=height)._inline.docPr
            shown.set("descr", look.branding.project)
            shown.set("name", "logo")
            if look.logo.ground is Ground.DARK:
                xml.place(run._r.get_or_add_rPr(), xml.shading(xml.INK))
            header.add_run("\t")
        _fill_line(header, look.header or (self._manuscript.title_text,))

    def _set_styles(self) -> None:
        normal = self._style("Normal", size=10.5, colour=xml.INK, after=6)
        normal.paragraph_format.line_spacing = 1.2
        language = xml.place(normal.element.get_or_add_rPr(), xml.element("w:lang"))
        language.set(qn("w:val"), self._language)
        language.set(qn("w:bidi" if self.is_rtl else "w:eastAsia"), self._language)
        if self.is_rtl:
            xml.place(normal.element.get_or_add_pPr(), xml.element("w:bidi"))
            xml.place(normal.element.get_or_add_rPr(), xml.element("w:rtl"))
        self._style("Title", size=24, colour=xml.INK, bold=True, after=8)
        xml.drop(self._docx.styles["Title"].element, "w:pBdr")
        looks = [(14.0, 18), (12.0, 12)]  # of a step, and within it
        if self._manuscript.has_parts:
            looks = [(18.0, 26), *looks]
        for level, (size, before) in enumerate(looks, start=1):
            self._style(f"Heading {level}", size=size, colour=xml.INK, bold=True, before=before, after=4)
        for level in range(len(looks) + 1, 7):
            self._style(f"Heading {level}", size=10.5, colour=xml.QUIET, bold=True, before=10, after=3)
        self._style("Header", size=8.5, colour=xml.QUIET)
        self._style("Footer", size=8.5, colour=xml.QUIET)
        self._style("Quote", colour=xml.QUIET, italic=False)
        self._new_style("Edition", size=9, colour=xml.QUIET, after=6)
        self._new_style("Timestamp", size=9, colour=self.ink, bold=True, after=4).paragraph_format.keep_with_next = True
        self._new_style("Outcome", size=9, colour=xml.QUIET, bold=True, before=6).paragraph_format.keep_with_next = True
        self._new_style("Contents", size=10, colour=xml.INK, after=2)
        self._new_style("Contents Heading", size=9, colour=xml.QUIET, bold=True, before=10, after=4)
        self._new_style(
            "Note Label", size=9, colour=xml.AMBER, bold=True, after=2
        ).paragraph_format.keep_with_next = True
        self._new_style(
            "Warning Label", size=9, colour=xml.RED, bold=True, after=2
        ).paragraph_format.keep_with_next = True
        code = self._new_style("Code", size=9, colour=xml.INK, after=6)
        xml.set_font(code, CODE_FONT)
        xml.place(code.element.get_or_add_pPr(), xml.shading(xml.WASH))
        if self.is_rtl:  # code reads from the left, whatever stands around it
            xml.place(code.element.get_or_add_pPr(), xml.switched_off("w:bidi"))
            xml.place(code.element.get_or_add_rPr(), xml.switched_off("w:rtl"))

    def _style(
        self,
        name: str,
        *,
        size: float | None = None,
        colour: str | None = None,
        bold: bool | None = None,
        italic: bool | None = None,
        before: float = 0,
        after: float = 0,
    ) -> Any:
        style = self._docx.styles[name]
        xml.set_font(style, self._font)
        if size:
            style.font.size = Pt(size)
        if colour:
            style.font.color.rgb = RGBColor.from_string(colour)
        if bold is not None:
            style.font.bold = bold
        if italic is not None:
            style.font.italic = italic
        xml.for_all_scripts(style.element.get_or_add_rPr())
        style.paragraph_format.space_before = Pt(before)
        style.paragraph_format.space_after = Pt(after)
        return style

    def _new_style(self, name: str, **look: Any) -> Any:
        style = self._docx.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = self._docx.styles["Normal"]
        return self._style(name, **look)

    def _abstract_numbering(self, kind: str | None) -> int:
        """A list's look on all levels: bullets, or numbers of ``kind``."""
        root = self._docx.part.numbering_part.element
        taken = [int(each.get(qn("w:abstractNumId"))) for each in root.findall(qn("w:abstractNum"))]
        number = max(taken, default=-1) + 1
        abstract = xml.element("w:abstractNum")
        abstract.set(qn("w:abstractNumId"), str(number))
        xml.child(abstract, "w:multiLevelType").set(qn("w:val"), "multilevel")
        for level in range(LEVELS):
            abstract.append(xml.level_of_list(level, kind))
        nums = root.findall(qn("w:num"))
        if nums:
            nums[0].addprevious(abstract)
        else:
            root.append(abstract)
        return number


def _fill_line(paragraph: WordParagraph, line: Line) -> None:
    fields = {Placeholder.PAGE: "PAGE", Placeholder.PAGES: "NUMPAGES"}
    for piece in line:
        if isinstance(piece, Placeholder):
            xml.field(paragraph, fields[piece], "1")
        else:
            paragraph.add_run(piece)
