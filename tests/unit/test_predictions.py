"""What is read out of a prediction, however a provider or a forger writes it."""

import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.providers import ProviderClient
from activities.providers.predictions import ADDRESS_LIMIT, MOST_OUTPUTS, OVER, STATUSES, Prediction, Predictions
from domain.errors import (
    MESSAGE_LIMIT,
    ContentRejected,
    ProviderAnswerInvalid,
    ProviderError,
    ProviderUnavailable,
    SettingsInvalid,
)

PREDICTIONS = Predictions(ProviderClient("http://127.0.0.1:1"))
A, B = "https://files.test/a.png", "https://files.test/b.png"


def parse(**said: Any) -> Prediction:
    return PREDICTIONS.parse({"id": "p1", "status": "succeeded", **said})


@pytest.mark.parametrize("status", sorted(STATUSES))
def test_given_a_status_of_replicates_when_parsed_then_it_is_kept(status: str) -> None:
    found = parse(status=status, output=A)
    assert (found.status, found.is_over) == (status, status in OVER)


def test_given_work_that_was_aborted_before_it_began_then_it_counts_as_canceled() -> None:
    assert parse(status="aborted").status == "canceled"


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        "",
        "{",
        "[" * 100_000,
        b"\xff\xfe",
        "null",
        7,
        {},
        {"id": "p1"},
        {"status": "succeeded"},
        {"id": 7, "status": "succeeded"},
        {"id": "", "status": "succeeded"},
        {"id": "../admin", "status": "succeeded"},
        {"id": "p1\n", "status": "succeeded"},
        {"id": "p" * 129, "status": "succeeded"},
        {"id": "p1", "status": "done"},
        {"id": "p1", "status": ["succeeded"]},
        {"id": "p1", "status": None},
    ],
    ids=lambda payload: repr(payload)[:40],
)
def test_given_what_is_no_prediction_when_parsed_then_it_is_an_invalid_answer(payload: object) -> None:
    with pytest.raises(ProviderAnswerInvalid):
        PREDICTIONS.parse(payload)


@pytest.mark.parametrize(
    ("output", "found"),
    [
        (None, ()),
        (A, (A,)),
        ([A, B, A], (A, B)),
        ({"image": A, "more": [B], "seed": 7}, (A, B)),
        ("data:image/png;base64,AAAA", ("data:image/png;base64,AAAA",)),
        (["a", "text", 7, None, True, "ftp://x", "file:///etc/passwd", "javascript:alert(1)"], ()),
        ("https://" + "a" * ADDRESS_LIMIT, ()),
        ([[[[[A]]]]], ()),
        ([f"{A}?{number}" for number in range(100)], tuple(f"{A}?{number}" for number in range(MOST_OUTPUTS))),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_given_an_output_of_any_shape_when_parsed_then_the_addresses_in_it_are_found(
    output: object, found: tuple[str, ...]
) -> None:
    assert parse(output=output).outputs == found


@pytest.mark.parametrize(
    "error",
    [
        "NSFW content detected. Try running it again, or try a different prompt.",
        "Potential NSFW content was detected in one or more images.",
        "The input or output was flagged as sensitive. Please try again with different inputs. (E005)",
        "content_policy_violation",
        {"detail": "Blocked by the safety filter"},
    ],
)
def test_given_a_safety_filters_words_when_parsed_then_it_is_a_refusal(error: object) -> None:
    found = parse(status="failed", error=error)
    assert found.refused and not found.passing
    assert isinstance(found.fault(), ContentRejected)


@pytest.mark.parametrize(
    "error",
    [
        "Prediction interrupted; please retry (code: PA)",
        "Prediction failed for an unknown reason. It might have run out of memory? (E1000)",
        "Model server never became healthy (E8765)",
    ],
)
def test_given_a_fault_that_passes_when_parsed_then_the_work_may_be_submitted_again(error: str) -> None:
    fault = parse(status="failed", error=error).fault()
    assert isinstance(fault, ProviderUnavailable) and fault.retryable


@pytest.mark.parametrize("error", ["CUDA out of memory (E1001)", "Traceback: KeyError", "", None, 7, ["x"]])
def test_given_any_other_fault_when_parsed_then_it_is_final(error: object) -> None:
    fault = parse(status="failed", error=error).fault()
    assert type(fault) is ProviderError and not fault.retryable


def test_given_an_error_that_quotes_the_prompt_when_parsed_then_only_its_code_is_shown() -> None:
    secret = "a canary in a coal mine " * 100
    found = parse(
        status="failed", error=f"Invalid (E9243): {secret} /root/model.py", logs=secret, input={"prompt": secret}
    )
    assert found.error is not None and "E9243" in found.error
    assert "canary" not in found.model_dump_json() and "/root" not in found.model_dump_json()
    assert len(found.error) <= MESSAGE_LIMIT


def test_given_work_that_failed_before_when_it_says_so_with_another_status_then_there_is_no_error() -> None:
    assert parse(status="processing", error="NSFW").error is None
    assert parse(status="processing", error="NSFW").fault() is None


def test_given_work_that_is_done_without_a_result_or_called_off_then_that_is_a_fault() -> None:
    assert isinstance(parse(output=None).fault(), ProviderAnswerInvalid)
    assert isinstance(parse(status="canceled").fault(), ProviderError)
    assert parse(output=A).fault() is None


def test_given_the_raw_body_of_a_webhook_when_parsed_then_it_is_the_same() -> None:
    payload = {"id": "p1", "status": "succeeded", "output": [A]}
    assert (
        PREDICTIONS.parse(json.dumps(payload)) == PREDICTIONS.parse(json.dumps(payload).encode()) == parse(output=[A])
    )


@pytest.mark.parametrize(
    "model", ["", "name", "a/b/c", "../b/c", "a/../../b", "a/b:", "a b/c", "a/b?x=1", "A" * 64, "-/b"]
)
def test_given_what_is_no_models_name_when_submitted_then_nothing_is_sent(model: str) -> None:
    with pytest.raises(SettingsInvalid):
        PREDICTIONS.submit(model=model, input={}, webhook=None, idempotency_key="k")


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(string.printable, max_size=20)
    | st.sampled_from([A, B]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(
    st.dictionaries(st.sampled_from(["id", "status", "output", "error", "input", "urls", "logs"]), json_values)
    | st.builds(
        lambda status, output, error: {"id": "p1", "status": status, "output": output, "error": error},
        st.sampled_from(sorted(STATUSES)),
        json_values,
        json_values,
    )
)
def test_given_any_json_when_parsed_then_it_is_a_prediction_or_an_invalid_answer(payload: dict[str, Any]) -> None:
    try:
        found = PREDICTIONS.parse(payload)
    except ProviderAnswerInvalid:
        return
    assert (found.fault() is None) == (not found.is_over or (found.status == "succeeded" and bool(found.outputs)))
    assert Prediction.model_validate_json(found.model_dump_json()) == found
