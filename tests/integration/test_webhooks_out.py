"""Webhooks to a real receiver: signed, sent until taken, logged, and nowhere else than where they may be sent."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from zlib import crc32

import httpx
import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
from temporalio.api.enums.v1 import ResetReapplyType
from temporalio.client import Client, WorkflowFailureError
from temporalio.contrib.pydantic import pydantic_data_converter
from typer.testing import CliRunner

from activities.upkeep.reconciling import Reconciler
from activities.webhooks import OutboxRelay, check_target
from activities.webhooks.relay import delivery_workflow
from domain.documents.sharing import fingerprint
from domain.errors import AddressRefused, NotFound
from domain.jobs import Actor
from domain.lifecycles.lifecycle import Trigger
from domain.projects import ProjectRole
from starter.access.tokens import Tokens
from starter.cli.app import app
from starter.settings import Settings
from starter.wiring import run_options
from starter.work.webhooks import webhook_sender
from tests.apis import SECRET, RunningApi, api_settings, running_api, wait_ready
from tests.integration.store_builders import STEP_BLOCK, drafted_job, instruction_of, uploaded_job
from tests.stack import wait_until
from tests.temporal import TemporalServer, reset
from tests.workers import serving

WITHIN_S = 60.0
ABSENT = "0192f3a1-0000-7000-8000-000000000000"


@dataclass
class Receiver:
    """A user's server. ``answers``: the statuses that it gives next; then 204."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    received: list[tuple[Mapping[str, str], bytes]] = field(default_factory=list)


@contextmanager
def listening() -> Iterator[Receiver]:
    state = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(state.answers.pop(0) if state.answers else 204)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/hook"
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with listening() as state:
        yield state


@contextmanager
def couriers(address: str, settings: Settings, api: RunningApi) -> Iterator[OutboxRelay]:
    """A worker and its relay, with pauses of tenths of a second."""
    post = webhook_sender(settings, api.store)
    with serving(address, settings, ("jobs", "providers"), [post.deliver, post.give_up]) as (client, loop):
        relay = OutboxRelay(api.store, client, settings.task_queue_prefix, first_pause_s=0.1)
        rounds = asyncio.run_coroutine_threadsafe(relay.run(0.05), loop.loop)
        try:
            yield relay
        finally:
            rounds.cancel()


@pytest.fixture(scope="module")
def post(
    temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[RunningApi, OutboxRelay]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        settings = api_settings(
            tmp_path_factory.mktemp("api"), webhook_allow_private=True, task_queue_prefix="webhooks-out"
        )
        with running_api(settings) as running:
            wait_ready(running)
            with couriers(temporal.address, settings, running) as relay:
                yield running, relay


@pytest.fixture(scope="module")
def post_api(post: tuple[RunningApi, OutboxRelay]) -> RunningApi:
    return post[0]


@pytest.fixture
def impatient(post: tuple[RunningApi, OutboxRelay], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is handed over meanwhile is given up after the second request: the third would come after 8 s."""
    monkeypatch.setattr(post[1], "_first_pause_s", 2.0)
    monkeypatch.setattr(post[1], "_give_up_after_s", 7.9)


def own_user(request: pytest.FixtureRequest) -> str:
    """Whom a test acts for, also one of several with the same first words."""
    return f"u-{request.node.name[:50]}-{crc32(request.node.name.encode())}"


@pytest.fixture
def user(post_api: RunningApi, request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    """A user of the test's own."""
    with post_api.client(own_user(request)) as client:
        yield client


def until(found: Callable[[], Any]) -> Any:
    return wait_until(found, WITHIN_S, "that it came to that")


def made(user: httpx.Client, receiver: Receiver, **fields: Any) -> dict[str, Any]:
    answer = user.post("webhook-endpoints", json={"url": receiver.url, **fields})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def deliveries(user: httpx.Client, endpoint: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list(user.get(f"webhook-endpoints/{endpoint['id']}/deliveries").json()["items"])


def ended(user: httpx.Client, endpoint: Mapping[str, Any], round: int = 1) -> dict[str, Any]:
    """The one delivery, once it is over."""
    (found,) = until(
        lambda: [each for each in deliveries(user, endpoint) if each["status"] != "pending" and each["round"] == round]
    )
    return dict(found)


# --- on the way --------------------------------------------------------------------------------------------------


def test_given_an_endpoint_when_a_job_moves_then_it_is_told_once_signed_and_it_is_logged(
    post_api: RunningApi, user: httpx.Client, receiver: Receiver, request: pytest.FixtureRequest
) -> None:
    endpoint = made(user, receiver, description="mine")
    job = uploaded_job(post_api.store, own_user(request))
    delivery = ended(user, endpoint)
    (headers, body) = receiver.received[0]
    told = Webhook(endpoint["secret"]).verify(body, dict(headers))
    assert headers["webhook-id"] == delivery["message_id"]
    assert told == delivery["payload"] and told["type"] == "job.status_changed"
    assert (told["data"]["job_id"], told["data"]["status"]) == (job.id, "UPLOADED")
    with pytest.raises(WebhookVerificationError):
        Webhook(endpoint["secret"]).verify(body + b" ", dict(headers))
    assert delivery["status"] == "delivered"
    assert [(each["number"], each["status_code"], each["error"]) for each in delivery["attempts"]] == [(1, 204, None)]
    assert len(receiver.received) == 1


def test_given_a_guide_when_something_is_said_about_it_then_it_arrives_and_is_sent_again_without_who_was_erased_since(
    post_api: RunningApi, user: httpx.Client, receiver: Receiver, request: pytest.FixtureRequest
) -> None:
    owner, called = own_user(request), "kim-who-is-called"
    job, _ = drafted_job(post_api.store, owner)
    post_api.store.invite(owner, job.project_id, ProjectRole.COMMENTER, fingerprint(job.id))
    post_api.store.accept_invitation(called, fingerprint(job.id))
    endpoint = made(user, receiver, events=["comment.mentioned"])
    text = {"block_id": STEP_BLOCK, "text": f"A secret plan, @{called}"}
    thread = user.post(f"instructions/{instruction_of(job)}/comments", json=text).json()
    delivery = ended(user, endpoint)
    purge = post_api.store.begin_user_purge(called)
    assert post_api.store.erase_user_rows(purge.id)
    user.post(f"webhook-endpoints/{endpoint['id']}/deliveries/{delivery['id']}/redeliver").raise_for_status()
    ended(user, endpoint, round=2)
    first, second = (Webhook(endpoint["secret"]).verify(body, dict(headers)) for headers, body in receiver.received)
    about = {"thread_id": thread["id"], "comment_id": thread["comments"][0]["id"], "block_id": STEP_BLOCK}
    assert about.items() <= first["data"].items() and (first["type"], first["data"]["user_id"]) == (
        "comment.mentioned",
        owner,
    )
    assert first["data"]["mentioned"] == [called]
    assert second == {**first, "data": {**first["data"], "mentioned": []}}
    assert not any(b"secret plan" in body for _, body in receiver.received)
    assert len({headers["webhook-id"] for headers, _ in receiver.received}) == 1


def test_given_an_endpoint_that_fails_when_told_then_it_is_sent_again_with_the_same_id_until_it_is_taken(
    post_api: RunningApi, user: httpx.Client, receiver: Receiver, request: pytest.FixtureRequest
) -> None:
    receiver.answers = [500, 302]
    endpoint = made(user, receiver)
    uploaded_job(post_api.store, own_user(request))
    delivery = ended(user, endpoint)
    assert [each["status_code"] for each in delivery["attempts"]] == [500, 302, 204]
    assert delivery["attempts"][0]["error_code"] == "WEBHOOK_UNDELIVERED"
    assert len({headers["webhook-id"] for headers, _ in receiver.received}) == 1
    assert len({body for _, body in receiver.received}) == 1


@pytest.mark.usefixtures("impatient")
def test_given_an_endpoint_that_never_takes_it_when_the_time_is_over_then_it_failed_and_can_be_sent_again(
    post_api: RunningApi,
    user: httpx.Client,
    receiver: Receiver,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    receiver.answers = [503] * 1000
    endpoint = made(user, receiver, events=["job.cancelled"])
    job = uploaded_job(post_api.store, own_user(request))
    post_api.store.move(job.id, None, "CANCELLED", trigger=Trigger.API, actor=Actor.EDITOR)
    delivery = ended(user, endpoint)
    assert (delivery["status"], delivery["event"]) == ("failed", "job.cancelled")
    assert len(delivery["attempts"]) >= 2
    receiver.answers = []
    monkeypatch.undo()  # what is sent again may take its time
    again = user.post(f"webhook-endpoints/{endpoint['id']}/deliveries/{delivery['id']}/redeliver")
    assert (again.status_code, again.json()["round"]) == (202, 2)
    second = ended(user, endpoint, round=2)
    assert (second["status"], second["message_id"]) == ("delivered", delivery["message_id"])


@pytest.mark.parametrize("how", ["terminate", "cancel", "reset"])
def test_given_a_delivery_on_its_way_when_an_operator_ends_its_run_then_it_does_not_stay_on_its_way(
    post_api: RunningApi,
    user: httpx.Client,
    receiver: Receiver,
    request: pytest.FixtureRequest,
    temporal: TemporalServer,
    how: str,
) -> None:
    receiver.answers = [500] * 1000
    endpoint = made(user, receiver)
    uploaded_job(post_api.store, own_user(request))
    until(lambda: receiver.received)
    (delivery,) = deliveries(user, endpoint)

    async def act() -> int:
        client = await Client.connect(temporal.address, data_converter=pydantic_data_converter)
        run = client.get_workflow_handle(delivery_workflow(delivery["id"], delivery["round"]))
        if how == "reset":
            receiver.answers.clear()
            await reset(client, run.id, "first", ResetReapplyType.RESET_REAPPLY_TYPE_ALL_ELIGIBLE)
        else:
            await (run.terminate() if how == "terminate" else run.cancel())
        with suppress(WorkflowFailureError):
            await run.result()
        receiver.answers.clear()
        reconciler = Reconciler(post_api.store, client, run_options(post_api.settings))
        return await reconciler.take_up_deliveries(sure=True, older_than_s=0)

    taken_up = asyncio.run(act())
    if how == "terminate":
        assert taken_up >= 1
        assert ended(user, endpoint, round=2)["status"] == "delivered"
        return
    if how == "reset":
        assert ended(user, endpoint)["status"] == "delivered"
        told = len(receiver.received)
        assert {headers["webhook-id"] for headers, _ in receiver.received} == {delivery["message_id"]}
        asyncio.run(act())  # of one that was delivered, too
        assert (ended(user, endpoint)["status"], len(receiver.received)) == ("delivered", told)
        return
    assert ended(user, endpoint)["status"] == "failed", "as one that was given up"
    user.post(f"webhook-endpoints/{endpoint['id']}/deliveries/{delivery['id']}/redeliver").raise_for_status()
    assert ended(user, endpoint, round=2)["status"] == "delivered"


def test_given_an_endpoint_that_answers_410_when_told_then_it_is_not_sent_again(
    post_api: RunningApi, user: httpx.Client, receiver: Receiver, request: pytest.FixtureRequest
) -> None:
    receiver.answers = [410]
    endpoint = made(user, receiver)
    uploaded_job(post_api.store, own_user(request))
    delivery = ended(user, endpoint)
    assert (delivery["status"], len(delivery["attempts"])) == ("failed", 1)
    assert delivery["attempts"][0]["error_code"] == "WEBHOOK_ENDPOINT_GONE"


# --- the command line --------------------------------------------------------------------------------------------


def test_given_the_command_when_an_endpoint_is_added_told_sent_again_and_deleted_then_each_is_said(
    post_api: RunningApi, receiver: Receiver, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = own_user(request)
    monkeypatch.setenv("GUIDESMITH_API_URL", post_api.url)
    monkeypatch.setenv("GUIDESMITH_TOKEN", Tokens(SECRET).issue(owner))

    def said(*words: str) -> str:
        answer = CliRunner().invoke(app, ["webhooks", *words], catch_exceptions=False)
        assert answer.exit_code == 0, answer.output
        return answer.stdout

    def printed(*words: str) -> Any:
        """The document, from which the lines that the API logs in this process are kept apart."""
        text = said(*words, "--json")
        return json.JSONDecoder().raw_decode(text[text.index("{\n") :])[0]

    endpoint = printed("add", receiver.url, "--event", "job.status_changed")
    assert endpoint["secret"].startswith("whsec_") and endpoint["events"] == ["job.status_changed"]
    assert receiver.url in said("list") and endpoint["secret"] not in said("list", "--json")
    job = uploaded_job(post_api.store, owner)
    with post_api.client(owner) as user:
        delivery = ended(user, endpoint)
        assert f"{delivery['id']}  job.status_changed  {job.id}  delivered  1         204" in said(
            "deliveries", endpoint["id"]
        )
        assert "(round 2)" in said("redeliver", endpoint["id"], delivery["id"])
        ended(user, endpoint, round=2)
    assert len(receiver.received) == 2
    assert endpoint["id"] in said("delete", endpoint["id"])
    assert printed("list") == {"items": []}
    with pytest.raises(NotFound, match="webhooks list"):
        said("deliveries", endpoint["id"])


# --- endpoints ---------------------------------------------------------------------------------------------------


def test_given_an_endpoint_when_asked_for_later_then_its_secret_is_not_shown(
    user: httpx.Client, receiver: Receiver
) -> None:
    endpoint = made(user, receiver, events=["job.failed"])
    secret = endpoint.pop("secret")
    shown = user.get(f"webhook-endpoints/{endpoint['id']}")
    listed = user.get("webhook-endpoints")
    assert shown.json() == endpoint and listed.json()["items"] == [endpoint]
    assert secret not in shown.text + listed.text


def test_given_a_deleted_or_foreign_endpoint_when_asked_for_then_404(
    post_api: RunningApi, user: httpx.Client, receiver: Receiver
) -> None:
    endpoint = made(user, receiver)["id"]
    with post_api.client("stranger") as stranger:
        for route in ("", "/deliveries"):
            assert stranger.get(f"webhook-endpoints/{endpoint}{route}").status_code == 404
        assert stranger.delete(f"webhook-endpoints/{endpoint}").status_code == 404
        assert stranger.post(f"webhook-endpoints/{endpoint}/deliveries/{ABSENT}/redeliver").status_code == 404
    assert user.delete(f"webhook-endpoints/{endpoint}").status_code == 204
    assert user.delete(f"webhook-endpoints/{endpoint}").status_code == 404
    assert user.get(f"webhook-endpoints/{endpoint}").status_code == 404
    assert user.get("webhook-endpoints").json()["items"] == []


@pytest.mark.parametrize(
    "body", [{}, {"url": ""}, {"url": "https://example.org", "events": ["job.eaten"]}, {"url": "x" * 3000}]
)
def test_given_a_wrong_shape_when_an_endpoint_is_made_then_400(user: httpx.Client, body: dict[str, Any]) -> None:
    answer = user.post("webhook-endpoints", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")


def test_given_the_same_idempotency_key_when_an_endpoint_is_made_twice_then_there_is_one(
    user: httpx.Client, receiver: Receiver
) -> None:
    first, second = (
        user.post("webhook-endpoints", json={"url": receiver.url}, headers={"Idempotency-Key": "k"}) for _ in range(2)
    )
    assert first.json() == second.json() and second.headers["Idempotency-Replayed"] == "true"
    assert len(user.get("webhook-endpoints").json()["items"]) == 1


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/x",
        "http://localhost:8400/x",
        "https://10.0.0.1/x",
        "http://169.254.169.254/latest",
        "http://[::1]/x",
        "ftp://example.org/x",
        "https://user@example.org/x",
        "http://example.org:25/x",
    ],
)
def test_given_an_address_that_is_not_public_when_an_endpoint_is_made_then_400(ann: httpx.Client, url: str) -> None:
    answer = ann.post("webhook-endpoints", json={"url": url})
    assert (answer.status_code, answer.json()["code"]) == (400, "ADDRESS_REFUSED")


def test_given_a_name_when_its_addresses_are_looked_up_then_each_must_be_public() -> None:
    def unfound(host: str, port: int) -> list[str]:
        raise socket.gaierror

    check_target("https://example.org/x", resolve=lambda *_: ["93.184.216.34"])
    check_target("https://example.org/x", resolve=unfound)
    with pytest.raises(AddressRefused):
        check_target("https://example.org/x", resolve=lambda *_: ["93.184.216.34", "10.0.0.1"])


def test_given_the_payload_when_read_then_it_holds_references_only(
    post_api: RunningApi, user: httpx.Client, receiver: Receiver, request: pytest.FixtureRequest
) -> None:
    made(user, receiver)
    uploaded_job(post_api.store, own_user(request))
    until(lambda: receiver.received)
    told = json.loads(receiver.received[0][1])
    assert set(told) == {"type", "timestamp", "data"}
    assert set(told["data"]) == {
        *("job_id", "kind", "project_id", "seq", "prev_status", "status", "attempt", "correlation_id", "failure"),
    }
