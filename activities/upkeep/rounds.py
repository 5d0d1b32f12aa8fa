"""The reconciler's rounds: once a minute, in one of the workers of the ``jobs`` queue, whichever is first. And others'
that are like it (``activities/upkeep/indexing.py``).

They are not a schedule of Temporal's: one that runs each minute costs thousands of billed actions a day, whatever
happens. A round asks Temporal for each active job, which costs none.
"""

import asyncio
from contextlib import suppress
from typing import Protocol

import structlog

from domain.errors import GuidesmithError

NAME = "reconciler"
EVERY_S = 60.0
"""A lost job is shown as such within this, and the time that a round takes."""

LONGEST_S = 600.0
"""A round that takes longer is given up, and begun anew."""

UNREACHED_S = 10.0
"""Seconds until a database that was away is asked again."""

log = structlog.get_logger("guidesmith.reconciler")


class RoundStore(Protocol):
    """What the rounds need of the store."""

    def take_round(self, name: str, every_s: float) -> float: ...
    def keep_round(self, name: str, for_s: float) -> None: ...


class Watch(Protocol):
    """What is done in a round."""

    async def look(self) -> object: ...


class Rounds:
    """Runs beside the workers of a process.

    Args:
        every_s: Seconds between the beginnings of two rounds, in whichever process.
    """

    def __init__(self, store: RoundStore, watch: Watch, name: str = NAME, *, every_s: float = EVERY_S) -> None:
        self._store = store
        self._watch = watch
        self._name = name
        self._every_s = every_s

    async def run(self) -> None:
        """Until cancelled. What cannot be reached now is looked at in the next round."""
        while True:
            try:
                pause_s = await self.once()
            except Exception as absent:  # whatever it is: what is amiss is still there in the next round
                log.warning("reconciler.waiting", round=self._name, fault=type(absent).__name__)
                pause_s = UNREACHED_S
            await asyncio.sleep(pause_s)

    async def once(self) -> float:
        """Do a round, if it is time for one; the seconds until it may be."""
        left_s = await asyncio.to_thread(self._store.take_round, self._name, self._every_s)
        if left_s > 0:
            return left_s
        keeping = asyncio.create_task(self._keep(), name="round")
        try:
            async with asyncio.timeout(LONGEST_S):
                await self._watch.look()
        finally:
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping
        return 0.0

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(self._every_s / 3)
            with suppress(GuidesmithError):  # without it another worker begins a round, which does no harm
                await asyncio.to_thread(self._store.keep_round, self._name, self._every_s)
