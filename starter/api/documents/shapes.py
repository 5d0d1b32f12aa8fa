"""The bodies of what is asked about an instruction's versions, and about what is not one yet."""

from typing import Self

from pydantic import Field

from activities.store import Sitting, SittingSummary
from domain.documents.diff import BlockChange, Change
from starter.api.shapes import Line, Moment, Sent, Shape, Text, VersionNumber
from starter.api.shapes.documents import MOST_SAID, SaidOfBlock


class RestoreInstruction(Sent):
    version: VersionNumber = Field(description="The version whose text is to be the newest again.")
    base_version: VersionNumber = Field(description="The version that is the newest now.")


class NameVersion(Sent):
    name: Line | None = Field(description="Null: it has none any more.")


class KeepSitting(Sent):
    base_version: VersionNumber = Field(description="The version that this changes.")
    markdown: Text
    blocks: tuple[SaidOfBlock, ...] = Field(
        default=(), max_length=MOST_SAID, description="What is said of blocks beside their text."
    )


class SittingAnswer(Shape):
    """What somebody writes at one desk, kept beside the versions until it is one."""

    sitting_id: str
    instruction_id: str
    base_version: int
    kept_at: Moment

    @classmethod
    def of(cls, sitting: SittingSummary) -> Self:
        return cls(**sitting.model_dump(include=set(cls.model_fields)))


class KeptAnswer(SittingAnswer):
    current_version: int = Field(description="The newest version: another than `base_version` where somebody saved.")


class SittingText(SittingAnswer):
    markdown: str
    blocks: tuple[SaidOfBlock, ...]

    @classmethod
    def of_text(cls, sitting: Sitting) -> Self:
        said = tuple(SaidOfBlock(**each.model_dump(mode="json")) for each in sitting.blocks)
        return cls(**sitting.model_dump(exclude={"blocks"}), blocks=said)


class BlockChangeAnswer(Shape):
    """One block that is not the same. Positions count a version's blocks from 0."""

    block_id: str
    change: Change
    moved: bool = Field(description="It stands elsewhere among the others; a block that changed too is `changed`.")
    before: str | None = Field(description="Its Markdown; null where it was added.")
    after: str | None = Field(description="Its Markdown; null where it was removed.")
    from_position: int | None
    to_position: int | None

    @classmethod
    def of(cls, change: BlockChange) -> "BlockChangeAnswer":
        return cls(**change.model_dump())


class DiffAnswer(Shape):
    """What changed from one version to another."""

    instruction_id: str
    from_version: int
    to_version: int
    unified: str = Field(description="As `diff -u` writes it, block markers included; empty where nothing changed.")
    blocks: tuple[BlockChangeAnswer, ...] = Field(
        description="The changed blocks of the later version in its order, then those that were removed."
    )
