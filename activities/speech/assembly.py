"""Makes one transcript of the parts of a recording."""

from collections.abc import Iterable, Iterator, Sequence

from activities.speech.recognition import SpokenSegment, SpokenWord
from activities.speech.sentences import SentenceBuilder, words_of
from domain.recordings.media import SILENCE_DBFS
from domain.recordings.transcript import Segment, SpeechFound, Transcript, Word

BORDER_MS = 1_000
"""Pieces and resumed work may hear the last word before their border again; words repeated this near to it are one."""


def assemble(
    pieces: Iterable[Sequence[SpokenSegment]],
    *,
    duration_ms: int,
    model: str,
    language: str | None = None,
    language_probability: float | None = None,
    likely_language: str | None = None,
    peak_dbfs: float | None = None,
    has_audio: bool = True,
    listened: bool = True,
    unclear: Iterable[tuple[int, int]] = (),
) -> Transcript:
    """The transcript of a recording from what was found in its pieces, which are in order of time.

    Segments are cut at sentence ends, numbered from 0, and neither overlap nor leave the recording.

    Args:
        duration_ms: Of the recording.
        model: The recogniser's name.
        likely_language: Of speech of which nothing was understood.
        peak_dbfs: The loudest sample of the track; tells silence from sound without speech.
        has_audio: ``False``: the recording has no audio track.
        listened: ``False``: nobody was asked to.
        unclear: Where somebody spoke who was not understood, ms.
    """
    segments = tuple(_numbered(_in_order(_sentences(pieces)), duration_ms))
    found = _verdict(bool(segments), peak_dbfs, has_audio) if listened else SpeechFound.UNHEARD
    spoken = found is SpeechFound.SPEECH
    return Transcript(
        speech=found,
        language=language if spoken else likely_language if found is SpeechFound.NO_SPEECH else None,
        language_probability=language_probability if spoken else None,
        duration_ms=duration_ms,
        model=model,
        segments=segments,
        unclear=tuple((start_ms, min(end_ms, duration_ms)) for start_ms, end_ms in unclear if start_ms < duration_ms),
    )


def _verdict(any_words: bool, peak_dbfs: float | None, has_audio: bool) -> SpeechFound:
    if any_words:
        return SpeechFound.SPEECH
    if not has_audio:
        return SpeechFound.NO_AUDIO_TRACK
    if peak_dbfs is not None and peak_dbfs < SILENCE_DBFS:
        return SpeechFound.SILENT
    return SpeechFound.NO_SPEECH


def _sentences(pieces: Iterable[Sequence[SpokenSegment]]) -> Iterator[SpokenSegment]:
    """Segments longer than a sentence, cut; others as they are. Invented word times do not outlive the cutting."""
    for piece in pieces:
        for segment in piece:
            builder = SentenceBuilder()
            for part in (*builder.push(words_of(segment)), *builder.flush()):
                yield part if segment.words else part.model_copy(update={"words": ()})


def _in_order(segments: Iterable[SpokenSegment]) -> Iterator[SpokenSegment]:
    """Without what was heard twice at a border."""
    last: SpokenSegment | None = None
    for segment in segments:
        if last is not None and _heard_twice(last, segment):
            continue
        yield segment
        last = segment


def _heard_twice(last: SpokenSegment, segment: SpokenSegment) -> bool:
    """The same words at the same time, or a segment that lies within its predecessor."""
    if segment.start_ms >= last.end_ms:
        return False
    if segment.end_ms <= last.end_ms:
        return True
    return _plain(segment.text) == _plain(last.text) and abs(segment.start_ms - last.start_ms) <= BORDER_MS


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _numbered(segments: Iterable[SpokenSegment], duration_ms: int) -> Iterator[Segment]:
    reached_ms = 0
    number = 0
    for segment in segments:
        start_ms = max(segment.start_ms, reached_ms)
        end_ms = min(segment.end_ms, duration_ms)
        if start_ms >= duration_ms or not segment.text.strip():
            continue
        reached_ms = max(start_ms, end_ms)
        yield Segment(
            id=number,
            start_ms=start_ms,
            end_ms=reached_ms,
            text=segment.text.strip(),
            words=tuple(_clamped(word, start_ms, reached_ms) for word in segment.words),
        )
        number += 1


def _clamped(word: SpokenWord, first_ms: int, last_ms: int) -> Word:
    start_ms = min(max(word.start_ms, first_ms), last_ms)
    return Word(start_ms=start_ms, end_ms=min(max(word.end_ms, start_ms), last_ms), text=word.text)
