"""A guide as its writer sees it: a recording's job and the document that came of it, in one."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any

from domain.documents.document import Document, parse
from domain.documents.draft import BlockRole
from domain.documents.titles import with_title, without_title
from domain.documents.validation import ValidationStatus
from domain.lifecycles.instruction import CANCELLED, CREATED, FAILED, UPLOADED, UPLOADING
from domain.search import Passage, plain


class GuideState(StrEnum):
    """Where a guide stands, in a writer's words. ``LOOK``: somebody should look at it: its draft has doubts, its text
    is not valid, a step of its work failed, or its recording has not arrived."""

    MAKING = "making"
    READY = "ready"
    LOOK = "look"
    FAILED = "failed"
    STOPPED = "stopped"


def guide_state(
    status: str, *, dispatched: bool, validation_status: str | None = None, warnings: Collection[object] = ()
) -> GuideState:
    """Where a guide stands.

    Args:
        status: Of its job.
        dispatched: Whether the job was given to a run.
        validation_status: Of the document's newest version; ``None``: there is no document (yet).
        warnings: That version's.
    """
    if validation_status is not None:
        doubtful = bool(warnings) or validation_status == ValidationStatus.FAIL or status == FAILED
        return GuideState.LOOK if doubtful else GuideState.READY
    if status == FAILED:
        return GuideState.FAILED
    if status == CANCELLED:
        return GuideState.STOPPED
    waits = status in (CREATED, UPLOADING) or (status == UPLOADED and not dispatched)
    return GuideState.LOOK if waits else GuideState.MAKING


def steps_in(evidence: Iterable[Mapping[str, Any]]) -> int:
    """How many steps a version has, by what its blocks rest on."""
    return sum(each["role"] == BlockRole.STEP for each in evidence)


def passages_of(markdown: str, evidence: Iterable[Mapping[str, Any]]) -> Iterator[Passage]:
    """The blocks of a version as they are searched: each where it is, steps with their numbers. Its title is another
    matter."""
    steps = {each["block_id"] for each in evidence if each["role"] == BlockRole.STEP}
    number = 0
    for block in parse(markdown).blocks:
        number += block.id in steps
        text = plain(without_title(block.markdown))
        if text:
            yield Passage(text=text, block_id=block.id, step=number if block.id in steps else None)


def retitled(markdown: str, heading: str) -> str:
    """A document's stored Markdown with another title, which a document without one is given as its first block.

    Args:
        heading: What stands behind ``# ``, as Markdown on one line.
    """
    document = parse(markdown)
    if (preamble := with_title(document.preamble, heading)) is not None:
        return document.model_copy(update={"preamble": preamble}).render()
    for place, block in enumerate(document.blocks):
        if (text := with_title(block.markdown, heading)) is not None:
            changed = block.model_copy(update={"markdown": text})
            blocks = (*document.blocks[:place], changed, *document.blocks[place + 1 :])
            return Document(blocks=blocks, preamble=document.preamble).render()
    return f"# {heading}\n\n{markdown}"
