"""Diffs of documents: what they say is what it takes to get from one version to the other."""

import re
import uuid

from hypothesis import given
from hypothesis import strategies as st

from domain.documents import diff
from domain.documents.diff import BlockChange, Change, block_diff, unified_diff
from domain.documents.document import Document

NAMES = ("version 1", "version 2")
IDS = [str(uuid.UUID(int=number)) for number in range(8)]
LINES = st.sampled_from(["", "One.", "Two.", "- a", "# T", "One.  ", "```", "日本"])
TEXT = st.lists(LINES, min_size=1, max_size=5).map("\n".join).filter(lambda text: bool(text.strip()))
DOCUMENT = st.lists(st.tuples(st.sampled_from(IDS), TEXT), unique_by=lambda pair: pair[0], max_size=8).map(Document.of)


def patched(before: str, unified: str) -> str:
    """``before`` with a unified diff applied, as ``patch`` would."""
    old = re.findall(r"[^\n]*\n|[^\n]+$", before)
    made: list[str] = []
    at = 0
    body = re.sub(r"\n\\ No newline at end of file\n", "\0", unified)
    for line in re.findall(r"[^\n\0]*[\n\0]", body)[2:]:
        text = line[1:].removesuffix("\0")
        if head := re.match(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@", line):
            start = int(head[1]) - (0 if head[2] == "0" else 1)
            made += old[at:start]
            at = start
        elif line[0] == "+":
            made.append(text)
        else:
            assert old[at] == text, (old[at], text)
            at += 1
            made += [text] if line[0] == " " else []
    return "".join([*made, *old[at:]])


def rebuilt(before: Document, changes: tuple[BlockChange, ...]) -> list[tuple[str, str]]:
    """The blocks of the later version, from the earlier one and the changes alone."""
    placed = {change.to_position: change for change in changes if change.to_position is not None}
    touched = {change.block_id for change in changes if change.moved or change.change is not Change.CHANGED}
    texts = {change.block_id: change.after for change in changes}
    rest = [block for block in before.blocks if block.id not in touched]
    made: list[tuple[str, str]] = []
    while rest or len(made) in placed:
        change = placed.get(len(made))
        if change is not None and change.block_id in touched:
            made.append((change.block_id, change.after or ""))
        else:
            block = rest.pop(0)
            made.append((block.id, texts.get(block.id) or block.markdown))
    return made


@given(DOCUMENT, DOCUMENT)
def test_given_two_documents_when_the_unified_diff_is_applied_to_one_then_it_is_the_other(
    before: Document, after: Document
) -> None:
    unified = unified_diff(before.render(), after.render(), names=NAMES)
    assert patched(before.render(), unified) == after.render()
    assert bool(unified) == (before.render() != after.render())


@given(st.text("ab\n", max_size=40), st.text("ab\n", max_size=40), st.sampled_from([0, 20, diff.SEARCHED]))
def test_given_any_text_and_however_little_time_when_compared_then_the_diff_is_right(
    before: str, after: str, searched: int
) -> None:
    kept, diff.SEARCHED = diff.SEARCHED, searched
    try:
        assert patched(before, unified_diff(before, after, names=NAMES)) == after
    finally:
        diff.SEARCHED = kept


@given(DOCUMENT, DOCUMENT)
def test_given_two_documents_when_the_block_diff_is_applied_to_one_then_it_has_the_blocks_of_the_other(
    before: Document, after: Document
) -> None:
    assert rebuilt(before, block_diff(before, after)) == [(block.id, block.markdown) for block in after.blocks]


@given(DOCUMENT, DOCUMENT)
def test_given_two_documents_when_compared_both_ways_then_what_one_adds_the_other_removes(
    before: Document, after: Document
) -> None:
    there, back = block_diff(before, after), block_diff(after, before)
    assert {each.block_id for each in there if each.change is Change.ADDED} == {
        each.block_id for each in back if each.change is Change.REMOVED
    }
    assert {each.block_id for each in there if each.before != each.after} == {
        each.block_id for each in back if each.before != each.after
    }


@given(DOCUMENT)
def test_given_a_document_when_compared_with_itself_then_nothing_changed(document: Document) -> None:
    assert block_diff(document, document) == ()
    assert unified_diff(document.render(), document.render(), names=NAMES) == ""


def test_given_one_block_that_went_to_the_end_when_compared_then_it_alone_has_moved() -> None:
    blocks = [(block_id, f"Text {number}.") for number, block_id in enumerate(IDS[:5])]
    (change,) = block_diff(Document.of(blocks), Document.of([*blocks[1:], blocks[0]]))
    assert (change.change, change.block_id, change.from_position, change.to_position) == (Change.MOVED, IDS[0], 0, 4)


def test_given_a_block_that_moved_and_changed_when_compared_then_it_is_changed_and_says_that_it_moved() -> None:
    blocks = [(block_id, f"Text {number}.") for number, block_id in enumerate(IDS[:3])]
    (change,) = block_diff(Document.of(blocks), Document.of([*blocks[1:], (IDS[0], "Other.")]))
    assert (change.change, change.moved, change.before, change.after) == (Change.CHANGED, True, "Text 0.", "Other.")


def test_given_a_changed_line_when_compared_then_the_diff_reads_as_people_know_it() -> None:
    before = Document.of([(IDS[0], "# T"), (IDS[1], "One.\nTwo.")]).render()
    assert unified_diff(before, before.replace("Two.", "Three."), names=NAMES) == (
        f"--- version 1\n+++ version 2\n@@ -3,4 +3,4 @@\n \n <!-- block:{IDS[1]} -->\n One.\n-Two.\n+Three.\n"
    )


def test_given_the_worst_documents_that_can_be_saved_when_compared_then_it_ends_and_is_right() -> None:
    before = "".join(f"{number % 97}\n" for number in range(300_000))
    after = "".join(f"{number % 89}\n" for number in range(300_000))
    unified = unified_diff(before, after, names=NAMES)
    assert unified.count("\n-") == unified.count("\n+") - 1 > 299_000
    assert unified.count("\n@@") == 1
