"""What a recording, or what is said in it, cannot be used for."""

import errno
from collections.abc import Mapping

from domain.errors.base import GuidesmithError
from domain.errors.storage import RecordingLost


class MediaError(GuidesmithError):
    """The recording cannot be worked with, and trying again will not help."""

    code = "MEDIA_INVALID"


def needs_another_recording(code: str) -> bool:
    """Whether a job that failed with ``code`` fails again, whatever is retried: only another recording helps."""
    kinds: tuple[type[GuidesmithError], ...] = (MediaError, *MediaError.__subclasses__(), RecordingLost)
    return code in {each.code for each in kinds}


class MediaEmpty(MediaError):
    """Zero bytes."""

    code = "MEDIA_EMPTY"


class MediaNotRecognised(MediaError):
    """Not a media container: text, a document, random bytes."""

    code = "MEDIA_NOT_RECOGNISED"


class MediaTruncated(MediaError):
    """A container whose index or tail is missing, so that it cannot be played."""

    code = "MEDIA_TRUNCATED"


class MediaCodecUnsupported(MediaError):
    """The container opens, but no decoder is at hand for what is inside."""

    code = "MEDIA_CODEC_UNSUPPORTED"


class MediaHasNoContent(MediaError):
    """Neither a video picture nor a second of sound."""

    code = "MEDIA_NO_CONTENT"


class MediaTooLong(MediaError):
    """Longer or larger than the settings allow."""

    code = "MEDIA_TOO_LONG"


class MediaTooLarge(MediaError):
    """Decoding it takes more memory or computing time than a recording may have, on whichever worker."""

    code = "MEDIA_TOO_LARGE"


class DecodingDied(GuidesmithError):
    """The process that decodes a recording was killed, crashed or overran. Once, that may be the machine's fault."""

    code = "DECODING_DIED"
    retryable = True


class DecoderFailed(GuidesmithError):
    """What decodes gave up and does not say why: an error of its own, or of the machine. Nothing is said about the
    recording."""

    code = "DECODER_FAILED"
    retryable = True


class WorkerExhausted(GuidesmithError):
    """The machine lacks what the work takes: memory, room on its disk, open files. Nothing is said about the input."""

    code = "WORKER_EXHAUSTED"
    retryable = True


_LACKING: Mapping[int, str] = {
    errno.ENOMEM: "memory",
    errno.ENOSPC: "room on its disk",
    errno.EDQUOT: "room on its disk",
    errno.EMFILE: "open files",
    errno.ENFILE: "open files",
}


def exhausted_by(fault: BaseException) -> WorkerExhausted | None:
    """What an operating system's or a library's error says of the machine, where that is at its end."""
    number = errno.ENOMEM if isinstance(fault, MemoryError) else getattr(fault, "errno", None)
    lacking = _LACKING.get(number) if isinstance(number, int) else None
    if lacking is None:
        return None
    return WorkerExhausted(f"The worker is short of {lacking}; the work is tried again, elsewhere if it can be.")


class SpeechLanguageUnsupported(GuidesmithError):
    """The speech model does not know the recording's language. The message names the setting to change."""

    code = "SPEECH_LANGUAGE_UNSUPPORTED"


class SpeechModelUnavailable(GuidesmithError):
    """The configured speech model cannot be loaded."""

    code = "SPEECH_MODEL_UNAVAILABLE"


class ScreenNotReady(GuidesmithError):
    """What was read off the recording's screen is asked for, and there is nothing (yet)."""

    code = "SCREEN_NOT_READY"


class ScreenReaderUnavailable(GuidesmithError):
    """The weights that read text on the screen are not there, or not the ones that were measured."""

    code = "SCREEN_READER_UNAVAILABLE"
