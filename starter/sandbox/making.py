"""Small real files that the pretend models make: the same words, the same bytes."""

import hashlib
import io
import math
import wave
from array import array
from functools import lru_cache

import av
import numpy as np
from PIL import Image

from starter.sandbox.images import picture

RATE_HZ = 16_000
CHARACTERS_A_SECOND = 15
"""How fast people read aloud."""

SECONDS = 1, 20
"""The shortest and the longest sound."""

FRAMES, FRAMES_A_SECOND, SIZE = 24, 12, (128, 96)


@lru_cache(maxsize=32)
def wav(words: str) -> bytes:
    """A tone of the words' own height, as long as it takes to say them: 16-bit mono WAV."""
    height_hz = 220 + 4 * hashlib.sha256(words.encode()).digest()[0]
    seconds = min(max(len(words) / CHARACTERS_A_SECOND, SECONDS[0]), SECONDS[1])
    step = 2 * math.pi * height_hz / RATE_HZ
    samples = array("h", (round(8000 * math.sin(step * at)) for at in range(int(seconds * RATE_HZ))))
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(samples.tobytes())
    return out.getvalue()


@lru_cache(maxsize=32)
def mp3(words: str) -> bytes:
    """The same as MP3."""
    out = io.BytesIO()
    with av.open(io.BytesIO(wav(words)), "r") as tone, av.open(out, "w", format="mp3") as sink:
        stream = sink.add_stream("libmp3lame", rate=RATE_HZ, layout="mono")
        for frame in tone.decode(audio=0):
            sink.mux(stream.encode(frame))
        sink.mux(stream.encode(None))
    return out.getvalue()


@lru_cache(maxsize=32)
def mp4(words: str) -> bytes:
    """Two seconds that brighten, in the words' own colour: H.264 in MP4."""
    out = io.BytesIO()
    with (
        Image.open(io.BytesIO(picture(words, "x".join(map(str, SIZE))))) as still,
        av.open(out, "w", format="mp4") as sink,
    ):
        stream = sink.add_stream("libx264", rate=FRAMES_A_SECOND, options={"preset": "ultrafast"})
        stream.width, stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        black = Image.new("RGB", SIZE)
        for number in range(FRAMES):
            frame = av.VideoFrame.from_ndarray(np.asarray(Image.blend(black, still, number / FRAMES)))
            sink.mux(stream.encode(frame))
        sink.mux(stream.encode(None))
    return out.getvalue()
