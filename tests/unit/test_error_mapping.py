"""The taxonomy as Temporal and as clients see it."""

import re
from datetime import timedelta

from activities.interceptor import RETRY_AFTER_LIMIT_S, application_error
from domain import errors
from domain.errors import MESSAGE_LIMIT, GuidesmithError, ProviderRateLimited


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
