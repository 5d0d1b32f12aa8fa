"""The written instruction: read, edited, and written again in part."""

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Path, Query, Response

from domain.documents.diff import block_diff, unified_diff
from domain.documents.document import parse
from domain.errors import RequestInvalid
from starter.api.context import ApiParts, Owner, Subject, identifier
from starter.api.documents.shapes import BlockChangeAnswer, DiffAnswer, NameVersion, RestoreInstruction
from starter.api.errors import inside
from starter.api.idempotency import OnceOnly
from starter.api.paging import Cursor, Limit
from starter.api.responses import errors
from starter.api.shapes import (
    InstructionAnswer,
    Listed,
    NewRegeneration,
    SaveInstruction,
    Selection,
    TaskAnswer,
    VersionAnswer,
)
from starter.services.documents import RegenerateRequest
from starter.services.profiles import check_template

router = APIRouter(tags=["instructions"])

LAST_VERSION = 2**31 - 1


@router.get("/instructions/{instruction_id}", responses=errors(400, 404))
def get_instruction(
    instruction_id: str,
    api: ApiParts,
    owner: Owner,
    version: Annotated[
        int | None, Query(ge=1, le=LAST_VERSION, description="Exactly this version; none: latest.")
    ] = None,
) -> InstructionAnswer:
    """The instruction's text."""
    return InstructionAnswer.of(api.store.get_instruction(owner, identifier(instruction_id), version))


@router.put("/instructions/{instruction_id}", responses=errors(400, 404, 409, 413, 415))
async def save_instruction(
    instruction_id: str, saved: SaveInstruction, api: ApiParts, owner: Owner
) -> InstructionAnswer:
    """Save an edit as the next version. Identical text of which nothing new is said makes none."""
    return InstructionAnswer.of(
        await api.documents.save(
            owner,
            identifier(instruction_id),
            saved.base_version,
            saved.markdown,
            as_marked=saved.as_marked,
            marks=tuple(each.mark for each in saved.blocks),
            sitting=saved.sitting_id,
            kept_at=saved.sitting_kept_at,
        )
    )


@router.get("/instructions/{instruction_id}/versions", responses=errors(400, 404))
def list_versions(
    instruction_id: str, api: ApiParts, owner: Owner, limit: Limit = 20, cursor: Cursor = None
) -> Listed[VersionAnswer]:
    """The versions without their text, newest first."""
    page = api.store.versions(owner, identifier(instruction_id), limit, cursor)
    return Listed(items=tuple(VersionAnswer.of(each) for each in page.items), next_cursor=page.next_cursor)


@router.put("/instructions/{instruction_id}/versions/{version}", responses=errors(400, 404, 413, 415))
def name_version(
    instruction_id: str,
    version: Annotated[int, Path(ge=1, le=LAST_VERSION)],
    named: NameVersion,
    api: ApiParts,
    owner: Owner,
) -> VersionAnswer:
    """Call a version something, to find it again."""
    return VersionAnswer.of(api.store.name_version(owner, identifier(instruction_id), version, named.name))


@router.get("/instructions/{instruction_id}/diff", responses=errors(400, 404))
def diff_versions(
    instruction_id: str,
    api: ApiParts,
    owner: Owner,
    before: Annotated[int, Query(alias="from", ge=1, le=LAST_VERSION, description="The version to begin from.")],
    after: Annotated[int, Query(alias="to", ge=1, le=LAST_VERSION, description="The version to come to.")],
) -> DiffAnswer:
    """What changed between two versions, line by line and by block."""
    old, new = (api.store.get_instruction(owner, identifier(instruction_id), version) for version in (before, after))
    return DiffAnswer(
        instruction_id=old.instruction_id,
        from_version=old.version,
        to_version=new.version,
        unified=unified_diff(old.markdown, new.markdown, names=(f"version {old.version}", f"version {new.version}")),
        blocks=tuple(map(BlockChangeAnswer.of, block_diff(parse(old.markdown), parse(new.markdown)))),
    )


@router.post("/instructions/{instruction_id}/restore", responses=errors(400, 404, 409, 413, 415))
async def restore_version(
    instruction_id: str, wanted: RestoreInstruction, api: ApiParts, owner: Owner, subject: Subject, once: OnceOnly
) -> InstructionAnswer:
    """Make an earlier version's text the newest again, as a version of its own. The same text makes none."""

    def restored() -> InstructionAnswer:
        version, _ = api.store.restore_version(
            owner, identifier(instruction_id), wanted.base_version, wanted.version, author=subject
        )
        return InstructionAnswer.of(version)

    answer = await to_thread.run_sync(once.answer, InstructionAnswer, restored)
    await api.documents.edited(answer.job_id)
    return answer


@router.post(
    "/instructions/{instruction_id}/regenerate",
    status_code=202,
    responses={200: {"model": TaskAnswer, "description": "Asked before."}, **errors(400, 404, 409, 413, 415, 502)},
)
async def regenerate(
    instruction_id: str, new: NewRegeneration, api: ApiParts, owner: Owner, response: Response
) -> TaskAnswer:
    """Write a part of the instruction again. What is outside the selection stays as it is."""
    if new.prompt_template_id is not None:
        check_template(new.prompt_template_id)
    request = RegenerateRequest(**new.model_dump(exclude={"selection"}), selection=checked_selection(new.selection))
    with inside("selection"):
        task, replayed = await api.documents.regenerate(owner, identifier(instruction_id), request)
    response.status_code = 200 if replayed else 202
    return TaskAnswer.of(task, replayed=replayed)


@router.get("/tasks/{task_id}", responses=errors(404))
def get_task(task_id: str, api: ApiParts, owner: Owner) -> TaskAnswer:
    """How far a regeneration is."""
    return TaskAnswer.of(api.store.get_regenerate(identifier(task_id), owner=owner))


def checked_selection(selection: Selection) -> dict[str, object]:
    """The one of the two that is given.

    Raises:
        RequestInvalid: None or both.
    """
    if (selection.block_id is None) == (selection.char_range is None):
        raise RequestInvalid("A selection names a block_id or a char_range: one of the two.", field="selection")
    if selection.block_id is not None:
        return {"block_id": selection.block_id}
    assert selection.char_range is not None
    return {"char_range": selection.char_range.model_dump()}
