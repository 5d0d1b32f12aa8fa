"""Run the local stack in this process until it is told to stop."""

import asyncio
import signal
from collections.abc import Callable

from starter.cli.connection import local_user
from starter.local.folder import DataFolder, StackState
from starter.local.stack import LocalStack
from starter.settings import Settings


def run_stack(
    folder: DataFolder, settings: Settings, *, on_up: Callable[[StackState], None], until_unused: bool
) -> None:
    """Until SIGINT, SIGTERM or SIGHUP; with ``until_unused`` also until the last client has gone.

    Raises:
        StackRunning: Another stack runs on the folder.
        StackFailed: A part does not come up.
    """
    from workflows.search_attributes import ATTRIBUTES

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
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        stack = LocalStack(folder, search_attributes=ATTRIBUTES, migrate=migrate)
        await stack.run(on_up=on_up, stop=stop, until_unused=until_unused)

    folder.prepare()
    asyncio.run(run())
