"""Elements of WordprocessingML that python-docx has no words for."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph as WordParagraph

ACCENT, AMBER, RED, QUIET, INK = "1F5A94", "955800", "B3261E", "5C6773", "1A2129"
WASH, AMBER_WASH, RED_WASH, HAIRLINE = "F4F6F8", "FDF6E7", "FDECEA", "D5DBE2"
"""The colours of the document, as Word writes them."""

Element: TypeAlias = Any
"""An lxml element: python-docx gives them no types."""

PARAGRAPH_ORDER = [
    "pStyle",
    "keepNext",
    "keepLines",
    "pageBreakBefore",
    "framePr",
    "widowControl",
    "numPr",
    "suppressLineNumbers",
    "pBdr",
    "shd",
    "tabs",
    "suppressAutoHyphens",
    "kinsoku",
    "wordWrap",
    "overflowPunct",
    "topLinePunct",
    "autoSpaceDE",
    "autoSpaceDN",
    "bidi",
    "adjustRightInd",
    "snapToGrid",
    "spacing",
    "ind",
    "contextualSpacing",
    "mirrorIndents",
    "suppressOverlap",
    "jc",
    "textDirection",
    "textAlignment",
    "textboxTightWrap",
    "outlineLvl",
    "divId",
    "cnfStyle",
    "rPr",
    "sectPr",
    "pPrChange",
]
RUN_ORDER = [
    "rStyle",
    "rFonts",
    "b",
    "bCs",
    "i",
    "iCs",
    "caps",
    "smallCaps",
    "strike",
    "dstrike",
    "outline",
    "shadow",
    "emboss",
    "imprint",
    "noProof",
    "snapToGrid",
    "vanish",
    "webHidden",
    "color",
    "spacing",
    "w",
    "kern",
    "position",
    "sz",
    "szCs",
    "highlight",
    "u",
    "effect",
    "bdr",
    "shd",
    "fitText",
    "vertAlign",
    "rtl",
    "cs",
    "em",
    "lang",
    "eastAsianLayout",
    "specVanish",
    "oMath",
]
"""ECMA-376, part 1, 17.3.1.26 and 17.3.2.28: the order of a paragraph's and a run's properties."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a run of text stands out."""

    bold: bool = False
    italic: bool = False
    struck: bool = False


def element(tag: str) -> Element:
    return OxmlElement(tag)


def child(parent: Element, tag: str, *, new: bool = False) -> Element:
    found = None if new else parent.find(qn(tag))
    if found is None:
        found = element(tag)
        parent.append(found)
    return found


def place(properties: Element, made: Element) -> Element:
    """Put ``made`` where the schema wants it among a paragraph's or a run's properties: Word refuses files over it.
    One of the same name is replaced."""
    order = [qn(f"w:{name}") for name in (RUN_ORDER if properties.tag == qn("w:rPr") else PARAGRAPH_ORDER)]
    at = order.index(made.tag)
    for found in properties.findall(made.tag):
        properties.remove(found)
    later = next((each for each in properties if each.tag in order[at + 1 :]), None)
    if later is None:
        properties.append(made)
    else:
        later.addprevious(made)
    return made


def for_all_scripts(properties: Element) -> None:
    """Size, weight and slant of a style also for scripts that Word calls complex (Arabic, Hebrew, Thai, Hindi): it
    takes nothing of the others' for them."""
    for own, complex_ in (("w:b", "w:bCs"), ("w:i", "w:iCs"), ("w:sz", "w:szCs")):
        found = properties.find(qn(own))
        if found is not None:
            made = place(properties, element(complex_))
            for name, value in found.attrib.items():
                made.set(name, value)


def drop(parent: Element, tag: str) -> None:
    for found in parent.findall(f".//{qn(tag)}"):
        found.getparent().remove(found)


def switched_off(tag: str) -> Element:
    """A property that the style around it has, and this does not."""
    made = element(tag)
    made.set(qn("w:val"), "0")
    return made


def run(text: str, look: Look | None = None, *, font: str | None = None, rtl: bool | None = None) -> Element:
    """``rtl`` says how the run reads, where it says it at all."""
    run = element("w:r")
    look = look or Look()
    properties = element("w:rPr")
    if font:
        fonts = child(properties, "w:rFonts")
        for script in ("w:ascii", "w:hAnsi", "w:cs"):
            fonts.set(qn(script), font)
    for wanted, tags in ((look.bold, ("w:b", "w:bCs")), (look.italic, ("w:i", "w:iCs")), (look.struck, ("w:strike",))):
        if wanted:
            properties.extend(map(element, tags))
    if font:
        properties.append(shading(WASH))
    if rtl is not None:
        properties.append(element("w:rtl") if rtl else switched_off("w:rtl"))
    if len(properties):
        run.append(properties)
    for at, line in enumerate(text.split("\n")):
        if at:
            run.append(element("w:br"))
        if line:
            words = child(run, "w:t", new=True)
            words.text = line
            words.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return run


def linked(run: Element, ink: str) -> None:
    properties = run.find(qn("w:rPr"))
    if properties is None:
        properties = element("w:rPr")
        run.insert(0, properties)
    colour, line = element("w:color"), element("w:u")
    colour.set(qn("w:val"), ink)
    line.set(qn("w:val"), "single")
    place(properties, colour)
    place(properties, line)


def set_font(style: Any, name: str) -> None:
    style.font.name = name
    fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
    for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
        fonts.attrib.pop(qn(f"w:{theme}"), None)
    for script in ("w:ascii", "w:hAnsi", "w:cs"):
        fonts.set(qn(script), name)


def shading(colour: str) -> Element:
    shading = element("w:shd")
    shading.set(qn("w:val"), "clear")
    shading.set(qn("w:color"), "auto")
    shading.set(qn("w:fill"), colour)
    return shading


def borders(tag: str, sides: dict[str, tuple[str, int]]) -> Element:
    """Sides with (colour, width in eighths of a point)."""
    borders = element(tag)
    for side, (colour, width) in sides.items():
        border = child(borders, f"w:{side}")
        border.set(qn("w:val"), "single")
        border.set(qn("w:sz"), str(width))
        border.set(qn("w:space"), "0")
        border.set(qn("w:color"), colour)
    return borders


def level_of_list(level: int, kind: str | None) -> Element:
    made = element("w:lvl")
    made.set(qn("w:ilvl"), str(level))
    child(made, "w:start").set(qn("w:val"), "1")
    child(made, "w:numFmt").set(qn("w:val"), kind or "bullet")
    child(made, "w:lvlText").set(qn("w:val"), f"%{level + 1}." if kind else "•◦▪"[level % 3])
    child(made, "w:lvlJc").set(qn("w:val"), "left")
    indent = child(child(made, "w:pPr"), "w:ind")
    indent.set(qn("w:left"), str(340 * (level + 1)))  # twentieths of a point: 6 mm a level
    indent.set(qn("w:hanging"), "340")
    return made


def number(paragraph: WordParagraph, number: int, level: int) -> None:
    properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
    properties.get_or_add_ilvl().val = level
    properties.get_or_add_numId().val = number


def field(paragraph: WordParagraph, code: str, shown: str) -> None:
    field_begin(paragraph, code)
    paragraph.add_run(shown)
    field_end(paragraph)


def field_begin(paragraph: WordParagraph, code: str) -> None:
    field_char(paragraph, "begin")
    instruction = element("w:instrText")
    instruction.text = f" {code} "
    instruction.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    paragraph.add_run()._r.append(instruction)
    field_char(paragraph, "separate")


def field_end(paragraph: WordParagraph) -> None:
    field_char(paragraph, "end")


def field_char(paragraph: WordParagraph, kind: str) -> None:
    mark = element("w:fldChar")
    mark.set(qn("w:fldCharType"), kind)
    paragraph.add_run()._r.append(mark)
