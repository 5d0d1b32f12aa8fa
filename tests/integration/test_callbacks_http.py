"""Callbacks over HTTP: who may send them, in which order they are checked, what they are answered."""

import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from unittest.mock import ANY

import httpx
import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from tests.apis import RunningApi, api_settings, running_api, wait_ready
from tests.integration.store_builders import Run, log_of
from tests.integration.test_callbacks_store import waiting_run
from tests.temporal import TemporalServer, free_port

RUNNER = "runner-" + "5" * 40
ABSENT = "0192f3a1-0000-7000-8000-000000000000"


@pytest.fixture(scope="module")
def callback_api(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        settings = api_settings(tmp_path_factory.mktemp("api"), callback_secret=SecretStr(RUNNER))
        with running_api(settings) as running:
            wait_ready(running)
            yield running


@pytest.fixture
def run(callback_api: RunningApi) -> Run:
    return waiting_run(callback_api.store)


def event(status: str = "TRANSCRIPT_READY", **fields: Any) -> dict[str, Any]:
    values = {
        "event_id": "e-1",
        "status": status,
        "occurred_at": datetime.now(UTC).isoformat(),
        "correlation_id": "c-1",
    }
    return values | fields


def send(
    api: RunningApi, job_id: str, body: Any = None, *, secret: str | None = RUNNER, **request: Any
) -> httpx.Response:
    headers = {"X-Callback-Secret": secret} if secret is not None else {}
    if "content" not in request:
        request["json"] = event() if body is None else body
    return httpx.post(
        f"{api.url}/api/v1/internal/jobs/{job_id}/status", headers=headers | request.pop("headers", {}), **request
    )


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


# --- the order of checks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("secret", [None, "", "wrong", RUNNER[:-1], RUNNER + "x"])
def test_given_a_forged_secret_when_anything_is_sent_then_401(callback_api: RunningApi, secret: str | None) -> None:
    for content in (b"{", b"x" * (2 << 20), b"{}"):
        answer = send(callback_api, ABSENT, secret=secret, content=content)
        assert code_of(answer) == (401, "UNAUTHORIZED")
        assert RUNNER not in answer.text


def test_given_a_secret_or_a_signature_when_compared_then_in_a_time_that_does_not_tell_how_much_is_right(
    callback_api: RunningApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[int, int]] = []
    really_compared = hmac.compare_digest

    def noted(one: bytes, other: bytes) -> bool:
        compared.append((len(one), len(other)))
        return really_compared(one, other)

    monkeypatch.setattr(hmac, "compare_digest", noted)
    for secret in ("", "x", RUNNER[:-1], RUNNER, RUNNER * 2):
        send(callback_api, ABSENT, secret=secret)
    assert compared == [(32, 32)] * 5  # hashes, whatever was sent
    assert httpx.get(f"{callback_api.url}/api/v1/downloads/v1.e30.{'A' * 43}").status_code == 404
    assert compared[5:] == [(43, 43)]


def test_given_a_users_token_when_a_callback_is_sent_with_it_then_401(callback_api: RunningApi, run: Run) -> None:
    with callback_api.client() as ann:
        assert ann.post(f"internal/jobs/{run.job_id}/status", json=event()).status_code == 401


def test_given_the_runners_secret_when_a_users_route_is_asked_with_it_then_401(callback_api: RunningApi) -> None:
    for header in ({"X-Callback-Secret": RUNNER}, {"Authorization": f"Bearer {RUNNER}"}):
        assert httpx.get(f"{callback_api.url}/api/v1/jobs", headers=header).status_code == 401


def test_given_no_secret_in_the_settings_when_a_callback_is_sent_then_401(api: RunningApi) -> None:
    for secret in (None, "", RUNNER, "None"):
        assert code_of(send(api, ABSENT, secret=secret)) == (401, "UNAUTHORIZED")


def test_given_a_body_that_is_too_large_or_no_json_when_sent_then_413_and_415_before_its_shape(
    callback_api: RunningApi,
) -> None:
    large = send(callback_api, ABSENT, content=b"x" * (2 << 20), headers={"Content-Type": "application/json"})
    assert code_of(large) == (413, "PAYLOAD_TOO_LARGE")
    plain = send(callback_api, ABSENT, content=b"{}", headers={"Content-Type": "text/plain"})
    assert code_of(plain) == (415, "UNSUPPORTED_MEDIA_TYPE")


WRONG: dict[str, dict[str, Any]] = {
    "no event_id": {"event_id": None},
    "empty event_id": {"event_id": " "},
    "unknown status": {"status": "NAPPING"},
    "time without zone": {"occurred_at": "2026-01-01T12:00:00"},
    "time as number": {"occurred_at": 1_700_000_000},
    "time that no date can be": {"occurred_at": "0001-01-01T00:00:00+14:00"},
    "time ahead of any clock": {"occurred_at": (datetime.now(UTC) + timedelta(days=9)).isoformat()},
    "no correlation": {"correlation_id": None},
    "unknown actor": {"actor_type": "god"},
    "climbing uri": {"artifact_updates": {"transcript_uri": "artifact://a/../../etc/passwd"}},
    "climbing uri, encoded": {"artifact_updates": {"draft_uri": "file:///a/%2e%2e/%2e%2e/etc/passwd"}},
    "path for a uri": {"artifact_updates": {"audio_uri": "/etc/passwd"}},
    "text for updates": {"artifact_updates": "x"},
    "nested metric": {"artifact_updates": {"metrics": {"a": {"b": 1}}}},
    "too many metrics": {"artifact_updates": {"metrics": {f"m{n}": n for n in range(33)}}},
    "code with blanks": {"failure_code": "not a code"},
    "nul in a message": {"failure_message": "a\x00b"},
}


@pytest.mark.parametrize("fields", WRONG.values(), ids=WRONG)
def test_given_a_wrong_shape_when_sent_then_400_before_404(callback_api: RunningApi, fields: dict[str, Any]) -> None:
    answer = send(callback_api, ABSENT, event(**fields))
    assert code_of(answer) == (400, "VALIDATION_ERROR")
    assert answer.json()["details"]["issues"][0]["path"]
    assert "passwd" not in answer.text


@pytest.mark.parametrize("job_id", [ABSENT, "x", "..%2F" + ABSENT])
def test_given_no_such_job_when_reported_then_404(callback_api: RunningApi, job_id: str) -> None:
    assert code_of(send(callback_api, job_id)) == (404, "RESOURCE_NOT_FOUND")


# --- what it does ------------------------------------------------------------------------------------------------


def test_given_a_checkpoint_when_reported_then_204_and_the_job_says_so(callback_api: RunningApi, run: Run) -> None:
    updates = {"transcript_uri": "s3://elsewhere/t.json", "metrics": {"rtf": 0.2, "gpu": True, "n": None}}
    answer = send(callback_api, run.job_id, event(artifact_updates=updates, actor_type="system"))
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["X-Request-Id"]
    with callback_api.client() as ann:
        job = ann.get(f"jobs/{run.job_id}").json()
        assert (job["status"], job["progress"]) == ("TRANSCRIPT_READY", 70)
        assert job["manifest"]["transcript_uri"] == "s3://elsewhere/t.json"
        row = ann.get(f"jobs/{run.job_id}/history").json()["items"][0]
    assert (row["actor_type"], row["correlation_id"], row["prev_status"]) == ("system", "c-1", "TRANSCRIBING")
    assert row["data"]["metrics"] == updates["metrics"]


def test_given_the_event_in_the_contracts_other_words_when_sent_then_it_is_the_same_event(
    callback_api: RunningApi, run: Run
) -> None:
    body = event()
    other = {name: value for name, value in body.items() if name not in ("event_id", "status")}
    other |= {"target_status": body["status"], "job_id": run.job_id}
    named = {"X-Event-Id": "e-1"}
    for wrong, headers in (
        (other, {}),
        (other | {"event_id": "e-2"}, named),
        (other | {"status": "AUDIO_READY"}, named),
        (other | {"job_id": ABSENT}, named),
        ({name: value for name, value in other.items() if name != "target_status"}, named),
    ):
        refused = send(callback_api, run.job_id, wrong, headers=headers)
        assert code_of(refused) == (400, "VALIDATION_ERROR")
        assert refused.json()["details"]["issues"][0]["path"].startswith("body.")
    assert send(callback_api, run.job_id, other, headers=named).status_code == 204
    for same, headers in ((body, {}), (body, named), (other | {"event_id": "e-1"}, {})):
        again = send(callback_api, run.job_id, same, headers=headers)
        assert (again.status_code, again.json()["replayed"]) == (200, True)


def test_given_an_event_when_it_comes_again_then_200_without_effect(callback_api: RunningApi, run: Run) -> None:
    occurred = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=1)
    body = event(occurred_at=occurred.astimezone(timezone(timedelta(hours=2))).isoformat())
    assert send(callback_api, run.job_id, body).status_code == 204
    log = log_of(callback_api.store, run.job_id)
    assert callback_api.store.events(run.job_id)[-1].actor_type == "orchestrator"  # where the body does not say
    reordered = {**dict(reversed(body.items())), "occurred_at": occurred.isoformat(), "dispatch_id": None}
    for same in (body, reordered):
        again = send(callback_api, run.job_id, same)
        assert again.status_code == 200
        assert again.json() == {
            "job_id": run.job_id,
            "event_id": "e-1",
            "replayed": True,
            "current_status": "TRANSCRIPT_READY",
            "latest_applied_occurred_at": occurred.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
    other = send(callback_api, run.job_id, body | {"correlation_id": "c-2"})
    assert code_of(other) == (409, "EVENT_ID_PAYLOAD_MISMATCH")
    assert other.json()["details"] == {"event_id": "e-1"}
    assert log_of(callback_api.store, run.job_id) == log


def test_given_reports_of_every_kind_when_refused_then_409_with_the_details(callback_api: RunningApi, run: Run) -> None:
    stale = send(callback_api, run.job_id, event(dispatch_id="run-0"))
    assert code_of(stale) == (409, "STALE_DISPATCH")
    before = send(callback_api, run.job_id, event(occurred_at="2020-01-01T00:00:00Z"))
    assert code_of(before) == (409, "CALLBACK_OUT_OF_ORDER")
    now = datetime.now(UTC) + timedelta(minutes=4)
    sign = event("TRANSCRIBING", event_id="sign", occurred_at=now.isoformat(), dispatch_id="run-1")
    assert send(callback_api, run.job_id, sign).status_code == 204
    late = send(callback_api, run.job_id, event(dispatch_id="run-1"))
    assert code_of(late) == (409, "CALLBACK_OUT_OF_ORDER")
    assert late.json()["details"] == {
        "latest_applied_occurred_at": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "current_status": "TRANSCRIBING",
        "attempted_status": "TRANSCRIPT_READY",
    }
    skipping = send(callback_api, run.job_id, event("DRAFT_READY", occurred_at=now.isoformat()))
    assert code_of(skipping) == (409, "FSM_TRANSITION_INVALID")
    assert skipping.json()["details"] == {
        "current_status": "TRANSCRIBING",
        "attempted_status": "DRAFT_READY",
        "allowed_next_statuses": ["TRANSCRIBING", "TRANSCRIPT_READY", "FAILED", "CANCELLED"],
    }


def test_given_a_failure_when_reported_then_the_job_says_why_and_takes_no_more(
    callback_api: RunningApi, run: Run
) -> None:
    failed = event("FAILED", failure_code="GPU_LOST", failure_message="No GPU\nleft. " + "x" * 2000)
    assert send(callback_api, run.job_id, failed).status_code == 204
    with callback_api.client() as ann:
        failure = ann.get(f"jobs/{run.job_id}").json()["failure"]
    assert failure == {
        "failure_code": "GPU_LOST",
        "failure_message": ANY,
        "failed_stage": "transcription",
        "correlation_id": "c-1",
    }
    assert failure["failure_message"].startswith("No GPU left. xxx") and len(failure["failure_message"]) == 500
    more = send(callback_api, run.job_id, event(event_id="e-2"))
    assert code_of(more) == (409, "FSM_TERMINAL_IMMUTABLE")


def test_given_a_stage_that_is_ours_when_reported_then_409(callback_api: RunningApi) -> None:
    run = waiting_run(callback_api.store, "draft")
    assert code_of(send(callback_api, run.job_id)) == (409, "FSM_TRANSITION_INVALID")


def test_given_a_recording_in_the_updates_when_reported_then_204_and_it_stays(
    callback_api: RunningApi, run: Run
) -> None:
    with callback_api.client() as ann:
        video = ann.get(f"jobs/{run.job_id}").json()["manifest"]["video_uri"]
        body = event(artifact_updates={"video_uri": "artifact://other.mp4"})
        with capture_logs() as lines:
            assert send(callback_api, run.job_id, body).status_code == 204
        assert ann.get(f"jobs/{run.job_id}").json()["manifest"]["video_uri"] == video
    (ignored,) = [each for each in lines if each["event"] == "callback.artifact_ignored"]
    assert (ignored["kind"], ignored["job_id"], ignored["log_level"]) == ("video", run.job_id, "warning")


# --- without Temporal --------------------------------------------------------------------------------------------


@contextmanager
def alone(folder: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningApi]:
    monkeypatch.setenv("TEMPORAL_ADDRESS", f"127.0.0.1:{free_port()}")
    with running_api(api_settings(folder, callback_secret=SecretStr(RUNNER))) as running:
        yield running


def test_given_no_temporal_when_reported_then_204_and_the_news_waits_to_be_told(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with alone(tmp_path, monkeypatch) as api:
        run = waiting_run(api.store)
        body = event()
        assert send(api, run.job_id, body, timeout=60).status_code == 204
        assert [each.job_id for each in api.store.undelivered_callbacks(-1.0)] == [run.job_id]
        assert send(api, run.job_id, body, timeout=60).status_code == 200
        assert api.store.get_job(run.job_id).status == "TRANSCRIPT_READY"


# --- the description ---------------------------------------------------------------------------------------------


def test_given_the_description_when_read_then_the_route_takes_the_secret_and_no_token(callback_api: RunningApi) -> None:
    schema = httpx.get(f"{callback_api.url}/api/v1/openapi.json").json()
    operation = schema["paths"]["/api/v1/internal/jobs/{job_id}/status"]["post"]
    assert operation["security"] == [{"callback": []}]
    assert schema["components"]["securitySchemes"]["callback"] == {
        "type": "apiKey",
        "in": "header",
        "name": "X-Callback-Secret",
    }
    assert {"200", "204", "400", "401", "404", "409", "413", "415"} <= set(operation["responses"])
    assert "content" not in operation["responses"]["204"]
