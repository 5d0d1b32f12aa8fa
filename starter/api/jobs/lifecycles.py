"""The tables of the job kinds, as the code has them."""

from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse
from starlette.responses import Response

from domain.lifecycles.kinds import LIFECYCLES
from domain.lifecycles.lifecycle import Lifecycle
from starter.api.errors import not_found
from starter.api.responses import errors
from starter.api.shapes import LifecycleAnswer, Listed

router = APIRouter(prefix="/lifecycles", tags=["lifecycles"])


class TableFormat(StrEnum):
    JSON = "json"
    MERMAID = "mermaid"


def answer_of(lifecycle: Lifecycle[Any]) -> LifecycleAnswer:
    """A table as plain values."""
    return LifecycleAnswer.model_validate(
        {
            "kind": lifecycle.kind,
            "statuses": [str(each) for each in lifecycle.statuses],
            "initial": str(lifecycle.initial),
            "terminals": [str(each) for each in lifecycle.statuses if each in lifecycle.terminals],
            "checkpoints": [str(each) for each in lifecycle.checkpoints],
            "repeats_are_noops": lifecycle.repeats_are_noops,
            "transitions": lifecycle.table(),
        }
    )


@router.get("", responses=errors())
def list_lifecycles() -> Listed[LifecycleAnswer]:
    """Every kind's table, on one page."""
    return Listed(items=tuple(answer_of(each) for each in LIFECYCLES.values()))


@router.get(
    "/{kind}",
    response_model=LifecycleAnswer,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **errors(400, 404)},
)
def get_lifecycle(kind: str, format: Annotated[TableFormat, Query()] = TableFormat.JSON) -> LifecycleAnswer | Response:
    """One kind's table, or its Mermaid state diagram."""
    lifecycle = LIFECYCLES.get(kind)
    if lifecycle is None:
        raise not_found()
    if format is TableFormat.MERMAID:
        return PlainTextResponse(lifecycle.mermaid())
    return answer_of(lifecycle)
