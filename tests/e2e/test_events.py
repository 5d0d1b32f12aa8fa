"""A real run, followed from outside while the API that tells of it is killed."""

import signal
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.api_processes import api_processes
from tests.apis import SECRET
from tests.integration.test_api_events import streamed
from tests.stack import OWNER, Stack


def test_given_a_running_job_when_the_api_is_killed_in_the_middle_then_its_followers_hear_each_event_once(
    shared_stack: Stack, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = shared_stack
    monkeypatch.setenv("TEMPORAL_ADDRESS", stack.temporal.address)
    job = stack.new_job(sample)
    settings = stack.settings.model_copy(update={"auth_secret": SecretStr(SECRET)})
    with api_processes(settings) as (api,), api.client(OWNER) as client:
        assert client.post(f"jobs/{job.id}/run").status_code == 202
        before = streamed(client, job.id, None, lambda event: event.data["new_status"] == "AUDIO_READY")
        api.stop(signal.SIGKILL)
        api.start()
        api.wait()
        after = streamed(client, job.id, before[-1].id, lambda event: event.data["new_status"] == "DRAFT_READY")
    heard = before + after
    assert [event.id for event in heard] == list(range(1, len(heard) + 1))
    assert [event.data["new_status"] for event in heard if event.data["new_status"]] == stack.statuses(job)
