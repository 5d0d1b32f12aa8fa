"""The parallel pieces of one stage: all at once, or a few at a time."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

from temporalio import workflow

from workflows.rails.out_of_step import going_on

with workflow.unsafe.imports_passed_through():
    from activities.rails.contracts import StageResult

Begin = Callable[[int], workflow.ActivityHandle[StageResult]]
"""Begins the piece of a number."""


async def each_piece(begin: Begin, pieces: int, at_once: int = 0) -> None:
    """Have every piece done, from 1; one that fails ends the others.

    Args:
        at_once: How many are begun and not done, at most; 0: all. What is not begun waits in no queue, where it would
            take the turns of the same owner's other jobs.
    """
    numbers = iter(range(1, pieces + 1))
    if 0 < at_once < pieces:
        begun: list[asyncio.Future[Any]] = [
            asyncio.create_task(_lane(begin, numbers), name="lane") for _ in range(at_once)
        ]
    else:
        begun = [begin(number) for number in numbers]
    try:
        for result in await asyncio.gather(*begun):
            if isinstance(result, StageResult):
                going_on(result)
    finally:
        for each in begun:
            each.cancel()


async def _lane(begin: Begin, numbers: Iterator[int]) -> None:
    for number in numbers:
        going_on(await begin(number))
