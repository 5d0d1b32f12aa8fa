"""A voice on this machine, which needs no key: eSpeak NG from a package (the extra ``tts``), or a program that speaks.

It is what such voices are: understandable, and plainly a machine's. It speaks in a process of its own, which is killed
when nobody wants it any more or it takes too long.
"""

import contextlib
import shutil
import tempfile
import wave
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from os import close
from pathlib import Path

from activities.confined.outside import Bounds, Died, Overran, answer, made_file, places
from activities.generating.voices import PROGRAMS, VOICE, Program
from activities.process.checksums import check_file, check_tree
from activities.providers.cancellation import Stop
from domain.errors import Cancelled, RequestInvalid, SpeakingFailed, VoiceUnavailable

SPEAKER = Path(__file__).with_name("speaker.py")

TEXT_LIMIT = 20_000
"""Characters of one text: some twenty minutes."""

LARGEST_SOUND = 256 << 20
BOUNDS = Bounds(wall_s=120.0, cpu_s=120, memory_bytes=2 << 30, file_bytes=LARGEST_SOUND, folder_bytes=2 * LARGEST_SOUND)

DEFAULT_VOICE = "en"
"""Of the package."""

SHORTEST_MS = 50
"""What is shorter is no word."""

_DISTRIBUTION = "espeakng-loader"
_LIBRARIES = ("libespeak-ng.so", "libespeak-ng.dylib", "espeak-ng.dll")


@dataclass(frozen=True)
class SynthesizedSpeech:
    """What was made: a WAV file of ``duration_ms``, by ``engine``, in ``voice`` (``None``: the engine's own)."""

    engine: str
    voice: str | None
    duration_ms: int


class _Library:
    """eSpeak NG, loaded by ``speaker.py``."""

    name = "espeak-ng"
    encoding = "utf-8"

    def __init__(self, library: Path) -> None:
        self._library = library

    def order(self, out: Path, voice: str | None) -> Mapping[str, object]:
        return {"library": str(self._library), "voice": voice or DEFAULT_VOICE}


class _Program:
    """A program of the system, found at ``path``."""

    def __init__(self, program: Program, path: str) -> None:
        self.name, self.encoding = program.command, program.encoding
        self._program, self._path = program, path

    def order(self, out: Path, voice: str | None) -> Mapping[str, object]:
        return {"program": [self._path, *self._program.arguments(str(out), voice)]}


class EmbeddedSpeech:
    """Speaks. Safe to use from several threads.

    Args:
        scratch: The folder for a text while it is spoken; ``None``: the system's.
        path: Where programs are looked for, as in ``PATH``; ``None``: there.
        packaged: Whether the package's voice is used where there is one.
        bounds: What speaking one text may take.
    """

    name = "embedded-voice"

    def __init__(
        self,
        scratch: Path | None = None,
        *,
        path: str | None = None,
        packaged: bool = True,
        bounds: Bounds = BOUNDS,
    ) -> None:
        self._scratch = scratch
        self._engine = (_packaged() if packaged else None) or _of_system(path)
        self._bounds = bounds

    def available(self) -> bool:
        """Whether there is a voice on this machine."""
        return self._engine is not None

    def speak(self, text: str, *, voice: str | None, to: Path, stop: Stop | None = None) -> SynthesizedSpeech:
        """Speak ``text`` into the WAV file ``to``.

        Args:
            voice: As the engine calls it (eSpeak NG: ``en-us``, ``de``, ``fr+f2``); ``None``: its own.
            stop: Asked several times a second.

        Raises:
            RequestInvalid: The text is empty or too long, or the voice's name is none.
            VoiceUnavailable: There is no such voice, or none at all.
            SpeakingFailed: There was no sound, or it took too long.
            Cancelled: ``stop`` said so. What it raises goes through.
        """
        engine = self._engine
        if engine is None:
            raise VoiceUnavailable(
                "No voice is on this machine. Install guidesmith[tts] or espeak-ng, or set GUIDESMITH_TTS_BASE_URL."
            )
        plain = _checked(text, voice)
        with tempfile.TemporaryDirectory(prefix="guidesmith-", dir=self._scratch) as named:
            folder = Path(named)
            out, source = folder / "spoken.wav", folder / "text"
            source.write_bytes(plain.encode(engine.encoding, "replace"))
            with _translated(voice):
                report = answer(
                    SPEAKER,
                    {**engine.order(out, voice), "text": str(source), "out": str(out)},
                    self._bounds,
                    environment={**places(), "LC_ALL": "C.UTF-8"},
                    cwd=folder,
                    on_poll=lambda: _check(stop),
                )
            if report.get("failed") == "voice":
                raise _no_such_voice()
            if "failed" in report:
                raise _broke_off()
            with _translated(voice):
                close(made_file(folder, out.name, LARGEST_SOUND))
            duration_ms = _duration_ms(out)
            if duration_ms < SHORTEST_MS:
                if voice is not None and not isinstance(engine, _Library):  # Festival says nothing of an unknown voice
                    raise _no_such_voice()
                raise SpeakingFailed("There is nothing in the text that this voice can say. Write it in words.")
            shutil.move(out, to)
        return SynthesizedSpeech(engine.name, voice, duration_ms)


def _packaged() -> _Library | None:
    """The library that came as a package."""
    spec = find_spec("espeakng_loader")
    if spec is None or spec.origin is None:
        return None
    files = (Path(spec.origin).with_name(name) for name in _LIBRARIES)
    found = next((file for file in files if file.is_file()), None)
    if found is None:
        return None
    check_tree(_DISTRIBUTION, found.with_name("espeak-ng-data"))
    return _Library(check_file(_DISTRIBUTION, found))


def _of_system(path: str | None) -> _Program | None:
    """The first program that is here."""
    found = ((program, shutil.which(program.command, path=path)) for program in PROGRAMS)
    return next((_Program(program, where) for program, where in found if where is not None), None)


def _checked(text: str, voice: str | None) -> str:
    """The text without what is not said: control characters above all, of which some end a text or command a voice."""
    if voice is not None and not VOICE.fullmatch(voice):
        raise RequestInvalid("A voice's name has letters, digits, and -, _ or +, a letter first; at most 40.")
    plain = "".join(each if each.isprintable() else " " for each in text).strip()
    if not plain:
        raise RequestInvalid("There is no text to be spoken.")
    if len(plain) > TEXT_LIMIT:
        raise RequestInvalid(f"A text of at most {TEXT_LIMIT} characters is spoken at once. Shorten it.")
    return plain


@contextlib.contextmanager
def _translated(voice: str | None) -> Iterator[None]:
    try:
        yield
    except Overran:
        raise SpeakingFailed("It took too long to speak the text. Shorten it.") from None
    except Died:
        if voice is not None:
            raise _no_such_voice() from None
        raise _broke_off() from None


def _no_such_voice() -> VoiceUnavailable:
    return VoiceUnavailable("This machine has no voice of that name. Name another, or none.")


def _broke_off() -> SpeakingFailed:
    return SpeakingFailed("The voice on this machine broke off. Try again, with a shorter text.")


def _check(stop: Stop | None) -> None:
    if stop is not None and stop():
        raise Cancelled("The speaking was given up.")


def _duration_ms(file: Path) -> int:
    """Of a WAV file; 0: it is none, or holds nothing."""
    try:
        with wave.open(str(file), "rb") as sound:
            return round(1000 * sound.getnframes() / sound.getframerate())
    except (OSError, EOFError, wave.Error, ZeroDivisionError):
        return 0
