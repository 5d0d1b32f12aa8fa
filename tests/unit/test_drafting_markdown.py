"""Spoken words and a model's Markdown on their way into the document."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from activities.drafting.markdown import escape, escape_heading, one_line, plain_words, tame
from domain.documents.document import parse, with_ids

READER = MarkdownIt("gfm-like", {"linkify": False})

SPOKEN = st.lists(
    st.sampled_from([*"ab1 *_`~#>+-=.)(!&;\\|[]<:@/", "\n", "&amp;", "é", "🎬", "\t", "  "]), max_size=30
).map("".join) | st.text(max_size=40)


def shown(markdown: str) -> tuple[list[str], str]:
    """The kinds of blocks and inline pieces, and the text that a reader shows."""
    tokens = READER.parse(markdown)

    def flat(some: list[Token]) -> list[Token]:
        return [each for token in some for each in ([token] if token.children is None else flat(token.children))]

    kinds = [token.type for token in tokens if token.nesting >= 0]
    kinds += [token.type for token in flat(tokens) if token.type not in ("text", "text_special", "inline")]
    return sorted(set(kinds)), "".join(token.content for token in flat(tokens))


@given(SPOKEN)
def test_escaped_words_are_one_paragraph_that_shows_exactly_these_words(text: str) -> None:
    kinds, words = shown(escape(text))
    assert words == one_line(text)
    assert set(kinds) <= {"paragraph_open", "paragraph_close", "inline"}


@given(SPOKEN)
def test_escaped_words_are_a_heading_that_shows_exactly_these_words(text: str) -> None:
    kinds, words = shown(f"## {escape_heading(text)}")
    assert words == one_line(text)
    assert set(kinds) <= {"heading_open", "heading_close", "inline"}


@pytest.mark.parametrize("text", ["foo_bar", "npm run build --watch", "a.b(c)", "C:\\x", "x = y", "3 > 2", "AT&T"])
def test_given_code_like_words_when_escaped_then_they_stay_readable(text: str) -> None:
    assert escape(text).replace("\\\\", "\\") == text


@pytest.mark.parametrize(
    ("written", "tamed"),
    [
        ("Plain *words* and `code`.", "Plain *words* and `code`."),
        ("# Big\ntext", "**Big**\ntext"),
        ("Big\n===\ntext", "Big\n\ntext"),
        ("see [here](https://evil.example/x?y=1)", "see here"),
        ("![pixel](https://evil.example/p.png)", "pixel"),
        ("[a][b]\n\n[b]: https://evil.example", "a"),
        ("<https://evil.example>", "https://evil.example"),
        ("<script>alert(1)</script>", "\\<script>alert(1)\\</script>"),
        ("<!-- block:x -->", "\\<!-- block:x -->"),
        ("`<b>` and <b>", "`<b>` and \\<b>"),
        ("- a\n- b", "- a\n- b"),
        ("```sh\nls # not <tamed> [x](y)\n```", "```sh\nls # not <tamed> [x](y)\n```"),
        ("```\nopen", "```\nopen\n```"),
        ("a\x00b\x1b", "a b"),
        ("a\u202eb", "ab"),
    ],
)
def test_given_a_models_markdown_when_tamed_then_only_harmless_marks_stay(written: str, tamed: str) -> None:
    assert tame(written) == tamed


@given(st.text(max_size=60) | SPOKEN)
def test_tamed_markdown_is_one_block_without_links_pictures_html_or_markers(text: str) -> None:
    tamed = tame(text)
    if not tamed.strip():
        return
    kinds, _ = shown(tamed)
    assert not {"html_block", "html_inline", "image", "link_open", "heading_open"} & set(kinds)
    saved = parse(with_ids(f"## Step\n\n{tamed}\n", lambda: "00000000-0000-4000-8000-000000000001"))
    assert len(saved.blocks) == 1


def test_given_markdown_when_read_as_words_then_marks_are_gone() -> None:
    assert plain_words("## Use \\*it\\*\n\n- a `b` **c**\n> d_e\n```sh\nls\n```") == "Use *it* a b c d_e ls"
    assert not re.search(r"[*#>]", plain_words("# *a*\n> b"))
