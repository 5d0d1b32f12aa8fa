"""The pretend speech model: says one scripted sentence for every five seconds of audio that it gets."""

import io
from collections.abc import Mapping
from typing import Any

import av

SENTENCES = (
    "Open the dashboard and click the new invoice button.",
    "Type the name of the customer into the first field.",
    "Choose the currency from the list.",
    "Press save and wait for the green message.",
    "Download the document and send it by email.",
)
SENTENCE_S = 5.0


def transcription(form: Mapping[str, str], audio: bytes) -> Any:
    """The answer to a transcription request: a ``dict``, or a ``str`` for ``response_format`` ``text``.

    Raises:
        ValueError: The file is no audio.
    """
    duration_s = seconds_of(audio)
    segments = [_segment(number, duration_s) for number in range(max(1, int(duration_s // SENTENCE_S)))]
    text = " ".join(str(segment["text"]).strip() for segment in segments)
    wanted = form.get("response_format") or "json"
    if wanted == "text":
        return text + "\n"
    if wanted == "verbose_json":
        return {
            "task": "transcribe",
            "language": form.get("language") or "english",
            "duration": round(duration_s, 3),
            "text": text,
            "segments": segments,
        }
    return {"text": text}


def seconds_of(audio: bytes) -> float:
    """Length of an audio file, by decoding it.

    Raises:
        ValueError: It is no audio.
    """
    try:
        with av.open(io.BytesIO(audio), "r") as container:
            return float(sum(frame.samples / frame.sample_rate for frame in container.decode(audio=0)))
    except (av.FFmpegError, IndexError) as fault:
        raise ValueError("no audio") from fault


def _segment(number: int, duration_s: float) -> dict[str, Any]:
    return {
        "id": number,
        "seek": 0,
        "start": number * SENTENCE_S,
        "end": min(duration_s, (number + 1) * SENTENCE_S - 0.5),
        "text": " " + SENTENCES[number % len(SENTENCES)],
        "temperature": 0.0,
        "avg_logprob": -0.1,
        "compression_ratio": 1.5,
        "no_speech_prob": 0.01,
    }
