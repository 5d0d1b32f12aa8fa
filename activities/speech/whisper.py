"""The local recogniser: Whisper on faster-whisper, fed with nothing but speech."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from faster_whisper import WhisperModel
from faster_whisper.tokenizer import _LANGUAGE_CODES
from faster_whisper.transcribe import Segment as FoundSegment
from faster_whisper.transcribe import restore_speech_timestamps

from activities.speech.blocks import pack
from activities.speech.language import EnglishCheck, language_code, refuse_language
from activities.speech.recognition import OnProgress, OnSegment, Recognition, SpokenSegment, SpokenWord
from activities.speech.sentences import SentenceBuilder, ends_sentence
from activities.speech.sound import SAMPLE_RATE_HZ, SAMPLES_PER_MS, Samples
from activities.speech.understanding import SPOKEN_REPETITION, Answer, is_confident, is_english, is_invented, is_noise
from activities.speech.voice import only_speech
from activities.speech.weights import WhisperOptions, load_weights, weights_name
from activities.speech.windows import Window, windows

TEMPERATURES = (0.0, 0.2, 0.4)
"""Tried in turn while an answer repeats itself or is a guess. Whisper's own ladder goes on to 1.0, where it makes up
fluent sentences about anything; English hardly ever needs the second rung."""

MAX_TOKENS = 224
"""Of an answer about 30 s, as Whisper's authors have it: fast speech takes 150. Bounds the time that a repeating answer
costs."""

SPARSE_MS = 2_000
"""A window of minutes with less speech than this is probably one without any."""

REST_MS = 3_000
"""Longest rest of a sentence that Whisper leaves for a block of its own."""

_BLOCK_MS = 30_000
_FRAMES_PER_S = 100
"""Whisper's spectra; faster-whisper counts positions in them."""


@dataclass(frozen=True)
class _Block:
    """One answer of the model and the segments it consists of, with times of the window."""

    segments: tuple[FoundSegment, ...]
    span_ms: int
    answer: Answer


class WhisperRecogniser:
    """Whisper weights on this machine. Loads them when they are first needed; threads share them.

    Args:
        options: Which weights, and how to run them.
    """

    def __init__(self, options: WhisperOptions | None = None) -> None:
        self._options = options or WhisperOptions()
        self._name = weights_name(self._options.model)

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
    ) -> Recognition:
        """See :class:`activities.speech.recognition.Recogniser`.

        With English-only weights and no language given, the first segments are held back until enough was heard to
        know that it is English.
        """
        model = load_weights(self._options)
        hearing = _Hearing(model, self._options.beam_size, _supported(model, language), on_segment, on_progress)
        for window in windows(audio, start_ms, end_ms, on_progress):
            hearing.hear(window)
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


class _Hearing:
    """One call of ``recognise``."""

    def __init__(
        self,
        model: WhisperModel,
        beam_size: int,
        language: str | None,
        on_segment: OnSegment,
        on_progress: OnProgress,
    ) -> None:
        self._model = model
        self._beam_size = beam_size
        self._language = language
        self._probability: float | None = None if language is None else 1.0
        self._check = EnglishCheck() if language is None and not model.model.is_multilingual else None
        self._on_segment = on_segment
        self._on_progress = on_progress
        self._held: list[SpokenSegment] = []
        self._spoken = False
        self._voiced_ms = 0
        self._unclear_ms = 0

    def hear(self, window: Window) -> None:
        if not window.speech:
            return
        speech = only_speech(window.samples, window.speech)
        voiced_ms = speech.size // SAMPLES_PER_MS
        self._voiced_ms += voiced_ms
        builder = SentenceBuilder()
        heard_ms = 0
        unfinished = False
        for block in self._blocks(window, speech):
            if not is_noise(block.answer):
                self._count(block.span_ms, understood=is_english(block.answer))
            heard_ms += block.span_ms
            continues = unfinished and block.span_ms < REST_MS
            unfinished = is_confident(block.answer) and not ends_sentence(block.answer.text)
            if is_invented(block.answer, sparse=voiced_ms < SPARSE_MS, continues=continues):
                self._unclear_ms += block.span_ms
                continue
            for segment in block.segments:
                self._give(builder.push(_words(segment, window.start_ms)))
            self._on_progress(window.start_ms + round(block.segments[-1].end * 1000))
        self._give(builder.flush())
        silent_ms = max(0, voiced_ms - heard_ms)
        self._unclear_ms += silent_ms
        if silent_ms:
            self._count(silent_ms, understood=False)

    def end(self) -> Recognition:
        if self._check is not None:
            self._check.end()
        self._give(())
        return Recognition(
            language=self._language if self._spoken else None,
            language_probability=self._probability if self._spoken else None,
            voiced_ms=self._voiced_ms,
            unclear_ms=self._unclear_ms,
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

    def _blocks(self, window: Window, speech: Samples) -> Iterator[_Block]:
        """The model's answers about the window, as it gives them."""
        found, info = self._model.transcribe(
            speech,
            language=self._language,
            beam_size=self._beam_size,
            temperature=list(TEMPERATURES),
            compression_ratio_threshold=SPOKEN_REPETITION,
            max_new_tokens=MAX_TOKENS,
            condition_on_previous_text=False,
            word_timestamps=True,
            clip_timestamps=pack([one.size / SAMPLE_RATE_HZ for one in window.speech]),
            language_detection_segments=3,
        )
        if self._language is None:
            self._language, self._probability = info.language, info.language_probability
            if self._check is not None:
                self._probability = None  # it has no choice but to say English
        block: list[FoundSegment] = []
        for segment in found:
            self._on_progress(window.start_ms)
            if block and segment.seek != block[0].seek:
                yield _answered(block, segment.seek, window)
                block = []
            block.append(segment)
        if block:
            yield _answered(block, speech.size * _FRAMES_PER_S // SAMPLE_RATE_HZ, window)


def _answered(segments: list[FoundSegment], next_seek: int, window: Window) -> _Block:
    first = segments[0]
    answer = Answer(
        text=" ".join(segment.text.strip() for segment in segments),
        temperature=first.temperature or 0.0,
        logprob=first.avg_logprob,
        no_speech=first.no_speech_prob,
        repetition=first.compression_ratio,
    )
    span_ms = min(_BLOCK_MS, (next_seek - first.seek) * 1000 // _FRAMES_PER_S)
    chunks = [{"start": speech.start, "end": speech.end} for speech in window.speech]
    return _Block(tuple(restore_speech_timestamps(segments, chunks, SAMPLE_RATE_HZ)), span_ms, answer)


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
