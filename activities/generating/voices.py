"""Programs that speak, and how each is asked.

The text goes in on standard input, never on the command line, where every user of the machine could read it: so
``pico2wave``, which takes it there only, is not among them. Nor is ``flite``, which says nothing of
a voice that it does not know.

Sources: espeak-ng(1), text2wave(1) of Festival, say(1) of macOS.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

VOICE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,39}")
"""A voice's name. No path, no option, no Lisp."""


@dataclass(frozen=True)
class Program:
    """A program that speaks.

    Args:
        command: Its name.
        arguments: For the file that it writes and the voice, ``None``: its own.
        encoding: What it takes the text in.
    """

    command: str
    arguments: Callable[[str, str | None], Sequence[str]]
    encoding: str = "utf-8"


def _espeak(out: str, voice: str | None) -> Sequence[str]:
    return ("--stdin", "-b", "1", "-w", out, "-v", voice or "en")


def _festival(out: str, voice: str | None) -> Sequence[str]:
    return ("-o", out, *(("-eval", f"(voice_{voice})") if voice else ()))


def _say(out: str, voice: str | None) -> Sequence[str]:
    wav = ("-o", out, "--file-format=WAVE", "--data-format=LEI16@22050")
    return (*wav, *(("-v", voice) if voice else ()), "-f", "-")


PROGRAMS = (
    Program("espeak-ng", _espeak),
    Program("espeak", _espeak),
    Program("say", _say),
    Program("text2wave", _festival, "latin-1"),
)
"""The one to use first comes first: those that know more languages."""
