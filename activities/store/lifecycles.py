"""The lifecycle of each kind of job that the store keeps."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from domain.errors import RequestInvalid
from domain.instruction import INSTRUCTION
from domain.lifecycle import Lifecycle

LIFECYCLES: Mapping[str, Lifecycle[Any]] = {INSTRUCTION.kind: INSTRUCTION}


def lifecycle_of(kind: str) -> Lifecycle[Any]:
    """The table of ``kind``.

    Raises:
        RequestInvalid: There is no such kind.
    """
    try:
        return LIFECYCLES[kind]
    except KeyError:
        raise RequestInvalid(f"There is no job kind {kind[:40]!r}. Kinds: {', '.join(LIFECYCLES)}.") from None


def failing(lifecycle: Lifecycle[Any]) -> frozenset[StrEnum]:
    """The terminal statuses that an explicit action leads out of: a job in one of them carries its failure."""
    return frozenset(
        status
        for status in lifecycle.terminals
        if any(row.source is status and row.action is not None for row in lifecycle.transitions)
    )
