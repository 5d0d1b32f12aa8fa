"""Tells words that were heard from words that were made up, and other languages from English.

Whisper always answers with something. English-only weights have no language token; given another language they
repeat themselves, guess with little confidence, or spell the foreign words in an English fashion. All three can be
seen in the answer.

Measured with Whisper tiny.en on studio recordings of people (English, Spanish, French, Italian, Russian: 35 clips of
45 s) and on synthesised voices (English 25, 13 other languages 26): first answers (temperature 0) of full 30 s blocks

==========================  =====================  ===========  ==================
what is spoken              average log-prob.      repetition   English words
==========================  =====================  ===========  ==================
English                     -0.11 to -0.30         1.5 to 1.8   33 to 49 %
English, noise at 10 dB     -0.21 to -0.58         1.6 to 1.7   36 to 49 %
others, repeating           (any)                  above 2.4    (any)
others, guessing            below -0.60            1.4 to 2.0   0 to 49 %
Spanish, spelled in English -0.47 to -0.78         1.4 to 1.9   0 to 10 %
==========================  =====================  ===========  ==================

What it cannot do: tell a language from English that is louder noise than voice (below about 5 dB), and name the
language.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

CONFIDENT_LOGPROB = -0.6
"""Average log-probability of an English answer's tokens; see the table."""

REPETITION = 2.4
"""Compressed size ratio above which an answer repeats itself (the threshold of Whisper's authors)."""

SPOKEN_REPETITION = 3.0
"""The same for an answer that the model is sure of: people do say the same thing twice, and that comes to 2.6."""

ENGLISH_REPETITION = 2.0
"""Worst of English that the model is not sure of, with a margin (see the table)."""

SURE_LOGPROB = -0.3
"""Worst average log-probability of clear English (see the table); loops below ``SPOKEN_REPETITION`` are at -0.34 at
best."""

INVENTED_LOGPROB = -1.0
"""An answer below this is a guess whatever was spoken (the threshold of Whisper's authors)."""

REST_LOGPROB = -1.5
"""The same for the rest of a sentence, which the model hears without its beginning: a second or two, two or three
words, which are right all the same."""

NO_SPEECH = 0.6
"""Probability of "nobody speaks" that Whisper's authors take for a yes."""

ENGLISH_SHARE = 0.15
"""Share of the commonest English words in running English (a third to a half; see the table)."""

JUDGED_WORDS = 10
"""Fewer words say nothing about their language."""

_COMMONEST = frozenset(
    re.findall(
        r"\S+",
        """
        a about after all an and any are as at be been but by can click do down first for from get go have here how i if
        in into is it it's i'm just like me more my new next no not now of on one or our out please press see so that
        the their them then there they this to up us want was we we're what when which will with you you'll your
        """,
    )
)


_LONGEST_LOOP = 6
_ROUNDS, _ROUNDS_OF_A_WORD = 4, 6
_KEPT = 4
"""Times of what would be kept: where more is left, that was no answer."""


class HasText(Protocol):
    @property
    def text(self) -> str: ...


HeardText = TypeVar("HeardText", bound=HasText)


@dataclass(frozen=True)
class Answer:
    """What the model said about one block of speech."""

    text: str
    temperature: float
    logprob: float
    no_speech: float
    repetition: float


def is_invented(answer: Answer, *, sparse: bool = False, continues: bool = False) -> bool:
    """Whether an answer's words must be left out.

    Args:
        continues: The answer is the short rest of a sentence that was well understood.
        sparse: Next to nothing in the whole window sounded like speech, so that it takes more to believe in words.
    """
    least = REST_LOGPROB if continues else INVENTED_LOGPROB
    if repeats_itself(answer) or answer.logprob < least:
        return True
    if sparse and (answer.logprob < CONFIDENT_LOGPROB or answer.no_speech > NO_SPEECH):
        return True
    return is_noise(answer)


def without_loops(words: Sequence[HeardText]) -> list[HeardText]:
    """The words up to where the same few are said over and over again, with one round of them; nothing where that is
    most of it. Nobody says a phrase four times on end, or a word six times, and a model in trouble does."""
    plain = ["".join(each for each in word.text.casefold() if each.isalnum()) for word in words]
    for start in range(len(plain)):
        for length in range(1, _LONGEST_LOOP + 1):
            rounds = 1
            while plain[start : start + length] == plain[start + rounds * length : start + (rounds + 1) * length]:
                rounds += 1
            if rounds >= (_ROUNDS_OF_A_WORD if length == 1 else _ROUNDS) and any(plain[start : start + length]):
                kept = list(words[: start + length])
                return kept if _KEPT * len(kept) > len(words) else []
    return list(words)


def is_noise(answer: Answer) -> bool:
    """Whether what was taken for speech is none: a few words, said without conviction ("You", "Thank you.")."""
    few = len(answer.text.split()) < JUDGED_WORDS
    return few and answer.logprob < CONFIDENT_LOGPROB and answer.no_speech > NO_SPEECH


def is_confident(answer: Answer) -> bool:
    """Whether the model answered at once, without repeating itself, and believes it."""
    return not answer.temperature and not repeats_itself(answer) and answer.logprob >= CONFIDENT_LOGPROB


def repeats_itself(answer: Answer) -> bool:
    """Whether the model ran in circles."""
    sure = answer.logprob >= SURE_LOGPROB
    return answer.repetition > (SPOKEN_REPETITION if sure else REPETITION)


def is_english(answer: Answer) -> bool:
    """Whether English-only weights heard English."""
    if not is_confident(answer):
        return False
    if answer.repetition > ENGLISH_REPETITION and answer.logprob < SURE_LOGPROB:
        return False
    words = re.findall(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?", answer.text.lower())
    return len(words) < JUDGED_WORDS or english_share(words) >= ENGLISH_SHARE


def english_share(words: Sequence[str]) -> float:
    """Share of ``words`` that are among the commonest of English, 0 to 1."""
    return sum(word.replace("\u2019", "'") in _COMMONEST for word in words) / len(words) if words else 0.0
