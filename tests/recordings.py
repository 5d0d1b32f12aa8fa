"""Recordings for tests, made on the spot, with content that can be checked.

Every maker takes a folder and returns the file in it. What it has made once in this process it writes out as it was, so
that a session shares it, and whoever changes a file changes their own::

    path = recordings.mp4(folder)

Unless a maker says otherwise, what is in it is the *storyboard*: 6 s, 320 by 180, 25 frames a second, a screen of
another colour every 2 s (``colour_at``) with a white square in its top left corner and the time at its lower edge
(``clock_ms``), and a 1 kHz beep of 200 ms at each of ``BEEPS_MS``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, wraps
from pathlib import Path

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.stream import VideoStream
from numpy.typing import NDArray
from PIL import Image, ImageDraw

DURATION_MS = 6_000
SCREEN_MS = 2_000
COLOURS = ((200, 40, 40), (40, 160, 60), (50, 70, 200))
BEEPS_MS = (500, 2_500, 4_500)
BEEP_LENGTH_MS = 200
WIDTH, HEIGHT, FPS = 320, 180, 25
MARKER_PX = 40
"""Side of the white square in the top left corner."""

CLOCK_BITS, CLOCK_TICK_MS, CLOCK_PX = 10, 10, 10
"""The time of a picture, written into it: black and white squares of ``CLOCK_PX`` in the middle of the lower edge, the
lowest bit rightmost, counting ``CLOCK_TICK_MS``. Too small to make another screen."""

LATE_MS = 1_500
"""When the sound of ``mp4_with_late_sound`` begins."""

IRREGULAR_FRAMES_MS = (0, 40, 400, 1_000, 2_000, 2_040, 3_700, 4_000, 4_010, 5_900)
"""When the frames of ``mp4_variable_frame_rate`` appear."""

GAP_MS = (1_000, 2_200)
"""The stretch whose sound packets ``mkv_with_a_hole_in_its_sound`` has lost."""

Sound = NDArray[np.float32]
Picture = NDArray[np.uint8]
Maker = Callable[[Path], Path]


_MADE: dict[str, bytes] = {}
"""By name, what was made in this process."""


def recording(name: str) -> Callable[[Callable[[Path], None]], Maker]:
    """Turn a function that writes a file into one that puts it into a folder as ``name``, and makes it once."""

    def named(write: Callable[[Path], None]) -> Maker:
        @wraps(write)
        def make(folder: Path) -> Path:
            path = folder / name
            if not path.exists():
                folder.mkdir(parents=True, exist_ok=True)
                unfinished = folder / f"unfinished-{os.getpid()}-{name}"
                if name in _MADE:
                    unfinished.write_bytes(_MADE[name])
                else:
                    write(unfinished)
                    _MADE[name] = unfinished.read_bytes()
                unfinished.replace(path)
            return path

        return make

    return named


# --- what is shown and heard -----------------------------------------------------------------------------------------


def colour_at(at_ms: float) -> tuple[int, int, int]:
    """The storyboard's colour (red, green, blue) on screen at a time."""
    return COLOURS[min(int(at_ms // SCREEN_MS), len(COLOURS) - 1)]


def storyboard_picture(at_ms: float) -> Picture:
    picture = _screen(colour_at(at_ms)).copy()
    for bit in range(CLOCK_BITS):
        left = _clock_left(bit)
        picture[-CLOCK_PX:, left : left + CLOCK_PX] = 255 * (round(at_ms / CLOCK_TICK_MS) >> bit & 1)
    return picture


@cache
def _screen(colour: tuple[int, int, int]) -> Picture:
    picture = np.full((HEIGHT, WIDTH, 3), colour, dtype=np.uint8)
    picture[:MARKER_PX, :MARKER_PX] = 255
    return picture


def clock_ms(shown: Image.Image) -> int:
    """The time that is written in a picture of the storyboard, which stands upright."""
    grey = np.asarray(shown.convert("L"))
    middle = CLOCK_PX // 2
    bits = [grey[-middle, _clock_left(bit) + middle] > 127 for bit in range(CLOCK_BITS)]
    return sum(CLOCK_TICK_MS << bit for bit, is_set in enumerate(bits) if is_set)


def _clock_left(bit: int) -> int:
    return (WIDTH + CLOCK_BITS * CLOCK_PX) // 2 - (bit + 1) * CLOCK_PX


def beeps(rate: int = 48_000, *, at_ms: Sequence[int] = BEEPS_MS, duration_ms: int = DURATION_MS) -> Sound:
    """Mono samples: silence with a 1 kHz beep at each of the times."""
    sound = np.zeros(rate * duration_ms // 1000, dtype=np.float32)
    for start_ms in at_ms:
        start, stop = rate * start_ms // 1000, rate * (start_ms + BEEP_LENGTH_MS) // 1000
        sound[start:stop] = 0.5 * np.sin(2 * np.pi * 1000 * np.arange(stop - start) / rate)
    return sound


def silence(rate: int = 48_000, *, duration_ms: int = DURATION_MS) -> Sound:
    return np.zeros(rate * duration_ms // 1000, dtype=np.float32)


def music(rate: int = 48_000, *, duration_ms: int = DURATION_MS) -> Sound:
    """A slow melody of plain chords, without a voice."""
    sound = silence(rate, duration_ms=duration_ms)
    length = rate // 2
    at = np.arange(length) / rate
    envelope = np.exp(-3 * at)
    for number, start in enumerate(range(0, sound.size - length + 1, length)):
        root = 220 * 2 ** ((0, 5, 7, 3)[number % 4] / 12)
        chord = sum(np.sin(2 * np.pi * root * ratio * at) for ratio in (1, 1.25, 1.5))
        sound[start : start + length] = 0.12 * envelope * chord
    return sound


# --- writing ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Track:
    """An audio track: samples by channel (or mono), and how they are stored."""

    sound: Sound
    codec: str = "aac"
    layout: str = "mono"
    rate: int = 48_000
    start_ms: int = 0
    default: bool = False
    keep: Callable[[float], bool] = field(default=lambda _ms: True)
    """Which packets, by their time in ms, survive."""


@dataclass(frozen=True)
class Film:
    """A video track: a picture for a time, and when there are frames (all of them regular if not said)."""

    picture: Callable[[float], Picture] = storyboard_picture
    codec: str = "libx264"
    frames_ms: Sequence[int] | None = None
    duration_ms: int = DURATION_MS
    fps: int = FPS
    options: tuple[tuple[str, str], ...] = (("preset", "ultrafast"), ("g", "50"))
    rotation: int = 0
    """Degrees by which players turn the picture counterclockwise."""
    pixel_aspect: Fraction | None = None

    @property
    def tick(self) -> Fraction:
        """Unit of its timestamps, s."""
        return Fraction(1, self.fps) if self.frames_ms is None else Fraction(1, 1000)

    def times_ms(self) -> Iterable[float]:
        if self.frames_ms is not None:
            return self.frames_ms
        return (number * 1000 / self.fps for number in range(self.duration_ms * self.fps // 1000))


def write(
    out: Path,
    *,
    film: Film | None = None,
    tracks: Sequence[Track] = (),
    container: str | None = None,
    options: dict[str, str] | None = None,
    tags: dict[str, str] | None = None,
) -> None:
    """Encode and mux. Everything is held in memory: recordings of tests are short."""
    with av.open(str(out), "w", format=container, container_options=options or {}) as sink:
        sink.metadata.update(tags or {})
        video = _add_film(sink, film) if film else None
        audio = [_add_track(sink, track) for track in tracks]
        packets = list(_film_packets(video, film)) if film and video else []
        for stream, track in zip(audio, tracks, strict=True):
            packets += _track_packets(stream, track)
        for packet in sorted(packets, key=lambda packet: (packet.dts or 0) * packet.time_base):
            sink.mux(packet)


def _add_film(sink: OutputContainer, film: Film) -> VideoStream:
    first = film.picture(0)
    stream = sink.add_stream(film.codec, rate=film.fps, options=dict(film.options))
    assert isinstance(stream, VideoStream)
    stream.height, stream.width = first.shape[:2]
    stream.pix_fmt = "yuv420p"
    stream.codec_context.time_base = film.tick
    if film.pixel_aspect:
        stream.sample_aspect_ratio = film.pixel_aspect
    if film.rotation:
        stream.set_display_rotation(film.rotation)
    return stream


def _film_packets(stream: VideoStream, film: Film) -> Iterator[Packet[Stream]]:
    for at_ms in film.times_ms():
        frame = av.VideoFrame.from_ndarray(film.picture(at_ms), format="rgb24")
        frame.time_base = film.tick
        frame.pts = round(Fraction(at_ms) / 1000 / film.tick)
        yield from stream.encode(frame)
    yield from stream.encode(None)


def _add_track(sink: OutputContainer, track: Track) -> AudioStream:
    stream = sink.add_stream(track.codec, rate=track.rate, layout=track.layout)
    assert isinstance(stream, AudioStream)
    stream.codec_context.time_base = Fraction(1, track.rate)
    if track.default:
        stream.disposition = av.stream.Disposition.default
    return stream


def _track_packets(stream: AudioStream, track: Track) -> list[Packet[Stream]]:
    channels = np.atleast_2d(track.sound)
    packets: list[Packet[Stream]] = []
    step = track.rate // 50
    for start in range(0, channels.shape[1], step):
        block = channels[:, start : start + step].T.reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(block), format="flt", layout=track.layout)
        frame.sample_rate = track.rate
        frame.time_base = Fraction(1, track.rate)
        frame.pts = start + track.start_ms * track.rate // 1000
        packets += stream.encode(frame)
    packets += stream.encode(None)
    return [packet for packet in packets if track.keep(float((packet.pts or 0) * packet.time_base * 1000))]


STORYBOARD = Film()
BEEPING = Track(beeps())
VP8 = Film(codec="libvpx", options=(("deadline", "realtime"), ("cpu-used", "8"), ("g", "50"), ("threads", "1")))
"""Of one thread: several turn in circles while they wait for each other, where processors are busy for ten times as
long as the work takes."""


# --- recordings that work --------------------------------------------------------------------------------------------


@recording("plain.mp4")
def mp4(out: Path) -> None:
    """H.264 and AAC; the index (moov) at the end, as recorders write it."""
    write(out, film=STORYBOARD, tracks=[BEEPING])


@recording("faststart.mp4")
def mp4_faststart(out: Path) -> None:
    """The index in front."""
    write(out, film=STORYBOARD, tracks=[BEEPING], options={"movflags": "faststart"})


@recording("fragmented.mp4")
def mp4_fragmented(out: Path) -> None:
    """Fragments, without a total duration in front."""
    write(out, film=STORYBOARD, tracks=[BEEPING], options={"movflags": "frag_keyframe+empty_moov+default_base_moof"})


@recording("plain.mov")
def mov(out: Path) -> None:
    """QuickTime with uncompressed sound."""
    write(out, film=STORYBOARD, tracks=[Track(beeps(), codec="pcm_s16le")])


@recording("plain.mkv")
def mkv(out: Path) -> None:
    write(out, film=STORYBOARD, tracks=[BEEPING])


@recording("plain.webm")
def webm(out: Path) -> None:
    """VP8 and Opus, duration and cues written."""
    write(out, film=VP8, tracks=[Track(beeps(), codec="libopus")])


@recording("without-duration.webm")
def webm_without_duration(out: Path) -> None:
    """As a browser's recorder streams it: neither duration nor cues."""
    write(out, film=VP8, tracks=[Track(beeps(), codec="libopus")], options={"live": "1"})


TORN = 0.7
"""Of the bytes of a file whose recorder died: where the rest would have been is any place, within whatever it is in."""


def _torn(whole: Maker, out: Path) -> None:
    data = whole(out.parent).read_bytes()
    out.write_bytes(data[: int(TORN * len(data))])


@recording("torn.webm")
def webm_torn(out: Path) -> None:
    _torn(webm_without_duration, out)


@recording("torn-fragmented.mp4")
def mp4_fragmented_torn(out: Path) -> None:
    """As a browser's recorder writes MP4, in fragments of half a second."""
    _torn(_mp4_streamed, out)


@recording("streamed.mp4")
def _mp4_streamed(out: Path) -> None:
    film = replace(STORYBOARD, options=(*STORYBOARD.options, ("g", "12")))
    write(out, film=film, tracks=[BEEPING], options={"movflags": "frag_keyframe+empty_moov+default_base_moof"})


@recording("stream.ts")
def mpegts(out: Path) -> None:
    """A transport stream, whose clock begins at 1.4 s and not at 0."""
    write(out, film=STORYBOARD, tracks=[BEEPING])


B_FRAMES = (("preset", "veryfast"), ("bf", "3"), ("sc_threshold", "0"))


@recording("b-frames.ts")
def mpegts_with_b_frames(out: Path) -> None:
    """Its first picture is decoded before the recording begins."""
    write(out, film=Film(options=(*B_FRAMES, ("g", "50"))), tracks=[BEEPING])


@recording("open-groups.ts")
def mpegts_with_open_groups(out: Path) -> None:
    write(out, film=Film(options=(*B_FRAMES, ("g", "50"), ("x264-params", "open-gop=1"))), tracks=[BEEPING])


@recording("one-key-frame.ts")
def mpegts_with_one_key_frame(out: Path) -> None:
    write(out, film=Film(options=(*B_FRAMES, ("g", "10000"))))


@recording("joined.ts")
def mpegts_joined_within_a_group(out: Path) -> None:
    """A stream recorded from 1 s on: its first key frame comes at 2 s."""
    whole = out.with_name("joined-whole.ts")
    write(whole, film=Film(options=(*B_FRAMES, ("g", "50"))))
    with av.open(str(whole)) as source:
        first, *rest = source.demux(video=0)
        start = next(
            each.pos
            for each in rest
            if ((each.dts or 0) - (first.dts or 0)) * each.time_base.numerator >= each.time_base.denominator
        )
    out.write_bytes(whole.read_bytes()[int(start or 0) // 188 * 188 :])


@recording("b-frames-without-an-index.mkv")
def mkv_live_with_b_frames(out: Path) -> None:
    with av.open(str(out), "w", options={"live": "1"}) as sink:
        stream = _add_film(sink, Film(options=(*B_FRAMES, ("g", "50"))))
        sink.mux(list(_film_packets(stream, STORYBOARD)))


PATCHES = ((255, 255, 255), (200, 40, 40), (32, 64, 192), (48, 160, 80), (128, 128, 128), (24, 24, 24))
"""What ``hdr`` shows, side by side, white first."""

_TO_2020 = np.array(((0.6274, 0.3293, 0.0433), (0.0691, 0.9195, 0.0114), (0.0164, 0.0880, 0.8956)))
_TO_P3 = np.array(((0.8225, 0.1775, 0.0), (0.0332, 0.9668, 0.0), (0.0171, 0.0724, 0.9105)))


def hdr(folder: Path, transfer: int, primaries: int = 9, *, white: float = 203, turned: int = 0) -> Path:
    """2 s of ``PATCHES``, from 1 s on in reverse, as ``transfer`` and ``primaries`` (AVCOL_…) have them; ``white`` in
    cd/m2."""
    folder.mkdir(parents=True, exist_ok=True)
    out = folder / f"colours-{transfer}-{primaries}-{turned}.mp4"
    signal = _signal(np.asarray(np.array(PATCHES) / 255, dtype=np.float32), transfer, primaries, white)
    kr, kb = (0.2627, 0.0593) if primaries == 9 else (0.2126, 0.0722)
    red, green, blue = signal.T
    luma = kr * red + (1 - kr - kb) * green + kb * blue
    planes = (luma * 876 + 64, (blue - luma) / (2 - 2 * kb) * 896 + 512, (red - luma) / (2 - 2 * kr) * 896 + 512)
    with av.open(str(out), "w") as sink:
        stream = sink.add_stream("libx265", rate=FPS, options={"preset": "ultrafast", "x265-params": "log-level=error"})
        assert isinstance(stream, VideoStream)
        stream.width, stream.height, stream.pix_fmt = 64 * len(PATCHES), 128, "yuv420p10le"
        context = stream.codec_context
        context.color_trc, context.color_primaries = transfer, primaries
        context.colorspace, context.color_range = (9 if primaries == 9 else 1), 1
        if turned:
            stream.set_display_rotation(turned)
        for number in range(2 * FPS):
            frame = av.VideoFrame(stream.width, stream.height, "yuv420p10le")
            for plane, values in zip(frame.planes, planes, strict=True):
                order = values if number < FPS else values[::-1]
                row = np.repeat(np.rint(order).astype(np.uint16), plane.width // len(PATCHES))
                padded = np.zeros(plane.line_size // 2, dtype=np.uint16)
                padded[: row.size] = row
                plane.update(np.tile(padded, plane.height).tobytes())
            frame.pts = number
            frame.color_trc, frame.color_primaries = transfer, primaries
            frame.colorspace, frame.color_range = context.colorspace, 1
            sink.mux(stream.encode(frame))
        sink.mux(stream.encode(None))
    return out


def _signal(shown: Sound, transfer: int, primaries: int, white: float) -> Sound:
    """sRGB (0 to 1) as a signal of PQ (16), HLG (18) or BT.709 (1)."""
    linear = np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
    linear = linear @ (_TO_2020 if primaries == 9 else _TO_P3).T
    if transfer == 16:
        power = (linear * white / 10_000) ** (2610 / 16384)
        signal = ((3424 / 4096 + 2413 / 128 * power) / (1 + 2392 / 128 * power)) ** (2523 / 32)
    elif transfer == 18:
        display = linear * white / 1000
        luma = np.maximum(display @ (0.2627, 0.678, 0.0593), 1e-9)[:, None]
        scene = display * luma ** (1 / 1.2 - 1)
        curve = 0.17883277 * np.log(np.maximum(12 * scene - 0.28466892, 1e-9)) + 0.55991073
        signal = np.where(scene <= 1 / 12, np.sqrt(3 * scene), curve)
    else:
        signal = linear ** (1 / 2.4)
    return np.asarray(signal, dtype=np.float32)


@recording("plain.avi")
def avi(out: Path) -> None:
    write(out, film=Film(codec="mpeg4", options=()), tracks=[Track(beeps(), codec="libmp3lame")])


@recording("late-picture.flv")
def flv_with_a_late_picture(out: Path) -> None:
    """The sound begins before the first picture, by what its encoder waits for: the first that its index knows."""
    write(
        out,
        film=Film(codec="flv", options=(("g", "12"),)),
        tracks=[Track(beeps(44_100), codec="libmp3lame", rate=44_100)],
    )


@recording("b-frames.avi")
def avi_with_b_frames(out: Path) -> None:
    """No times of presentation: pictures are counted as they are decoded."""
    write(out, film=Film(options=(*B_FRAMES, ("g", "50"))), tracks=[Track(beeps(), codec="libmp3lame")])


@recording("variable-frame-rate.mp4")
def mp4_variable_frame_rate(out: Path) -> None:
    """Frames at ``IRREGULAR_FRAMES_MS`` only."""
    write(out, film=Film(frames_ms=IRREGULAR_FRAMES_MS), tracks=[BEEPING])


@recording("rotated.mp4")
def mp4_rotated(out: Path) -> None:
    """A phone held upright: stored 320 by 180, to be turned 90 degrees clockwise, so that the white square is shown in
    the top right corner of 180 by 320."""
    write(out, film=Film(rotation=-90), tracks=[BEEPING])


@recording("anamorphic.mp4")
def mp4_wide_pixels(out: Path) -> None:
    """Stored 320 by 180 with pixels twice as wide as high: shown 640 by 180."""
    write(out, film=Film(pixel_aspect=Fraction(2)), tracks=[BEEPING])


@recording("two-tracks.mp4")
def mp4_first_audio_track_empty(out: Path) -> None:
    """Two audio tracks, of which the first, the default one, is silent and the second beeps."""
    write(out, film=STORYBOARD, tracks=[Track(silence(), default=True), BEEPING])


@recording("all-tracks-silent.mp4")
def mp4_all_audio_tracks_silent(out: Path) -> None:
    write(out, film=STORYBOARD, tracks=[Track(silence()), Track(silence())])


@recording("music-and-beeps.mkv")
def mkv_two_audible_tracks(out: Path) -> None:
    """Two audio tracks: first music, then beeps."""
    write(out, film=STORYBOARD, tracks=[Track(music()), BEEPING])


@recording("surround.mkv")
def mkv_surround(out: Path) -> None:
    """48 kHz 5.1: beeps in the centre, quiet hiss everywhere else."""
    hiss = (np.random.default_rng(1).standard_normal((6, beeps().size)) * 0.002).astype(np.float32)
    hiss[2] = beeps()
    write(out, film=STORYBOARD, tracks=[Track(hiss, codec="ac3", layout="5.1")])


@recording("surround-7.1.mp4")
def mp4_surround_of_eight(out: Path) -> None:
    """7.1: beeps in the centre, silence everywhere else."""
    channels = np.zeros((8, beeps().size), dtype=np.float32)
    channels[2] = beeps()
    write(out, film=STORYBOARD, tracks=[Track(channels, layout="7.1")])


@recording("broken-tags.mp4")
def mp4_broken_tags(out: Path) -> None:
    """A title and a track's language that are no valid UTF-8."""
    write(out, film=STORYBOARD, tracks=[BEEPING], tags={"title": "TITLE-TO-BREAK", "artist": "Arnold"})
    patch(out, b"TITLE-TO-BREAK", b"\xff\xfe\xc3\x28\x80\x80E-TO-BREAK"[:14])


@recording("without-sound.mp4")
def mp4_without_sound(out: Path) -> None:
    """No audio track at all."""
    write(out, film=STORYBOARD)


@recording("silent.mp4")
def mp4_silent(out: Path) -> None:
    """An audio track of digital silence."""
    write(out, film=STORYBOARD, tracks=[Track(silence())])


@recording("music.mp4")
def mp4_music_only(out: Path) -> None:
    """An audio track with music and no voice."""
    write(out, film=STORYBOARD, tracks=[Track(music())])


@recording("late-sound.mp4")
def mp4_with_late_sound(out: Path) -> None:
    """The sound begins at ``LATE_MS``, its beeps ``BEEPS_MS`` after that, by an edit list."""
    write(out, film=STORYBOARD, tracks=[Track(beeps(), start_ms=LATE_MS)])


@recording("hole.mkv")
def mkv_with_a_hole_in_its_sound(out: Path) -> None:
    """Sound packets within ``GAP_MS`` were never written."""
    kept = Track(beeps(), codec="pcm_s16le", keep=lambda ms: not GAP_MS[0] <= ms < GAP_MS[1])
    write(out, film=STORYBOARD, tracks=[kept])


@recording("drifting.mkv")
def mkv_with_drifting_clock(out: Path) -> None:
    """Sound whose timestamps run 2 % slower than its samples: the beep that is sampled at t is due at 1.02 t."""
    with av.open(str(out), "w") as sink:
        video, audio = _add_film(sink, STORYBOARD), _add_track(sink, Track(beeps(), codec="pcm_s16le"))
        packets = list(_film_packets(video, STORYBOARD))
        for packet in _track_packets(audio, Track(beeps(), codec="pcm_s16le")):
            packet.pts = packet.dts = round((packet.pts or 0) * 1.02)
            packets.append(packet)
        for packet in sorted(packets, key=lambda packet: (packet.dts or 0) * packet.time_base):
            sink.mux(packet)


@recording("damaged-sound.mkv")
def mkv_with_a_damaged_sound_packet(out: Path) -> None:
    """One AAC packet, within the second beep, is overwritten."""
    write(out, film=STORYBOARD, tracks=[BEEPING])
    with av.open(str(out)) as source:
        victim = next(bytes(p) for p in source.demux(audio=0) if p.size and (p.pts or 0) * p.time_base > 2.6)
    patch(out, victim, b"\xff" * len(victim))


@recording("sound.wav")
def wav(out: Path) -> None:
    write(out, tracks=[Track(beeps(), codec="pcm_s16le")])


@recording("sound.mp3")
def mp3(out: Path) -> None:
    write(out, tracks=[Track(beeps(), codec="libmp3lame")])


@recording("cover.mp3")
def mp3_with_cover_art(out: Path) -> None:
    """Sound with a picture attached, which is no video."""
    with av.open(str(out), "w") as sink:
        audio = _add_track(sink, Track(beeps(), codec="libmp3lame"))
        cover = sink.add_stream("png", rate=1)
        assert isinstance(cover, VideoStream)
        cover.width, cover.height, cover.pix_fmt = 64, 64, "rgb24"
        cover.disposition = av.stream.Disposition.attached_pic
        picture = av.VideoFrame.from_ndarray(np.full((64, 64, 3), 90, dtype=np.uint8), format="rgb24")
        for packet in [*cover.encode(picture), *cover.encode(None), *_track_packets(audio, Track(beeps()))]:
            sink.mux(packet)


@recording("sound.m4a")
def m4a(out: Path) -> None:
    write(out, tracks=[BEEPING], container="ipod")


@recording("sound.ogg")
def ogg(out: Path) -> None:
    """Opus in Ogg."""
    write(out, tracks=[Track(beeps(), codec="libopus")])


@recording("sound.flac")
def flac(out: Path) -> None:
    write(out, tracks=[Track(beeps(), codec="flac")])


# --- a screen recording, for what stands still -----------------------------------------------------------------------

SETTLED_MS = ((0, 4_000), (5_000, 9_000), (10_000, 14_000), (14_000, 18_000))
"""When the screens of ``mp4_screens_with_transitions`` stand still. A fade follows the first, a slide the second, a cut
the third; a pointer moves during the first and a caret blinks during the third."""


@recording("screens.mp4")
def mp4_screens_with_transitions(out: Path) -> None:
    """Four screens full of text, 640 by 360, 18 s, without sound. See ``SETTLED_MS``."""
    screens = [text_screen(number) for number in range(4)]
    write(out, film=Film(picture=lambda at_ms: _transition_picture(screens, at_ms), duration_ms=18_000))


@recording("speaker.mp4")
def mp4_speaker_in_the_corner(out: Path) -> None:
    """The first two of these screens, cut at 20 s of 40 s, with something that never rests in a corner."""
    screens = [text_screen(number) for number in range(2)]
    noise = np.random.default_rng(3)

    def picture(at_ms: float) -> Picture:
        shown = screens[at_ms >= 20_000].copy()
        shown[260:350, 500:630] = noise.integers(0, 255, (90, 130, 1), dtype=np.uint8)
        return shown

    write(out, film=Film(picture=picture, duration_ms=40_000, fps=10))


def text_screen(number: int, width: int = 640, height: int = 360) -> Picture:
    """A made-up application's window: a coloured bar, and rows of dark dashes in place of words."""
    draw_on = Image.new("RGB", (width, height), (244, 245, 248))
    draw = ImageDraw.Draw(draw_on)
    draw.rectangle((0, 0, width, height // 10), fill=((60, 90, 40, 120)[number % 4], 70, (150, 90, 60, 90)[number % 4]))
    words = np.random.default_rng(100 + number)
    for top in range(height // 6, height - height // 12, height // 18):
        left = width // 12
        while left < width * 0.85:
            length = int(words.integers(width // 40, width // 10))
            draw.rectangle((left, top, left + length, top + height // 40), fill=(30, 30, 40))
            left += length + width // 60
    return np.asarray(draw_on)


def _transition_picture(screens: Sequence[Picture], at_ms: float) -> Picture:
    if at_ms < 4_000:
        return _with_pointer(screens[0], at_ms)
    if at_ms < 5_000:
        share = (at_ms - 4_000) / 1000
        return (screens[0] * (1 - share) + screens[1] * share).astype(np.uint8)
    if at_ms < 9_000:
        return screens[1]
    if at_ms < 10_000:
        edge = round(640 * (at_ms - 9_000) / 1000)
        return np.concatenate((screens[1][:, edge:], screens[2][:, :edge]), axis=1)
    return _with_caret(screens[2], at_ms) if at_ms < 14_000 else screens[3]


def _with_pointer(screen: Picture, at_ms: float) -> Picture:
    shown = screen.copy()
    left, top = 40 + round(at_ms / 8), 60 + round(at_ms / 20)
    shown[top : top + 12, left : left + 8] = 0
    return shown


def _with_caret(screen: Picture, at_ms: float) -> Picture:
    shown = screen.copy()
    if at_ms % 1000 < 500:
        shown[100:112, 300:302] = (0, 0, 0)
    return shown


# --- recordings that do not work -------------------------------------------------------------------------------------


@recording("empty.mp4")
def empty(out: Path) -> None:
    """Zero bytes."""
    out.write_bytes(b"")


@recording("text.mp4")
def text_renamed(out: Path) -> None:
    out.write_text("This is a shopping list, and it has been renamed.\n" * 200)


@recording("noise.mp4")
def random_bytes(out: Path) -> None:
    out.write_bytes(np.random.default_rng(7).bytes(300_000))


@recording("picture.mp4")
def picture_renamed(out: Path) -> None:
    """A PNG."""
    Image.fromarray(storyboard_picture(0)).save(out, "PNG")


@recording("playlist.mp4")
def playlist_renamed(out: Path) -> None:
    """An HLS playlist that names a local file and an address."""
    out.write_text("#EXTM3U\n#EXTINF:10,\nfile:///etc/hostname\n#EXTINF:10,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n")


@recording("concat.mp4")
def concat_script_renamed(out: Path) -> None:
    """FFmpeg's concatenation script."""
    out.write_text("ffconcat version 1.0\nfile /etc/hostname\n")


@recording("session.mp4")
def session_description_renamed(out: Path) -> None:
    """SDP: makes FFmpeg listen on the network."""
    out.write_text("v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n")


@recording("cut.mp4")
def mp4_cut_before_its_index(out: Path) -> None:
    """The first two thirds of a recording whose index is at the end."""
    _cut(mp4(out.parent), out, Fraction(2, 3))


@recording("cut-index.mp4")
def mp4_cut_within_its_index(out: Path) -> None:
    _cut(mp4_faststart(out.parent), out, Fraction(1, 50))


@recording("cut-after-index.mp4")
def mp4_cut_after_its_index(out: Path) -> None:
    """The index in front is whole, all pictures and sound are missing."""
    whole = mp4_faststart(out.parent).read_bytes()
    out.write_bytes(whole[: whole.index(b"mdat") + 4])


@recording("cut-half.mp4")
def mp4_cut_in_the_middle(out: Path) -> None:
    """The index in front is whole, and so are some seconds after it: it plays, but not to its end."""
    _cut(mp4_faststart(out.parent), out, Fraction(2, 3))


@recording("cut-header.mkv")
def mkv_cut_after_its_header(out: Path) -> None:
    whole = mkv(out.parent).read_bytes()
    out.write_bytes(whole[: whole.index(b"\x1f\x43\xb6\x75")])


@recording("unknown-video.mp4")
def mp4_unknown_video_codec(out: Path) -> None:
    """The picture's codec is called one that nobody knows; the sound is fine."""
    write(out, film=STORYBOARD, tracks=[BEEPING])
    patch(out, b"avc1\x00", b"xq7z\x00")


@recording("unknown-audio.mkv")
def mkv_unknown_audio_codec(out: Path) -> None:
    """The sound's codec is called one that nobody knows; the picture is fine."""
    write(out, film=STORYBOARD, tracks=[BEEPING])
    patch(out, b"A_AAC", b"A_XQ7")


@recording("protected.mp4")
def mp4_garbled_video(out: Path) -> None:
    """The picture's codec is known, but nothing of it decodes, as in a protected recording."""
    write(out, film=STORYBOARD, tracks=[BEEPING])
    with av.open(str(out)) as source:
        packets = [(p.pos, p.size) for p in source.demux(video=0) if p.size]
    content = bytearray(out.read_bytes())
    noise = np.random.default_rng(5)
    for position, size in packets:
        assert position is not None
        content[position : position + size] = noise.bytes(size)
    out.write_bytes(content)


@recording("short.wav")
def wav_too_short(out: Path) -> None:
    """A third of a second of sound."""
    write(out, tracks=[Track(beeps(at_ms=(50,), duration_ms=330), codec="pcm_s16le")])


@recording("header.wav")
def wav_without_samples(out: Path) -> None:
    out.write_bytes(wav(out.parent).read_bytes()[:40] + b"\x00\x00\x00\x00")


def patch(path: Path, old: bytes, new: bytes) -> None:
    """Replace bytes in a file by as many others.

    Raises:
        ValueError: The old ones are not there.
    """
    if len(old) != len(new):
        raise ValueError("a patch keeps the length")
    content = path.read_bytes()
    if old not in content:
        raise ValueError("nothing to patch")
    path.write_bytes(content.replace(old, new))


def _cut(whole: Path, out: Path, share: Fraction) -> None:
    content = whole.read_bytes()
    out.write_bytes(content[: int(len(content) * share)])
