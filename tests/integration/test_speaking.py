"""Voices: the one that comes as a package, the programs of a system, and the hosted one over real HTTP."""

import os
import shutil
import stat
import sys
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from activities.confined.outside import Bounds
from activities.generating.hosted_speech import HostedSpeech
from activities.generating.speech import TEXT_LIMIT, EmbeddedSpeech
from activities.generating.speech_makers import EmbeddedSpeaker, HostedSpeaker
from activities.generating.voices import PROGRAMS
from activities.providers import ProviderClient
from domain.errors import (
    Cancelled,
    ContentRejected,
    GuidesmithError,
    ProviderAccessDenied,
    ProviderAnswerInvalid,
    ProviderRateLimited,
    ProviderRequestRefused,
    ProviderRequestTooLarge,
    ProviderTimeout,
    ProviderUnavailable,
    RequestInvalid,
    SpeakingFailed,
    VoiceUnavailable,
)
from domain.orders.generation import SpeechOrder
from starter.sandbox import Behaviour, Cut, RunningSandbox
from tests.children import running

pytest_plugins = ("tests.sandbox",)

TEXT = "Open the dashboard, and press the green button."


def samples(file: Path) -> tuple[int, np.ndarray]:
    with wave.open(str(file), "rb") as sound:
        assert (sound.getnchannels(), sound.getsampwidth()) == (1, 2)
        return sound.getframerate(), np.frombuffer(sound.readframes(sound.getnframes()), np.int16)


def program(folder: Path, name: str, script: str) -> EmbeddedSpeech:
    """A system whose one voice is ``script``, which is given the program's arguments."""
    file = folder / name
    file.write_text(f"#!{sys.executable}\nimport sys, time, wave\n{script}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return EmbeddedSpeech(packaged=False, path=str(folder))


# --- the package -----------------------------------------------------------------------------------------------------


def test_given_a_text_when_spoken_then_there_is_a_wav_file_that_is_not_silent(tmp_path: Path) -> None:
    speech = EmbeddedSpeech(tmp_path)
    assert speech.available()
    spoken = speech.speak(TEXT, voice=None, to=tmp_path / "out.wav")
    rate, sound = samples(tmp_path / "out.wav")
    assert spoken.duration_ms == round(1000 * sound.size / rate)
    assert 1_500 < spoken.duration_ms < 6_000
    assert np.abs(sound.astype(np.int32)).mean() > 500
    assert [each.name for each in tmp_path.iterdir()] == ["out.wav"]


def test_given_the_same_text_when_spoken_again_then_the_bytes_are_the_same(tmp_path: Path) -> None:
    for name in ("a.wav", "b.wav"):
        EmbeddedSpeech().speak(TEXT, voice="en-us", to=tmp_path / name)
    assert (tmp_path / "a.wav").read_bytes() == (tmp_path / "b.wav").read_bytes()


def test_given_other_voices_when_spoken_then_they_sound_otherwise(tmp_path: Path) -> None:
    found = set()
    for voice in (None, "de", "en+f2"):
        EmbeddedSpeech().speak(TEXT, voice=voice, to=tmp_path / "out.wav")
        found.add((tmp_path / "out.wav").read_bytes())
    assert len(found) == 3


def test_given_a_voice_that_is_not_there_when_spoken_then_it_says_so_and_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(VoiceUnavailable):
        EmbeddedSpeech(tmp_path).speak(TEXT, voice="nobody", to=tmp_path / "out.wav")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("voice", ["", "../en", "-x", "en;", "en us", "(quit)", "e" * 41, "é"])
def test_given_what_is_no_voices_name_then_it_is_refused(voice: str, tmp_path: Path) -> None:
    with pytest.raises(RequestInvalid):
        EmbeddedSpeech().speak(TEXT, voice=voice, to=tmp_path / "out.wav")


@pytest.mark.parametrize("text", ["", " \n\t", "\x00\x07", "a" * (TEXT_LIMIT + 1)])
def test_given_no_text_or_too_much_of_it_then_it_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(RequestInvalid):
        EmbeddedSpeech().speak(text, voice=None, to=tmp_path / "out.wav")


def test_given_a_text_without_words_then_nothing_was_spoken(tmp_path: Path) -> None:
    with pytest.raises(SpeakingFailed):
        EmbeddedSpeech().speak("...", voice=None, to=tmp_path / "out.wav")


@pytest.mark.parametrize(
    "text", ["one\x00two", "[[h@l'oU]]", "<speak><audio src='/etc/passwd'/>hello</speak>", "héé 你好"]
)
def test_given_odd_texts_then_they_are_spoken(text: str, tmp_path: Path) -> None:
    assert EmbeddedSpeech().speak(text, voice=None, to=tmp_path / "out.wav").duration_ms > 100


def test_given_nobody_wants_it_any_more_when_spoken_then_the_process_is_gone(tmp_path: Path) -> None:
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 1

    with pytest.raises(Cancelled):
        EmbeddedSpeech(tmp_path).speak("word " * 4_000, voice=None, to=tmp_path / "out.wav", stop=stop)
    assert running("speaker.py") == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "bounds",
    [
        Bounds(wall_s=0.0, cpu_s=60, memory_bytes=2 << 30),
        Bounds(wall_s=60.0, cpu_s=60, memory_bytes=2 << 30, file_bytes=10_000),
        Bounds(wall_s=60.0, cpu_s=60, memory_bytes=8 << 20),
    ],
    ids=["time", "file", "memory"],
)
def test_given_a_limit_that_is_met_when_spoken_then_it_fails(bounds: Bounds, tmp_path: Path) -> None:
    with pytest.raises(SpeakingFailed):
        EmbeddedSpeech(tmp_path, bounds=bounds).speak(TEXT, voice=None, to=tmp_path / "out.wav")
    assert list(tmp_path.iterdir()) == []


# --- programs --------------------------------------------------------------------------------------------------------


def test_given_the_programs_of_this_machine_when_spoken_then_each_speaks(tmp_path: Path) -> None:
    here = [each.command for each in PROGRAMS if shutil.which(each.command)]
    for command in here:
        folder = tmp_path / command
        folder.mkdir()
        (folder / command).symlink_to(str(shutil.which(command)))
        speech = EmbeddedSpeech(packaged=False, path=str(folder))
        spoken = speech.speak(TEXT, voice=None, to=folder / "out.wav")
        assert (spoken.engine, spoken.duration_ms > 1_000) == (command, True)
        with pytest.raises(VoiceUnavailable):
            speech.speak(TEXT, voice="nobody", to=folder / "out.wav")


SPEAKS = """
out = sys.argv[sys.argv.index({option!r}) + 1]
text = sys.stdin.buffer.read()
with wave.open(out, "wb") as file:
    file.setnchannels(1); file.setsampwidth(2); file.setframerate(1000)
    file.writeframes(b"\\1\\2" * (100 * len(text)))
with open({seen!r}, "wb") as file:
    file.write(" ".join(sys.argv).encode() + b"|" + text)
print("a program says what it likes")
"""


@pytest.mark.parametrize(
    ("command", "option"), [("espeak-ng", "-w"), ("espeak", "-w"), ("say", "-o"), ("text2wave", "-o")]
)
def test_given_a_program_when_it_speaks_then_the_text_is_on_its_standard_input_alone(
    command: str, option: str, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    speech = program(tmp_path, command, SPEAKS.format(option=option, seen=str(seen)))
    spoken = speech.speak("a secret", voice="kal_diphone", to=tmp_path / "out.wav")
    arguments, _, text = seen.read_bytes().partition(b"|")
    assert (spoken.engine, spoken.duration_ms) == (command, 800)
    assert b"secret" not in arguments and b"kal_diphone" in arguments and text == b"a secret"


@pytest.mark.parametrize(
    ("script", "error"),
    [("sys.exit(3)", SpeakingFailed), ("pass", SpeakingFailed), ("time.sleep(600)", Cancelled)],
    ids=["fails", "says nothing", "hangs"],
)
def test_given_a_program_that_does_not_speak_then_it_is_said_and_it_is_gone(
    script: str, error: type[GuidesmithError], tmp_path: Path
) -> None:
    speech = program(tmp_path, "espeak-ng", script)
    beats = iter([False] * 3)
    stop: Callable[[], bool] | None = (lambda: next(beats, True)) if error is Cancelled else None
    with pytest.raises(error):
        speech.speak(TEXT, voice=None, to=tmp_path / "out.wav", stop=stop)
    assert running(str(tmp_path)) == []


def test_given_a_machine_without_a_voice_then_it_is_not_available(tmp_path: Path) -> None:
    speech = EmbeddedSpeech(packaged=False, path=str(tmp_path))
    assert not speech.available()
    with pytest.raises(VoiceUnavailable, match=r"guidesmith\[tts\]"):
        speech.speak(TEXT, voice=None, to=tmp_path / "out.wav")


def test_given_secrets_in_the_environment_when_a_program_speaks_then_it_does_not_see_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GUIDESMITH_TTS_API_KEY", "sk-canary")
    seen = tmp_path / "seen"
    script = f"import os; open({str(seen)!r}, 'w').write(repr(dict(os.environ)))"
    with pytest.raises(SpeakingFailed):
        program(tmp_path, "espeak-ng", script).speak(TEXT, voice=None, to=tmp_path / "out.wav")
    assert "canary" not in seen.read_text() and os.environ["GUIDESMITH_TTS_API_KEY"] == "sk-canary"


# --- hosted ----------------------------------------------------------------------------------------------------------


def hosted(sandbox: RunningSandbox, **how: float) -> HostedSpeech:
    client = ProviderClient(sandbox.base_url, api_key="key", **{"timeout_s": 30.0, **how})  # type: ignore[arg-type]
    return HostedSpeech(client, model="sandbox-voice", voice="alloy")


def test_given_a_hosted_voice_when_spoken_then_the_file_is_written_and_a_repeat_can_be_told(
    sandbox: RunningSandbox, tmp_path: Path
) -> None:
    for name in ("a.mp3", "b.mp3"):
        hosted(sandbox).speak(TEXT, voice=None, to=tmp_path / name, request_id="job-1")
    sent, _ = sandbox.requests("speech")
    assert sent["body"] == {"model": "sandbox-voice", "input": TEXT, "voice": "alloy", "response_format": "mp3"}
    assert sent["headers"]["idempotency-key"] == "job-1" and sent["authorized"]
    assert (tmp_path / "a.mp3").stat().st_size > 1_000
    assert (tmp_path / "a.mp3").read_bytes() == (tmp_path / "b.mp3").read_bytes()


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (Behaviour(status=429, retry_after=7), ProviderRateLimited),
        (Behaviour(status=503), ProviderUnavailable),
        (Behaviour(hang=True), ProviderTimeout),
        (Behaviour(cut=Cut.CONNECTION), ProviderUnavailable),
        (Behaviour(status=401), ProviderAccessDenied),
        (Behaviour(status=404), ProviderRequestRefused),
        (Behaviour(status=400, code="content_policy_violation"), ContentRejected),
        (Behaviour(status=400, code="string_above_max_length"), ProviderRequestTooLarge),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_given_what_goes_wrong_when_spoken_by_a_provider_then_the_error_says_what_and_nothing_of_the_text(
    sandbox: RunningSandbox, behaviour: Behaviour, error: type[GuidesmithError], tmp_path: Path
) -> None:
    sandbox.script("speech", behaviour)
    with pytest.raises(error) as raised:
        voice = hosted(sandbox, timeout_s=0.3 if behaviour.hang else 30.0)
        voice.speak(TEXT, voice=None, to=tmp_path / "out.mp3")
    assert type(raised.value) is error and "dashboard" not in raised.value.message
    assert raised.value.retry_after_s == (7.0 if error is ProviderRateLimited else None)


def test_given_more_sound_than_is_taken_when_spoken_by_a_provider_then_it_is_not_read_on(
    sandbox: RunningSandbox, tmp_path: Path
) -> None:
    with pytest.raises(ProviderAnswerInvalid):
        hosted(sandbox, answer_cap_bytes=1_000).speak(TEXT, voice=None, to=tmp_path / "out.mp3")


def test_given_nobody_wants_it_any_more_when_a_provider_speaks_then_it_is_given_up(
    sandbox: RunningSandbox, tmp_path: Path
) -> None:
    sandbox.script("speech", Behaviour(hang=True))
    with pytest.raises(Cancelled):
        hosted(sandbox, timeout_s=60.0).speak(TEXT, voice=None, to=tmp_path / "out.mp3", stop=lambda: True)


# --- as the generation job has it made -------------------------------------------------------------------------------


def test_given_an_order_when_either_voice_makes_it_then_the_file_comes_with_what_was_measured(
    sandbox: RunningSandbox, tmp_path: Path
) -> None:
    order = SpeechOrder(text=TEXT, voice="en")
    here = EmbeddedSpeaker(EmbeddedSpeech(tmp_path), tmp_path).make(order, request_id="r", stop=lambda: None)
    there = HostedSpeaker(hosted(sandbox), tmp_path).make(order, request_id="r", stop=lambda: None)
    assert (here.media_type, here.model) == ("audio/wav", "espeak-ng")
    assert (there.media_type, there.model) == ("audio/mpeg", "sandbox-voice")
    assert all(1_000 < float(str(made.facts["duration_ms"])) < 6_000 for made in (here, there))
    assert list(tmp_path.iterdir()) == []


def test_given_a_hosted_voice_that_sends_no_sound_then_it_is_not_kept(sandbox: RunningSandbox, tmp_path: Path) -> None:
    sandbox.script("speech", Behaviour(body={"error": "no"}))
    with pytest.raises(ProviderAnswerInvalid):
        HostedSpeaker(hosted(sandbox), tmp_path).make(SpeechOrder(text=TEXT), request_id="r", stop=lambda: None)
    assert list(tmp_path.iterdir()) == []
