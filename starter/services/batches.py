"""Batches as people ask for them: what an order must be before a job is made of it."""

from activities.store import JobRequest, Store
from domain.jobs import Job
from domain.lifecycles.batch import BATCH
from domain.orders.batch import BatchOrder


class BatchRequests:
    """Makes batches. They cost nothing.

    Args:
        store: Called in the caller's thread.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def check(self, owner: str, order: BatchOrder) -> None:
        """Raises: RequestInvalid: the order makes no sense. NotFound: it is about a job that is not ``owner``'s."""
        order.check()
        self._store.check_owned(owner, order.sources)

    def make(self, owner: str, order: BatchOrder) -> Job:
        """The job of an order that was checked."""
        request = JobRequest(
            owner=owner, kind=BATCH.kind, input=order.model_dump(mode="json"), job_type=str(order.job_type)
        )
        return self._store.request_job(request)[0]
