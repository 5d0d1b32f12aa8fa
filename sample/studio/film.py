"""The camera and the cutting room: pictures with the pointer on them, and the sound, into one MP4 file."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from sample.studio.app import paint
from sample.studio.canvas import OVERSAMPLING
from sample.studio.canvas import Point as Position
from sample.studio.timeline import Timeline
from sample.studio.ui import HEIGHT, WIDTH
from sample.studio.voice import Samples, Speech

FRAMES_PER_SECOND = 25
KEYFRAME_EVERY = 5 * FRAMES_PER_SECOND
SOUND_RATE = 48_000
RING_SECONDS = 0.36
ARROW: tuple[Position, ...] = ((0, 0), (0, 17.5), (4.1, 13.7), (6.6, 19.6), (9.6, 18.3), (7.1, 12.5), (12.6, 12.5))


def frames(timeline: Timeline) -> Iterator[Image.Image]:
    for number in range(round(timeline.duration * FRAMES_PER_SECOND)):
        yield frame_at(timeline, number / FRAMES_PER_SECOND)


def frame_at(timeline: Timeline, moment: float) -> Image.Image:
    going, coming, share = timeline.look_at(moment)
    picture = paint(coming).copy()
    if share < 1:
        picture = Image.blend(paint(going), picture, share * share * (3 - 2 * share))
    for clicked, (x, y) in timeline.clicks:
        if 0 <= moment - clicked < RING_SECONDS:
            ring = _ring(round((moment - clicked) * FRAMES_PER_SECOND))
            picture.paste(ring, (round(x) - ring.width // 2, round(y) - ring.height // 2), ring)
    x, y = timeline.pointer_at(moment)
    picture.paste(_arrow(), (round(x) - 8, round(y) - 8), _arrow())
    return picture


@lru_cache(maxsize=1)
def _arrow() -> Image.Image:
    """The pointer, its tip at (8, 8)."""
    k, size = OVERSAMPLING, 44
    points = [((x + 8) * k, (y + 8) * k) for x, y in ARROW]
    shadow = Image.new("L", (size * k, size * k), 0)
    ImageDraw.Draw(shadow).polygon([(x + k, y + 2 * k) for x, y in points], fill=110)
    sprite = Image.new("RGBA", shadow.size, (0, 0, 0, 0))
    sprite.putalpha(shadow.filter(ImageFilter.GaussianBlur(1.6 * k)))
    draw = ImageDraw.Draw(sprite)
    draw.line([*points, points[0], points[1]], "#ffffff", width=round(2.6 * k), joint="curve")
    draw.polygon(points, "#15181f")
    return sprite.resize((size, size), Image.Resampling.LANCZOS)


@lru_cache(maxsize=16)
def _ring(age: int) -> Image.Image:
    """The ring around a click, ``age`` frames old: it widens and fades."""
    share = age / (RING_SECONDS * FRAMES_PER_SECOND)
    k, size = OVERSAMPLING, 72
    radius = (6 + 22 * share) * k
    sprite = Image.new("RGBA", (size * k, size * k), (226, 87, 30, 0))
    centre = size * k / 2
    box = (centre - radius, centre - radius, centre + radius, centre + radius)
    ImageDraw.Draw(sprite).ellipse(box, outline=(226, 87, 30, round(210 * (1 - share))), width=3 * k)
    return sprite.resize((size, size), Image.Resampling.LANCZOS)


def soundtrack(timeline: Timeline, speeches: Sequence[Speech]) -> Samples:
    """The sentences where they belong, silence between them, at the voice's own rate."""
    rate = speeches[0].rate
    track = np.zeros(round(timeline.duration * rate), dtype=np.int16)
    for spoken, speech in zip(timeline.spoken, speeches, strict=True):
        first = round(spoken.start * rate)
        track[first : first + len(speech.samples)] = speech.samples
    return track


def shoot(timeline: Timeline, speeches: Sequence[Speech], target: Path) -> None:
    """Write the film. The same story gives the same file with the same versions of the libraries: one thread, and no
    date or encoder name in the container."""
    options = {"movflags": "+faststart", "fflags": "+bitexact"}
    with av.open(str(target), "w", format="mp4", container_options=options) as film:
        film.metadata["title"] = "Sending an invoice with Maple"
        picture = film.add_stream("libx264", rate=FRAMES_PER_SECOND)
        picture.width, picture.height, picture.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        picture.codec_context.thread_count = 1
        picture.options = {"crf": "25", "preset": "slow", "tune": "animation", "g": str(KEYFRAME_EVERY)}
        sound = film.add_stream("aac", rate=SOUND_RATE, layout="mono")
        sound.bit_rate = 64_000
        for number, image in enumerate(frames(timeline)):
            frame = av.VideoFrame.from_ndarray(np.asarray(image), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, FRAMES_PER_SECOND)
            film.mux(picture.encode(frame))
        film.mux(picture.encode(None))
        for block in _blocks(soundtrack(timeline, speeches), speeches[0].rate):
            film.mux(sound.encode(block))
        film.mux(sound.encode(None))


def _blocks(track: Samples, rate: int) -> Iterator[av.AudioFrame]:
    """The track at the film's rate."""
    resampler = av.AudioResampler(format="fltp", layout="mono", rate=SOUND_RATE)
    whole = av.AudioFrame.from_ndarray(track.reshape(1, -1), format="s16", layout="mono")
    whole.sample_rate, whole.pts, whole.time_base = rate, 0, Fraction(1, rate)
    yield from resampler.resample(whole)
    yield from resampler.resample(None)
