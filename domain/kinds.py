"""The kinds of job there are, each with its table. The one place where a kind is registered."""

from collections.abc import Mapping
from typing import Any

from domain.analysis import ANALYSIS
from domain.batch import BATCH
from domain.errors import RequestInvalid
from domain.generation import GENERATION
from domain.image import IMAGE
from domain.instruction import INSTRUCTION
from domain.lifecycle import Lifecycle

LIFECYCLES: Mapping[str, Lifecycle[Any]] = {
    each.kind: each for each in (INSTRUCTION, IMAGE, GENERATION, ANALYSIS, BATCH)
}


def lifecycle_of(kind: str) -> Lifecycle[Any]:
    """The table of ``kind``.

    Raises:
        RequestInvalid: There is no such kind.
    """
    try:
        return LIFECYCLES[kind]
    except KeyError:
        raise RequestInvalid(f"There is no job kind {kind[:40]!r}. Kinds: {', '.join(LIFECYCLES)}.") from None
