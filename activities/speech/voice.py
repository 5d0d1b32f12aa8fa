"""Where somebody speaks: Silero's voice activity detection, which faster-whisper brings along."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from activities.process.telemetry import report_nothing
from activities.speech.sound import NO_SAMPLES, SAMPLES_PER_MS, Samples

report_nothing()  # faster-whisper loads ONNX Runtime at the first detection

PAD_MS = 300
"""Kept around speech, so that soft first and last sounds are not cut off."""

SHORTEST_SPEECH_MS = 250
"""Shorter bursts are clicks and plucked strings. Measured on 63 pieces of game music (95 minutes): without it 9 have
"speech", with it one, for 0.3 s."""

SHORTEST_SILENCE_MS = 500
"""Speakers breathe for 300 to 600 ms; longer pauses are cut out before recognition, shorter ones are left in."""

GRAIN_MS = 200
"""About a syllable: what is quieter than its neighbours for so long is a place to cut."""

LONGEST_PART_MS = 9_000
"""Where speech has no pause, but is to be judged or heard in parts: about two sentences."""


@dataclass(frozen=True)
class Speech:
    """A padded stretch of speech, in samples of the audio it was found in."""

    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


def find_speech(samples: Samples) -> tuple[Speech, ...]:
    """The stretches of ``samples`` in which somebody speaks, in order, not overlapping."""
    # Imported here: whoever decodes sound, and hears none, does without.
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    if not samples.size:
        return ()
    options = VadOptions(
        threshold=0.5,
        min_speech_duration_ms=SHORTEST_SPEECH_MS,
        min_silence_duration_ms=SHORTEST_SILENCE_MS,
        speech_pad_ms=PAD_MS,
    )
    return tuple(Speech(found["start"], found["end"]) for found in get_speech_timestamps(samples, options))


def find_pauses(samples: Samples) -> tuple[Speech, ...]:
    """What :func:`find_speech` leaves out."""
    pauses = []
    at = 0
    for speech in find_speech(samples):
        if speech.start > at:
            pauses.append(Speech(at, speech.start))
        at = speech.end
    if samples.size > at:
        pauses.append(Speech(at, samples.size))
    return tuple(pauses)


def quietest(samples: Samples) -> int:
    """Sample in the middle of the quietest ``GRAIN_MS``: where to cut speech that has no pause."""
    grain = GRAIN_MS * SAMPLES_PER_MS
    whole = samples.size // grain
    if whole == 0:
        return samples.size // 2
    energy = np.square(samples[: whole * grain].reshape(whole, grain)).sum(axis=1)
    return int(energy.argmin()) * grain + grain // 2


def parts_of(samples: Samples, speech: Speech) -> Iterator[Speech]:
    """A stretch in parts of at most ``LONGEST_PART_MS``, cut where it is quietest."""
    if speech.size <= LONGEST_PART_MS * SAMPLES_PER_MS:
        yield speech
        return
    third = speech.size // 3
    cut = speech.start + third + quietest(samples[speech.start + third : speech.end - third])
    yield from parts_of(samples, Speech(speech.start, cut))
    yield from parts_of(samples, Speech(cut, speech.end))


def only_speech(samples: Samples, found: tuple[Speech, ...]) -> Samples:
    """The stretches of speech one after another."""
    return np.concatenate([samples[speech.start : speech.end] for speech in found]) if found else NO_SAMPLES
