"""The process that decodes a recording: one order, then it ends.

It is confined: it sees the recording and the folder for its answer, and nothing else. Run as a script. Everything that
FFmpeg reads of a stranger's file is read here; who ordered it is ``activities/media/apart.py``.
"""

import errno
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from activities.confined import inside

HELD_BACK = 3
"""Pictures, or blocks of samples, that wait for whoever ordered them. The next one comes when one was taken away."""

WAIT_S = 0.004
TOLD_EVERY_S = 0.2
"""Between positions of a reading, of which twelve hours have millions."""
OVER_THE_LIMIT = frozenset({errno.ENOMEM, errno.EFBIG})
"""What a process meets at its own bounds: it ends, and says nothing of the recording."""


def main() -> None:
    order = inside.order()
    recording, folder = Path(order["recording"]), Path(order["folder"])
    inside.lock_down(readable=[recording], writable=[folder])
    from domain.errors import GuidesmithError  # behind the lock, as all that follows

    try:
        inside.report(done=_WORK[order["work"]](recording, folder, order))
    except GuidesmithError as refused:
        inside.report(refused=refused.code, message=refused.message, details=refused.details)
    except OSError as fault:
        if fault.errno in OVER_THE_LIMIT:
            raise
        inside.report(machine=fault.errno)


def _at(position_ms: int) -> None:
    inside.report(at=position_ms)


def _put(folder: Path, made: str, place: int, data: bytes) -> None:
    """The next one of many files, once whoever ordered them has taken earlier ones away."""
    gone = folder / made.format(place - HELD_BACK)
    while gone.exists():
        time.sleep(WAIT_S)
    (folder / made.format(place)).write_bytes(data)


def _probe(recording: Path, folder: Path, order: Mapping[str, Any]) -> dict[str, Any]:
    from activities.media.probe import probe

    return probe(recording, on_progress=_at).model_dump(mode="json")


def _audio(recording: Path, folder: Path, order: Mapping[str, Any]) -> dict[str, Any]:
    from dataclasses import asdict

    from activities.media.audio import extract_audio

    made = folder / order["made"]
    return asdict(extract_audio(recording, order["track"], made, also=order["also"], on_progress=_at))


def _tracks(recording: Path, folder: Path, order: Mapping[str, Any]) -> list[list[list[int]]]:
    """Of each track: when each window that was heard begins, ms, and its samples, which are in a file of the track,
    32-bit floats."""
    from activities.media.tracks import hear_tracks
    from domain.recordings.media import MediaInfo

    heard = hear_tracks(recording, MediaInfo.model_validate(order["info"]), _at)
    told: list[list[list[int]]] = []
    for place, each in enumerate(heard):
        with (folder / order["made"].format(place)).open("wb") as file:
            told.append(
                [[at_ms, sum(file.write(part.tobytes()) for part in parts) // 4] for at_ms, parts in each.heard]
            )
    return told


def _scenes(recording: Path, folder: Path, order: Mapping[str, Any]) -> list[dict[str, Any]]:
    from activities.media.scenes import find_scenes

    return [each.model_dump() for each in find_scenes(recording, effort=order["effort"], on_progress=_at)]


def _frames(recording: Path, folder: Path, order: Mapping[str, Any]) -> int:
    """Pictures, told one by one, each in a file of its own: RGB, three bytes a pixel."""
    from activities.media.frames import Frame, grab_frame, grab_frames
    from activities.media.settled import FrameWish

    def told(place: int, frame: Frame) -> None:
        _put(folder, order["made"], place, frame.image.tobytes())
        width, height = frame.image.size
        inside.report(frame=place, width=width, height=height, pts_ms=frame.pts_ms, timestamp_ms=frame.timestamp_ms)

    duration_ms = order["duration_ms"]
    if order["strategy"] == "nearest_keyframe":
        moment_ms = order["wishes"][0][0]
        told(0, grab_frame(recording, moment_ms, strategy="nearest_keyframe", duration_ms=duration_ms))
        return 1
    wishes = [FrameWish(*wish) for wish in order["wishes"]]
    place = -1
    for place, frame in enumerate(grab_frames(recording, wishes, duration_ms=duration_ms, on_progress=_at)):
        told(place, frame)
    return place + 1


def _clip(recording: Path, folder: Path, order: Mapping[str, Any]) -> dict[str, Any]:
    from activities.batching.clips import cut
    from domain.orders.batch import Span

    clip = cut(recording, Span.model_validate(order["span"]), folder / order["made"], lambda: None)
    return {
        "suffix": clip.wrapping.suffix,
        "begins_ms": clip.begins_ms,
        "ends_ms": clip.ends_ms,
        "has_video": clip.has_video,
    }


def _sound_ms(recording: Path, folder: Path, order: Mapping[str, Any]) -> int:
    from activities.media.audio import sound_ms

    return sound_ms(recording)


def _heard_ms(recording: Path, folder: Path, order: Mapping[str, Any]) -> int:
    from activities.speech.sound import duration_ms

    return duration_ms(recording)


def _samples(recording: Path, folder: Path, order: Mapping[str, Any]) -> int:
    """Blocks of each span, told one by one, each in a file of its own: mono, 16 kHz, 32-bit floats. ``whole``: a span
    is one block."""
    from activities.speech.sound import blocks

    place = 0

    def put(data: bytes) -> None:
        nonlocal place
        _put(folder, order["made"], place, data)
        inside.report(block=place)
        place += 1

    for start_ms, end_ms in order["spans"]:
        read = blocks(recording, start_ms, end_ms, block_ms=order["block_ms"])
        if order["whole"]:
            put(b"".join(block.tobytes() for block in read))
        else:
            for block in read:
                put(block.tobytes())
    return place


def _screen(recording: Path, folder: Path, order: Mapping[str, Any]) -> bool:
    """The record and, on the way, each moment to go on from: told one by one, as JSON in files of their own."""
    from activities.screen.kept import ReadSoFar
    from activities.screen.reading import read_screen

    place, told_at = 0, float("-inf")

    def at(position_ms: int) -> None:
        nonlocal told_at
        if time.monotonic() - told_at >= TOLD_EVERY_S:
            told_at = time.monotonic()
            _at(position_ms)

    def save(now: ReadSoFar) -> None:
        nonlocal place
        (folder / order["saved"].format(place)).write_bytes(now.model_dump_json().encode())
        inside.report(saved=place)
        place += 1

    so_far = order["so_far"]
    record = read_screen(
        recording,
        threads=order["threads"],
        on_progress=at,
        so_far=ReadSoFar.model_validate(so_far) if so_far is not None else None,
        save=save if order["saved"] else None,
        save_every_s=order["save_every_s"],
    )
    (folder / order["made"]).write_bytes(record.model_dump_json().encode())
    return True


_WORK: Mapping[str, Callable[[Path, Path, Mapping[str, Any]], Any]] = {
    "probe": _probe,
    "audio": _audio,
    "tracks": _tracks,
    "scenes": _scenes,
    "frames": _frames,
    "clip": _clip,
    "sound_ms": _sound_ms,
    "heard_ms": _heard_ms,
    "samples": _samples,
    "screen": _screen,
}


if __name__ == "__main__":
    main()
    os._exit(0)  # what was told was told: nothing is left to tidy up, and FFmpeg's threads need not be waited for
