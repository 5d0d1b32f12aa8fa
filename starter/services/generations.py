"""Generations as people ask for them: what an order must pass before a job is made of it."""

from collections.abc import Mapping
from typing import Any

from activities.store import Admission, JobRequest, Store
from activities.webhooks import check_target, permit
from domain.errors import ProviderNotConfigured
from domain.jobs import Job
from domain.lifecycles.generation import GENERATION, GenerationType
from domain.orders.generation import (
    TEXT_LIMIT,
    AdOrder,
    GenerationOrder,
    Order,
    ScrapeOrder,
    SpeechOrder,
    VideoOrder,
)
from domain.orders.picture import check_plain
from domain.orders.prompt_guard import PromptGuard

NEEDS: Mapping[GenerationType, str] = {
    GenerationType.STATIC_AD: "GUIDESMITH_PREDICTIONS_BASE_URL and GUIDESMITH_STATIC_AD_MODEL",
    GenerationType.UGC_VIDEO: "GUIDESMITH_PREDICTIONS_BASE_URL and GUIDESMITH_UGC_VIDEO_MODEL",
    GenerationType.TTS: "GUIDESMITH_TTS_BASE_URL, or installs the extra guidesmith[tts] for the workers",
}
"""What an operator sets, so that a type is made."""


class GenerationRequests:
    """Makes generation jobs.

    Args:
        store: Called in the caller's thread.
        guard: Judges prompts.
        prices: Credits for one attempt, by type.
        made: The types that the settings have somebody for.
        private: Whether pages on private networks are scraped too.
    """

    def __init__(
        self,
        store: Store,
        guard: PromptGuard,
        *,
        prices: Mapping[str, int],
        made: frozenset[GenerationType],
        private: bool = False,
    ) -> None:
        self._store = store
        self._guard = guard
        self._prices = prices
        self._made = made
        self._permit = permit(private=private)

    @property
    def made(self) -> frozenset[GenerationType]:
        """The types that there is somebody for."""
        return self._made

    def checked(self, order: GenerationOrder) -> GenerationOrder:
        """The order as it is kept. Blocks for as long as a name server does.

        Raises:
            PromptRefused, RequestInvalid, AddressRefused: It is not made here. There is no job.
        """
        if isinstance(order, ScrapeOrder):
            url = order.url.partition("#")[0]
            check_target(url, self._permit)
            return order.model_copy(update={"url": url})
        if isinstance(order, SpeechOrder):
            check_plain(order.params)
            return order.model_copy(update={"text": self._guard.within(TEXT_LIMIT).check(order.text)})
        if isinstance(order, AdOrder | VideoOrder):
            check_plain(order.params)
        return order.model_copy(update={"prompt": self._guard.check(order.prompt)})

    def make(self, owner: str, order: GenerationOrder, idempotency_key: str | None) -> tuple[Job, bool]:
        """The job of an order, and whether this call made it: an order with a key that came before has one, whatever
        became of it.

        Raises:
            IdempotencyConflict: The key came before with another order.
            ProviderNotConfigured, InsufficientCredits: Nothing changed.
        """
        request = JobRequest(
            owner=owner,
            kind=GENERATION.kind,
            input=_kept(order),
            cost=self._prices[order.type],
            idempotency_key=idempotency_key,
            job_type=str(order.type),
        )
        return self._store.request_job(request, Admission(admit=lambda *_: self._check_made(order.type)))

    def _check_made(self, of: GenerationType) -> None:
        if of not in self._made:
            raise ProviderNotConfigured(
                f"Nobody is configured who makes {of}. The operator sets {NEEDS[of]}.", details={"type": str(of)}
            )


def _kept(order: GenerationOrder) -> dict[str, Any]:
    """As it is compared with one of the same key, also of a version that knew no products: without what it lacks."""
    kept = order.model_dump(mode="json")
    return {name: value for name, value in kept.items() if value is not None or name not in Order.model_fields}
