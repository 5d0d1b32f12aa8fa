"""Corrections of a transcript by a person: what was said, where the recogniser misheard it.

The transcript itself is never replaced. A correction belongs to a segment by its number and to the words that it
corrects, by their hash: a transcript that is made anew keeps the corrections of what it hears the same way again, and
leaves the others alone.
"""

import hashlib
from collections.abc import Iterable
from datetime import datetime

from domain.artifacts import Sha256
from domain.canonical import digest
from domain.jobs import Frozen
from domain.recordings.transcript import Segment, Transcript, Word

LONGEST_TEXT = 5_000
"""Characters of a corrected segment. Half a minute of fast speech has 800."""


class Correction(Frozen):
    """``segment`` counts from 0; ``original_sha256`` is the :func:`text_sha256` of the text that is corrected."""

    segment: int
    original_sha256: Sha256
    text: str
    author: str
    corrected_at: datetime


def text_sha256(text: str) -> Sha256:
    """What a correction knows a segment's text by."""
    return hashlib.sha256(text.encode()).hexdigest()


def applicable(transcript: Transcript, corrections: Iterable[Correction]) -> dict[int, Correction]:
    """Those that are of this transcript, by segment."""
    said = transcript.segments
    return {
        each.segment: each
        for each in corrections
        if each.segment < len(said) and text_sha256(said[each.segment].text) == each.original_sha256
    }


def corrected(transcript: Transcript, corrections: Iterable[Correction]) -> Transcript:
    """The transcript as its reader says that it should read. Ids and times stay as they are."""
    known = applicable(transcript, corrections)
    if not known:
        return transcript
    segments = tuple(
        _corrected(each, known[each.id].text) if each.id in known else each for each in transcript.segments
    )
    return transcript.model_copy(update={"segments": segments})


def corrections_hash(corrections: Iterable[Correction]) -> Sha256 | None:
    """The same for the same words at the same segments; ``None`` where nothing is corrected."""
    said = sorted((each.segment, each.original_sha256, each.text) for each in corrections)
    return digest(*(list(each) for each in said)) if said else None


def _corrected(segment: Segment, text: str) -> Segment:
    return segment.model_copy(update={"text": text, "words": _timed(segment.words, text)})


def _timed(words: tuple[Word, ...], text: str) -> tuple[Word, ...]:
    """The times that were heard, for as many words; where a word more or less was said, nobody knows them."""
    heard, now = [each for each in words if each.text.strip()], text.split()
    if len(heard) != len(now):
        return ()
    return tuple(
        each.model_copy(update={"text": f"{' ' if place else ''}{word}"})
        for place, (each, word) in enumerate(zip(heard, now, strict=True))
    )
