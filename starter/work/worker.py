"""The worker: workflows and stages on the task queues it is given, until it is told to stop."""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from datetime import timedelta
from importlib import metadata

import structlog
from temporalio.client import Client
from temporalio.common import VersioningBehavior, WorkerDeploymentVersion
from temporalio.service import RPCError
from temporalio.worker import Worker, WorkerDeploymentConfig
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from activities.process.memory import return_memory_early
from activities.rails.external import Outside
from activities.rails.heartbeat import beat_interval
from activities.rails.interceptor import ErrorInterceptor
from activities.rails.mirror import Mirror
from activities.rails.namespaces import recognise_namespace
from activities.rails.versioning import LASTING, say_version
from activities.stages.analysis import AnalysisPlanning, AnalysisStages
from activities.stages.batch import BatchControl
from activities.stages.generation import GenerationControl, GenerationStages
from activities.store import Store
from activities.tasks.screenshots import ScreenshotTaker
from activities.upkeep.erasing import Eraser
from activities.upkeep.indexing import EVERY_S as INDEXED_EVERY_S
from activities.upkeep.indexing import NAME as INDEXER
from activities.upkeep.indexing import Indexer
from activities.upkeep.orphans import OrphanSweeper
from activities.upkeep.reconciling import Reconciler
from activities.upkeep.rounds import Rounds
from activities.upkeep.sweeping import Keeping, Sweeper
from domain.erasure import read_keeping, read_project_keeping
from domain.errors import GuidesmithError
from starter import extras, traces
from starter.services.engine import connect_patiently
from starter.settings import QUEUES, Settings
from starter.wiring import (
    analysis_parts,
    batch_stages,
    build_activities,
    generation_parts,
    image_stages,
    kind_terms,
    open_artifacts,
    open_store,
    run_options,
    screen_reading,
)
from starter.work.health import HealthServer
from starter.work.translating import translating
from starter.work.webhooks import beside, relay, webhook_sender
from workflows import reconciler, sweeping
from workflows.analysis import AnalysisWorkflow, PlanWorkflow
from workflows.batch import BatchWorkflow
from workflows.erasing import EraseProjectWorkflow, EraseRecordingWorkflow, EraseUserWorkflow, EraseWorkflow
from workflows.generation import GenerationWorkflow
from workflows.image import ImageWorkflow
from workflows.instruction import InstructionWorkflow
from workflows.reconciler import ReconcilerWorkflow
from workflows.schedules import drop_schedule, ensure_schedule
from workflows.screenshots import ScreenshotWorkflow
from workflows.sweeping import SweepOrphansWorkflow, SweepWorkflow
from workflows.tasks import ExportWorkflow, RegenerateWorkflow, TranslateWorkflow
from workflows.webhooks import WebhookWorkflow

log = structlog.get_logger("guidesmith.worker")

WORKFLOWS = (
    InstructionWorkflow,
    ImageWorkflow,
    GenerationWorkflow,
    BatchWorkflow,
    AnalysisWorkflow,
    PlanWorkflow,
    ExportWorkflow,
    RegenerateWorkflow,
    TranslateWorkflow,
    ScreenshotWorkflow,
    ReconcilerWorkflow,
    SweepWorkflow,
    SweepOrphansWorkflow,
    WebhookWorkflow,
    EraseWorkflow,
    EraseRecordingWorkflow,
    EraseProjectWorkflow,
    EraseUserWorkflow,
)

SCHEDULES = {
    sweeping.NAME: sweeping.EVERY,
    sweeping.ORPHANS: sweeping.ORPHANS_EVERY,
}
"""Workflows that start by themselves, and how often."""

DAY_S = 24 * 3600.0

STICKY_S = 5.0
"""How long the next step of a job is left to the worker that has the job in memory, before any other may replay it and
go on: what a dead worker costs. Histories are short, so a replay takes milliseconds; the SDK's default is 10 s."""

LEAVES_AFTER_S = 10.0
"""How long after ``graceful_shutdown_s`` a worker that was told to stop leaves, whatever still goes on: a status that
the database could not be told is tried without end, and the SDK waits for that. It leaves as one that dies, which
costs nothing that is recorded; the chart has it killed 5 s later."""

PASSED_THROUGH = ("domain", "activities", "pydantic", "pydantic_core", "annotated_types", "structlog", "sqlalchemy")
"""Modules that workflows share with the process: pure rules and values. Importing them anew inside the sandbox would
cost every workflow most of a second."""

DEPLOYMENT = "guidesmith"


def deployment(settings: Settings) -> WorkerDeploymentConfig:
    """What histories name as the code that ran, and, where the deployment has a name, which code a run goes on with.
    Without a build id the SDK would hash every loaded module at the first start: a second of CPU."""
    build = settings.build_id or metadata.version("guidesmith")
    return WorkerDeploymentConfig(
        version=WorkerDeploymentVersion(deployment_name=settings.deployment_name or DEPLOYMENT, build_id=build),
        use_worker_versioning=settings.deployment_name is not None,
        default_versioning_behavior=LASTING if settings.deployment_name is not None else VersioningBehavior.UNSPECIFIED,
    )


def sandbox() -> SandboxedWorkflowRunner:
    return SandboxedWorkflowRunner(restrictions=SandboxRestrictions.default.with_passthrough_modules(*PASSED_THROUGH))


def build_workers(
    client: Client,
    settings: Settings,
    queues: Sequence[str],
    activities: Sequence[object],
    workflows: Sequence[type] = WORKFLOWS,
) -> list[Worker]:
    """One worker a queue, each with a thread for every slot: a sync activity never waits for a thread."""
    say_version(settings.deployment_name is not None)
    return [
        Worker(
            client,
            task_queue=settings.queue(queue),
            workflows=list(workflows) if queue == "jobs" else [],
            activities=list(activities),  # type: ignore[arg-type]
            activity_executor=ThreadPoolExecutor(settings.slots(queue), thread_name_prefix=f"{queue}-stage"),
            max_concurrent_activities=settings.slots(queue),
            workflow_runner=sandbox(),
            sticky_queue_schedule_to_start_timeout=timedelta(seconds=STICKY_S),
            interceptors=[ErrorInterceptor()],
            deployment_config=deployment(settings),
            graceful_shutdown_timeout=timedelta(seconds=settings.graceful_shutdown_s),
            max_heartbeat_throttle_interval=timedelta(seconds=beat_interval(settings.heartbeat_timeout_s)),
            default_heartbeat_throttle_interval=timedelta(seconds=beat_interval(settings.heartbeat_timeout_s)),
        )
        for queue in queues
    ]


def keeping(settings: Settings) -> Keeping:
    """How long what is kept, in seconds."""

    def in_seconds(days: Mapping[str, int]) -> dict[str, float]:
        return {kind: each * DAY_S for kind, each in days.items()}

    recordings = settings.recording_retention_days
    return Keeping(
        log_s=settings.webhook_retention_days * DAY_S,
        recordings_s=None if recordings is None else recordings * DAY_S,
        jobs_s=in_seconds(read_keeping(settings.job_retention)),
        projects_s={
            project: in_seconds(kept) for project, kept in read_project_keeping(settings.project_retention).items()
        },
    )


def all_activities(settings: Settings, store: Store, client: Client) -> list[object]:
    """Every activity, ready to register. A queue only brings the tasks that were sent to it."""
    artifacts = open_artifacts(settings)
    stages, tasks = build_activities(settings, store, artifacts)
    mirror, outside = Mirror(store), Outside(store)
    taker = ScreenshotTaker(store, artifacts)
    translations = translating(settings, store, artifacts)
    post = webhook_sender(settings, store)
    images = image_stages(settings, store, artifacts)
    parts = generation_parts(settings, store, artifacts)
    generations, generation_control = GenerationStages(parts), GenerationControl(parts)
    batches, batch_control = batch_stages(settings, store, artifacts), BatchControl(store)
    analysing = analysis_parts(settings, store, artifacts)
    planning, analyses = AnalysisPlanning(analysing), AnalysisStages(analysing)
    reading = screen_reading(settings, store, artifacts)
    reconciler = Reconciler(store, client, run_options(settings), kind_terms(settings))
    sweeper = Sweeper(store, artifacts, longest_s=settings.upload_url_ttl_s, keeping=keeping(settings))
    orphans = OrphanSweeper(store, artifacts)
    eraser = Eraser(store, artifacts, client)
    return [
        stages.extract_audio,
        stages.transcribe,
        stages.transcribe_piece,
        stages.join_transcript,
        reading.read,
        stages.draft,
        stages.illustrate,
        stages.adopt_audio,
        stages.adopt_transcript,
        stages.adopt_draft,
        images.moderate,
        images.paint,
        generations.make,
        generations.submit,
        generations.ask,
        generations.collect,
        generation_control.plan,
        generation_control.hear,
        generation_control.note_retry,
        generation_control.call_off,
        batches.cut_clip,
        batches.take_thumbnails,
        batches.write_captions,
        batch_control.plan,
        batch_control.give_up,
        batch_control.close,
        planning.read_inputs,
        planning.draft_plan,
        planning.fail,
        analyses.compute,
        post.deliver,
        post.give_up,
        outside.enter,
        outside.look,
        tasks.publish,
        tasks.fail_export,
        tasks.rewrite,
        tasks.fail_regenerate,
        translations.translate,
        translations.fail_translation,
        taker.take,
        taker.fail_screenshot,
        mirror.claim,
        mirror.move,
        mirror.mirrored_state,
        reconciler.reconcile,
        sweeper.sweep,
        orphans.sweep,
        eraser.end_runs,
        eraser.erase_rows,
        eraser.erase_files,
        eraser.forget_runs,
        eraser.erase_jobs_of_user,
        eraser.erase_rest_of_user,
        eraser.erase_jobs_of_project,
        eraser.erase_rest_of_project,
        eraser.erase_recording,
    ]


async def _recognised(store: Store, client: Client) -> None:
    """Note which namespace the jobs run in, before the first does. What does not answer now is asked every minute."""
    try:
        await recognise_namespace(store, client)
    except (RPCError, GuidesmithError) as absent:
        log.warning("engine.unrecognised", reason=type(absent).__name__)


def _leave() -> None:
    log.warning("worker.left")
    os._exit(0)


async def run_worker(settings: Settings, queues: Sequence[str] = QUEUES) -> None:
    """Work until SIGTERM or SIGINT; then finish what is short, hand the rest over, and leave.

    Raises:
        SettingsInvalid: An unknown queue, or settings that contradict each other.
        ExtraMissing: What its stages need is not installed.
    """
    settings.check_queues(queues)
    extras.require(queues, settings)
    return_memory_early()
    traces.start_tracing("guidesmith-worker")
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    with HealthServer(settings) as health:
        client = await connect_patiently(health.runtime)
        store = open_store(settings)
        traces.watch(store.engine)
        health.watch(store)
        try:
            if "jobs" in queues:
                await _recognised(store, client)
                for kept, every in SCHEDULES.items():
                    await ensure_schedule(client, settings.queue("jobs"), kept, every)
                await drop_schedule(client, settings.queue("jobs"), reconciler.NAME)
            async with AsyncExitStack() as running:
                for worker in build_workers(client, settings, queues, all_activities(settings, store, client)):
                    await running.enter_async_context(worker)
                if "jobs" in queues:
                    await running.enter_async_context(beside(relay(settings, store, client).run(), "relay"))
                    watch = Reconciler(store, client, run_options(settings), kind_terms(settings))
                    await running.enter_async_context(beside(Rounds(store, watch).run(), "reconciler"))
                    indexing = Rounds(store, Indexer(store, open_artifacts(settings)), INDEXER, every_s=INDEXED_EVERY_S)
                    await running.enter_async_context(beside(indexing.run(), INDEXER))
                health.ready = True
                log.info("worker.started", queues=list(queues))
                await stop.wait()
                health.ready = False
                log.info("worker.stopping", graceful_shutdown_s=settings.graceful_shutdown_s)
                loop.call_later(settings.graceful_shutdown_s + LEAVES_AFTER_S, _leave)
        finally:
            store.dispose()
