"""Transcripts and scripted models for the drafting tests."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from domain.recordings.media import Scene
from domain.recordings.transcript import Segment, SpeechFound, Transcript


def spoken(*texts: str, language: str | None = "en", pause_ms: int = 300) -> Transcript:
    """A transcript of one segment a text, spoken at 15 characters a second."""
    segments = []
    clock_ms = 0
    for place, text in enumerate(texts):
        end_ms = clock_ms + max(200, len(text) * 66)
        segments.append(Segment(id=place, start_ms=clock_ms, end_ms=end_ms, text=f" {text}"))
        clock_ms = end_ms + pause_ms
    return Transcript(
        speech=SpeechFound.SPEECH, language=language, duration_ms=clock_ms, model="test", segments=tuple(segments)
    )


def unspoken(speech: SpeechFound, duration_ms: int = 60_000) -> Transcript:
    return Transcript(speech=speech, duration_ms=duration_ms, model="test")


def screens(number: int, each_ms: int = 3_000) -> tuple[Scene, ...]:
    return tuple(Scene(id=place, start_ms=place * each_ms, end_ms=(place + 1) * each_ms) for place in range(number))


TOUR = (
    "Hi, and welcome. In this video, I'll show you how to create a project in Bluebird.",
    "It only takes a minute.",
    "So, um, first we'll click on the New Project",
    "button in the top right corner. A dialog opens, and",
    "it asks for a name. Then you type the name, for example Spring Launch, and press Enter.",
    "Next, we choose a template from the list, then click Continue. Note that you can change",
    "the template later. Now I'm going to open the settings.",
    "In the menu on the left, click Members. Here you can see everyone in the team.",
    "Finally, hit the Invite button, and you're done. Thanks for watching!",
)


class ScriptedModel:
    """A chat model that gives the answers it was made with, one a question, and keeps what it was asked."""

    def __init__(self, *answers: str | dict[str, Any] | Exception) -> None:
        self._answers = list(answers)
        self.asked: list[list[dict[str, Any]]] = []
        self.schemas: list[dict[str, Any]] = []

    def complete_json(
        self,
        messages: list[dict[str, Any]],
        *,
        schema: dict[str, Any],
        schema_name: str,
        model: str,
        stop: Callable[[], bool | None] | None = None,
    ) -> str:
        self.asked.append(messages)
        self.schemas.append(schema)
        if stop is not None:
            stop()
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, str) else json.dumps(answer)

    def material(self, question: int) -> dict[str, Any]:
        """What the question told about the recording."""
        material: dict[str, Any] = json.loads(self.asked[question][1]["content"])
        return material


def answer(*blocks: tuple[str, Sequence[int]], **other: Any) -> dict[str, Any]:
    """A model's draft with one step a (heading, segments)."""
    steps = [
        {"kind": "step", "heading": heading, "body": "", "segments": list(segments)} for heading, segments in blocks
    ]
    return {"title": "Made title", "title_segments": [], "lead": "", "lead_segments": [], "blocks": steps, **other}
