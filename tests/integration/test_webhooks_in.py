"""Webhooks of providers over HTTP: forged, replayed, late, repeated, unknown, and for a run that has not submitted."""

import json
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from activities.webhooks import sign
from tests.apis import RunningApi, api_settings, running_api, wait_ready
from tests.integration.test_webhook_store import PROVIDER, generation
from tests.temporal import TemporalServer

SECRET = "whsec_" + b64encode(b"k" * 32).decode()
OLD_SECRET = "whsec_" + b64encode(b"o" * 32).decode()
OTHERS = "whsec_" + b64encode(b"x" * 32).decode()


@pytest.fixture(scope="module")
def hooked(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        known = SecretStr(f"{PROVIDER}={OLD_SECRET},{PROVIDER}={SECRET},other={OTHERS}")
        with running_api(api_settings(tmp_path_factory.mktemp("api"), provider_webhook_secrets=known)) as running:
            wait_ready(running)
            yield running


def send(
    api: RunningApi,
    event_id: str,
    body: Any = None,
    *,
    secret: str = SECRET,
    provider: str = PROVIDER,
    age: timedelta = timedelta(),
    ticket: str | None = None,
    content: bytes | None = None,
    headers: dict[str, str] | None = None,
) -> httpx.Response:
    raw = content if content is not None else json.dumps(body or {"id": "p-1", "status": "succeeded"}).encode()
    signed = sign(secret, event_id, raw, datetime.now(UTC) - age)
    return httpx.post(
        f"{api.url}/api/v1/webhooks/{provider}",
        params={"ticket": ticket} if ticket else {},
        content=raw,
        headers={"Content-Type": "application/json", **signed, **(headers or {})},
    )


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def verdict(answer: httpx.Response) -> str:
    assert answer.status_code == 200, answer.text
    return str(answer.json()["verdict"])


# --- who, and when -----------------------------------------------------------------------------------------------


def test_given_a_signature_of_somebody_else_when_sent_then_401_and_nothing_is_stored(hooked: RunningApi) -> None:
    job_id = generation(hooked.store)
    ticket = hooked.store.issue_ticket(job_id, 1, PROVIDER).token
    for forged in (
        send(hooked, "f-1", secret=OTHERS, ticket=ticket),
        send(hooked, "f-1", ticket=ticket, headers={"webhook-signature": ""}),
        send(hooked, "f-1", ticket=ticket, headers={"webhook-signature": "v1,nonsense v2"}),
        send(hooked, "f-1", ticket=ticket, headers={"webhook-id": "f-2"}),
        send(hooked, "f-1", ticket=ticket, headers={"webhook-timestamp": "nan"}),
        send(hooked, "f-1", ticket=ticket, provider="other"),
        send(hooked, "f-1", ticket=ticket, provider="nobody"),
    ):
        assert code_of(forged) == (401, "UNAUTHORIZED")
    assert hooked.store.webhooks_of(job_id, 1) == ()


@pytest.mark.parametrize("minutes", [6, -6, 60 * 24])
def test_given_a_webhook_that_is_not_of_the_last_five_minutes_when_replayed_then_401(
    hooked: RunningApi, minutes: int
) -> None:
    assert code_of(send(hooked, "old", age=timedelta(minutes=minutes))) == (401, "UNAUTHORIZED")


def test_given_a_body_that_is_no_json_when_forged_then_401_and_when_signed_then_400(hooked: RunningApi) -> None:
    assert code_of(send(hooked, "j-1", content=b"{", secret=OTHERS)) == (401, "UNAUTHORIZED")
    for content in (b"{", b"[]", b'{"a": NaN}', b"\xff"):
        if content != b"\xff":  # no text can be signed that is none
            assert code_of(send(hooked, "j-1", content=content)) == (400, "VALIDATION_ERROR")
    plain = send(hooked, "j-1", headers={"Content-Type": "text/plain"})
    assert code_of(plain) == (415, "UNSUPPORTED_MEDIA_TYPE")


def test_given_the_old_secret_during_a_rotation_when_signed_with_it_then_it_holds(hooked: RunningApi) -> None:
    assert verdict(send(hooked, "rotated", secret=OLD_SECRET)) == "unknown"


def test_given_no_secrets_in_the_settings_when_sent_then_401(api: RunningApi) -> None:
    assert code_of(send(api, "e")) == (401, "UNAUTHORIZED")


# --- what it is worth --------------------------------------------------------------------------------------------


def test_given_a_job_that_waits_when_its_webhook_comes_twice_then_it_counts_once(hooked: RunningApi) -> None:
    job_id = generation(hooked.store)
    ticket = hooked.store.issue_ticket(job_id, 1, PROVIDER).token
    before = hooked.store.get_job(job_id)
    answers = [verdict(send(hooked, "a-1", ticket=ticket)) for _ in range(3)]
    assert answers == ["apply", "repeated", "repeated"]
    (stored,) = hooked.store.webhooks_of(job_id, 1)
    assert (stored.event_id, stored.payload) == ("a-1", {"id": "p-1", "status": "succeeded"})
    assert hooked.store.undelivered_webhooks(-1.0) == ()
    assert hooked.store.get_job(job_id) == before  # the run decides, not the webhook


def test_given_webhooks_in_another_order_when_they_come_then_all_are_kept_as_they_came(hooked: RunningApi) -> None:
    job_id = generation(hooked.store)
    ticket = hooked.store.issue_ticket(job_id, 1, PROVIDER).token
    for number, status in enumerate(("succeeded", "processing", "starting")):
        assert verdict(send(hooked, f"{job_id}-{number}", {"id": "p-1", "status": status}, ticket=ticket)) == "apply"
    statuses = [each.payload["status"] for each in hooked.store.webhooks_of(job_id, 1)]
    assert statuses == ["succeeded", "processing", "starting"]


def test_given_a_run_that_has_not_submitted_when_its_webhook_comes_then_it_waits_for_it(hooked: RunningApi) -> None:
    job_id = generation(hooked.store, "pending")
    ticket = hooked.store.issue_ticket(job_id, 1, PROVIDER).token
    assert verdict(send(hooked, f"early-{job_id}", {"id": "p-early"}, ticket=ticket)) == "early"
    hooked.store.bind_submission(job_id, 1, PROVIDER, "p-early")
    assert len(hooked.store.webhooks_of(job_id, 1)) == 1


def test_given_a_job_that_has_ended_when_its_webhook_comes_then_it_is_late(hooked: RunningApi) -> None:
    job_id = generation(hooked.store, "completed")
    ticket = hooked.store.issue_ticket(job_id, 1, PROVIDER).token
    before = hooked.store.get_job(job_id)
    assert verdict(send(hooked, f"late-{job_id}", ticket=ticket)) == "late"
    assert hooked.store.get_job(job_id) == before


def test_given_nobodys_webhook_when_it_comes_then_it_is_taken_and_changes_nothing(hooked: RunningApi) -> None:
    assert verdict(send(hooked, "nobodys", ticket="made-up")) == "unknown"
    assert verdict(send(hooked, "nobodys-2", {"id": 7})) == "unknown"
