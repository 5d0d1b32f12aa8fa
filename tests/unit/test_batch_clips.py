"""Clips: what of a recording is in them, in every container, and that a player and the product itself can read them."""

from pathlib import Path

import av
import numpy as np
import pytest

from activities.batching.clips import cut
from activities.media.frames import grab_frame
from activities.media.probe import probe
from domain.errors import Cancelled, MediaNotRecognised, RequestInvalid
from domain.orders.batch import Span
from tests import recordings

MIDDLE = Span(start_ms=1300, end_ms=3000)


def hue_error(path: Path, at_ms: int, original_ms: int) -> int:
    """How far the picture is from that of the original's time."""
    image = grab_frame(path, at_ms).image
    shown = image.getpixel((image.width // 2, 5))
    assert isinstance(shown, tuple)
    return max(abs(a - b) for a, b in zip(shown, recordings.colour_at(original_ms), strict=True))


@pytest.mark.parametrize(
    ("make", "media_type"),
    [
        (recordings.mp4, "video/mp4"),
        (recordings.mkv, "video/mp4"),
        (recordings.mpegts, "video/mp4"),
        (recordings.avi, "video/mp4"),
        (recordings.mp4_variable_frame_rate, "video/mp4"),
        (recordings.webm, "video/webm"),
        (recordings.mov, "video/x-matroska"),
    ],
)
def test_given_pictures_when_cut_then_the_clip_begins_at_the_key_frame_and_says_so(
    make: recordings.Maker, media_type: str, tmp_path: Path
) -> None:
    clip = cut(make(tmp_path), MIDDLE, tmp_path / "clip")
    info = probe(tmp_path / "clip")
    assert clip.media_type == media_type and clip.begins_ms <= 1300
    assert info.video is not None and len(info.audio) == 1
    for original_ms in (1500, 2500):
        assert hue_error(tmp_path / "clip", original_ms - clip.begins_ms, original_ms) < 40


def test_given_a_key_frame_within_when_cut_behind_it_then_what_is_before_it_is_left_out(tmp_path: Path) -> None:
    with av.open(str(recordings.mp4(tmp_path))) as container:
        keys = [float(p.pts * p.time_base) for p in container.demux(video=0) if p.is_keyframe and p.pts]
    at = round(keys[0] * 1000)
    clip = cut(recordings.mp4(tmp_path), Span(start_ms=at + 10, end_ms=at + 900), tmp_path / "clip")
    assert abs(clip.begins_ms - at) <= 25
    assert probe(tmp_path / "clip").duration_ms < 1000


def test_given_a_clip_with_sound_when_heard_then_the_sound_is_where_it_was(tmp_path: Path) -> None:
    clip = cut(recordings.mp4(tmp_path), MIDDLE, tmp_path / "clip")
    with av.open(str(tmp_path / "clip")) as container:
        loud = [frame.time for frame in container.decode(audio=0) if float(np.abs(frame.to_ndarray()).max()) > 0.1]
    beep_ms = 2_500 - clip.begins_ms
    assert min(abs(at * 1000 - beep_ms) for at in loud if at is not None) < 60


@pytest.mark.parametrize(
    ("make", "media_type"),
    [
        (recordings.wav, "audio/x-matroska"),
        (recordings.mp3, "audio/mp4"),
        (recordings.m4a, "audio/mp4"),
        (recordings.ogg, "audio/webm"),
        (recordings.flac, "audio/mp4"),
    ],
)
def test_given_sound_when_cut_then_it_is_as_long_as_the_range(
    make: recordings.Maker, media_type: str, tmp_path: Path
) -> None:
    clip = cut(make(tmp_path), MIDDLE, tmp_path / "clip")
    assert clip.media_type == media_type
    assert abs(probe(tmp_path / "clip").duration_ms - 1700) < 250


def test_given_a_turned_recording_when_cut_then_the_clip_is_turned(tmp_path: Path) -> None:
    source = recordings.mp4_rotated(tmp_path)
    cut(source, MIDDLE, tmp_path / "clip")
    turned, original = probe(tmp_path / "clip").video, probe(source).video
    assert turned is not None and original is not None
    assert turned.rotation_degrees == original.rotation_degrees != 0


def test_given_a_clip_when_read_then_nothing_was_encoded_again(tmp_path: Path) -> None:
    source = recordings.mp4(tmp_path)
    cut(source, Span(start_ms=0, end_ms=6000), tmp_path / "clip")

    def packets(path: Path) -> list[bytes]:
        with av.open(str(path)) as container:
            return [bytes(packet) for packet in container.demux(video=0) if packet.size]

    assert packets(tmp_path / "clip") == packets(source)


def test_given_a_range_that_ends_behind_the_recording_when_cut_then_it_ends_with_it(tmp_path: Path) -> None:
    clip = cut(recordings.mp4(tmp_path), Span(start_ms=5000, end_ms=60_000), tmp_path / "clip")
    assert abs(clip.ends_ms - 6000) < 100


@pytest.mark.parametrize("start_ms", [6500, 3_600_000])
@pytest.mark.parametrize("make", [recordings.mp4, recordings.webm, recordings.wav])
def test_given_a_range_behind_the_end_when_cut_then_refused(
    make: recordings.Maker, start_ms: int, tmp_path: Path
) -> None:
    with pytest.raises(RequestInvalid):
        cut(make(tmp_path), Span(start_ms=start_ms, end_ms=start_ms + 1000), tmp_path / "clip")


def test_given_a_file_that_is_no_recording_when_cut_then_refused(tmp_path: Path) -> None:
    with pytest.raises(MediaNotRecognised):
        cut(recordings.text_renamed(tmp_path), MIDDLE, tmp_path / "clip")


def test_given_nobody_waits_when_cutting_then_it_stops(tmp_path: Path) -> None:
    def stop() -> None:
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        cut(recordings.mp4(tmp_path), MIDDLE, tmp_path / "clip", stop)


def test_given_a_trimmed_recording_when_probed_then_what_its_edit_list_hides_is_no_fault(tmp_path: Path) -> None:
    trimmed = tmp_path / "trimmed.mp4"
    with av.open(str(recordings.mp4(tmp_path))) as source, av.open(str(trimmed), "w") as sink:
        track = source.streams.video[0]
        target = sink.add_stream_from_template(track)
        for packet in source.demux(track):
            if packet.pts is not None and packet.dts is not None:
                hidden = int(1.4 / packet.time_base)
                packet.pts, packet.dts, packet.stream = packet.pts - hidden, packet.dts - hidden, target
                sink.mux(packet)
    info = probe(trimmed)
    assert info.video is not None and info.video.codec == "h264"
