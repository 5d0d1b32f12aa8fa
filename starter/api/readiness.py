"""Can this process do its work: database, engine, artifact store. Load balancers ask often, so it is remembered."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

from domain.errors import GuidesmithError
from starter.logs import log

TIMEOUT_S = 3.0
REMEMBERED_S = 1.0

Check = Callable[[], Awaitable[None]]
"""Returns when the part answers, raises when it does not."""


class Readiness:
    """Runs the checks side by side, at most once a second."""

    def __init__(self, checks: Mapping[str, Check], clock: Callable[[], float] = time.monotonic) -> None:
        self._checks = checks
        self._clock = clock
        self._asked_at = float("-inf")
        self._last: dict[str, str] = {}
        self._lock = asyncio.Lock()

    async def checks(self) -> dict[str, str]:
        """For each part ``ok``, or the code of what is wrong."""
        async with self._lock:
            if self._clock() - self._asked_at > REMEMBERED_S:
                results = await asyncio.gather(*(self._result(name) for name in self._checks))
                self._last = dict(zip(self._checks, results, strict=True))
                self._asked_at = self._clock()
            return dict(self._last)

    async def _result(self, name: str) -> str:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await self._checks[name]()
        except TimeoutError:
            return "TIMEOUT"
        except GuidesmithError as fault:
            return fault.code
        except Exception as fault:  # a probe answers, whatever breaks
            log("api").warning("readiness.failed", part=name, exc_info=fault)
            return "INTERNAL"
        return "ok"
