"""What endpoints are told of each end that a job of each kind can come to."""

from typing import Any

import pytest

from domain.lifecycles.kinds import LIFECYCLES
from domain.lifecycles.lifecycle import Lifecycle
from domain.webhooks import WebhookEvent, announced

NAMED = {
    ("instruction", "FAILED"): WebhookEvent.JOB_FAILED,
    ("instruction", "CANCELLED"): WebhookEvent.JOB_CANCELLED,
    ("image", "rejected"): WebhookEvent.JOB_REJECTED,
    ("image", "dead_letter"): WebhookEvent.JOB_FAILED,
    ("generation", "failed"): WebhookEvent.JOB_FAILED,
    ("generation", "expired"): WebhookEvent.JOB_FAILED,
    ("generation", "canceled"): WebhookEvent.JOB_CANCELLED,
    ("analysis", "failed"): WebhookEvent.JOB_FAILED,
    ("batch", "partial"): WebhookEvent.JOB_PARTIAL,
    ("batch", "failed"): WebhookEvent.JOB_FAILED,
}


@pytest.mark.parametrize("lifecycle", LIFECYCLES.values(), ids=lambda each: each.kind)
def test_given_an_end_when_it_is_reached_then_it_is_told_by_its_own_name(lifecycle: Lifecycle[Any]) -> None:
    for status in lifecycle.terminals:
        named = NAMED.get((lifecycle.kind, str(status)), WebhookEvent.JOB_COMPLETED)
        told = announced(lifecycle, "STATUS_CHANGED", "before", str(status))
        assert told == (WebhookEvent.JOB_STATUS_CHANGED, named)


@pytest.mark.parametrize("lifecycle", LIFECYCLES.values(), ids=lambda each: each.kind)
def test_given_a_status_on_the_way_when_it_is_reached_then_only_that_it_changed_is_told(
    lifecycle: Lifecycle[Any],
) -> None:
    for status in lifecycle.active:
        assert announced(lifecycle, "STATUS_CHANGED", None, str(status)) == (WebhookEvent.JOB_STATUS_CHANGED,)
        assert announced(lifecycle, "STAGE_RETRIED", str(status), str(status)) == ()
    assert announced(lifecycle, "PROGRESS", None, None) == ()
