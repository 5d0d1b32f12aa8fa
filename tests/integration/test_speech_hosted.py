"""A hosted speech model gets speech only, in pieces that it takes; its answers are trusted as far as they can be."""

from pathlib import Path

import pytest

from activities.providers import ProviderClient
from activities.speech import Recognition, SpokenSegment
from activities.speech.hosted import OpenAiRecogniser
from domain.errors import Cancelled, ProviderAnswerInvalid, ProviderRateLimited, ProviderRequestTooLarge
from starter.sandbox import Behaviour, Cut, RunningSandbox
from tests.speech import ENGLISH, ENGLISH_MS, clip, music, silence, write_flac

pytest_plugins = ("tests.sandbox",)

LEAD_MS = 2_000
"""Silence before the first word of the clip."""


@pytest.fixture(scope="module")
def audio(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_flac(tmp_path_factory.mktemp("hosted") / "audio.flac", [clip("english")])


@pytest.fixture(scope="module")
def long_audio(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_flac(tmp_path_factory.mktemp("hosted") / "long.flac", [clip("english")] * 3)


def hear(
    sandbox: RunningSandbox,
    audio: Path,
    *,
    language: str | None = None,
    start_ms: int = 0,
    cap_bytes: int = 25_000_000,
) -> tuple[Recognition, list[SpokenSegment]]:
    recogniser = OpenAiRecogniser(ProviderClient(sandbox.base_url, timeout_s=60.0), "whisper-x", cap_bytes=cap_bytes)
    segments: list[SpokenSegment] = []
    recognition = recogniser.recognise(
        audio,
        language=language,
        start_ms=start_ms,
        end_ms=None,
        on_segment=segments.append,
        on_progress=lambda _: None,
    )
    return recognition, segments


def listed(*segments: dict[str, object], language: str = "english") -> Behaviour:
    return Behaviour(body={"text": "whatever", "language": language, "segments": list(segments)})


def test_given_speech_then_its_segments_come_with_times_of_the_recording(sandbox: RunningSandbox, audio: Path) -> None:
    recognition, segments = hear(sandbox, audio)
    assert recognition.language == "en"
    assert segments[0].text == "Open the dashboard and click the new invoice button."
    assert abs(segments[0].start_ms - LEAD_MS) < 400
    assert segments[-1].end_ms <= ENGLISH_MS
    (request,) = sandbox.requests("transcriptions")
    assert request["body"]["model"] == "whisper-x"
    assert request["body"]["response_format"] == "verbose_json"
    assert "language" not in request["body"]


def test_given_no_speech_then_nothing_is_sent(sandbox: RunningSandbox, tmp_path: Path) -> None:
    recognition, segments = hear(sandbox, write_flac(tmp_path / "audio.flac", [silence(20_000), music(20_000)]))
    assert (segments, recognition.language) == ([], None)
    assert sandbox.count("transcriptions") == 0


def test_given_long_audio_then_no_request_is_larger_than_the_cap_and_times_go_on(
    sandbox: RunningSandbox, long_audio: Path
) -> None:
    _, segments = hear(sandbox, long_audio, cap_bytes=900_000)
    requests = sandbox.requests("transcriptions")
    assert len(requests) >= 3
    assert all(request["body"]["file_bytes"] <= 900_000 for request in requests)
    starts = [segment.start_ms for segment in segments]
    assert starts == sorted(starts)
    assert starts[-1] > 2 * ENGLISH_MS
    assert [request["body"].get("language") for request in requests] == [None, *["en"] * (len(requests) - 1)]


def test_given_a_provider_that_takes_less_then_the_speech_is_sent_in_halves(
    sandbox: RunningSandbox, audio: Path
) -> None:
    sandbox.script("transcriptions", Behaviour(status=413))
    _, segments = hear(sandbox, audio)
    whole, first, second = (request["body"]["file_bytes"] for request in sandbox.requests("transcriptions"))
    assert first < whole
    assert second < whole
    starts = [segment.start_ms for segment in segments]
    assert starts == sorted(starts)
    assert starts[-1] > 10_000


def test_given_a_provider_that_takes_nothing_then_the_request_is_too_large(
    sandbox: RunningSandbox, audio: Path
) -> None:
    sandbox.script("transcriptions", Behaviour(status=413, times=20))
    with pytest.raises(ProviderRequestTooLarge):
        hear(sandbox, audio)


@pytest.mark.parametrize("timeless", [Behaviour(status=400), Behaviour(body={"text": "Open it. Click it."})])
def test_given_a_model_without_times_then_it_is_asked_by_stretch_of_speech(
    sandbox: RunningSandbox, tmp_path: Path, timeless: Behaviour
) -> None:
    pause_ms = 60_000
    audio = write_flac(tmp_path / "pauses.flac", [clip("english"), silence(pause_ms), clip("english")])
    sandbox.script("transcriptions", timeless, Behaviour(body={"text": "Said here."}, times=40))
    _, segments = hear(sandbox, audio)
    first, *rest = sandbox.requests("transcriptions")
    assert first["body"]["response_format"] == "verbose_json"
    assert all(request["body"]["file_bytes"] < first["body"]["file_bytes"] for request in rest)
    assert len(rest) == len(segments)
    wanted = [offset + start for offset in (0, ENGLISH_MS + pause_ms) for start, _, _ in ENGLISH]
    for start_ms in wanted:
        assert any(segment.start_ms - 500 <= start_ms <= segment.end_ms for segment in segments)
    assert all(segment.end_ms - segment.start_ms <= 11_000 for segment in segments)
    assert not any(ENGLISH_MS < segment.start_ms < ENGLISH_MS + pause_ms for segment in segments)


def test_given_a_short_talk_and_a_model_without_times_then_its_text_lies_within_the_speech(
    sandbox: RunningSandbox, tmp_path: Path
) -> None:
    audio = write_flac(tmp_path / "short.flac", [clip("english")[: 7 * 16_000]])
    sandbox.script("transcriptions", Behaviour(status=400), Behaviour(body={"text": "All of it."}))
    _, segments = hear(sandbox, audio)
    formats = [request["body"]["response_format"] for request in sandbox.requests("transcriptions")]
    assert formats == ["verbose_json", "json"]
    (segment,) = segments
    assert abs(segment.start_ms - LEAD_MS) < 400


def test_given_odd_segments_then_what_can_be_used_is_used(sandbox: RunningSandbox, audio: Path) -> None:
    sandbox.script(
        "transcriptions",
        listed(
            {"start": "3.2", "end": 6.4, "text": " Second."},
            {"start": 0, "end": None, "text": "First."},
            {"start": 4.0, "end": 500.0, "text": "Third."},
            {"start": 1.0, "end": 2.0, "text": "  "},
            {"start": 1.0, "end": 2.0, "text": "la la la la", "compression_ratio": 9.0},
            language="Deutsch",
        ),
    )
    recognition, segments = hear(sandbox, audio, language="de")
    assert [segment.text for segment in segments] == ["First.", "Second.", "Third."]
    assert all(segment.start_ms <= segment.end_ms <= ENGLISH_MS for segment in segments)
    assert (recognition.language, recognition.language_probability) == ("de", 1.0)


def test_given_words_where_nobody_spoke_then_they_are_left_out(sandbox: RunningSandbox, audio: Path) -> None:
    sandbox.script(
        "transcriptions",
        listed(
            {"start": 0.0, "end": 1.9, "text": "Welcome."},
            {"start": 7.3, "end": 8.3, "text": "Thank you for watching."},
        ),
    )
    _, segments = hear(sandbox, audio)
    assert [segment.text for segment in segments] == ["Welcome."]


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (Behaviour(status=429, retry_after=4), ProviderRateLimited),
        (Behaviour(cut=Cut.JSON), ProviderAnswerInvalid),
        (Behaviour(body={"nothing": "useful"}), ProviderAnswerInvalid),
    ],
)
def test_given_a_fault_then_its_error_goes_through(
    sandbox: RunningSandbox, audio: Path, behaviour: Behaviour, error: type[Exception]
) -> None:
    sandbox.script("transcriptions", behaviour)
    with pytest.raises(error):
        hear(sandbox, audio)


def test_given_a_cancel_while_the_provider_hangs_then_the_request_ends(sandbox: RunningSandbox, audio: Path) -> None:
    sandbox.script("transcriptions", Behaviour(hang=True))
    recogniser = OpenAiRecogniser(ProviderClient(sandbox.base_url), "whisper-x")

    def stop(_: int) -> None:
        if sandbox.count("transcriptions"):
            raise Cancelled("stop")

    with pytest.raises(Cancelled):
        recogniser.recognise(audio, language=None, start_ms=0, end_ms=None, on_segment=lambda _: None, on_progress=stop)
