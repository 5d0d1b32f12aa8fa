"""Anchors: the places of an instruction that show a picture."""

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request, Response

from domain.documents.anchors import Anchor
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.errors import inside
from starter.api.idempotency import OnceOnly
from starter.api.paging import Cursor, Limit
from starter.api.pictures.anchoring import Places, anchor_answers
from starter.api.pictures.screenshots import task_answer
from starter.api.pictures.shapes import (
    AnchorAnswer,
    AssetDeleted,
    AttachUpload,
    NewAnchor,
    NewReplacement,
    OutcomeMark,
    ScreenshotTaskAnswer,
)
from starter.api.responses import errors
from starter.api.shapes import Listed
from starter.services.screenshots import ScreenshotRequest

router = APIRouter(tags=["screenshots"])

VersionId = Annotated[str | None, Query(max_length=100)]


@router.post("/instructions/{instruction_id}/anchors", status_code=201, responses=errors(400, 404, 409, 413, 415))
def create_anchor(instruction_id: str, new: NewAnchor, api: ApiParts, owner: Owner, once: OnceOnly) -> AnchorAnswer:
    """Make a place for a picture, at a block or a range of one version."""
    instruction, version = identifier(instruction_id), identifier(new.instruction_version_id)
    api.store.get_instruction(owner, instruction)  # absent before conflicting: 404 comes before 409
    with inside("addressing"):
        return once.answer(
            AnchorAnswer,
            lambda: AnchorAnswer.of(api.store.create_anchor(owner, instruction, version, new.addressing), ()),
        )


@router.get("/instructions/{instruction_id}/anchors", responses=errors(400, 404))
def list_anchors(
    instruction_id: str,
    api: ApiParts,
    owner: Owner,
    request: Request,
    instruction_version_id: VersionId = None,
    include_deleted_assets: bool = False,
    limit: Limit = 20,
    cursor: Cursor = None,
) -> Listed[AnchorAnswer]:
    """The anchors with their pictures, newest first; with a version, where each of them is in its text."""
    instruction = identifier(instruction_id)
    page = api.store.list_anchors(owner, instruction, limit, cursor)
    places = None
    if instruction_version_id is not None:
        places = Places.of(api.store, owner, instruction, identifier(instruction_version_id))
    answers = anchor_answers(api, request, page.items, places, include_deleted=include_deleted_assets)
    return Listed(items=answers, next_cursor=page.next_cursor)


@router.get("/anchors/{anchor_id}", responses=errors(400, 404))
def get_anchor(
    anchor_id: str,
    api: ApiParts,
    owner: Owner,
    request: Request,
    target_instruction_version_id: VersionId = None,
) -> AnchorAnswer:
    """An anchor, and where it is in a version: the one that is named, or the newest."""
    anchor = api.store.get_anchor(owner, identifier(anchor_id))
    target = None if target_instruction_version_id is None else identifier(target_instruction_version_id)
    places = Places.of(api.store, owner, anchor.instruction_id, target)
    return anchor_answers(api, request, (anchor,), places)[0]


@router.post(
    "/anchors/{anchor_id}/replace",
    status_code=202,
    responses={
        200: {"model": ScreenshotTaskAnswer, "description": "Asked before."},
        **errors(400, 404, 409, 413, 415, 502),
    },
)
async def replace_screenshot(
    anchor_id: str, new: NewReplacement, api: ApiParts, owner: Owner, request: Request, response: Response
) -> ScreenshotTaskAnswer:
    """Take a frame and let it show instead of what shows there. What showed stays a version of the picture."""
    anchor = await to_thread.run_sync(lambda: api.store.get_anchor(owner, identifier(anchor_id)))
    frame = ScreenshotRequest(
        instruction_id=identifier(new.instruction_id or anchor.instruction_id),
        instruction_version_id=identifier(new.instruction_version_id),
        extraction=new.extraction,
        idempotency_key=new.idempotency_key,
    )
    task, replayed = await api.screenshots.replace(owner, anchor.id, frame)
    response.status_code = 200 if replayed else 202
    return await to_thread.run_sync(task_answer, api, request, task, replayed)


@router.post("/anchors/{anchor_id}/attach-upload", responses=errors(400, 404, 409, 413, 415))
async def attach_upload(
    anchor_id: str, attached: AttachUpload, api: ApiParts, owner: Owner, request: Request
) -> AnchorAnswer:
    """Let a confirmed picture of your own show at an anchor."""
    anchor = await api.screenshots.attach(
        owner,
        identifier(anchor_id),
        identifier(attached.upload_id),
        identifier(attached.instruction_version_id),
        attached.idempotency_key,
    )
    return await to_thread.run_sync(_answer, api, request, anchor)


@router.delete("/anchors/{anchor_id}/assets/{asset_id}", responses=errors(400, 404, 413, 415))
def delete_asset(anchor_id: str, asset_id: str, api: ApiParts, owner: Owner, request: Request) -> AssetDeleted:
    """Take a picture out of view. Where it showed, the newest one that is left shows, or nothing."""
    asset = identifier(asset_id)
    shown = _answer(api, request, api.store.delete_asset(owner, identifier(anchor_id), asset))
    return AssetDeleted(**dict(shown), deleted_asset_id=asset)


@router.post("/anchors/{anchor_id}/assets/{asset_id}/show", responses=errors(400, 404, 413, 415))
def show_asset(
    anchor_id: str,
    asset_id: str,
    api: ApiParts,
    owner: Owner,
    request: Request,
    deleted: Annotated[bool, Query(description="Also one that was deleted: it is not any more.")] = False,
) -> AnchorAnswer:
    """Let one of the anchor's pictures show again: an earlier one, or the one below a drawing. Once more: nothing."""
    shown = api.store.show_asset(owner, identifier(anchor_id), identifier(asset_id), undelete=deleted)
    return _answer(api, request, shown)


@router.post("/anchors/{anchor_id}/hide", responses=errors(400, 404, 413, 415))
def hide_assets(anchor_id: str, api: ApiParts, owner: Owner, request: Request) -> AnchorAnswer:
    """Let nothing show at an anchor. Its pictures stay, and any of them can show again. Once more: nothing."""
    return _answer(api, request, api.store.hide_assets(owner, identifier(anchor_id)))


@router.put("/anchors/{anchor_id}/outcome", responses=errors(400, 404, 413, 415))
def mark_outcome(anchor_id: str, mark: OutcomeMark, api: ApiParts, owner: Owner, request: Request) -> AnchorAnswer:
    """Say whether what shows at an anchor is what came of its step, as the draft says of some. Once more: nothing."""
    return _answer(api, request, api.store.mark_outcome(owner, identifier(anchor_id), is_outcome=mark.is_outcome))


def _answer(api: Api, request: Request, anchor: Anchor) -> AnchorAnswer:
    return anchor_answers(api, request, (anchor,), None)[0]
