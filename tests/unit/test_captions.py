# ruff: noqa: RUF001 - full-width punctuation is what some of these tests are about
"""Captions: every word once, in order, readable, never two cues at a time."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.recordings.captions import GAP_MS, LINE_COLUMNS, LINES, MAX_MS, MIN_MS, Cue, columns, cues
from domain.recordings.transcript import Segment, SpeechFound, Transcript, Word


def spoken(*segments: tuple[int, int, str], duration_ms: int = 600_000) -> Transcript:
    return Transcript(
        speech=SpeechFound.SPEECH,
        duration_ms=duration_ms,
        model="test",
        segments=tuple(Segment(id=at, start_ms=a, end_ms=b, text=text) for at, (a, b, text) in enumerate(segments)),
    )


def squeeze(text: str) -> str:
    return "".join(text.split())


words = st.text(st.sampled_from("abcdefghij.,!?漢字あé\u200b()「」—"), min_size=1, max_size=60)
sentences = st.lists(words, max_size=40).map(" ".join)


@st.composite
def transcripts(draw: st.DrawFn) -> Transcript:
    now, segments = 0, []
    for _ in range(draw(st.integers(1, 8))):
        now += draw(st.integers(0, 4_000))
        segments.append((now, now + draw(st.integers(0, 20_000)), draw(sentences)))
    return spoken(*segments)


@settings(deadline=None)
@given(transcripts())
def test_given_any_transcript_then_cues_hold_every_word_in_order_within_the_lines_and_never_overlap(
    transcript: Transcript,
) -> None:
    shown = cues(transcript)
    said = squeeze("".join(segment.text for segment in transcript.segments))
    assert squeeze("".join("".join(cue.lines) for cue in shown)) == said
    for cue in shown:
        assert 1 <= len(cue.lines) <= LINES
        assert all(line.strip() == line and columns(line) <= LINE_COLUMNS for line in cue.lines)
    assert all(0 < cue.end_ms - cue.start_ms <= MAX_MS for cue in shown)
    assert all(one.end_ms <= other.start_ms for one, other in pairwise(shown))


def test_given_the_same_transcript_when_cut_twice_then_the_cues_are_equal() -> None:
    transcript = spoken((0, 9_000, "Open the settings, choose Billing, and press Export. " * 3))
    assert cues(transcript) == cues(transcript)


def test_given_a_short_word_and_silence_after_it_then_it_is_held_for_the_minimum() -> None:
    (cue,) = cues(spoken((1_000, 1_200, "Done.")))
    assert (cue.start_ms, cue.end_ms) == (1_000, 1_000 + MIN_MS)


def test_given_a_short_word_that_is_followed_at_once_then_the_next_cue_waits_for_it() -> None:
    first, second = cues(spoken((1_000, 1_100, "OK."), (1_150, 6_000, "Now open the settings.")))
    assert first.end_ms - first.start_ms == MIN_MS
    assert second.start_ms == first.end_ms + GAP_MS


def test_given_fast_speech_and_silence_after_it_then_the_cue_stays_as_long_as_reading_takes() -> None:
    text = "Open the settings and choose Billing now"  # 40 columns: two seconds
    (cue,) = cues(spoken((0, 500, text)))
    assert cue.end_ms == 2_000


def test_given_the_end_of_the_recording_then_no_cue_outlives_it() -> None:
    (cue,) = cues(spoken((9_800, 9_900, "Done."), duration_ms=10_000))
    assert cue.end_ms == 10_000


def test_given_two_sentences_that_fit_one_cue_only_together_too_long_then_the_cut_is_between_them() -> None:
    text = "Open the settings page by clicking the gear in the corner. Then choose the Billing entry in the list there."
    assert [" ".join(cue.lines) for cue in cues(spoken((0, 8_000, text)))] == [
        "Open the settings page by clicking the gear in the corner.",
        "Then choose the Billing entry in the list there.",
    ]


def test_given_a_line_too_long_for_one_then_it_is_broken_evenly_and_after_a_clause() -> None:
    (cue,) = cues(spoken((0, 4_000, "When the page has loaded, press the blue Export button.")))
    assert cue.lines == ("When the page has loaded,", "press the blue Export button.")


def test_given_words_with_times_then_cues_start_when_their_first_word_is_said() -> None:
    said = [("Open", 1_000), (" it.", 1_300), (" Then", 5_000), (" wait.", 5_400)]
    segment = Segment(
        id=0,
        start_ms=900,
        end_ms=6_000,
        text="Open it. Then wait.",
        words=tuple(Word(start_ms=at, end_ms=at + 250, text=text) for text, at in said),
    )
    transcript = Transcript(
        speech=SpeechFound.SPEECH, duration_ms=9_000, model="test", segments=(segment,), language="en"
    )
    shown = cues(transcript)
    assert [(cue.start_ms, cue.lines) for cue in shown] == [(1_000, ("Open it.",)), (5_000, ("Then wait.",))]


def test_given_words_that_say_something_else_then_the_text_wins() -> None:
    words = (Word(start_ms=0, end_ms=100, text="Wrong"),)
    segment = Segment(id=0, start_ms=0, end_ms=2_000, text="Right words", words=words)
    transcript = Transcript(speech=SpeechFound.SPEECH, duration_ms=9_000, model="test", segments=(segment,))
    assert [cue.lines for cue in cues(transcript)] == [("Right words",)]


def test_given_an_address_wider_than_a_line_then_it_is_cut_and_nothing_is_lost() -> None:
    address = "https://example.com/" + "a" * 120
    shown = cues(spoken((0, 10_000, f"Open {address} now")))
    assert squeeze("".join("".join(cue.lines) for cue in shown)) == squeeze(f"Open {address} now")


def test_given_chinese_then_lines_hold_half_as_many_characters_and_never_begin_with_a_stop() -> None:
    text = "首先，打开右上角的设置页面，然后选择“账单”。之后点击导出发票并等待文件下载到您的计算机。"
    lines = [line for cue in cues(spoken((0, 12_000, text))) for line in cue.lines]
    assert len(lines) > 1
    assert all(len(line) <= LINE_COLUMNS // 2 for line in lines)
    assert not any(re.match("[，。”]", line) for line in lines)


@pytest.mark.parametrize("speech", [SpeechFound.SILENT, SpeechFound.NO_SPEECH, SpeechFound.NO_AUDIO_TRACK])
def test_given_no_speech_then_there_are_no_captions(speech: SpeechFound) -> None:
    assert cues(Transcript(speech=speech, duration_ms=1_000, model="test")) == ()


def test_given_a_cue_then_it_cannot_be_changed() -> None:
    cue = Cue(start_ms=0, end_ms=1, lines=("a",))
    with pytest.raises(ValueError, match="frozen"):
        cue.lines = ()  # type: ignore[misc]


def test_given_a_character_without_width_then_the_space_beside_it_still_counts() -> None:
    text = f"\u200b {'a' * 42} {'b' * 42}"
    shown = cues(spoken((0, 6_000, text)))
    assert squeeze("".join("".join(cue.lines) for cue in shown)) == squeeze(text)
    assert all(columns(line) <= LINE_COLUMNS for cue in shown for line in cue.lines)
