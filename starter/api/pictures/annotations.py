"""Drawing on screenshots."""

from anyio import to_thread
from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field

from domain.documents.annotations import Operations
from starter.api.context import ApiParts, Owner, identifier
from starter.api.idempotency import KeyInBody
from starter.api.responses import errors
from starter.api.shapes import Line, Sent, Shape

router = APIRouter(tags=["screenshots"])


class NewAnnotation(Sent):
    base_asset_id: str = Field(description="Which of the anchor's pictures is drawn on.")
    operations: Operations = Field(
        description="Drawn in this order. Coordinates are 0 to 1 of the picture's width and height, from the top left."
    )
    idempotency_key: Line | None = Field(
        default=None,
        description="The same key with another drawing is refused. Without one, too, the same is the same.",
    )


class AnnotationAnswer(Shape):
    model_config = ConfigDict(frozen=True, from_attributes=True)

    anchor_id: str
    base_asset_id: str
    ops_hash: str = Field(description="The same for the same picture and operations.")
    rendered_asset_id: str
    active_asset_id: str = Field(description="What shows now.")


@router.post("/anchors/{anchor_id}/annotations", responses=errors(400, 404, 409, 413, 415))
async def annotate(
    anchor_id: str, new: NewAnnotation, api: ApiParts, owner: Owner, request: Request
) -> AnnotationAnswer:
    """Draw on a picture; the result is a new version of it, and shows. The same again is the same version."""
    anchor, base = identifier(anchor_id), identifier(new.base_asset_id)
    key = KeyInBody(api, request, owner, new.idempotency_key, new)

    def draw() -> AnnotationAnswer:
        from activities.tasks.annotating import Annotator

        key.check()
        drawn = Annotator(api.store, api.artifacts).annotate(owner, anchor, base, new.operations)
        key.spend(drawn.rendered_asset_id)
        return AnnotationAnswer.model_validate(drawn)

    return await to_thread.run_sync(draw, limiter=api.drawing)
