"""Whether one user's twelve hours let another's thirty seconds through: on a server that serves owners in turn, on one
that serves stages as they come, and where a recording may have only so many pieces under way.

The real engine, rails and workflows; a stage takes the fixed time that stands for its work.
"""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table
from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter

from activities.artifacts import ArtifactStore
from activities.rails.mirror import Mirror
from activities.rails.stage import Product, Stages, Work, spec_of, stage
from activities.stages.instruction import InstructionStages
from activities.store import Store
from domain.artifacts import ArtifactKind
from domain.jobs import NewArtifact
from starter.services.jobs import JobService
from starter.settings import QUEUES, Settings
from starter.wiring import model_profiles, run_options
from starter.work.worker import WORKFLOWS, build_workers
from tests.bench.instant import InstantStages, Method, blob_of
from tests.temporal import TemporalServer, running_temporal

PIECES = 144
"""Twelve hours, in pieces of five minutes."""

SLOTS = 2
PIECE_S = 0.5
LONG, SHORT = "has-twelve-hours", "has-thirty-seconds"

BY_DEFAULT: int = Settings.model_fields["pieces_at_once"].default
TURN = 3 * SLOTS
"""Pieces that may begin before the other's: while its own is on its way into the queue, those that are handed out
already, and its owner's turn."""


@dataclass
class Heard:
    """Whose pieces began, in order, and after how many of them the short recording was ready to be heard."""

    begun: list[str] = field(default_factory=list)
    ready_after: int = 0
    ready_at: float = 0.0


HEARD = Heard()


def taking(method: Method, *, pieces: bool = False) -> Method:
    """A stage of speech that takes its time, and notes that it began."""
    spec = spec_of(method)

    @stage(
        spec.name,
        spec.processing,
        checkpoint=spec.checkpoint,
        queue=spec.queue,
        summary=spec.summary,
        activity_name="transcription-piece" if pieces else None,
    )
    def listen(self: Stages, work: Work) -> Product:
        HEARD.begun.append(work.job.owner)
        time.sleep(PIECE_S)
        kind = ArtifactKind.TRANSCRIPT
        return Product([NewArtifact(kind=kind, blob=blob_of(work.job.id, kind), facts={})])

    return listen


class Recordings(InstantStages):
    """A long recording has pieces."""

    transcribe = taking(InstructionStages.transcribe)
    transcribe_piece = taking(InstructionStages.transcribe_piece, pieces=True)

    @stage(
        spec_of(InstructionStages.extract_audio).name,
        spec_of(InstructionStages.extract_audio).processing,
        checkpoint=spec_of(InstructionStages.extract_audio).checkpoint,
        queue="media",
        summary="measure",
    )
    def extract_audio(self, work: Work) -> Product:
        if work.job.owner == SHORT:
            HEARD.ready_after, HEARD.ready_at = len(HEARD.begun), time.perf_counter()
        facts: dict[str, object] = {"pieces": PIECES if work.job.owner == LONG else 1}
        return Product(
            [NewArtifact(kind=ArtifactKind.AUDIO, blob=blob_of(work.job.id, ArtifactKind.AUDIO), facts=facts)]
        )


@dataclass(frozen=True)
class Wait:
    pieces: int
    seconds: float


@pytest.fixture(scope="module", params=[False, True], ids=["as they come", "in turn"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TemporalServer]:
    with running_temporal(tmp_path_factory.mktemp("temporal"), fair=request.param) as temporal:
        yield temporal


@pytest.mark.parametrize("at_once", [0, SLOTS, BY_DEFAULT], ids=["all pieces", "a few pieces", "by default"])
def test_given_twelve_hours_of_one_when_another_brings_thirty_seconds_then_they_begin_within_their_turn(
    server: TemporalServer, at_once: int, tmp_path: Path
) -> None:
    wait = asyncio.run(waited(server, tmp_path, at_once))
    served = "in turn" if server.fair else "as they come"
    table = Table("owners", "at once", "pieces before it", "waited s", title=f"{PIECES} pieces, {SLOTS} slots")
    table.add_row(served, str(at_once or PIECES), str(wait.pieces), f"{wait.seconds:.2f}")
    Console().print(table)
    if server.fair or at_once:
        assert wait.pieces <= (TURN if server.fair else max(at_once, SLOTS) + TURN)
    else:
        assert wait.pieces > PIECES / 2, "a server that is not told to be fair lets it wait: else nothing is shown here"


async def waited(server: TemporalServer, folder: Path, at_once: int) -> Wait:
    """How long the short recording, once its sound is there, waits for its transcription to begin, while the long one
    is being heard."""
    HEARD.begun.clear()
    settings = Settings(
        data_dir=folder, task_queue_prefix=f"fair-{at_once}", speech_slots=SLOTS, pieces_at_once=at_once
    )
    store = Store.open(settings.database)
    store.upgrade()
    client = await Client.connect(server.address, data_converter=pydantic_data_converter)
    artifacts = ArtifactStore.open((folder / "artifacts").as_uri())
    service = JobService(store, artifacts, client, run_options(settings), model_profiles(settings))
    stages, mirror = Recordings(store), Mirror(store)
    bodies = [stages.extract_audio, stages.transcribe, stages.transcribe_piece, mirror.claim, mirror.move]
    workers = build_workers(client, settings, QUEUES, bodies, WORKFLOWS)
    running = [asyncio.create_task(each.run()) for each in workers]
    try:
        await service.run(LONG, uploaded(store, LONG))
        while len(HEARD.begun) < SLOTS:
            await asyncio.sleep(0.01)
        await service.run(SHORT, uploaded(store, SHORT))
        while SHORT not in HEARD.begun:
            await asyncio.sleep(0.01)
        return Wait(HEARD.begun.index(SHORT) - HEARD.ready_after, time.perf_counter() - HEARD.ready_at)
    finally:
        await asyncio.gather(*(each.shutdown() for each in workers))
        await asyncio.gather(*running)
        store.dispose()


def uploaded(store: Store, owner: str) -> str:
    """A job of ``owner``'s whose recording has arrived."""
    project = store.create_project(owner, "bench")
    job = store.create_job(owner, project.id)
    store.confirm_upload(owner, job.id, blob_of(job.id, ArtifactKind.VIDEO), "recording.mp4")
    return job.id
