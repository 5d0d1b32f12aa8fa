"""The taxonomy as Temporal and as clients see it."""

import errno
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import av.error
import pytest
from temporalio.common import RetryPolicy
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.media.container import is_machine_fault
from activities.process.log_context import place_of
from activities.rails.interceptor import RETRY_AFTER_LIMIT_S, application_error, unforeseen
from domain import errors
from domain.errors import MESSAGE_LIMIT, GuidesmithError, ProviderRateLimited, exhausted_by
from starter.api.shapes import on_one_line


def leaves() -> list[type[GuidesmithError]]:
    found: list[type[GuidesmithError]] = []
    frontier: list[type[GuidesmithError]] = [GuidesmithError]
    while frontier:
        each = frontier.pop()
        found.append(each)
        frontier += each.__subclasses__()
    return [each for each in found if each.__module__ == errors.__name__]


def test_every_error_has_a_stable_code_of_its_own() -> None:
    codes = [each.code for each in leaves()]
    assert len(codes) == len(set(codes))
    assert all(re.fullmatch(r"[A-Z][A-Z_]+", code) for code in codes)


def test_every_error_keeps_its_code_and_verdict_on_its_way_through_temporal() -> None:
    for each in leaves():
        carried = application_error(each("why"))
        assert (carried.type, carried.non_retryable, carried.message) == (each.code, not each.retryable, "why")


def test_what_a_provider_asks_to_wait_is_honoured_within_reason() -> None:
    assert application_error(ProviderRateLimited("slow", retry_after_s=7)).next_retry_delay == timedelta(seconds=7)
    capped = application_error(ProviderRateLimited("slow", retry_after_s=1e9)).next_retry_delay
    assert capped == timedelta(seconds=RETRY_AFTER_LIMIT_S)
    assert application_error(ProviderRateLimited("slow")).next_retry_delay is None


def test_messages_are_capped() -> None:
    assert len(GuidesmithError("x" * 10_000).message) == MESSAGE_LIMIT


@pytest.mark.parametrize(
    ("fault", "attempt", "budget", "final"),
    [
        (KeyError("the row holds hunter2"), 1, 10, False),
        (KeyError("the row holds hunter2"), 2, 10, True),
        (TypeError("the row holds hunter2"), 2, 10, True),
        (TypeError("the row holds hunter2"), 7, 0, False),  # what has to reach the database waits for better code
        (OSError("the row holds hunter2"), 7, 10, False),
        (ValueError("the row holds hunter2"), 7, 10, False),
    ],
)
def test_given_an_unforeseen_error_then_its_kind_and_place_are_told_and_wrong_code_is_not_tried_for_long(
    fault: Exception, attempt: int, budget: int, final: bool
) -> None:
    def failing() -> ApplicationError:
        try:
            raise fault
        except Exception as caught:  # any
            return unforeseen(caught)

    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=attempt, retry_policy=RetryPolicy(maximum_attempts=budget))
    error = environment.run(failing)
    line = failing.__code__.co_firstlineno + 2
    assert error.message == f"An unexpected {type(fault).__name__} at {__name__}:{line}."
    assert (error.type, error.non_retryable) == ("INTERNAL", final)


def test_given_an_error_in_a_library_then_its_place_is_the_line_of_ours_that_asked() -> None:
    try:
        application_error("no error")  # type: ignore[arg-type]
    except AttributeError as fault:
        assert re.fullmatch(r"activities\.rails\.interceptor:\d+", place_of(fault))


@pytest.mark.parametrize(
    "name",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with a joiner that does not join
        "\U0001f469\u200d\U0001f4bb",  # a woman at her computer
        "\u0915\u094d\u200d\u0937",  # an Indic conjunct
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # a flag, by its tags
        "\u200f\u05e9\u05dc\u05d5\u05dd",
        "10\u00a0km",
    ],
)
def test_names_in_ordinary_writing_are_taken_and_line_breaks_are_not(name: str) -> None:
    assert on_one_line(name) == name
    for broken in ("a\nb", "a\x1b[0m", "a\u2028b", "a\x00"):
        with pytest.raises(ValueError, match="control"):
            on_one_line(broken)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOMEM, errno.ENOSPC])
def test_what_a_machine_lacks_is_said_of_the_worker_and_tried_again(number: int) -> None:
    lacking = exhausted_by(OSError(number, "hunter2"))
    assert lacking is not None
    assert lacking.retryable
    assert "hunter2" not in lacking.message
    of_ffmpeg: Any = av.error.classes[number]
    assert is_machine_fault(of_ffmpeg(number, ""))
    assert exhausted_by(OSError(errno.ENOENT, "")) is None
    assert exhausted_by(MemoryError()) is not None
