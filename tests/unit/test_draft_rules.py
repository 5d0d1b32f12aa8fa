"""The draft must not lie: what is cited, when it happens, and what is refused."""

import pytest

from domain.documents.document import BlockEvidence
from domain.documents.draft import (
    BlockRole,
    Draft,
    DraftBlock,
    DraftProvenance,
    check_draft,
    cited_time,
    draft_problems,
    joined_recording,
    unclear_speech,
)
from domain.errors import DraftInvalid
from domain.geometry import Box
from domain.recordings.media import Scene
from domain.recordings.screen import ChangeKind, ScreenChange, ScreenRecord
from domain.recordings.transcript import Segment, SpeechFound, Transcript, Word


def transcript(*segments: Segment, duration_ms: int = 10_000) -> Transcript:
    speech = SpeechFound.SPEECH if segments else SpeechFound.NO_SPEECH
    return Transcript(speech=speech, duration_ms=duration_ms, model="test", segments=segments)


SAID = transcript(
    Segment(id=0, start_ms=1_000, end_ms=3_000, text=" Hello there."),
    Segment(
        id=1,
        start_ms=4_000,
        end_ms=8_000,
        text=" Click File. Then save.",
        words=(
            Word(start_ms=4_000, end_ms=4_500, text=" Click"),
            Word(start_ms=4_600, end_ms=5_000, text=" File."),
            Word(start_ms=6_500, end_ms=7_000, text=" Then"),
            Word(start_ms=7_100, end_ms=7_900, text=" save."),
        ),
    ),
)
SILENT = transcript()
SCREENS = (Scene(id=0, start_ms=0, end_ms=2_000), Scene(id=1, start_ms=2_000, end_ms=12_000))

TITLE = DraftBlock(role=BlockRole.TITLE, heading="Title")
LEAD = DraftBlock(role=BlockRole.LEAD, body="Lead.")
STEP = DraftBlock(role=BlockRole.STEP, heading="Click File", segments=(1,))


def draft(*blocks: DraftBlock) -> Draft:
    return Draft(blocks=blocks, provenance=DraftProvenance(model_profile_id="test", prompt_template_id="test/v1"))


def times(block: DraftBlock, said: Transcript = SAID, screens: tuple[Scene, ...] = ()) -> tuple[int, int] | None:
    cited = cited_time(block, said, screens)
    return (cited.start_ms, cited.end_ms) if cited else None


def test_given_cited_segments_when_timed_then_the_time_covers_them_in_any_order() -> None:
    assert times(STEP) == (4_000, 8_000)
    assert times(STEP.model_copy(update={"segments": (1, 0, 1)})) == (1_000, 8_000)


def test_given_the_place_of_the_words_when_timed_then_word_times_narrow_it() -> None:
    assert times(STEP.model_copy(update={"ends_at": 10})) == (4_000, 5_000)
    assert times(STEP.model_copy(update={"begins_at": 10})) == (6_500, 8_000)
    assert times(STEP.model_copy(update={"begins_at": 14, "ends_at": 19})) == (7_100, 8_000)


def test_given_no_word_times_when_the_place_is_known_then_time_is_shared_out_by_length() -> None:
    said = transcript(Segment(id=0, start_ms=2_000, end_ms=4_000, text="abcd efgh"))
    block = DraftBlock(role=BlockRole.STEP, heading="x", segments=(0,), begins_at=4)
    assert times(block, said) == (3_000, 4_000)


def test_given_word_times_of_other_words_when_timed_then_they_are_not_trusted() -> None:
    words = (Word(start_ms=2_000, end_ms=2_100, text="other"),)
    said = transcript(Segment(id=0, start_ms=2_000, end_ms=4_000, text="abcd efgh", words=words))
    assert times(DraftBlock(role=BlockRole.STEP, heading="x", segments=(0,), begins_at=4), said) == (3_000, 4_000)


def test_given_a_place_over_several_segments_then_it_narrows_the_first_and_the_last() -> None:
    block = DraftBlock(role=BlockRole.STEP, heading="x", segments=(0, 1), begins_at=5, ends_at=10)
    assert times(block) == (1_909, 5_000)


def test_given_a_title_that_cites_nothing_when_timed_then_it_has_no_time() -> None:
    assert times(TITLE) is None


def test_given_cited_screens_when_timed_then_their_time_counts_even_past_the_sound() -> None:
    shown = DraftBlock(role=BlockRole.STEP, heading="Screen 2", scenes=(1,))
    assert times(shown, SILENT, SCREENS) == (2_000, 12_000)


def test_given_speech_that_ends_behind_the_recording_when_timed_then_it_is_cut_at_its_end() -> None:
    said = transcript(Segment(id=0, start_ms=9_000, end_ms=11_000, text="late"))
    assert times(DraftBlock(role=BlockRole.STEP, heading="x", segments=(0,)), said) == (9_000, 10_000)


@pytest.mark.parametrize(
    "block",
    [
        DraftBlock(role=BlockRole.STEP, heading="x"),
        DraftBlock(role=BlockRole.NOTE, body="x"),
        DraftBlock(role=BlockRole.STEP, heading="x", segments=(2,)),
        DraftBlock(role=BlockRole.STEP, heading="x", segments=(-1,)),
        DraftBlock(role=BlockRole.LEAD, body="x", segments=(0, 99)),
        DraftBlock(role=BlockRole.STEP, heading="x", scenes=(0,)),
        DraftBlock(role=BlockRole.STEP, heading="x", segments=(1,), begins_at=19),
        DraftBlock(role=BlockRole.STEP, heading="x", segments=(1,), ends_at=20),
        DraftBlock(role=BlockRole.STEP, heading="x", segments=(1,), begins_at=9, ends_at=9),
    ],
)
def test_given_a_block_that_cites_nothing_or_what_is_not_there_when_timed_then_it_is_refused(block: DraftBlock) -> None:
    with pytest.raises(DraftInvalid):
        cited_time(block, SAID)


def test_given_a_segment_that_begins_behind_the_recording_when_cited_then_it_is_refused() -> None:
    said = transcript(Segment(id=0, start_ms=10_000, end_ms=11_000, text="ghost"))
    with pytest.raises(DraftInvalid, match="outside the recording"):
        check_draft(draft(TITLE, STEP.model_copy(update={"segments": (0,)})), said)


def test_given_a_sound_draft_when_checked_then_it_passes() -> None:
    check_draft(draft(TITLE, LEAD, STEP), SAID)
    check_draft(draft(TITLE, LEAD), SILENT)


@pytest.mark.parametrize(
    ("blocks", "problem"),
    [
        ((), "exactly one title"),
        ((STEP,), "exactly one title"),
        ((STEP, TITLE), "exactly one title"),
        ((TITLE, TITLE, STEP), "exactly one title"),
        ((TITLE,), "some text below"),
        ((TITLE, STEP, LEAD), "at most one lead"),
        ((TITLE, LEAD, LEAD, STEP), "at most one lead"),
        ((TITLE, STEP.model_copy(update={"heading": " "})), "is empty"),
        ((TITLE, STEP.model_copy(update={"heading": "", "body": "x"})), "has no heading"),
        ((TITLE.model_copy(update={"heading": "a\nb"}), STEP), "more than one line"),
        ((TITLE, STEP.model_copy(update={"body": "x\n<!-- block:1 -->\ny"})), "block marker"),
    ],
)
def test_given_a_misshapen_draft_when_checked_then_it_is_refused_and_the_reason_named(
    blocks: tuple[DraftBlock, ...], problem: str
) -> None:
    with pytest.raises(DraftInvalid, match=problem):
        check_draft(draft(*blocks), SAID)


def test_given_several_problems_when_listed_then_all_are_there_and_hold_nothing_of_the_text() -> None:
    secret = DraftBlock(role=BlockRole.STEP, heading="hunter2", segments=(7,))
    problems = draft_problems(draft(secret, secret), SAID)
    assert len(problems) == 3
    assert "hunter2" not in str(problems)


def test_given_changes_of_the_screen_when_cited_then_the_first_is_the_action_and_words_begin_the_block() -> None:
    def change(number: int, at_ms: int) -> ScreenChange:
        whole = Box(x=0, y=0, w=1, h=1)
        times = {"before_ms": at_ms - 100, "at_ms": at_ms, "after_ms": at_ms + 400, "until_ms": at_ms + 900}
        return ScreenChange(id=number, kind=ChangeKind.PRESS, box=whole, **times)

    shown = ScreenRecord(
        reader="test", width=100, height=100, duration_ms=10_000, changes=(change(3, 5_000), change(7, 8_500))
    )
    acted = STEP.model_copy(update={"changes": (7, 3)})
    cited = cited_time(acted, SAID, (), shown)
    assert cited is not None
    assert (cited.start_ms, cited.end_ms, cited.action_ms) == (4_000, 8_900, 8_500)
    unsaid = cited_time(acted.model_copy(update={"segments": ()}), SILENT, (), shown)
    assert unsaid is not None
    assert (unsaid.start_ms, unsaid.action_ms) == (5_000, 8_500)
    for known in (shown, None):
        foreign = acted.model_copy(update={"changes": (3, 4) if known else (3,)})
        assert len(draft_problems(draft(TITLE, foreign), SAID, (), known)) == 1
    section = DraftBlock(role=BlockRole.SECTION, heading="Billing", changes=(3,))
    assert draft_problems(draft(TITLE, section, acted), SAID, (), shown) == []
    assert len(draft_problems(draft(TITLE, section.model_copy(update={"changes": ()})), SAID, (), shown)) == 1
    stored = {"block_id": "b", "role": "step", "segments": [1], "start_ms": 4_000, "end_ms": 8_000}
    assert BlockEvidence.model_validate(stored).changes == ()


def test_given_speech_that_was_not_understood_when_it_is_more_than_a_word_then_it_is_said_where() -> None:
    heard = Transcript(
        speech=SpeechFound.NO_SPEECH, duration_ms=200_000, model="m", unclear=((61_000, 75_000), (90_000, 91_000))
    )
    (warning,) = unclear_speech(heard)
    assert (warning.code, warning.at_ms) == ("SPEECH_UNCLEAR", (61_000, 90_000))
    assert "1:01, 1:30" in warning.message
    assert unclear_speech(heard.model_copy(update={"unclear": ((61_000, 62_000),)})) == ()


def test_given_a_file_of_several_recordings_then_the_draft_says_what_of_it_was_not_read_or_seen() -> None:
    (unread,) = joined_recording({"joined": "unread"})
    (unseen,) = joined_recording({"joined": "unseen"})
    assert unread.code == unseen.code == "RECORDING_JOINED"
    assert "not read" in unread.message and "later steps" in unseen.message
    assert joined_recording({"duration_ms": 1}) == ()
