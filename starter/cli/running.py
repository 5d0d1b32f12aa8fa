"""Run the local stack in this process until it is told to stop."""

import asyncio
import signal
from collections.abc import Callable

from starter import extras
from starter.cli.connection import local_user
from starter.local.folder import DataFolder, StackState
from starter.local.stack import LocalStack
from starter.settings import QUEUES, Settings


def run_stack(
    folder: DataFolder,
    settings: Settings,
    *,
    on_up: Callable[[StackState], None],
    on_stop: Callable[[], None],
    until_unused: bool,
) -> None:
    """Until SIGINT, SIGTERM or SIGHUP; with ``until_unused`` also until the last client has gone.

    Args:
        on_stop: Called at the signal; the parts are stopped after it.

    Raises:
        StackRunning: Another stack runs on the folder.
        StackFailed: A part does not come up.
        ExtraMissing: What its worker needs is not installed.
    """
    from activities.rails.search_attributes import ATTRIBUTES

    extras.require(QUEUES, settings)

    def migrate() -> None:
        from starter.wiring import open_store

        store = open_store(settings)
        try:
            store.upgrade()
            store.welcome(local_user(), settings.initial_grant)
        finally:
            store.dispose()

    async def run() -> None:
        stop = asyncio.Event()

        def told_to_stop() -> None:
            if not stop.is_set():
                on_stop()
            stop.set()

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, told_to_stop)
        stack = LocalStack(folder, search_attributes=ATTRIBUTES, migrate=migrate)
        await stack.run(on_up=on_up, stop=stop, until_unused=until_unused)

    folder.prepare()
    asyncio.run(run())
