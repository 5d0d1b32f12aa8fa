"""Given text by somebody who means harm, then what is published runs nothing, loads nothing and writes nowhere else."""

import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from activities.publishing.bundle import document
from activities.publishing.manuscript import read
from activities.publishing.publisher import publish
from activities.publishing.webpage import webpage
from domain.documents.publication import ExportFormat, Picture, Publication, PublicationBlock
from tests.unit.publishing_samples import block, publication, screenshot

OURS = {
    *("html", "head", "meta", "title", "style", "body", "div", "header", "nav", "main", "section", "aside", "footer"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "a", "span", "time", "ol", "ul", "li", "blockquote", "pre", "code"),
    *("em", "strong", "s", "br", "hr", "table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "img"),
}
"""Every element that a page of ours can have."""
HARMLESS = {
    *("lang", "dir", "charset", "content", "http-equiv", "name", "class", "id", "href", "rel", "start", "src", "alt"),
    *("width", "height", "role", "aria-label", "aria-hidden", "aria-labelledby"),
}
ADDRESS = re.compile(r"(?:https?://|mailto:|#).*", re.DOTALL)

VECTORS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><animate onbegin=alert(1)></svg>",
    "<svg><script href='data:,alert(1)'/></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href=' &#106;avascript:alert(1)'>x</a>",
    "<form action='http://evil'><button formaction='javascript:alert(1)'>x</button></form>",
    "<base href='http://evil/'>",
    "<meta http-equiv='refresh' content='0;url=http://evil'>",
    "<link rel=stylesheet href=http://evil/x.css>",
    "<object data='x.swf'></object><embed src='x'>",
    "<details open ontoggle=alert(1)>",
    "<style>*{background:url(http://evil)}</style>",
    "</style><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "--></script><script>alert(1)</script><!--",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml version='1.0'?><script>alert(1)</script>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<ScRiPt\n>alert(1)</sCrIpT>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](&#x6a;avascript:alert(1))",
    "[x](vbscript:msgbox)",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](file:///etc/passwd)",
    "[x](//evil)",
    '[x](http://a.b/"onmouseover="alert(1))',
    '[x](http://a.b "t\\" onmouseover=\\"alert(1)")',
    "[x](<http://a.b/><script>alert(1)</script>>)",
    "[x][1]\n\n[1]: javascript:alert(1)",
    "<javascript:alert(1)>",
    "<http://a.b/?<script>alert(1)</script>>",
    "![x](javascript:alert(1))",
    "![x](http://evil/x.png)",
    "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
    '![x" onerror="alert(1)](http://evil/x.png)',
    "\\![x](http://evil/x.png)",
    "&#33;[x](http://evil/x.png)",
    '!["><script>alert(1)</script>](x.png)',
    "```html\n</code></pre><script>alert(1)</script>\n```",
    '```"><script>alert(1)</script>\nx\n```',
    "`</code><script>alert(1)</script>`",
    "|<script>alert(1)</script>|\n|-|\n|<img src=x onerror=alert(1)>|",
    '1. x" onclick="alert(1)\n2. <b onclick=alert(1)>x</b>',
    "{{ ''.__class__.__mro__ }} {% for x in y %}",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&amp;lt;script&amp;gt;",
    "\\<script>alert(1)\\</script>",
    "\u202e<script>\u2066alert(1)</script>",
    "<a\x00 href=x\x0bonclick=alert(1)>",
)


class Page(HTMLParser):
    """What there is in a page: its elements with their attributes, and its comments and declarations."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.others: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def unknown_decl(self, data: str) -> None:
        self.others.append(data)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)


def everywhere(text: str) -> Publication:
    """A publication that says ``text`` wherever somebody's text can stand."""
    picture = screenshot(1).model_copy(
        update={"alt": text, "anchor_id": text or "a", "media_type": "text/html", "timestamp_ms": 1_000}
    )
    return Publication(
        title=text,
        language="en",
        version=1,
        source_name=text,
        warnings=(text,),
        blocks=(
            block(f"# {text}", "title"),
            block(text, "lead"),
            block(f"## {text}\n\n{text}", "step", 1_000, picture, picture),
            block(f"## Two {text}\n\n- {text}\n\n> {text}", "step", 2_000),
            block(f"> **Note:** {text}", "note", 3_000),
            PublicationBlock(block_id=text, markdown=f"## {text}\n\n{text}", role=text),
        ),
    )


def check_page(markup: str) -> None:
    page = Page(markup)
    assert page.others == []
    assert {tag for tag, _ in page.elements} <= OURS
    policies = [attrs for tag, attrs in page.elements if tag == "meta" and "http-equiv" in attrs]
    assert [each["http-equiv"] for each in policies] == ["Content-Security-Policy"]
    assert str(policies[0]["content"]).startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert sum(tag == "style" for tag, _ in page.elements) == 1
    for tag, attributes in page.elements:
        assert set(attributes) <= HARMLESS, (tag, attributes)
        if "href" in attributes:
            assert tag == "a"
            assert ADDRESS.fullmatch(attributes["href"] or ""), attributes
        if "src" in attributes:
            assert tag == "img"
            assert re.fullmatch(r"data:image/(?:png|jpeg);base64,[\w+/=]+", attributes["src"] or "")


READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def check_markdown(markdown: str) -> None:
    """As a reader that takes raw HTML and makes links of bare addresses would understand it."""
    for token in READER.parse(markdown):
        assert token.type != "html_block", token.content
        for child in token.children or ():
            if child.type == "html_inline":
                assert child.content == "<br>"
            if child.type == "image":
                assert re.fullmatch(r"images/[a-z]+-\d\d(?:-\d)?\.(?:png|jpg)", str(child.attrGet("src")))
            if child.type == "link_open":
                assert re.match(r"(?i)https?://|mailto:", str(child.attrGet("href"))), child.attrs


@pytest.mark.parametrize("vector", VECTORS)
def test_given_an_attack_wherever_text_can_stand_then_the_page_has_nothing_of_its_own(vector: str) -> None:
    check_page(webpage(read(everywhere(vector))))


@pytest.mark.parametrize("vector", VECTORS)
def test_given_an_attack_wherever_text_can_stand_then_the_markdown_has_nothing_of_its_own(vector: str) -> None:
    check_markdown(document(read(everywhere(vector))))


PIECES = st.lists(
    st.one_of(
        st.sampled_from(VECTORS),
        st.sampled_from(
            [*"<>\"'&`[](){}!|#-*_~\\\n\t =/:;", "\n\n", "- ", "> ", "```", "<!--", "-->", "&#", "http://"]
        ),
        st.text(max_size=5),
    ),
    max_size=12,
).map("".join)


@settings(max_examples=150, deadline=None)
@given(PIECES)
def test_given_any_mixture_of_attacks_then_neither_page_nor_markdown_has_anything_of_its_own(text: str) -> None:
    manuscript = read(publication(block(text), block(f"# {text}", "step", 1), title=text))
    check_page(webpage(manuscript))
    check_markdown(document(manuscript))


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/etc/passwd", "..\\..\\x", "C:\\x", "a\x00b", "con", "x/../../y", "~root", "\u202egnp.exe"],
)
def test_given_names_that_climb_then_every_file_of_a_bundle_lies_below_it_under_a_name_of_ours(
    name: str, tmp_path: Path
) -> None:
    archive = zipfile.ZipFile(publish(everywhere(name), ExportFormat.MD_ZIP, out=tmp_path).path)
    names = archive.namelist()
    assert names == ["instruction.md", "images/step-01.png", "images/step-01-2.png"]
    assert all(".." not in PurePosixPath(each).parts for each in names)
    assert all(info.external_attr >> 16 & 0o170000 in (0, 0o100000) for info in archive.infolist())  # no symlinks
    archive.extractall(tmp_path / "out")
    inside = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert inside == set(names)


@pytest.mark.parametrize("format", [ExportFormat.HTML, ExportFormat.MD_ZIP, ExportFormat.DOCX, ExportFormat.PDF])
def test_given_a_picture_that_is_a_page_then_it_is_left_out_of_every_format(
    format: ExportFormat, tmp_path: Path
) -> None:
    svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
    picture = Picture(anchor_id="a", data=svg, media_type="image/png", width=10, height=10, alt="x")
    published = publish(publication(block("## Open it", "step", 1, picture)), format, out=tmp_path)
    assert len(published.warnings) == 1
    assert svg not in published.path.read_bytes()
