"""What people do with a job's document: save, have a part written again, export.

What each call changes is decided in one transaction or by one start of one workflow id, so any number of concurrent
calls have one effect.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import structlog
from temporalio.client import Client

from activities.artifacts import ArtifactStore
from activities.process.callers import acting_member
from activities.rails.contracts import RunOptions
from activities.rails.task_dispatch import EXPORT, REGENERATE, TaskDispatch
from activities.store import Store
from activities.store.documents.documents import edit_of
from activities.tasks.documents import selected_parts
from domain.artifacts import Blob
from domain.documents.document import BlockMark, parse
from domain.documents.publication import ExportFormat
from domain.documents.tasks import Export, ExportStatus, RegenerateTask
from domain.documents.versions import InstructionVersion, VersionOrigin
from domain.errors import DispatchFailed, EngineUnavailable, TranslationMismatch
from domain.jobs import Job, TaskStatus
from domain.lifecycles.instruction import DRAFT_READY
from starter.services.engine import engine_faults, signalled
from starter.services.live_runs import LiveRuns
from starter.services.profiles import check_profile
from workflows.instruction import InstructionWorkflow

EDIT_WAIT_S = 0.3
"""Seconds that a save is held up for Temporal to be told of it: where it is there, it takes a few milliseconds."""

T = TypeVar("T")
log = structlog.get_logger("guidesmith.jobs")


@dataclass(frozen=True)
class RegenerateRequest:
    """What to write again: ``selection`` is ``{"block_id": …}`` or ``{"char_range": {start_offset, end_offset}}``."""

    base_version: int
    selection: dict[str, object]
    client_request_id: str
    context: str | None = None
    model_profile: str | None = None
    prompt_template_id: str | None = None
    prompt_params_ref: str | None = None

    def facts(self) -> dict[str, object]:
        named = {
            "context": self.context,
            "model_profile": self.model_profile,
            "prompt_template_id": self.prompt_template_id,
            "prompt_params_ref": self.prompt_params_ref,
        }
        return {name: value for name, value in named.items() if value is not None}


class DocumentService:
    """Saves, regenerates and exports.

    Args:
        store: Called from threads.
        artifacts: Where exports are looked for.
        client: A (lazily connected) Temporal client.
        options: How tasks are executed.
        profiles: The model profiles that a request may name.
    """

    def __init__(
        self, store: Store, artifacts: ArtifactStore, client: Client, options: RunOptions, profiles: tuple[str, ...]
    ) -> None:
        self._store = store
        self._artifacts = artifacts
        self._client = client
        self._profiles = profiles
        self._task_dispatch = TaskDispatch(client, options)
        self._runs = LiveRuns(store, client)
        self._telling: set[asyncio.Task[None]] = set()

    async def save(
        self,
        owner: str,
        instruction_id: str,
        base_version: int,
        markdown: str,
        *,
        origin: VersionOrigin = VersionOrigin.EDIT,
        as_marked: bool = False,
        marks: Sequence[BlockMark] = (),
        sitting: str | None = None,
        kept_at: datetime | None = None,
    ) -> InstructionVersion:
        """Save an edit as a new version. The text costs Temporal nothing; the first save tells the workflow.

        Args:
            as_marked: See :meth:`Store.save_version`.
            marks, sitting, kept_at: See there.

        Raises:
            VersionConflict: Somebody saved meanwhile; nothing was written.
        """
        base = await self._thread(self._store.get_instruction, owner, instruction_id)
        new = edit_of(base, markdown, acting_member() or owner, origin)
        save = partial(self._store.save_version, as_marked=as_marked, marks=marks, sitting=sitting, kept_at=kept_at)
        version, created = await self._thread(save, owner, instruction_id, base_version, new)
        if created:
            await self.edited(version.job_id)
        return version

    async def edited(self, job_id: str) -> None:
        """Tell the job's workflow of the first new version, which makes the job EDITING. Later ones cost nothing. The
        text is saved, and waits for nobody: where Temporal is away, this is caught up with."""
        job = await self._thread(self._store.get_job, job_id)
        if job.status != DRAFT_READY:
            return
        telling = asyncio.create_task(self._tell_edited(job.id))
        self._telling.add(telling)
        telling.add_done_callback(self._telling.discard)
        await asyncio.wait({telling}, timeout=EDIT_WAIT_S)

    async def _tell_edited(self, job_id: str) -> None:
        try:
            await signalled(self._client, job_id, InstructionWorkflow.edit)
        except (EngineUnavailable, DispatchFailed) as absent:  # the reconciler signals, or the next save
            log.warning("job.edit_not_signalled", job_id=job_id, code=absent.code)

    async def regenerate(
        self, owner: str, instruction_id: str, request: RegenerateRequest
    ) -> tuple[RegenerateTask, bool]:
        """Have a part written again; the task, and whether the same request came before.

        Raises:
            RequestInvalid: The selection covers nothing of the base version.
            VersionConflict, RegenerateInProgress, IdempotencyConflict, ModelNotAllowed.
            TranslationMismatch: It is a translation.
            EngineUnavailable: Nothing changed.
        """
        check_profile(request.model_profile, self._profiles)
        version = await self._thread(self._store.get_instruction, owner, instruction_id)
        if version.translation_of is not None:
            raise TranslationMismatch(
                "A translation is not written from the recording. Translate what is behind, or write it by hand.",
                details={"translation_of": version.translation_of},
            )
        if request.base_version == version.version:
            selected_parts(parse(version.markdown), request.selection)
        job = await self._thread(self._store.get_job, version.job_id)
        live = await self._runs.is_live(job)
        task, created = await self._thread(
            self._store.create_regenerate,
            owner,
            instruction_id,
            base_version=request.base_version,
            selection=request.selection,
            client_request_id=request.client_request_id,
            requested_by=acting_member() or owner,
            request=request.facts(),
        )
        if task.status is TaskStatus.PENDING:
            await self.hand_over(REGENERATE, task.id, job, live=live)
            task = await self._thread(self._store.get_regenerate, task.id)
        return task, not created

    async def export(
        self, owner: str, job_id: str, export_format: ExportFormat, instruction_version_id: str
    ) -> tuple[Export, bool]:
        """Publish a version; the export, and whether it existed.

        Raises:
            ExportRequestInvalid: The job's instruction has no such version. NotFound.
            EngineUnavailable: Nothing changed.
        """
        job = await self._thread(self._store.get_job, job_id, owner=owner)
        live = await self._runs.is_live(job)
        ask = partial(self._store.request_export, owner, job_id, export_format, instruction_version_id)
        export, created = await self._thread(ask)
        if export.blob is not None and not await self._thread(self._is_stored, export.blob):
            log.warning("export.file_lost", job_id=job.id, export_id=export.id)
            await self._thread(self._store.lose_export, export.id)
            export, created = await self._thread(ask)
        if export.status is ExportStatus.REQUESTED:
            await self.hand_over(EXPORT, export.id, job, live=live)
            export = await self._thread(self._store.get_export, export.id)
        return export, not created

    def _is_stored(self, blob: Blob) -> bool:
        facts = self._artifacts.stat(blob.key)
        return facts is not None and facts.size_bytes == blob.size_bytes

    async def hand_over(self, what: str, task_id: str, job: Job, *, live: bool = False) -> None:
        """Give a task whose row is written to Temporal. Raises: EngineUnavailable, DispatchFailed."""
        async with engine_faults():
            await self._task_dispatch.begin(what, task_id, job, live=live)

    async def cancel_task(self, what: str, task_id: str) -> None:
        """Ask a task that has a workflow of its own to stop. Raises: EngineUnavailable, DispatchFailed."""
        async with engine_faults():
            await self._task_dispatch.cancel(what, task_id)

    @staticmethod
    async def _thread(call: Callable[..., T], *args: Any, **named: Any) -> T:
        return await asyncio.to_thread(call, *args, **named)
