"""The bodies of what is asked about an instruction's versions."""

from pydantic import Field

from domain.documents.diff import BlockChange, Change
from starter.api.shapes import Sent, Shape, VersionNumber


class RestoreInstruction(Sent):
    version: VersionNumber = Field(description="The version whose text is to be the newest again.")
    base_version: VersionNumber = Field(description="The version that is the newest now.")


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
