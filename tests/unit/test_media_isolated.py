"""Recordings are decoded in processes of their own: the same comes out, and whatever happens there happens there."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import psutil
import pytest
from av.video.stream import VideoStream
from temporalio.testing import ActivityEnvironment

from activities.batching import clips
from activities.batching import isolated as clips_apart
from activities.decoding import ordering
from activities.media import FrameRequest, audio, frames, isolated, scenes, tracks
from activities.media.probe import probe
from activities.rails.heartbeat import DIED, FAILED, FAILED_IN, PROGRESS_AT, Heartbeat
from domain.errors import (
    Cancelled,
    DecoderFailed,
    DecodingDied,
    MediaEmpty,
    MediaNotRecognised,
    MediaTooLarge,
    RequestInvalid,
)
from domain.orders.batch import Span
from tests import recordings
from tests.children import running

SIDE = 4096
FEW_BYTES = 440 << 20
"""Address space in which a recording of the tests is decoded, and pictures of 16 million pixels are not."""
SOME_BYTES = 460 << 20, 640 << 20, 800 << 20
"""Address space in which some of twelve such pictures are decoded (all are in 950 MiB). Of the others FFmpeg says, in
this order, that it does not know why, and that they are damaged."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "recordings"


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bomb(tmp_path_factory.mktemp("huge") / "bomb.mp4")


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(ordering, "LIMITS", ordering.Limits(FEW_BYTES))
    yield
    assert running("decoder.py") == []


def bomb(out: Path) -> Path:
    """A few kilobytes that take hundreds of megabytes: huge pictures of one grey, in full colour resolution."""
    with av.open(str(out), "w") as sink:
        film = sink.add_stream("libx264", rate=10, options={"preset": "ultrafast", "x264-params": "ref=8:threads=1"})
        assert isinstance(film, VideoStream)
        film.width = film.height = SIDE
        film.pix_fmt = "yuv444p"
        grey = av.VideoFrame.from_ndarray(np.full((3, SIDE, SIDE), 128, dtype=np.uint8), format="yuv444p")
        for number in range(12):
            grey.pts, grey.time_base = number, Fraction(1, 10)
            sink.mux(film.encode(grey))
        sink.mux(film.encode(None))
    return out


def test_given_a_recording_when_decoded_apart_then_the_same_comes_out(folder: Path, tmp_path: Path) -> None:
    path = recordings.mp4_first_audio_track_empty(folder)
    info = probe(path)
    requests: list[int | FrameRequest] = [4_100, 0, FrameRequest(2_500, 2_100)]
    assert isolated.probe(path) == info
    assert isolated.find_scenes(path, effort="thorough") == scenes.find_scenes(path, effort="thorough")
    for mine, theirs in zip(
        isolated.grab_frames(path, requests, duration_ms=info.duration_ms),
        frames.grab_frames(path, requests, duration_ms=info.duration_ms),
        strict=True,
    ):
        assert (mine.pts_ms, mine.timestamp_ms, mine.image.tobytes()) == (
            theirs.pts_ms,
            theirs.timestamp_ms,
            theirs.image.tobytes(),
        )
    chosen = isolated.pick_speech_track(path, info)
    assert chosen == tracks.pick_speech_track(path, info)
    made, due = tmp_path / "made.flac", tmp_path / "due.flac"
    assert isolated.extract_audio(path, chosen.index, made) == audio.extract_audio(path, chosen.index, due)
    assert made.read_bytes() == due.read_bytes()
    assert isolated.sound_ms(made) == audio.sound_ms(due)
    span = Span(start_ms=1_000, end_ms=3_000)
    apart = clips_apart.cut(path, span, tmp_path / "a")
    assert apart.poster is not None, "made where the clip is cut"
    assert replace(apart, poster=None) == clips.cut(path, span, tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert {each.name for each in tmp_path.iterdir()} == {"made.flac", "due.flac", "a", "b"}


def test_given_what_is_refused_when_decoded_apart_then_the_refusal_comes_as_it_is(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("no recording" * 1000)
    with pytest.raises(MediaEmpty):
        isolated.probe(tmp_path / "empty")
    with pytest.raises(MediaNotRecognised):
        isolated.probe(tmp_path / "text")
    with pytest.raises(RequestInvalid) as outside:
        next(isolated.grab_frames(recordings.mp4(folder), [99_000]))
    assert outside.value.details["timestamp_ms"] == 99_000
    said = {"refused": DecoderFailed.code, "message": "FFmpeg does not say why."}
    with pytest.raises(DecoderFailed, match="does not say why"):
        ordering.Decoding(tmp_path, iter([said])).answer()


def test_given_a_cancel_when_a_recording_is_decoded_then_its_process_is_gone(folder: Path, tmp_path: Path) -> None:
    def cancel(_: int) -> None:
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        isolated.extract_audio(recordings.mp4(folder), 1, tmp_path / "audio.flac", on_progress=cancel)
    assert running("decoder.py") == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("little")
def test_given_a_recording_that_takes_too_much_when_decoded_then_its_process_dies_and_the_second_death_is_final(
    folder: Path, huge: Path
) -> None:
    path = huge
    assert path.stat().st_size < 1 << 20
    own = psutil.Process().memory_info().rss
    environment = ActivityEnvironment()
    beats: list[object] = []
    environment.on_heartbeat = lambda *details: beats.append(details[0])

    def decode() -> None:
        with Heartbeat(60):
            isolated.find_scenes(path, effort="thorough")

    with pytest.raises(DecodingDied):
        environment.run(decode)
    (beat,) = beats
    assert isinstance(beat, dict)
    assert set(beat) == {DIED, FAILED, FAILED_IN, PROGRESS_AT} and beat[DIED] == 1
    assert (beat[FAILED], beat[FAILED_IN]) == (DecodingDied.code, 1)
    environment.info = replace(environment.info, heartbeat_details=beats)
    with pytest.raises(MediaTooLarge, match="too large to decode"):
        environment.run(decode)
    assert psutil.Process().memory_info().rss < own + (100 << 20)
    assert isolated.find_scenes(recordings.mp4(folder), effort="thorough")


@pytest.mark.parametrize("allowed", SOME_BYTES)
def test_given_room_for_some_of_the_pictures_when_scenes_are_looked_for_then_none_is_missing_without_a_word(
    huge: Path, monkeypatch: pytest.MonkeyPatch, allowed: int
) -> None:
    monkeypatch.setattr(ordering, "LIMITS", ordering.Limits(allowed))
    with pytest.raises(DecodingDied):
        isolated.find_scenes(huge, effort="thorough")
