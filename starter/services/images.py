"""Pictures as people ask for them: what a prompt must pass before a job is made of it."""

from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from activities.store import Admission, JobRequest, Store
from domain.jobs import Job
from domain.lifecycles.image import (
    DEAD_LETTER,
    IMAGE,
    SUPERSEDE,
    ImageStatus,
    Repeat,
    check_quota,
    idempotency_key,
    judge_repeat,
)
from domain.orders.picture import PictureOrder, check_params
from domain.orders.prompt_guard import PromptGuard


class ImageRequests:
    """Makes image jobs.

    Args:
        store: Called in the caller's thread.
        guard: Judges prompts.
        price: Credits for one picture.
        quota: Pictures that one user may ask for in 24 hours.
        clock: Says which minute it is.
    """

    def __init__(
        self,
        store: Store,
        guard: PromptGuard,
        *,
        price: int,
        quota: int,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store = store
        self._guard = guard
        self._price = price
        self._quota = quota
        self._clock = clock

    def order(self, prompt: str, params: dict[str, Any]) -> PictureOrder:
        """What is to be painted. Raises: PromptRefused, RequestInvalid: it is not. There is no job."""
        return PictureOrder(prompt=self._guard.check(prompt), params=check_params(params))

    def make(self, owner: str, order: PictureOrder, gave_way: Callable[[str], None] | None = None) -> tuple[Job, bool]:
        """The job of an order, and whether this call made it: the same order in the same minute has one.

        A job that waits for its next try gives way: it ends, and what it held is released before the new one is
        charged. ``gave_way`` hears its id, so that its run can be told.

        Raises:
            QuotaExceeded, InsufficientCredits: Nothing changed.
        """
        request = JobRequest(
            owner=owner,
            kind=IMAGE.kind,
            input=order.model_dump(),
            cost=self._price,
            idempotency_key=idempotency_key(owner, order.prompt, order.params, self._clock()),
        )
        return self._store.request_job(request, Admission(_gives_way, self._admit, gave_way))

    def _admit(self, made: int, frees_in_s: float) -> None:
        check_quota(made, self._quota, frees_in_s=frees_in_s)


def _gives_way(status: str) -> tuple[StrEnum, str] | None:
    gives_way = judge_repeat(ImageStatus(status)) is Repeat.SUPERSEDE
    return (DEAD_LETTER, SUPERSEDE) if gives_way else None
