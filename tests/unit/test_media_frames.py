"""Pictures at times, and pictures as files."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFilter

from activities.media.frames import Frame, grab_frame, grab_frames, pick_sharp
from activities.media.pictures import encode_jpeg, encode_png, encode_webp, sharpness
from activities.media.probe import probe
from activities.media.scenes import find_scenes
from activities.media.screenshot_timing import FrameRequest
from domain.errors import Cancelled, MediaHasNoContent, RequestInvalid
from tests import recordings

Maker = Callable[[Path], Path]

TIMES_MS = (0, 700, 1_930, 2_100, 2_500, 3_930, 4_100, 5_900)
"""Some in each screen, some close to where it changes."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "recordings"


def shows(frame: Frame, colour: tuple[int, int, int]) -> bool:
    middle = frame.image.getpixel((frame.image.width // 2, frame.image.height // 2))
    assert isinstance(middle, tuple)
    return all(abs(seen - due) < 20 for seen, due in zip(middle, colour, strict=True))


def marker_corner(image: Image.Image) -> str:
    inset = recordings.MARKER_PX // 4
    points = {
        "top left": (inset, inset),
        "top right": (image.width - inset, inset),
        "bottom left": (inset, image.height - inset),
        "bottom right": (image.width - inset, image.height - inset),
    }
    (corner,) = [name for name, point in points.items() if min(_rgb(image, point)) > 200]
    return corner


def _rgb(image: Image.Image, point: tuple[int, int]) -> tuple[int, ...]:
    pixel = image.getpixel(point)
    assert isinstance(pixel, tuple)
    return pixel


@pytest.mark.parametrize(
    "make",
    [
        recordings.mp4,
        recordings.mp4_faststart,
        recordings.mp4_fragmented,
        recordings.mov,
        recordings.mkv,
        recordings.webm,
        recordings.webm_without_duration,
        recordings.mpegts,
        recordings.mpegts_with_b_frames,
        recordings.mpegts_with_open_groups,
        recordings.mpegts_with_one_key_frame,
        recordings.mkv_live_with_b_frames,
        recordings.avi,
        recordings.avi_with_b_frames,
        recordings.flv_with_a_late_picture,
        recordings.mp4_rotated,
        recordings.mp4_wide_pixels,
        recordings.mp4_with_late_sound,
    ],
)
def test_given_screens_at_known_times_then_the_right_one_is_seen(make: Maker, folder: Path) -> None:
    path = make(folder)
    for frame in grab_frames(path, TIMES_MS):
        assert shows(frame, recordings.colour_at(frame.timestamp_ms)), frame.timestamp_ms
        assert -30 <= frame.timestamp_ms - frame.pts_ms <= 100  # a transport stream's picture starts late


@pytest.mark.parametrize(
    ("transfer", "primaries", "turned"),
    [(16, 9, 0), (18, 9, 0), (18, 9, 90), (1, 9, 0), (1, 12, 0)],
    ids=["PQ", "HLG", "HLG of a phone", "BT.2020", "P3"],
)
def test_given_another_colour_space_than_screens_have_then_pictures_and_scenes_are_as_on_one(
    transfer: int, primaries: int, turned: int, tmp_path: Path
) -> None:
    path = recordings.hdr(tmp_path, transfer, primaries, turned=turned)
    image = grab_frame(path, 500).image.rotate(-turned if turned else 0, expand=True)
    for place, due in enumerate(recordings.PATCHES):
        seen = _rgb(image, (64 * place + 32, 64))
        assert all(abs(one - other) <= 25 for one, other in zip(seen, due, strict=True)), (seen, due)
    assert min(_rgb(image, (32, 64))) >= 235
    first, second = find_scenes(path, effort="thorough")
    assert first.end_ms <= 1_000 <= second.start_ms <= 1_320  # three looks a second


@pytest.mark.parametrize("make", [recordings.mpegts_with_b_frames, recordings.mpegts_with_one_key_frame])
def test_given_no_index_then_every_time_shows_the_picture_of_that_time(make: Maker, folder: Path) -> None:
    path = make(folder)
    begins_ms = probe(path).duration_ms - recordings.DURATION_MS  # the sound's encoder begins before the picture
    for time in (0, 500, 1_960, 2_040, 3_500, 4_500, 5_800):
        frame = grab_frame(path, time + begins_ms)
        assert 0 <= time + begins_ms - frame.pts_ms <= 100
        assert abs(recordings.clock_ms(frame.image) - time) <= 40
        assert grab_frame(path, time + begins_ms, strategy="nearest_keyframe").pts_ms <= time + begins_ms + 1_100


def test_given_pictures_counted_as_they_are_decoded_then_each_is_seen_at_its_time(folder: Path) -> None:
    path = recordings.avi_with_b_frames(folder)
    for frame in grab_frames(path, [0, 500, 1_960, 2_040, 3_500, 4_500, 5_800]):
        assert frame.timestamp_ms - 80 <= recordings.clock_ms(frame.image) <= frame.timestamp_ms
    assert 3_400 <= recordings.clock_ms(grab_frame(path, 3_500).image) <= 3_500


def test_given_a_stream_that_was_joined_then_it_is_read_from_its_first_key_frame_on(folder: Path) -> None:
    path = recordings.mpegts_joined_within_a_group(folder)
    info = probe(path)
    assert info.video is not None
    assert recordings.clock_ms(grab_frame(path, 0).image) == 2_000
    assert abs(recordings.clock_ms(grab_frame(path, info.duration_ms - 500).image) - 5_500) <= 40


@pytest.mark.parametrize("make", [recordings.mp4, recordings.webm_without_duration, recordings.mpegts])
def test_given_one_time_or_many_then_the_frames_are_the_same(make: Maker, folder: Path) -> None:
    path = make(folder)
    alone = [grab_frame(path, time) for time in TIMES_MS]
    together = list(grab_frames(path, TIMES_MS))
    assert [frame.pts_ms for frame in alone] == [frame.pts_ms for frame in together]
    assert [encode_png(frame.image) for frame in alone] == [encode_png(frame.image) for frame in together]


def test_given_an_exact_start_of_a_frame_then_that_frame_is_seen_and_a_ms_earlier_the_one_before(folder: Path) -> None:
    path = recordings.mp4(folder)
    assert [grab_frame(path, time).pts_ms for time in (1_999, 2_000, 2_039, 2_040)] == [1_960, 2_000, 2_000, 2_040]


def test_given_a_variable_frame_rate_then_a_frame_stays_until_the_next(folder: Path) -> None:
    path = recordings.mp4_variable_frame_rate(folder)
    times = [10, 399, 400, 999, 1_999, 2_000, 3_699, 3_999, 4_005, 5_000, 5_899, 5_950]
    due = [max(at for at in recordings.IRREGULAR_FRAMES_MS if at <= time) for time in times]
    assert [frame.pts_ms for frame in grab_frames(path, times)] == due
    assert [grab_frame(path, time).pts_ms for time in times] == due


def test_given_times_out_of_order_and_twice_then_each_comes_once_in_order(folder: Path) -> None:
    times = [frame.timestamp_ms for frame in grab_frames(recordings.mp4(folder), [4_500, 100, 4_500, 2_500])]
    assert times == [100, 2_500, 4_500]


def test_given_a_still_stretch_then_its_key_frame_will_do(folder: Path) -> None:
    """Key frames are 2 s apart, at 0, 2 and 4 s."""
    requests = [FrameRequest(3_900, earliest_ms=2_000), FrameRequest(5_900, earliest_ms=5_000)]
    first, second = grab_frames(recordings.mp4(folder), requests)
    assert first.pts_ms == 2_000
    assert 5_000 <= second.pts_ms <= 5_040


def test_given_nearest_keyframe_then_the_closest_before_or_after_is_taken(folder: Path) -> None:
    path = recordings.mp4(folder)
    found = [grab_frame(path, time, strategy="nearest_keyframe").pts_ms for time in (100, 900, 1_100, 2_900, 5_900)]
    assert found == [0, 0, 2_000, 2_000, 4_000]


def test_given_a_phone_video_then_the_picture_is_upright(folder: Path) -> None:
    image = grab_frame(recordings.mp4_rotated(folder), 1_000).image
    assert image.size == (recordings.HEIGHT, recordings.WIDTH)
    assert marker_corner(image) == "top right"


@pytest.mark.parametrize(
    ("counterclockwise", "corner", "clockwise"),
    [(90, "bottom left", 270), (180, "bottom right", 180), (-90, "top right", 90)],
)
def test_given_any_quarter_turn_then_probe_and_picture_agree(
    counterclockwise: int, corner: str, clockwise: int, tmp_path: Path
) -> None:
    path = tmp_path / "turned.mp4"
    recordings.write(path, film=recordings.Film(rotation=counterclockwise, duration_ms=1_200))
    video = probe(path).video
    image = grab_frame(path, 500).image
    assert video is not None
    assert video.rotation_degrees == clockwise
    assert (video.width, video.height) == image.size
    assert marker_corner(image) == corner


def test_given_pixels_twice_as_wide_as_high_then_the_picture_is_stretched(folder: Path) -> None:
    image = grab_frame(recordings.mp4_wide_pixels(folder), 0).image
    assert image.size == (2 * recordings.WIDTH, recordings.HEIGHT)


@pytest.mark.parametrize("make", [recordings.mp4, recordings.webm_without_duration])
@pytest.mark.parametrize("time", [-1, recordings.DURATION_MS + 500])
def test_given_a_time_outside_the_recording_then_it_is_refused(make: Maker, time: int, folder: Path) -> None:
    with pytest.raises(RequestInvalid) as caught:
        grab_frame(make(folder), time)
    assert caught.value.details["timestamp_ms"] == time


def test_given_no_picture_then_it_is_refused(folder: Path) -> None:
    with pytest.raises(MediaHasNoContent):
        grab_frame(recordings.wav(folder), 1_000)


def test_given_a_cancelled_job_then_grabbing_stops(folder: Path) -> None:
    def cancel(_position_ms: int) -> None:
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        list(grab_frames(recordings.mp4(folder), [5_000], on_progress=cancel))


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("encode", "kind"), [(encode_png, "PNG"), (encode_jpeg, "JPEG"), (encode_webp, "WEBP")])
def test_given_a_picture_then_its_file_is_always_the_same_and_opens(
    encode: Callable[[Image.Image], bytes], kind: str
) -> None:
    image = Image.fromarray(recordings.text_screen(1))
    content = encode(image)
    assert content == encode(image.copy())
    with Image.open(BytesIO(content)) as again:
        assert (again.format, again.size, again.mode) == (kind, image.size, "RGB")


def test_given_a_picture_then_png_keeps_every_pixel() -> None:
    image = Image.fromarray(recordings.text_screen(2))
    with Image.open(BytesIO(encode_png(image))) as again:
        assert again.tobytes() == image.tobytes()


def test_given_a_blurred_picture_then_it_is_less_sharp() -> None:
    image = Image.fromarray(recordings.text_screen(0))
    assert sharpness(image) > 2 * sharpness(image.filter(ImageFilter.GaussianBlur(2)))


def test_given_neighbouring_times_then_the_sharpest_is_picked(tmp_path: Path) -> None:
    clear = recordings.text_screen(0)
    blurred = Image.fromarray(clear).filter(ImageFilter.GaussianBlur(3))
    pictures = {True: clear, False: np.asarray(blurred)}
    path = tmp_path / "focus.mp4"
    recordings.write(path, film=recordings.Film(picture=lambda ms: pictures[400 <= ms < 800], duration_ms=1_200))
    assert pick_sharp(path, [200, 600, 1_000]).timestamp_ms == 600
