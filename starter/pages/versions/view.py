"""The versions of an instruction: listed, compared, restored."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from domain.documents.diff import BlockChange, block_diff
from domain.documents.document import Document, parse
from starter.api.context import identifier
from starter.pages.shell.context import Context

router = APIRouter()

PAGE = 20
LAST_VERSION = 2**31 - 1
MOST_CHANGES = 200
"""Blocks told of in words; the comparison beside them has all."""
EXCERPT = 240
"""Characters of a block that are shown with what became of it."""

Version = Annotated[int | None, Query(ge=1, le=LAST_VERSION)]


@router.get("/instructions/{instruction_id}/versions")
def versions(
    instruction_id: str,
    context: Context,
    cursor: str | None = None,
    before: Annotated[Version, Query(alias="from")] = None,
    after: Annotated[Version, Query(alias="to")] = None,
) -> Response:
    """The versions, newest first, and what changed between two of them: else by the newest one."""
    store = context.api.store
    newest = store.get_instruction(context.owner, identifier(instruction_id))
    page = store.versions(context.owner, newest.instruction_id, PAGE, cursor)
    new = newest if after in (None, newest.version) else store.get_instruction(context.owner, instruction_id, after)
    wanted = before or max(new.version - 1, 1)
    old = new if wanted == new.version else store.get_instruction(context.owner, instruction_id, wanted)
    before_text, after_text = parse(old.markdown), parse(new.markdown)
    changes = () if old.id == new.id else block_diff(before_text, after_text)
    return context.page(
        "versions/versions.html",
        modules=["versions/versions.js"],
        newest=newest,
        page=page,
        cursor=cursor,
        old=old,
        new=new,
        changes=[_told(each) for each in changes[:MOST_CHANGES]],
        untold=max(len(changes) - MOST_CHANGES, 0),
        texts={"before": _read(before_text), "after": _read(after_text)},
    )


def _read(document: Document) -> str:
    """The text as a person reads it: the markers say nothing to them."""
    return document.preamble + "".join(f"{block.markdown}{block.gap}" for block in document.blocks)


def _told(change: BlockChange) -> dict[str, object]:
    return {
        "change": str(change.change),
        "moved": change.moved,
        "before": _excerpt(change.before),
        "after": _excerpt(change.after),
        "place": (change.to_position if change.to_position is not None else change.from_position or 0) + 1,
        "was": None if change.from_position is None else change.from_position + 1,
    }


def _excerpt(text: str | None) -> str | None:
    if text is None:
        return None
    text = text.strip()
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT].rstrip()} …"
