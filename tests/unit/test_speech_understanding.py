"""What an answer of Whisper tiny.en shows about what was spoken. The answers are real ones, shortened."""

from dataclasses import dataclass, replace

import pytest

from activities.speech.language import EnglishCheck, code_of_name, language_code
from activities.speech.understanding import Answer, is_english, is_invented, without_loops
from domain.errors import SpeechLanguageUnsupported

ENGLISH = Answer(
    text="Welcome to the invoice assistant. In this recording, I will show you how to create a new invoice.",
    temperature=0.0,
    logprob=-0.19,
    no_speech=0.48,
    repetition=1.63,
)
NOISY_ENGLISH = Answer(
    text="Well, come to be a invoices system. In this recording I will show you how to create an invoice.",
    temperature=0.0,
    logprob=-0.58,
    no_speech=0.47,
    repetition=1.68,
)
SPANISH = Answer(
    text="Marka numero uno para en viar una respoesta. Para reduceir el volumin desu abla asia utros participantes.",
    temperature=0.0,
    logprob=-0.47,
    no_speech=0.6,
    repetition=1.91,
)
GERMAN = Answer(
    text="We'll come in my mission, assistant, in the mouth, now it's time to see them.",
    temperature=0.0,
    logprob=-0.82,
    no_speech=0.57,
    repetition=1.98,
)
DUTCH = Answer(
    text="Milk on megafak to assistant In the problematic, Open it to the top of it And click it to go and open it.",
    temperature=0.0,
    logprob=-0.55,
    no_speech=0.45,
    repetition=2.27,
)
RUSSIAN = Answer(
    text="I'm not sure if it's possible, but I'm not sure if it's possible, but I'm not sure if it's possible.",
    temperature=0.4,
    logprob=-0.26,
    no_speech=0.76,
    repetition=15.24,
)
NOISE = Answer(text="You", temperature=0.2, logprob=-0.93, no_speech=0.94, repetition=0.27)
MUSIC = Answer(text="Thank you.", temperature=0.0, logprob=-0.72, no_speech=0.81, repetition=0.6)


@pytest.mark.parametrize("answer", [ENGLISH, NOISY_ENGLISH])
def test_english_is_english(answer: Answer) -> None:
    assert is_english(answer)
    assert not is_invented(answer)


@pytest.mark.parametrize("answer", [SPANISH, GERMAN, DUTCH, RUSSIAN])
def test_other_languages_are_not(answer: Answer) -> None:
    assert not is_english(answer)


@pytest.mark.parametrize("answer", [NOISE, MUSIC, RUSSIAN])
def test_what_nobody_said_is_left_out(answer: Answer) -> None:
    assert is_invented(answer)


def test_given_next_to_no_speech_then_it_takes_confidence_to_be_believed() -> None:
    doubtful = Answer(text="So that is it.", temperature=0.0, logprob=-0.7, no_speech=0.3, repetition=0.8)
    assert is_invented(doubtful, sparse=True)
    assert not is_invented(doubtful)


def test_the_rest_of_a_sentence_may_be_doubtful() -> None:
    rest = Answer(text="the message appears.", temperature=0.4, logprob=-1.2, no_speech=0.29, repetition=0.71)
    assert is_invented(rest)
    assert not is_invented(rest, continues=True)


def test_what_was_said_twice_is_believed_when_the_model_is_sure() -> None:
    twice = Answer(text="Press save. " * 2, temperature=0.0, logprob=-0.2, no_speech=0.07, repetition=2.6)
    assert not is_invented(twice)
    assert is_invented(replace(twice, logprob=-0.4))
    assert is_invented(replace(twice, repetition=5.0))


def test_given_most_of_the_opening_understood_then_the_rest_decides_at_the_end_only() -> None:
    check = EnglishCheck()
    check.heard(30_000, understood=True)
    check.heard(15_000, understood=False)
    assert check.settled
    check.heard(100_000, understood=False)
    with pytest.raises(SpeechLanguageUnsupported, match="GUIDESMITH_SPEECH_MODEL"):
        check.end()


def test_given_most_of_the_opening_not_understood_then_it_is_refused_at_once() -> None:
    check = EnglishCheck()
    check.heard(25_000, understood=False)
    with pytest.raises(SpeechLanguageUnsupported):
        check.heard(25_000, understood=False)


def test_given_a_few_sounds_then_nothing_is_said_about_their_language() -> None:
    check = EnglishCheck()
    check.heard(3_000, understood=False)
    check.end()


def test_languages_are_known_by_codes_and_names() -> None:
    assert [language_code(said) for said in ("en", "EN-gb", "pt_BR", " ", None)] == ["en", "en", "pt", None, None]
    assert [code_of_name(said) for said in ("english", "German", "de", "klingon")] == ["en", "de", "de", None]


@dataclass(frozen=True)
class Said:
    text: str


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Click the button and then click the link.", None),
        ("No, no, no, no, not that one.", None),
        ("so for tien, on tien tien tien tien tien tien tien", "so for tien, on tien"),
        ("Open it and wait and wait and wait and wait and wait", "Open it and wait"),
        ("la la la la la la la la la la", ""),
        ("Save. Close. Save. Close. Save. Close. Save. Close. Save. Close.", ""),
    ],
)
def test_given_words_said_over_and_over_again_then_one_round_is_kept_or_nothing(said: str, kept: str | None) -> None:
    words = [Said(word) for word in said.split()]
    assert " ".join(word.text for word in without_loops(words)) == (said if kept is None else kept)
