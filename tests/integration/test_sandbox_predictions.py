"""The sandbox's slow models: they take the courses that are written for them, and call back as they are told."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from activities.webhooks import Keys
from starter.sandbox import SECRET, Behaviour, Call, Course, RunningSandbox, Verdict
from starter.sandbox.calling import FORGERS
from tests.integration.test_outbound import Server, listening
from tests.stack import wait_until

pytest_plugins = ("tests.sandbox",)

KEYS = Keys([f"replicate={SECRET}"])


@pytest.fixture(scope="module")
def listener() -> Iterator[Server]:
    with listening() as server:
        yield server


@pytest.fixture(autouse=True)
def quiet(sandbox: RunningSandbox, listener: Server) -> None:
    """Nothing of the test before."""
    listener.requests.clear()
    listener.answers.clear()


def create(sandbox: RunningSandbox, listener: Server, **input: Any) -> dict[str, Any]:
    body = {"input": {"prompt": "x", **input}, "webhook": f"http://127.0.0.1:{listener.server_port}/hook"}
    answer = httpx.post(f"{sandbox.base_url}/models/sandbox/ads/predictions", json=body)
    assert answer.status_code == 201
    return dict(answer.json())


def heard(listener: Server) -> list[tuple[dict[str, str], dict[str, Any], bool]]:
    """Headers, body, and whether the signature holds, of every call."""
    found = []
    for _, _, headers, body in list(listener.requests):
        lower = {name.lower(): value for name, value in headers.items()}
        found.append((lower, json.loads(body), KEYS.holds("replicate", lower, body)))
    return found


def after(listener: Server, count: int) -> list[tuple[dict[str, str], dict[str, Any], bool]]:
    wait_until(lambda: len(listener.requests) >= count, 30, f"{count} calls")
    return heard(listener)


def test_given_no_course_then_it_succeeds_and_calls_back_once_with_a_signature_that_holds(
    sandbox: RunningSandbox, listener: Server
) -> None:
    begun = create(sandbox, listener)
    assert (begun["status"], begun["output"]) == ("starting", None)
    ((_, told, holds),) = after(listener, 1)
    assert holds and told["id"] == begun["id"] and told["status"] == "succeeded"
    assert httpx.get(begun["urls"]["get"]).json() == told
    assert httpx.get(told["output"][0]).headers["content-type"] == "image/png"
    wait_until(lambda: [each.answered for each in sandbox.calls()] == [200], 30, "the answer to the call")


def test_given_calls_that_are_told_then_they_come_early_twice_out_of_order_old_and_forged(
    sandbox: RunningSandbox, listener: Server
) -> None:
    calls = (
        Call(early=True, event_id="e0"),
        Call(times=2, event_id="e1"),
        Call(status="processing", event_id="e2", after_ms=1),
        Call(age_s=600, event_id="e3"),
        Call(forged=True, event_id="e4"),
    )
    sandbox.plan(Course(calls=calls))
    create(sandbox, listener)
    assert [headers["webhook-id"] for headers, _, _ in heard(listener)][:1] == ["e0"]  # before the answer
    found = after(listener, 6)
    assert [(headers["webhook-id"], told["status"], holds) for headers, told, holds in found] == [
        ("e0", "succeeded", True),
        ("e1", "succeeded", True),
        ("e1", "succeeded", True),
        ("e2", "processing", True),
        ("e3", "succeeded", False),
        ("e4", "succeeded", False),
    ]
    assert Keys([f"replicate={FORGERS}"]).holds("replicate", found[5][0], listener.requests[5][3])


def test_given_a_course_without_calls_then_nobody_is_told_until_a_call_is_asked_for(
    sandbox: RunningSandbox, listener: Server
) -> None:
    sandbox.plan(Course(calls=()))
    begun = create(sandbox, listener)
    assert httpx.get(begun["urls"]["get"]).json()["status"] == "succeeded"
    assert sandbox.calls() == [] and listener.requests == []
    sent = sandbox.call(begun["id"], Call(event_id="late"))
    assert (sent.answered, sent.event_id, sandbox.calls()) == (200, "late", [sent])


def test_given_a_listener_that_fails_first_then_the_same_event_comes_again(
    sandbox: RunningSandbox, listener: Server
) -> None:
    listener.answers["/hook"] = _failing_once()
    create(sandbox, listener)
    (first, _, _), (second, _, holds) = after(listener, 2)
    assert first["webhook-id"] == second["webhook-id"] and holds
    wait_until(lambda: [each.answered for each in sandbox.calls()] == [200], 30, "the answer to the call")


def _failing_once() -> Callable[[Any], None]:
    statuses = iter([503])

    def answer(handler: Any) -> None:
        handler.send_response(next(statuses, 200))
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


@pytest.mark.parametrize(
    ("course", "status", "error"),
    [
        (Course(verdict=Verdict.FAILED, error="boom"), "failed", "boom"),
        (Course(verdict=Verdict.NSFW), "failed", "NSFW"),
        (Course(verdict=Verdict.CANCELED), "canceled", ""),
        (Course(takes_ms=30), "succeeded", ""),
    ],
)
def test_given_a_course_then_its_end_is_called_back(
    sandbox: RunningSandbox, listener: Server, course: Course, status: str, error: str
) -> None:
    sandbox.plan(course)
    create(sandbox, listener)
    ((_, told, _),) = after(listener, 1)
    assert told["status"] == status and error in (told["error"] or "")


def test_given_work_without_an_end_when_it_is_called_off_then_that_is_called_back(
    sandbox: RunningSandbox, listener: Server
) -> None:
    sandbox.plan(Course(verdict=Verdict.NEVER))
    begun = create(sandbox, listener)
    assert httpx.get(begun["urls"]["get"]).json()["status"] == "processing"
    assert httpx.post(begun["urls"]["cancel"]).json()["status"] == "canceled"
    ((_, told, _),) = after(listener, 1)
    assert told["status"] == "canceled"


@pytest.mark.parametrize(("word", "seen"), [("nsfw", "failed"), ("expired", "succeeded")])
def test_given_a_word_in_the_input_then_it_decides(
    sandbox: RunningSandbox, listener: Server, word: str, seen: str
) -> None:
    create(sandbox, listener, prompt=f"an {word} ticket")
    ((_, told, _),) = after(listener, 1)
    assert told["status"] == seen
    if told["output"]:
        assert httpx.get(told["output"][0]).status_code == 410


@pytest.mark.parametrize(
    "course", [{"verdict": "maybe"}, {"takes_ms": -1}, {"calls": [{"when": 1}]}, {"calls": [{"times": 0}]}, "x"]
)
def test_given_a_malformed_course_then_it_is_refused_with_the_reasons(sandbox: RunningSandbox, course: object) -> None:
    answer = httpx.put(f"{sandbox.url}/_sandbox/predictions", json=[course])
    assert answer.status_code == 400 and answer.json()["issues"]


def test_given_what_is_not_there_then_it_is_said(sandbox: RunningSandbox) -> None:
    base = f"{sandbox.base_url}/predictions"
    assert httpx.post(base, json={"version": "v"}).status_code == 422
    assert [httpx.get(f"{base}/no").status_code, httpx.post(f"{base}/no/cancel").status_code] == [404, 404]
    assert httpx.post(f"{sandbox.url}/_sandbox/predictions/no/calls").status_code == 404
    quiet = httpx.post(base, json={"version": "v", "input": {}}).json()["id"]
    assert httpx.post(f"{sandbox.url}/_sandbox/predictions/{quiet}/calls", json={}).status_code == 409


def test_given_a_key_when_the_same_is_asked_again_then_the_answer_is_the_same_and_with_other_words_refused(
    sandbox: RunningSandbox,
) -> None:
    def ask(prompt: str, key: str | None) -> httpx.Response:
        headers = {"Idempotency-Key": key} if key else {}
        return httpx.post(f"{sandbox.base_url}/predictions", json={"input": {"prompt": prompt}}, headers=headers)

    sandbox.script("predictions", Behaviour(status=500))
    assert ask("a", "k").status_code == 500  # a failure spends no key
    first = ask("a", "k").json()["id"]
    assert ask("a", "k").json()["id"] == first
    assert ask("b", "k").status_code == 409
    assert len({first, ask("a", "l").json()["id"], ask("a", None).json()["id"], ask("a", None).json()["id"]}) == 4
    sandbox.reset()
    assert ask("b", "k").status_code == 201


@pytest.mark.parametrize(
    ("wanted", "media_type", "head"),
    [("wav", "audio/wav", b"RIFF"), ("mp3", "audio/mpeg", b""), (None, "audio/mpeg", b"")],
)
def test_given_a_text_when_it_is_to_be_spoken_then_real_sound_comes(
    sandbox: RunningSandbox, wanted: str | None, media_type: str, head: bytes
) -> None:
    body = {"model": "sandbox-voice", "input": "Hello there.", "voice": "alloy", "response_format": wanted}
    answer = httpx.post(f"{sandbox.base_url}/audio/speech", json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (200, media_type)
    assert answer.content.startswith(head) and len(answer.content) > 1_000


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"input": "x"},
        {"voice": "v"},
        {"input": "x" * 4097, "voice": "v"},
        {"input": "x", "voice": "v", "response_format": "pcm"},
    ],
    ids=lambda body: repr(body)[:30],
)
def test_given_what_cannot_be_spoken_then_it_is_refused(sandbox: RunningSandbox, body: dict[str, Any]) -> None:
    assert httpx.post(f"{sandbox.base_url}/audio/speech", json=body).status_code == 400


def test_given_routes_that_are_not_scripted_by_name_when_each_is_told_to_fail_then_it_does(
    sandbox: RunningSandbox,
) -> None:
    asked = {
        "chat": ("POST", "/chat/completions"),
        "images": ("POST", "/images/generations"),
        "moderations": ("POST", "/moderations"),
        "transcriptions": ("POST", "/audio/transcriptions"),
        "speech": ("POST", "/audio/speech"),
        "models": ("GET", "/models"),
        "predictions": ("POST", "/predictions"),
        "prediction": ("GET", "/predictions/x"),
        "cancel": ("POST", "/predictions/x/cancel"),
    }
    for route, (method, path) in asked.items():
        sandbox.script(route, Behaviour(status=429, retry_after=3))
        answer = httpx.request(method, sandbox.base_url + path)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "3"), route
        assert sandbox.count(route) == 1
