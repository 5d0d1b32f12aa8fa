"""Has the scenes of a film read out, each remembered until the film is made: a voice may have to be paid for."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from activities.filming.scenes import Scene
from activities.media.isolated import sound_ms
from domain.recordings.captions import SENTENCE_ENDS

MOST_AT_ONCE = 1_500
"""Characters that are spoken at once: far below what any voice takes, and soon enough done to be stopped."""
_SENTENCE = re.compile(rf"(?<=[{re.escape(''.join(sorted(SENTENCE_ENDS)))}])\s+")

Stop = Callable[[], None]


class Narrator(Protocol):
    """Who speaks."""

    @property
    def name(self) -> str:
        """Of the voice, to tell it from others."""

    def speak(self, text: str, language: str, request_id: str, stop: Stop) -> bytes:
        """A sound file in a usual format. Raises: VoiceUnavailable, SpeakingFailed, ContentRejected, ProviderError."""


class Kept(Protocol):
    """What was made before, and is remembered until the film is."""

    def load(self, what: str) -> bytes | None: ...
    def save(self, what: str, data: bytes) -> None: ...


@dataclass(frozen=True, slots=True)
class Voiced:
    """The files of one scene, and how long they are together, ms."""

    files: tuple[Path, ...]
    length_ms: int


def narrate(
    scenes: Sequence[Scene], narrator: Narrator, language: str, folder: Path, kept: Kept, stop: Stop
) -> list[Voiced | None]:
    """Each scene's words, in files in ``folder``; ``None``: it has none."""
    made: list[Voiced | None] = []
    for place, scene in enumerate(scenes):
        files: list[Path] = []
        for number, text in enumerate(parts(scene.script)):
            stop()
            file = folder / f"voice-{place:04}-{number:02}"
            file.write_bytes(_spoken(text, narrator, language, kept, stop))
            files.append(file)
        made.append(Voiced(tuple(files), sum(sound_ms(each) for each in files)) if files else None)
    return made


def _spoken(text: str, narrator: Narrator, language: str, kept: Kept, stop: Stop) -> bytes:
    what = hashlib.sha256("\n".join(("voice", narrator.name, language, text)).encode()).hexdigest()
    known = kept.load(what)
    if known is not None:
        return known
    data = narrator.speak(text, language, what, stop)
    kept.save(what, data)
    return data


def parts(text: str) -> list[str]:
    """The text in parts of whole sentences, where that can be."""
    made: list[str] = []
    for sentence in _SENTENCE.split(text.strip()):
        for piece in (sentence[at : at + MOST_AT_ONCE] for at in range(0, len(sentence), MOST_AT_ONCE)):
            if made and len(made[-1]) + len(piece) < MOST_AT_ONCE:
                made[-1] += f" {piece}"
            else:
                made.append(piece)
    return [each for each in made if any(letter.isalnum() for letter in each)]
