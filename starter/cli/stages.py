"""What the job is doing, read from its event log: pure, fed one event after the other."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from domain.jobs import StageName
from domain.lifecycles.instruction import (
    AUDIO_EXTRACTING,
    AUDIO_READY,
    CREATED,
    DRAFT_READY,
    GENERATING,
    INSTRUCTION,
    TRANSCRIBING,
    TRANSCRIPT_READY,
    UPLOADED,
    UPLOADING,
    InstructionStatus,
)
from domain.lifecycles.progress import SPAN

PIPELINE = (StageName.AUDIO, StageName.TRANSCRIPTION, StageName.DRAFT, StageName.ILLUSTRATION)

TITLES: Mapping[StageName, str] = {
    StageName.AUDIO: "Extracting the audio",
    StageName.TRANSCRIPTION: "Transcribing the speech",
    StageName.DRAFT: "Writing the draft",
    StageName.ILLUSTRATION: "Taking the screenshots",
}

_FINISHED: Mapping[InstructionStatus, int] = {
    CREATED: 0,
    UPLOADING: 0,
    UPLOADED: 0,
    AUDIO_EXTRACTING: 0,
    AUDIO_READY: 1,
    TRANSCRIBING: 1,
    TRANSCRIPT_READY: 2,
    GENERATING: 2,
}
"""How many stages of the pipeline lie behind a status; from the draft on, all of them."""

_WORKING = frozenset({AUDIO_EXTRACTING, TRANSCRIBING, GENERATING})


def is_settled(status: str) -> bool:
    """Whether the pipeline is over, one way or the other: a document is there, or the job has ended."""
    order = list(InstructionStatus)
    known = InstructionStatus(status)
    return INSTRUCTION.is_terminal(known) or order.index(known) >= order.index(DRAFT_READY)


@dataclass
class Pipeline:
    """Where each stage stands. ``fraction`` holds 0 to 1 for every stage that has begun; 1 is done."""

    attempt: int = 0
    status: str = CREATED
    fraction: dict[StageName, float] = field(default_factory=dict)

    def feed(self, name: str, data: Mapping[str, Any]) -> None:
        """Take in one event of the stream, called ``name``."""
        if name == "status" and data.get("new_status"):
            self._enter(str(data["new_status"]), int(data.get("attempt", 1)))
        elif name == "progress":
            self._advance(dict(data.get("data") or {}))

    def _enter(self, status: str, attempt: int) -> None:
        if attempt > self.attempt:  # a new attempt begins where its checkpoint is
            self.attempt, self.fraction = attempt, {}
        self.status = status
        finished = _FINISHED.get(InstructionStatus(status))
        if finished is None:
            finished = 0 if INSTRUCTION.is_terminal(InstructionStatus(status)) else len(PIPELINE)
        for stage in PIPELINE[:finished]:
            self.fraction[stage] = 1.0
        if InstructionStatus(status) in _WORKING:
            self.fraction.setdefault(PIPELINE[finished], 0.0)

    def _advance(self, facts: Mapping[str, Any]) -> None:
        try:
            stage, progress = StageName(facts.get("stage", "")), int(facts["progress"])
        except (ValueError, KeyError, TypeError):
            return
        if stage not in SPAN:
            return
        for earlier in PIPELINE[: PIPELINE.index(stage)]:
            self.fraction[earlier] = 1.0
        start, end = SPAN[stage]
        done = min(max((progress - start) / (end - start), 0.0), 1.0)
        self.fraction[stage] = max(done, self.fraction.get(stage, 0.0))
