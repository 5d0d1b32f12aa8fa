"""A hosted speech model that gives no times, and what is said when, on a recording with pauses of a minute.

The model is real: the bundled engine behind an endpoint of this process that refuses ``verbose_json``, as newer hosted
models do, and answers with the words of the stretch that it was sent.
"""

import json
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import cast

import pytest

from activities.providers import ProviderClient
from activities.speech import SpokenSegment
from activities.speech.assembly import assemble
from activities.speech.hosted import OpenAiRecogniser
from activities.speech.options import WhisperOptions
from activities.speech.whisper import WhisperRecogniser
from tests.speech import ENGLISH, ENGLISH_MS, clip, silence, write_flac

PAUSE_MS = 60_000
TOLERANCE_MS = 2_000


class Endpoint(ThreadingHTTPServer):
    """``POST /v1/audio/transcriptions``. ``formats`` are those that were asked for."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.formats: list[str] = []
        self._folder = folder
        self._engine = WhisperRecogniser(WhisperOptions(model="bundled"))
        self._lock = Lock()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def written_down(self, sound: bytes) -> str:
        """What is said in a file."""
        segments: list[SpokenSegment] = []
        with self._lock:
            path = self._folder / f"asked-{len(self.formats)}.flac"
            path.write_bytes(sound)
            self._engine.recognise(
                path,
                language="en",
                start_ms=0,
                end_ms=None,
                on_segment=segments.append,
                on_progress=lambda _: None,
            )
        return " ".join(segment.text for segment in segments)


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        endpoint = cast(Endpoint, self.server)
        form = self._form()
        wanted = form["response_format"].decode()
        endpoint.formats.append(wanted)
        if wanted == "verbose_json":
            self._answer(400, {"error": {"message": "response_format 'verbose_json' is not compatible with model"}})
        else:
            self._answer(200, {"text": endpoint.written_down(form["file"])})

    def log_message(self, format: str, *args: object) -> None:
        return

    def _form(self) -> dict[str, bytes]:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        parts = cast(list[Message], BytesParser(policy=HTTP).parsebytes(head + body).get_payload())
        return {
            str(part.get_param("name", header="Content-Disposition")): cast(bytes, part.get_payload(decode=True))
            for part in parts
        }

    def _answer(self, status: int, said: dict[str, object]) -> None:
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[Endpoint]:
    server = Endpoint(tmp_path)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def test_given_a_model_without_times_and_pauses_of_a_minute_then_each_sentence_begins_where_it_is_said(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    audio = write_flac(tmp_path / "pauses.flac", [clip("english"), silence(PAUSE_MS), clip("english")])
    recogniser = OpenAiRecogniser(ProviderClient(endpoint.base_url, timeout_s=600.0), "without-times")
    segments: list[SpokenSegment] = []
    recogniser.recognise(
        audio, language="en", start_ms=0, end_ms=None, on_segment=segments.append, on_progress=lambda _: None
    )
    assert endpoint.formats[0] == "verbose_json"
    assert set(endpoint.formats[1:]) == {"json"}
    transcript = assemble([segments], model="x", language="en", duration_ms=2 * ENGLISH_MS + PAUSE_MS)
    begun = {text.split()[0].strip(",.").casefold(): start_ms for start_ms, _, text in ENGLISH}
    found: dict[str, list[int]] = {word: [] for word in begun}
    for segment in transcript.segments:
        first = segment.text.split()[0].strip(",.").casefold()
        if first in found:
            found[first].append(segment.start_ms)
    late = {word: _worst(found[word], start_ms) for word, start_ms in begun.items()}
    assert max(late.values()) <= TOLERANCE_MS, (late, [(each.start_ms, each.text) for each in transcript.segments])


def _worst(found: list[int], start_ms: int) -> int:
    """How far the sentence is from where it is said, the two times that it is."""
    assert len(found) == 2, found
    return max(abs(found[0] - start_ms), abs(found[1] - start_ms - ENGLISH_MS - PAUSE_MS))
