"""Anchors: the places of an instruction that show a picture.

A place is a block, or a range of the stored Markdown (Unicode code points, markers included) as one version has it.
Where it is in another version, ``anchor_resolution`` finds.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StringConstraints, model_validator

from domain.documents.document import BlockEvidence, Document
from domain.errors import RequestInvalid

OUTCOME = "outcome"
"""The strategy of an anchor whose picture shows what came of a step; it stands below the one of the step itself."""

MARKED_OUTCOME, MARKED_BEFORE = "outcome.marked", "before.marked"
"""The strategies of anchors of which a person said otherwise than the draft: that the picture shows what came of the
step, or that it does not."""

OUTCOMES, DRAFTED_OUTCOMES = (OUTCOME, MARKED_OUTCOME), (OUTCOME, MARKED_BEFORE)
"""Those that show what came of a step, and those that the draft has made for that."""


def marked(strategy: str | None, *, is_outcome: bool) -> str | None:
    """An anchor's strategy, once a person has said whether its picture shows what came of the step. What the draft says
    already is no mark."""
    if is_outcome:
        return OUTCOME if strategy in DRAFTED_OUTCOMES else MARKED_OUTCOME
    if strategy in DRAFTED_OUTCOMES:
        return MARKED_BEFORE
    return None if strategy == MARKED_OUTCOME else strategy


class AddressType(StrEnum):
    BLOCK = "block_id"
    CHAR_RANGE = "char_range"


class CharRange(BaseModel):
    """Unicode code points of the stored Markdown, markers included; the end is not part of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    start_offset: Annotated[StrictInt, Field(ge=0, le=2**31 - 1)]
    end_offset: Annotated[StrictInt, Field(ge=1, le=2**31 - 1)]

    @model_validator(mode="after")
    def _is_not_empty(self) -> Self:
        if self.start_offset >= self.end_offset:
            raise ValueError("is empty: end_offset must be beyond start_offset")
        return self


class Addressing(BaseModel):
    """A place in one version. ``strategy`` is the client's own note of how it chose it; nothing depends on it but
    whether the picture shows what came of a step (``OUTCOMES``)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    address_type: AddressType
    block_id: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = None
    char_range: CharRange | None = None
    strategy: Annotated[str, StringConstraints(max_length=40, pattern=r"^[A-Za-z0-9_.-]*$")] | None = None

    @model_validator(mode="after")
    def _is_one_place(self) -> Self:
        given = [each for each in AddressType if getattr(self, each) is not None]
        if given != [self.address_type]:
            raise ValueError(f"names {self.address_type} as its type, and has to give that and nothing else")
        return self

    @classmethod
    def of_block(cls, block_id: str) -> "Addressing":
        return cls(address_type=AddressType.BLOCK, block_id=block_id)

    @classmethod
    def of_range(cls, start: int, end: int) -> "Addressing":
        return cls(address_type=AddressType.CHAR_RANGE, char_range=CharRange(start_offset=start, end_offset=end))

    def block_in(self, document: Document) -> str:
        """The id of the block that the place is in, or begins in.

        Raises:
            RequestInvalid: The document has no such place.
        """
        if self.char_range is None:
            return document.block(self.block_id or "").id
        return document.parts_in_range(self.char_range.start_offset, self.char_range.end_offset)[0].block_id

    def checked(self, document: Document) -> "Addressing":
        """The same place, its block's id as the document writes it. Raises as :meth:`block_in`."""
        block_id = self.block_in(document)
        return self if self.char_range is not None else self.model_copy(update={"block_id": block_id})


class Anchor(BaseModel):
    """A place as ``instruction_version_id`` has it, and the asset that shows there."""

    model_config = ConfigDict(frozen=True)

    id: str
    instruction_id: str
    instruction_version_id: str
    job_id: str
    addressing: Addressing
    active_asset_id: str | None = None
    created_at: datetime
    updated_at: datetime

    @property
    def is_outcome(self) -> bool:
        return self.addressing.strategy in OUTCOMES


def block_at(moment_ms: int, document: Document, evidence: Iterable[BlockEvidence]) -> str:
    """The id of the block that tells of a moment of the recording: the last one that had begun by then; before the
    first of them that one, and where no block knows its time the document's first.

    Raises:
        RequestInvalid: The document has no block.
    """
    timed = [(each.start_ms, each.block_id) for each in evidence if each.start_ms is not None]
    begun = [each for each in timed if each[0] <= moment_ms]
    if begun:
        return max(begun, key=lambda each: each[0])[1]
    if timed:
        return min(timed, key=lambda each: each[0])[1]
    if not document.blocks:
        raise RequestInvalid("This version of the instruction has no block to put a picture at.")
    return document.ids[0]
