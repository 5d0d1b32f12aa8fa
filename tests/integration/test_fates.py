"""What becomes of each job whose run does not end by itself: every kind, in every status, when it is cancelled,
terminated, reset or signalled from outside, and when Temporal has lost it.

No worker runs in the first part: a row is brought where it is by the writes that its run would make. In the second part
one worker holds the stages of every kind, heartbeating, as long work would.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from structlog.testing import capture_logs
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import ResetReapplyType
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest, ResetWorkflowExecutionRequest
from temporalio.client import Client, WorkflowExecutionStatus, WorkflowFailureError
from temporalio.common import WorkflowIDReusePolicy
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.exceptions import CancelledError
from temporalio.service import RPCError
from temporalio.testing import ActivityEnvironment
from typer.testing import CliRunner

from activities.rails.contracts import CarriedState, JobStart
from activities.rails.dispatching import begin_run
from activities.rails.namespaces import match_of, recognise_namespace
from activities.store import JobRequest, Store
from activities.store.repository import utc_now
from activities.store.tables import exports, regenerate_tasks
from activities.upkeep.reconciling import Reconciled, Reconciler
from domain.credits import PostingKind
from domain.documents.publication import ExportFormat
from domain.documents.versions import InstructionVersion
from domain.engine import NamespaceMatch
from domain.errors import RetryNotAllowed
from domain.jobs import Actor, Job
from domain.library import AssetMedium, NewAsset
from domain.lifecycles.batch import BatchType
from domain.lifecycles.fence import Fence
from domain.lifecycles.instruction import DRAFT_READY, EDITING, EXPORTING, REGENERATING
from domain.lifecycles.kinds import GIVEN_UP, LIFECYCLES, STARTS, WORKING_ON, lifecycle_of
from domain.lifecycles.lifecycle import Trigger
from domain.orders.batch import BatchOrder
from domain.webhooks import WebhookEvent
from starter import doctor
from starter.cli.app import app
from starter.doctor import Finding, _examined, _temporal
from starter.local.folder import DataFolder
from starter.sandbox import Behaviour, RunningSandbox
from starter.services.documents import RegenerateRequest
from starter.wiring import kind_terms, run_options
from starter.work.worker import all_activities
from tests.integration.store_builders import Run, blob, drafted_job, instruction_of
from tests.stack import OWNER, ROOT, Stack, running_stack, wait_until
from tests.temporal import TemporalServer, running_temporal
from tests.workers import serving

pytest_plugins = ("tests.sandbox",)

pytestmark = pytest.mark.timeout(300)  # waits one after the other, of which each may take a slow machine its time

PRICE = 4
BEGINS = {"instruction": "UPLOADED", **STARTS}
"""The status in which a kind's run is started."""

HELD_S = 6.0
"""How long a worker that holds its work may give no sign of life, as one that a slow machine lets wait: it does not die
here. Cancels come with a sign of life, each fifth of this."""

WITH_A_RUN = [(kind, str(status)) for kind, works in WORKING_ON.items() for status in works]
WITHOUT = [
    (kind, str(each)) for kind, table in LIFECYCLES.items() for each in table.active if (kind, each) not in WITH_A_RUN
]


@pytest.fixture(scope="module")
def stack(
    temporal: TemporalServer, sandbox_server: RunningSandbox, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("fates")
    judge = sandbox_server.base_url
    sandbox_server.script("moderations", Behaviour(status=503, retry_after=600, times=100))
    settings = {"live_status": True, "moderation_base_url": judge, "heartbeat_timeout_s": HELD_S}
    with running_stack(folder, temporal, deadly=True, **settings) as running:
        running.store.grant(OWNER, 10_000, reason="test", actor="test", idempotency_key="fates")
        yield running
    sandbox_server.reset()


def new_job(stack: Stack, kind: str, made: str = "copy") -> Job:
    """A job in its kind's first status; a batch of two items; a generation of what is ``made``."""
    cost = PRICE if kind in ("image", "generation") else None
    if kind == "batch":
        order = BatchOrder(job_type=BatchType.CAPTIONS, sources=("a", "b"))
        return stack.store.request_job(JobRequest(owner=OWNER, kind=kind, input=order.model_dump(mode="json")))[0]
    if kind in ("image", "generation"):
        words = {"type": made, "prompt": "x"} if kind == "generation" else {"prompt": "x", "params": {}}
        return stack.store.request_job(JobRequest(owner=OWNER, kind=kind, input=words, cost=cost))[0]
    project = stack.store.create_project(OWNER, kind, {"audio": "external"} if kind == "instruction" else None)
    return stack.store.create_job(OWNER, project.id, kind=kind)


def walked(stack: Stack, job: Job, target: str, fence: Callable[[int], Fence | None] = lambda _: None) -> Job:
    """The job, brought to ``target`` as its table has it."""
    lifecycle = lifecycle_of(job.kind)
    for number, status in enumerate(_way(job, target), start=1):
        here = lifecycle.status(stack.job(job).status)
        trigger = next(each for each in Trigger if lifecycle.may(here, status, each))
        stack.store.move(job.id, fence(number), str(status), trigger=trigger, actor=Actor.SYSTEM)
    return stack.job(job)


def _way(job: Job, target: str) -> list[str]:
    """The shortest way, whoever makes the moves."""
    lifecycle = lifecycle_of(job.kind)
    ways: dict[str, list[str]] = {job.status: []}
    frontier = [job.status]
    for here in frontier:
        for row in lifecycle.transitions:
            if row.source == here and row.action is None and str(row.target) not in ways:
                ways[str(row.target)] = [*ways[here], str(row.target)]
                frontier.append(str(row.target))
    return ways[target]


def started(stack: Stack, job: Job, **start: object) -> str:
    """The run of a job, which the database does not know of yet; its id."""
    begun = JobStart(
        job_id=job.id,
        kind=job.kind,
        attempt=1,
        resume_from=job.status,
        correlation_id="fates",
        options=run_options(stack.settings),
        terms={**kind_terms(stack.settings).get(job.kind, {}), "moderated": False},
    ).model_copy(update=start)
    handle = stack.loop.run(begin_run(stack.client, job, begun, WorkflowIDReusePolicy.ALLOW_DUPLICATE))
    return handle.first_execution_run_id or ""


def placed(stack: Stack, kind: str, status: str) -> Job:
    """A job that a run, which nobody works on, has brought to ``status``."""
    job = walked(stack, new_job(stack, kind), str(BEGINS[kind]))
    run = started(stack, job)
    if status == job.status:
        stack.store.record_dispatch(job.id, attempt=1, dispatch_id=run, trigger=Trigger.API, actor=Actor.EDITOR)
        return stack.job(job)
    return walked(stack, job, status, lambda seq: Fence(attempt=1, dispatch_id=run, seq=seq))


def reconcile(stack: Stack, store: Store | None = None, client: Client | None = None) -> Reconciled:
    settings = stack.settings
    reconciler = Reconciler(store or stack.store, client or stack.client, run_options(settings), kind_terms(settings))

    async def once() -> Reconciled:
        return await ActivityEnvironment().run(reconciler.reconcile)

    return stack.loop.run(once(), 120)


def reset(stack: Stack, job: Job, run_id: str = "") -> None:
    """To the first step, as an operator does in the UI; what was signalled is signalled again. ``run_id``: of which
    attempt, where it is not the current one."""
    run_id = run_id or stack.store.get_job(job.id).dispatch_id or ""
    events = stack.history(job.id, run_id).events
    step = next(each.event_id for each in events if each.HasField("workflow_task_completed_event_attributes"))
    request = ResetWorkflowExecutionRequest(
        namespace=stack.client.namespace,
        workflow_execution=WorkflowExecution(workflow_id=job.id, run_id=run_id),
        reason="test",
        workflow_task_finish_event_id=step,
        request_id=f"reset-{job.id}",
        reset_reapply_type=ResetReapplyType.RESET_REAPPLY_TYPE_SIGNAL,
    )
    stack.loop.run(stack.client.workflow_service.reset_workflow_execution(request))


def forgotten(stack: Stack, job: Job) -> None:
    """Its history is gone, as where its retention has passed."""
    named = WorkflowExecution(workflow_id=job.id)
    request = DeleteWorkflowExecutionRequest(namespace=stack.client.namespace, workflow_execution=named)
    stack.loop.run(stack.client.workflow_service.delete_workflow_execution(request))


def fate(kind: str, settled: int = 0) -> str:
    """Where a job ends whose run was lost: a batch by what there is."""
    return "partial" if kind == "batch" and settled else str(GIVEN_UP[kind])


# --- nobody works on it ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["terminated", "lost"])
def test_given_a_run_that_is_gone_in_each_status_when_reconciled_then_its_job_ends_along_its_table(
    stack: Stack, how: str
) -> None:
    assert stack.loop.run(recognise_namespace(stack.store, stack.client))
    untouched = [walked(stack, new_job(stack, kind), status) for kind, status in WITHOUT]
    jobs = {(kind, status): placed(stack, kind, status) for kind, status in WITH_A_RUN}
    reconcile(stack)
    assert {each: stack.job(job).status for each, job in jobs.items()} == {each: each[1] for each in jobs}, "alive"
    half = jobs["batch", "processing"]
    fence = Fence(attempt=1, dispatch_id=half.dispatch_id or "", seq=1)
    made = NewAsset(ordinal=1, medium=AssetMedium.DOCUMENT, blob=blob(half.id), facts={"name": "captions.srt"})
    stack.store.finish_item(half.id, fence, 1, 2, [made])
    for job in jobs.values():
        if how == "terminated":
            stack.loop.run(stack.client.get_workflow_handle(job.id).terminate())
        else:
            forgotten(stack, job)
    if how == "lost":
        wait_until(lambda: all(_is_unknown(stack, job) for job in jobs.values()), 60, "Temporal to forget them")

    reconcile(stack)

    ended = {each: stack.job(job) for each, job in jobs.items()}
    assert {each: job.status for each, job in ended.items()} == {
        (kind, status): fate(kind, settled=status == "processing") for kind, status in jobs
    }
    for (kind, status), job in ended.items():
        assert job.failure is not None and job.failure.failure_code == "WORKFLOW_LOST"
        assert job.failure.failed_stage == WORKING_ON[kind][lifecycle_of(kind).status(status)]
        assert ("no history" in job.failure.failure_message) == (how == "lost")
    assert [stack.job(job).status for job in untouched] == [job.status for job in untouched], "they never had a run"
    books = stack.store.audit_credits()
    assert books.balanced, books.findings
    assert stack.store.settled_items(half.id).done == 1 and stack.store.assets_of_job(half.id).items
    assert reconcile(stack).repaired == 0, "what is settled stays"


def _is_unknown(stack: Stack, job: Job) -> bool:
    asked = Reconciler(stack.store, stack.client, run_options(stack.settings))._workflow_status(job.id)
    return stack.loop.run(asked) is None


def test_given_a_request_that_is_refused_when_the_run_is_gone_then_nothing_changes(stack: Stack) -> None:
    for kind, status in (("image", "running"), ("generation", "processing"), ("batch", "processing")):
        job = placed(stack, kind, status)
        stack.loop.run(stack.client.get_workflow_handle(job.id).terminate())
        with pytest.raises(RetryNotAllowed):
            stack.loop.run(stack.jobs.retry(OWNER, job.id, model_profile=None, client_request_id="x"))
        assert stack.job(job) == job
    reconcile(stack)


# --- a whole Temporal that is gone, and another that is none of ours -------------------------------------------------


def test_given_a_lost_temporal_when_reconciled_then_all_is_settled_and_a_foreign_one_settles_nothing(
    temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "TIMEOUT_S", 60.0)  # no server of these is away
    with running_temporal(tmp_path) as own, running_stack(tmp_path / "stack", own) as stack:
        assert stack.loop.run(recognise_namespace(stack.store, stack.client))
        stack.store.create_endpoint(OWNER, "https://example.org/hook", (WebhookEvent.JOB_STATUS_CHANGED,))
        drafted, _ = drafted_job(stack.store, OWNER)
        version = stack.store.get_instruction(OWNER, instruction_of(drafted))
        stack.store.grant(OWNER, 100, reason="test", actor="test", idempotency_key="x")
        image = placed(stack, "image", "running")
        export, _ = stack.store.request_export(OWNER, drafted.id, ExportFormat.HTML, version.id)
        stack.store.begin_export(export.id)
        block = {"block_id": version.evidence[0]["block_id"]}
        task, _ = stack.store.create_regenerate(
            OWNER, version.instruction_id, base_version=1, selection=block, client_request_id="x", requested_by=OWNER
        )
        stack.store.begin_regenerate(task.id)
        waiting = stack.store.waiting_deliveries()
        stack.store.mark_handed_over(waiting)
        assert waiting

        foreign = stack.loop.run(Client.connect(temporal.address, data_converter=pydantic_data_converter))
        later = Store.open(stack.settings.database, clock=lambda: utc_now() + timedelta(minutes=2))
        with capture_logs() as logs:
            assert reconcile(stack, later, foreign).repaired == 0
        assert "engine.foreign" in [each["event"] for each in logs]
        assert stack.job(image) == image and stack.store.get_export(export.id).status == "RUNNING"
        monkeypatch.setenv("TEMPORAL_ADDRESS", own.address)
        assert examined(stack).ok
        monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
        asked = examined(stack)
        assert not asked.ok and f"is not the jobs' own, which is default at {own.address}" in asked.found, asked
        assert "guidesmith db adopt-namespace" in asked.mend

        (first,) = stack.store.own_namespaces()
        own.kill()
        for left in tmp_path.glob("temporal.db*"):
            left.unlink()
        own.start()
        wait_until(lambda: _answers(stack), 30, "the new server")
        assert stack.loop.run(match_of(stack.store, stack.client)) is NamespaceMatch.MADE_ANEW
        with capture_logs() as logs:
            reconcile(stack, later)
        assert {"engine.made_anew", "job.reconciled", "task.reconciled", "webhook.taken_up_again"} <= {
            each["event"] for each in logs
        }
        assert stack.job(image).status == "dead_letter" and stack.job(drafted).status == "FAILED"
        lost = stack.store.get_export(export.id)
        assert (lost.status, lost.failure and lost.failure.failed_stage) == ("FAILED", "export")
        assert stack.store.get_regenerate(task.id).status == "FAILED", "another can be asked for"
        again = {each.delivery_id: each.round for each in stack.store.waiting_deliveries()}
        assert {again[each.delivery_id] for each in waiting} == {2}
        kinds = {str(each.kind) for each in stack.store.credit_entries(OWNER, 100).items}
        assert PostingKind.RELEASE in kinds and stack.store.audit_credits().balanced
        later.dispose()

        monkeypatch.setenv("TEMPORAL_ADDRESS", own.address)
        told = examined(stack)
        assert told.ok and f"made anew: the histories of {first.id[:8]} are gone" in told.found, told
        assert "2 jobs were ended since their runs were lost" in told.found
        monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
        adopted = CliRunner().invoke(
            app, ["db", "adopt-namespace", "--data-dir", str(stack.settings.data_dir)], catch_exceptions=False
        )
        assert adopted.output.startswith("The jobs run in the namespace default at ")
        assert temporal.address in adopted.output.replace("\n", " ")
        assert examined(stack).ok, "Temporal was moved there, and somebody has said so"
        assert stack.loop.run(match_of(stack.store, foreign)) is NamespaceMatch.OWN
        assert stack.loop.run(match_of(stack.store, stack.client)) is NamespaceMatch.FOREIGN


def examined(stack: Stack) -> Finding:
    """What `guidesmith doctor` says of the Temporal that the environment names."""
    return stack.loop.run(_examined("Temporal", lambda: _temporal(DataFolder(stack.settings.data_dir), stack.settings)))


def _answers(stack: Stack) -> bool:
    with suppress(RPCError, RuntimeError, TimeoutError):
        return stack.loop.run(match_of(stack.store, stack.client), 10) is not None
    return False


# --- somebody works on it --------------------------------------------------------------------------------------------

HELD = [
    ("instruction", "AUDIO_EXTRACTING"),
    ("instruction", "TRANSCRIBING"),
    ("instruction", "GENERATING"),
    ("instruction", "DRAFT_READY"),
    ("instruction", "EDITING"),
    ("instruction", "REGENERATING"),
    ("instruction", "EXPORTING"),
    ("image", "running"),
    ("image", "failed"),
    ("generation", "processing"),
    ("analysis", "running"),
    ("batch", "processing"),
]
BEFORE = {"TRANSCRIBING": "AUDIO_READY", "GENERATING": "TRANSCRIPT_READY"}
"""The checkpoint at which a run starts that comes to this status next."""

STOPPED = {"instruction": "CANCELLED", "generation": "canceled", "batch": "failed"}
"""Where a job ends that its owner stops, of the kinds whose owner may."""

GOES_ON = "goes on"

FATES = {
    "cancel": {kind: STOPPED.get(kind, str(GIVEN_UP[kind])) for kind in LIFECYCLES},
    "terminate": {kind: str(GIVEN_UP[kind]) for kind in LIFECYCLES},
    "signal": {kind: STOPPED.get(kind, GOES_ON) for kind in LIFECYCLES},
    "reset": dict.fromkeys(LIFECYCLES, GOES_ON),
}
"""What an operator does in Temporal's UI, and what becomes of a job of each kind."""


def becomes(how: str, kind: str, status: str) -> str:
    """A picture that waits for its next try has an execution behind it that failed: a reset cannot repeat that, the run
    is refused, and the job ends as one whose run was lost."""
    return str(GIVEN_UP[kind]) if (how, status) == ("reset", "failed") else FATES[how][kind]


def held(stack: Stack, kind: str, status: str) -> Job:
    """A job whose run works in ``status``, and stays there."""
    job = walked(stack, new_job(stack, kind), str(BEGINS[kind]))
    if status in (REGENERATING, EXPORTING):
        return asked(stack, job, status)
    if status == "failed":  # its prompt could not be judged, and is not for ten minutes
        started(stack, job, terms={"max_retries": 3, "moderated": True})
        return job
    drafted = status in (DRAFT_READY, EDITING)
    if (checkpoint := DRAFT_READY if drafted else BEFORE.get(status)) is not None:
        job = walked(stack, job, checkpoint)
    run = started(stack, job, external=("audio",) if status == "AUDIO_EXTRACTING" else ())
    if drafted:
        stack.store.record_dispatch(job.id, attempt=1, dispatch_id=run, trigger=Trigger.API, actor=Actor.EDITOR)
    if status == EDITING:
        stack.loop.run(stack.client.get_workflow_handle(job.id).signal("edit"))
    return job


def opened(stack: Stack, job: Job) -> InstructionVersion:
    """The draft of a job whose run waits for what people do with it."""
    carried = CarriedState(status=DRAFT_READY, seq=6, touched=False, exported=False)
    dispatch_id = started(stack, job, resume_from=DRAFT_READY, carried=carried)
    run = Run(stack.store, job.id, dispatch_id=dispatch_id).dispatched()
    run.extract_audio().transcribe().write_draft()
    return stack.store.get_instruction(OWNER, instruction_of(stack.job(job)))


def asked(stack: Stack, job: Job, status: str) -> Job:
    """A job with a draft, of which a part is written again or which is published."""
    version = opened(stack, job)
    if status == EXPORTING:
        stack.loop.run(stack.documents.export(OWNER, job.id, ExportFormat.HTML, version.id))
    else:
        selection = {"block_id": version.evidence[0]["block_id"]}
        request = RegenerateRequest(base_version=1, selection=selection, client_request_id="x")
        stack.loop.run(stack.documents.regenerate(OWNER, version.instruction_id, request))
    return job


HOLD = "running,processing,TRANSCRIBING,GENERATING,REGENERATING,EXPORTING"


@pytest.mark.parametrize("how", ["cancel", "signal"])
def test_given_a_job_that_nobody_works_on_yet_when_an_operator_acts_then_it_becomes_what_the_table_says(
    stack: Stack, tmp_path: Path, how: str
) -> None:
    jobs = {kind: placed(stack, kind, str(begins)) for kind, begins in BEGINS.items()}
    for job in jobs.values():
        handle = stack.client.get_workflow_handle(job.id)
        stack.loop.run(handle.cancel() if how == "cancel" else handle.signal("cancel"))
    (tmp_path / "held").touch()
    try:
        stack.start_worker(HOLD=HOLD, HOLD_FILE=str(tmp_path / "held"), HOLD_AGAIN="1")
        for kind, job in jobs.items():
            if FATES[how][kind] == GOES_ON:
                stack.wait_for(job, "running")
                stack.loop.run(stack.client.get_workflow_handle(job.id).terminate())
            else:
                stack.wait_for(job, FATES[how][kind])
    finally:
        stack.kill_worker()
    reconcile(stack)
    assert stack.store.audit_credits().balanced


NOT_BEGUN = [
    ("instruction", "UPLOADED"),
    ("instruction", "AUDIO_READY"),
    ("instruction", "TRANSCRIPT_READY"),
    ("image", "queued"),
    ("generation", "pending"),
    ("generation", "queued"),
    ("analysis", "queued"),
]
"""Where a job is whose next stage no worker has taken up. A batch of captions needs no other worker than its run's."""


def not_begun(stack: Stack, kind: str, status: str) -> Job:
    """A job whose run waits in ``status`` for a worker of its stage."""
    job = walked(stack, new_job(stack, kind, made="static_ad" if status == "queued" else "copy"), str(BEGINS[kind]))
    if kind == "instruction":
        job = walked(stack, job, status)
    run = started(stack, job)
    if job.status == status:
        stack.store.record_dispatch(job.id, attempt=1, dispatch_id=run, trigger=Trigger.API, actor=Actor.EDITOR)
    return job


@pytest.mark.parametrize("how", FATES)
def test_given_a_stage_that_no_worker_has_begun_when_an_operator_acts_then_job_and_run_become_what_the_table_says(
    stack: Stack, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    jobs = {(kind, status): not_begun(stack, kind, status) for kind, status in NOT_BEGUN}
    activities = all_activities(stack.settings, stack.store, stack.client)
    with serving(stack.temporal.address, stack.settings, ["jobs"], activities):
        for (kind, status), job in jobs.items():
            wait_until(lambda job=job: stack.scheduled(job), 30, f"a stage of {kind}")  # type: ignore[misc]
            assert stack.job(job).status == status
            act(stack, job, how)
        for (kind, status), job in jobs.items():
            handle = stack.client.get_workflow_handle(job.id)
            if (expected := FATES[how][kind]) == GOES_ON:
                wait_until(lambda job=job: stack.scheduled(job), 30, f"a stage of {kind}")  # type: ignore[misc]
                described = stack.loop.run(handle.describe())
                assert (described.status, stack.job(job).status) == (WorkflowExecutionStatus.RUNNING, status), kind
                if how == "signal":  # has no answer: why nothing came of it is said in the UI, and in the log
                    wait_until(lambda job=job: "was refused. The job is " in _details(stack, job), 30, "why")  # type: ignore[misc]
                    denied = [each for each in caplog.records if each.message.startswith("job.transition_denied")]
                    assert {each.levelname for each in denied if job.id in each.message} == {"WARNING"}, kind
                stack.loop.run(handle.terminate())
                continue
            until_ended(stack, job)
            assert stack.job(job).status == expected, (kind, status)
            if how == "cancel":
                with pytest.raises(WorkflowFailureError) as ended:
                    stack.loop.run(handle.result())
                assert isinstance(ended.value.cause, CancelledError), kind
    reconcile(stack)
    assert stack.store.audit_credits().balanced


def act(stack: Stack, job: Job, how: str) -> None:
    """What an operator does to a job's run."""
    handle = stack.client.get_workflow_handle(job.id)
    if how == "cancel":
        stack.loop.run(handle.cancel())
    elif how == "terminate":
        stack.loop.run(handle.terminate())
    elif how == "signal":
        stack.loop.run(handle.signal("cancel"))
    else:
        reset(stack, job)


def until_ended(stack: Stack, job: Job) -> None:
    def ended() -> bool:
        reconcile(stack)
        return stack.job(job).completed_at is not None

    wait_until(ended, 60, f"the end of {job!r}")


def closed_as(stack: Stack, job: Job) -> WorkflowExecutionStatus | None:
    """How its run ended, which it does after the job: the row is written by the run's last activity."""

    def closed() -> WorkflowExecutionStatus | None:
        found = stack.loop.run(stack.client.get_workflow_handle(job.id).describe()).status
        return None if found is WorkflowExecutionStatus.RUNNING else found

    return wait_until(closed, 60, f"the end of the run of {job!r}")


@pytest.fixture(scope="module")
def holding(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    hold = tmp_path_factory.mktemp("hold") / "held"
    hold.touch()
    stack.start_worker(
        HOLD=HOLD, HOLD_FILE=str(hold), HOLD_AGAIN="1", GUIDESMITH_MEDIA_SLOTS="8"
    )  # exports outlive their job
    yield stack
    stack.kill_worker()


@pytest.mark.parametrize("how", FATES)
def test_given_a_job_that_is_worked_on_when_an_operator_acts_then_it_becomes_what_the_table_says(
    holding: Stack, how: str
) -> None:
    stack = holding
    jobs = {(kind, status): held(stack, kind, status) for kind, status in HELD}
    for (_, status), job in jobs.items():
        stack.wait_for(job, status)
        wait_until(lambda job=job: stack.job(job).dispatch_id, 30, "its run to be known")  # type: ignore[misc]
    for job in jobs.values():
        act(stack, job, how)

    for (kind, status), job in jobs.items():
        expected = becomes(how, kind, status)
        if expected == GOES_ON:
            continue
        until_ended(stack, job)
        assert stack.job(job).status == expected, (kind, status)
        assert (stack.job(job).failure is None) == (expected in ("CANCELLED", "canceled"))
        if (how, expected) == ("cancel", "CANCELLED"):
            assert closed_as(stack, job) is WorkflowExecutionStatus.CANCELED, status
    for (kind, status), job in jobs.items():
        if becomes(how, kind, status) == GOES_ON:
            description = stack.loop.run(stack.client.get_workflow_handle(job.id).describe())
            assert (description.status, stack.job(job).status) == (WorkflowExecutionStatus.RUNNING, status), kind
            stack.loop.run(stack.client.get_workflow_handle(job.id).terminate())
    reconcile(stack)
    assert stack.store.audit_credits().balanced


def test_given_a_later_attempt_when_the_run_of_an_earlier_one_is_reset_then_the_job_fails_and_can_be_retried(
    holding: Stack,
) -> None:
    stack = holding
    job = held(stack, "instruction", "DRAFT_READY")
    wait_until(lambda: "DRAFT_READY" in _details(stack, job), 30, "the run to be there")
    first = stack.job(job).dispatch_id or ""
    stack.loop.run(stack.client.get_workflow_handle(job.id).terminate())
    reconcile(stack)
    again = stack.job(job)
    started(stack, again, attempt=2, action="retry", resume_from="UPLOADED", external=("audio",))
    stack.wait_for(job, "AUDIO_EXTRACTING")

    reset(stack, job, first)
    reconcile(stack)

    lost = stack.job(job)
    assert (lost.status, lost.attempt, lost.failure and lost.failure.failure_code) == ("FAILED", 2, "WORKFLOW_LOST")
    description = stack.loop.run(stack.client.get_workflow_handle(job.id).describe())
    assert description.status is WorkflowExecutionStatus.TERMINATED, "it does not stand in the way of a retry"


def _details(stack: Stack, job: Job) -> str:
    """What its run says of itself; nothing, while no worker has time to tell."""
    with suppress(RPCError):
        return str(stack.loop.run(stack.client.get_workflow_handle(job.id).query("__temporal_workflow_metadata")))
    return ""


def test_given_jobs_at_work_when_operators_ask_temporal_for_a_status_then_it_counts_what_the_database_does(
    holding: Stack,
) -> None:
    stack = holding
    jobs = [(status, held(stack, kind, status)) for kind, status in HELD]
    for status, job in jobs:
        stack.wait_for(job, status)

    def found() -> dict[tuple[str, str], set[str]]:
        return {(kind, status): _found(stack, kind, status) for kind, status in HELD}

    def kept() -> dict[tuple[str, str], set[str]]:
        return {(kind, status): _kept(stack, kind, status) for kind, status in HELD}

    wait_until(lambda: found() == kept(), 30, "the visibility store to have caught up")
    assert all(job.id in found()[job.kind, status] for status, job in jobs)
    under_way = {what: query for what, query in recommended().items() if "ExecutionStatus" in query}
    assert len(under_way) == 4

    def counted() -> dict[str, set[str]]:
        return {what: _listed(stack, query) for what, query in under_way.items()}

    wait_until(lambda: counted() == _under_way(stack), 30, f"{counted()} to be {_under_way(stack)}")
    assert all(counted().values())
    (analysed,) = (job for _, job in jobs if job.kind == "analysis")
    act(stack, analysed, "cancel")
    until_ended(stack, analysed)
    failure = stack.job(analysed).failure
    assert failure is not None
    by_reason = recommended()["runs that ended for a reason"].replace("MEDIA_TRUNCATED", failure.failure_code)
    wait_until(lambda: analysed.id in _listed(stack, by_reason), 30, "the run that ended for that reason")
    for _, job in jobs:
        if job == analysed:
            continue
        stack.loop.run(stack.client.get_workflow_handle(job.id).terminate())
    reconcile(stack)
    wait_until(lambda: found() == kept(), 30, "nothing to be at work")
    assert not any(found().values())


def recommended() -> dict[str, str]:
    """What operators are told to ask Temporal, out of the page that tells it."""
    page = (ROOT / "docs" / "operations" / "temporal.md").read_text(encoding="utf-8")
    table = page.partition("| what | query |\n")[2].partition("\n\n")[0]
    found = re.findall(r"^\| ([^|`]+) \| `([^`]+)` \|$", table, re.MULTILINE)
    return {what: query.replace('"alice"', f'"{OWNER}"') for what, query in found}


def _under_way(stack: Stack) -> dict[str, set[str]]:
    """The same of the database: jobs by their ids, tasks by their runs'."""
    active = [job for job in stack.store.active_jobs(limit=1000) if job.dispatch_id is not None]
    with stack.store._database.read() as connection:  # those whose job has ended go on, too
        going_on = {
            name: {
                f"{name}-{each}"
                for each in connection.scalars(select(table.c.id).where(table.c.status.in_(["PENDING", "RUNNING"])))
            }
            for name, table in (("regenerate", regenerate_tasks), ("export", exports))
        }

    def of(status: str) -> set[str]:
        return {job.id for job in active if job.status == status}

    return {
        "what is transcribed now": of("TRANSCRIBING"),
        "drafts that wait for somebody": of("DRAFT_READY"),
        "a user's work under way": {job.id for job in active} | going_on["regenerate"] | going_on["export"],
        "exports under way": going_on["export"],
    }


def _found(stack: Stack, kind: str, status: str) -> set[str]:
    return _listed(
        stack, f"GuidesmithKind = '{kind}' AND GuidesmithStatus = '{status}' AND ExecutionStatus = 'Running'"
    )


def _listed(stack: Stack, query: str) -> set[str]:
    queue = stack.settings.queue("jobs")

    async def listed() -> set[str]:
        return {each.id async for each in stack.client.list_workflows(f"{query} AND TaskQueue = '{queue}'")}

    return stack.loop.run(listed())


def _kept(stack: Stack, kind: str, status: str) -> set[str]:
    return {each.id for each in stack.store.active_jobs(limit=1000) if (each.kind, each.status) == (kind, status)}
