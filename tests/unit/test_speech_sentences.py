"""Words become segments of about a sentence."""

import itertools

from activities.speech.recognition import SpokenSegment, SpokenWord
from activities.speech.sentences import LONGEST_CHARACTERS, LONGEST_MS, SentenceBuilder, words_of


def words(*timed: tuple[int, int, str]) -> list[SpokenWord]:
    return [SpokenWord(start_ms=start, end_ms=end, text=text) for start, end, text in timed]


def built(timed: list[SpokenWord]) -> list[tuple[int, int, str]]:
    builder = SentenceBuilder()
    found = [*builder.push(timed), *builder.flush()]
    return [(segment.start_ms, segment.end_ms, segment.text) for segment in found]


def test_given_two_sentences_then_two_segments() -> None:
    heard = words((0, 200, " Open"), (200, 500, " it."), (700, 900, " Then"), (900, 1200, " save!"))
    assert built(heard) == [(0, 500, "Open it."), (700, 1200, "Then save!")]


def test_given_an_abbreviation_then_the_sentence_goes_on() -> None:
    heard = words((0, 200, " Ask"), (200, 400, " Dr."), (400, 600, " Brown."))
    assert built(heard) == [(0, 600, "Ask Dr. Brown.")]


def test_given_a_long_silence_then_the_sentence_ends() -> None:
    heard = words((0, 200, " And"), (200, 400, " then"), (3_000, 3_200, " save"))
    assert built(heard) == [(0, 400, "And then"), (3_000, 3_200, "save")]


def test_given_a_pause_behind_a_comma_then_the_sentence_ends() -> None:
    heard = words((0, 200, " Open"), (200, 400, " it,"), (700, 900, " now,"), (2_000, 2_200, " save"))
    assert built(heard) == [(0, 900, "Open it, now,"), (2_000, 2_200, "save")]


def test_given_an_endless_sentence_then_it_is_cut_at_a_comma_of_its_second_half() -> None:
    texts = [" one", " two,", " three", " four", " five", " six,", " seven", " eight"] * 10
    heard = [SpokenWord(start_ms=at * 500, end_ms=at * 500 + 400, text=text) for at, text in enumerate(texts)]
    segments = built(heard)
    assert len(segments) > 1
    assert all(text.endswith(",") for _, _, text in segments[:-1])
    assert all(end - start <= LONGEST_MS and len(text) <= LONGEST_CHARACTERS for start, end, text in segments)
    assert " ".join(text for _, _, text in segments) == "".join(texts).strip()


def test_given_no_word_times_then_they_are_shared_out_by_length() -> None:
    shared = words_of(SpokenSegment(start_ms=1_000, end_ms=3_000, text="Open it. Save it now."))
    assert "".join(word.text for word in shared) == "Open it. Save it now."
    assert shared[0].start_ms == 1_000
    assert shared[-1].end_ms == 3_000
    assert all(word.end_ms == following.start_ms for word, following in itertools.pairwise(shared))


def test_given_text_without_spaces_then_it_is_cut_at_its_own_full_stops() -> None:
    text = "\u6253\u5f00\u9762\u677f\u3002\u70b9\u51fb\u4fdd\u5b58\u3002"
    builder = SentenceBuilder()
    segments = list(builder.push(words_of(SpokenSegment(start_ms=0, end_ms=4_000, text=text))))
    assert [segment.text for segment in segments] == [text[:5], text[5:]]
    assert [segment.start_ms for segment in segments] == [0, 2_000]
