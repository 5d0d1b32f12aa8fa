"""Which language is spoken in which stretch, for weights that know several.

Asked about German as if it were English, Whisper translates, makes up words or runs in circles. Whoever changes the
language does so between sentences, thus in a pause or close to one: what is asked about at once is judged as a whole,
and stretch by stretch where it does not seem to be of one language.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from faster_whisper import WhisperModel
from faster_whisper.audio import pad_or_trim

from activities.speech.sound import SAMPLES_PER_MS, Samples
from activities.speech.voice import Speech

_HEARD_MS = 30_000
SURE = 0.7
"""Probability of a language from which the model is believed that it is another one than that of the recording."""

SURE_OF_LITTLE = 0.9
_LITTLE_MS = 4_000
"""Less speech takes more to be believed: a name in another tongue is no other language."""

UNKNOWN = 0.5
"""Where no language is as probable as that, and the answer is no good either, nothing was understood."""

_PLAIN = 0.85
"""Of less than that, another language may be among it."""

_LEAST_MS = 1_200
"""Stretches shorter than this are of the language of what stands before them."""


LEAST_SAMPLES = 2 * _LEAST_MS * SAMPLES_PER_MS
"""Less is not judged by its parts."""


@dataclass(frozen=True, slots=True)
class DetectedLanguage:
    """A language and its probability, as the model hears it."""

    language: str
    probability: float

    @property
    def is_plain(self) -> bool:
        return self.probability >= _PLAIN

    def sure(self, samples: int) -> bool:
        return self.probability >= (SURE if samples >= _LITTLE_MS * SAMPLES_PER_MS else SURE_OF_LITTLE)


def detect_language(model: WhisperModel, samples: Samples) -> DetectedLanguage:
    """The language of at most 30 s of speech."""
    features = model.feature_extractor(samples[: _HEARD_MS * SAMPLES_PER_MS])
    # As transcribing cuts them, so that what was encoded here is not encoded again.
    encoded = model.encode(pad_or_trim(features[..., : features.shape[-1] - 1]))
    token, probability = model.model.detect_language(encoded)[0][0]
    return DetectedLanguage(token[2:-2], float(probability))


def detect_languages(model: WhisperModel, stretches: Sequence[Samples], main: str) -> list[str]:
    """The language of each stretch; where it cannot be told, that of the one before it, at first ``main``."""
    found: list[str] = []
    for samples in stretches:
        language = found[-1] if found else main
        if samples.size >= _LEAST_MS * SAMPLES_PER_MS:
            detected = detect_language(model, samples)
            if detected.sure(samples.size) or detected.language == main:
                language = detected.language
        found.append(language)
    return found


def joined(parts: Sequence[Speech]) -> tuple[Speech, ...]:
    """What was cut, in one again where nothing lies between."""
    made: list[Speech] = []
    for part in parts:
        if made and made[-1].end == part.start:
            made[-1] = Speech(made[-1].start, part.end)
        else:
            made.append(part)
    return tuple(made)


def runs(languages: Sequence[str]) -> list[tuple[str, slice]]:
    """Neighbours of one language together."""
    made = []
    at = 0
    for language, same in groupby(languages):
        count = sum(1 for _ in same)
        made.append((language, slice(at, at + count)))
        at += count
    return made


class Encodings:
    """What a thread encoded last: asking for the language and then for the words is one encoding, not two."""

    def __init__(self, most: int = 6) -> None:
        self._most = most
        self._kept: list[tuple[np.ndarray, object]] = []

    def get(self, features: np.ndarray) -> object | None:
        for known, encoded in self._kept:
            if known.shape == features.shape and np.array_equal(known, features):
                return encoded
        return None

    def keep(self, features: np.ndarray, encoded: object) -> None:
        self._kept = [*self._kept[1 - self._most :], (features.copy(), encoded)]
