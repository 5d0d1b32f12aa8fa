"""The tables of the job kinds, as drawings and as rows: from the code that rules them."""

from fastapi import APIRouter
from fastapi.responses import Response

from domain.errors import NotFound
from domain.kinds import LIFECYCLES
from starter.pages.diagram import diagram
from starter.pages.visit import Visiting

router = APIRouter()


@router.get("/lifecycles")
def lifecycles(visit: Visiting, kind: str = "instruction") -> Response:
    """One kind's table, with the others beside it."""
    if kind not in LIFECYCLES:
        raise NotFound
    lifecycle = LIFECYCLES[kind]
    return visit.page(
        "lifecycles.html",
        kinds=tuple(LIFECYCLES),
        kind=kind,
        drawing=diagram(lifecycle),
        rows=lifecycle.table(),
        no_ops=lifecycle.repeats_are_noops,
    )
