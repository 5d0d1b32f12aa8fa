"""Jobs on the real engine whose histories nobody can read without the key, and who can read them with it."""

import asyncio
import json
import os
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from pydantic import SecretStr
from temporalio.api.common.v1 import Payload, SearchAttributes
from temporalio.client import Client, WorkflowFailureError, WorkflowHistory
from temporalio.exceptions import ApplicationError
from temporalio.worker import Replayer

from domain.errors import PayloadUnreadable
from starter.access.tokens import Role
from starter.services.payloads import data_converter
from starter.work.worker import WORKFLOWS, sandbox
from tests.apis import SECRET, RunningApi, running_api, wait_ready
from tests.stack import OWNER, Stack, running_stack
from tests.temporal import TemporalServer, binary, free_port

KEY, OLDER = "fedcba9876543210" * 2, "0123456789abcdef" * 2
KEYS = f"{KEY},{OLDER}"
SDKS_OWN = {
    *("seq", "attempt", "activity_id", "activity_type", "complete_time", "backoff", "original_schedule_time"),
    "activation_index",
}
"""What the SDK notes of a local activity in a marker, beside its result. It does not pass through a codec."""

UI = "https://temporal.example.org"


@pytest.fixture(scope="module")
def safe(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stack, RunningApi]]:
    """A stack whose every part has the key, and an administrator's door to it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        patch.setenv("GUIDESMITH_PAYLOAD_KEY", KEYS)
        settings: dict[str, Any] = {"api_port": free_port(), "auth_secret": SecretStr(SECRET), "cors_origins": UI}
        settings |= {"payload_key": SecretStr(KEYS), "rate_limit_default": "off"}
        with (
            running_stack(tmp_path_factory.mktemp("safe"), temporal, **settings) as stack,
            running_api(stack.settings) as api,
        ):
            wait_ready(api)
            stack.store.grant(OWNER, 100, reason="test", actor="test", idempotency_key="x")
            stack.start_worker()
            yield stack, api


@pytest.fixture(scope="module")
def histories(safe: tuple[Stack, RunningApi], tmp_path_factory: pytest.TempPathFactory) -> dict[str, WorkflowHistory]:
    """What Temporal has of a job that was done, and of one that failed."""
    stack, api = safe
    asked = api.client(OWNER).post("images", json={"prompt": "a lighthouse", "params": {}})
    done = stack.store.get_job(asked.json()["id"])
    broken = tmp_path_factory.mktemp("broken") / "broken.mp4"
    broken.write_bytes(b"no recording at all" * 100)
    failed = stack.new_job(broken)
    stack.run(failed)
    stack.wait_for(done, "completed")
    stack.loop.run(stack.client.get_workflow_handle(done.id).result())  # its run ends after its row
    failure = stack.wait_for(failed, "FAILED").failure
    assert failure is not None and failure.failure_code == "MEDIA_NOT_RECOGNISED"
    with pytest.raises(WorkflowFailureError):
        stack.loop.run(stack.client.get_workflow_handle(failed.id).result())
    return {each.kind: stack.history(each.id) for each in (done, failed)}


def payloads(message: Message) -> Iterator[Payload]:
    """Every payload in ``message`` but the search attributes, by which Temporal finds jobs."""
    if isinstance(message, Payload):
        yield message
    if isinstance(message, Payload | SearchAttributes):
        return
    for field, value in message.ListFields():
        if field.type != FieldDescriptor.TYPE_MESSAGE:
            continue
        for each in value.values() if hasattr(value, "values") else value if field.is_repeated else (value,):
            if isinstance(each, Message):
                yield from payloads(each)


def test_given_a_key_when_jobs_run_then_their_histories_hold_no_readable_payload(
    histories: dict[str, WorkflowHistory],
) -> None:
    for history in histories.values():
        kept = [each for event in history.events for each in payloads(event)]
        assert len(kept) > 5
        clear = [json.loads(each.data) for each in kept if each.metadata["encoding"] != b"binary/encrypted"]
        assert all(each.keys() <= SDKS_OWN for each in clear), clear
        said = [
            event.activity_task_failed_event_attributes.failure
            for event in history.events
            if event.HasField("activity_task_failed_event_attributes")
        ]
        assert all(each.message == "Encoded failure" and not each.stack_trace for each in said)
    assert any(
        event.activity_task_failed_event_attributes.failure.application_failure_info.type == "MEDIA_NOT_RECOGNISED"
        for event in histories["instruction"].events
    )


@pytest.mark.parametrize("keys", [KEYS, f"{OLDER},{KEY}", f"off,{KEY}"], ids=["as it was", "rotated", "turned off"])
def test_given_the_key_among_the_keys_when_replayed_then_nothing_differs(
    histories: dict[str, WorkflowHistory], keys: str
) -> None:
    async def replayed() -> None:
        converter = data_converter(keys.split(","))
        replayer = Replayer(workflows=list(WORKFLOWS), workflow_runner=sandbox(), data_converter=converter)
        for history in histories.values():
            await replayer.replay_workflow(history)

    asyncio.run(replayed())


def test_given_another_key_when_a_result_is_read_then_a_sentence_and_a_code_say_which_setting_lacks(
    temporal: TemporalServer, histories: dict[str, WorkflowHistory]
) -> None:
    async def asked(keys: list[str]) -> object:
        client = await Client.connect(temporal.address, data_converter=data_converter(keys))
        return await client.get_workflow_handle(histories["instruction"].workflow_id).result()

    for wrong in ([OLDER], []):
        with pytest.raises(PayloadUnreadable, match="GUIDESMITH_PAYLOAD_KEY") as unreadable:
            asyncio.run(asked(wrong))
        assert unreadable.value.code == "PAYLOAD_UNREADABLE"
    with pytest.raises(WorkflowFailureError) as failed:
        asyncio.run(asked([OLDER, KEY]))
    assert isinstance(failed.value.cause, ApplicationError) and failed.value.cause.type == "MEDIA_NOT_RECOGNISED"


# --- who may read them -----------------------------------------------------------------------------------------------


def test_given_an_administrators_token_when_temporals_own_tool_asks_the_codec_server_then_it_shows_what_was_said(
    safe: tuple[Stack, RunningApi], histories: dict[str, WorkflowHistory]
) -> None:
    stack, api = safe
    shown = [binary(), "workflow", "show", "--workflow-id", histories["instruction"].workflow_id, "--output", "json"]
    where = ["--address", stack.temporal.address, "--command-timeout", "60s"]
    where += ["--codec-endpoint", f"{api.url}/api/v1/admin/codec"]
    quiet = {**os.environ, "TEMPORAL_VERSION_CHECK_DISABLED": "1"}
    with api.client("root", Role.ADMIN) as somebody:
        token = somebody.headers["Authorization"]
    for keyed in (False, True):
        given = [*shown, *where[: None if keyed else 4], *(("--codec-auth", token) if keyed else ())]
        answer = subprocess.run(given, capture_output=True, text=True, env=quiet, timeout=120)
        assert "MEDIA_NOT_RECOGNISED" in answer.stdout, answer
        assert (b64encode(b"binary/encrypted").decode() in answer.stdout) is not keyed


def test_given_temporals_page_when_it_asks_the_codec_server_from_its_origin_then_its_browser_lets_it(
    safe: tuple[Stack, RunningApi], histories: dict[str, WorkflowHistory]
) -> None:
    _, api = safe
    started = histories["image"].events[0].workflow_execution_started_event_attributes.input
    admin, path = api.client("root", Role.ADMIN), "admin/codec/decode"
    asked = {"Origin": UI, "Access-Control-Request-Method": "POST"}
    asked["Access-Control-Request-Headers"] = "authorization,content-type,x-namespace"
    allowed = httpx.options(f"{admin.base_url}{path}", headers=asked)
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (204, UI)
    assert "X-Namespace" in allowed.headers["access-control-allow-headers"]

    sealed = MessageToDict(started)
    answer = admin.post(path, json=sealed, headers={"Origin": UI, "X-Namespace": "default"})
    assert answer.headers["access-control-allow-origin"] == UI
    opened = answer.json()["payloads"]
    assert b'"job_id"' in b64decode(opened[0]["data"])
    again = admin.post("admin/codec/encode", json={"payloads": opened})
    assert admin.post(path, json=again.json()).json()["payloads"] == opened
    assert again.json()["payloads"] != opened

    stranger = admin.post(path, json=sealed, headers={"Origin": "https://elsewhere.example.org"})
    assert "access-control-allow-origin" not in stranger.headers
    assert httpx.post(f"{admin.base_url}{path}", json=sealed).status_code == 401
    assert api.client("ann").post(path, json=sealed).status_code == 403
    foreign = {"metadata": {"encoding": "YmluYXJ5L2VuY3J5cHRlZA==", "encryption-key-id": "eA=="}, "data": "eA=="}
    refused = admin.post(path, json={"payloads": [foreign]})
    assert (refused.status_code, refused.json()["code"]) == (409, "PAYLOAD_UNREADABLE")
    assert admin.post(path, json={"payloads": [{"data": "???"}]}).status_code == 400
