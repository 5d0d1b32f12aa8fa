"""What a recording holds: its tracks, its length, and whether it can be worked with at all.

A container's header is a claim. A first frame of every track is decoded, and the length is checked against the
packets at the end, so that a recording that cannot be worked with is refused here, and not half an hour later.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet
from av.stream import Disposition, Stream
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from activities.media.container import (
    Beat,
    OnProgress,
    end_of_packets,
    is_machine_fault,
    is_recorded,
    limit_pictures,
    not_recognised,
    opened,
    packets,
    recorded_video,
    recording_zero,
    rewind,
    seek,
    to_ms,
    truncated,
)
from activities.media.joined import holds_another, starts_again
from activities.media.orientation import NO_TURN, Orientation, pixel_aspect, shown_size
from domain.errors import MediaCodecUnsupported, MediaHasNoContent
from domain.recordings.media import AudioTrack, MediaInfo, VideoTrack

_TRIAL_PACKETS = 400
"""Packets that are read in search of a first frame of every track: some seconds of any recording."""

_HIDDEN_PACKETS = 4000
"""Packets that an edit list may hide before the first one that is shown: a trimmed recording begins with those that its
first picture builds on. A decoder takes them and gives nothing back."""

_REFUSALS_THAT_CONVINCE = 30
"""Packets in a row that a decoder refuses before its track counts as undecodable."""

_LEAST_SHARE = Fraction(9, 10)
"""Of what an index lists; a recording that holds less was cut, and an instruction made of it would leave steps out."""

_TAIL_TOLERANCE_S = Fraction(2)
"""How much earlier than the header says the last packet may end before the header is not believed."""

_SHORTEST_SOUND_MS = 1000
"""Sound shorter than this, without a picture, cannot hold an instruction."""

_WITHOUT_MAGIC = frozenset({"mp3", "aac", "mpeg", "mpegts", "flv", "amr"})
"""Containers that FFmpeg recognises by a few bytes anywhere: nothing decodable inside means that it guessed."""

_ESTIMATED_DURATION = frozenset({"mp3", "aac", "amr"})
"""Containers whose length FFmpeg may estimate from the bit rate of the first frames."""

_TAG_LENGTH = 200


@dataclass(slots=True)
class _Trial:
    """What trying to decode one track showed."""

    packets: int = 0
    refused: int = 0
    frames: int = 0
    begun: bool = False
    """A key frame came by: before it, as where a live stream was joined, no decoder shows anything."""

    turn: Orientation = NO_TURN

    @property
    def convincing_failure(self) -> bool:
        return self.frames == 0 and self.refused >= _REFUSALS_THAT_CONVINCE


def probe(path: Path, *, on_progress: OnProgress | None = None) -> MediaInfo:
    """Describe a recording.

    Args:
        path: A local file, of any name.
        on_progress: Called with the position in ms where the length has to be measured by reading the file through.

    Raises:
        MediaEmpty: Zero bytes.
        MediaNotRecognised: No recording: text, a picture, a playlist, random bytes.
        MediaTruncated: A cut or damaged container that cannot be played.
        MediaCodecUnsupported: Pictures or sound that no decoder at hand understands.
        MediaHasNoContent: Neither a moving picture nor a second of sound.
    """
    with opened(path) as container:
        recorded = [stream for stream in container.streams if is_recorded(stream)]
        if not recorded:
            raise _no_content()
        trials = _try_decoding(container, recorded)
        if not any(trial.packets for trial in trials.values()):
            raise truncated() if _promises_content(container) else _no_content()
        _refuse_guessed_container(container, trials)
        video = _usable_video(container, trials)
        audio = _usable_audio(container, trials)
        duration = _duration(container, recorded, Beat(on_progress))
        if _index_promises_more(container, duration):
            raise truncated()
        duration_ms = to_ms(duration)
        if video is None and duration_ms < _SHORTEST_SOUND_MS:
            raise _no_content()
        return MediaInfo(
            container=_container_name(container),
            duration_ms=duration_ms,
            size_bytes=path.stat().st_size,
            video=video,
            audio=audio,
            joined=holds_another(path, container.format.name)
            or (video is not None and not audio and _starts_again(path, video.index, on_progress)),
        )


def _starts_again(path: Path, index: int, on_progress: OnProgress | None) -> bool:
    """Of a film without sound: sound that goes on behind the film tells it otherwise."""
    with opened(path) as container:
        return starts_again(container, index, Beat(on_progress))


# --- what can be decoded -----------------------------------------------------------------------------------------


def _try_decoding(container: InputContainer, recorded: list[Stream]) -> dict[int, _Trial]:
    trials = {stream.index: _Trial() for stream in recorded}
    for stream in recorded:
        if isinstance(stream, VideoStream) and stream.codec_context is not None:
            limit_pictures(stream)
    shown = 0
    for read, packet in enumerate(packets(container, *recorded)):
        trial = trials[packet.stream_index]
        trial.begun = trial.begun or packet.is_keyframe or packet.stream.type != "video"
        trial.packets += not packet.is_discard
        trial.refused += trial.begun and not packet.is_discard
        shown += not packet.is_discard and all(each.begun for each in trials.values() if each.packets)
        if not trial.frames and packet.stream.codec_context is not None:
            _note_frames(trial, packet)
        told = all(each.frames or each.convincing_failure for each in trials.values())
        if told or max(shown, read - _HIDDEN_PACKETS) > _TRIAL_PACKETS:
            break
    for stream in recorded:
        if not trials[stream.index].frames and stream.codec_context is not None:
            _note_frames(trials[stream.index], stream)
    return trials


def _note_frames(trial: _Trial, source: Packet[Stream] | Stream) -> None:
    """Decode one packet, or what a decoder still holds. A packet that it refuses is no frame, and no more than that."""
    try:
        frames = source.decode() if isinstance(source, Packet) else source.codec_context.decode(None)  # type: ignore[attr-defined]
    except (av.FFmpegError, ValueError) as error:
        if is_machine_fault(error):
            raise
        return
    trial.frames += len(frames)
    if frames and isinstance(frames[0], VideoFrame):
        trial.turn = Orientation.of(frames[0])


def _usable(stream: Stream, trial: _Trial) -> bool:
    """A decoder exists and did not fail. A track without any packet so far is an empty one, not a broken one."""
    return stream.codec_context is not None and (trial.frames > 0 or trial.packets == 0)


def _usable_video(container: InputContainer, trials: dict[int, _Trial]) -> VideoTrack | None:
    moving = [stream for stream in container.streams.video if is_recorded(stream)]
    usable = [stream for stream in recorded_video(container) if _usable(stream, trials[stream.index])]
    if moving and not usable:
        raise _unsupported("picture", moving[0])
    with_frames = [stream for stream in usable if trials[stream.index].frames]
    if not with_frames:
        return None
    stream = with_frames[0]
    turn = trials[stream.index].turn
    width, height = shown_size(stream.width, stream.height, pixel_aspect(stream), turn)
    return VideoTrack(
        index=stream.index,
        codec=_codec_name(stream),
        width=width,
        height=height,
        rotation_degrees=turn.clockwise_degrees,
        average_fps=float(stream.average_rate) if stream.average_rate else None,
    )


def _usable_audio(container: InputContainer, trials: dict[int, _Trial]) -> tuple[AudioTrack, ...]:
    sounds = list(container.streams.audio)
    usable = [stream for stream in sounds if _usable(stream, trials[stream.index])]
    if sounds and not usable:
        raise _unsupported("sound", sounds[0])
    return tuple(_audio_track(stream) for stream in usable)


def _audio_track(stream: AudioStream) -> AudioTrack:
    language = _tag(stream, "language")
    return AudioTrack(
        index=stream.index,
        codec=_codec_name(stream),
        channels=stream.codec_context.channels,
        sample_rate_hz=stream.codec_context.sample_rate,
        language=None if language == "und" else language,
        title=_tag(stream, "title"),
        is_default=bool(stream.disposition & Disposition.default),
    )


# --- how long it is ----------------------------------------------------------------------------------------------


def _duration(container: InputContainer, recorded: list[Stream], beat: Beat) -> Fraction:
    """Seconds from the recording's zero to the end of its last packet."""
    claimed = Fraction(container.duration or 0, av.time_base)
    if (
        claimed > 0
        and container.format.name not in _ESTIMATED_DURATION
        and _tail_is_there(container, recorded, claimed)
    ):
        return claimed
    rewind(container)
    return end_of_packets(container, recorded, beat)


def _tail_is_there(container: InputContainer, recorded: list[Stream], claimed: Fraction) -> bool:
    """Whether packets really reach to where the header says that the recording ends."""
    zero = recording_zero(container)
    if not seek(container, zero + max(claimed - 1, Fraction(0))):
        return False
    end = end_of_packets(container, recorded, Beat(None))
    return abs(claimed - end) <= _TAIL_TOLERANCE_S


def _index_promises_more(container: InputContainer, held: Fraction) -> bool:
    """Whether the index of an mp4 or mov at its front lists much that the file does not hold: the copy was cut.

    Other containers write their length before they know it; that is no promise.
    """
    claimed = Fraction(container.duration or 0, av.time_base)
    return container.format.name.startswith("mov") and held < claimed * _LEAST_SHARE and claimed - held > 2


# --- words -------------------------------------------------------------------------------------------------------


def _promises_content(container: InputContainer) -> bool:
    """A header that is followed by nothing: cut, unless the container itself says that it is empty."""
    return bool(container.duration) or container.format.name.startswith("matroska")


def _refuse_guessed_container(container: InputContainer, trials: dict[int, _Trial]) -> None:
    if container.format.name in _WITHOUT_MAGIC and not any(trial.frames for trial in trials.values()):
        raise not_recognised()


def _container_name(container: InputContainer) -> str:
    return container.format.name.split(",")[0]


def _codec_name(stream: Stream) -> str:
    return stream.codec_context.codec.canonical_name if stream.codec_context is not None else "unknown"


def _tag(stream: Stream, key: str) -> str | None:
    words = " ".join(stream.metadata.get(key, "").split())
    text = "".join(letter for letter in words if letter.isprintable())
    return text[:_TAG_LENGTH] or None


def _unsupported(what: str, stream: Stream) -> MediaCodecUnsupported:
    codec = _codec_name(stream)
    named = "an unknown format" if codec == "unknown" else f"a form of {codec}"
    return MediaCodecUnsupported(
        f"The {what} of this recording is in {named} that cannot be decoded here; it may also be protected or "
        "damaged. Convert the recording to mp4 with H.264 video and AAC sound, then send it again.",
        details={"track": stream.index, "codec": codec},
    )


def _no_content() -> MediaHasNoContent:
    return MediaHasNoContent(
        "The recording holds neither a moving picture nor a second of sound. "
        "Check that the recorder captured the screen and the microphone, then send the right file."
    )
