"""One block written again, without a model."""

import pytest

from activities.drafting import LocalDrafter, Rewrite, compose
from domain.documents.document import BlockEvidence, parse, stable_ids
from domain.documents.draft import BlockRole
from domain.recordings.transcript import Transcript
from tests.unit.drafting_builders import TOUR, spoken

BLOCK = "00000000-0000-4000-8000-000000000001"
SAID = spoken("Click on Save. A dialog opens. It has a list. Then click Close.", "Note that it is slow. It can hang.")


def evidence(role: BlockRole, *segments: int) -> BlockEvidence:
    return BlockEvidence(block_id=BLOCK, role=role, segments=segments)


def again(
    text: str,
    role: BlockRole = BlockRole.STEP,
    segments: tuple[int, ...] = (0,),
    instruction: str | None = None,
    passage: bool | None = None,
    transcript: Transcript = SAID,
) -> Rewrite:
    return LocalDrafter().rewrite(
        text, evidence=evidence(role, *segments), transcript=transcript, instruction=instruction, passage=passage
    )


@pytest.mark.parametrize(
    "transcript",
    [spoken(*TOUR), SAID, spoken("Klicken Sie hier.", "Dann warten.", language="de"), spoken("Whales are big.")],
)
def test_given_an_untouched_draft_when_each_block_is_written_again_then_nothing_changes(transcript: Transcript) -> None:
    composed = compose(LocalDrafter().draft(transcript, (), source_name="x"), transcript, (), stable_ids("test"))
    document = parse(composed.markdown)
    for each in composed.evidence:
        text = document.block(each.block_id).markdown
        assert LocalDrafter().rewrite(text, evidence=each, transcript=transcript).markdown == text


def test_given_an_edited_step_when_written_again_then_it_says_what_was_said() -> None:
    assert again("## Something else entirely").markdown == (
        "## Click Save\n\nA dialog opens. It has a list. Click Close."
    )


def test_given_a_note_when_written_again_then_it_is_a_note_of_what_was_said() -> None:
    assert again("> gone", BlockRole.NOTE, (1,)).markdown == "> Note that it is slow. It can hang."


@pytest.mark.parametrize("wish", ["Make it shorter", "more concise please", "be brief"])
def test_given_the_wish_for_less_when_written_again_then_the_core_is_left(wish: str) -> None:
    assert again("## Click Save\n\nA dialog opens. It has a list.", instruction=wish).markdown == "## Click Save"
    short = again("> gone", BlockRole.NOTE, (1,), instruction=wish)
    assert short.markdown == "> Note that it is slow."
    assert short.warnings == ()


def test_given_the_wish_for_a_list_when_written_again_then_sentences_are_points() -> None:
    made = again("## Click Save\n\nA dialog opens. It has a list.", instruction="as a bullet list")
    assert made.markdown == "## Click Save\n\n- A dialog opens.\n- It has a list."


def test_given_a_wish_that_needs_a_model_when_written_again_then_the_answer_says_so() -> None:
    made = again("## Click Save", instruction="Translate it into Klingon")
    assert [warning.code for warning in made.warnings] == ["INSTRUCTION_NOT_FOLLOWED"]


def test_given_a_block_by_hand_when_written_again_then_it_stays_but_for_mumbling() -> None:
    text = "## Mine\n\n  - um, keep *this*\n"
    assert again(text, BlockRole.NOTE, ()).markdown == "## Mine\n\n  - keep *this*\n"
    assert again("Mine.", BlockRole.NOTE, ()).markdown == "Mine."


def test_given_a_block_by_hand_when_made_shorter_then_heading_and_first_sentence_are_left() -> None:
    made = again("## Mine\n\nOne thing. And another.\n\nMore.", BlockRole.NOTE, (), "shorter")
    assert made.markdown == "## Mine\n\nOne thing."


def test_given_a_passage_when_written_again_then_only_the_passage_is() -> None:
    assert again("uh, dialog opens", passage=True).markdown == "dialog opens"
    assert again("A dialog opens. It has a list.", passage=True, instruction="shorter").markdown == "A dialog opens."


def test_given_a_title_when_written_again_then_only_an_announcement_changes_it() -> None:
    tour = spoken(*TOUR)
    again_titled = again("# Mine", BlockRole.TITLE, (0,), transcript=tour)
    assert again_titled.markdown == "# How to create a project in Bluebird"
    assert again("# Mine", BlockRole.TITLE, (1,), transcript=tour).markdown == "# Mine"


def test_given_evidence_of_another_transcript_when_written_again_then_what_is_not_there_is_ignored() -> None:
    assert again("## Mine", segments=(99,)).markdown == "## Mine"
