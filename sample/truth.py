"""What is true of the sample recording: what is said when, and what is seen when. For tests and benchmarks."""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from PIL import Image

FOLDER = Path(__file__).resolve().parent
RECORDING, NARRATION = "recording.mp4", "narration.json"

GRID = (16, 9)
"""A fingerprint is the mean colour of each of 16 by 9 cells, row by row, 3 bytes a cell."""


@dataclass(frozen=True)
class Sentence:
    role: Literal["intro", "step", "note"]
    text: str
    start_ms: int
    end_ms: int
    screen: str
    """The screen that is seen when the sentence has ended."""


@dataclass(frozen=True)
class Screen:
    """A stretch in which one screen is seen and nothing on it moves but the pointer."""

    name: str
    start_ms: int
    end_ms: int
    fingerprint: bytes


@dataclass(frozen=True)
class Truth:
    title: str
    language: str
    duration_ms: int
    sentences: tuple[Sentence, ...]
    screens: tuple[Screen, ...]

    @property
    def steps(self) -> tuple[Sentence, ...]:
        return tuple(sentence for sentence in self.sentences if sentence.role == "step")

    @property
    def text(self) -> str:
        """Everything that is said."""
        return " ".join(sentence.text for sentence in self.sentences)

    def screen_at(self, moment_ms: int) -> str | None:
        """The name of the screen that is seen, ``None`` while it changes."""
        for screen in self.screens:
            if screen.start_ms <= moment_ms < screen.end_ms:
                return screen.name
        return None

    def screen_in(self, picture: Image.Image) -> str:
        """The name of the screen that a screenshot, of any size, comes nearest to."""
        seen = fingerprint(picture)
        return min(self.screens, key=lambda screen: distance(screen.fingerprint, seen)).name


@lru_cache(maxsize=1)
def truth() -> Truth:
    """The ground truth as ``sample/make_recording.py`` wrote it."""
    told = json.loads((FOLDER / NARRATION).read_text(encoding="utf-8"))
    return Truth(
        title=told["title"],
        language=told["language"],
        duration_ms=told["duration_ms"],
        sentences=tuple(Sentence(**sentence) for sentence in told["sentences"]),
        screens=tuple(
            Screen(screen["name"], screen["start_ms"], screen["end_ms"], bytes.fromhex(screen["fingerprint"]))
            for screen in told["screens"]
        ),
    )


def recording() -> Path:
    """The sample recording."""
    return FOLDER / RECORDING


def fingerprint(picture: Image.Image) -> bytes:
    """The mean colours of the grid's cells."""
    return picture.convert("RGB").resize(GRID, Image.Resampling.BOX).tobytes()


def distance(one: bytes, other: bytes) -> float:
    """The mean difference of two fingerprints, 0 to 255."""
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / len(one)
