"""The API in a process of its own, as the product starts it, with one handler that crashes over what it was given.

``CRASH_FOR=SUBJECT``: the projects of this user cannot be listed; the error quotes ``$CRASH_WITH``.
"""

import asyncio
import os
from typing import Any

from activities.store import Store
from starter import serving
from starter.api.app import description
from starter.logs import configure_logs
from starter.settings import Settings, load_settings
from tests.stack import have_patience


class CrashingStore(Store):
    """The store, broken where the test says."""

    def list_joined_projects(self, subject: str, *arguments: Any, **named: Any) -> Any:
        if subject == os.environ.get("CRASH_FOR"):
            try:
                raise KeyError(os.environ["CRASH_WITH"])
            except KeyError as cause:
                raise RuntimeError(f"cannot list {os.environ['CRASH_WITH']}") from cause
        return super().list_joined_projects(subject, *arguments, **named)


def _open(settings: Settings) -> Store:
    return CrashingStore.open(settings.database, secrets_keys=settings.secrets_keys())


def prepare() -> None:
    """What need not be done again in each process that is forked."""
    have_patience()
    description()


def main() -> None:
    """Answer until SIGTERM."""
    serving.open_store = _open  # type: ignore[attr-defined]
    settings = load_settings()
    configure_logs(settings.log_level, settings.log_format)
    asyncio.run(serving.run_api(settings))


if __name__ == "__main__":
    main()
