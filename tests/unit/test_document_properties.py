"""What must hold for every document, whatever people write into it."""

import uuid
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from domain.documents.constructs import constructs
from domain.documents.document import Block, Document, marker, parse, stable_ids, with_ids
from domain.documents.merging import merge

IDS = [str(uuid.UUID(int=number)) for number in range(1, 7)]

LINES = st.sampled_from(
    [
        *(["", "", "", "  ", "\t"]),
        *(marker(each) for each in IDS[:3]),
        *("<!-- block -->", "  <!--block:" + IDS[0].upper() + "-->", "<!-- block:broken -->"),
        *("# Title", "## Step", "### Part", "  ## Indented", "#"),
        *("```", "````py", "~~~", "- item", "  - ```", "1. one", "    code", "> quote", "* * *", "---", "==="),
        *("<div>", "</div>", "<div></div>", "<details>", "</details>", "<!--", "-->", "<pre>", "</pre>", "<?", "?>"),
        *("text", "more text  ", "| a | b |", "|---|---|", "é🎬", "\u00a0", "\x0b", "\u2028", "x\ry", "end\r"),
    ]
)
MARKDOWN = st.lists(LINES, max_size=25).map("\n".join) | st.text(max_size=80)


def no_id() -> str:
    raise AssertionError("no id was needed")


def ids() -> Callable[[], str]:
    return stable_ids("properties")


@given(MARKDOWN)
def test_a_saved_document_is_read_and_written_without_a_change(markdown: str) -> None:
    saved = with_ids(markdown, ids())
    assert parse(saved).render() == saved


@given(MARKDOWN)
def test_saving_twice_changes_nothing_and_asks_for_no_id(markdown: str) -> None:
    saved = with_ids(markdown, ids())
    assert with_ids(saved, no_id) == saved
    assert with_ids(saved, no_id, base=parse(saved)) == saved


@given(MARKDOWN, MARKDOWN)
def test_saving_against_a_base_is_stable_too(first: str, second: str) -> None:
    base = parse(with_ids(first, ids()))
    saved = with_ids(base.render() + "\n" + second, ids(), base=base)
    assert with_ids(saved, no_id) == saved


@given(MARKDOWN)
def test_every_saved_block_has_one_id_and_some_text(markdown: str) -> None:
    saved = parse(with_ids(markdown, ids()))
    assert len(set(saved.ids)) == len(saved.ids)
    assert all(block.markdown.strip(" \t\n") for block in saved.blocks)
    assert saved.preamble == ""


@given(MARKDOWN)
def test_saving_loses_no_word(markdown: str) -> None:
    def words(text: str) -> list[str]:
        kept = [line for line in text.replace("\r", "\n").split("\n") if not line.lstrip(" ").startswith("<!--")]
        return " ".join(kept).split()

    assert words(with_ids(markdown, ids())) == words(markdown)


@given(MARKDOWN)
def test_constructs_cover_everything_that_is_not_blank_and_never_overlap(markdown: str) -> None:
    end = 0
    for part in constructs(markdown):
        assert not markdown[end : part.start].strip(" \t\n")
        assert part.start < part.end
        end = part.end
    assert not markdown[end:].strip(" \t\n")


@given(MARKDOWN, st.data())
def test_a_range_maps_to_exactly_the_text_it_covers(markdown: str, data: st.DataObject) -> None:
    saved = with_ids(markdown, ids())
    document = parse(saved)
    if not document.blocks:
        return
    chosen = data.draw(st.sampled_from(document.blocks))
    start = document.starts()[chosen.id]
    end = start + len(chosen.markdown)
    assert saved[start:end] == chosen.markdown
    low = data.draw(st.integers(start, end - 1))
    high = data.draw(st.integers(low + 1, end))
    (part,) = document.parts_in_range(low, high)
    assert document.text_of(part) == saved[low:high]
    replaced = document.replace_part(part, "\u2702").render()
    assert replaced[:low] == saved[:low]
    assert replaced[low + 1 :].rstrip(" \t\n") == saved[high:].rstrip(" \t\n") or part.end == len(chosen.markdown)


# --- merge -----------------------------------------------------------------------------------------------------

TEXTS = st.sampled_from(["base", "base too", "edited", "edited more", "## Step\n\nby hand"])


@st.composite
def edited(draw: st.DrawFn, base: Document) -> Document:
    """What a person may make of a document: edits, deletions, new blocks, another order."""
    blocks = [block for block in base.blocks if draw(st.booleans()) or draw(st.booleans())]
    blocks = [block.model_copy(update={"markdown": draw(TEXTS)}) if draw(st.booleans()) else block for block in blocks]
    blocks += [Block(id=IDS[5], markdown=draw(TEXTS))] if draw(st.booleans()) else []
    return Document(blocks=tuple(draw(st.permutations(blocks))))


@given(st.data())
def test_a_merge_never_loses_an_edit(data: st.DataObject) -> None:
    base = Document(blocks=tuple(Block(id=each, markdown=data.draw(TEXTS)) for each in IDS[:5]))
    theirs = data.draw(edited(base))
    selection = data.draw(st.lists(st.sampled_from(IDS[:5]), unique=True))
    ours = base
    for each in selection:
        ours = ours.replace_block(each, data.draw(st.sampled_from(["regenerated", "base", "edited"])))

    merged = merge(base, theirs, ours, selection)

    before, was = ({block.id: block.markdown for block in each.blocks} for each in (theirs, base))
    assert merged.document.ids == theirs.ids
    for block in merged.document.blocks:
        if block.markdown != before[block.id]:
            assert block.id in selection
            assert before[block.id] == was[block.id]
            assert block.markdown == ours.block(block.id).markdown
    assert {*merged.applied} | {each.block_id for each in merged.kept} == set(selection)
    for kept in merged.kept:
        assert kept.deleted == (kept.block_id not in before)
        assert kept.markdown == ours.block(kept.block_id).markdown
