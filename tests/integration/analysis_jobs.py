"""What the tests of analyses over HTTP work with: one Temporal, one API, one worker process, real files."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from temporalio.testing import ActivityEnvironment

from activities.store import Store
from activities.store.repository import utc_now
from activities.upkeep.reconciling import Reconciled, Reconciler
from domain.analyses.analysis import Analysis
from domain.jobs import Job
from domain.lifecycles.analysis import CONFIRMED, DRAFT_READY, SUCCEEDED
from sample.analysis.truth import SALES
from starter.wiring import kind_terms, run_options
from tests.apis import SECRET, RunningApi, running_api, wait_ready
from tests.stack import Stack, running_stack, wait_until
from tests.temporal import TemporalServer, free_port

OWNER = "ann"
REGIONS = "region,amount\nNorth,10.50\nSouth,4.25\nNorth,1.50\n"
TOTALS = "Total amount by region"
"""A requirement over :data:`REGIONS` that leaves nothing open."""

Json = dict[str, Any]


class Bureau:
    """The parts, and what somebody does with them."""

    def __init__(self, stack: Stack, api: RunningApi) -> None:
        self.stack, self.api, self.store = stack, api, stack.store
        self.http = api.client(OWNER)

    # --- over HTTP ---------------------------------------------------------------------------------------------------

    def ask(
        self, requirement: str, *files: tuple[str, str | bytes], http: httpx.Client | None = None, **more: Any
    ) -> Json:
        """The analysis of a requirement over files that were announced."""
        body = {"requirement": requirement, "inputs": {"files": [declared(*file) for file in files]}, **more}
        answer = self.http.post("analyses", json=body)
        assert answer.status_code in (200, 202), answer.text
        found: Json = answer.json()
        return found

    def send(self, asked: Json, *files: tuple[str, str | bytes]) -> Json:
        """The files to their addresses, and the word that they are there."""
        places = {each["filename"]: each["upload_url"] for each in asked["inputs"]["files"]}
        for name, content in files:
            if places[name] is not None:
                answer = httpx.put(places[name], content=as_bytes(content))
                assert answer.status_code == 200, answer.text
        return self.put_inputs(asked["id"], *files)

    def put_inputs(self, job_id: str, *files: tuple[str, str | bytes]) -> Json:
        answer = self.http.put(f"analyses/{job_id}/inputs", json={"files": [declared(*file) for file in files]})
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        return found

    def drafted(self, requirement: str, *files: tuple[str, str | bytes], **more: Any) -> Job:
        """An analysis with a draft."""
        asked = self.ask(requirement, *files, **more)
        self.send(asked, *files)
        return self.stack.wait_for(self.store.get_job(asked["id"]), DRAFT_READY)

    def confirmed(self, requirement: str, *files: tuple[str, str | bytes], **more: Any) -> Job:
        job = self.drafted(requirement, *files, **more)
        answer = self.http.post(f"analyses/{job.id}/confirm")
        assert answer.status_code == 200, answer.text
        return self.stack.wait_for(job, CONFIRMED)

    def run(self, job: Job) -> httpx.Response:
        return self.http.post(f"analyses/{job.id}/run")

    def succeeded(self, requirement: str, *files: tuple[str, str | bytes], **more: Any) -> Job:
        job = self.confirmed(requirement, *files, **more)
        assert self.run(job).status_code == 202
        return self.stack.wait_for(job, SUCCEEDED)

    def draft(self, job: Job) -> Json:
        answer = self.http.get(f"analyses/{job.id}/draft")
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        return found

    def artifacts(self, job: Job) -> dict[str, Json]:
        """What was made, by name."""
        items = self.http.get(f"analyses/{job.id}/artifacts", params={"limit": 100}).json()["items"]
        assert len({each["name"] for each in items}) == len(items), "one set"
        return {each["name"]: each for each in items}

    # --- behind it ---------------------------------------------------------------------------------------------------

    def analysis(self, job: Job) -> Analysis:
        return self.store.get_analysis(job.id)

    def moves(self, job: Job) -> list[tuple[str | None, str]]:
        return [(each.prev_status, each.new_status) for each in self.stack.audit(job) if each.new_status is not None]

    def events(self, job: Job, event_type: str) -> int:
        return sum(each.event_type == event_type for each in self.stack.audit(job))

    def planned(self, job: Job) -> Analysis:
        """The analysis once its planning is over."""

        def over() -> Analysis | None:
            found = self.analysis(job)
            return found if found.planning is not None and not found.planning.is_under_way else None

        return wait_until(over, 60, "the planning to end")

    def reconcile(self) -> Reconciled:
        async def once() -> Reconciled:
            return await ActivityEnvironment().run(self._reconciler(self.store).reconcile)

        return self.stack.loop.run(once())

    def reconcile_tasks(self) -> int:
        """As a minute from now: of tasks, only what is not fresh is looked at."""
        later = Store.open(self.stack.settings.database, clock=lambda: utc_now() + timedelta(minutes=1))
        try:
            return self.stack.loop.run(self._reconciler(later).follow_tasks())
        finally:
            later.dispose()

    def _reconciler(self, store: Store) -> Reconciler:
        settings = self.stack.settings
        return Reconciler(store, self.stack.client, run_options(settings), kind_terms(settings))


def declared(name: str, content: str | bytes) -> Json:
    return {"filename": name, "checksum_sha256": hashlib.sha256(as_bytes(content)).hexdigest()}


def as_bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def sales() -> tuple[str, bytes]:
    """The sample table."""
    return SALES.name, SALES.read_bytes()


@contextmanager
def running_bureau(
    folder: Path, temporal: TemporalServer, worker: dict[str, str] | None = None, **settings: Any
) -> Iterator[Bureau]:
    """An API and a worker on a folder of their own; ``worker`` is laid over the workers' environment."""
    values: Json = {
        "api_port": free_port(),
        "auth_secret": SecretStr(SECRET),
        "rate_limit_default": "off",
        "rate_limit_expensive": "off",
        "part_size_bytes": 64 * 1024,
        **settings,
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_stack(folder, temporal, deadly=True, **values) as stack, running_api(stack.settings) as api:
            wait_ready(api)
            stack.environment.update(worker or {})
            stack.start_worker()
            yield Bureau(stack, api)
