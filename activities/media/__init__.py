"""Recordings: what they hold, their sound, their pictures, and where the screen stands still.

What decodes is done in processes of their own (``apart``); the modules of the same names do the work there. Heavy:
imports PyAV, numpy and Pillow. Only workers import it.
"""

from activities.media.audio import AudioFacts
from activities.media.container import OnProgress
from activities.media.frames import Frame, Strategy
from activities.media.isolated import (
    extract_audio,
    find_scenes,
    grab_frame,
    grab_frames,
    pick_sharp,
    pick_speech_track,
    probe,
    sound_ms,
)
from activities.media.pictures import encode_jpeg, encode_png, encode_webp, sharpness
from activities.media.scenes import Effort
from activities.media.screenshot_timing import FrameRequest, scene_at, settled_frame_request, settled_frame_time
from activities.media.tracks import TrackChoice, TrackLevel

__all__ = [
    "AudioFacts",
    "Effort",
    "Frame",
    "FrameRequest",
    "OnProgress",
    "Strategy",
    "TrackChoice",
    "TrackLevel",
    "encode_jpeg",
    "encode_png",
    "encode_webp",
    "extract_audio",
    "find_scenes",
    "grab_frame",
    "grab_frames",
    "pick_sharp",
    "pick_speech_track",
    "probe",
    "scene_at",
    "settled_frame_request",
    "settled_frame_time",
    "sharpness",
    "sound_ms",
]
