"""Who has a guide open now: said by open pages, told to who is in its project, and forgotten seconds after."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from domain.documents.presence import BEAT_S, GONE_AFTER_S, Place, Presence, gathered
from domain.projects import Permission, allows
from starter.api.context import ApiParts, AsMember, Owner, Subject, identifier
from starter.api.responses import errors
from starter.api.shapes import Sent, Shape

router = APIRouter(tags=["instructions"])


class BePresent(Sent):
    block_id: Annotated[str | None, Field(max_length=100, description="The block that you are in; null: in none.")] = (
        None
    )
    writes: bool = Field(default=False, strict=True, description="Its text is open. Of who may not edit: never.")


class PlaceAnswer(Shape):
    block_id: str | None
    writes: bool


class PersonAnswer(Shape):
    """Somebody who has the guide open too."""

    name: str
    is_you: bool = Field(description="At another desk of yours: a tab, a device.")
    places: tuple[PlaceAnswer, ...] = Field(description="One for each desk.")


class PresentAnswer(Shape):
    people: tuple[PersonAnswer, ...] = Field(description="Who has it open besides this desk, the first to come first.")

    @classmethod
    def of(cls, desks: Iterable[Presence], *, desk_id: str, subject: str) -> "PresentAnswer":
        """As it is told to ``subject`` at a desk."""
        return cls(
            people=tuple(
                PersonAnswer(
                    name=each.name,
                    is_you=each.subject == subject,
                    places=tuple(PlaceAnswer(**place.model_dump()) for place in each.places),
                )
                for each in gathered(tuple(desks), but=desk_id)
            )
        )


@router.put(
    "/instructions/{instruction_id}/presences/{desk_id}",
    responses=errors(400, 404, 413, 415),
    description=f"Say that you have the guide open, every {BEAT_S} seconds and when you go to another block. What is "
    f"not said again for {GONE_AFTER_S} seconds is forgotten. The job's event stream tells of the others as they come "
    "and go (`presence`).",
)
def be_present(
    instruction_id: str,
    desk_id: str,
    where: BePresent,
    api: ApiParts,
    owner: Owner,
    subject: Subject,
    member_as: AsMember,
) -> PresentAnswer:
    """Say that you have the guide open, and where in it you are."""
    writes = where.writes and member_as is not None and allows(member_as.role, Permission.EDIT)
    place = Place(block_id=identifier(where.block_id) if where.block_id is not None else None, writes=writes)
    desk = identifier(desk_id)
    desks = api.store.be_present(owner, identifier(instruction_id), desk, place, subject=subject)
    return PresentAnswer.of(desks, desk_id=desk, subject=subject)


@router.delete(
    "/instructions/{instruction_id}/presences/{desk_id}",
    status_code=204,
    response_class=Response,
    responses=errors(404, 413, 415),
)
def leave(instruction_id: str, desk_id: str, api: ApiParts, owner: Owner, subject: Subject) -> Response:
    """Say that you have the guide open no more."""
    api.store.leave(owner, identifier(instruction_id), identifier(desk_id), subject=subject)
    return Response(status_code=204)
