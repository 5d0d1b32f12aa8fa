"""Decoding apart from the worker: the functions of this package, each in a confined process of its own.

What comes back is numbers and plain samples (``activities/decoding``).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from PIL import Image
from pydantic import NonNegativeInt, TypeAdapter

from activities.confined.outside import Report, moved
from activities.decoding.ordering import Decoding, decoding_died, natural, ordered, valid
from activities.media.audio import AudioFacts
from activities.media.container import MAX_PICTURE_PIXELS, OnProgress
from activities.media.frames import Frame, Strategy, in_order
from activities.media.pictures import sharpness
from activities.media.screenshot_timing import FrameRequest
from activities.media.tracks import Judge, Listener, TrackChoice, choose_track, speech_spans
from domain.recordings.media import AudioTrack, MediaInfo, Scene

INSIDE = "activities.media.inside"

LARGEST_SOUND = 2 << 30
"""Bytes: 12 hours of 16 kHz mono FLAC have 0.7 GB."""
LARGEST_WINDOWS = 256 << 20
LARGEST_PICTURE = 3 * 2 * MAX_PICTURE_PIXELS
"""Bytes of a decoded picture, which square pixels may make wider than it is stored."""


_SCENES = TypeAdapter(tuple[Scene, ...])
_WINDOWS = TypeAdapter(list[list[tuple[NonNegativeInt, NonNegativeInt]]])


def probe(path: Path, *, on_progress: OnProgress | None = None) -> MediaInfo:
    """See ``activities.media.probe``. Also raises: DecodingDied."""
    with ordered(path, (INSIDE, "probe"), on_progress) as decoding:
        return valid(lambda: MediaInfo.model_validate(decoding.answer()))


def extract_audio(
    path: Path, track_index: int, out: Path, *, also: Sequence[int] = (), on_progress: OnProgress | None = None
) -> AudioFacts:
    """See ``activities.media.audio``. Also raises: DecodingDied."""
    order = {"track": track_index, "also": list(also), "made": "audio.flac"}
    with ordered(path, (INSIDE, "audio"), on_progress, order, beside=out, file_bytes=LARGEST_SOUND) as decoding:
        facts = valid(lambda: TypeAdapter(AudioFacts).validate_python(decoding.answer()))
        moved(decoding.folder, "audio.flac", out, LARGEST_SOUND)
        return facts


def sound_ms(path: Path) -> int:
    """See ``activities.media.audio``. Also raises: DecodingDied."""
    with ordered(path, (INSIDE, "sound_ms"), None) as decoding:
        return valid(lambda: TypeAdapter(int).validate_python(decoding.answer()))


def pick_speech_track(
    path: Path,
    info: MediaInfo,
    on_progress: OnProgress | None = None,
    *,
    judge: Judge = speech_spans,
) -> TrackChoice:
    """See ``activities.media.tracks``. What was heard is judged here. Also raises: DecodingDied."""
    return choose_track(info, lambda: _hear(path, info, on_progress), judge)


def _hear(path: Path, info: MediaInfo, on_progress: OnProgress | None) -> list[Listener]:
    made = "track-{:03}.f32"
    order = {"info": info.model_dump(mode="json"), "made": made}
    with ordered(path, (INSIDE, "tracks"), on_progress, order, file_bytes=LARGEST_WINDOWS) as decoding:
        told = valid(lambda: _WINDOWS.validate_python(decoding.answer()))
        if len(told) != len(info.audio):
            raise decoding_died()
        return [
            _listener(track, windows, decoding.file(made.format(place), LARGEST_WINDOWS))
            for place, (track, windows) in enumerate(zip(info.audio, told, strict=True))
        ]


def _listener(track: AudioTrack, windows: Sequence[tuple[int, int]], data: bytes) -> Listener:
    if len(data) != 4 * sum(size for _, size in windows):
        raise decoding_died()
    samples, listener = np.frombuffer(data, np.float32), Listener(track)
    for at_ms, size in windows:
        listener.begin(at_ms)
        listener.listen(samples[:size])
        samples = samples[size:]
    return listener


def find_scenes(path: Path, *, effort: str = "auto", on_progress: OnProgress | None = None) -> tuple[Scene, ...]:
    """See ``activities.media.scenes``. Also raises: DecodingDied."""
    with ordered(path, (INSIDE, "scenes"), on_progress, {"effort": effort}) as decoding:
        return valid(lambda: _SCENES.validate_python(decoding.answer()))


def grab_frame(
    path: Path, timestamp_ms: int, *, strategy: Strategy = "precise", duration_ms: int | None = None
) -> Frame:
    """See ``activities.media.frames``. Also raises: DecodingDied."""
    with closing(_frames(path, [FrameRequest(timestamp_ms)], duration_ms, None, strategy)) as frames:
        return next(frames)


def grab_frames(
    path: Path,
    requests: Sequence[int | FrameRequest],
    *,
    duration_ms: int | None = None,
    on_progress: OnProgress | None = None,
) -> Generator[Frame, None, None]:
    """See ``activities.media.frames``. Also raises: DecodingDied."""
    in_time = in_order(requests)
    if in_time:
        yield from _frames(path, in_time, duration_ms, on_progress, "precise")


def pick_sharp(path: Path, candidates: Sequence[int], *, duration_ms: int | None = None) -> Frame:
    """See ``activities.media.frames``. Also raises: DecodingDied."""
    if not candidates:
        raise ValueError("no candidates")
    return max(grab_frames(path, candidates, duration_ms=duration_ms), key=lambda frame: sharpness(frame.image))


def _frames(
    path: Path,
    requests: Sequence[FrameRequest],
    duration_ms: int | None,
    on_progress: OnProgress | None,
    strategy: Strategy,
) -> Generator[Frame, None, None]:
    made = "frame-{:06}.rgb"
    order = {
        "requests": [[request.timestamp_ms, request.earliest_ms] for request in requests],
        "duration_ms": duration_ms,
        "strategy": strategy,
        "made": made,
    }
    with ordered(path, (INSIDE, "frames"), on_progress, order, file_bytes=LARGEST_PICTURE) as decoding:
        place = 0
        for report in decoding.reports():
            yield _frame(decoding, made.format(place), report)
            place += 1
        if place != len(requests):
            raise decoding_died()


def _frame(decoding: Decoding, name: str, report: Report) -> Frame:
    size = (natural(report, "width"), natural(report, "height"))
    data = decoding.file(name, LARGEST_PICTURE)
    if not all(size) or len(data) != 3 * size[0] * size[1]:
        raise decoding_died()
    (decoding.folder / name).unlink()  # makes room for the next one
    return Frame(Image.frombuffer("RGB", size, data), natural(report, "pts_ms"), natural(report, "timestamp_ms"))
