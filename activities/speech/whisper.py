"""The local recogniser: Whisper on faster-whisper, fed with nothing but speech."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from faster_whisper import WhisperModel
from faster_whisper.tokenizer import _LANGUAGE_CODES
from faster_whisper.transcribe import Segment as FoundSegment
from faster_whisper.transcribe import restore_speech_timestamps

from activities.speech.blocks import pack
from activities.speech.lanes import in_order
from activities.speech.language import EnglishCheck, language_code, refuse_language
from activities.speech.language_detection import (
    LEAST_SAMPLES,
    UNKNOWN,
    DetectedLanguage,
    detect_language,
    detect_languages,
    joined,
    runs,
)
from activities.speech.options import WhisperOptions, weights_name
from activities.speech.recognition import OnProgress, OnSegment, Recognition, SpokenSegment, SpokenWord
from activities.speech.sentences import SentenceBuilder, ends_sentence
from activities.speech.sound import SAMPLE_RATE_HZ, SAMPLES_PER_MS, Samples
from activities.speech.understanding import (
    SPOKEN_REPETITION,
    Answer,
    is_confident,
    is_english,
    is_invented,
    is_noise,
    without_loops,
)
from activities.speech.voice import Speech, only_speech, parts_of
from activities.speech.weights import load_weights
from activities.speech.windows import Window, windows

TEMPERATURES = (0.0, 0.2, 0.4)
"""Tried in turn while an answer repeats itself or is a guess. Whisper's own ladder goes on to 1.0, where it makes up
fluent sentences about anything; English hardly ever needs the second rung."""

MAX_TOKENS = 220
"""Of an answer about 30 s: fast speech takes 150. Bounds the time that a repeating answer costs. With Whisper's longest
context (223) and what it is told besides (5) it fills the 448 places that the model has."""

CONTEXT_CHARACTERS = 400
"""Of the last answer, that the model is told: about the last 30 s."""

SAME_TALK_S = 3.0
"""After a longer silence the model is told nothing."""

LONGEST_WORD_S = 2.5
"""In speech without its pauses a word begins every 1.7 s at least (measured on 20 synthesised and 5 human talks). Where
none does, the model skipped a sentence, because it was told one like it: the gaps then were 6 s and more."""

SPARSE_MS = 2_000
"""A window of minutes with less speech than this is probably one without any."""

REST_MS = 3_000
"""Longest rest of a sentence that Whisper leaves for a block of its own."""

_BLOCK_MS = 30_000
_DETECTED_MS = 3 * _BLOCK_MS
_FRAMES_PER_S = 100
"""Whisper's spectra; faster-whisper counts positions in them."""


@dataclass(frozen=True)
class _Portion:
    """What is asked about at once: stretches of speech in a window, and their samples one after another."""

    stretches: tuple[Speech, ...]
    samples: Samples
    start_ms: int

    @classmethod
    def of(cls, window: Window, stretches: tuple[Speech, ...]) -> "_Portion":
        start_ms = window.start_ms + stretches[0].start // SAMPLES_PER_MS
        return cls(stretches, only_speech(window.samples, stretches), start_ms)

    @property
    def end(self) -> int:
        """Its end as faster-whisper counts."""
        return self.samples.size * _FRAMES_PER_S // SAMPLE_RATE_HZ


@dataclass(frozen=True)
class _Block:
    """One answer of the model and the segments it consists of, with times of the window."""

    segments: tuple[FoundSegment, ...]
    span_ms: int
    answer: Answer
    gap_s: float
    """Longest stretch of its speech in which no word begins."""
    language: str
    language_probability: float

    @property
    def is_complete(self) -> bool:
        return is_confident(self.answer) and self.gap_s <= LONGEST_WORD_S


class WhisperRecogniser:
    """Whisper weights on this machine. Loads them when they are first needed; threads share them.

    Args:
        options: Which weights, and how to run them.
    """

    def __init__(self, options: WhisperOptions | None = None) -> None:
        self._options = options or WhisperOptions()
        self._name = weights_name(self._options.model)

    takes_hints = True

    @property
    def name(self) -> str:
        return self._name

    def load(self) -> None:
        """Load the weights now, so that the first recording does not wait for them.

        Raises:
            SpeechModelUnavailable: They are not here, or cannot be loaded.
        """
        load_weights(self._options)

    def recognise(
        self,
        audio: Path,
        *,
        language: str | None,
        start_ms: int,
        end_ms: int | None,
        on_segment: OnSegment,
        on_progress: OnProgress,
        hints: Sequence[str] = (),
    ) -> Recognition:
        """See :class:`activities.speech.recognition.Recogniser`. ``hints``: words that may be said, in their spelling.

        With English-only weights and no language given, the first segments are held back until enough was heard to
        know that it is English.
        """
        model = load_weights(self._options)
        listener = _Listener(model, self._options.beam_size, _supported(model, language), hints)
        hearing = _Hearing(listener, start_ms, on_segment, on_progress)
        heard = in_order(
            listener.settled(windows(audio, start_ms, end_ms, lambda _: hearing.wait())),
            listener.blocks,
            lanes=self._options.lanes,
            while_waiting=hearing.wait,
        )
        with closing(heard):
            for window, blocks in heard:
                hearing.hear(window, blocks)
        return hearing.end()


def _supported(model: WhisperModel, language: str | None) -> str | None:
    code = language_code(language)
    if code is None:
        return None
    if not model.model.is_multilingual:
        if code != "en":
            raise refuse_language(code, "English only")
    elif code not in _LANGUAGE_CODES:
        raise refuse_language(code, f"{len(_LANGUAGE_CODES)} languages by their ISO 639-1 codes, not this one")
    return code


class _Listener:
    """Asks the model about windows. Threads share it, once the language is settled.

    Args:
        language: The code of the language that is spoken, ``None``: detect it on the first speech.
        hints: Words that may be said.
    """

    def __init__(self, model: WhisperModel, beam_size: int, language: str | None, hints: Sequence[str] = ()) -> None:
        self._hints = f"{', '.join(hints)}." if hints else None
        self._model = model
        self._beam_size = beam_size
        self.language = language
        self.probability: float | None = None if language is None else 1.0
        self._listens_for_others = language is None and not self.knows_only_english

    @property
    def knows_only_english(self) -> bool:
        return not self._model.model.is_multilingual

    def settled(self, windows: Iterable[Window]) -> Iterator[Window]:
        """The windows, each with the language settled that it is to be asked about in."""
        for window in windows:
            if self.language is None and window.speech:
                self._settle_language(window)
            yield window

    def _settle_language(self, window: Window) -> None:
        """Detect the language, unless there is no choice."""
        if self.knows_only_english:
            self.language = "en"
            return
        speech = only_speech(window.samples, window.speech)[: _DETECTED_MS * SAMPLES_PER_MS]
        self.language, self.probability, _ = self._model.detect_language(
            speech, language_detection_segments=_DETECTED_MS // _BLOCK_MS
        )

    def blocks(self, window: Window) -> Iterator[_Block]:
        """The model's answers about the window, as it gives them."""
        before: _Block | None = None
        for portion, detected in self._portions(window):
            context = _context(before, portion) if before is not None and before.language == detected.language else None
            for block in self._answers(window, portion, detected, context):
                yield block
                before = block

    def _portions(self, window: Window) -> Iterator[tuple[_Portion, DetectedLanguage]]:
        """What is asked about at once, each in one language as far as can be told before it is heard."""
        sizes = [speech.size / SAMPLE_RATE_HZ for speech in window.speech]
        portions = [_Portion.of(window, window.speech[place]) for place in pack(sizes)]
        if not self._listens_for_others:
            yield from ((portion, DetectedLanguage(self.language or "en", 1.0)) for portion in portions)
            return
        heard = [detect_language(self._model, portion.samples) for portion in portions]
        settled = [self._settled_language(portion, detected) for portion, detected in zip(portions, heard, strict=True)]
        for place, (portion, detected) in enumerate(zip(portions, settled, strict=True)):
            around = {each.language for each in settled[max(0, place - 1) : place + 2]}
            if len(around) > 1 or not detected.is_plain:
                yield from self._parted(window, portion, detected)
            else:
                yield portion, detected

    def _settled_language(self, portion: _Portion, detected: DetectedLanguage) -> DetectedLanguage:
        """The recording's own language, unless the model is sure of another one."""
        if detected.language == self.language or detected.sure(portion.samples.size):
            return detected
        return DetectedLanguage(self.language or "en", 1 - detected.probability)

    def _parted(
        self, window: Window, portion: _Portion, detected: DetectedLanguage
    ) -> Iterator[tuple[_Portion, DetectedLanguage]]:
        """The portion, cut where its language changes."""
        fine = [part for speech in portion.stretches for part in parts_of(window.samples, speech)]
        heard = [window.samples[speech.start : speech.end] for speech in fine]
        for language, place in runs(detect_languages(self._model, heard, detected.language)):
            yield _Portion.of(window, joined(fine[place])), DetectedLanguage(language, detected.probability)

    def _answers(
        self, window: Window, portion: _Portion, detected: DetectedLanguage, context: str | None, *, whole: bool = True
    ) -> Iterator[_Block]:
        if portion.samples.size > _BLOCK_MS * SAMPLES_PER_MS:
            yield from self._walk(portion, detected)
            return
        context = " ".join(each for each in (self._hints, context) if each) or None  # what is too much, is cut in front
        block = self._listen(portion, detected, context)
        if context is not None and (block is None or not block.is_complete):
            block = self._listen(portion, detected, None)
        if (
            whole
            and self._listens_for_others
            and not (block and block.is_complete)
            and portion.samples.size > LEAST_SAMPLES
        ):
            parts = list(self._parted(window, portion, detected))
            if len(parts) > 1:
                for part, spoken in parts:
                    yield from self._answers(window, part, spoken, None, whole=False)
                return
        if block is not None:
            yield block

    def _listen(self, portion: _Portion, detected: DetectedLanguage, context: str | None) -> _Block | None:
        """One answer about the whole portion. Without time tokens, with which Whisper skips sentences in blocks that
        are not full: the words' times come from the aligner."""
        found = self._ask(portion.samples, detected, initial_prompt=context, without_timestamps=True)
        segment = next(iter(found), None)  # what it would hear next is the silence behind the last word
        return _answered([segment], portion.end, portion, detected) if segment is not None else None

    def _walk(self, portion: _Portion, detected: DetectedLanguage) -> Iterator[_Block]:
        """Answers about a stretch longer than Whisper hears at once: it goes on where its last sentence ended.

        It is told no words before: nobody can ask again without them here. The sample without its pauses, twice over
        (47 s), told "Maple, Harbor Coffee." at each turn, came out with 87 of its 176 words, without with 167.
        """
        answer: list[FoundSegment] = []
        for segment in self._ask(portion.samples, detected):
            if answer and segment.seek != answer[0].seek:
                yield _answered(answer, segment.seek, portion, detected)
                answer = []
            answer.append(segment)
        if answer:
            yield _answered(answer, portion.end, portion, detected)

    def _ask(
        self,
        samples: Samples,
        detected: DetectedLanguage,
        *,
        initial_prompt: str | None = None,
        without_timestamps: bool = False,
    ) -> Iterable[FoundSegment]:
        found, _ = self._model.transcribe(
            samples,
            language=detected.language,
            beam_size=self._beam_size,
            temperature=list(TEMPERATURES),
            compression_ratio_threshold=SPOKEN_REPETITION,
            max_new_tokens=MAX_TOKENS,
            condition_on_previous_text=False,
            initial_prompt=initial_prompt,
            without_timestamps=without_timestamps,
            word_timestamps=True,
        )
        segments: Iterable[FoundSegment] = found
        return segments


class _Hearing:
    """One call of ``recognise``."""

    def __init__(
        self,
        listener: _Listener,
        start_ms: int,
        on_segment: OnSegment,
        on_progress: OnProgress,
    ) -> None:
        self._listener = listener
        self._check = EnglishCheck() if listener.language is None and listener.knows_only_english else None
        self._on_segment = on_segment
        self._on_progress = on_progress
        self._heard_ms = start_ms
        self._held: list[SpokenSegment] = []
        self._spoken = False
        self._unclear: list[tuple[int, int]] = []

    def hear(self, window: Window, blocks: Iterable[_Block]) -> None:
        voiced_ms = sum(speech.size for speech in window.speech) // SAMPLES_PER_MS
        builder = SentenceBuilder()
        heard_ms = 0
        unfinished = False
        for block in blocks:
            if not is_noise(block.answer):
                self._count(block.span_ms, understood=is_english(block.answer))
            heard_ms += block.span_ms
            continues = unfinished and block.span_ms < REST_MS
            unfinished = is_confident(block.answer) and not ends_sentence(block.answer.text)
            words = [word for segment in block.segments for word in _words(segment, window.start_ms)]
            said = without_loops(words)
            if (
                is_invented(block.answer, sparse=voiced_ms < SPARSE_MS, continues=continues)
                or (block.language_probability < UNKNOWN and not is_confident(block.answer))
                or not said
            ):
                self._mark_unclear(words)
                continue
            if len(said) < len(words):
                self._mark_unclear(words[len(said) :])
            self._give(builder.push(said))
            self._heard_ms = window.start_ms + round(block.segments[-1].end * 1000)
            self.wait()
        self._give(builder.flush())
        silent_ms = max(0, voiced_ms - heard_ms)
        if silent_ms:
            self._count(silent_ms, understood=False)

    def _mark_unclear(self, words: Sequence[SpokenWord]) -> None:
        if words:
            self._unclear.append((words[0].start_ms, max(words[0].start_ms, words[-1].end_ms)))

    def wait(self) -> None:
        """Say how far it is, and stop here if nobody wants the rest."""
        self._on_progress(self._heard_ms)

    def end(self) -> Recognition:
        if self._check is not None:
            self._check.end()
        self._give(())
        likely = not self._spoken and bool(self._unclear) and (self._listener.probability or 0.0) >= UNKNOWN
        return Recognition(
            language=self._listener.language if self._spoken else None,
            language_probability=self._listener.probability if self._spoken else None,
            likely_language=self._listener.language if likely else None,
            unclear=tuple(self._unclear),
        )

    def _count(self, span_ms: int, *, understood: bool) -> None:
        if self._check is not None:
            self._check.heard(span_ms, understood=understood)

    def _give(self, segments: Iterable[SpokenSegment]) -> None:
        self._held.extend(segments)
        if self._check is not None and not self._check.settled:
            return
        held, self._held = self._held, []
        for segment in held:
            self._spoken = True
            self._on_segment(segment)


def _context(before: _Block | None, portion: _Portion) -> str | None:
    """What the model is told of the talk so far: it then keeps to its names and spellings. Nothing after a doubtful
    answer or a long silence.

    What it was told misleads it at times: it repeats it where nobody speaks, without conviction, or skips what sounds
    like it. An answer that is not complete is therefore asked for again without.
    """
    if before is None or not is_confident(before.answer):
        return None
    silence_s = portion.stretches[0].start / SAMPLE_RATE_HZ - before.segments[-1].end
    return before.answer.text[-CONTEXT_CHARACTERS:] if silence_s < SAME_TALK_S else None


def _answered(segments: list[FoundSegment], next_seek: int, portion: _Portion, detected: DetectedLanguage) -> _Block:
    first = segments[0]
    answer = Answer(
        text=" ".join(segment.text.strip() for segment in segments),
        temperature=first.temperature or 0.0,
        logprob=first.avg_logprob,
        no_speech=first.no_speech_prob,
        repetition=first.compression_ratio,
    )
    span_ms = min(_BLOCK_MS, (next_seek - first.seek) * 1000 // _FRAMES_PER_S)
    chunks = [{"start": speech.start, "end": speech.end} for speech in portion.stretches]
    gap_s = _longest_gap_s(segments, next_seek)
    restored = tuple(restore_speech_timestamps(segments, chunks, SAMPLE_RATE_HZ))
    return _Block(restored, span_ms, answer, gap_s, detected.language, detected.probability)


def _longest_gap_s(segments: list[FoundSegment], next_seek: int) -> float:
    """Before its times are those of the window."""
    starts = [word.start for segment in segments for word in segment.words or ()]
    edges = [segments[0].seek / _FRAMES_PER_S, *starts, next_seek / _FRAMES_PER_S]
    return max(float(after - before) for before, after in itertools.pairwise(edges))


def _words(segment: FoundSegment, offset_ms: int) -> list[SpokenWord]:
    """The segment's words; the segment itself where the aligner gave none."""
    if not segment.words:
        start_ms, end_ms = _span(segment.start, segment.end, offset_ms)
        return [SpokenWord(start_ms=start_ms, end_ms=end_ms, text=segment.text)]
    words = []
    for word in segment.words:
        start_ms, end_ms = _span(word.start, word.end, offset_ms)
        words.append(SpokenWord(start_ms=start_ms, end_ms=end_ms, text=word.word))
    return words


def _span(start_s: float, end_s: float, offset_ms: int) -> tuple[int, int]:
    start_ms = offset_ms + max(0, round(float(np.float64(start_s)) * 1000))
    return start_ms, max(start_ms, offset_ms + round(float(end_s) * 1000))
