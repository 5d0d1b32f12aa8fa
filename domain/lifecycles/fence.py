"""The fence: which writes of a run still count.

A worker that was thought dead may come back and write; a start that lost a race may have begun a second run; an
activity may commit its rows and die before it could say so. Every mirrored write therefore carries a
:class:`Fence`, and :func:`judge` compares it with what the job's row has seen. What is older has no effect, what is
the same again is a replay.

A stage takes two numbers of its run's sequence: ``seq`` when it begins, ``seq + 1`` when it ends.
"""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Fence(BaseModel):
    """Who writes.

    Args:
        attempt: The job's attempt, from 1; every dispatch after the first adds one.
        dispatch_id: The first execution's run id of the workflow that owns the attempt; it survives
            continue-as-new.
        seq: The workflow's own count of mirrored writes, from 1.
        execution: The activity's attempt number within its Temporal retries, from 1.
        again: Whether another execution of the workflow came before this one under the same ``dispatch_id``: it was
            reset by an operator, and asks again what that one asked, with executions counted anew; or it goes on where
            a history had become long.
    """

    model_config = ConfigDict(frozen=True)

    attempt: int = Field(ge=1)
    dispatch_id: str
    seq: int = Field(ge=1)
    execution: int = Field(default=1, ge=1)
    again: bool = False


class Seen(BaseModel):
    """What the job's row has seen: the highest of each within the current attempt. ``seq`` 0: nothing yet."""

    model_config = ConfigDict(frozen=True)

    attempt: int
    dispatch_id: str | None
    seq: int
    execution: int


class Verdict(StrEnum):
    """What to do with a write."""

    APPLY = "apply"
    REPLAY = "replay"
    """It was applied before: answer what it answered then, write nothing."""
    CONTINUE = "continue"
    """The stage began, and this very execution asks again (its commit was in doubt): go on, write nothing."""
    RETRY = "retry"
    """The same stage is being executed again: record that, and go on."""
    STALE = "stale"
    """Overtaken: no effect."""


def _is_foreign(seen: Seen, fence: Fence) -> bool:
    return fence.attempt != seen.attempt or (seen.dispatch_id is not None and fence.dispatch_id != seen.dispatch_id)


def judge_begin(seen: Seen, fence: Fence) -> Verdict:
    """A stage begins, or begins again. REPLAY: it had ended already, its result stands."""
    if _is_foreign(seen, fence) or seen.seq > fence.seq + 1:
        return Verdict.STALE
    if seen.seq == fence.seq + 1:
        return Verdict.REPLAY
    if seen.seq < fence.seq:
        return Verdict.APPLY
    if fence.execution < seen.execution and not fence.again:
        return Verdict.STALE
    return Verdict.CONTINUE if fence.execution == seen.execution else Verdict.RETRY


def judge_end(seen: Seen, fence: Fence) -> Verdict:
    """A stage that began with ``fence`` ends."""
    if _is_foreign(seen, fence) or seen.execution != fence.execution:
        return Verdict.STALE
    if seen.seq == fence.seq:
        return Verdict.APPLY
    return Verdict.REPLAY if seen.seq == fence.seq + 1 else Verdict.STALE


def judge_move(seen: Seen, fence: Fence) -> Verdict:
    """A status change without a stage."""
    if _is_foreign(seen, fence) or seen.seq > fence.seq:
        return Verdict.STALE
    return Verdict.REPLAY if seen.seq == fence.seq else Verdict.APPLY
