"""Records the histories that the replay tests keep: ``python -m tests.replay.record``.

Run it once for a new kind of history; never to make a failing replay pass. A workflow change that breaks a stored
history breaks running jobs too: version it with ``workflow.patched``.
"""

import contextlib
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import select
from temporalio.client import WorkflowFailureError

from activities.rails.dispatching import Dispatcher
from activities.rails.signals import wake
from activities.store.repository import new_uuid7
from activities.store.tables import jobs
from domain.analyses.analysis import AnnouncedFile, NewAnalysis
from domain.artifacts import ArtifactKind
from domain.documents.document import parse
from domain.documents.publication import ExportFormat
from domain.documents.screenshots import Extraction
from domain.jobs import Actor, Job
from domain.lifecycles.batch import BatchType
from domain.lifecycles.callbacks import Callback
from domain.lifecycles.fence import Fence
from domain.lifecycles.instruction import InstructionStatus
from domain.lifecycles.lifecycle import Trigger
from domain.orders.batch import BatchOrder, Span
from domain.orders.generation import AdOrder, CopyOrder, GenerationOrder
from domain.orders.picture import PictureOrder
from domain.recordings.transcript import SpeechFound, Transcript
from domain.webhooks import Delivery, ProviderEvent, WebhookEvent
from starter.sandbox import Behaviour, Course, RunningSandbox, Verdict, running_sandbox
from starter.services.analyses import AnalysisService
from starter.services.batches import BatchRequests
from starter.services.documents import RegenerateRequest
from starter.services.erasing import ErasureService
from starter.services.kinds import KindService
from starter.services.screenshots import ScreenshotRequest, ScreenshotService
from starter.services.translations import TranslationService
from starter.wiring import generation_requests, image_requests, kind_terms, run_options
from tests.e2e.conftest import SAMPLE, repeated_sound
from tests.integration.store_builders import drafted_job
from tests.integration.test_webhooks_out import listening
from tests.stack import OWNER, ROOT, Stack, running_stack, wait_until
from tests.temporal import TemporalServer, running_temporal
from workflows.batch import ITEMS_A_RUN

HISTORIES = Path(__file__).parent / "histories"

NOTHING_SAID = Transcript(speech=SpeechFound.NO_SPEECH, duration_ms=1000, model="recorded")


def keep(stack: Stack, name: str, workflow_id: str, run_id: str | None = None) -> None:
    """Store a history under ``name``, unless one is kept already."""
    file = HISTORIES / f"{name}.json"
    if not file.exists():
        file.write_text(stack.history(workflow_id, run_id).to_json().replace(f"{ROOT}/", ""))


def completed(stack: Stack) -> None:
    job = stack.draft(SAMPLE)
    stack.export(job, ExportFormat.HTML)
    stack.wait_for(job, "DONE")
    keep(stack, "completed", job.id)


def cancelled(stack: Stack) -> None:
    job = stack.new_job(SAMPLE)
    stack.run(job)
    stack.wait_for(job, "AUDIO_EXTRACTING", "AUDIO_READY", "TRANSCRIBING")
    stack.loop.run(stack.kinds.cancel(OWNER, job.id))
    keep(stack, "cancelled", job.id)


def edited(stack: Stack) -> None:
    job = stack.draft(SAMPLE)
    instruction = job.instruction_id or ""
    draft = stack.store.get_instruction(OWNER, instruction)
    stack.loop.run(stack.documents.save(OWNER, instruction, 1, draft.markdown + "\nEdited.\n"))
    stack.wait_for(job, "EDITING")
    block = parse(draft.markdown).blocks[2].id
    task, _ = stack.loop.run(
        stack.documents.regenerate(OWNER, instruction, RegenerateRequest(2, {"block_id": block}, "recorded"))
    )
    wait_until(lambda: stack.store.get_regenerate(task.id).status == "SUCCEEDED", 30, "the regeneration")
    stack.wait_for(job, "EDITING")
    export = stack.export(job, ExportFormat.PDF)
    stack.wait_for(job, "DONE")
    keep(stack, "edited-regenerated-exported", job.id)
    keep(stack, "shown-before-begun", job.id)  # the same, since tasks wait until the job's status says so
    keep(stack, "regenerate", f"regenerate-{task.id}")
    keep(stack, "export", f"export-{export.id}")


def screenshot(stack: Stack) -> None:
    job = stack.draft(SAMPLE)
    version = stack.store.get_instruction(OWNER, job.instruction_id or "")
    wish = ScreenshotRequest(
        instruction_id=version.instruction_id,
        instruction_version_id=version.id,
        extraction=Extraction(timestamp_ms=1_000),
    )
    service = ScreenshotService(stack.store, stack.artifacts, stack.client, run_options(stack.settings))
    task, _ = stack.loop.run(service.extract(OWNER, job.id, wish))
    wait_until(lambda: stack.store.get_screenshot_task(task.id).status == "SUCCEEDED", 30, "the screenshot")
    keep(stack, "screenshot", f"screenshot-{task.id}")


def translated(folder: Path, temporal: TemporalServer) -> None:
    """A guide that is translated, and one that the model refuses to."""
    with (
        running_sandbox() as sandbox,
        running_stack(folder, temporal, llm_base_url=sandbox.base_url, llm_model="sandbox") as stack,
    ):
        stack.start_worker()
        source = drafted_job(stack.store, OWNER)[0].instruction_id or ""
        translations = TranslationService(stack.store, stack.documents, stack.artifacts, has_model=True)
        for name, language in (("translate", "de"), ("translate-failed", "fr")):
            task, _ = stack.loop.run(translations.translate(OWNER, source, language, name))
            with suppress(WorkflowFailureError):
                stack.loop.run(stack.client.get_workflow_handle(f"translate-{task.id}").result())
            keep(stack, name, f"translate-{task.id}")
            sandbox.script("chat", Behaviour(status=401, times=20))


def failed_and_retried(stack: Stack) -> None:
    job = stack.draft(SAMPLE)
    keep(stack, "failed", job.id)
    stack.loop.run(stack.jobs.retry(OWNER, job.id, model_profile="local", client_request_id="recorded"))
    stack.wait_for(job, "DRAFT_READY")
    stack.export(job, ExportFormat.HTML)
    stack.wait_for(job, "DONE")
    keep(stack, "retried", job.id)


def long(stack: Stack, folder: Path) -> None:
    job: Job = stack.new_job(repeated_sound(SAMPLE, folder / "talk.flac", times=12))
    stack.run(job)
    stack.wait_for(job, "DRAFT_READY", within_s=300)
    stack.export(job, ExportFormat.SRT)
    stack.wait_for(job, "DONE")
    keep(stack, "long", job.id)


def continued(stack: Stack) -> None:
    job = stack.draft(SAMPLE)
    handle = stack.client.get_workflow_handle(job.id)
    first = stack.loop.run(handle.describe()).run_id
    for _ in range(20):
        stack.loop.run(handle.signal("edit"))
    wait_until(lambda: stack.loop.run(handle.describe()).run_id != first, 20, "a successor")
    stack.export(job, ExportFormat.VTT)
    stack.wait_for(job, "DONE")
    keep(stack, "continued-as-new", job.id, first)
    keep(stack, "continuation", job.id)


def external(stack: Stack) -> None:
    """A transcription outside that gives a sign of life, fails, and is done by a retry."""
    job = stack.new_job(SAMPLE, stages={"transcription": "external"})
    stack.run(job)
    for number, status in enumerate(("TRANSCRIBING", "FAILED", "TRANSCRIPT_READY")):
        stack.wait_for(job, "TRANSCRIBING")
        made = stack.artifacts.put_bytes(f"external/{job.id}.json", NOTHING_SAID.model_dump_json().encode(), "")
        report = Callback(
            event_id=f"e-{number}",
            status=InstructionStatus(status),
            occurred_at=datetime.now(UTC),
            correlation_id="recorded",
            artifacts={ArtifactKind.TRANSCRIPT: stack.artifacts.uri(made.key)},
        )
        stack.store.apply_callback(job.id, report, f"{number:064}")
        stack.loop.run(wake(stack.client, job.id))
        if status == "FAILED":
            stack.loop.run(stack.jobs.retry(OWNER, job.id, model_profile=None, client_request_id="recorded"))
    stack.wait_for(job, "DRAFT_READY")
    keep(stack, "external-failed", job.id, stack.store.get_dispatch(job.id, 1).dispatch_id)  # type: ignore[union-attr]
    stack.export(job, ExportFormat.HTML)
    stack.wait_for(job, "DONE")
    keep(stack, "external", job.id)


def pictures(folder: Path, temporal: TemporalServer) -> None:
    """A picture that needed a second try, one that moderation let pass and the safety filter did not, one that was
    given up, and one whose place a newer one took while it waited."""
    with running_sandbox() as sandbox:
        provider: dict[str, Any] = {
            "image_base_url": sandbox.base_url,
            "image_model": "sandbox",
            "moderation_base_url": sandbox.base_url,
        }
        with running_stack(folder, temporal, prices="image=0", **provider) as stack:
            stack.start_worker()
            requests = image_requests(stack.settings, stack.store)
            starter = Dispatcher(stack.client, run_options(stack.settings), kind_terms(stack.settings))
            for name, prompt, status in (
                ("image-retried", "a recorded picture", "completed"),
                ("image-rejected", "nsfw", "rejected"),
                ("image-dead-letter", "expired", "dead_letter"),
            ):
                if status == "completed":
                    sandbox.script("images", Behaviour(status=503))
                job, _ = requests.make(OWNER, PictureOrder(prompt=prompt))
                stack.loop.run(starter.start(job))
                stack.wait_for(job, status)
                stack.loop.run(stack.client.get_workflow_handle(job.id).result())
                keep(stack, name, job.id)
            requests._clock = lambda: datetime(2026, 1, 31, tzinfo=UTC)
            sandbox.script("images", Behaviour(status=429, retry_after=600))
            job, _ = requests.make(OWNER, PictureOrder(prompt="second thoughts"))
            stack.loop.run(starter.start(job))
            stack.wait_for(job, "failed")
            requests.make(OWNER, PictureOrder(prompt="second thoughts"))
            stack.loop.run(stack.kinds.tell_superseded(job.id))
            stack.loop.run(stack.client.get_workflow_handle(job.id).result())
            keep(stack, "image-superseded", job.id)


def batch(stack: Stack) -> None:
    """Two clips, of which one cannot be cut; and as many captions as take a second run, none of which can be made."""
    source = stack.new_job(SAMPLE).id
    kinds = KindService(stack.store, stack.client, run_options(stack.settings))
    spans = (Span(start_ms=0, end_ms=1_000), Span(start_ms=3_600_000, end_ms=3_601_000))
    clips = BatchOrder(job_type=BatchType.CLIPS, sources=(source,), spans=spans)
    captions = BatchOrder(job_type=BatchType.CAPTIONS, sources=(source,) * (ITEMS_A_RUN + 5))
    for name, order, ending in (("batch", clips, "partial"), ("batch-continuation", captions, "failed")):
        job = BatchRequests(stack.store).make(OWNER, order)
        stack.loop.run(kinds.start(job))
        stack.wait_for(job, ending)
        keep(stack, name, job.id)


def planned(stack: Stack, service: AnalysisService, content: bytes) -> str:
    """An analysis of a file, once it was planned or could not be; its id."""
    file = AnnouncedFile(
        filename="recorded.csv",
        checksum_sha256=sha256(content).hexdigest(),
        upload_id=new_uuid7(),
        key=f"recorded/{sha256(content).hexdigest()}.csv",
        part_size=1 << 20,
        expires_at=datetime.now(UTC),
    )
    job_id = service.request(OWNER, NewAnalysis(requirement="total amount by region", files=(file,)))[0].job.id
    stack.store.lease_upload(file.upload_id, "recorded", 60)
    arrived = stack.artifacts.put_bytes(file.key, content, "text/csv")
    stack.store.settle_input(job_id, file.upload_id, arrived, "recorded")
    task = stack.loop.run(service.plan(OWNER, job_id)).planning
    assert task is not None
    with suppress(WorkflowFailureError):
        stack.loop.run(stack.client.get_workflow_handle(f"plan-{task.id}").result())
    keep(stack, "plan" if stack.store.get_analysis(job_id).is_planned else "plan-failed", f"plan-{task.id}")
    return job_id


def analyses(stack: Stack) -> None:
    """A plan that is drafted and one that cannot be; a run that failed for a table that was lost, and its retry."""
    service = AnalysisService(stack.store, stack.artifacts, stack.client, run_options(stack.settings), most_files=1)
    planned(stack, service, b"\x00\x01\x02\x03" * 100)
    job_id = planned(stack, service, b"region,amount\nNorth,1\nSouth,2\n")
    service.confirm(OWNER, job_id)
    (table,) = stack.store.get_analysis(job_id).tables
    rows = stack.artifacts.read_bytes(table.parquet)
    stack.artifacts.delete(table.parquet.key)
    job = service.enqueue(OWNER, job_id)[0].job
    stack.loop.run(stack.kinds.start(job))
    stack.wait_for(job, "failed")
    keep(stack, "analysis-failed", job.id)
    stack.artifacts.put_bytes(table.parquet.key, rows, table.parquet.media_type)
    stack.loop.run(stack.jobs.retry(OWNER, job.id, model_profile=None, client_request_id="recorded"))
    stack.wait_for(job, "succeeded")
    stack.loop.run(stack.client.get_workflow_handle(job.id).result())
    keep(stack, "analysis-retried", job.id)


def generations(folder: Path, temporal: TemporalServer) -> None:
    """Copy that needed a second try; an ad whose provider called back, one that was cancelled meanwhile, one that the
    provider failed for good and that another attempt made, and one that it never spoke of again."""
    with running_sandbox() as sandbox:
        provider: dict[str, Any] = {
            "llm_base_url": sandbox.base_url,
            "llm_model": "sandbox",
            "predictions_base_url": sandbox.base_url,
            "static_ad_model": "sandbox/ads",
            "predictions_deadline_s": 30.0,
        }
        with running_stack(folder, temporal, prices="copy=0,static_ad=0", **provider) as stack:
            stack.start_worker()
            sandbox.script("chat", Behaviour(status=503))
            keep(stack, "generation-retried", _generated(stack, CopyOrder(prompt="a recorded kettle"), "completed").id)
            never = Course(verdict=Verdict.NEVER, calls=())
            sandbox.plan(Course(calls=()), never, Course(verdict=Verdict.CANCELED, calls=()), Course(calls=()), never)
            ad = AdOrder(prompt="a recorded kettle")
            job = _called_back(stack, sandbox, _generated(stack, ad, "processing"))
            keep(stack, "generation-called-back", stack.wait_for(job, "completed").id)
            job = _generated(stack, ad, "processing")
            _submitted(stack, job)
            stack.loop.run(stack.kinds.cancel(OWNER, job.id))
            keep(stack, "generation-cancelled", _closed(stack, job).id)
            job = _called_back(stack, sandbox, _generated(stack, ad, "processing"))
            keep(stack, "generation-failed", _closed(stack, stack.wait_for(job, "failed")).id)
            again = stack.store.begin_attempt(job.id, OWNER)
            _started(stack, again)
            job = _called_back(stack, sandbox, stack.wait_for(again, "processing"))
            keep(stack, "generation-second-attempt", stack.wait_for(job, "completed").id)
            keep(stack, "generation-expired", _generated(stack, ad, "expired").id)


def _generated(stack: Stack, order: GenerationOrder, *statuses: str) -> Job:
    job, _ = generation_requests(stack.settings, stack.store).make(OWNER, order, None)
    _started(stack, job)
    return stack.wait_for(job, *statuses, within_s=120)


def _started(stack: Stack, job: Job) -> None:
    starter = Dispatcher(stack.client, run_options(stack.settings), kind_terms(stack.settings))
    stack.loop.run(starter.start(job))


def _called_back(stack: Stack, sandbox: RunningSandbox, job: Job) -> Job:
    """The job, once its provider has told of the attempt's work as it stands."""

    name = _submitted(stack, job)
    prediction = httpx.get(f"{sandbox.base_url}/predictions/{name}").json()
    provider = stack.settings.predictions_provider
    stack.store.receive_webhook(
        ProviderEvent(provider=provider, event_id=f"recorded-{name}", external_id=name, payload=prediction)
    )
    stack.loop.run(wake(stack.client, job.id))
    return job


def _submitted(stack: Stack, job: Job) -> str:
    def named() -> str | None:
        newest = stack.store.newest_submission(job.id, job.attempt)
        return newest.external_id if newest else None

    return wait_until(named, 60, "the submission")


def _closed(stack: Stack, job: Job) -> Job:
    with contextlib.suppress(WorkflowFailureError):
        stack.loop.run(stack.client.get_workflow_handle(job.id).result())
    return job


def webhooks(stack: Stack) -> None:
    """A delivery that is taken at the second try, and one to an endpoint that wants no more."""
    with listening() as receiver:
        endpoint = stack.store.create_endpoint(OWNER, receiver.url, [WebhookEvent.JOB_CANCELLED])
        for name, answers, ending in (("webhook", [500], "delivered"), ("webhook-gone", [410], "failed")):
            receiver.answers = answers
            job = stack.store.create_job(OWNER, stack.store.create_project(OWNER, "recorded").id)
            stack.store.move(job.id, None, "CANCELLED", trigger=Trigger.API, actor=Actor.EDITOR)

            def newest() -> Delivery:
                return stack.store.list_deliveries(OWNER, endpoint.id, 1).items[0]

            def has_ended(ending: str = ending) -> bool:
                return newest().status == ending

            wait_until(has_ended, 60, "the delivery's end")
            workflow_id = f"webhook-{newest().id}-1"
            stack.loop.run(stack.client.get_workflow_handle(workflow_id).result())
            keep(stack, name, workflow_id)


def stopped(folder: Path, temporal: TemporalServer) -> None:
    """A batch that its owner stops with one item done, a picture that is cancelled in Temporal while it is painted, and
    a job that is erased."""
    with running_sandbox() as sandbox:
        provider: dict[str, Any] = {"image_base_url": sandbox.base_url, "image_model": "sandbox"}
        with running_stack(folder, temporal, prices="image=0", **provider) as stack:
            hold = folder / "hold"
            hold.touch()
            stack.start_worker(HOLD="processing,running", HOLD_FILE=str(hold))
            kinds = KindService(stack.store, stack.client, run_options(stack.settings))
            source = stack.new_job(SAMPLE).id
            job = BatchRequests(stack.store).make(OWNER, BatchOrder(job_type=BatchType.CAPTIONS, sources=(source,) * 2))
            stack.loop.run(kinds.start(job))
            begun = stack.wait_for(job, "processing")
            fence = Fence(attempt=1, dispatch_id=begun.dispatch_id or "", seq=2)
            wait_until(lambda: is_begun(stack, begun.id), 30, "an item to begin")
            stack.store.finish_item(job.id, fence, 1, 2, [])
            stack.loop.run(kinds.cancel(OWNER, job.id))
            stack.wait_for(job, "partial")
            keep(stack, "batch-stopped", job.id)
            job, _ = image_requests(stack.settings, stack.store).make(OWNER, PictureOrder(prompt="not any more"))
            stack.loop.run(kinds.start(job))
            stack.wait_for(job, "running")
            handle = stack.client.get_workflow_handle(job.id)
            stack.loop.run(handle.cancel())
            with suppress(WorkflowFailureError):
                stack.loop.run(handle.result())
            keep(stack, "image-cancelled", job.id)
            stack.loop.run(
                ErasureService(stack.store, stack.client, run_options(stack.settings)).erase(job.id, owner=OWNER)
            )
            stack.loop.run(stack.client.get_workflow_handle(f"erase-{job.id}").result())
            keep(stack, "erase", f"erase-{job.id}")


def purged(stack: Stack) -> None:
    """A recording that is erased alone, and a project and a user with two jobs."""
    service = ErasureService(stack.store, stack.client, run_options(stack.settings))
    job = stack.new_job(SAMPLE)
    stack.store.move(job.id, None, "CANCELLED", trigger=Trigger.API, actor=Actor.EDITOR)
    purge = stack.loop.run(service.erase_recording(job.id, owner=OWNER))
    stack.loop.run(stack.client.get_workflow_handle(f"erase-recording-{purge.id}").result())
    keep(stack, "erase-recording", f"erase-recording-{purge.id}")
    project = stack.store.create_project("leaving", "recorded").id
    for _ in range(2):
        stack.store.create_job("leaving", project)
    purge = stack.loop.run(service.erase_project(project, owner="leaving"))
    stack.loop.run(stack.client.get_workflow_handle(f"erase-project-{purge.id}").result())
    keep(stack, "erase-project", f"erase-project-{purge.id}")
    project = stack.store.create_project("leaving", "recorded").id
    for _ in range(2):
        stack.store.create_job("leaving", project)
    purge = stack.loop.run(service.erase_user("leaving"))
    stack.loop.run(stack.client.get_workflow_handle(f"erase-user-{purge.id}").result())
    keep(stack, "erase-user", f"erase-user-{purge.id}")


def is_begun(stack: Stack, job_id: str) -> bool:
    """Whether an item's activity has begun: the batch's row has seen the run's second number."""
    with stack.store._database.read() as connection:
        return bool(connection.execute(select(jobs.c.fence_seq).where(jobs.c.id == job_id)).scalar_one() >= 2)


def main() -> None:
    HISTORIES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running_temporal(Path(folder)) as temporal:
        with running_stack(Path(folder) / "one", temporal) as stack:
            stack.start_worker()
            for scenario in (completed, cancelled, edited, screenshot, external, batch, analyses, purged):
                scenario(stack)
            long(stack, Path(folder))
        with running_stack(Path(folder) / "two", temporal) as stack:
            stack.jobs._options = stack.jobs._options.model_copy(update={"history_events": 40})
            stack.start_worker()
            continued(stack)
        pictures(Path(folder) / "pictures", temporal)
        with running_stack(Path(folder) / "webhooks", temporal) as stack:
            stack.start_worker(GUIDESMITH_WEBHOOK_ALLOW_PRIVATE="true")
            webhooks(stack)
        generations(Path(folder) / "generations", temporal)
        stopped(Path(folder) / "stopped", temporal)
        translated(Path(folder) / "translated", temporal)
        dead: dict[str, Any] = {"llm_base_url": "http://127.0.0.1:9/v1", "llm_model": "none", "retry_budget": 1}
        with running_stack(Path(folder) / "three", temporal, **dead) as stack:
            stack.start_worker()
            failed_and_retried(stack)


if __name__ == "__main__":
    main()
