"""A kind's table as a drawing: its statuses from top to bottom, moves onward at the right, moves back at the left.

Everything is computed from the table, in the units of an SVG user space (1 is about a pixel); ``lifecycle.html`` only
writes it down.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from domain.lifecycles.lifecycle import Lifecycle, Transition

BOX_WIDTH, BOX_HEIGHT, STEP = 230, 38, 66
LANE, MARGIN = 26, 24
HEAD = 7
"""Length of an arrow's head."""


@dataclass(frozen=True)
class Node:
    """A status. ``sort``: initial, plain, checkpoint, good, bad or ended."""

    name: str
    sort: str
    x: int
    y: int


@dataclass(frozen=True)
class Edge:
    """A move as a path, with the point of its arrow and what it says."""

    path: str
    head: str
    says: str
    is_action: bool


@dataclass(frozen=True)
class Diagram:
    """What is drawn. ``everywhere``: ends that every active status can come to, which are not drawn as moves."""

    width: int
    height: int
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    everywhere: tuple[str, ...]


def diagram(lifecycle: Lifecycle[StrEnum]) -> Diagram:
    """The drawing of a table."""
    order = list(lifecycle.statuses)
    place = {status: number for number, status in enumerate(order)}
    everywhere = set(lifecycle.ends_of_all)
    moves = [
        row
        for row in lifecycle.transitions
        if row.source is not None and not row.is_self and not (row.target in everywhere and row.action is None)
    ]
    spans = {row: (place[_source(row)], place[row.target]) for row in moves}
    onward = _lanes((row, span) for row, span in spans.items() if span[1] > span[0] + 1)
    back = _lanes((row, (span[1], span[0])) for row, span in spans.items() if span[1] < span[0])
    left = MARGIN + LANE * (1 + max(back.values(), default=-1))
    right = left + BOX_WIDTH
    edges = []
    for row in moves:
        start, end = (MARGIN + STEP * number + BOX_HEIGHT // 2 for number in spans[row])
        if row in onward:
            edges.append(_around(row, right, right + LANE * (onward[row] + 1), start + 6, end - 6))
        elif row in back:
            edges.append(_around(row, left, left - LANE * (back[row] + 1), start - 6, end + 6))
        else:
            edges.append(_straight(row, left + BOX_WIDTH // 2, start + BOX_HEIGHT // 2, end - BOX_HEIGHT // 2))
    return Diagram(
        width=right + LANE * (1 + max(onward.values(), default=-1)) + MARGIN,
        height=2 * MARGIN + STEP * (len(order) - 1) + BOX_HEIGHT,
        nodes=tuple(
            Node(str(status), _sort(lifecycle, status), left, MARGIN + STEP * number)
            for status, number in place.items()
        ),
        edges=tuple(edges),
        everywhere=tuple(map(str, lifecycle.ends_of_all)),
    )


def _source(row: Transition[StrEnum]) -> StrEnum:
    assert row.source is not None
    return row.source


def _sort(lifecycle: Lifecycle[StrEnum], status: StrEnum) -> str:
    if lifecycle.is_terminal(status):
        if status in lifecycle.failures:
            return "bad"
        return "ended" if status is lifecycle.cancelled else "good"
    if status is lifecycle.initial:
        return "initial"
    return "checkpoint" if status in lifecycle.checkpoints else "plain"


def _lanes(moves: Iterable[tuple[Transition[StrEnum], tuple[int, int]]]) -> dict[Transition[StrEnum], int]:
    """A lane for each move, the short ones inside: two that overlap never share one."""
    taken: list[list[tuple[int, int]]] = []
    lanes = {}
    for row, (start, end) in sorted(moves, key=lambda each: (each[1][1] - each[1][0], each[1][0])):
        lane = next(
            (
                number
                for number, held in enumerate(taken)
                if all(end <= other[0] or other[1] <= start for other in held)
            ),
            len(taken),
        )
        if lane == len(taken):
            taken.append([])
        taken[lane].append((start, end))
        lanes[row] = lane
    return lanes


def _says(row: Transition[StrEnum]) -> str:
    by = row.action or ", ".join(sorted(map(str, row.triggers)))
    return f"{row.source} → {row.target} ({by}): {row.note}" if row.note else f"{row.source} → {row.target} ({by})"


def _around(row: Transition[StrEnum], edge: int, lane: int, start: int, end: int) -> Edge:
    toward = HEAD if lane > edge else -HEAD
    middle = (start + end) // 2
    path = f"M{edge} {start} C{lane} {start} {lane} {start} {lane} {middle} S{lane} {end} {edge + toward} {end}"
    return Edge(path, f"{edge},{end} {edge + toward},{end - 4} {edge + toward},{end + 4}", _says(row), bool(row.action))


def _straight(row: Transition[StrEnum], x: int, start: int, end: int) -> Edge:
    return Edge(
        f"M{x} {start} L{x} {end - HEAD}",
        f"{x},{end} {x - 4},{end - HEAD} {x + 4},{end - HEAD}",
        _says(row),
        bool(row.action),
    )
