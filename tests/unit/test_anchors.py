"""Where a place of one version is in another: kept, found again, or honestly lost."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from domain.documents.anchor_resolution import Outcome, Resolution, Resolver, resolve
from domain.documents.anchors import Addressing, AddressType
from domain.documents.document import Block, Document, parse
from domain.errors import RequestInvalid

TITLE, STEP, OTHER, LAST = (str(uuid.UUID(int=number)) for number in range(1, 5))
FRESH = str(uuid.UUID(int=99))
TEXTS = {
    TITLE: "# Add a customer",
    STEP: "Choose **New** from the menu on the left.",
    OTHER: "Enter the full name of the customer, then the address.",
    LAST: "Save with the blue button at the end of the page.",
}


def document(*blocks: tuple[str, str]) -> Document:
    return parse(Document.of(blocks or tuple(TEXTS.items())).render())


def edited(block_id: str, text: str) -> Document:
    return document(*(TEXTS | {block_id: text}).items())


def without(block_id: str) -> Document:
    return document(*((each, text) for each, text in TEXTS.items() if each != block_id))


def range_over(text: str, of: Document | None = None) -> Addressing:
    start = (of or document()).render().index(text)
    return Addressing.of_range(start, start + len(text))


def text_at(resolution: Resolution, of: Document) -> str:
    assert resolution.addressing is not None and resolution.addressing.char_range is not None
    chars = resolution.addressing.char_range
    return of.render()[chars.start_offset : chars.end_offset]


def tried(resolution: Resolution) -> list[tuple[str, str]]:
    return [(step.step, step.outcome) for step in resolution.trace]


# --- blocks ------------------------------------------------------------------------------------------------------


def test_given_the_same_version_when_a_block_is_resolved_then_retained() -> None:
    found = resolve(Addressing.of_block(STEP), document(), document())
    assert (found.resolution, found.block_id, tried(found)) == ("retain", STEP, [("block_id", "unchanged")])
    assert found.trace[0].confidence == 1


def test_given_a_block_that_was_merged_into_another_when_resolved_then_remapped_there() -> None:
    after = document(
        *((each, f"{TEXTS[OTHER]} {TEXTS[LAST]}" if each == OTHER else TEXTS[each]) for each in (STEP, OTHER))
    )
    found = Resolver(document(), after, {LAST: OTHER}).resolve(Addressing.of_block(LAST))
    assert (found.resolution, found.block_id) == (Outcome.REMAP, OTHER)
    assert tried(found) == [("block_id", "missing"), ("merged", "found")]
    assert resolve(Addressing.of_block(LAST), document(), after).resolution is Outcome.UNRESOLVED


def test_given_text_and_blocks_added_around_it_when_a_block_is_resolved_then_retained() -> None:
    after = document((FRESH, "# Before"), *(TEXTS | {OTHER: "Other words."}).items())
    assert resolve(Addressing.of_block(STEP), document(), after).resolution is Outcome.RETAIN


def test_given_an_edited_block_when_resolved_then_remapped_the_surer_the_less_was_edited() -> None:
    little = resolve(Addressing.of_block(STEP), document(), edited(STEP, TEXTS[STEP].replace("left", "right")))
    much = resolve(Addressing.of_block(STEP), document(), edited(STEP, "Something else altogether."))
    assert {little.resolution, much.resolution} == {Outcome.REMAP}
    assert 1 > little.trace[0].confidence > much.trace[0].confidence >= 0.5
    assert little.block_id == much.block_id == STEP


def test_given_a_moved_block_when_resolved_then_remapped_and_its_neighbours_retained() -> None:
    after = document((TITLE, TEXTS[TITLE]), (OTHER, TEXTS[OTHER]), (LAST, TEXTS[LAST]), (STEP, TEXTS[STEP]))
    moved = resolve(Addressing.of_block(STEP), document(), after)
    assert (moved.resolution, tried(moved)) == (Outcome.REMAP, [("block_id", "moved")])
    assert resolve(Addressing.of_block(OTHER), document(), after).resolution is Outcome.RETAIN


def test_given_a_block_that_was_cut_and_pasted_without_its_marker_when_resolved_then_found_by_its_text() -> None:
    after = document((TITLE, TEXTS[TITLE]), (OTHER, TEXTS[OTHER]), (FRESH, TEXTS[STEP]))
    found = resolve(Addressing.of_block(STEP), document(), after)
    assert (found.resolution, found.block_id) == (Outcome.REMAP, FRESH)
    assert tried(found) == [("block_id", "missing"), ("text_elsewhere", "found")]


def test_given_a_block_that_lost_its_id_and_a_word_when_resolved_then_found_by_likeness() -> None:
    after = document((TITLE, TEXTS[TITLE]), (FRESH, TEXTS[STEP].replace("left", "right")), (OTHER, TEXTS[OTHER]))
    found = resolve(Addressing.of_block(STEP), document(), after)
    assert (found.resolution, found.block_id) == (Outcome.REMAP, FRESH)
    assert tried(found)[-1] == ("similar_block", "found")


def test_given_another_block_that_always_had_the_same_text_when_resolved_then_it_is_not_taken_for_the_lost_one() -> (
    None
):
    before = document((TITLE, "# T"), (STEP, "Press Enter."), (OTHER, "Press Enter."))
    after = document((TITLE, "# T"), (OTHER, "Press Enter."))
    assert resolve(Addressing.of_block(STEP), before, after).resolution is Outcome.UNRESOLVED


def test_given_two_new_blocks_with_its_text_when_resolved_then_unresolved_rather_than_guessed() -> None:
    after = document((TITLE, TEXTS[TITLE]), (FRESH, TEXTS[STEP]), (str(uuid.UUID(int=98)), TEXTS[STEP]))
    found = resolve(Addressing.of_block(STEP), document(), after)
    assert (found.resolution, tried(found)[-1]) == (Outcome.UNRESOLVED, ("text_elsewhere", "ambiguous"))


AT_THE_END = document(*[each for each in TEXTS.items() if each[0] != STEP], (STEP, TEXTS[STEP]))

# --- ranges ------------------------------------------------------------------------------------------------------


def test_given_changes_behind_a_range_when_resolved_then_retained() -> None:
    after = edited(LAST, "Save.")
    found = resolve(range_over("**New**"), document(), after)
    assert (found.resolution, found.block_id, text_at(found, after)) == (Outcome.RETAIN, STEP, "**New**")


@pytest.mark.parametrize(
    ("what", "after"),
    [
        ("a block before it", document((FRESH, "# Before all"), *TEXTS.items())),
        ("words before it in its block", edited(STEP, "Look, and c" + TEXTS[STEP][1:])),
        ("words right before it", edited(STEP, TEXTS[STEP].replace("**New**", "the entry **New**"))),
        ("words on both sides", edited(STEP, "First of all choose the entry **New**, as you know it, on the left.")),
        (
            "its block moved to the end",
            document(*[each for each in TEXTS.items() if each[0] != STEP], (STEP, TEXTS[STEP])),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_given_changes_before_a_range_when_resolved_then_remapped_to_the_same_text(what: str, after: Document) -> None:
    found = resolve(range_over("**New**"), document(), after)
    assert (found.resolution, found.block_id, text_at(found, after)) == (Outcome.REMAP, STEP, "**New**"), what


def test_given_an_edit_within_a_range_when_resolved_then_remapped_to_what_became_of_it() -> None:
    after = edited(OTHER, TEXTS[OTHER].replace("full name", "whole long name"))
    found = resolve(range_over("the full name of the customer"), document(), after)
    assert (found.resolution, text_at(found, after)) == (Outcome.REMAP, "the whole long name of the customer")
    assert tried(found)[-1] == ("words", "edited")
    assert 0.5 <= found.trace[-1].confidence < 1


def test_given_a_range_over_several_blocks_when_text_is_added_before_then_it_keeps_markers_and_all() -> None:
    before = document()
    start = before.render().index("from the menu")
    end = before.render().index("full name") + len("full name")
    after = document((FRESH, "A word before."), *TEXTS.items())
    found = resolve(Addressing.of_range(start, end), before, after)
    assert found.resolution is Outcome.REMAP
    assert text_at(found, after) == before.render()[start:end]


def test_given_a_range_that_begins_with_its_marker_when_moved_then_the_marker_is_still_in_it() -> None:
    before = document()
    start = before.render().index(f"<!-- block:{STEP}")
    after = document((FRESH, "A word before."), *TEXTS.items())
    found = resolve(Addressing.of_range(start, start + 70), before, after)
    assert text_at(found, after) == before.render()[start : start + 70]


def test_given_words_that_went_into_another_block_when_resolved_then_found_there() -> None:
    after = document((TITLE, TEXTS[TITLE]), (LAST, TEXTS[LAST]), (FRESH, "Now " + TEXTS[OTHER]))
    found = resolve(range_over("the full name of the customer"), document(), after)
    assert (found.resolution, found.block_id, text_at(found, after)) == (
        Outcome.REMAP,
        FRESH,
        "the full name of the customer",
    )


def test_given_equal_texts_elsewhere_when_resolved_then_the_neighbourhood_decides_or_nothing_does() -> None:
    words = "the very same sentence"
    before = document((TITLE, "# T"), (STEP, f"Alpha beta gamma {words} delta epsilon."))
    told_apart = document((TITLE, "# T"), (FRESH, f"Zeta eta {words} theta. Alpha beta gamma {words} delta."))
    found = resolve(range_over(words, before), before, told_apart)
    assert found.resolution is Outcome.REMAP
    assert found.addressing is not None and found.addressing.char_range is not None
    assert found.addressing.char_range.start_offset == told_apart.render().rindex(words)
    alike = document((TITLE, "# T"), (FRESH, f"One. {words}. Two. {words}."))
    assert resolve(range_over(words, before), before, alike).resolution is Outcome.UNRESOLVED


def test_given_a_short_word_whose_block_is_gone_when_resolved_then_it_is_not_looked_for_elsewhere() -> None:
    found = resolve(range_over("New"), document(), without(STEP))
    assert (found.resolution, tried(found)[-1]) == (Outcome.UNRESOLVED, ("text_elsewhere", "too_short"))


@pytest.mark.parametrize("addressing", [Addressing.of_range(5_000, 5_001), Addressing.of_block("absent")])
def test_given_a_place_that_the_version_never_had_when_resolved_then_unresolved(addressing: Addressing) -> None:
    after = document((FRESH, "# Other"), *TEXTS.items())
    assert resolve(addressing, document(), after).resolution is Outcome.UNRESOLVED


# --- properties --------------------------------------------------------------------------------------------------

words = st.text(alphabet="abc de\n.*", min_size=1, max_size=60).map(str.strip).filter(bool)
documents = st.lists(words, min_size=1, max_size=6).map(
    lambda texts: document(*((str(uuid.UUID(int=number)), text) for number, text in enumerate(texts, 1)))
)


@st.composite
def places(draw: st.DrawFn) -> tuple[Document, Addressing]:
    """A document, and a block or a range of it."""
    drawn = draw(documents)
    block = draw(st.sampled_from(drawn.blocks))
    if draw(st.booleans()):
        return drawn, Addressing.of_block(block.id)
    offset = drawn.starts()[block.id]
    start = draw(st.integers(0, len(block.markdown) - 1))
    end = draw(st.integers(start + 1, len(block.markdown)))
    return drawn, Addressing.of_range(offset + start, offset + end)


def text_of(addressing: Addressing, of: Document) -> str:
    if addressing.char_range is None:
        return of.block(addressing.block_id or "").markdown
    return of.render()[addressing.char_range.start_offset : addressing.char_range.end_offset]


@given(places())
def test_property_a_version_resolved_against_itself_retains_every_place(place: tuple[Document, Addressing]) -> None:
    before, addressing = place
    found = resolve(addressing, before, before)
    assert (found.resolution, found.addressing) == (Outcome.RETAIN, addressing)
    assert found.block_id == addressing.block_in(before)


@given(places(), words)
def test_property_a_block_put_before_everything_leaves_each_text_found(
    place: tuple[Document, Addressing], text: str
) -> None:
    before, addressing = place
    first = Block(id=FRESH, markdown=text)
    after = before.model_copy(update={"blocks": (first, *before.blocks)})
    found = resolve(addressing, before, after)
    assert found.addressing is not None
    assert text_of(found.addressing, after) == text_of(addressing, before)
    if addressing.char_range is not None:
        assert found.resolution is Outcome.REMAP
        assert found.addressing.char_range is not None
        moved_by = len(after.render()) - len(before.render())
        assert found.addressing.char_range.start_offset == addressing.char_range.start_offset + moved_by


@given(places(), words)
def test_property_text_put_before_a_range_in_its_block_leaves_its_text_found(
    place: tuple[Document, Addressing], text: str
) -> None:
    before, addressing = place
    block_id = addressing.block_in(before)
    after = before.replace_block(block_id, f"{text} {before.block(block_id).markdown}")
    found = resolve(addressing, before, after)
    assert found.block_id == block_id
    if addressing.char_range is not None:
        assert found.addressing is not None
        assert text_of(found.addressing, after) == text_of(addressing, before)


@given(places())
def test_property_a_deleted_block_takes_its_places_with_it(place: tuple[Document, Addressing]) -> None:
    before, addressing = place
    block_id = addressing.block_in(before)
    after = before.model_copy(update={"blocks": tuple(each for each in before.blocks if each.id != block_id)})
    found = resolve(addressing, before, after)
    if found.resolution is not Outcome.UNRESOLVED:  # a long text that another block has, too
        assert addressing.char_range is not None and found.addressing is not None
        assert text_of(found.addressing, after) == text_of(addressing, before)
        assert len("".join(text_of(addressing, before).split())) >= 12


@given(places(), documents)
def test_property_whatever_became_of_it_the_answer_is_a_place_of_the_target_or_none(
    place: tuple[Document, Addressing], after: Document
) -> None:
    before, addressing = place
    found = resolve(addressing, before, after)
    assert found.trace
    if found.resolution is Outcome.UNRESOLVED:
        assert found.addressing is None and found.block_id is None
        return
    assert found.addressing is not None
    assert found.addressing.block_in(after) == found.block_id
    if found.resolution is Outcome.RETAIN:
        assert found.addressing == addressing
        assert text_of(addressing, after) == text_of(addressing, before)


# --- what an address may be --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given_as",
    [
        {"address_type": "block_id"},
        {"address_type": "char_range"},
        {"address_type": "block_id", "char_range": {"start_offset": 0, "end_offset": 1}},
        {"address_type": "block_id", "block_id": "x", "char_range": {"start_offset": 0, "end_offset": 1}},
        {"address_type": "char_range", "char_range": {"start_offset": 1, "end_offset": 1}},
        {"address_type": "char_range", "char_range": {"start_offset": -1, "end_offset": 1}},
        {"address_type": "char_range", "char_range": {"start_offset": "0", "end_offset": 1}},
        {"address_type": "line", "block_id": "x"},
        {"address_type": "block_id", "block_id": "x", "strategy": "<script>"},
    ],
    ids=str,
)
def test_given_an_address_that_is_none_when_read_then_refused(given_as: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Addressing.model_validate(given_as)


def test_given_a_place_that_a_version_does_not_have_when_checked_then_refused() -> None:
    for addressing in (Addressing.of_block(FRESH), Addressing.of_range(0, 100_000)):
        with pytest.raises(RequestInvalid):
            addressing.checked(document())
    upper = Addressing(address_type=AddressType.BLOCK, block_id=FRESH.upper())
    assert upper.checked(document((FRESH, "# T"))).block_id == FRESH
