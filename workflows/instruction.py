"""The instruction job: a recording becomes a written, illustrated instruction, and stays with its editors."""

import asyncio
from collections.abc import Callable
from typing import Any

from temporalio import workflow
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    FailureError,
    WorkflowAlreadyStartedError,
    is_cancelled_exception,
)
from temporalio.workflow import ParentClosePolicy

with workflow.unsafe.imports_passed_through():
    from activities.rails.contracts import (
        CarriedState,
        GoingOn,
        JobOutcome,
        JobStart,
        StageCall,
        StageResult,
        TaskStart,
    )
    from activities.rails.search_attributes import of_task
    from activities.rails.task_dispatch import EXPORT, REGENERATE
    from activities.stages.adopting import Adoptions
    from activities.stages.instruction import InstructionStages
    from activities.stages.screen_reading import ScreenReading
    from domain.errors import TerminalImmutable, TransitionRefused
    from domain.jobs import Actor
    from domain.lifecycles.callbacks import AUDIO, DRAFT, TRANSCRIPTION, ExternalStage, is_needed
    from domain.lifecycles.editing import Activity, next_status
    from domain.lifecycles.instruction import (
        AUDIO_READY,
        CANCELLED,
        DRAFT_READY,
        FAILED,
        INSTRUCTION,
        TRANSCRIPT_READY,
        InstructionStatus,
    )
    from domain.lifecycles.lifecycle import Trigger
    from workflows.rails import JobRun

    # Like the rules that they apply, shared with the process: run anew for every job they cost it milliseconds.
    from workflows.rails.out_of_step import OutOfStep
    from workflows.tasks import ExportWorkflow, RegenerateWorkflow

NOT_YET = "The job has no draft yet."


def ended() -> ApplicationError:
    """Why a job takes nothing on any more; whoever asked starts the task on its own."""
    return ApplicationError("The job has ended.", type=TerminalImmutable.code, non_retryable=True)


def is_at_work(refused: FailureError) -> bool:
    """Whether a task is under way already, begun before its job's run was reset. The reconciler tells when it ends."""
    return isinstance(refused, WorkflowAlreadyStartedError) and workflow.patched("keeps-tasks-under-way")


class DocumentWork:
    """What people do with the document: who works on it, and what has been asked for."""

    def __init__(self, carried: CarriedState | None) -> None:
        self.touched = carried is not None and carried.touched
        self.exported = carried is not None and carried.exported
        self.regenerating: str | None = None
        self.exporting: set[str] = set()
        self.taken: set[str] = set()
        """Tasks that this run has taken on, and is told of when they end: not those that began before it was reset."""

    def activity(self) -> Activity:
        return Activity(
            touched=self.touched,
            regenerating=self.regenerating is not None,
            exporting=bool(self.exporting),
            exported=self.exported,
        )

    def is_quiet(self) -> bool:
        return self.regenerating is None and not self.exporting

    def under_way(self) -> frozenset[str]:
        return frozenset({*self.exporting, self.regenerating or ""})

    def stand(self, rows: GoingOn | None, known: frozenset[str]) -> None:
        """Go by the tasks' rows, where they were asked; what was not ``known`` then came after them."""
        if rows is None:
            return
        if self.regenerating is None or self.regenerating in known:
            self.regenerating = rows.regenerating
        self.exporting = {*rows.exporting, *(self.exporting - known)}
        self.exported = self.exported or rows.exported


@workflow.defn(name="instruction", failure_exception_types=[TransitionRefused])
class InstructionWorkflow:
    """One run of an instruction job; the workflow id is the job id."""

    @workflow.init
    def __init__(self, start: JobStart) -> None:
        self.job = JobRun(INSTRUCTION, start)
        self.document = DocumentWork(start.carried)
        self.pieces = start.pieces
        self.has_picture = AUDIO.name not in start.external
        """Whether there may be a screen to read; known once the recording was probed."""
        self.cancel_requested = False
        self.is_open = False
        """Whether the job is at its document: drafted, and followed in what people do."""
        self.is_moving = False
        """Whether a status is on its way into the database."""
        self.must_look = False
        """Whether tasks of the document have ended, perhaps, that this run does not follow."""

    @workflow.run
    async def run(self, start: JobStart) -> JobOutcome:
        return await self.job.settled(
            self.steps, cancelled=lambda: self.cancel_requested, failed=FAILED, stopped=CANCELLED
        )

    async def steps(self) -> None:
        await self.job.claim()
        await self.extract_audio()
        await self.hear_and_read()
        await self.draft_and_illustrate()
        await self.edit_until_exported()

    # --- the pipeline --------------------------------------------------------------------------------------

    async def extract_audio(self) -> None:
        if self.is_external(AUDIO):
            result = await self.await_external(AUDIO, Adoptions.adopt_audio)
            self.pieces = int(result.facts.get("pieces") or self.pieces)
            return
        if self.has_reached(AUDIO_READY):
            return
        result = await self.job.run_stage(InstructionStages.extract_audio)
        self.pieces = int(result.facts.get("pieces") or 0)
        self.has_picture = bool(result.facts.get("has_video"))

    async def hear_and_read(self) -> None:
        """What is said, and beside it what is shown. A screen that cannot be read costs the job nothing but that."""
        self.job.reads_screen = self.job.options.reads_screen and self.has_picture
        if not self.job.reads_screen or self.has_reached(TRANSCRIPT_READY):
            await self.transcribe()
            return
        reading = self.job.begin_beside(ScreenReading.read)
        reading.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            await self.transcribe()
            if not reading.done():
                self.job.tell("read what the screen shows")
            await reading
        except ActivityError as error:
            if is_cancelled_exception(error) or not (reading.done() and reading.exception() is error):
                raise
        finally:
            reading.cancel()

    async def transcribe(self) -> None:
        """A short recording in one piece; a long one in parallel pieces, each resumable, joined at the end."""
        if self.is_external(TRANSCRIPTION):
            await self.await_external(TRANSCRIPTION, Adoptions.adopt_transcript)
            return
        if self.has_reached(TRANSCRIPT_READY):
            return
        if self.pieces > 1:
            await self.job.run_stage(InstructionStages.transcribe_piece, units=self.pieces)
            await self.job.run_stage(InstructionStages.join_transcript)
        else:
            await self.job.run_stage(InstructionStages.transcribe)

    async def draft_and_illustrate(self) -> None:
        if self.is_external(DRAFT):
            if self.job.start.carried is None:
                await self.await_external(DRAFT, Adoptions.adopt_draft)
                self.job.show()
            return
        if self.has_reached(DRAFT_READY):
            return
        await self.job.run_stage(InstructionStages.draft)
        await self.job.run_stage(InstructionStages.illustrate)
        self.job.show()

    # --- stages of a runner outside ------------------------------------------------------------------------

    def is_external(self, stage: ExternalStage) -> bool:
        return stage.name in self.job.start.external

    async def await_external(self, stage: ExternalStage, adopt: Callable[[Any, StageCall], StageResult]) -> StageResult:
        """Wait for the runner, and take over what it left: also where a retry begins at the stage's checkpoint."""
        if not self.has_reached(stage.checkpoint):
            await self.job.await_external(stage)
        elif self.job.status is not stage.checkpoint:
            return StageResult()
        return await self.job.take_over(adopt, required=is_needed(stage, self.job.start.external))

    def has_reached(self, checkpoint: InstructionStatus) -> bool:
        order = list(InstructionStatus)
        return order.index(self.job.status) >= order.index(checkpoint)

    # --- the document --------------------------------------------------------------------------------------

    async def edit_until_exported(self) -> None:
        """Follow what people do until an export is retrievable. Editing itself costs no event: the text is not here."""
        self.is_open = True
        while not INSTRUCTION.is_terminal(self.job.status):
            await workflow.wait_condition(
                lambda: self.must_look or self.next_status() is not None or self.should_continue_as_new()
            )
            if self.must_look:
                await self.catch_up()
                continue
            target = self.next_status()
            if target is None:
                await workflow.wait_condition(workflow.all_handlers_finished)
                if self.document.is_quiet() and self.next_status() is None:
                    workflow.continue_as_new(self.successor())
            else:
                await self.go_to(target)
        await workflow.wait_condition(workflow.all_handlers_finished)

    async def catch_up(self) -> None:
        """Be where the job is, and go by the tasks' rows. A run that was reset follows no task that began before, and
        is not told how it ended."""
        self.must_look = False
        known = self.document.under_way()
        self.document.stand(await self.job.look(), known)

    def next_status(self) -> InstructionStatus | None:
        return next_status(self.job.status, self.document.activity())

    async def go_to(self, target: InstructionStatus) -> None:
        """Mirror a move that people caused by what they asked for, or the end of that; the log names who it was."""
        by_user = INSTRUCTION.may(self.job.status, target, Trigger.USER)
        trigger, actor = (Trigger.USER, Actor.EDITOR) if by_user else (Trigger.WORKFLOW, Actor.ORCHESTRATOR)
        known = self.document.under_way()
        self.is_moving = True
        try:
            await self.job.move(target, trigger, actor=actor)
        except OutOfStep as found:
            self.document.stand(found.document, known)  # what follows is decided anew, from where the job is
        finally:
            self.is_moving = False

    def should_continue_as_new(self) -> bool:
        info = workflow.info()
        long = info.get_current_history_length() > self.job.options.history_events
        return (long or info.is_continue_as_new_suggested()) and self.document.is_quiet()

    def successor(self) -> JobStart:
        carried = CarriedState(
            status=str(self.job.status),
            seq=self.job.seq,
            touched=self.document.touched,
            exported=self.document.exported,
        )
        return self.job.start.model_copy(update={"carried": carried})

    # --- what people ask for -------------------------------------------------------------------------------

    @workflow.signal(description="Stop the job; its running stage is stopped first, and it ends as CANCELLED.")
    def cancel(self) -> None:
        """Stop the job; the running stage is stopped first."""
        self.cancel_requested = True

    @workflow.signal(description="The document was changed for the first time: DRAFT_READY becomes EDITING.")
    def edit(self) -> None:
        """The first save: DRAFT_READY becomes EDITING. Repeats change nothing. A look at the document is none: reading
        is safe, and whoever may read would move the job."""
        self.document.touched = True

    @workflow.signal(description="A runner outside reported something: look at the job's row. Safe to send again.")
    def reported(self) -> None:
        """A runner outside reported something: look at the job's row."""
        self.job.reported = True

    @workflow.signal(description="Tasks of the document ended unseen: look at their rows. Safe to send again.")
    def tasks_ended(self) -> None:
        """Exports or regenerations ended that this run does not follow, perhaps: look at their rows."""
        self.must_look = True

    @workflow.query(description="The job's status, as this run has it.")
    def status(self) -> str:
        return str(self.job.status)

    async def until_shown(self) -> None:
        """Wait until the database says what goes on, so that nobody sees work under a status without it.

        Raises:
            ApplicationError: The job ended meanwhile.
        """
        if not workflow.patched("shown-before-begun"):
            return
        await workflow.wait_condition(lambda: self.job.is_over or self.cancel_requested or self.is_shown())
        if not self.is_shown():
            raise ended()

    def is_shown(self) -> bool:
        return self.is_open and not self.is_moving and self.next_status() is None

    @workflow.update(description="Take on a regeneration whose row is written. Answers its id once it is under way.")
    async def regenerate(self, task: TaskStart) -> str:
        """Write a part again; answers the task's id once the task is under way. That there is one at a time is decided
        by the tasks' rows: where another is still under way here, its row has ended, and its run does in a moment."""
        while self.document.regenerating in self.document.taken - {task.task_id}:
            await workflow.wait_condition(lambda: self.job.is_over or self.document.regenerating is None)
            if self.job.is_over:
                raise ended()
        self.document.touched = True
        self.document.taken.add(task.task_id)
        self.document.regenerating = task.task_id
        try:
            await self.until_shown()
            child = await workflow.start_child_workflow(
                RegenerateWorkflow.run,
                task,
                id=task.workflow_id("regenerate"),
                parent_close_policy=ParentClosePolicy.ABANDON,
                search_attributes=of_task(REGENERATE, task.owner, live=task.options.live_status),
                static_summary="write a part of the instruction again",
            )
        except FailureError as error:
            self.document.taken.discard(task.task_id)
            if is_at_work(error):
                return task.task_id
            self.document.regenerating = None
            raise
        self.follow(task.task_id, child, lambda _: self.regeneration_ended(task.task_id))
        return task.task_id

    @regenerate.validator
    def refuse_regenerate(self, task: TaskStart) -> None:
        self.refuse_unless_open()

    @workflow.update(description="Take on an export whose row is written. Answers its id once it is under way.")
    async def export(self, task: TaskStart) -> str:
        """Publish a version; answers the export's id once it is under way."""
        self.document.touched = True
        if task.task_id in self.document.taken:
            return task.task_id
        self.document.taken.add(task.task_id)
        self.document.exporting.add(task.task_id)
        try:
            await self.until_shown()
            child = await workflow.start_child_workflow(
                ExportWorkflow.run,
                task,
                id=task.workflow_id("export"),
                parent_close_policy=ParentClosePolicy.ABANDON,
                search_attributes=of_task(EXPORT, task.owner, live=task.options.live_status),
                static_summary="publish a version of the instruction",
            )
        except FailureError as error:
            self.document.taken.discard(task.task_id)
            if is_at_work(error):
                return task.task_id
            self.document.exporting.discard(task.task_id)
            raise
        self.follow(task.task_id, child, lambda succeeded: self.export_ended(task.task_id, succeeded))
        return task.task_id

    @export.validator
    def refuse_export(self, task: TaskStart) -> None:
        self.refuse_unless_open()

    def refuse_unless_open(self) -> None:
        """A document can be worked on from DRAFT_READY until the job ends."""
        if self.cancel_requested or INSTRUCTION.is_terminal(self.job.status):
            raise ended()
        if not self.has_reached(DRAFT_READY):
            raise ApplicationError(NOT_YET, type=TransitionRefused.code, non_retryable=True)

    # --- following the tasks -------------------------------------------------------------------------------

    def follow(self, task_id: str, child: "asyncio.Task[None]", ended: Callable[[bool], None]) -> None:
        """Note how a child ends, without keeping its caller waiting; a cancel of the job reaches it through here."""

        async def until_it_ends() -> None:
            succeeded = True
            try:
                await child
            except FailureError:
                succeeded = False
            self.document.taken.discard(task_id)
            ended(succeeded)

        task = asyncio.create_task(until_it_ends())
        self.job.followers.append(task)
        task.add_done_callback(self.job.followers.remove)

    def regeneration_ended(self, task_id: str) -> None:
        if self.document.regenerating == task_id:
            self.document.regenerating = None

    def export_ended(self, export_id: str, succeeded: bool) -> None:
        self.document.exporting.discard(export_id)
        self.document.exported = self.document.exported or succeeded
