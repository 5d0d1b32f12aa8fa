"""The sandbox provider for tests: ``sandbox``, one server a session, without script and memory at each test's start."""

from collections.abc import Iterator

import pytest

from starter.sandbox import RunningSandbox, running_sandbox


@pytest.fixture(scope="session")
def sandbox_server() -> Iterator[RunningSandbox]:
    with running_sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(sandbox_server: RunningSandbox) -> RunningSandbox:
    sandbox_server.reset()
    return sandbox_server
