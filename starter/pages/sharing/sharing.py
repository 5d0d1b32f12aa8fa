"""The links of an instruction: made, brought up to date, revoked by its owner."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from domain.documents.sharing import EMBEDDERS_LIMIT, PASSPHRASE_LENGTHS
from starter.api.context import identifier
from starter.api.documents.shares import ShareAnswer
from starter.pages.shell.context import Context

router = APIRouter()

PAGE = 20


@router.get("/instructions/{instruction_id}/share")
def share(instruction_id: str, context: Context, cursor: str | None = None) -> Response:
    """A form for a new link, and the links that there are. A module of ours that asks again gets the list."""
    api = context.api
    newest = api.store.get_instruction(context.owner, identifier(instruction_id))
    page = api.store.list_shares(context.owner, newest.instruction_id, PAGE, cursor)
    links = ShareAnswer.of_all(api, page.items)
    did = (who for link in links for who in (link.created_by, link.updated_by, link.revoked_by) if who is not None)
    context.names.look_up(did)
    listed: dict[str, Any] = {"newest": newest, "links": links, "older": page.next_cursor, "cursor": cursor}
    if context.is_partial:
        return context.page("sharing/list.html", **listed)
    return context.page(
        "sharing/share.html",
        modules=["sharing/sharing.js"],
        shortest=PASSPHRASE_LENGTHS.start,
        longest=PASSPHRASE_LENGTHS.stop - 1,
        most_sites=EMBEDDERS_LIMIT,
        heard=api.store.last_event_seq(newest.job_id),
        **listed,
    )
