"""Waiting for a coroutine from a thread of our own, and giving it up as soon as somebody says so."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from domain.errors import Cancelled

T = TypeVar("T")

Stop = Callable[[], bool | None]
"""Asked while an answer is awaited: returns true, or raises, to give the request up."""

STOP_POLL_S = 0.2
"""How often ``Stop`` is asked. A cancelled stage must end within seconds."""


def run(work: Coroutine[Any, Any, T], stop: Stop | None = None) -> T:
    """What ``work`` returns or raises, in an event loop of its own.

    Raises:
        Cancelled: ``stop`` said so. What ``stop`` raises goes through.
    """
    # Not asyncio.run, which would wait for a name server that does not answer although the request was given up.
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(_watched(work, stop))
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _watched(work: Coroutine[Any, Any, T], stop: Stop | None) -> T:
    """Cancelling a request closes its socket at once."""
    sending = asyncio.ensure_future(work)
    try:
        while not sending.done():
            if stop is not None and stop():
                raise Cancelled("The request was given up.")
            await asyncio.wait({sending}, timeout=STOP_POLL_S if stop is not None else None)
        return sending.result()
    finally:
        sending.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await sending
