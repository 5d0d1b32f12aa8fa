"""The tree that every format is set from: what it keeps, what it refuses, and that it can be written down again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from activities.publishing.markdown import write
from activities.publishing.markup import (
    DEEPEST_BLOCK,
    Block,
    Blocks,
    CodeBlock,
    CodeSpan,
    LineBreak,
    Link,
    Listing,
    Paragraph,
    Quote,
    Style,
    Styled,
    Table,
    Text,
    parse,
    plain,
)

FRAGMENTS = st.sampled_from(
    [
        *("a", "word ", "*", "**", "_", "`", "~~", "\n", "\n\n", "- ", "1. ", "  ", "    ", "> ", "# ", "\\", "&amp;"),
        *("[x](http://e.com/a_(b))", "[x](javascript:alert(1))", "![i](http://e.com/i.png)", "<b>", "<!-- c -->"),
        *("<script>", "</script>", "<br>", "|a|b|\n|-|-|\n|1|2|\n", "```\n", "---\n", "+ ", "=", "  \n", "\x00"),
    ]
)
DOCUMENTS = st.lists(FRAGMENTS, max_size=30).map("".join)


def text_of(markdown: str) -> str:
    (block,) = parse(markdown).blocks
    assert isinstance(block, Paragraph)
    return plain(block.content)


def depth(blocks: Blocks) -> int:
    def below(block: Block) -> int:
        match block:
            case Quote(inner):
                return 1 + depth(inner)
            case Listing(_, items):
                return 1 + max((depth(item) for item in items), default=0)
            case _:
                return 0

    return max((below(block) for block in blocks), default=0)


@settings(deadline=None)
@given(DOCUMENTS)
def test_given_any_text_then_it_has_a_tree_of_bounded_depth(markdown: str) -> None:
    assert depth(parse(markdown).blocks) <= DEEPEST_BLOCK


@pytest.mark.parametrize(
    "markdown", ["\\![i](http://e.com/i.png)", "a\\![*i*](http://e.com/i.png)", "*x*!\\\n[i](mailto:a)"]
)
def test_given_an_exclamation_mark_before_a_link_when_written_again_then_it_makes_no_image_of_it(markdown: str) -> None:
    again = parse(write(parse(markdown).blocks))
    assert again.left_images == 0
    assert again.blocks == parse(markdown).blocks


@settings(deadline=None)
@given(DOCUMENTS)
def test_given_any_text_when_written_again_then_no_image_is_in_it(markdown: str) -> None:
    assert parse(write(parse(markdown).blocks)).left_images == 0


@pytest.mark.parametrize(
    "markdown",
    [
        "plain words, with_underscores and 2 * 3 < 4 & more",
        "**bold**, *italic*, ~~struck~~ and `code with \\ and |`",
        "`` a ` tick ``",
        "a link [to *there*](https://example.com/a_(b)?c=1&d=2)",
        "one\\\ntwo\nthree",
        "- a\n- b\n  1. c\n  2. d\n- e",
        "- a\n\n  second paragraph\n\n- b",
        "3. three\n4. four",
        "- one\n\n* another",
        "> quoted\n>\n> - list\n>\n> > deeper",
        "# Heading with `code`\n\n### Another",
        "```python\nx = 1\n\n    indented ` ``\n```",
        "````\n```\n````",
        "| a | b |\n| :-- | --: |\n| x \\| y | `p \\| q` |\n| | empty |",
        "text\n\n___\n\ntext",
        "\\# no heading\n\n\\- no list\n\n1\\. no number\n\n\\> no quote",
        "&lt;b&gt; and \\[x\\](y) and \\![z](w)",
        "<div>shown</div>",
        "- [x] done\n- [ ] open",
    ],
)
def test_given_a_construct_when_written_again_then_it_says_the_same(markdown: str) -> None:
    tree = parse(markdown).blocks
    assert parse(write(tree)).blocks == tree


@pytest.mark.parametrize(
    "target",
    [
        *("javascript:alert(1)", "JaVaScRiPt:alert(1)", "vbscript:x", "data:text/html,x", "file:///etc/passwd"),
        *("/etc/passwd", "../secret", "#anchor", "ftp://example.com", "https://example.com/" + "a" * 3_000),
    ],
)
def test_given_a_target_that_is_not_the_web_or_mail_then_there_is_no_link(target: str) -> None:
    (block,) = parse(f"[words]({target})").blocks
    assert isinstance(block, Paragraph)
    assert not any(isinstance(node, Link) for node in block.content)
    assert "words" in plain(block.content)


@pytest.mark.parametrize("target", ["https://example.com/x", "http://localhost:8000/", "mailto:help@example.com"])
def test_given_the_web_or_mail_then_there_is_a_link(target: str) -> None:
    assert parse(f"[words]({target})").blocks == (Paragraph((Link(target, (Text("words"),)),)),)


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("before ![the button](http://example.com/x.png) after", "before the button after"),
        ("![](http://example.com/x.png) after", "after"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("a <!-- hidden --> b", "a b"),
        ("a<br>b", "a b"),
        ("bell\x07 null\x00", "bell null"),
    ],
)
def test_given_what_markdown_lets_in_then_only_words_come_out(markdown: str, shown: str) -> None:
    assert text_of(markdown) == shown


def test_given_a_block_marker_that_was_left_in_then_it_is_not_shown() -> None:
    assert parse("<!-- block:0192f3a1-5c1e-7cc0-a8a1-3f2b8c6d4e10 -->\nWords.").blocks == (
        Paragraph((Text("Words."),)),
    )


def test_given_a_table_then_its_columns_keep_their_alignment() -> None:
    (table,) = parse("|a|b|c|d|\n|-|:-|:-:|-:|\n|1|2|3|4|").blocks
    assert isinstance(table, Table)
    assert table.aligns == ("", "left", "center", "right")
    assert table.rows == (((Text("1"),), (Text("2"),), (Text("3"),), (Text("4"),)),)


def test_given_code_then_not_a_character_of_it_changes() -> None:
    assert parse("```sh title=x\n  a  <b>  *c*  \n\n```").blocks == (CodeBlock("  a  <b>  *c*  \n", "sh"),)


def test_given_styles_within_styles_then_they_nest() -> None:
    assert parse("**a *b* `c`**\nd").blocks == (
        Paragraph(
            (
                Styled(Style.STRONG, (Text("a "), Styled(Style.EMPHASIS, (Text("b"),)), Text(" "), CodeSpan("c"))),
                LineBreak(hard=False),
                Text("d"),
            )
        ),
    )
