"""Every way in which a provider can fail, over real HTTP, becomes the error that says what to do."""

import socket
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from activities.providers import ProviderClient
from activities.providers.faults import retry_after_s
from domain.errors import (
    Cancelled,
    GuidesmithError,
    ProviderAccessDenied,
    ProviderAnswerInvalid,
    ProviderError,
    ProviderRateLimited,
    ProviderRequestRefused,
    ProviderRequestTooLarge,
    ProviderTimeout,
    ProviderUnavailable,
)
from starter.sandbox import Behaviour, Cut, RunningSandbox

pytest_plugins = ("tests.sandbox",)

KEY = "sk-very-secret"
PROMPT = "the words of the recording"


def client(sandbox: RunningSandbox, **settings: float) -> ProviderClient:
    return ProviderClient(
        sandbox.base_url,
        api_key=KEY,
        timeout_s=settings.get("timeout_s", 30.0),
        answer_cap_bytes=int(settings.get("answer_cap_bytes", 1 << 20)),
    )


def ask(provider: ProviderClient) -> object:
    return provider.post("/chat/completions", json={"messages": [{"role": "user", "content": PROMPT}]}).json()


def test_given_a_good_answer_then_it_is_read_and_the_key_was_sent(sandbox: RunningSandbox) -> None:
    answer = ask(client(sandbox))
    assert isinstance(answer, dict)
    assert answer["choices"]
    (request,) = sandbox.requests("chat")
    assert request["authorized"]
    assert request["body"]["messages"][0]["content"] == PROMPT


@pytest.mark.parametrize(
    ("behaviour", "expected", "retryable"),
    [
        (Behaviour(status=429, retry_after=7), ProviderRateLimited, True),
        (Behaviour(status=429, code="insufficient_quota"), ProviderAccessDenied, False),
        (Behaviour(status=500), ProviderUnavailable, True),
        (Behaviour(status=502, body="<html>bad gateway</html>"), ProviderUnavailable, True),
        (Behaviour(status=503, retry_after=3), ProviderUnavailable, True),
        (Behaviour(status=408), ProviderTimeout, True),
        (Behaviour(status=401), ProviderAccessDenied, False),
        (Behaviour(status=403), ProviderAccessDenied, False),
        (Behaviour(status=402), ProviderAccessDenied, False),
        (Behaviour(status=413), ProviderRequestTooLarge, False),
        (Behaviour(status=400, code="context_length_exceeded"), ProviderRequestTooLarge, False),
        (Behaviour(status=400), ProviderRequestRefused, False),
        (Behaviour(status=404, code="model_not_found"), ProviderRequestRefused, False),
        (Behaviour(status=422), ProviderRequestRefused, False),
        (Behaviour(status=307, headers={"Location": "http://127.0.0.1:9/"}), ProviderRequestRefused, False),
        (Behaviour(cut=Cut.JSON), ProviderAnswerInvalid, True),
        (Behaviour(cut=Cut.CONNECTION), ProviderUnavailable, True),
        (Behaviour(body="plain words"), ProviderAnswerInvalid, True),
        (Behaviour(body="[" * 5000), ProviderAnswerInvalid, True),
        (Behaviour(status=400, body="[" * 5000), ProviderRequestRefused, False),
        (Behaviour(status=500, cut=Cut.CONNECTION), ProviderUnavailable, True),
    ],
    ids=lambda value: value.model_dump_json(exclude_defaults=True)[:80] if isinstance(value, Behaviour) else "",
)
def test_given_a_fault_then_its_error_is_raised_after_one_request(
    sandbox: RunningSandbox, behaviour: Behaviour, expected: type[ProviderError], retryable: bool
) -> None:
    sandbox.script("chat", behaviour)
    with pytest.raises(GuidesmithError) as raised:
        ask(client(sandbox))
    assert type(raised.value) is expected
    assert raised.value.retryable is retryable
    assert sandbox.count("chat") == 1
    shown = f"{raised.value} {raised.value.details}"
    assert KEY not in shown
    assert PROMPT not in shown


@pytest.mark.parametrize(("status", "error"), [(429, ProviderRateLimited), (503, ProviderUnavailable)])
def test_given_retry_after_seconds_then_they_are_carried(
    sandbox: RunningSandbox, status: int, error: type[ProviderError]
) -> None:
    sandbox.script("chat", Behaviour(status=status, retry_after="2.5"))
    with pytest.raises(error) as raised:
        ask(client(sandbox))
    assert raised.value.retry_after_s == 2.5


def test_given_retry_after_date_then_the_seconds_until_it_are_carried(sandbox: RunningSandbox) -> None:
    then = datetime.now(UTC) + timedelta(seconds=90)
    sandbox.script("chat", Behaviour(status=429, retry_after=format_datetime(then, usegmt=True)))
    with pytest.raises(ProviderRateLimited) as raised:
        ask(client(sandbox))
    assert raised.value.retry_after_s is not None
    assert 60 < raised.value.retry_after_s <= 90


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "1e9"}, 3600.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "60"}, 1.5),
    ],
)
def test_retry_after_is_bounded_and_nonsense_is_no_wish(headers: dict[str, str], expected: float | None) -> None:
    assert retry_after_s(headers, datetime.now(UTC)) == expected


def test_given_no_answer_in_time_then_it_is_a_timeout(sandbox: RunningSandbox) -> None:
    sandbox.script("chat", Behaviour(hang=True))
    with pytest.raises(ProviderTimeout):
        ask(client(sandbox, timeout_s=0.3))


def test_given_nobody_listening_then_the_provider_is_unavailable() -> None:
    with socket.socket() as bound:  # bound, but not listening
        bound.bind(("127.0.0.1", 0))
        nobody = ProviderClient(f"http://127.0.0.1:{bound.getsockname()[1]}/v1")
        with pytest.raises(ProviderUnavailable):
            nobody.get("/models")


def test_given_a_connection_that_breaks_before_the_answer_then_the_provider_is_unavailable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            connection, _ = server.accept()
            connection.recv(1)
            connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(ProviderUnavailable):
            ProviderClient(f"http://127.0.0.1:{server.getsockname()[1]}/v1").get("/models")
        thread.join()


@pytest.mark.parametrize("address", ["not an address", "ftp://127.0.0.1/v1", "http://[::1/v1"])
def test_given_an_address_that_is_none_then_the_request_is_refused(address: str) -> None:
    with pytest.raises(ProviderRequestRefused):
        ProviderClient(address).get("/models")


def test_given_a_key_that_no_header_can_carry_then_the_request_is_refused_and_the_key_not_shown(
    sandbox: RunningSandbox,
) -> None:
    with pytest.raises(ProviderRequestRefused) as raised:
        ProviderClient(sandbox.base_url, api_key="two\nlines").get("/models")
    assert "lines" not in str(raised.value)


def test_given_a_huge_answer_then_it_is_not_read_to_its_end(sandbox: RunningSandbox) -> None:
    sandbox.script("chat", Behaviour(body={"filling": "x" * 200_000}))
    with pytest.raises(ProviderAnswerInvalid):
        ask(client(sandbox, answer_cap_bytes=50_000))


def test_given_a_stop_while_the_provider_hangs_then_the_request_ends(sandbox: RunningSandbox) -> None:
    sandbox.script("chat", Behaviour(hang=True))
    with pytest.raises(Cancelled):
        client(sandbox).post("/chat/completions", json={}, stop=lambda: sandbox.count("chat") == 1)


def test_given_a_stop_that_raises_then_that_goes_through(sandbox: RunningSandbox) -> None:
    sandbox.script("chat", Behaviour(hang=True))

    def stop() -> None:
        raise Cancelled("the job was cancelled")

    with pytest.raises(Cancelled, match="the job was cancelled"):
        client(sandbox).post("/chat/completions", json={}, stop=stop)


def test_the_key_is_in_no_representation(sandbox: RunningSandbox) -> None:
    provider = client(sandbox)
    assert KEY not in repr(provider)
    assert KEY not in str(vars(provider))
