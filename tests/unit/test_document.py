"""The block-structured document: ids, ranges, validation, evidence."""

import re
from collections.abc import Callable
from itertools import count

import pytest
from markdown_it import MarkdownIt

from domain.documents.constructs import constructs, has_unclosed_fence
from domain.documents.document import (
    MAX_DOCUMENT_BYTES,
    MOST_BLOCKS,
    Block,
    BlockEvidence,
    BlockMark,
    BlockPart,
    Document,
    absorbed_by,
    carry_evidence,
    marker,
    parse,
    stable_ids,
    with_ids,
)
from domain.documents.draft import BlockRole
from domain.documents.validation import ValidationStatus, validate, verdict
from domain.errors import DocumentInvalid, RequestInvalid

A, B, C = (f"00000000-0000-4000-8000-00000000000{digit}" for digit in "abc")


def ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"00000000-0000-4000-8000-{next(numbers):012d}"


def no_id() -> str:
    raise AssertionError("no id was needed")


def blocks_of(markdown: str) -> list[str]:
    return [block.markdown for block in parse(with_ids(markdown, ids())).blocks]


STORED = f"{marker(A)}\n# Ünïcode 🎬\n\n{marker(B)}\n## First\n\nBody.\n\n{marker(C)}\n## Second\n"


# --- reading and writing ---------------------------------------------------------------------------------------


def test_given_a_stored_document_when_parsed_and_rendered_then_it_is_the_same_text() -> None:
    assert parse(STORED).render() == STORED
    assert parse(STORED).ids == (A, B, C)
    assert parse(STORED).block(B).markdown == "## First\n\nBody."


def test_given_text_above_the_first_marker_when_parsed_then_nothing_is_lost() -> None:
    document = parse("Hello\n\n" + STORED)
    assert document.preamble == "Hello\n\n"
    assert document.render() == "Hello\n\n" + STORED


def test_given_pairs_when_a_document_is_made_then_blocks_stand_a_blank_line_apart() -> None:
    assert Document.of([(A, "# T\n"), (B, "text")]).render() == f"{marker(A)}\n# T\n\n{marker(B)}\ntext\n"
    assert Document.of([]).render() == ""


def test_given_the_last_block_moved_up_when_rendered_then_its_marker_still_begins_a_line() -> None:
    moved = Document(blocks=(Block(id=A, markdown="one", gap=""), Block(id=B, markdown="two", gap="\n")))
    assert parse(moved.render()).ids == (A, B)


def test_given_a_marker_inside_a_forgotten_fence_then_it_still_counts() -> None:
    document = parse(f"{marker(A)}\n```\ncode\n\n{marker(B)}\nnext\n")
    assert document.ids == (A, B)


def test_given_a_marker_within_a_line_or_indented_as_code_then_it_is_text() -> None:
    assert len(parse(f"{marker(A)}\nsee {marker(B)}\n\n    {marker(C)}\n").blocks) == 1


# --- ids on save -----------------------------------------------------------------------------------------------


def test_given_a_text_without_ids_when_saved_then_every_construct_is_a_block_and_a_step_holds_its_body() -> None:
    assert blocks_of(
        "# Title\n\nIntro one.\n\nIntro two.\n\n## Step\n\nDo this.\n\n- a\n\n- b\n\n## Next\nDo that.\n"
    ) == [
        "# Title",
        "Intro one.",
        "Intro two.",
        "## Step\n\nDo this.\n\n- a\n\n- b",
        "## Next\nDo that.",
    ]


@pytest.mark.parametrize(
    "whole",
    [
        "```python\na = 1\n\n\nb = 2\n```",
        "~~~\n```\n\n```\n~~~",
        "````\n```\n\n# not a heading\n````",
        "- one\n\n- two\n\n  more of two\n\n- three",
        "1. one\n\n   ```\n   code\n\n   # comment\n   ```\n\n2. two",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "    indented\n\n    code",
        "<details>\n<summary>More</summary>\n\nInside.\n\n## Also inside\n\n</details>",
        "<!-- a comment\n\n# with a heading\n-->",
        "<div>\n\n<div>\n\nx\n\n</div>\n\n</div>",
        "<pre>\n\n# x\n\n</pre>",
        "Intro:\n- a\n\n- b",
        "> quoted\n> # more",
        "```\nunclosed\n\n# swallowed",
    ],
)
def test_given_a_construct_with_blank_lines_when_saved_then_it_stays_whole(whole: str) -> None:
    assert blocks_of(f"Before.\n\n{whole}\n") == ["Before.", whole]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<div>\n\nnever closed\n\ntext", ["<div>", "never closed", "text"]),
        ("para\n# Heading\npara", ["para", "# Heading", "para"]),
        ("#hashtag\n\ntext", ["#hashtag", "text"]),
        ("a\n\n* * *\n\nb", ["a", "* * *", "b"]),
        ("\n\n  \n\na\n \t \nb   \n\n", ["a", "b"]),
        ("Title\n=====\n\ntext", ["Title\n=====", "text"]),
        ("- ```\n\npara", ["- ```", "para"]),
    ],
)
def test_given_loose_text_when_saved_then_it_is_cut_at_blank_lines(text: str, expected: list[str]) -> None:
    assert blocks_of(text) == expected


def test_given_ids_are_there_when_saved_then_they_are_kept_and_no_id_is_asked_for() -> None:
    assert with_ids(STORED, no_id) == STORED


def test_given_several_paragraphs_below_a_marker_when_saved_then_they_are_one_block() -> None:
    text = f"{marker(A)}\none\n\ntwo\n\n### three\n\nfour\n"
    assert with_ids(text, no_id) == text


def test_given_a_step_typed_at_the_end_when_saved_then_it_gets_an_id_and_the_others_keep_theirs() -> None:
    saved = parse(with_ids(STORED + "\n## Third\n\nDo it.\n", ids()))
    assert saved.ids[:3] == (A, B, C)
    assert [block.markdown for block in saved.blocks[2:]] == ["## Second", "## Third\n\nDo it."]


def test_given_the_base_when_a_paragraph_is_added_below_an_unchanged_block_then_it_is_a_block_of_its_own() -> None:
    edited = STORED.replace("Body.\n", "Body.\n\nBy hand.\n\nAlso by hand.\n")
    saved = parse(with_ids(edited, ids(), base=parse(STORED)))
    assert [block.markdown for block in saved.blocks] == [
        "# Ünïcode 🎬",
        "## First\n\nBody.",
        "By hand.",
        "Also by hand.",
        "## Second",
    ]
    assert (saved.ids[0], saved.ids[1], saved.ids[4]) == (A, B, C)


def test_given_the_base_when_a_list_grows_or_a_block_is_rewritten_then_it_stays_one_block() -> None:
    base = parse(f"{marker(A)}\n# T\n\n{marker(B)}\n- a\n")
    assert parse(with_ids(base.render() + "\n- b\n", no_id, base=base)).block(B).markdown == "- a\n\n- b"
    assert parse(with_ids(base.render().replace("- a", "- z\n\nmore"), no_id, base=base)).ids == (A, B)


@pytest.mark.parametrize("again", ["# Ünïcode 🎬", "# **Ünïcode** 🎬", "Ünïcode 🎬\n==="])
def test_given_the_base_when_its_title_stands_above_it_once_more_then_it_is_there_once(again: str) -> None:
    base = parse(STORED)
    saved = with_ids(f"{again}\n\n{STORED}", ids(), base=base)
    assert parse(saved).ids == (A, B, C)
    assert with_ids(saved, no_id, base=base) == saved


def test_given_the_base_when_another_title_stands_above_it_then_both_are_kept() -> None:
    saved = parse(with_ids(f"# Another\n\n{STORED}", ids(), base=parse(STORED)))
    assert [block.markdown for block in saved.blocks][:2] == ["# Another", "# Ünïcode 🎬"]


def test_given_breaks_of_pasted_slides_when_saved_then_words_stay_apart() -> None:
    saved = with_ids(f"{marker(A)}\n# Our\vplan\n\n{marker(B)}\nfirst\fsecond\x85third\u2028fourth\n", no_id)
    assert saved == f"{marker(A)}\n# Our plan\n\n{marker(B)}\nfirst second third fourth\n"
    assert validate(parse(saved)) == []


D, E = (f"00000000-0000-4000-8000-00000000000{digit}" for digit in "de")
GUIDE = Document.of(
    [
        (A, "# Invite a member"),
        (B, "This guide shows how to invite a member.\n\nYou need to be an owner."),
        (C, "## Open the settings\n\nClick **Settings** at the top.\n\n- Then wait.\n- Then scroll."),
        (D, "> **Note:** Only owners see this page."),
        (E, "## Click *Invite members*\n\nThe dialog opens."),
    ]
)


def bare(document: Document) -> str:
    return "\n\n".join(block.markdown for block in document.blocks) + "\n"


@pytest.mark.parametrize("as_marked", [False, True])
def test_given_the_markers_are_gone_when_saved_then_every_block_is_the_one_that_it_was(as_marked: bool) -> None:
    saved = parse(with_ids(bare(GUIDE), no_id, base=GUIDE, as_marked=as_marked))
    assert [(block.id, block.markdown) for block in saved.blocks] == [(b.id, b.markdown) for b in GUIDE.blocks]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("# Invite a member", "# How to add people", [A, B, C, D, E]),
        ("Click **Settings** at the top.", "Click **Preferences** at the top right.", [A, B, C, D, E]),
        ("You need to be an owner.", "You have to be an owner.", [A, B, C, D, E]),
        ("Only owners see this page.", "Only the owners see the page.", [A, B, C, D, E]),
        ("- Then wait.\n- Then scroll.", "* Then wait.\n* Then  scroll.", [A, B, C, D, E]),
        ("## Click *Invite members*", "## Fetch it\n\nNothing of the kind was here.\n\n## Click *Invite members*",
         [A, B, C, D, "new", E]),
        ("## Open the settings", "Said by hand, in between.\n\n## Open the settings", [A, B, "new", C, D, E]),
        ("\n\n## Click *Invite members*\n\nThe dialog opens.", "", [A, B, C, D]),
        ("Open the settings", "Restart the machine", [A, B, C, D, E]),
    ],
)  # fmt: skip
def test_given_the_markers_are_gone_and_a_text_was_changed_then_blocks_are_known_by_likeness(
    old: str, new: str, expected: list[str]
) -> None:
    saved = parse(with_ids(bare(GUIDE).replace(old, new), ids(), base=GUIDE))
    assert [each if each in GUIDE.ids else "new" for each in saved.ids] == expected


@pytest.mark.parametrize(
    "mangled",
    [
        bare(GUIDE).replace("\n", "\r\n"),
        "\ufeff" + bare(GUIDE),
        "\ufeff" + GUIDE.render(),
        re.sub(r"^(#+) ", r"#\1 ", bare(GUIDE), flags=re.MULTILINE),
        re.sub(r"^## ", "# ", bare(GUIDE), flags=re.MULTILINE),
        re.sub(r"^## (.*)", r"**\1**", bare(GUIDE), flags=re.MULTILINE),
        re.sub(r"^## (.*)", r"\1\n---", bare(GUIDE), flags=re.MULTILINE).replace(
            "# Invite a member", "Invite a member\n==="
        ),
        re.sub(r"^(#+ .*)", r"\1 ##", bare(GUIDE), flags=re.MULTILINE),
        re.sub(r"^## ", "## 1. ", bare(GUIDE), flags=re.MULTILINE),
        f"```markdown\n{bare(GUIDE)}```\n",
        f"```md\n{GUIDE.render()}```\n",
        GUIDE.render().replace("<!--", "&lt;!--").replace("-->", "--&gt;"),
        GUIDE.render().replace("<!--", "\\<!--"),
        GUIDE.render().replace("<!--", "    <!--"),
        GUIDE.render().replace("-->\n", "--> "),
    ],
)
def test_given_a_whole_document_that_was_mangled_when_saved_then_every_block_is_the_one_that_it_was(
    mangled: str,
) -> None:
    saved = with_ids(mangled, no_id, base=GUIDE)
    assert parse(saved).ids == GUIDE.ids
    assert with_ids(saved, no_id, base=GUIDE) == saved


def test_given_the_markers_are_gone_when_a_step_is_called_as_the_title_was_then_it_is_not_the_title() -> None:
    base = Document.of([(A, "# Save"), (B, "Keep what you did."), (C, "## Save\n\nClick **Save**.")])
    changed = "# Saving\n\nKeep what you did.\n\n## Save\n\nClick **Save** above.\n"
    assert parse(with_ids(changed, no_id, base=base)).ids == (A, B, C)


def test_given_the_markers_are_gone_and_steps_changed_places_then_each_keeps_its_id() -> None:
    first, second, third, fourth, fifth = GUIDE.blocks
    moved = Document(blocks=(first, second, fifth, third, fourth))
    assert parse(with_ids(bare(moved), no_id, base=GUIDE)).ids == (A, B, E, C, D)


@pytest.mark.parametrize("lost", [B, C, D, E])
def test_given_one_marker_is_gone_when_saved_then_its_block_is_known_again(lost: str) -> None:
    without = GUIDE.render().replace(f"{marker(lost)}\n", "")
    assert parse(with_ids(without, no_id, base=GUIDE)).ids == (A, B, C, D, E)


def test_given_blocks_that_were_joined_in_the_editor_when_saved_then_they_are_one() -> None:
    joined = GUIDE.render().replace(f"{marker(D)}\n", "")
    assert parse(with_ids(joined, no_id, base=GUIDE, as_marked=True)).ids == (A, B, C, E)


def test_given_all_markers_below_the_text_when_saved_then_every_block_is_the_one_that_it_was() -> None:
    marks = "\n".join(marker(each) for each in GUIDE.ids)
    plain = GUIDE.render()
    for each in GUIDE.ids:
        plain = plain.replace(f"{marker(each)}\n", "")
    assert parse(with_ids(f"{plain}\n{marks}\n", no_id, base=GUIDE)).ids == GUIDE.ids


def test_given_equal_texts_without_markers_when_saved_then_they_keep_their_order() -> None:
    base = Document.of([(A, "# T"), (B, "## Click Next"), (C, "Wait."), (D, "## Click Next"), (E, "Wait.")])
    assert parse(with_ids(bare(base), no_id, base=base)).ids == (A, B, C, D, E)


def test_given_a_copied_block_when_saved_then_the_second_copy_gets_a_new_id() -> None:
    saved = parse(with_ids(STORED + f"\n{marker(B.upper())}\n## Copy\n", ids()))
    assert saved.ids[:3] == (A, B, C)
    assert saved.ids[3] not in (A, B, C)
    assert saved.blocks[3].markdown == "## Copy"


def test_given_an_id_source_that_repeats_when_saved_then_ids_still_differ() -> None:
    answers = iter([A, A, B, C])
    assert parse(with_ids(f"new\n\n{marker(A)}\nold\n", lambda: next(answers))).ids == (B, A)


@pytest.mark.parametrize("by_hand", ["<!-- block -->", "<!-- block: -->", "<!--block:new-->", "<!-- block:12ab -->"])
def test_given_a_marker_without_an_id_when_saved_then_it_begins_a_new_block(by_hand: str) -> None:
    saved = parse(with_ids(f"{marker(A)}\none\n\n{by_hand}\ntwo\n\nstill two\n", ids()))
    assert [block.markdown for block in saved.blocks] == ["one", "two\n\nstill two"]
    assert saved.ids[0] == A


def test_given_a_block_whose_text_was_deleted_when_saved_then_its_marker_goes_too() -> None:
    assert parse(with_ids(STORED.replace("## First\n\nBody.\n", ""), no_id)).ids == (A, C)
    assert with_ids(f"{marker(A)}\n\n", no_id) == ""


def test_given_windows_line_ends_and_loose_markers_when_saved_then_they_are_made_uniform() -> None:
    loose = f"  <!--block:{A.upper()} -->  \r\n# T\r\n<!-- block:{B} -->\r\ntext\r\n"
    assert with_ids(loose, no_id) == f"{marker(A)}\n# T\n\n{marker(B)}\ntext\n"


def test_given_one_seed_when_ids_are_made_twice_then_they_are_the_same() -> None:
    first, second, other = stable_ids("job:1"), stable_ids("job:1"), stable_ids("job:2")
    made = [first() for _ in range(3)]
    assert made == [second() for _ in range(3)]
    assert len({*made, other()}) == 4


def test_given_a_marked_document_when_a_markdown_reader_shows_it_then_markers_are_invisible() -> None:
    shown = MarkdownIt("commonmark").render(with_ids("# T\n- a\n- b\n\ntext\n> q\n\n## S\nx", ids()))
    assert "block:" not in shown.replace("<!-- block:", "")
    assert "<h1>T</h1>" in shown
    assert "<h2>S</h2>" in shown


def test_given_a_megabyte_of_openers_without_ends_when_cut_then_it_takes_a_moment_only() -> None:
    hostile = "\n\n".join(["<div>", "- ```", "<ul>", "- ~~~~", "<table>"] * 30_000)
    assert len(constructs(hostile)) > 1_000


# --- ranges ----------------------------------------------------------------------------------------------------


def test_given_a_range_of_code_points_when_mapped_then_it_finds_the_blocks_it_touches() -> None:
    document = parse(STORED)
    start = STORED.index("Body")
    end = STORED.index("Second")
    assert [part.block_id for part in document.parts_in_range(start, end)] == [B, C]
    assert document.parts_in_range(start, start + 4) == (BlockPart(block_id=B, start=10, end=14),)
    assert document.text_of(document.parts_in_range(start, start + 4)[0]) == "Body"


def test_given_a_range_into_the_next_marker_when_mapped_then_the_next_block_is_not_meant() -> None:
    document = parse(STORED)
    assert [part.block_id for part in document.parts_in_range(STORED.index("Body"), STORED.index(C) + 3)] == [B]


def test_given_a_range_over_a_marker_alone_when_mapped_then_its_block_is_meant() -> None:
    document = parse(STORED)
    assert document.parts_in_range(STORED.index(C), STORED.index(C) + 4) == (
        BlockPart(block_id=C, start=0, end=len("## Second")),
    )


@pytest.mark.parametrize(("start", "end"), [(-1, 4), (4, 4), (9, 4), (0, 10_000), (10_000, 10_001)])
def test_given_a_range_outside_the_document_when_mapped_then_it_is_refused(start: int, end: int) -> None:
    with pytest.raises(RequestInvalid):
        parse(STORED).parts_in_range(start, end)


def test_given_a_range_of_blank_space_when_mapped_then_it_is_refused() -> None:
    with pytest.raises(RequestInvalid):
        parse(STORED).parts_in_range(len(STORED) - 1, len(STORED))


# --- replacing -------------------------------------------------------------------------------------------------


def test_given_a_part_when_replaced_then_nothing_else_changes() -> None:
    document = parse(STORED)
    part = document.parts_in_range(STORED.index("Body"), STORED.index("Body") + 4)[0]
    assert document.replace_part(part, "Text").render() == STORED.replace("Body", "Text")


@pytest.mark.parametrize("text", ["", " \n", f"x\n{marker(A)}\ny", "x\n<!-- block -->\ny"])
def test_given_nothing_or_a_marker_when_a_block_is_replaced_then_it_is_refused(text: str) -> None:
    with pytest.raises(DocumentInvalid):
        parse(STORED).replace_block(B, text)


def test_given_an_unknown_block_when_replaced_then_it_is_refused() -> None:
    with pytest.raises(RequestInvalid):
        parse(STORED).replace_block("00000000-0000-4000-8000-00000000ffff", "x")


# --- validation ------------------------------------------------------------------------------------------------


def codes(markdown: str) -> list[tuple[str, str]]:
    return [(issue.code, issue.path) for issue in validate(parse(markdown))]


def test_given_a_sound_document_when_validated_then_it_passes() -> None:
    assert validate(parse(STORED)) == []
    assert verdict([]) is ValidationStatus.PASS


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("", [("TITLE_MISSING", ""), ("DOCUMENT_EMPTY", "")]),
        (f"{marker(A)}\n# T\n", [("DOCUMENT_EMPTY", "")]),
        (f"{marker(A)}\n#\n\n{marker(B)}\nx\n", [("TITLE_MISSING", "")]),
        (f"{marker(A)}\n```\n# T\n```\n", [("TITLE_MISSING", "")]),
        (f"{marker(A)}\n# T\n\n{marker(A)}\nx\n", [("BLOCK_ID_DUPLICATED", "/blocks/1")]),
        (f"{marker(A)}\n# T\n\n{marker(B)}\n```\nx\n", [("FENCE_UNCLOSED", "/blocks/1")]),
        (f"{marker(A)}\n# T\n\n{marker(B)}\nx\x07y\n", [("CONTROL_CHARACTER", "/blocks/1")]),
        (f"{marker(A)}\n# T\n\n{marker(B)}\n{marker(C)}\nx\n", [("BLOCK_EMPTY", "/blocks/1")]),
        (f"x\n{marker(A)}\n# T\n\n{marker(B)}\nx\n", [("BLOCK_ID_MISSING", "")]),
        (f"{marker(A)}\n# T\n\nx\n", []),
        (f"{marker(A)}\nT\n===\n\n{marker(B)}\nx\n", []),
    ],
)
def test_given_a_flaw_when_validated_then_it_is_named_with_its_place(
    markdown: str, expected: list[tuple[str, str]]
) -> None:
    assert codes(markdown) == expected


def test_given_a_document_over_the_cap_when_validated_then_it_fails() -> None:
    big = f"{marker(A)}\n# T\n\n{marker(B)}\n" + "é" * (MAX_DOCUMENT_BYTES // 2)
    assert codes(big) == [("DOCUMENT_TOO_LARGE", "")]
    assert verdict(validate(parse(big))) is ValidationStatus.FAIL


def test_given_more_headings_than_a_document_can_hold_when_saved_then_it_is_refused_before_it_grows() -> None:
    assert len(parse(with_ids("# a\n" * MOST_BLOCKS, ids())).blocks) == MOST_BLOCKS
    with pytest.raises(DocumentInvalid, match="blocks"):
        with_ids("# a\n" * (MAX_DOCUMENT_BYTES // 4), ids())


def test_given_a_lone_surrogate_when_validated_then_it_fails_and_does_not_crash() -> None:
    assert codes(f"{marker(A)}\n# T\n\n{marker(B)}\n\ud800\n") == [("CONTROL_CHARACTER", "/blocks/1")]


def test_given_a_heading_with_closing_marks_and_escapes_then_the_title_is_its_text() -> None:
    assert parse(f"{marker(A)}\n# Use \\*stars\\* in C\\# ##\n").title == "Use *stars* in C#"


def test_given_fences_then_only_one_left_open_counts_as_unclosed() -> None:
    assert has_unclosed_fence("````\n```\n")
    assert not has_unclosed_fence("```\nx\n````\n")
    assert not has_unclosed_fence("`` ` ``\n")


# --- evidence --------------------------------------------------------------------------------------------------


def test_given_an_edited_document_when_evidence_is_carried_then_surviving_blocks_keep_theirs_in_the_new_order() -> None:
    old = [
        BlockEvidence(block_id=block_id, role=BlockRole.STEP, segments=(place,), start_ms=0, end_ms=1)
        for place, block_id in enumerate((A, B, C))
    ]
    new = Document.of([(C, "moved"), ("00000000-0000-4000-8000-00000000ffff", "by hand"), (A, "edited")])
    assert carry_evidence(old, new) == (old[2], old[0])


def test_given_blocks_that_were_merged_when_carried_then_what_is_left_rests_on_all_and_knows_where_they_went() -> None:
    old = [
        BlockEvidence(block_id=A, role=BlockRole.STEP, segments=(3,), changes=(7,), start_ms=1000, end_ms=2000),
        BlockEvidence(block_id=B, role=BlockRole.STEP, segments=(1,), changes=(2,), start_ms=100, end_ms=900),
    ]
    merged = BlockMark(block_id=A, absorbs=(B,))
    (first,) = carry_evidence(old, Document.of([(A, "a and b")]), [merged])
    assert (first.segments, first.changes, first.start_ms, first.end_ms) == ((3, 1), (7, 2), 100, 2000)
    (second,) = carry_evidence([first], Document.of([(C, "all")]), [BlockMark(block_id=C, absorbs=(A,))])
    assert absorbed_by([second]) == {A: C, B: C}


def test_given_a_part_that_begins_after_the_action_when_cut_off_then_the_action_stays_with_the_first() -> None:
    whole = BlockEvidence(
        block_id=B, role=BlockRole.STEP, segments=(3,), changes=(7,), start_ms=1000, end_ms=2000, action_ms=1500
    )
    cut = Document.of([(B, "b"), (C, "c")])
    for start_ms, changes, action_ms in ((1200, (7,), 1500), (1700, (), None)):
        first, part = carry_evidence([whole], cut, [BlockMark(block_id=C, cut_from=B, start_ms=start_ms)])
        assert (part.start_ms, part.end_ms, part.changes, part.action_ms) == (start_ms, 2000, changes, action_ms)
        assert first == whole


@pytest.mark.parametrize(
    ("mark", "role", "start_ms", "segments"),
    [
        (BlockMark(block_id=B, role=BlockRole.WARNING), "warning", 1000, (3,)),
        (BlockMark(block_id=B, start_ms=7000), "step", 7000, ()),
        (BlockMark(block_id=B, cut_from=A), "step", 1000, (3,)),  # it has its own already
        (BlockMark(block_id=C, cut_from=B), "step", 1000, (3,)),
        (BlockMark(block_id=C, cut_from=B, start_ms=1200), "step", 1200, (3,)),  # begins within what was cut
        (BlockMark(block_id=C, cut_from=B, start_ms=9000), "step", 9000, ()),
        (BlockMark(block_id=C, cut_from=A), "text", 0, (1,)),  # a second title is none
        (BlockMark(block_id=C, role=BlockRole.STEP, start_ms=7000), "step", 7000, ()),
        (BlockMark(block_id=C, role=BlockRole.TEXT), None, None, None),
        (BlockMark(block_id=C), None, None, None),
    ],
)
def test_given_what_a_person_says_of_a_block_then_it_is_that_and_rests_on_what_it_was_cut_from(
    mark: BlockMark, role: str | None, start_ms: int | None, segments: tuple[int, ...] | None
) -> None:
    old = [
        BlockEvidence(block_id=A, role=BlockRole.TITLE, segments=(1,), start_ms=0, end_ms=900),
        BlockEvidence(block_id=B, role=BlockRole.STEP, segments=(3,), start_ms=1000, end_ms=2000, action_ms=1500),
    ]
    found = {each.block_id: each for each in carry_evidence(old, Document.of([(A, "# T"), (B, "b"), (C, "c")]), [mark])}
    told = found.get(mark.block_id)
    assert (told and told.role, told and told.start_ms, told and told.segments) == (role, start_ms, segments)
    assert found[A] == old[0]
