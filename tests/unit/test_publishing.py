"""Publishing: what every format promises, whoever wrote the text."""

import base64
import hashlib
import io
import re
import zipfile
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import docx
import pypdf
import pytest
import webvtt
from docx.oxml.ns import qn
from PIL import Image

from activities.publishing.fonts import typeface_for
from activities.publishing.naming import filename_of
from activities.publishing.publisher import preview_pages, publish
from domain.documents.publication import FILM_FORMATS, ExportFormat, Picture, Publication, PublicationBlock, clock
from domain.errors import Cancelled, ExportFailed
from domain.recordings.transcript import SpeechFound, Transcript
from tests.children import running
from tests.unit.publishing_samples import (
    GUIDE,
    HOSTILE,
    LONG_LINE,
    SPOKEN,
    TRAINING,
    WRITTEN,
    block,
    publication,
    screenshot,
)

DOCUMENTS = (ExportFormat.PDF, ExportFormat.MD_ZIP, ExportFormat.DOCX, ExportFormat.HTML)
IN_ORDER = ("Export last month", "Open the invoices", "Choose the month", "Send the file", "If something goes wrong")
HEADINGS = ["Open the invoices", "Choose the month", "Send the file"]


class Page(HTMLParser):
    """What a browser would see: the text, and every element with its attributes."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.text = ""
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self._hidden = 0
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._hidden += tag in ("style", "script")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("style", "script")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


_MADE: dict[tuple[Publication, ExportFormat], bytes] = {}


def made(what: Publication, format: ExportFormat, out: Path) -> io.BytesIO:
    """The file of a publication, for those who read it: made once, since its bytes are the same each time."""
    if (what, format) not in _MADE:
        _MADE[what, format] = publish(what, format, out=out).path.read_bytes()
    return io.BytesIO(_MADE[what, format])


def pdf_of(what: Publication, out: Path) -> pypdf.PdfReader:
    return pypdf.PdfReader(made(what, ExportFormat.PDF, out))


def docx_of(what: Publication, out: Path) -> "docx.document.Document":
    return docx.Document(made(what, ExportFormat.DOCX, out))


def html_of(what: Publication, out: Path) -> Page:
    return Page(made(what, ExportFormat.HTML, out).read().decode())


def markdown_of(what: Publication, out: Path) -> tuple[str, zipfile.ZipFile]:
    archive = zipfile.ZipFile(made(what, ExportFormat.MD_ZIP, out))
    return archive.read("instruction.md").decode(), archive


def text_of_pdf(reader: pypdf.PdfReader) -> str:
    return "\n".join(page.extract_text() for page in reader.pages)


def text_of_docx(document: "docx.document.Document") -> str:
    return "\n".join(node.text or "" for node in document.element.body.iter() if node.tag.endswith("}t"))


def pdf_text(what: Publication, out: Path) -> str:
    return text_of_pdf(pdf_of(what, out))


def docx_text(what: Publication, out: Path) -> str:
    return text_of_docx(docx_of(what, out))


def html_text(what: Publication, out: Path) -> str:
    return html_of(what, out).text


def markdown_text(what: Publication, out: Path) -> str:
    return markdown_of(what, out)[0]


READERS = (pdf_text, docx_text, html_text, markdown_text)


def squeeze(text: str) -> str:
    return "".join(text.split())


# --- every format ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", DOCUMENTS)
def test_given_a_guide_when_published_twice_then_the_bytes_are_equal(format: ExportFormat, tmp_path: Path) -> None:
    first, second = (publish(GUIDE, format, out=tmp_path).path.read_bytes() for _ in range(2))
    assert first == second


@pytest.mark.parametrize("read", READERS)
def test_given_a_guide_then_title_steps_and_text_stand_in_order(
    read: Callable[[Publication, Path], str], tmp_path: Path
) -> None:
    text = squeeze(read(GUIDE, tmp_path))
    body = text[text.rindex(squeeze(IN_ORDER[1])) :]  # below the contents
    assert text.index(squeeze(IN_ORDER[0])) < text.index(squeeze(IN_ORDER[1]))
    places = [body.index(squeeze(each)) for each in IN_ORDER[1:]]
    assert places == sorted(places)


@pytest.mark.parametrize("read", READERS)
def test_given_a_guide_then_each_step_carries_its_time_and_the_colophon_its_source(
    read: Callable[[Publication, Path], str], tmp_path: Path
) -> None:
    text = read(GUIDE, tmp_path)
    for time in ("0:05", "1:05", "1:10", "1:02:05"):
        assert time in text
    assert "ledgerly.mp4" in text
    assert "2026-10-01" in text
    assert "The last step was written from its pictures." in " ".join(text.split())


@pytest.mark.parametrize("read", READERS)
def test_given_a_note_that_is_a_warning_then_it_says_so_in_the_documents_language(
    read: Callable[[Publication, Path], str], tmp_path: Path
) -> None:
    blocks = (block("Nur heute.", "note", 1_000), block("> **Warning:** Nie wieder.", "warning", 2_000))
    text = " ".join(read(publication(*blocks, language="de"), tmp_path).replace(">", "").split())
    assert re.search(r"Hinweis.*0:01.*Nur heute\..*Warnung.*0:02.*Nie wieder\.", text, re.I), text
    assert "Warning" not in text


@pytest.mark.parametrize("read", READERS)
def test_given_a_code_line_without_spaces_then_all_of_it_is_there(
    read: Callable[[Publication, Path], str], tmp_path: Path
) -> None:
    assert squeeze(LONG_LINE) in squeeze(read(GUIDE, tmp_path))


@pytest.mark.parametrize("read", READERS)
def test_given_hostile_text_then_it_is_shown_and_nothing_of_it_is_obeyed(
    read: Callable[[Publication, Path], str], tmp_path: Path
) -> None:
    text = squeeze(read(HOSTILE, tmp_path)).replace("\\", "")
    assert squeeze('#read("/etc/passwd") <script>alert(1)</script>') in text
    assert squeeze('#eval("1 + 1") $x$ @reference <label>') in text
    assert "{{7*7}}" in text
    assert "root:" not in text
    assert squeeze("Control characters stay out") in text


@pytest.mark.parametrize("format", DOCUMENTS)
def test_given_images_that_the_text_links_to_then_the_reader_is_told_that_they_were_left(
    format: ExportFormat, tmp_path: Path
) -> None:
    (warning,) = publish(HOSTILE, format, out=tmp_path).warnings
    assert warning.startswith("2 image(s)")


@pytest.mark.parametrize("format", DOCUMENTS)
def test_given_a_title_that_climbs_then_the_file_stays_in_the_folder(format: ExportFormat, tmp_path: Path) -> None:
    published = publish(HOSTILE, format, out=tmp_path)
    assert published.path.parent == tmp_path
    assert published.filename.startswith("etc-passwd.")
    assert [each.name for each in tmp_path.iterdir()] == [published.path.name]


@pytest.mark.parametrize("format", DOCUMENTS)
def test_given_a_screenshot_that_is_no_image_then_the_rest_is_published_with_a_warning(
    format: ExportFormat, tmp_path: Path
) -> None:
    broken = Picture(anchor_id="a", data=b"not an image", media_type="image/png", width=10, height=10)
    truncated = broken.model_copy(update={"data": screenshot(1).data[:200]})
    what = publication(block("## Open it\n\nNow.", "step", 0, broken, screenshot(1), truncated))
    published = publish(what, format, out=tmp_path)
    assert len(published.warnings) == 2
    assert published.path.stat().st_size > 0


@pytest.mark.parametrize("format", DOCUMENTS)
def test_given_a_publication_without_blocks_then_there_is_still_a_document(
    format: ExportFormat, tmp_path: Path
) -> None:
    assert publish(publication(title=""), format, out=tmp_path).filename.startswith("instruction.")


@pytest.mark.parametrize("format", [each for each in ExportFormat if each not in FILM_FORMATS])
def test_given_a_cancel_then_publishing_stops_and_leaves_nothing(format: ExportFormat, tmp_path: Path) -> None:
    def cancel() -> None:
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        publish(GUIDE, format, transcript=SPOKEN, out=tmp_path, on_progress=cancel)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", DOCUMENTS)
def test_given_a_guide_then_progress_is_told_at_least_once_a_block(format: ExportFormat, tmp_path: Path) -> None:
    beats: list[None] = []
    publish(GUIDE, format, out=tmp_path, on_progress=lambda: beats.append(None))
    assert len(beats) >= len(GUIDE.blocks)


@pytest.mark.parametrize("format", DOCUMENTS)
def test_given_nesting_beyond_reason_then_every_line_of_it_is_published(format: ExportFormat, tmp_path: Path) -> None:
    lists = "".join("  " * depth + f"- level{depth}\n" for depth in range(30))
    what = publication(block(lists + "\n" + "> " * 40 + "quoted\n\n" + "*a **b " * 500))
    read = dict(zip(DOCUMENTS, (pdf_text, markdown_text, docx_text, html_text), strict=True))[format]
    text = read(what, tmp_path)
    assert all(f"level{depth}" in text for depth in range(30))
    assert "quoted" in text


@pytest.mark.parametrize(
    ("time_ms", "shown"), [(0, "0:00"), (5_999, "0:05"), (754_000, "12:34"), (3_723_000, "1:02:03"), (-1, "0:00")]
)
def test_given_a_moment_then_it_is_written_as_people_do(time_ms: int, shown: str) -> None:
    assert clock(time_ms) == shown


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Export last month's invoices!", "Export-last-month-s-invoices"),
        ("../..//etc\\passwd", "etc-passwd"),
        ("导出发票", "导出发票"),
        ("  ", "instruction"),
        ("CON", "instruction"),
        ("a\x00b\nc", "a-b-c"),
    ],
)
def test_given_a_title_then_the_file_name_is_safe_everywhere(title: str, name: str) -> None:
    assert filename_of(title) == name


def test_given_sections_then_steps_stand_a_level_below_them_and_are_counted_through(tmp_path: Path) -> None:
    markdown, archive = markdown_of(TRAINING, tmp_path)
    headings = [line for line in markdown.splitlines() if line.startswith("#")]
    assert headings == [
        *("# Train your team", "## 1. Sign in", "## Members", "### 2. Invite somebody", "###### Which role"),
        *("## Members", "### 3. Send it"),
    ]
    assert "- [1. Sign in](#1-sign-in)\n- [Members](#members)\n  - [2. Invite somebody](#2-invite-somebody)" in markdown
    assert "- [Members](#members-1)" in markdown
    assert {"images/step-02.png", "images/step-02-whole.png", "images/step-02-2.png"} <= set(archive.namelist())
    assert "[![Screen 5](images/step-02.png)](images/step-02-whole.png)\n\n*Result*\n\n![Screen 7]" in markdown

    written = docx_of(TRAINING, tmp_path)
    styled = [(str(each.style and each.style.name), each.text) for each in written.paragraphs]
    assert [each for each in styled if each[0].startswith("Heading")] == [
        *(("Heading 1", "1. Sign in"), ("Heading 1", "Members"), ("Heading 2", "2. Invite somebody")),
        *(("Heading 5", "Which role"), ("Heading 1", "Members"), ("Heading 2", "3. Send it")),
    ]
    assert 'TOC \\o "1-2"' in text_of_docx_fields(written)

    outline = [_titles(each) for each in pdf_of(TRAINING, tmp_path).outline]
    assert outline == ["1 Sign in", "Members", ["2 Invite somebody"], "Members", ["3 Send it"]]

    page = html_of(TRAINING, tmp_path)
    assert [each["href"] for each in page.all("a")][1:] == ["#step-1", "#section-1", "#step-2", "#section-2", "#step-3"]
    assert {"section-1", "section-2", "step-3"} <= {each["id"] for each in page.all("section")}
    assert [each["aria-label"] for each in page.all("h3")] == ["Step 2: Invite somebody", "Step 3: Send it"]


def text_of_docx_fields(document: "docx.document.Document") -> str:
    return "\n".join(node.text or "" for node in document.element.body.iter() if node.tag.endswith("}instrText"))


def _titles(entry: Any) -> Any:
    return [_titles(each) for each in entry] if isinstance(entry, list) else str(entry["/Title"])


def test_given_a_part_of_a_picture_then_the_page_opens_the_whole_and_files_for_paper_show_the_part(
    tmp_path: Path,
) -> None:
    source = made(TRAINING, ExportFormat.HTML, tmp_path).read().decode()
    whole = base64.b64encode(TRAINING.blocks[3].pictures[0].whole or b"").decode()
    part = base64.b64encode(TRAINING.blocks[3].pictures[0].data).decode()
    assert (source.count(whole), source.count(part)) == (1, 0)
    assert '<details class="crop" id="picture-step-02"><summary>' in source
    assert "#picture-step-02:not([open]) img{width:200.0000%;left:-50.0000%;top:-100.0000%}" in source
    style = source[source.index("<style>") + 7 : source.index("</style>")]
    assert base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() in source
    with zipfile.ZipFile(made(TRAINING, ExportFormat.DOCX, tmp_path)) as archive:
        held = {archive.read(name) for name in archive.namelist() if name.startswith("word/media/")}
    assert held == {each.data for each in TRAINING.blocks[3].pictures}


def test_given_an_endless_title_then_the_file_name_is_not() -> None:
    assert len(filename_of("é" * 5_000).encode()) <= 200


# --- steps -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markdown", "heading"),
    [
        ("## 7. Click Save\n\nNow.", "1. Click Save"),
        ("## Step 4: Click Save\n\nNow.", "1. Click Save"),
        ("Click Save\nNow.", "1. Click Save"),
        ("3. Click Save\n\n   Now.", "1. Click Save"),
        ("## 3.5 inches are enough\n\nNow.", "1. 3.5 inches are enough"),
        ("Word " * 60 + "\nNow.", "1. Step 1"),
    ],
)
def test_given_any_way_of_writing_a_step_then_its_heading_is_numbered_by_its_place(
    markdown: str, heading: str, tmp_path: Path
) -> None:
    lines = markdown_text(publication(block(markdown, "step", 0)), tmp_path).splitlines()
    assert f"## {heading}" in lines
    assert any("Now." in line for line in lines)


def test_given_a_document_in_german_then_its_labels_are_german(tmp_path: Path) -> None:
    text = markdown_text(publication(block("> **Hinweis:** Nur heute.", "note", 1_000), language="de-AT"), tmp_path)
    assert "> **Hinweis** `0:01`\n>\n> Nur heute." in text


def test_given_a_screenshot_without_description_then_it_has_its_steps(tmp_path: Path) -> None:
    bare = screenshot(1).model_copy(update={"alt": ""})
    text, _ = markdown_of(publication(block("## Open the list", "step", 0, bare)), tmp_path)
    assert "![Open the list](images/step-01.png)" in text


# --- PDF -------------------------------------------------------------------------------------------------------


def test_given_a_guide_then_the_pdf_has_its_title_its_outline_and_page_numbers(tmp_path: Path) -> None:
    reader = pdf_of(GUIDE, tmp_path)
    assert reader.metadata is not None
    assert reader.metadata.title == "Export last month's invoices"
    assert [str(entry["/Title"]) for entry in reader.outline if isinstance(entry, dict)] == [
        "1 Open the invoices",
        "2 Choose the month",
        "3 Send the file",
        "If something goes wrong",
    ]
    pages = len(reader.pages)
    for number, page in enumerate(reader.pages, start=1):
        assert f"{number} / {pages}" in page.extract_text()


def test_given_a_guide_then_the_contents_name_the_pages_of_the_steps(tmp_path: Path) -> None:
    reader = pdf_of(GUIDE, tmp_path)
    first = reader.pages[0].extract_text()
    assert "CONTENTS" in first
    for heading in HEADINGS:
        on = [number for number, page in enumerate(reader.pages, start=1) if heading in page.extract_text()]
        line = next(line for line in first.splitlines() if heading in line)
        assert re.search(rf"{re.escape(heading)}[ .\s]*{on[-1]}$", line), (line, on)


def test_given_a_guide_then_the_pdf_is_a4_tagged_and_holds_every_screenshot(tmp_path: Path) -> None:
    reader = pdf_of(GUIDE, tmp_path)
    assert {(round(page.mediabox.width), round(page.mediabox.height)) for page in reader.pages} == {(595, 842)}
    assert sum(len(page.images) for page in reader.pages) == 4
    root = reader.root_object
    assert str(root["/Lang"]) == "en"
    assert "/StructTreeRoot" in root


def test_given_a_version_then_the_pdfs_date_is_the_versions_and_not_the_clocks(tmp_path: Path) -> None:
    metadata = pdf_of(GUIDE, tmp_path).metadata
    assert metadata is not None
    assert metadata.creation_date == WRITTEN


def test_given_links_then_only_safe_ones_can_be_clicked(tmp_path: Path) -> None:
    def targets(what: Publication) -> set[str]:
        annotations = [note.get_object() for page in pdf_of(what, tmp_path).pages for note in page.get("/Annots", [])]
        return {str(note["/A"]["/URI"]) for note in annotations if "/URI" in note.get("/A", {})}

    assert targets(GUIDE) == {"https://example.com/manual?a=1&b=2"}
    assert targets(HOSTILE) == set()


@pytest.mark.parametrize("size", [(1170, 2532), (5000, 700), (24, 24), (3, 2400)])
def test_given_a_screenshot_of_any_shape_then_it_stays_within_the_page(size: tuple[int, int], tmp_path: Path) -> None:
    reader = pdf_of(publication(block("## Open it\n\nNow.", "step", 0, screenshot(1, size))), tmp_path)
    assert len(reader.pages) == 1
    assert sum(len(page.images) for page in reader.pages) == 1


def test_given_a_step_near_the_end_of_a_page_then_it_moves_with_its_screenshot(tmp_path: Path) -> None:
    steps = [block(f"## Number{number}\n\nText.", "step", 0, screenshot(number, (1600, 900))) for number in range(1, 8)]
    reader = pdf_of(publication(*steps), tmp_path)
    for number, page in enumerate(reader.pages):
        headings = re.findall(r"Number\d", page.extract_text())
        listed = 7 if number == 0 else 0
        assert len(headings) - listed == len(page.images)


def test_given_a_table_of_sixty_columns_and_endless_words_then_the_pdf_is_made(tmp_path: Path) -> None:
    row = "|".join("cell" for _ in range(60))
    wide = f"|{row}|\n|{'-|' * 60}\n|{row}|\n\n|A|B|\n|-|-|\n|{'x' * 400}|short|"
    assert "short" in pdf_text(publication(block(wide)), tmp_path)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("ar", "تصدير الفواتير"),
        ("he", "ייצוא חשבוניות"),
        ("zh-CN", "导出发票"),
        ("ja", "請求書を書き出す"),
        ("ko", "청구서 내보내기"),
        ("ru", "Экспорт счетов"),
        ("hi", "चालान निर्यात"),
        ("th", "ส่งออกใบแจ้งหนี้"),
        ("en", "Emoji 😀🚀 and signs → ⌘ ☑ ½ €"),
    ],
)
def test_given_any_script_then_every_character_has_a_glyph(language: str, words: str, tmp_path: Path) -> None:
    published = publish(
        publication(block(f"# {words}", "title"), block(f"## {words}\n\n`{words}`", "step", 1), language=language),
        ExportFormat.PDF,
        out=tmp_path,
    )
    assert published.missing_glyphs == ()
    assert published.warnings == ()


def test_given_a_character_that_no_font_has_then_the_export_names_it(tmp_path: Path) -> None:
    published = publish(publication(block("Private \U0010abcd and \U0010abcd")), ExportFormat.PDF, out=tmp_path)
    assert published.missing_glyphs == ("\U0010abcd",)
    assert "U+10ABCD \U0010abcd" in published.warnings[0]
    assert boxes(pypdf.PdfReader(published.path)) == 2


def test_given_more_characters_without_a_font_than_anybody_reads_then_the_warning_counts_the_rest(
    tmp_path: Path,
) -> None:
    private = "".join(chr(0x10AB00 + place) for place in range(50))
    (warning,) = publish(publication(block(private)), ExportFormat.PDF, out=tmp_path).warnings
    assert warning.startswith("50 character(s)")
    assert warning.count("U+") == 20
    assert " and 30 more. " in warning


def boxes(reader: pypdf.PdfReader) -> int:
    """How many glyphs of a PDF are number 0 of their font: the box that stands for what it does not have."""
    found = 0
    for page in reader.pages:
        content = page.get_contents()
        assert content is not None
        for operands, operator in content.operations:
            for text in operands[0] if operator == b"TJ" else operands if operator == b"Tj" else ():
                if isinstance(text, pypdf.generic.ByteStringObject | pypdf.generic.TextStringObject):
                    codes = text.original_bytes
                    found += sum(codes[at : at + 2] == b"\0\0" for at in range(0, len(codes), 2))
    return found


@pytest.mark.parametrize(
    "words",
    [
        "- [ ] open\n- [x] done\n\nKeys ⌘ ⌥ ⇧ ⏎ ⌫ ☰ ✎ ✘ ⟲ ▸ ↯ 1️⃣ #️⃣ and ∀ ∅ ≤ ∮, ❤️ ⚠️ 👩‍💻 👍🏽 🇩🇪",
        "The button **تصدير الفواتير** and *ייצוא חשבוניות* beside 导出发票, ส่งออก, चालान, 내보내기",
        "```python\n# 請求書 — تصدير — חשבוניות 😀\n```\n\n`تصدير` and `導出`",
        "| 説明 | شرح |\n|:-:|--:|\n| 請求書 | رقم ١٢٣ |",
    ],
    ids=["signs and emoji", "scripts in one line", "scripts in code", "scripts in a table"],
)
@pytest.mark.parametrize("language", ["en", "ar", "ja"])
def test_given_scripts_side_by_side_then_no_glyph_of_the_page_is_a_box(
    words: str, language: str, tmp_path: Path
) -> None:
    published = publish(publication(block(words), language=language), ExportFormat.PDF, out=tmp_path)
    assert published.missing_glyphs == ()
    assert boxes(pypdf.PdfReader(published.path)) == 0
    assert not typeface_for(words, language).with_system  # so it looks the same on every machine


def page_of(*blocks: PublicationBlock, language: str = "en", ppi: float = 100) -> Image.Image:
    """The first page as a picture in shades of grey."""
    return Image.open(io.BytesIO(preview_pages(publication(*blocks, language=language), ppi)[0])).convert("L")


def darkest(page: Image.Image) -> float:
    low, _ = page.getextrema()
    assert isinstance(low, float | int)
    return low


WIDE = "| " + " | ".join(f"`column_number_{number}`" for number in range(7)) + " |\n" + "|--" * 7 + "|\n"


@pytest.mark.parametrize(
    "markdown",
    [
        f"```bash\n{LONG_LINE * 4}\n```",
        f"Run `{LONG_LINE * 2}` now, and see https://example.com/{'x' * 300}.",
        WIDE + "| " + " | ".join(["https://example.com/" + "y" * 90] * 7) + " |",
        "> " + "- " * 6 + LONG_LINE,
        "長い文章は行末で折り返されなければなりません。" * 20,
        "النص الطويل يجب أن يلتف في نهاية السطر. " * 20,
        "x" * 2_000,
    ],
    ids=["code", "inline code and address", "table", "list in lists", "Japanese", "Arabic", "a word"],
)
@pytest.mark.parametrize("language", ["en", "ar"])
def test_given_what_is_wider_than_the_page_then_nothing_reaches_into_the_margin(markdown: str, language: str) -> None:
    page = page_of(block(f"## Open\n\n{markdown}", "step", 1_000), language=language)
    edge = round(page.width * 18 / 210)  # the margin has 20 mm
    left, right = page.crop((0, 0, edge, page.height)), page.crop((page.width - edge, 0, page.width, page.height))
    assert left.getextrema() == right.getextrema() == (255, 255)
    assert darkest(page) < 60


def test_given_code_that_is_cut_to_fit_then_its_letters_are_whole() -> None:
    def ink(markdown: str) -> int:
        return sum(page_of(block(markdown), ppi=200).crop((0, 300, 1654, 2200)).histogram()[:90])

    cut, short = ink("`" + "n" * 44 + "`"), ink(" ".join(["`" + "n" * 11 + "`"] * 4))
    assert cut == pytest.approx(short, rel=0.06)


def test_given_lines_of_code_then_they_stand_one_below_the_other_and_an_empty_one_keeps_its_place() -> None:
    page = page_of(block("```\nxxxx\nxxxx\n\nxxxx\n```"), ppi=144)
    inked = [darkest(page.crop((0, y, page.width, y + 1))) < 100 for y in range(300, 1_200)]
    tops = [y for y, (before, now) in enumerate(pairwise(inked)) if now and not before]
    first, second = tops[1] - tops[0], tops[2] - tops[1]
    assert 18 < first < 28  # pixels, two a point
    assert second == pytest.approx(2 * first, rel=0.1)


def test_given_a_step_that_takes_most_of_a_page_then_it_begins_on_the_one_before(tmp_path: Path) -> None:
    code = "```\n" + "a line of code\n" * 30 + "```"
    step = block(f"## Run it\n\n{code}\n\nNow look.", "step", 1_000, screenshot(1, (1600, 900)))
    reader = pdf_of(publication(block("# Title", "title"), block("Word. " * 350), step), tmp_path)
    first, second = (page.extract_text() for page in reader.pages)
    assert "Run it" in first
    assert "Now look." in second  # with the picture that it leads up to
    assert (len(reader.pages[0].images), len(reader.pages[1].images)) == (0, 1)


def test_given_a_date_in_arabic_then_its_parts_keep_their_places(tmp_path: Path) -> None:
    what = publication(block("# تصدير", "title"), language="ar")
    assert "\u20662026-10-01\u2069" in html_text(what, tmp_path)
    assert "2026-10-01" in pdf_text(what, tmp_path)


def test_given_a_guide_when_previewed_then_there_is_one_picture_a_page(tmp_path: Path) -> None:
    pictures = [Image.open(io.BytesIO(data)) for data in preview_pages(GUIDE, 36)]
    assert len(pictures) == len(pdf_of(GUIDE, tmp_path).pages)
    assert {picture.format for picture in pictures} == {"PNG"}
    assert {picture.size for picture in pictures} == {(298, 421)}


def test_given_a_cancel_while_typesetting_then_the_typesetter_is_gone(tmp_path: Path) -> None:
    def cancel_once_it_runs() -> None:
        if running("typesetter.py"):
            raise Cancelled("stop")

    rows = "|a|b|\n" * 4_000
    with pytest.raises(Cancelled):
        publish(
            publication(block(f"|a|b|\n|-|-|\n{rows}")),
            ExportFormat.PDF,
            out=tmp_path,
            on_progress=cancel_once_it_runs,
        )
    assert running("typesetter.py") == []
    assert list(tmp_path.iterdir()) == []


def test_given_no_time_left_then_the_export_fails_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("activities.publishing.pdf.TIMEOUT_S", 0.0)
    with pytest.raises(ExportFailed, match="Export it as DOCX or HTML"):
        publish(GUIDE, ExportFormat.PDF, out=tmp_path)
    assert running("typesetter.py") == []


def test_given_a_template_that_typst_refuses_then_the_export_fails_without_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("activities.publishing.pdf.TEMPLATE", "webpage.css")
    with pytest.raises(ExportFailed) as failed:
        publish(GUIDE, ExportFormat.PDF, out=tmp_path)
    assert failed.value.details["reason"]
    assert "/" not in str(failed.value.details["reason"])


# --- Markdown --------------------------------------------------------------------------------------------------


def test_given_a_guide_then_the_bundle_holds_the_document_and_its_screenshots(tmp_path: Path) -> None:
    text, archive = markdown_of(GUIDE, tmp_path)
    linked = re.findall(r"!\[(Screen \d)\]\((.+?)\)", text)
    assert linked == [
        ("Screen 1", "images/step-01.png"),
        ("Screen 2", "images/step-02.png"),
        ("Screen 3", "images/step-02-2.png"),
        ("Screen 4", "images/step-03.png"),
    ]
    assert archive.namelist() == ["instruction.md", *(path for _, path in linked)]
    assert archive.read("images/step-01.png") == screenshot(1).data
    assert archive.testzip() is None
    assert {info.date_time for info in archive.infolist()} == {(2026, 10, 1, 9, 30, 0)}


def test_given_a_guide_then_the_markdown_is_clean(tmp_path: Path) -> None:
    text = markdown_text(GUIDE, tmp_path)
    assert "<!--" not in text
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# Export last month's invoices",
        "## 1. Open the invoices",
        "## 2. Choose the month",
        "## 3. Send the file",
        "## If something goes wrong",
    ]
    assert "- open ones are amber\n  1. overdue ones have a bell\n  2. reminders are below" in text
    assert "| Format | Good for |\n| :-- | --: |\n| CSV | spreadsheets |" in text
    assert f"```bash\n{LONG_LINE}\n```" in text


def test_given_hostile_text_then_the_markdown_has_neither_tags_nor_images_nor_such_links(tmp_path: Path) -> None:
    text = markdown_text(HOSTILE, tmp_path)
    assert not re.search(r"(?<!\\)<", text)
    assert not re.search(r"(?<!\\)\]\(", text)


# --- DOCX ------------------------------------------------------------------------------------------------------


def test_given_a_guide_then_the_docx_has_headings_that_word_can_list(tmp_path: Path) -> None:
    paragraphs = docx_of(GUIDE, tmp_path).paragraphs
    named = [(each.style.name, each.text) for each in paragraphs if each.style is not None]
    assert [text for style, text in named if style == "Title"] == ["Export last month's invoices"]
    assert [text for style, text in named if style == "Heading 1"] == [
        "1. Open the invoices",
        "2. Choose the month",
        "3. Send the file",
        "If something goes wrong",
    ]


def test_given_a_guide_then_the_docx_has_screenshots_with_descriptions(tmp_path: Path) -> None:
    document = docx_of(GUIDE, tmp_path)
    described = [shape._inline.docPr.get("descr") for shape in document.inline_shapes]
    assert described == ["Screen 1", "Screen 2", "Screen 3", "Screen 4"]
    assert all(shape.width <= 6_120_000 for shape in document.inline_shapes)  # 170 mm


def test_given_a_guide_then_the_docx_has_its_tables_lists_links_and_properties(tmp_path: Path) -> None:
    document = docx_of(GUIDE, tmp_path)
    assert [cell.text for row in document.tables[0].rows for cell in row.cells] == [
        *("Format", "Good for", "CSV", "spreadsheets", "PDF", "archives")
    ]
    assert "Drafts are not shown." in document.tables[1].cell(0, 0).text
    numbered = [each.text for each in document.paragraphs if next(each._p.iter(qn("w:numPr")), None) is not None]
    assert numbered == [
        "paid invoices are green",
        "open ones are amber",
        "overdue ones have a bell",
        "reminders are below",
    ]
    external = [each.target_ref for each in document.part.rels.values() if each.is_external]
    assert external == ["https://example.com/manual?a=1&b=2"]
    core = document.core_properties
    assert (core.title, core.revision, core.language) == ("Export last month's invoices", 3, "en")
    assert core.created == core.modified == WRITTEN


def test_given_two_ordered_lists_then_the_second_begins_anew(tmp_path: Path) -> None:
    document = docx_of(publication(block("1. a\n2. b\n\nText.\n\n5. c\n6. d")), tmp_path)
    numbers = [node.get(qn("w:val")) for node in document.element.body.iter(qn("w:numId"))]
    assert numbers[0] == numbers[1] != numbers[2] == numbers[3]


def test_given_a_right_to_left_language_then_text_reads_so_and_code_does_not(tmp_path: Path) -> None:
    document = docx_of(publication(block("اضغط `a > b` ثم\n\n```\nx = 1\n```"), language="ar"), tmp_path)
    sentence, code = (each for each in document.paragraphs if "a > b" in each.text or "x = 1" in each.text)
    assert [run._r.find(f".//{qn('w:rtl')}").get(qn("w:val")) for run in sentence.runs] == [None, "0", None]
    styles = {style.name: style.element for style in document.styles}
    assert styles["Normal"].find(f".//{qn('w:bidi')}").get(qn("w:val")) is None
    assert code.style is not None and code.style.name == "Code"
    for off in ("w:bidi", "w:rtl"):
        assert styles["Code"].find(f".//{qn(off)}").get(qn("w:val")) == "0"


ARABIC = "افتح صفحة Settings ثم اضغط Save"
MIXED = publication(
    block("# Settings", "title"),
    block(f"## {ARABIC}\n\n{ARABIC}.\n\n- {ARABIC}\n- Save\n\n| {ARABIC} | b |\n|-|-|\n| c | d |", "step", 1),
    block("## Click Save\n\nThe word \u062d\u0641\u0638 stands on the button, and nothing else does.", "step", 2),
    block(f"> **Note:** {ARABIC}", "note", 3),
)


def test_given_blocks_of_another_direction_then_each_is_laid_out_by_its_own_words(tmp_path: Path) -> None:
    page = html_of(MIXED, tmp_path)
    assert [page.all("html")[0]["dir"], *(each.get("dir") for each in page.all("section"))] == ["ltr", "rtl", None]
    assert [each.get("dir") for each in page.all("aside")] == ["rtl"]
    document = docx_of(MIXED, tmp_path)
    reads = {each.text: each._p.find(f".//{qn('w:bidi')}") is not None for each in document.paragraphs if each.text}
    assert reads[f"{ARABIC}."] and reads[f"1. {ARABIC}"] and reads["Save"]
    assert not reads["2. Click Save"] and not any(text.startswith("The word") and rtl for text, rtl in reads.items())
    assert len(document.element.body.findall(f".//{qn('w:bidiVisual')}")) == 1


def test_given_a_sentence_from_the_left_in_a_document_from_the_right_then_it_reads_so(tmp_path: Path) -> None:
    what = publication(block(f"# {ARABIC}", "title"), block("## Save\n\nRun this by hand.", "step", 1), language="ar")
    (section,) = html_of(what, tmp_path).all("section")
    assert section.get("dir") == "ltr"
    sentence = next(each for each in docx_of(what, tmp_path).paragraphs if each.text == "Run this by hand.")
    assert sentence._p.find(f".//{qn('w:bidi')}").get(qn("w:val")) == "0"


def test_given_a_block_from_the_right_in_an_english_pdf_then_its_number_stands_at_the_right() -> None:
    what = publication(block("# T", "title"), block(f"## {ARABIC}\n\n{ARABIC}", "step"), block("## Click", "step"))
    page = Image.open(io.BytesIO(preview_pages(what, 36)[0])).convert("RGB")
    ink = [divmod(at, page.width) for at, pixel in enumerate(page.get_flattened_data()) if pixel == (0x1F, 0x5A, 0x94)]
    badges = [x > page.width / 2 for y, x in ink if y > page.height * 0.15]
    assert badges[0] and not badges[-1]


def test_given_links_that_do_harm_then_the_docx_has_none_of_them(tmp_path: Path) -> None:
    assert [each for each in docx_of(HOSTILE, tmp_path).part.rels.values() if each.is_external] == []


def test_given_a_jpeg_without_the_usual_header_then_the_docx_holds_it(tmp_path: Path) -> None:
    picture = screenshot(1, (480, 270), "JPEG")
    headless = picture.model_copy(update={"data": picture.data[:2] + picture.data[20:]})
    assert len(docx_of(publication(block("## Open it", "step", 0, headless)), tmp_path).inline_shapes) == 1


def test_given_properties_of_runs_and_paragraphs_then_they_stand_in_the_order_of_the_schema(tmp_path: Path) -> None:
    from activities.publishing.word_xml import PARAGRAPH_ORDER, RUN_ORDER

    path = publish(GUIDE, ExportFormat.DOCX, out=tmp_path).path
    document = docx.Document(str(path))
    for root in (document.element, document.styles.element):
        for node in root.iter():
            order = {"pPr": PARAGRAPH_ORDER, "rPr": RUN_ORDER}.get(str(node.tag).rpartition("}")[2])
            if order:
                places = [order.index(str(child.tag).rpartition("}")[2]) for child in node]
                assert places == sorted(places), [child.tag for child in node]


# --- HTML ------------------------------------------------------------------------------------------------------


def test_given_a_guide_then_the_page_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    page = html_of(GUIDE, tmp_path)
    images = page.all("img")
    assert [image["alt"] for image in images] == ["Screen 1", "Screen 2", "Screen 3", "Screen 4"]
    assert all((image["src"] or "").startswith("data:image/png;base64,") for image in images)
    assert page.all("script") == page.all("link") == page.all("iframe") == []
    assert [link["href"] for link in page.all("a") if not (link["href"] or "").startswith("#")] == [
        "https://example.com/manual?a=1&b=2"
    ]


def test_given_a_guide_then_the_page_allows_only_its_own_style_and_pictures(tmp_path: Path) -> None:
    page = html_of(GUIDE, tmp_path)
    (policy,) = [meta["content"] for meta in page.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert re.fullmatch(
        r"default-src 'none'; img-src data:; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'", policy
    )
    assert not any("style" in attributes for _, attributes in page.elements)


def test_given_a_guide_then_its_contents_lead_to_its_steps(tmp_path: Path) -> None:
    page = html_of(GUIDE, tmp_path)
    targets = [(link["href"] or "")[1:] for link in page.all("a") if (link["href"] or "").startswith("#")]
    ids = {attributes.get("id") for _, attributes in page.elements}
    assert {"step-1", "step-2", "step-3"} <= set(targets) <= ids


def test_given_hostile_text_then_the_page_has_no_element_or_attribute_of_it(tmp_path: Path) -> None:
    page = html_of(HOSTILE, tmp_path)
    assert page.all("script") == page.all("img") == page.all("iframe") == []
    assert len(page.all("style")) == 1
    for _, attributes in page.elements:
        assert not any(name.startswith("on") for name in attributes)
        assert not any("javascript:" in (value or "") for name, value in attributes.items() if name in ("href", "src"))


def test_given_a_right_to_left_language_then_the_page_says_so(tmp_path: Path) -> None:
    (root,) = html_of(publication(block("# تصدير", "title"), language="ar"), tmp_path).all("html")
    assert root == {"lang": "ar", "dir": "rtl"}


def test_given_a_language_tag_that_is_none_then_it_cannot_break_out(tmp_path: Path) -> None:
    page = html_of(publication(language='en"><script>alert(1)</script>'), tmp_path)
    assert page.all("script") == []


# --- captions --------------------------------------------------------------------------------------------------


def test_given_a_transcript_then_the_vtt_reads_back_with_its_text_escaped(tmp_path: Path) -> None:
    path = publish(GUIDE, ExportFormat.VTT, transcript=SPOKEN, out=tmp_path).path
    first, second = webvtt.read(str(path)).captions
    assert (first.start, first.end) == ("00:00:00.500", "00:00:03.000")
    assert first.raw_text == "Choose &lt;b&gt;Invoices&lt;/b&gt; &amp; wait --&gt; there."
    assert (second.start, second.raw_text) == ("00:00:04.000", "Then press Export.")


def test_given_a_transcript_then_the_srt_reads_back(tmp_path: Path) -> None:
    path = publish(GUIDE, ExportFormat.SRT, transcript=SPOKEN, out=tmp_path).path
    assert path.read_text(encoding="utf-8") == (
        "1\n00:00:00,500 --> 00:00:03,000\nChoose <b>Invoices</b> & wait → there.\n\n"
        "2\n00:00:04,000 --> 00:00:06,000\nThen press Export.\n"
    )
    assert len(webvtt.from_srt(str(path)).captions) == 2


@pytest.mark.parametrize(("format", "text"), [(ExportFormat.SRT, ""), (ExportFormat.VTT, "WEBVTT\n")])
def test_given_nobody_speaks_then_the_captions_are_empty_and_say_why(
    format: ExportFormat, text: str, tmp_path: Path
) -> None:
    silent = Transcript(speech=SpeechFound.SILENT, duration_ms=1_000, model="test")
    published = publish(GUIDE, format, transcript=silent, out=tmp_path)
    assert published.path.read_text() == text
    assert published.warnings == ("Nobody speaks in the recording, so the captions are empty.",)


@pytest.mark.parametrize("format", [ExportFormat.SRT, ExportFormat.VTT])
def test_given_no_transcript_then_captions_are_refused(format: ExportFormat, tmp_path: Path) -> None:
    with pytest.raises(ExportFailed, match="no transcript"):
        publish(GUIDE, format, out=tmp_path)


def test_given_arabic_then_words_sizes_weights_and_slants_are_those_of_its_script_too(tmp_path: Path) -> None:
    what = publication(
        block(f"# {ARABIC}", "title"), block(f"## {ARABIC}\n\n**{ARABIC}** *{ARABIC}*", "step", 1), language="ar"
    )
    document = docx.Document(str(publish(what, ExportFormat.DOCX, out=tmp_path).path))
    for name in ("Title", "Heading 1", "Contents Heading"):
        own = document.styles[name].element.get_or_add_rPr()
        assert own.find(qn("w:szCs")).get(qn("w:val")) == own.find(qn("w:sz")).get(qn("w:val")), name
        assert own.find(qn("w:bCs")) is not None, name
    runs = [
        run._r.get_or_add_rPr()
        for paragraph in document.paragraphs
        for run in paragraph.runs
        if run.text.strip() == ARABIC
    ]
    marked = {tag for each in runs for tag in ("w:b", "w:bCs", "w:i", "w:iCs") if each.find(qn(tag)) is not None}
    assert marked == {"w:b", "w:bCs", "w:i", "w:iCs"}
