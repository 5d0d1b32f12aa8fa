"""The command line's own logic: stages out of events, where files go, exit codes, and that it starts quickly."""

import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from domain.errors import NotFound, SettingsInvalid
from domain.jobs import StageName
from guidesmith.client.flows.events import EventLines
from starter.cli import connection
from starter.cli.client import Client
from starter.cli.connection import Connection
from starter.cli.exits import ExitCode, JobFailed, Unreachable, UsageWrong, exit_code
from starter.cli.kinds.batches import _span
from starter.cli.making import Making, Target, printable_name
from starter.cli.memory import Memory, recording_sha256
from starter.cli.stages import Pipeline, is_settled
from starter.cli.views import Lines
from starter.local.folder import DataFolder, StackFailed, StackRunning, StackState

AUDIO, TRANSCRIPTION = StageName.AUDIO, StageName.TRANSCRIPTION
DRAFT, ILLUSTRATION = StageName.DRAFT, StageName.ILLUSTRATION


def fed(*events: tuple[str, dict[str, object]]) -> Pipeline:
    pipeline = Pipeline()
    for name, data in events:
        pipeline.feed(name, data)
    return pipeline


def moved(status: str, attempt: int = 1) -> tuple[str, dict[str, object]]:
    return "status", {"new_status": status, "attempt": attempt}


def progressed(stage: str, progress: int) -> tuple[str, dict[str, object]]:
    return "progress", {"data": {"stage": stage, "progress": progress}}


def test_given_a_job_from_upload_to_draft_when_its_log_is_read_then_every_stage_runs_in_turn() -> None:
    assert fed(moved("UPLOADED")).fraction == {}
    assert fed(moved("AUDIO_EXTRACTING")).fraction == {AUDIO: 0.0}
    assert fed(moved("AUDIO_READY")).fraction == {AUDIO: 1.0}
    midway = fed(moved("TRANSCRIBING"), progressed("transcription", 43))
    assert midway.fraction[AUDIO] == 1.0
    assert 0.4 < midway.fraction[TRANSCRIPTION] < 0.6
    drafting = fed(moved("GENERATING"), progressed("illustration", 80))
    assert drafting.fraction[DRAFT] == 1.0
    assert 0.0 < drafting.fraction[ILLUSTRATION] < 1.0
    assert set(fed(moved("DRAFT_READY")).fraction.values()) == {1.0}


def test_given_a_failed_attempt_and_a_retry_when_read_then_the_new_attempt_begins_at_its_checkpoint() -> None:
    pipeline = fed(moved("AUDIO_EXTRACTING"), moved("TRANSCRIBING"), moved("FAILED"), moved("AUDIO_READY", 2))
    assert (pipeline.attempt, pipeline.fraction) == (2, {AUDIO: 1.0})


def test_given_progress_that_is_not_understood_when_read_then_it_is_passed_over() -> None:
    pipeline = fed(moved("TRANSCRIBING"), progressed("unknown", 50), ("progress", {}), ("resync", {"last_seq": 1}))
    assert pipeline.fraction == {AUDIO: 1.0, TRANSCRIPTION: 0.0}


@pytest.mark.parametrize(
    ("status", "settled"),
    [("UPLOADED", False), ("GENERATING", False), ("DRAFT_READY", True), ("EDITING", True), ("FAILED", True)],
)
def test_given_a_status_when_asked_then_the_pipeline_is_over_or_not(status: str, settled: bool) -> None:
    assert is_settled(status) is settled


def test_given_a_folder_when_several_formats_are_asked_then_a_file_for_each(tmp_path: Path) -> None:
    target = Target.of(tmp_path / "out", "pdf, md,pdf", "clip")
    assert target.files == {"pdf": tmp_path / "out/clip.pdf", "md": tmp_path / "out/clip.zip"}
    assert list(Target.of(tmp_path, None, "clip").files) == ["pdf"]


def test_given_a_file_name_when_it_fits_one_format_then_it_is_the_file(tmp_path: Path) -> None:
    assert Target.of(tmp_path / "guide.docx", None, "clip").files == {"docx": tmp_path / "guide.docx"}
    for formats in ("pdf", "docx,pdf"):
        with pytest.raises(UsageWrong):
            Target.of(tmp_path / "guide.docx", formats, "clip")
    with pytest.raises(UsageWrong, match="pdf, md, docx"):
        Target.of(tmp_path, "epub", "clip")


def test_given_a_recording_when_noted_then_found_again_for_that_api_and_language_only(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    recording = tmp_path / "a.bin"
    recording.write_bytes(b"abc")
    heard: list[int] = []
    sha256 = recording_sha256(recording, heard.append)
    assert heard == [3]
    Memory(folder, "local").note(sha256, None, "job-1")
    assert Memory(folder, "local").job_of(sha256, None) == "job-1"
    assert Memory(folder, "local").job_of(sha256, "de") is None
    assert Memory(folder, "https://elsewhere").job_of(sha256, None) is None


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (JobFailed("MEDIA_EMPTY", "x"), 3),
        (Unreachable("x"), 4),
        (StackFailed("x"), 4),
        (StackRunning("x"), 4),
        (UsageWrong("x"), 2),
        (SettingsInvalid("x"), 2),
        (NotFound("x"), 1),
    ],
)
def test_given_an_error_when_the_process_ends_then_its_code_means_something(error: Exception, code: int) -> None:
    assert exit_code(error) is ExitCode(code)  # type: ignore[arg-type]


@pytest.fixture
def download_url() -> Iterator[str]:
    """Where a small file can be downloaded."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"exported")

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with Client(Connection("http://127.0.0.1:1", "token", DataFolder(tmp_path / "data"))) as client:
        yield client


def test_given_the_longest_file_name_when_downloaded_then_saved(
    client: Client, download_url: str, tmp_path: Path
) -> None:
    path = tmp_path / ("x" * 251 + ".pdf")
    assert client.download(download_url, path) == len(b"exported")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["taken.pdf", "x" * 300 + ".pdf", "gone/guide.pdf"])
def test_given_a_place_that_cannot_be_written_when_downloaded_then_a_word_about_it_and_nothing_left(
    client: Client, download_url: str, tmp_path: Path, name: str
) -> None:
    (tmp_path / "taken.pdf").mkdir()
    with pytest.raises(UsageWrong, match="cannot be written"):
        client.download(download_url, tmp_path / name)
    assert [each.name for each in tmp_path.iterdir()] == ["taken.pdf"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, JobFailed("MEDIA_EMPTY", "empty")])
def test_given_a_stack_of_its_own_when_a_command_ends_badly_then_the_stack_is_still_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException | type[BaseException]
) -> None:
    waited: list[int] = []
    state = StackState(4321, "http://127.0.0.1:1", "127.0.0.1:2", "http://127.0.0.1:3", 4, "now", until_unused=True)
    monkeypatch.delenv("GUIDESMITH_API_URL", raising=False)
    monkeypatch.setattr(connection, "_running", lambda folder: state)
    monkeypatch.setattr(connection, "_wait_stopped", lambda folder, supervisor: waited.append(supervisor))
    with pytest.raises((KeyboardInterrupt, JobFailed)), connection.connected(tmp_path, start=True):
        raise error
    assert waited == [4321]


def test_given_a_pipe_when_made_then_refused_before_anything_is_read(client: Client, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.mp4"
    os.mkfifo(pipe)
    making = Making(client, Memory(DataFolder(tmp_path), "local"), Lines())
    with pytest.raises(UsageWrong, match="not a regular file"):
        making.make(pipe, Target.of(tmp_path, None, "pipe"))


def test_given_a_name_that_is_no_text_when_sent_then_it_is_printable() -> None:
    assert printable_name(os.fsdecode(b"caf\xe9 \xff.mp4")) == "caf? ?.mp4"
    assert printable_name("日本語 😀.mp4") == "日本語 😀.mp4"


def test_given_a_stream_of_lines_when_parsed_then_events_and_no_comments() -> None:
    lines = [": ping", "", "id: 1", "event: status", 'data: {"a":', "data: 1}", "", "retry: 5", "", "data: {}", ""]
    stream = EventLines(None)
    events = [event for line in lines for event in stream.feed(line)]
    assert [(event.id, event.stream, event.model_extra) for event in events] == [
        ("1", "status", {"a": 1}),
        ("1", "message", {}),
    ]


def test_given_the_command_line_when_only_its_help_is_wanted_then_nothing_heavy_is_imported() -> None:
    heavy = {"httpx", "temporalio", "sqlalchemy", "pydantic_settings", "fastapi", "structlog", "rich.progress", "av"}
    script = f"import starter.cli.app, sys; print(sorted({heavy!r} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "command",
    [
        [],
        *([name] for name in ("make", "demo", "up", "worker", "api", "doctor", "sandbox", "token")),
        *(["jobs", name] for name in ("list", "show", "watch", "cancel", "retry", "history")),
        *(["credits", name] for name in ("show", "entries", "grant")),
        *(["generate", name] for name in ("copy", "scrape", "static-ad", "video", "tts", "retry")),
        *(["library", name] for name in ("list", "save")),
        *([name] for name in ("image", "analyse")),
        *(["batch", name] for name in ("clips", "thumbnails", "captions", "watch")),
        *(["webhooks", name] for name in ("list", "add", "delete", "deliveries", "redeliver")),
        ["lifecycles", "show"],
        ["db", "upgrade"],
    ],
    ids=" ".join,
)
def test_given_any_command_when_help_is_asked_then_it_says_what_and_shows_an_example(command: list[str]) -> None:
    from typer.testing import CliRunner

    from starter.cli.app import app

    answer = CliRunner().invoke(app, [*command, "--help"])
    assert answer.exit_code == 0
    assert "Example: guidesmith" in answer.output.replace("GUIDESMITH_AUTH_SECRET=… ", "") or not command
    if not command:
        assert "Exit codes:" in answer.output


@pytest.mark.parametrize(
    ("text", "span"),
    [("5-12.5", (5_000, 12_500)), ("0:10-1:02:03", (10_000, 3_723_000)), ("90:00-90:00.25", (5_400_000, 5_400_250))],
)
def test_given_a_range_when_read_then_it_is_in_milliseconds(text: str, span: tuple[int, int]) -> None:
    assert tuple(_span(text).values()) == span


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["clips", "x", "--range", "5"], "FROM-TO"),
        (["clips", "x", "--range", "0:70-2:00"], "FROM-TO"),
        (["clips", "x", "--range", "1:75:00-2:00:00"], "FROM-TO"),
        (["clips", "x", "--range", "20-10"], "ends before"),
        (["captions", __file__], "is a file"),
    ],
)
def test_given_a_slip_of_the_pen_when_a_batch_is_asked_then_told_how_it_is_written(words: list[str], says: str) -> None:
    from typer.testing import CliRunner

    from starter.cli.app import app

    with pytest.raises(UsageWrong, match=says):
        CliRunner().invoke(app, ["batch", *words], catch_exceptions=False)


LEFT = """
import atexit, sys
import temporalio.bridge.temporal_sdk_bridge
from starter.cli import app
def commanded(ended=app.app):
    atexit.register(print, "registered")
    print("printed")
    ended()
app.app = commanded
sys.argv = ["guidesmith", "lifecycles", "show", "nothing"]
app.run()
"""


def test_given_a_command_that_loaded_temporals_client_when_it_ends_then_nothing_is_left_undone() -> None:
    ended = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout.split()) == (2, ["printed", "registered"])
    assert ended.stderr.startswith("guidesmith: USAGE: ")
