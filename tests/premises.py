"""Where tests ask for jobs that cost credits: an API, a worker process and a sandbox provider over one stack."""

from sqlalchemy import select
from temporalio.testing import ActivityEnvironment

from activities.store.tables import jobs
from activities.upkeep.reconciling import Reconciled, Reconciler
from domain.jobs import Event, Job
from starter.sandbox import RunningSandbox
from starter.wiring import kind_terms, run_options
from tests.apis import RunningApi
from tests.stack import Stack, wait_until


class Premises:
    """The parts, and what tests of every such kind ask of them."""

    def __init__(self, stack: Stack, api: RunningApi, sandbox: RunningSandbox, owner: str) -> None:
        self.stack, self.api, self.sandbox, self.store = stack, api, sandbox, stack.store
        self.http = api.client(owner)
        self._owners = 0

    def refresh(self) -> None:
        """At a test's start."""
        self.sandbox.reset()
        self.stack.attend()

    def settle(self) -> None:
        """At a test's end: the books are balanced, and no job is left that would ask the sandbox in the next test's
        stead, as soon as somebody looks for runs that were lost."""
        if self._at_work():
            self.stack.attend()
        wait_until(lambda: not self._at_work(), 60, "the end of every job")
        report = self.store.audit_credits()
        assert report.balanced, report.findings

    def _at_work(self) -> list[str]:
        with self.store._database.read() as connection:
            return list(connection.scalars(select(jobs.c.id).where(jobs.c.completed_at.is_(None))))

    def moves(self, job: Job) -> list[tuple[str | None, str]]:
        return [(each.prev_status, each.new_status) for each in self.stack.audit(job) if each.new_status is not None]

    def events(self, job: Job, event_type: str) -> list[Event]:
        return [each for each in self.stack.audit(job) if each.event_type == event_type]

    def postings(self, job: Job) -> list[str]:
        """What was posted in the job's name, oldest first."""
        page = self.store.credit_entries(job.owner, 100)
        kinds = {each.posting_id: str(each.kind) for each in reversed(page.items) if each.job_id == job.id}
        return list(kinds.values())

    def newcomer(self, credits: int) -> str:
        """A user who has so many."""
        self._owners += 1
        owner = f"newcomer-{self._owners}"
        if credits:
            self.store.grant(owner, credits, reason="test", actor="test", idempotency_key=owner)
        return owner

    def reconcile(self) -> Reconciled:
        settings = self.stack.settings
        reconciler = Reconciler(self.store, self.stack.client, run_options(settings), kind_terms(settings))

        async def once() -> Reconciled:
            return await ActivityEnvironment().run(reconciler.reconcile)

        return self.stack.loop.run(once())
