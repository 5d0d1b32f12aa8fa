"""What is written at a desk: kept every few seconds beside the versions, until it becomes one."""

from datetime import UTC, datetime

from anyio import to_thread
from fastapi import APIRouter, Response

from activities.store import Sitting
from starter.api.context import ApiParts, Owner, Subject, identifier
from starter.api.documents.shapes import KeepSitting, KeptAnswer, SittingAnswer, SittingText
from starter.api.idempotency import OnceOnly
from starter.api.responses import errors
from starter.api.shapes import InstructionAnswer, Listed

router = APIRouter(tags=["instructions"])


@router.get("/instructions/{instruction_id}/sittings", responses=errors(404))
def list_sittings(instruction_id: str, api: ApiParts, owner: Owner, subject: Subject) -> Listed[SittingAnswer]:
    """What you wrote that is kept and is no version yet, the newest first: all of it, twenty at most."""
    found = api.store.list_sittings(owner, identifier(instruction_id), author=subject)
    return Listed(items=tuple(SittingAnswer.of(each) for each in found))


@router.put("/instructions/{instruction_id}/sittings/{sitting_id}", responses=errors(400, 404, 413, 415))
def keep_sitting(
    instruction_id: str, sitting_id: str, written: KeepSitting, api: ApiParts, owner: Owner, subject: Subject
) -> KeptAnswer:
    """Keep what was written so far. It is beside the versions: it conflicts with nobody's, and makes none."""
    sitting = Sitting(
        sitting_id=identifier(sitting_id),
        instruction_id=identifier(instruction_id),
        base_version=written.base_version,
        markdown=written.markdown,
        blocks=tuple(each.mark for each in written.blocks),
        kept_at=datetime.now(UTC),
    )
    kept, newest = api.store.keep_sitting(owner, sitting, author=subject)
    return KeptAnswer(**SittingAnswer.of(kept).model_dump(), current_version=newest)


@router.get("/instructions/{instruction_id}/sittings/{sitting_id}", responses=errors(404))
def get_sitting(instruction_id: str, sitting_id: str, api: ApiParts, owner: Owner, subject: Subject) -> SittingText:
    """What was written, to go on with it."""
    kept = api.store.get_sitting(owner, identifier(instruction_id), identifier(sitting_id), author=subject)
    return SittingText.of_text(kept)


@router.post("/instructions/{instruction_id}/sittings/{sitting_id}/save", responses=errors(400, 404, 409, 413, 415))
async def save_sitting(
    instruction_id: str, sitting_id: str, api: ApiParts, owner: Owner, subject: Subject, once: OnceOnly
) -> InstructionAnswer:
    """Make what was written the next version, as a save of it does, and end the sitting."""

    def saved() -> InstructionAnswer:
        kept = identifier(instruction_id), identifier(sitting_id)
        version, _ = api.store.save_sitting(owner, *kept, author=subject)
        return InstructionAnswer.of(version)

    answer = await to_thread.run_sync(once.answer, InstructionAnswer, saved)
    await api.documents.edited(answer.job_id)
    return answer


@router.delete(
    "/instructions/{instruction_id}/sittings/{sitting_id}",
    status_code=204,
    response_class=Response,
    responses=errors(404, 413, 415),
)
def drop_sitting(instruction_id: str, sitting_id: str, api: ApiParts, owner: Owner, subject: Subject) -> Response:
    """What was written is not wanted."""
    api.store.drop_sitting(owner, identifier(instruction_id), identifier(sitting_id), author=subject)
    return Response(status_code=204)
