"""Puts blocks that were written again into a document that people went on editing: a three-way merge."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from domain.documents.document import Document


class KeptProposal(BaseModel):
    """A new text for a block that was not put in place, since the block was edited or deleted meanwhile."""

    model_config = ConfigDict(frozen=True)

    block_id: str
    markdown: str
    deleted: bool
    """Whether the block is gone; else its text was edited."""


class Merge(BaseModel):
    """What became of a regeneration: the document, the ids of the blocks whose new text is in it, and the texts that
    gave way to somebody's edit."""

    model_config = ConfigDict(frozen=True)

    document: Document
    applied: tuple[str, ...] = ()
    kept: tuple[KeptProposal, ...] = ()


def merge(base: Document, theirs: Document, ours: Document, selection: Iterable[str]) -> Merge:
    """Put the regenerated blocks of ``ours`` into ``theirs``, the version that is current now.

    ``base`` is the version that both come from, ``selection`` the ids that were to be written again. A selected block
    takes its new text only where ``theirs`` still has the text of ``base``: an edit wins over the machine. Everything
    else of ``theirs`` (edits, order, deletions, new blocks) stays as it is; everything else of ``ours`` is ignored.

    Raises:
        RequestInvalid: ``base`` or ``ours`` does not have a selected block.
    """
    current = {block.id: block.markdown for block in theirs.blocks}
    applied: list[str] = []
    kept: list[KeptProposal] = []
    document = theirs
    for block_id in dict.fromkeys(each.lower() for each in selection):
        proposal = ours.block(block_id).markdown
        if current.get(block_id) == base.block(block_id).markdown:
            document = document.replace_block(block_id, proposal)
            applied.append(block_id)
        elif current.get(block_id) == proposal:
            applied.append(block_id)
        else:
            kept.append(KeptProposal(block_id=block_id, markdown=proposal, deleted=block_id not in current))
    return Merge(document=document, applied=tuple(applied), kept=tuple(kept))
