"""What is learnt about a recording, and which ones are refused, with which code."""

import errno
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Never, cast

import av
import pytest
from av.container import InputContainer

from activities.media.audio import extract_audio
from activities.media.container import opened, packets
from activities.media.probe import probe
from domain.documents.draft import JOINED_MS
from domain.errors import (
    DecoderFailed,
    GuidesmithError,
    MediaCodecUnsupported,
    MediaEmpty,
    MediaHasNoContent,
    MediaNotRecognised,
    MediaTruncated,
)
from tests import recordings

Maker = Callable[[Path], Path]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "recordings"


@pytest.mark.parametrize(
    "make",
    [
        recordings.mp4,
        recordings.mp4_faststart,
        recordings.mp4_fragmented,
        recordings.mp4_variable_frame_rate,
        recordings.mov,
        recordings.mkv,
        recordings.webm,
        recordings.webm_without_duration,
        recordings.mpegts,
        recordings.avi,
    ],
)
def test_given_a_video_of_any_container_then_both_tracks_and_the_length_are_known(make: Maker, folder: Path) -> None:
    path = make(folder)
    info = probe(path)
    assert info.video is not None
    assert (info.video.width, info.video.height) == (recordings.WIDTH, recordings.HEIGHT)
    assert len(info.audio) == 1
    assert info.duration_ms == pytest.approx(recordings.DURATION_MS, abs=100)
    assert info.size_bytes == path.stat().st_size


@pytest.mark.parametrize(
    "make",
    [
        recordings.wav,
        recordings.mp3,
        recordings.mp3_with_cover_art,
        recordings.m4a,
        recordings.ogg,
        recordings.flac,
    ],
)
def test_given_sound_only_then_there_is_no_picture_not_even_its_cover(make: Maker, folder: Path) -> None:
    info = probe(make(folder))
    assert info.video is None
    assert len(info.audio) == 1
    assert info.duration_ms == pytest.approx(recordings.DURATION_MS, abs=100)


@pytest.mark.parametrize("make", [recordings.webm_torn, recordings.mp4_fragmented_torn])
def test_given_a_recorder_that_died_then_what_it_had_written_is_a_recording(make: Maker, folder: Path) -> None:
    info = probe(make(folder))
    assert info.video is not None
    assert len(info.audio) == 1
    assert 0.5 * recordings.DURATION_MS < info.duration_ms < 0.9 * recordings.DURATION_MS


def test_given_a_video_without_sound_then_it_has_no_audio_tracks(folder: Path) -> None:
    info = probe(recordings.mp4_without_sound(folder))
    assert info.video is not None
    assert info.audio == ()


def test_given_a_phone_video_then_size_and_turn_are_as_shown(folder: Path) -> None:
    video = probe(recordings.mp4_rotated(folder)).video
    assert video is not None
    assert (video.width, video.height, video.rotation_degrees) == (recordings.HEIGHT, recordings.WIDTH, 90)


def test_given_pixels_that_are_not_square_then_the_size_is_as_shown(folder: Path) -> None:
    video = probe(recordings.mp4_wide_pixels(folder)).video
    assert video is not None
    assert (video.width, video.height) == (2 * recordings.WIDTH, recordings.HEIGHT)


def test_given_tags_that_are_no_text_then_the_recording_works(folder: Path) -> None:
    assert probe(recordings.mp4_broken_tags(folder)).video is not None


def test_given_several_tracks_then_all_are_listed_with_the_default_one_marked(folder: Path) -> None:
    tracks = probe(recordings.mp4_first_audio_track_empty(folder)).audio
    assert [(track.index, track.is_default) for track in tracks] == [(1, True), (2, False)]


def test_given_surround_sound_then_its_channels_and_rate_are_known(folder: Path) -> None:
    (track,) = probe(recordings.mkv_surround(folder)).audio
    assert (track.codec, track.channels, track.sample_rate_hz) == ("ac3", 6, 48_000)


@pytest.mark.parametrize(
    ("make", "refusal"),
    [
        (recordings.empty, MediaEmpty),
        (recordings.text_renamed, MediaNotRecognised),
        (recordings.random_bytes, MediaNotRecognised),
        (recordings.picture_renamed, MediaNotRecognised),
        (recordings.playlist_renamed, MediaNotRecognised),
        (recordings.concat_script_renamed, MediaNotRecognised),
        (recordings.session_description_renamed, MediaNotRecognised),
        (recordings.mp4_cut_before_its_index, MediaTruncated),
        (recordings.mp4_cut_within_its_index, MediaTruncated),
        (recordings.mp4_cut_after_its_index, MediaTruncated),
        (recordings.mp4_cut_in_the_middle, MediaTruncated),
        (recordings.mkv_cut_after_its_header, MediaTruncated),
        (recordings.mp4_unknown_video_codec, MediaCodecUnsupported),
        (recordings.mkv_unknown_audio_codec, MediaCodecUnsupported),
        (recordings.mp4_garbled_video, MediaCodecUnsupported),
        (recordings.wav_too_short, MediaHasNoContent),
        (recordings.wav_without_samples, MediaTruncated),
    ],
)
def test_given_a_recording_that_cannot_be_worked_with_then_it_is_refused_for_good_and_says_what_to_do(
    make: Maker, refusal: type[GuidesmithError], folder: Path
) -> None:
    path = make(folder)
    with pytest.raises(refusal) as caught:
        probe(path)
    assert type(caught.value) is refusal
    assert not caught.value.retryable
    assert str(path.parent) not in caught.value.message
    assert any(word in caught.value.message for word in ("send", "Send"))


@pytest.mark.parametrize("name", ["text.mp3", "text.wav", "text.webm", "text.ts", "text.aac", "list.m3u8", "list.txt"])
def test_given_text_under_any_media_name_then_it_is_not_recognised(name: str, folder: Path, tmp_path: Path) -> None:
    maker = recordings.playlist_renamed if name.startswith("list") else recordings.text_renamed
    path = tmp_path / name
    path.write_bytes(maker(folder).read_bytes())
    with pytest.raises(MediaNotRecognised):
        probe(path)


def test_given_a_recording_without_an_extension_then_its_content_decides(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "concat:list%03d"
    path.write_bytes(recordings.mp4(folder).read_bytes())
    assert probe(path).duration_ms == pytest.approx(recordings.DURATION_MS, abs=100)


def test_given_no_file_then_the_file_system_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        probe(tmp_path / "absent.mp4")


UNEXPLAINED: Mapping[str, int] = {
    "unknown": 1313558101,
    "bug": 558323010,
    "external": 542398533,
    "of no name": 4242,
    "a server that is away": errno.ESTALE,
    "a mount that is gone": errno.ENOTCONN,
    "too late": errno.ETIMEDOUT,
}
"""Numbers of errors that say nothing of the bytes: FFmpeg's own (libavutil/error.h), and those of file systems."""


@pytest.mark.parametrize("number", UNEXPLAINED.values(), ids=UNEXPLAINED)
def test_given_an_error_that_says_nothing_of_the_recording_then_it_is_tried_again_and_not_called_truncated(
    number: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = recordings.mp4(folder)

    def failing(*_: object, **__: object) -> Never:
        av.error.err_check(-number)
        raise AssertionError

    with pytest.raises(DecoderFailed, match="Nothing is known to be wrong with the recording") as caught, opened(path):
        failing()
    assert caught.value.retryable
    with opened(path) as container:
        unread = SimpleNamespace(demux=failing)
        with pytest.raises(av.FFmpegError):
            list(packets(cast(InputContainer, unread), *container.streams))
    with pytest.raises(MediaTruncated), opened(path):
        av.error.err_check(-errno.EIO)  # what FFmpeg says of malformed bytes, too
    monkeypatch.setattr("activities.media.container.av.open", failing)
    with pytest.raises(DecoderFailed):
        probe(path)


@pytest.mark.parametrize("make", [recordings.mp4, recordings.mp4_fragmented, recordings.mov, recordings.wav])
def test_given_a_recording_behind_another_in_one_file_that_is_not_come_to_then_it_is_told(
    make: Maker, folder: Path, tmp_path: Path
) -> None:
    once = make(folder)
    twice = tmp_path / once.name
    twice.write_bytes(once.read_bytes() * 2)
    assert not probe(once).joined
    info = probe(twice)
    assert info.joined
    assert info.duration_ms == pytest.approx(recordings.DURATION_MS, abs=100)


@pytest.mark.parametrize("ending", ["ts", "mkv", "flv", "webm", "mpg"])
def test_given_films_without_sound_one_behind_the_other_then_it_is_told(ending: str, tmp_path: Path) -> None:
    codec = {"webm": "libvpx", "mpg": "mpeg2video"}.get(ending, "libx264")
    once, twice = tmp_path / f"once.{ending}", tmp_path / f"twice.{ending}"
    options = {"libx264": recordings.STORYBOARD.options, "libvpx": recordings.VP8.options}.get(codec, ())
    recordings.write(once, film=recordings.Film(codec=codec, options=options))
    twice.write_bytes(once.read_bytes() * 2)
    assert not probe(once).joined
    assert probe(twice).joined


@pytest.mark.parametrize(
    "make", [recordings.mpegts, recordings.mkv, recordings.avi, recordings.mp3, recordings.ogg, recordings.flac]
)
def test_given_recordings_one_behind_the_other_whose_clock_starts_again_then_all_of_them_are_heard(
    make: Maker, folder: Path, tmp_path: Path
) -> None:
    once = make(folder)
    twice = tmp_path / once.name
    twice.write_bytes(once.read_bytes() * 2)
    info = probe(twice)
    heard = extract_audio(twice, info.audio[0].index, tmp_path / "heard.flac")
    assert heard.duration_ms == pytest.approx(2 * recordings.DURATION_MS, abs=500)
    if info.video is not None and heard.duration_ms > info.duration_ms:
        assert heard.duration_ms > info.duration_ms + JOINED_MS  # which the draft says
