"""Recordings: what they hold, their sound, their pictures, and where the screen stands still.

Heavy: imports PyAV, numpy and Pillow. Only workers import it.
"""

from activities.media.audio import AudioFacts, extract_audio
from activities.media.container import OnProgress
from activities.media.frames import Frame, Strategy, grab_frame, grab_frames, pick_sharp
from activities.media.pictures import encode_jpeg, encode_png, encode_webp, sharpness
from activities.media.probe import probe
from activities.media.scenes import Effort, find_scenes
from activities.media.settled import FrameWish, scene_at, settled_frame_time, settled_wish
from activities.media.tracks import TrackChoice, TrackLevel, pick_speech_track

__all__ = [
    "AudioFacts",
    "Effort",
    "Frame",
    "FrameWish",
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
    "settled_frame_time",
    "settled_wish",
    "sharpness",
]
