"""Corrections of a transcript: which stand, and what it reads like then."""

from datetime import UTC, datetime

from domain.recordings.captions import cues
from domain.recordings.corrections import Correction, corrected, corrections_hash, text_sha256
from domain.recordings.transcript import Segment, SpeechFound, Transcript, Word

WORDS = ("Open", "the", "male", "app.")


def transcript(text: str = " Open the male app.") -> Transcript:
    words = tuple(
        Word(start_ms=1000 * place, end_ms=1000 * place + 900, text=f" {word}") for place, word in enumerate(WORDS)
    )
    said = Segment(id=0, start_ms=0, end_ms=4000, text=text, words=words)
    other = Segment(id=1, start_ms=5000, end_ms=6000, text=" Then wait.")
    return Transcript(speech=SpeechFound.SPEECH, duration_ms=6000, model="test", segments=(said, other))


def correction(text: str, original: str = " Open the male app.", segment: int = 0) -> Correction:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Correction(segment=segment, original_sha256=text_sha256(original), text=text, author="ann", corrected_at=at)


def test_given_a_corrected_word_then_the_text_reads_so_and_each_word_keeps_the_time_at_which_it_was_heard() -> None:
    read = corrected(transcript(), [correction("Open the mail app.")])
    assert [each.text for each in read.segments] == ["Open the mail app.", " Then wait."]
    assert [(each.start_ms, each.text.strip()) for each in read.segments[0].words] == [
        (0, "Open"),
        (1000, "the"),
        (2000, "mail"),
        (3000, "app."),
    ]
    assert read.segments[0].start_ms == 0
    assert cues(read)[0].lines == ("Open the mail app.",)


def test_given_a_word_more_then_its_time_is_shared_out_and_captions_still_say_it_all() -> None:
    read = corrected(transcript(), [correction("Open the new mail app.")])
    assert read.segments[0].words == ()
    assert cues(read)[0].lines == ("Open the new mail app.",)


def test_given_a_transcript_that_was_made_anew_then_only_what_is_heard_the_same_again_stays_corrected() -> None:
    heard = transcript(" Open the mail app.")
    assert corrected(heard, [correction("Open the mail app."), correction("x", segment=7)]) is heard


def test_given_corrections_then_their_hash_is_that_of_what_they_say() -> None:
    one, two = correction("Open the mail app."), correction("Then go.", " Then wait.", 1)
    assert corrections_hash([]) is None
    assert corrections_hash([one, two]) == corrections_hash([two, one]) != corrections_hash([one])
