"""The pretend voice: a tone as long as it takes to say the text, as WAV or MP3."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from starter.sandbox.making import mp3, wav
from starter.sandbox.script import Refusal

_MADE = {"wav": (wav, "audio/wav"), "mp3": (mp3, "audio/mpeg")}

LONGEST = 4096
"""Characters that OpenAI's endpoint takes."""


def speech_response(request: Mapping[str, Any]) -> Response:
    """The answer to a request for speech, in OpenAI's shape. The same request gets the same answer.

    Raises:
        Refusal: There is no text, too much of it, or another format is wanted.
    """
    text, wanted = request.get("input"), request.get("response_format") or "mp3"
    if not isinstance(text, str) or not text.strip() or not request.get("voice"):
        raise Refusal("missing_required_parameter")
    if len(text) > LONGEST:
        raise Refusal("string_above_max_length")
    if wanted not in _MADE:
        raise Refusal("unsupported_format")
    make, media_type = _MADE[wanted]
    return Response(make(f"{request['voice']}: {text}"), media_type=media_type)
