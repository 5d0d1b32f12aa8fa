"""Fixtures that every layer of tests shares."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from httpx._config import DEFAULT_TIMEOUT_CONFIG

from tests.children import keep_servers

keep_servers()

os.environ["SSL_CERT_FILE"] = str(Path(__file__).parent / "data" / "nobody.pem")
"""The authorities that are trusted here: none. To read those of the world takes 20 ms, which every ``httpx.get`` spends
anew, and nothing here speaks with the world."""

hypothesis.settings.register_profile("crowded", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("crowded")  # a machine may be five times slower than ours

for _each in ("connect", "read", "write", "pool"):  # of whoever names no time; else it would be five seconds
    setattr(DEFAULT_TIMEOUT_CONFIG, _each, 60.0)

pytest_plugins = (
    "tests.temporal",
    "tests.shared",
    "tests.objectstores",
    "tests.databases",
    "tests.apis",
    "tests.integration.api_pairs",
)


@pytest.fixture(autouse=True, scope="session")
def _unconfigured_logs() -> Iterator[None]:
    """Commands that tests run in this process leave its logs as they are: a logger keeps the way that it was first used
    with, and other tests read what an API of this process writes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("starter.logs.configure_logs", lambda *_: None)
        yield


gc.disable()  # what is imported and collected stays: a third of the time would go into looking through it for garbage


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """From here on, what is there already is left out of it, and it is looked for more seldom than every 700 objects: a
    twentieth of what tests compute."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
