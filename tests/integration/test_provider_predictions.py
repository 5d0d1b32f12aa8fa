"""Predictions over real HTTP: submitting, asking, calling off, and whatever goes wrong with it."""

from typing import Any

import pytest

from activities.providers import ProviderClient
from activities.providers.predictions import Prediction, Predictions
from domain.errors import (
    Cancelled,
    ContentRejected,
    GuidesmithError,
    ProviderAccessDenied,
    ProviderAnswerInvalid,
    ProviderRateLimited,
    ProviderRequestRefused,
    ProviderTimeout,
    ProviderUnavailable,
)
from starter.sandbox import Behaviour, Course, Cut, RunningSandbox, Verdict

pytest_plugins = ("tests.sandbox",)

PROMPT = "a quiet harbour"
VERSION = "5c7d5dc6dd8bf75c1acaa8565735e7986bc5b66206b55cca93cb72c9bf15ccaa"
HOOK = "http://127.0.0.1:9/hook?ticket=t"


def predictions(sandbox: RunningSandbox, timeout_s: float = 30.0) -> Predictions:
    return Predictions(ProviderClient(sandbox.base_url, api_key="key", timeout_s=timeout_s))


def submit(
    sandbox: RunningSandbox,
    asked: Predictions | None = None,
    *,
    key: str = "job-1-1",
    model: str = "owner/name",
    **how: Any,
) -> Prediction:
    given = {"input": {"prompt": PROMPT}, "webhook": None, **how}
    return (asked or predictions(sandbox)).submit(model=model, idempotency_key=key, **given)


@pytest.mark.parametrize(
    ("model", "path", "version"),
    [
        ("owner/name", "/v1/models/owner/name/predictions", None),
        ("owner/name:v1.2", "/v1/predictions", "v1.2"),
        (VERSION, "/v1/predictions", VERSION),
    ],
)
def test_given_a_model_however_it_is_named_when_submitted_then_it_is_asked_as_replicate_has_it(
    sandbox: RunningSandbox, model: str, path: str, version: str | None
) -> None:
    sandbox.plan(Course(calls=()))
    assert submit(sandbox, model=model, webhook=HOOK).status == "starting"
    (sent,) = sandbox.requests("predictions")
    assert (sent["path"], sent["body"].get("version")) == (path, version)
    assert sent["body"]["input"] == {"prompt": PROMPT}
    assert (sent["body"]["webhook"], sent["body"]["webhook_events_filter"]) == (HOOK, ["completed"])
    assert sent["authorized"] and sent["headers"]["idempotency-key"] == "job-1-1"


def test_given_nobody_to_call_back_when_submitted_then_no_webhook_is_asked_for(sandbox: RunningSandbox) -> None:
    submit(sandbox)
    assert set(sandbox.requests("predictions")[0]["body"]) == {"input"}


def test_given_the_same_key_when_submitted_twice_then_the_work_is_one(sandbox: RunningSandbox) -> None:
    assert submit(sandbox).id == submit(sandbox).id != submit(sandbox, key="job-1-2").id


def test_given_the_same_key_with_other_work_when_submitted_then_it_is_refused(sandbox: RunningSandbox) -> None:
    submit(sandbox)
    with pytest.raises(ProviderRequestRefused):
        submit(sandbox, input={"prompt": "something else"})


def test_given_an_answer_that_was_lost_when_submitted_again_then_the_work_is_one(sandbox: RunningSandbox) -> None:
    sandbox.script("predictions", Behaviour(cut=Cut.CONNECTION))
    with pytest.raises(ProviderUnavailable):
        submit(sandbox)
    first = submit(sandbox)
    assert first.id == submit(sandbox).id


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (Behaviour(status=429, retry_after=7), ProviderRateLimited),
        (Behaviour(status=500), ProviderUnavailable),
        (Behaviour(status=502, body="<html>bad gateway</html>"), ProviderUnavailable),
        (Behaviour(hang=True), ProviderTimeout),
        (Behaviour(cut=Cut.JSON), ProviderAnswerInvalid),
        (Behaviour(cut=Cut.CONNECTION), ProviderUnavailable),
        (Behaviour(status=401), ProviderAccessDenied),
        (Behaviour(status=402, body={"detail": "no credit", "status": 402}), ProviderAccessDenied),
        (Behaviour(status=404), ProviderRequestRefused),
        (Behaviour(status=422, body={"detail": f"- input: {PROMPT}"}), ProviderRequestRefused),
        (Behaviour(body=[]), ProviderAnswerInvalid),
        (Behaviour(body={"id": "p"}), ProviderAnswerInvalid),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
@pytest.mark.parametrize("route", ["predictions", "prediction"])
def test_given_what_goes_wrong_when_asked_then_the_error_says_what_and_nothing_of_the_prompt(
    sandbox: RunningSandbox, behaviour: Behaviour, error: type[GuidesmithError], route: str
) -> None:
    known = submit(sandbox, key="before").id
    sandbox.script(route, behaviour)
    with pytest.raises(error) as raised:
        asked = predictions(sandbox, 0.3 if behaviour.hang else 30.0)
        submit(sandbox, asked) if route == "predictions" else asked.get(known)
    assert type(raised.value) is error
    assert PROMPT not in raised.value.message
    assert raised.value.retry_after_s == (7.0 if error is ProviderRateLimited else None)


def test_given_a_slow_provider_when_nobody_waits_any_more_then_the_request_is_given_up(sandbox: RunningSandbox) -> None:
    sandbox.script("predictions", Behaviour(hang=True))
    with pytest.raises(Cancelled):
        predictions(sandbox, 60.0).submit(
            model="a/b", input={}, webhook=None, idempotency_key="k", stop=lambda: sandbox.count("predictions") > 0
        )


@pytest.mark.parametrize(
    ("course", "status", "fault"),
    [
        (Course(), "succeeded", None),
        (Course(inline=True), "succeeded", None),
        (Course(verdict=Verdict.NSFW), "failed", ContentRejected),
        (Course(verdict=Verdict.FAILED), "failed", ProviderUnavailable),
        (Course(verdict=Verdict.CANCELED), "canceled", GuidesmithError),
        (Course(verdict=Verdict.NEVER), "processing", None),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_given_how_the_work_went_when_asked_for_then_it_is_told(
    sandbox: RunningSandbox, course: Course, status: str, fault: type[GuidesmithError] | None
) -> None:
    sandbox.plan(course)
    id = submit(sandbox).id
    found = predictions(sandbox).get(id)
    assert found.status == status
    assert (fault is None and found.fault() is None) or (fault is not None and isinstance(found.fault(), fault))
    assert len(found.outputs) == (status == "succeeded")


def test_given_an_answer_about_other_work_when_asked_for_then_it_is_not_believed(sandbox: RunningSandbox) -> None:
    sandbox.script("prediction", Behaviour(body={"id": "another", "status": "succeeded", "output": "https://x.test/"}))
    with pytest.raises(ProviderAnswerInvalid):
        predictions(sandbox).get(submit(sandbox).id)


@pytest.mark.parametrize("id", ["../models", "a/b", "a?b", "a b"])
def test_given_an_odd_name_when_asked_for_then_it_stays_one_part_of_the_path(sandbox: RunningSandbox, id: str) -> None:
    with pytest.raises(ProviderRequestRefused):
        predictions(sandbox).get(id)


def test_given_running_work_when_called_off_then_it_ends_canceled(sandbox: RunningSandbox) -> None:
    sandbox.plan(Course(verdict=Verdict.NEVER))
    id = submit(sandbox).id
    predictions(sandbox).cancel(id)
    assert predictions(sandbox).get(id).status == "canceled"


@pytest.mark.parametrize("behaviour", [None, Behaviour(status=404), Behaviour(status=422), Behaviour(status=410)])
def test_given_work_that_is_over_or_forgotten_when_called_off_then_it_stays_as_it_is(
    sandbox: RunningSandbox, behaviour: Behaviour | None
) -> None:
    if behaviour is not None:
        sandbox.script("cancel", behaviour)
    predictions(sandbox).cancel(submit(sandbox).id)


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [(Behaviour(status=503), ProviderUnavailable), (Behaviour(status=401), ProviderAccessDenied)],
)
def test_given_a_provider_that_does_not_call_it_off_then_it_is_said(
    sandbox: RunningSandbox, behaviour: Behaviour, error: type[GuidesmithError]
) -> None:
    sandbox.script("cancel", behaviour)
    with pytest.raises(error):
        predictions(sandbox).cancel(submit(sandbox).id)
