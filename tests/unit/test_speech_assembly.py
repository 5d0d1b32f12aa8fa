"""The parts of a recording become one transcript."""

from hypothesis import given
from hypothesis import strategies as st

from activities.speech import SpokenSegment, SpokenWord, assemble
from domain.recordings.transcript import SpeechFound, Transcript


def said(start_ms: int, end_ms: int, text: str) -> SpokenSegment:
    return SpokenSegment(start_ms=start_ms, end_ms=end_ms, text=text)


def whole(*pieces: list[SpokenSegment], duration_ms: int = 60_000) -> Transcript:
    return assemble(pieces, duration_ms=duration_ms, model="m", language="en", language_probability=0.9)


def test_segments_are_numbered_across_pieces() -> None:
    transcript = whole([said(0, 900, "Open it.")], [], [said(30_000, 31_000, "Save it.")])
    assert [(one.id, one.start_ms, one.end_ms, one.text) for one in transcript.segments] == [
        (0, 0, 900, "Open it."),
        (1, 30_000, 31_000, "Save it."),
    ]
    assert (transcript.speech, transcript.language) == (SpeechFound.SPEECH, "en")


def test_given_a_segment_of_two_sentences_then_it_is_cut_between_them() -> None:
    transcript = whole([said(0, 4_000, "Open it now. Save it now.")])
    assert [one.text for one in transcript.segments] == ["Open it now.", "Save it now."]
    assert transcript.segments[0].end_ms == transcript.segments[1].start_ms
    assert transcript.segments[0].words == ()


def test_word_times_are_kept() -> None:
    spoken = SpokenSegment(
        start_ms=100, end_ms=900, text="Open it.", words=(SpokenWord(start_ms=100, end_ms=500, text=" Open"),)
    )
    assert whole([spoken]).segments[0].words[0].start_ms == 100


def test_given_words_heard_twice_at_a_border_then_they_are_kept_once() -> None:
    transcript = whole(
        [said(28_000, 30_000, "Save it.")], [said(28_400, 30_200, "save it"), said(31_000, 32_000, "Go.")]
    )
    assert [one.text for one in transcript.segments] == ["Save it.", "Go."]


def test_given_the_same_words_said_again_later_then_both_are_kept() -> None:
    transcript = whole([said(0, 1_000, "Press save."), said(1_000, 2_000, "Press save.")])
    assert len(transcript.segments) == 2


def test_given_a_segment_that_ends_behind_the_recording_then_it_is_cut() -> None:
    transcript = whole([said(9_000, 12_000, "Done."), said(12_500, 13_000, "More.")], duration_ms=10_000)
    assert [(one.start_ms, one.end_ms) for one in transcript.segments] == [(9_000, 10_000)]


def test_given_speech_that_was_not_understood_then_its_likely_language_is_kept_only_where_nothing_was() -> None:
    def made(*pieces: list[SpokenSegment]) -> Transcript:
        spans = [(1_000, 9_000)]
        return assemble(pieces, duration_ms=60_000, model="m", language=None, likely_language="fr", unclear=spans)

    assert (made([]).speech, made([]).language) == (SpeechFound.NO_SPEECH, "fr")
    assert made([said(0, 900, "Open it.")]).language is None


def test_given_no_words_then_the_reason_is_said() -> None:
    def verdict(**facts: object) -> SpeechFound:
        return assemble([[]], duration_ms=1_000, model="m", language="en", **facts).speech  # type: ignore[arg-type]

    assert verdict(has_audio=False) is SpeechFound.NO_AUDIO_TRACK
    assert verdict(peak_dbfs=-80.0) is SpeechFound.SILENT
    assert verdict(peak_dbfs=-10.0) is SpeechFound.NO_SPEECH
    assert verdict() is SpeechFound.NO_SPEECH
    assert assemble([], duration_ms=1_000, model="m", language="en").language is None


segments = st.builds(
    said,
    st.integers(0, 70_000),
    st.integers(0, 70_000),
    st.lists(st.sampled_from(["Open", "it.", "and,", "save", "now!", "\u4fdd\u5b58\u3002"]), max_size=60).map(" ".join),
)


@given(st.lists(st.lists(segments, max_size=6), max_size=4))
def test_whatever_is_found_the_transcript_is_ordered_and_within_the_recording(
    pieces: list[list[SpokenSegment]],
) -> None:
    transcript = assemble(pieces, duration_ms=60_000, model="m")
    reached = 0
    for segment in transcript.segments:
        assert reached <= segment.start_ms <= segment.end_ms <= 60_000
        assert segment.text == segment.text.strip() != ""
        reached = segment.end_ms
