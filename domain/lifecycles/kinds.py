"""The kinds of job there are, each with its table. The one place where a kind is registered."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from domain.errors import RequestInvalid
from domain.lifecycles import analysis, batch, generation, image, instruction
from domain.lifecycles.analysis import ANALYSIS
from domain.lifecycles.batch import BATCH, BatchType
from domain.lifecycles.generation import GENERATION, GenerationType
from domain.lifecycles.image import IMAGE
from domain.lifecycles.instruction import INSTRUCTION
from domain.lifecycles.lifecycle import Lifecycle

LIFECYCLES: Mapping[str, Lifecycle[Any]] = {
    each.kind: each for each in (INSTRUCTION, IMAGE, GENERATION, ANALYSIS, BATCH)
}

JOB_TYPES: Mapping[str, tuple[str, ...]] = {
    GENERATION.kind: tuple(map(str, GenerationType)),
    BATCH.kind: tuple(map(str, BatchType)),
}
"""What a kind makes, of those that make several things."""

STARTS: Mapping[str, StrEnum] = {
    IMAGE.kind: image.QUEUED,
    GENERATION.kind: generation.PENDING,
    ANALYSIS.kind: analysis.QUEUED,
    BATCH.kind: batch.QUEUED,
}
"""Kinds whose run is started as soon as a job is in this status, without anybody asking for it: by the API that brought
it there, or, where that died in between, by the reconciler. The run begins there."""

GIVEN_UP: Mapping[str, StrEnum] = {
    INSTRUCTION.kind: instruction.FAILED,
    IMAGE.kind: image.DEAD_LETTER,
    GENERATION.kind: generation.FAILED,
    ANALYSIS.kind: analysis.FAILED,
    BATCH.kind: batch.FAILED,
}
"""Where a job ends whose run was lost."""

WORKING_ON: Mapping[str, Mapping[StrEnum, str]] = {
    INSTRUCTION.kind: {
        instruction.UPLOADED: "audio",
        instruction.AUDIO_EXTRACTING: "audio",
        instruction.AUDIO_READY: "transcription",
        instruction.TRANSCRIBING: "transcription",
        instruction.TRANSCRIPT_READY: "draft",
        instruction.GENERATING: "draft",
        instruction.DRAFT_READY: "editing",
        instruction.EDITING: "editing",
        instruction.REGENERATING: "regeneration",
        instruction.EXPORTING: "export",
    },
    IMAGE.kind: dict.fromkeys((image.QUEUED, image.RUNNING, image.FAILED), "painting"),
    GENERATION.kind: dict.fromkeys((generation.PENDING, generation.QUEUED, generation.PROCESSING), "making"),
    ANALYSIS.kind: dict.fromkeys((analysis.QUEUED, analysis.RUNNING), "computation"),
    BATCH.kind: dict.fromkeys((batch.QUEUED, batch.PROCESSING), "items"),
}
"""The stage that a run in a status works in or comes to next, as ``failed_stage`` says it where the run itself no
longer can. ``editing``: it follows what people do with the document."""


def lifecycle_of(kind: str) -> Lifecycle[Any]:
    """The table of ``kind``.

    Raises:
        RequestInvalid: There is no such kind.
    """
    try:
        return LIFECYCLES[kind]
    except KeyError:
        raise RequestInvalid(f"There is no job kind {kind[:40]!r}. Kinds: {', '.join(LIFECYCLES)}.") from None
