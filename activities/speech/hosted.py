"""The recogniser behind an OpenAI-compatible endpoint: ``POST {base_url}/audio/transcriptions``."""

import io
from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
from av.audio.frame import AudioFrame

from activities.providers.http import ProviderClient
from activities.providers.learned import Learned
from activities.speech.language import code_of_name, language_code
from activities.speech.recognition import OnProgress, OnSegment, Recognition, SpokenSegment
from activities.speech.sound import SAMPLE_RATE_HZ, SAMPLES_PER_MS, Samples
from activities.speech.understanding import Answer, is_invented
from activities.speech.voice import Speech, parts_of
from activities.speech.windows import Window, windows
from domain.errors import ProviderAnswerInvalid, ProviderRequestRefused, ProviderRequestTooLarge

CAP_BYTES = 25_000_000
"""What OpenAI takes in one request ("25 MB")."""

WINDOW_MS = 300_000
"""Longest stretch of one request: what is lost when it fails, and the longest wait for a sign of progress."""

_BYTES_PER_MS = 2 * SAMPLES_PER_MS
"""Of 16-bit samples; FLAC of noise is no smaller."""

_HEADER_BYTES = 10_000

_FORMATS = ("verbose_json", "json")
"""Newer models refuse the first, which alone has times. They are asked by stretch of speech, whose times are known."""

_PIECE_MS = 10_000
"""Longest stretch that is asked about at once where answers have no times: words are spread over it by their length,
which is right within 2 s."""

_PIECE_PAUSE_MS = 1_000
"""A pause that ends such a stretch. Between shorter ones lies little silence to spread words over."""


class OpenAiRecogniser:
    """A hosted speech model. Stretches without speech are not sent; safe to use from several threads.

    Args:
        http: The provider; its base URL ends before ``/audio/transcriptions``.
        model: Its name at the provider.
        cap_bytes: Largest file that the provider takes.
    """

    def __init__(self, http: ProviderClient, model: str, *, cap_bytes: int = CAP_BYTES) -> None:
        self._http = http
        self._model = model
        self._window_ms = max(1_000, min(WINDOW_MS, (cap_bytes - _HEADER_BYTES) // _BYTES_PER_MS))
        self._refused_formats = Learned()
        self._timeless = Learned()
        """1 where its answers have no times."""

    @property
    def name(self) -> str:
        return self._model

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
        """See :class:`activities.speech.recognition.Recogniser`. The language that the provider finds in the first
        stretch of speech is the one that it is told for the rest."""
        given = language_code(language)
        known = given
        spoken = False
        for window in windows(audio, start_ms, end_ms, on_progress, window_ms=self._window_ms):
            for found, segments in self._transcribed(window, known, on_progress):
                known = known or found
                for segment in segments:
                    spoken = True
                    on_segment(segment)
        return Recognition(
            language=known if spoken else None,
            language_probability=1.0 if spoken and given else None,
        )

    def _transcribed(
        self, window: Window, language: str | None, on_progress: OnProgress
    ) -> Iterator[tuple[str | None, list[SpokenSegment]]]:
        """The window's language and segments; in parts when the provider takes less at once than we were told."""
        if not window.speech:
            return
        pieces = _pieces(window)
        if self._timeless.value and len(pieces) > 1:
            yield from self._by_piece(pieces, language, on_progress)
            return
        try:
            answer = self._ask(window, language, on_progress, is_piece=len(pieces) == 1)
        except _NoTimes:
            yield from self._by_piece(pieces, language, on_progress)
            return
        except ProviderRequestTooLarge:
            if len(window.speech) < 2:
                raise
            for half in _halves(window):
                yield from self._transcribed(half, language, on_progress)
            return
        yield _language(answer), list(_segments(answer, window))

    def _by_piece(
        self, pieces: list[Window], language: str | None, on_progress: OnProgress
    ) -> Iterator[tuple[str | None, list[SpokenSegment]]]:
        for piece in pieces:
            answer = self._ask(piece, language, on_progress, is_piece=True)
            found = _language(answer)
            language = language or found
            yield found, list(_segments(answer, piece))

    def _ask(
        self, window: Window, language: str | None, on_progress: OnProgress, *, is_piece: bool
    ) -> dict[str, object]:
        """
        Raises:
            _NoTimes: The model gives no times, and the window is no piece that needs none.
        """
        first, last = window.speech[0].start, window.speech[-1].end
        file = ("speech.flac", _flac(window.samples[first:last]), "audio/flac")
        form: dict[str, str | list[str]] = {"model": self._model, "temperature": "0"}
        if language is not None:
            form["language"] = language
        place = self._refused_formats.value
        while True:
            form["response_format"] = _FORMATS[place]
            try:
                answer = self._http.post(
                    "/audio/transcriptions",
                    data=form,
                    files={"file": file},
                    stop=lambda: on_progress(window.start_ms),
                )
            except ProviderRequestRefused as refused:
                if place + 1 >= len(_FORMATS) or refused.details.get("status") not in (400, 422):
                    raise
                place += 1
                if _FORMATS[place] == "json" and not is_piece:
                    self._refused_formats.learn(place)
                    self._timeless.learn(1)
                    raise _NoTimes from None
                continue
            self._refused_formats.learn(place)
            said = _object(self._http.provider, answer.json())
            if not said.get("segments") and not is_piece:
                self._timeless.learn(1)
                if str(said.get("text") or "").strip():
                    raise _NoTimes
            return said


class _NoTimes(Exception):
    """Never leaves this module."""


def _pieces(window: Window) -> list[Window]:
    """The window's speech in stretches that are asked about at once where answers have no times."""
    short = [part for speech in window.speech for part in parts_of(window.samples, speech)]
    groups: list[list[Speech]] = []
    for speech in short:
        last = groups[-1] if groups else None
        if (
            last
            and speech.start - last[-1].end < _PIECE_PAUSE_MS * SAMPLES_PER_MS
            and speech.end - last[0].start <= _PIECE_MS * SAMPLES_PER_MS
        ):
            last.append(speech)
        else:
            groups.append([speech])
    return [Window(window.start_ms, window.samples, tuple(group)) for group in groups]


def _object(provider: str, answer: object) -> dict[str, object]:
    if not isinstance(answer, dict) or not (isinstance(answer.get("text"), str) or answer.get("segments")):
        raise ProviderAnswerInvalid(f"{provider} sent an answer without text.", details={"provider": provider})
    return answer


def _halves(window: Window) -> tuple[Window, Window]:
    """Cut in the pause nearest to the middle of the speech."""
    speech = window.speech
    middle = (speech[0].start + speech[-1].end) // 2
    place = min(range(1, len(speech)), key=lambda at: abs(speech[at].start - middle))
    cut = (speech[place - 1].end + speech[place].start) // 2
    cut -= cut % SAMPLES_PER_MS
    moved = tuple(Speech(max(0, one.start - cut), one.end - cut) for one in speech[place:])
    return (
        Window(window.start_ms, window.samples[:cut], speech[:place]),
        Window(window.start_ms + cut // SAMPLES_PER_MS, window.samples[cut:], moved),
    )


def _language(answer: dict[str, object]) -> str | None:
    said = answer.get("language")
    return code_of_name(said) if isinstance(said, str) else None


def _segments(answer: dict[str, object], window: Window) -> Iterator[SpokenSegment]:
    """The answer's segments, with times of the recording; without those that nobody can have spoken."""
    first_ms = window.start_ms + window.speech[0].start // SAMPLES_PER_MS
    last_ms = window.start_ms + window.speech[-1].end // SAMPLES_PER_MS
    listed = answer.get("segments")
    found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    if not found:
        text = str(answer.get("text") or "").strip()
        if text:
            yield SpokenSegment(start_ms=first_ms, end_ms=last_ms, text=text)
        return
    reached_ms = first_ms
    for segment in sorted(found, key=lambda one: _number(one.get("start"), 0.0)):
        text = str(segment.get("text") or "").strip()
        start_ms = first_ms + round(_number(segment.get("start"), 0.0) * 1000)
        end_ms = min(last_ms, first_ms + round(_number(segment.get("end"), 0.0) * 1000))
        start_ms = min(max(start_ms, reached_ms), last_ms)
        if not text or _is_doubtful(segment, text) or not _was_voiced(window, start_ms, end_ms):
            continue
        reached_ms = max(start_ms, end_ms)
        yield SpokenSegment(start_ms=start_ms, end_ms=reached_ms, text=text)


def _is_doubtful(segment: dict[str, object], text: str) -> bool:
    answer = Answer(
        text=text,
        temperature=_number(segment.get("temperature"), 0.0),
        logprob=_number(segment.get("avg_logprob"), 0.0),
        no_speech=_number(segment.get("no_speech_prob"), 0.0),
        repetition=_number(segment.get("compression_ratio"), 1.0),
    )
    return is_invented(answer)


def _was_voiced(window: Window, start_ms: int, end_ms: int) -> bool:
    start = (start_ms - window.start_ms) * SAMPLES_PER_MS
    end = max(start + 1, (end_ms - window.start_ms) * SAMPLES_PER_MS)
    return any(speech.start < end and start < speech.end for speech in window.speech)


def _number(value: object, otherwise: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return otherwise
    try:
        number = float(value)
    except ValueError:
        return otherwise
    return number if np.isfinite(number) else otherwise


def _flac(samples: Samples) -> bytes:
    """16-bit FLAC: half the size of WAV, and nothing is lost."""
    out = io.BytesIO()
    with av.open(out, "w", format="flac") as container:
        stream = container.add_stream("flac", rate=SAMPLE_RATE_HZ, layout="mono")
        whole = np.clip(samples * 32767.0, -32768, 32767).astype(np.int16)
        for at in range(0, whole.size, SAMPLE_RATE_HZ):
            frame = AudioFrame.from_ndarray(whole[None, at : at + SAMPLE_RATE_HZ], format="s16", layout="mono")
            frame.sample_rate = SAMPLE_RATE_HZ
            frame.pts = at
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return out.getvalue()
