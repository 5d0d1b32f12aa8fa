"""The process that speaks a text into a file, and then ends. Run as a script.

The voice is either the eSpeak NG library of a package, and then the process is confined: it sees that library and its
own folder, and nothing else; or a program of the system, which it becomes, with limits alone.
"""

import ctypes
import os
import sys
import wave
from pathlib import Path
from typing import Any

from activities.confined import inside

# <espeak-ng/speak_lib.h>
_AUDIO_OUTPUT_SYNCHRONOUS = 2
_DONT_EXIT = 0x8000
_BY_CHARACTER = 1
_UTF8 = 1
_OK = 0

_HEARD_MS = 200
"""How much sound the library gives at once."""

_HEARD = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
"""``t_espeak_callback``: samples, how many, events."""


def main() -> None:
    order = inside.order()
    if "program" in order:
        _become(order["program"], Path(order["text"]))  # never returns
    library, out = Path(order["library"]), Path(order["out"])
    inside.lock_down(readable=[library.parent], writable=[out.parent])
    inside.report(**_speak(library, Path(order["text"]).read_bytes(), order["voice"], out))


def _become(program: list[str], text: Path) -> None:
    """What the program prints goes nowhere; our pipe stays open, so that its end is noticed."""
    inside.report(spoken=True)
    source, nowhere = os.open(text, os.O_RDONLY), os.open(os.devnull, os.O_WRONLY)
    os.set_inheritable(os.dup(sys.stdout.fileno()), True)
    os.dup2(source, 0)
    os.dup2(nowhere, 1)
    os.execv(program[0], program)  # noqa: S606 - found by us, and its arguments are ours


def _speak(library: Path, text: bytes, voice: str, out: Path) -> dict[str, Any]:
    # by a relative path: what the library keeps of it has a limit
    os.chdir(library.parent)
    espeak = ctypes.CDLL(str(library))
    rate = espeak.espeak_Initialize(_AUDIO_OUTPUT_SYNCHRONOUS, _HEARD_MS, b".", _DONT_EXIT)
    if rate <= 0:
        return {"failed": "library"}
    if espeak.espeak_SetVoiceByName(voice.encode()) != _OK:
        return {"failed": "voice"}
    with wave.open(str(out), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)

        faults = list[OSError]()

        def heard(samples: Any, count: int, _: Any) -> int:
            """Whether to stop. Nothing that is raised here would get through."""
            try:
                if samples and count > 0:
                    file.writeframes(ctypes.string_at(samples, 2 * count))
            except OSError as full:
                faults.append(full)
            return len(faults)

        called = _HEARD(heard)  # kept, for as long as the library may call it
        espeak.espeak_SetSynthCallback(called)
        espeak.espeak_Synth(text, ctypes.c_size_t(len(text) + 1), 0, _BY_CHARACTER, 0, _UTF8, None, None)
        espeak.espeak_Synchronize()
    return {"failed": "file"} if faults else {"spoken": True}


if __name__ == "__main__":
    main()
