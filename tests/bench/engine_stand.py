"""The engine benchmark's stand: a Temporal server, a durable Postgres, a worker process for each contender, and the
load, which this process sends as the API would."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter

from activities.artifacts import ArtifactStore
from activities.store import Store
from domain.artifacts import ArtifactKind
from domain.errors import EngineUnavailable
from domain.lifecycles.instruction import DRAFT_READY
from starter.services.jobs import JobService
from starter.wiring import model_profiles, run_options
from tests.bench.engine_worker import READY, bench_settings
from tests.bench.instant import blob_of
from tests.bench.processes import Meter, child_called
from tests.bench.rivals import BareWorkflow, NaiveWorkflow
from tests.databases import temporary_postgres
from tests.temporal import running_temporal

OURS, BARE, NAIVE = CONTENDERS = ("ours", "bare", "naive")
OWNER = "bench"
POLL_S = 0.002
"""Between two looks at the database for a job that runs alone: part of the latency that is measured of ours."""
LOADED_POLL_S = 0.1
"""The same under load, where the looking must not be part of the load."""
AGAIN_S = 1.0
"""Until a submission is sent again that Temporal did not take within the API's patience, as a client does."""


@contextmanager
def worker_process(contender: str, surroundings: Mapping[str, str], folder: Path) -> "Iterator[subprocess.Popen[str]]":
    """A worker of ``contender`` in a process of its own, its log in ``folder``; it comes up while the next is
    started."""
    with (folder / f"{contender}.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.engine_worker", contender],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, **surroundings},
        )
    assert process.stdin is not None and process.stdout is not None
    try:
        yield process
    finally:
        process.stdin.close()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def ready(process: "subprocess.Popen[str]") -> int:
    """The worker's pid, once it works."""
    assert process.stdout is not None
    assert process.stdout.readline().strip() == READY, "a worker did not come up"
    return process.pid


@dataclass(frozen=True)
class Stand:
    """Everything up."""

    client: Client
    store: Store
    service: JobService
    database: psycopg.AsyncConnection[tuple[str]]
    pids: Mapping[str, int]

    def meter(self, contender: str) -> Meter:
        """Of the processes that have to do with ``contender``. ``client`` is the load's own process."""
        servers = {name: self.pids[name] for name in ("temporal", "postgres")}
        return Meter({"worker": self.pids[contender], "client": os.getpid(), **servers})

    def new_jobs(self, count: int) -> list[str]:
        """Jobs whose recordings are uploaded, in a project of their own."""
        project = self.store.create_project(OWNER, "bench")
        jobs = [self.store.create_job(OWNER, project.id).id for _ in range(count)]
        for job_id in jobs:
            self.store.confirm_upload(OWNER, job_id, blob_of(job_id, ArtifactKind.VIDEO), "recording.mp4")
        return jobs

    async def race(self, contender: str, jobs: Sequence[str], poll_s: float = LOADED_POLL_S) -> list[float]:
        """Submit all ``jobs`` at once; seconds from each one's submission until it was seen to be done.

        Ours are submitted as the API does, with the record of the start, and seen in the database every ``poll_s``.
        """
        if contender == OURS:
            return await self._race_ours(jobs, poll_s)
        flow = BareWorkflow.run if contender == BARE else NaiveWorkflow.run
        queue = bench_settings(contender).queue("jobs")

        async def until_result(job_id: str) -> float:
            begun = time.perf_counter()
            await self.client.execute_workflow(flow, job_id, id=f"{contender}-{job_id}", task_queue=queue)
            return time.perf_counter() - begun

        return list(await asyncio.gather(*map(until_result, jobs)))

    async def _race_ours(self, jobs: Sequence[str], poll_s: float) -> list[float]:
        begun: dict[str, float] = {}

        async def submit(job_id: str) -> None:
            begun[job_id] = time.perf_counter()
            while True:  # 503 under load is the API's word for "again"; the seconds count from the first time
                try:
                    await self.service.run(OWNER, job_id)
                except EngineUnavailable:
                    await asyncio.sleep(AGAIN_S)
                else:
                    return

        submitting = asyncio.gather(*map(submit, jobs))
        waiting, seconds = set(jobs), []
        while waiting:
            await asyncio.sleep(poll_s)
            ended = await self._ended(waiting)
            seconds += [time.perf_counter() - begun[job_id] for job_id in ended]
            waiting -= ended
            if submitting.done():
                submitting.result()  # a refused submission ends the race
        await submitting
        return seconds

    async def _ended(self, jobs: Collection[str]) -> set[str]:
        """Which of ``jobs`` have a draft."""
        rows = await self.database.execute(
            "SELECT id FROM jobs WHERE id = ANY(%s::text[]) AND status = %s", (list(jobs), str(DRAFT_READY))
        )
        return {job_id for (job_id,) in await rows.fetchall()}


@asynccontextmanager
async def bench_stand(folder: Path) -> AsyncIterator[Stand]:
    """Bring everything up, and down again."""
    with ExitStack() as up:
        temporal = up.enter_context(running_temporal(folder))
        postgres = up.enter_context(contextmanager(temporary_postgres)(durable=True))
        database_url = postgres.url(postgres.create())
        store = Store.open(database_url)
        up.callback(store.dispose)
        store.upgrade()
        surroundings = {"TEMPORAL_ADDRESS": temporal.address, "GUIDESMITH_DATABASE_URL": database_url}
        started = {each: up.enter_context(worker_process(each, surroundings, folder)) for each in CONTENDERS}
        workers = {each: ready(process) for each, process in started.items()}
        client = await Client.connect(temporal.address, data_converter=pydantic_data_converter)
        settings = bench_settings(OURS)
        artifacts = ArtifactStore.open((folder / "artifacts").as_uri())
        service = JobService(store, artifacts, client, run_options(settings), model_profiles(settings))
        servers = {name: child_called(name) for name in ("temporal", "postgres")}
        async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as watching:
            yield Stand(client, store, service, watching, {**workers, **servers})
