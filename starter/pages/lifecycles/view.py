"""The tables of the job kinds, as drawings and as rows: from the code that rules them."""

from collections.abc import Iterable
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from fastapi import APIRouter
from fastapi.responses import Response

from domain.errors import NotFound
from domain.lifecycles.kinds import LIFECYCLES
from domain.lifecycles.lifecycle import Transition
from starter.pages.lifecycles.diagram import diagram
from starter.pages.shell.context import Context

router = APIRouter()


@router.get("/lifecycles")
def lifecycles(context: Context, kind: str = "instruction") -> Response:
    """One kind's table, with the others beside it."""
    if kind not in LIFECYCLES:
        raise NotFound
    lifecycle = LIFECYCLES[kind]
    return context.page(
        "lifecycles/lifecycles.html",
        kinds=tuple(LIFECYCLES),
        kind=kind,
        drawing=diagram(lifecycle),
        lines=_lines(lifecycle.transitions),
        no_ops=lifecycle.repeats_are_noops,
    )


class Line(NamedTuple):
    """One line of the table as its author wrote it: several sources, one move."""

    sources: tuple[str, ...]
    target: str
    by: str
    note: str


def _lines(transitions: Iterable[Transition[StrEnum]]) -> list[Line]:
    same = groupby(transitions, key=lambda row: (row.target, row.triggers, row.note, row.action))
    return [
        Line(
            sources=tuple(str(row.source) for row in rows if row.source is not None),
            target=str(target),
            by=action or ", ".join(sorted(map(str, triggers))),
            note=note,
        )
        for (target, triggers, note, action), rows in same
    ]
