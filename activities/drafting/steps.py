"""From sentences to entries: English instructions clause by clause, anything else stretch by stretch."""

import re
from collections.abc import Iterable, Iterator, Sequence

from activities.drafting.language import utterances
from activities.drafting.language.sentences import Sentence
from activities.drafting.markdown import one_line
from activities.drafting.outline import Entry
from domain.documents.draft import BlockRole

_LEAD_SENTENCES = 3
_LEAD_CHARACTERS = 400
_STEP_SENTENCES = 4
_NOTE_SENTENCES = 6

_STRETCH_PAUSE_MS = 2_000
_STRETCH_CHARACTERS = 500
_STRETCH_HEADING = 70

_COMMON_ENGLISH = frozenset(
    (
        "the",
        "to",
        "and",
        "a",
        "of",
        "is",
        "you",
        "in",
        "it",
        "that",
        "this",
        "we",
        "on",
        "i",
        "for",
        "so",
        "then",
        "now",
    )
)
_ENGLISH_SHARE = 0.15
"""Share of common words above which a transcript without a language counts as English (English has about 0.3)."""


def is_english(language: str | None, words: Iterable[str]) -> bool:
    """Whether the transcript is English; by its words where its language is not known."""
    if language:
        return language.lower() == "english" or re.split(r"[-_]", language.lower())[0] == "en"
    known = [word.strip(".,!?").lower() for word in words]
    return sum(word in _COMMON_ENGLISH for word in known) >= _ENGLISH_SHARE * max(1, len(known))


def instructions(sentences: Sequence[Sentence]) -> list[Entry]:
    """Lead, steps and notes in the order in which they were spoken."""
    steps: list[Entry] = []
    opening: list[Sentence] = []
    for sentence in sentences:
        if utterances.is_courtesy(sentence.text):
            continue
        for clause in clauses_of(sentence):
            stated = None if utterances.is_note(clause.text) else utterances.action(clause.text)
            if stated is not None:
                steps.append(Entry.of(BlockRole.STEP, clause, stated.heading))
                steps[-1].texts += [] if stated.whole else [utterances.cleaned(clause.text)]
            elif steps:
                _explain(steps, clause)
            else:
                opening.append(clause)
    return [*_opening(opening), *steps]


def clauses_of(sentence: Sentence) -> Iterator[Sentence]:
    """The sentence's clauses (see :func:`.utterances.clauses`), each with what it touches."""
    end = 0
    for clause in utterances.clauses(sentence.text):
        start = sentence.text.index(clause, end)
        end = start + len(clause)
        yield sentence.part(start, end)


def _explain(entries: list[Entry], clause: Sentence) -> None:
    """Add what is no step to the block before it, or begin a note."""
    last = entries[-1]
    limit = _STEP_SENTENCES if last.role is BlockRole.STEP else _NOTE_SENTENCES
    begins_note = utterances.is_note(clause.text) and last.role is BlockRole.STEP
    if begins_note or len(last.texts) >= limit:
        last = Entry.of(BlockRole.NOTE, clause)
        entries.append(last)
    last.add(utterances.cleaned(clause.text), clause)


def _opening(sentences: Sequence[Sentence]) -> list[Entry]:
    """The lead, and notes of what does not fit into it."""
    made: list[Entry] = []
    for clause in sentences:
        text = utterances.cleaned(clause.text)
        if not made or not _has_room(made[-1], text):
            made.append(Entry.of(BlockRole.NOTE if made else BlockRole.LEAD, clause))
        made[-1].add(text, clause)
    return made


def _has_room(entry: Entry, text: str) -> bool:
    if entry.role is BlockRole.NOTE:
        return len(entry.texts) < _NOTE_SENTENCES
    return len(entry.texts) < _LEAD_SENTENCES and sum(map(len, entry.texts)) + len(text) <= _LEAD_CHARACTERS


# --- any language ----------------------------------------------------------------------------------------------


def stretches(sentences: Sequence[Sentence], *, english: bool) -> list[Entry]:
    """One step a stretch of speech: up to a pause, and never more than a few sentences."""
    made: list[Entry] = []
    ended_ms = length = 0
    for sentence in sentences:
        cleaned = utterances.cleaned(sentence.text) if english else ""
        text = cleaned or utterances.capitalised(one_line(sentence.text))
        paused = sentence.start_ms - ended_ms >= _STRETCH_PAUSE_MS
        if not made or paused or len(made[-1].texts) >= _STEP_SENTENCES or length + len(text) > _STRETCH_CHARACTERS:
            heading = utterances.shortened(text.rstrip(" .,;:!\u3002\uff01"), _STRETCH_HEADING) or text
            entry = Entry.of(BlockRole.STEP, sentence, heading)
            entry.texts += [text] if heading.endswith("\u2026") else []
            made.append(entry)
            length = 0
        else:
            made[-1].add(text, sentence)
        length += len(text)
        ended_ms = max(ended_ms, sentence.end_ms)
    return made
