"""A project's brand: which there can be, what it does to colours and texts, and that every format shows it."""

import base64
import html
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pypdf
import pytest
from docx.oxml.ns import qn
from fontTools.ttLib import TTFont
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from activities.filming.cards import Canvas, cards
from activities.filming.scenes import Footage, scenes
from activities.publishing.confluence.space import OUR_NAMES
from activities.publishing.confluence.storage import storage
from activities.publishing.manuscript import read
from activities.publishing.notion.blocks import blocks_of
from activities.publishing.publisher import preview_pages, publish
from activities.publishing.site.assembling import Given, index, site_of
from activities.publishing.site.page import FACTS, GuideFacts, site_part
from domain.documents.brand import (
    DARK,
    LIGHT,
    READABLE,
    SEEN,
    Brand,
    BrandFont,
    Branding,
    Ground,
    Logo,
    Numbering,
    Placeholder,
    SectionPlace,
    TemplateSection,
    check_brand,
    contrast,
    pieces,
    shade,
    without_pages,
    without_unknown,
)
from domain.documents.publication import BRANDED_FORMATS, FILM_FORMATS, ExportFormat, Publication
from domain.errors import ColoursUnreadable, RequestInvalid
from tests.unit.publishing_samples import GUIDE, TRAINING

DOCUMENTS = (ExportFormat.PDF, ExportFormat.DOCX, ExportFormat.HTML, ExportFormat.MD_ZIP)
YELLOW = "#ffb300"


def drawn(ground: Ground = Ground.LIGHT) -> Logo:
    image = Image.new("RGBA", (300, 90))
    ImageDraw.Draw(image).rectangle((10, 10, 290, 80), fill="#7a1fa2")
    out = io.BytesIO()
    image.save(out, "PNG")
    return Logo(png=out.getvalue(), width=300, height=90, ground=ground)


ACME = Branding(
    brand=Brand(
        accent=YELLOW,
        font=BrandFont.NOTO_SANS,
        header="{project} · {title}",
        footer="Internal · Page {page} of {pages} · {date}",
        lead="**{steps} steps** · about {minutes} minutes",
        sections=(
            TemplateSection(
                place=SectionPlace.BEFORE, heading="Before you begin", text="You need access to **{project}**."
            ),
            TemplateSection(
                place=SectionPlace.AFTER, heading="Need help?", text="Write to [us](mailto:help@example.org)."
            ),
        ),
    ),
    logo=drawn(),
    project="ACME <b>*Handbook*",
)
PROJECT = ACME.project
MANUAL = "https://example.com/manual"
"""What the guide itself links to."""


def branded(of: Publication = GUIDE, branding: Branding = ACME) -> Publication:
    return of.model_copy(update={"branding": branding, "duration_ms": 272_000})


def made(of: Publication, export_format: ExportFormat, out: Path) -> bytes:
    return publish(of, export_format, out=out).path.read_bytes()


# --- colours -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#777777", "#ffffff", 4.48),
        ("#767676", "#ffffff", 4.54),
        ("#ff0000", "#ffffff", 4.0),
    ],
)
def test_contrast_is_that_of_wcag(one: str, other: str, ratio: float) -> None:
    assert contrast(one, other) == pytest.approx(ratio, abs=0.01) == contrast(other, one)


@given(st.integers(0, 0xFFFFFF))
def test_given_any_accent_then_what_is_written_in_it_and_on_it_can_be_read_in_both_themes(colour: int) -> None:
    brand = Brand(accent=f"#{colour:06x}")
    for paper in (LIGHT, DARK):
        found = shade(brand, paper)
        assert found is not None
        assert contrast(found.on_fill, found.fill) >= READABLE
        assert all(contrast(found.ink, ground) >= READABLE for ground in (paper.page, paper.wash, found.wash))
        assert paper is LIGHT or contrast(found.fill, paper.page) >= SEEN


def test_given_an_accent_that_can_be_read_then_it_is_not_moved() -> None:
    dark_blue, light_blue = shade(Brand(accent="#1f5a94"), LIGHT), shade(Brand(accent="#7db4ea"), DARK)
    assert dark_blue is not None and (dark_blue.ink, dark_blue.is_moved) == ("#1f5a94", False)
    assert light_blue is not None and (light_blue.ink, light_blue.is_moved) == ("#7db4ea", False)
    pale = shade(Brand(accent=YELLOW), LIGHT)
    assert pale is not None and pale.fill == YELLOW and pale.is_moved


# --- what a brand may be -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"accent": "blue"}, "accent"),
        ({"accent": "#FFF"}, "accent"),
        ({"accent": "#1f5a94;}"}, "accent"),
        ({"accent": "#1f5a94\n"}, "accent"),
        ({"accent": "#1f5a94", "on_accent": "#12"}, "on_accent"),
        ({"on_accent": "#ffffff"}, "accent"),
        ({"header": "x" * 201}, "header"),
        ({"footer": "{projct}"}, "footer"),
        ({"lead": "x" * 1001}, "lead"),
        ({"lead": "By {author}"}, "lead"),
        ({"sections": [{"place": "after", "text": "a"}] * 13}, "sections"),
        ({"sections": [{"place": "before", "text": "x" * 4001}]}, "sections.0.text"),
        ({"sections": [{"place": "after", "text": "a"}, {"place": "after", "text": "{page}"}]}, "sections.1.text"),
        ({"sections": [{"place": "after", "heading": "{pages}"}]}, "sections.0.heading"),
        ({"sections": [{"place": "after", "heading": " "}]}, "sections.0"),
        ({"before": "x" * 4001}, "sections.0.text"),
    ],
)
def test_given_what_no_brand_may_be_then_the_field_is_named(wrong: dict[str, Any], field: str) -> None:
    with pytest.raises(RequestInvalid) as refused:
        check_brand(Brand.model_validate(wrong))
    assert (refused.value.code, refused.value.field) == ("VALIDATION_ERROR", field)


def test_given_text_that_cannot_be_read_on_the_accent_then_it_is_refused_with_the_figure() -> None:
    with pytest.raises(ColoursUnreadable, match=r"#ffffff on #ffb300 .* 1\.\d+:1.*#000000 is taken") as refused:
        check_brand(Brand(accent=YELLOW, on_accent="#ffffff"))
    assert refused.value.code == "COLOURS_UNREADABLE" and refused.value.details["needed"] == READABLE
    check_brand(Brand(accent=YELLOW, on_accent="#000000", lead="`{}` and {a b} are no placeholders"))


def test_given_a_line_then_pages_stand_in_it_where_there_are_any_and_nothing_is_left_of_them_elsewhere() -> None:
    line = "{title} | Page {page} of {pages} · {nothing}"
    assert pieces(line, {"title": "{page}"}) == (
        "{page} | Page ",
        Placeholder.PAGE,
        " of ",
        Placeholder.PAGES,
        " · {nothing}",
    )
    assert without_pages(line) == "{title} · {nothing}"
    assert without_pages("a|b") == "a|b" and without_pages("{page}") == ""


def test_given_a_text_that_names_what_is_not_known_then_nothing_is_left_of_that_part() -> None:
    values = {"steps": "3", "minutes": "", "date": ""}
    assert without_unknown("{steps} steps · {minutes} min | {date}\n\nSince {date}.\nDo.", values) == (
        "{steps} steps\n\n\nDo."
    )
    table = "| For | Takes |\n|---|---|\n| you | {minutes} |"
    assert without_unknown(table, values) == "| For | Takes |\n|---|---|\n"
    assert without_unknown("a|b {steps}", values) == "a|b {steps}"


def test_given_a_brand_of_before_there_were_templates_then_its_texts_are_sections() -> None:
    stored = {
        "accent": None,
        "header": "",
        "before": "## Before\n\nAsk.\n",
        "closing": "## *Help*\n\nUs.",
        "font": None,
    }
    assert Brand.model_validate(stored).sections == (
        TemplateSection(place=SectionPlace.BEFORE, heading="Before", text="Ask.\n"),
        TemplateSection(place=SectionPlace.AFTER, text="## *Help*\n\nUs."),  # marks of a heading are read in a text
    )
    assert Brand.model_validate({"before": "", "closing": ""}) == Brand()


# --- every format --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("export_format", DOCUMENTS)
def test_given_a_brand_that_chooses_nothing_then_the_bytes_are_those_without_one(
    export_format: ExportFormat, tmp_path: Path
) -> None:
    assert made(branded(branding=Branding(project="A")), export_format, tmp_path) == made(
        GUIDE, export_format, tmp_path
    )


def test_given_a_brand_then_its_pdf_has_the_logo_the_colours_the_font_and_all_texts(tmp_path: Path) -> None:
    reader = pypdf.PdfReader(io.BytesIO(made(branded(), ExportFormat.PDF, tmp_path)))
    assert len(reader.pages) >= 2
    for number, page in enumerate(reader.pages, start=1):
        text = page.extract_text()
        assert f"{PROJECT} · Export last month" in text
        assert f"Internal · Page {number} of {len(reader.pages)} · 2026-10-01" in text
        assert any(image.image is not None and image.image.size == (300, 90) for image in page.images)
    text = " ".join(page.extract_text() for page in reader.pages)
    assert f"You need access to {PROJECT}." in " ".join(text.split())
    assert "3 steps · about 5 minutes" in text and text.count("Before you begin") == 2, "in the contents, too"
    outline = [each.title for each in reader.outline if not isinstance(each, list)]
    assert outline[0] == "Before you begin" and outline[-1] == "Need help?"
    assert text.index("Sign in and choose") > text.index("You need access")
    assert text.rindex("Need help?") > text.index("Write to support")
    resources: Any = [page["/Resources"] for page in reader.pages]
    fonts = {str(font["/BaseFont"]) for each in resources for font in each["/Font"].values()}
    assert any("NotoSans" in font for font in fonts) and not any("Inter" in font for font in fonts)
    first = Image.open(io.BytesIO(preview_pages(branded(), 72)[0])).convert("RGB")
    pixels = first.crop((0, 0, first.width, first.height // 2)).getcolors(1 << 20)  # above the pictures
    assert pixels is not None
    colours = {colour for _, colour in pixels}
    assert (0xFF, 0xB3, 0x00) in colours and (0x1F, 0x5A, 0x94) not in colours


def test_given_a_brand_then_its_docx_has_it_in_header_and_footer(tmp_path: Path) -> None:
    document = docx.Document(io.BytesIO(made(branded(), ExportFormat.DOCX, tmp_path)))
    page = document.sections[0]
    header, footer = page.header.paragraphs[0], page.footer.paragraphs[0]
    assert header.text.strip() == f"{PROJECT} · Export last month's invoices"
    (picture,) = header._p.iter(qn("a:blip"))
    logo = page.header.part.related_parts[picture.get(qn("r:embed"))]
    assert ACME.logo is not None and logo.blob == ACME.logo.png
    assert next(header._p.iter(qn("wp:docPr"))).get("descr") == PROJECT
    assert footer.text == "Internal · Page 1 of 1 · 2026-10-01"  # fields, until Word counts
    assert [each.text.strip() for each in footer._p.iter(qn("w:instrText"))] == ["PAGE", "NUMPAGES"]
    headings = [each.text for each in document.paragraphs if each.style is not None and each.style.name == "Heading 1"]
    assert headings[0] == "Before you begin" and headings[1].startswith("1. ") and headings[-1] == "Need help?"
    (listed,) = [each for each in document.paragraphs if each.text == "Need help?" and each.style.name == "Contents"]  # type: ignore[union-attr]
    (link,) = listed._p.iter(qn("w:hyperlink"))
    assert any(
        each.get(qn("w:name")) == link.get(qn("w:anchor")) for each in document.element.iter(qn("w:bookmarkStart"))
    )
    assert document.styles["Normal"].font.name == "Noto Sans"
    ink = shade(ACME.brand, LIGHT)
    number = next(each for each in document.paragraphs if each.text.startswith("1. Open") and each.runs).runs[0]
    assert ink is not None and str(number.font.color.rgb) == ink.ink[1:].upper()


def test_given_a_brand_then_its_page_holds_all_of_it_and_fetches_nothing(tmp_path: Path) -> None:
    page = made(branded(), ExportFormat.HTML, tmp_path).decode()
    assert "ACME &lt;b&gt;*Handbook* · Export last month&#39;s invoices</p></div>" in page
    assert "<b>*" not in page and "access to <strong>ACME &lt;b&gt;*Handbook*</strong>" in page
    assert '<p class="imprint">Internal · 2026-10-01</p>' in page
    assert '<a href="#after-1"><span class="n"></span><span>Need help?</span>' in page
    assert '<section class="text" id="after-1">' in page
    own = re.findall(r' id="([a-z]+-\d+)"', made(GUIDE, ExportFormat.HTML, tmp_path).decode())
    assert re.findall(r' id="([a-z]+-\d+)"', page) == ["before-1", *own, "after-1"], "links to what is its own hold"
    assert ACME.logo is not None and f"data:image/png;base64,{base64.b64encode(ACME.logo.png).decode()}" in page
    light, dark = shade(ACME.brand, LIGHT), shade(ACME.brand, DARK)
    assert light is not None and f"--accent: {light.ink}; --accent-wash: {light.wash}; --fill: {YELLOW}" in page
    assert dark is not None and f"--accent: {dark.ink}" in page.split("prefers-color-scheme: dark")[-1]
    assert "font-src data:" in page and "http:" not in page and "https:" not in page.replace(MANUAL, "")
    encoded = page.split('src: url("data:font/woff;base64,')[1].split('"')[0]
    font = TTFont(io.BytesIO(base64.b64decode(encoded)))
    assert {ord("A"), ord("·")} <= set(font.getBestCmap()) and len(font.getBestCmap()) < 200
    assert "fvar" in font  # all weights


def test_given_a_brand_then_its_markdown_says_it_and_brings_the_logo(tmp_path: Path) -> None:
    archive = zipfile.ZipFile(io.BytesIO(made(branded(), ExportFormat.MD_ZIP, tmp_path)))
    assert ACME.logo is not None and archive.read("images/logo.png") == ACME.logo.png
    text = archive.read("instruction.md").decode()
    assert "\n\n**3 steps** · about 5 minutes\n\n*Made from" in text
    assert text.startswith("![ACME \\<b>\\*Handbook\\*](images/logo.png)\n\nACME")
    assert "\n## Before you begin\n\nYou need access to **ACME \\<b>\\*Handbook\\***.\n\n## 1. Open" in text
    assert text.endswith("Internal · 2026-10-01\n")


@pytest.mark.parametrize("export_format", DOCUMENTS)
def test_given_a_brand_when_published_twice_then_the_bytes_are_equal(
    export_format: ExportFormat, tmp_path: Path
) -> None:
    assert made(branded(), export_format, tmp_path) == made(branded(), export_format, tmp_path)


def test_given_numbers_by_part_or_none_then_every_format_counts_so(tmp_path: Path) -> None:
    def text(numbering: Numbering) -> tuple[str, str]:
        of = branded(TRAINING, Branding(brand=Brand(numbering=numbering)))
        pdf = pypdf.PdfReader(io.BytesIO(made(of, ExportFormat.PDF, tmp_path)))
        archive = zipfile.ZipFile(io.BytesIO(made(of, ExportFormat.MD_ZIP, tmp_path)))
        return " ".join(page.extract_text() for page in pdf.pages), archive.read("instruction.md").decode()

    pdf, markdown = text(Numbering.PARTS)
    assert "1. Members" in pdf and "1.1" in pdf and "2.1" in pdf
    assert "## 2\\. Members\n\n### 2.1 Send it" in markdown and "## 0.1 Sign in" in markdown
    pdf, markdown = text(Numbering.NONE)
    assert "## Members\n\n### Send it" in markdown and "1. Members" not in pdf
    page = made(
        branded(TRAINING, Branding(brand=Brand(numbering=Numbering.NONE))), ExportFormat.HTML, tmp_path
    ).decode()
    assert 'class="badge"' not in page and 'id="step-3"' in page


# --- all formats, and the site around guides -----------------------------------------------------------------------


def pdf_shown(data: bytes) -> tuple[str, list[bytes]]:
    pages = pypdf.PdfReader(io.BytesIO(data)).pages
    return " ".join(page.extract_text() for page in pages), [each.data for page in pages for each in page.images]


def docx_shown(data: bytes) -> tuple[str, list[bytes]]:
    document = docx.Document(io.BytesIO(data))
    frame = document.sections[0]
    text = " ".join(each.text for part in (frame.header, document, frame.footer) for each in part.paragraphs)
    return text.replace("Page 1 of 1 · ", ""), [each.blob for each in frame.header.part.related_parts.values()]


def page_shown(page: str, files: dict[str, bytes]) -> tuple[str, list[bytes]]:
    held = [base64.b64decode(each) for each in re.findall(r'src="data:image/png;base64,([^"]+)"', page)]
    beside = [files[each] for each in re.findall(r'src="(images/[^"]+)"', page)]
    return re.sub(r"<style.*?</style>|<[^>]+>", "", page, flags=re.DOTALL), [*held, *beside]


def site_shown(data: bytes) -> tuple[str, list[bytes]]:
    archive = zipfile.ZipFile(io.BytesIO(data))
    files = {name: archive.read(name) for name in archive.namelist()}
    return page_shown(files["index.html"].decode(), files)


def bundle_shown(data: bytes) -> tuple[str, list[bytes]]:
    archive = zipfile.ZipFile(io.BytesIO(data))
    return archive.read("instruction.md").decode().replace("\\", ""), [archive.read("images/logo.png")]


def confluence_shown(of: Publication) -> tuple[str, list[bytes]]:
    body, attachments = storage(read(of), "guide-1")
    first = re.findall(r'ri:filename="([^"]+)"', body)[0]
    assert first.startswith(OUR_NAMES)  # another version takes it away
    return re.sub("<[^>]+>", "", body), [each.data for each in attachments if each.name == first]


def notion_shown(of: Publication) -> tuple[str, list[bytes]]:
    uploads: list[bytes] = []
    nodes = blocks_of(read(of), lambda picture: uploads.append(picture.data) or str(len(uploads)))  # type: ignore[func-returns-value]
    assert nodes[0].type == "image" and nodes[0].content["file_upload"] == {"id": "1"}
    return " ".join(
        "".join(each["text"]["content"] for each in node.content.get("rich_text", ())) for node in nodes
    ), uploads


SHOWN: dict[ExportFormat, Callable[[bytes], tuple[str, list[bytes]]]] = {
    ExportFormat.PDF: pdf_shown,
    ExportFormat.DOCX: docx_shown,
    ExportFormat.HTML: lambda data: page_shown(data.decode(), {}),
    ExportFormat.SITE: site_shown,
    ExportFormat.MD_ZIP: bundle_shown,
}
PLACED: dict[ExportFormat, Callable[[Publication], tuple[str, list[bytes]]]] = {
    ExportFormat.CONFLUENCE: confluence_shown,
    ExportFormat.NOTION: notion_shown,
}


def has_colour(picture: bytes | Image.Image, colour: tuple[int, int, int]) -> bool:
    image = picture if isinstance(picture, Image.Image) else Image.open(io.BytesIO(picture))
    return colour in {each for _, each in image.convert("RGB").getcolors(1 << 24) or ()}


VIOLET = (0x7A, 0x1F, 0xA2)


@pytest.mark.parametrize("export_format", sorted(BRANDED_FORMATS - FILM_FORMATS))
def test_given_a_brand_then_every_format_has_its_logo_and_its_texts(
    export_format: ExportFormat, tmp_path: Path
) -> None:
    if export_format in PLACED:
        text, pictures = PLACED[export_format](branded())
    else:
        text, pictures = SHOWN[export_format](made(branded(), export_format, tmp_path))
    said = " ".join(html.unescape(text).split())
    for words in (f"{PROJECT} · Export last month's invoices", "Before you begin", "Need help?", "2026-10-01"):
        assert words in said, words
    assert said.index(PROJECT) < said.index("Before you begin") < said.rindex("Need help?") < said.rindex("Internal · ")
    assert any(has_colour(each, VIOLET) for each in pictures)


def test_given_a_brand_then_the_first_card_of_a_film_has_its_logo_colour_and_lines() -> None:
    def title(branding: Branding | None) -> Image.Image:
        of = read(branded(branding=branding) if branding else GUIDE)
        shown = scenes(of, (), {}, Footage())[:1]
        set_words = cards(shown, Canvas(960, 540, 72), "en", of.edition, lambda: None, appearance=of.appearance)
        return Image.open(io.BytesIO(set_words.pictures[0])).convert("RGB")

    def lines(image: Image.Image, upper: bool) -> int:
        """Rows at the margin in which something is written."""
        grey = image.crop((40, 0, 560, 90) if upper else (40, 490, 560, 612)).convert("L")
        return sum(max(grey.crop((0, y, grey.width, y + 1)).tobytes()) > 90 for y in range(grey.height))

    bare, whole = title(None), title(ACME)
    assert has_colour(whole, VIOLET) and has_colour(whole, (0xFF, 0xB3, 0x00)) and not has_colour(bare, VIOLET)
    assert lines(bare, True) == 0 and lines(whole, True) > 8
    assert lines(whole, False) > lines(bare, False) + 8


@pytest.mark.parametrize(("ground", "colour"), [(Ground.DARK, (0x14, 0x19, 0x1F)), (Ground.LIGHT, (255, 255, 255))])
def test_given_a_logo_that_is_cut_out_then_a_page_elsewhere_has_it_on_a_ground_it_can_be_seen_on(
    ground: Ground, colour: tuple[int, int, int]
) -> None:
    for shown in PLACED.values():
        _, pictures = shown(branded(branding=Branding(logo=drawn(ground), project="A")))
        logo = Image.open(io.BytesIO(pictures[0])).convert("RGBA")
        assert logo.getpixel((0, 0)) == (*colour, 255) and has_colour(logo, VIOLET)


def parts_of_site(*guides: tuple[str, Publication]) -> str:
    found: list[Given] = []
    for section, of in guides:
        with zipfile.ZipFile(io.BytesIO(site_part(read(of)))) as archive:
            facts = GuideFacts.model_validate_json(archive.read(FACTS))
        found.append(Given(section, facts, str(len(found))))
    return index(site_of("Handbook", found)[0])


def test_given_guides_of_one_brand_then_the_sites_index_has_it_and_of_several_each_section_its_own() -> None:
    other = Branding(brand=Brand(accent="#7a1fa2", footer="{title} · {date}"), project="Other")
    page = parts_of_site(("a", branded()), ("a", branded(TRAINING)))
    assert f"<p>{html.escape(PROJECT)}</p></div>" in page and '<p class="imprint">Internal</p>' in page
    assert page.count('<img class="logo') == 1 and f'src="{EXPORTED}/images/logo.png"' in page
    light = shade(ACME.brand, LIGHT)
    assert light is not None and f":root {{ --accent: {light.ink};" in page and "font-src data:" in page
    mixed = parts_of_site(("a", branded()), ("b", branded(TRAINING, other)), ("c", GUIDE))
    violet = shade(other.brand, LIGHT)
    assert violet is not None and f"#section-1 {{ --accent: {light.ink};" in mixed
    assert f"#section-2 {{ --accent: {violet.ink};" in mixed and "#section-3 {" not in mixed
    assert mixed.count('<img class="logo') == 1 and 'imprint"' not in mixed and 'masthead"' not in mixed
    assert parts_of_site(("a", GUIDE)) == parts_of_site(
        ("a", branded(GUIDE, Branding(brand=Brand(numbering=Numbering.NONE))))
    )


EXPORTED = "guides/export-last-month-s-invoices"
