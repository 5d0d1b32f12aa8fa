"""What a decoder does for this room. Each work loads what it needs, behind the lock."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from activities.decoding import inside
from activities.decoding.inside import Work


def _probe(recording: Path, folder: Path, order: Mapping[str, Any]) -> dict[str, Any]:
    from activities.media.probe import probe

    return probe(recording, on_progress=inside.at).model_dump(mode="json")


def _audio(recording: Path, folder: Path, order: Mapping[str, Any]) -> dict[str, Any]:
    from dataclasses import asdict

    from activities.media.audio import extract_audio

    made = folder / order["made"]
    return asdict(extract_audio(recording, order["track"], made, also=order["also"], on_progress=inside.at))


def _tracks(recording: Path, folder: Path, order: Mapping[str, Any]) -> list[list[list[int]]]:
    """Of each track: when each window that was heard begins, ms, and its samples, which are in a file of the track,
    32-bit floats."""
    from activities.media.tracks import hear_tracks
    from domain.recordings.media import MediaInfo

    heard = hear_tracks(recording, MediaInfo.model_validate(order["info"]), inside.at)
    windows: list[list[list[int]]] = []
    for place, each in enumerate(heard):
        with (folder / order["made"].format(place)).open("wb") as file:
            windows.append(
                [[at_ms, sum(file.write(part.tobytes()) for part in parts) // 4] for at_ms, parts in each.heard]
            )
    return windows


def _scenes(recording: Path, folder: Path, order: Mapping[str, Any]) -> list[dict[str, Any]]:
    from activities.media.scenes import find_scenes

    return [each.model_dump() for each in find_scenes(recording, effort=order["effort"], on_progress=inside.at)]


def _frames(recording: Path, folder: Path, order: Mapping[str, Any]) -> int:
    """Pictures, reported one by one, each in a file of its own: RGB, three bytes a pixel."""
    from activities.media.frames import Frame, grab_frame, grab_frames
    from activities.media.screenshot_timing import FrameRequest

    def put(place: int, frame: Frame) -> None:
        inside.put(folder, order["made"], place, frame.image.tobytes())
        width, height = frame.image.size
        inside.report(frame=place, width=width, height=height, pts_ms=frame.pts_ms, timestamp_ms=frame.timestamp_ms)

    duration_ms = order["duration_ms"]
    if order["strategy"] == "nearest_keyframe":
        moment_ms = order["requests"][0][0]
        put(0, grab_frame(recording, moment_ms, strategy="nearest_keyframe", duration_ms=duration_ms))
        return 1
    requests = [FrameRequest(*request) for request in order["requests"]]
    place = -1
    for place, frame in enumerate(grab_frames(recording, requests, duration_ms=duration_ms, on_progress=inside.at)):
        put(place, frame)
    return place + 1


def _sound_ms(recording: Path, folder: Path, order: Mapping[str, Any]) -> int:
    from activities.media.audio import sound_ms

    return sound_ms(recording)


WORK: Mapping[str, Work] = {
    "probe": _probe,
    "audio": _audio,
    "tracks": _tracks,
    "scenes": _scenes,
    "frames": _frames,
    "sound_ms": _sound_ms,
}
