"""Two API processes on one database, for tests of what many callers do at once."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from uuid import uuid4

import httpx
import pytest
from pydantic import SecretStr
from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter

from activities.artifacts import ArtifactStore
from activities.store import Store
from domain.artifacts import ArtifactKind
from domain.jobs import Job, NewArtifact
from domain.lifecycles.instruction import AUDIO_EXTRACTING, AUDIO_READY, GENERATING, TRANSCRIBING, TRANSCRIPT_READY
from starter.settings import Settings
from starter.wiring import open_artifacts, open_store
from tests.api_processes import ApiProcess, api_processes
from tests.apis import api_settings
from tests.databases import PostgresServer, laid_out
from tests.integration.api_builders import SPOKEN
from tests.integration.store_builders import Run, draft, uploaded_job
from tests.stack import Loop, wait_until
from tests.temporal import TemporalServer

AT_ONCE = 20
ANSWERED_WITHIN_S = 120
RUNNER = "runner-" + "5" * 40

Call = Callable[[httpx.Client, int], httpx.Response]


@dataclass(frozen=True)
class Pair:
    """Two API processes on one database, one artifact store, one Temporal, and task queues that nobody serves."""

    apis: list[ApiProcess]
    store: Store
    artifacts: ArtifactStore
    settings: Settings
    temporal: TemporalServer
    loop: Loop
    client: Client

    def at_once(self, owner: str, call: Call) -> list[httpx.Response]:
        """The answers to twenty calls, every second one at the other process. Who is told 503 comes again, as clients
        do: on a crowded machine Temporal or the database may take longer than a caller is kept waiting."""

        def answered(client: httpx.Client, number: int) -> httpx.Response:
            deadline = time.monotonic() + ANSWERED_WITHIN_S
            while (answer := call(client, number)).status_code == 503 and time.monotonic() < deadline:
                time.sleep(int(answer.headers["Retry-After"]))
            return answer

        with ThreadPoolExecutor(AT_ONCE) as pool, self.apis[0].client(owner) as one, self.apis[1].client(owner) as two:
            return list(pool.map(lambda number: answered((one, two)[number % 2], number), range(AT_ONCE)))

    def executions(self) -> list[str]:
        """The ids of all workflow executions that were ever started here, each as often as it was."""

        async def listed() -> list[str]:
            query = f"TaskQueue = '{self.settings.queue('jobs')}'"
            return [execution.id async for execution in self.client.list_workflows(query)]

        return self.loop.run(listed())

    def started(self, before: list[str]) -> list[str]:
        """What was started since ``before``, once Temporal lists all of it: it lists in the order of the starts."""
        marker = f"marker-{uuid4()}"
        queue = self.settings.queue("jobs")
        handle = self.loop.run(self.client.start_workflow("marker", id=marker, task_queue=queue))
        wait_until(lambda: marker in self.executions(), 30, "the marker")
        self.loop.run(handle.terminate())  # or each worker of this queue would try it again and again
        now = self.executions()  # once more: it may have overtaken one that was listed beside it
        for known in (*before, marker):
            now.remove(known)
        return now


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def pair(
    request: pytest.FixtureRequest, temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("pair")
    url = ""
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.url(server.create())
    settings = api_settings(
        folder, database_url=url, task_queue_prefix=f"once-{uuid4().hex}", callback_secret=SecretStr(RUNNER)
    )
    laid_out(settings.database)
    store = open_store(settings)
    store.upgrade()
    loop = Loop()
    client = loop.run(Client.connect(temporal.address, data_converter=pydantic_data_converter))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with api_processes(settings, 2) as apis:
            yield Pair(apis, store, open_artifacts(settings), settings, temporal, loop, client)
    store.dispose()
    loop.close()


@pytest.fixture
def owner() -> str:
    """A caller of the test's own."""
    return f"user-{uuid4().hex}"


def statuses(answers: list[httpx.Response]) -> dict[int, int]:
    """How often each status was answered."""
    found = [answer.status_code for answer in answers]
    return {status: found.count(status) for status in sorted(set(found))}


def audit(pair: Pair, job_id: str, event_type: str) -> int:
    return [event.event_type for event in pair.store.events(job_id)].count(event_type)


def firsts(answers: list[httpx.Response]) -> int:
    """How many say that they are no replay."""
    return [answer.json()["replayed"] for answer in answers].count(False)


def stored(pair: Pair, kind: ArtifactKind) -> NewArtifact:
    """An artifact that verifies, and a transcript that can be read."""
    data = SPOKEN.model_dump_json() if kind is ArtifactKind.TRANSCRIPT else f"a {kind}"
    blob = pair.artifacts.put_bytes(f"{kind}/{uuid4()}", data.encode(), "text/plain")
    return NewArtifact(kind=kind, blob=blob)


def job_at_its_desk(pair: Pair, owner: str) -> Job:
    """A job that was drafted, and whose next run has nothing left to do but to wait for its editors."""
    store = pair.store
    run = Run(store, uploaded_job(store, owner).id).dispatched()
    for processing, checkpoint, kind in (
        (AUDIO_EXTRACTING, AUDIO_READY, ArtifactKind.AUDIO),
        (TRANSCRIBING, TRANSCRIPT_READY, ArtifactKind.TRANSCRIPT),
    ):
        store.begin_stage(run.job_id, run.fence(), processing)
        store.finish_stage(run.job_id, run.fence(), target=checkpoint, artifacts=[stored(pair, kind)])
        run = run.next()
    store.begin_stage(run.job_id, run.fence(), GENERATING)
    store.finish_stage(
        run.job_id,
        run.fence(),
        target="DRAFT_READY",
        artifacts=[stored(pair, ArtifactKind.DRAFT)],
        version=draft(),
        screenshots=[],
    )
    return store.get_job(run.job_id)
