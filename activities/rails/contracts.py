"""What travels through Temporal: references and small facts, never a transcript, a prompt or a document.

Every message is one pydantic model, so that fields can be added without breaking a running workflow.
"""

from pydantic import BaseModel, ConfigDict, Field

from domain.jobs import Failure
from domain.lifecycles.fence import Fence

PAYLOAD_LIMIT_BYTES = 4096
"""The project's own cap on any one payload; Temporal's is 2 MiB. Asserted on real histories in the tests."""


class Message(BaseModel):
    model_config = ConfigDict(frozen=True)


class RunOptions(Message):
    """How a run executes its stages. Fixed when it starts, so that a setting changed later does not change a replay.

    Args:
        heartbeat_timeout_s: After this long without a sign of life a stage is given to another worker.
        stage_timeout_s: Hard limit of one execution of a stage.
        retry_budget: Executions of one stage before the job fails.
        task_queue_prefix: Task queues are called ``{prefix}-jobs``, ``-media``, ``-speech``, ``-providers``.
        history_events: Continue as new beyond this many events, besides when the server suggests it.
        external_timeout_s: How long a stage that a runner outside does is waited for.
        reads_screen: Whether the pictures of a recording are read beside its sound. Runs that began before there was
            such a reader have none.
        pieces_at_once: How many pieces of one recording are transcribed at once, at most; 0: all, as slots are free.
        weights: How many turns the stages of a project get where others get one, by its id. It decides how a run is
            started, and does not travel with it.
        live_status: Whether the search attribute of the status follows the stages, too: an action for each.
    """

    heartbeat_timeout_s: float = 30.0
    stage_timeout_s: float = 6 * 3600.0
    retry_budget: int = 10
    task_queue_prefix: str = "guidesmith"
    history_events: int = 10_000
    external_timeout_s: float = 24 * 3600.0
    reads_screen: bool = False
    pieces_at_once: int = 0
    weights: dict[str, float] = Field(default_factory=dict, exclude=True)
    live_status: bool = False

    def queue(self, name: str) -> str:
        return f"{self.task_queue_prefix}-{name}"


class CarriedState(Message):
    """What a run hands to its successor when it continues as new."""

    status: str
    seq: int
    touched: bool
    exported: bool


class JobStart(Message):
    """The input of a job's workflow: who it is, and where it starts."""

    job_id: str
    kind: str
    attempt: int
    resume_from: str
    correlation_id: str
    action: str | None = None
    client_request_id: str | None = None
    model_profile: str | None = None
    options: RunOptions = Field(default_factory=RunOptions)
    pieces: int = 0
    """Into how many pieces the audio is cut, where the run starts behind the stage that says so."""
    external: tuple[str, ...] = ()
    """The stages that a runner outside does."""
    terms: dict[str, int | float | str | bool] = Field(default_factory=dict)
    """What else the kind's workflow goes by (limits, what is configured), as it was when the run was started."""
    carried: CarriedState | None = None


class JobOutcome(Message):
    """What a job's workflow returns: its last status."""

    job_id: str
    status: str


class StageCall(Message):
    """The input of every stage. ``unit`` numbers the parallel pieces of one stage, from 1; 0 is the whole.

    ``required``: of a stage that takes over what a runner outside left; whether the job can go on without it.
    ``screen``: whether the run had the recording's screen read, or tried to.
    """

    job_id: str
    attempt: int
    dispatch_id: str
    seq: int
    unit: int = 0
    heartbeat_timeout_s: float = 30.0
    required: bool = True
    screen: bool = False

    def fence(self, execution: int) -> Fence:
        return Fence(attempt=self.attempt, dispatch_id=self.dispatch_id, seq=self.seq, execution=execution)


class StageResult(Message):
    """What a stage tells the workflow: a few measured facts (durations, counts, names).

    ``over``: the status of a job that has ended, where a run that was reset asks for a stage of it again.
    """

    facts: dict[str, int | float | str | bool | None] = Field(default_factory=dict)
    over: str | None = None


class ClaimCall(Message):
    """A later attempt of a job is taken over by the run that was started for it."""

    job_id: str
    attempt: int
    dispatch_id: str
    resume_from: str
    action: str | None = None
    client_request_id: str | None = None
    model_profile: str | None = None


class ExternalCall(Message):
    """What the workflow asks about a stage that is done outside. ``overdue``: how the job fails if it still waits."""

    job_id: str
    attempt: int
    dispatch_id: str
    seq: int
    stage: str
    overdue: Failure | None = None


class ExternalState(Message):
    """How far a stage outside is. ``failure_code`` is the job's, where it failed; its words stay in the database."""

    reached: str
    failure_code: str | None = None


class RunCall(Message):
    """Which run asks, and the number that its next write has."""

    job_id: str
    attempt: int
    dispatch_id: str
    seq: int


class MoveCall(RunCall):
    """A status change without a stage, to be mirrored."""

    target: str
    trigger: str
    actor: str
    failure: Failure | None = None
    note: str = ""
    event_type: str | None = None
    data: dict[str, int | float | str | bool] = Field(default_factory=dict)
    """Small facts for the audit row, and its own event type where it has one."""


class GoingOn(Message):
    """What goes on around a job's document, as the rows of its tasks have it.

    Args:
        regenerating: The regeneration that has not ended.
        exporting: Exports that have not ended; the first of them, where they are many.
        exported: Whether an export ended well that was asked for since the job's draft was ready, in its attempt.
    """

    regenerating: str | None = None
    exporting: tuple[str, ...] = ()
    exported: bool = False


class MirroredState(Message):
    """Where a job is, and the last number that its run has used. ``own``: it is the asking run's. ``document``: what
    goes on around it; ``None`` where that was not asked yet, in runs of earlier versions."""

    status: str
    seq: int
    own: bool
    document: GoingOn | None = None


class TaskStart(Message):
    """The input of a task workflow (an export, a regeneration). ``task_id`` is the row's id, ``owner`` the job's."""

    task_id: str
    job_id: str
    owner: str | None = None
    options: RunOptions = Field(default_factory=RunOptions)

    def workflow_id(self, what: str) -> str:
        """The same whether the job's workflow starts the task or, once the job is done, the API does."""
        return f"{what}-{self.task_id}"


class TaskCall(Message):
    task_id: str
    heartbeat_timeout_s: float = 30.0


class TaskFailure(Message):
    task_id: str
    failure: Failure
