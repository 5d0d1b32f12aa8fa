"""Where a job stands, in words, a tone, and steps: drawn from its kind's table, whatever the kind is."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from activities.store.jobs.listing import JobCard
from domain.jobs import Event, Failure
from domain.lifecycles.batch import BATCH, BatchType
from domain.lifecycles.kinds import LIFECYCLES
from domain.lifecycles.lifecycle import Lifecycle
from domain.lifecycles.standstill import Standstill
from starter.pages.shell.catalogue import Say
from starter.pages.shell.context import PageContext

SETTING = "GUIDESMITH_"
"""How the name of a setting begins."""

ASKED_SHOWN = 90
"""Characters of what was asked for that stand for a title."""


class Group(StrEnum):
    """What a person looks for in a list."""

    WORKING = "working"
    WAITING = "waiting"
    FINISHED = "finished"
    FAILED = "failed"


class Tone(StrEnum):
    """How a status is coloured; ``base.css`` knows the names."""

    BUSY = "busy"
    WARN = "warn"
    GOOD = "good"
    BAD = "bad"
    PLAIN = "plain"


_TONES = {Group.WORKING: Tone.BUSY, Group.WAITING: Tone.WARN, Group.FINISHED: Tone.GOOD, Group.FAILED: Tone.BAD}


def group_of(kind: str, status: str) -> Group:
    """Which group a status belongs to, by the kind's table."""
    lifecycle = LIFECYCLES[kind]
    known = lifecycle.status(status)
    if lifecycle.is_terminal(known):
        return Group.FAILED if known in lifecycle.failures - {lifecycle.partial} else Group.FINISHED
    return Group.WAITING if lifecycle.waits_for_people(known) else Group.WORKING


def status_options(group: Group) -> tuple[tuple[str, str], ...]:
    """Every kind and status of a group."""
    return tuple(
        (kind, str(status))
        for kind, lifecycle in LIFECYCLES.items()
        for status in lifecycle.statuses
        if group_of(kind, str(status)) is group
    )


def tone_of(kind: str, status: str) -> Tone:
    """The colour of a status."""
    lifecycle = LIFECYCLES[kind]
    known = lifecycle.status(status)
    if known is lifecycle.cancelled:
        return Tone.PLAIN
    if known in lifecycle.failures and (known is lifecycle.partial or not lifecycle.is_terminal(known)):
        return Tone.WARN
    return _TONES[group_of(kind, status)]


def status_word(say: Say, kind: str, status: str) -> str:
    """The status for people."""
    return say(f"status-{kind}-{status}")


def title_of(say: Say, card: JobCard) -> str:
    """What a job is called: its document's title, what was asked for, its file's name, or its kind."""
    asked = card.asked_for.strip() if card.asked_for else ""
    if card.job.kind == BATCH.kind and asked in list(BatchType):
        return say(f"batch-{asked}")
    short = asked if len(asked) <= ASKED_SHOWN else f"{asked[:ASKED_SHOWN].rstrip()}…"
    return card.title or short or card.file_name or say(f"kind-{card.job.kind}")


def titles_of(context: PageContext, job_ids: Collection[str]) -> dict[str, str]:
    """What each of the visitor's jobs is called, by its id."""
    cards = context.api.store.job_cards_of(context.owner, job_ids)
    return {each: title_of(context.say, card) for each, card in cards.items()}


def failure_words(context: PageContext, failure: Failure | None) -> str | None:
    """Why a job failed, for whoever looks: what has to be set is named to those who can."""
    if failure is None:
        return None
    return told_to(context.say, failure, operator=context.is_admin)


def told_to(say: Say, failure: Failure, *, operator: bool) -> str:
    """As :func:`failure_words`, of a failure."""
    return failure.failure_message if operator or SETTING not in failure.failure_message else say("failure-of-operator")


@dataclass(frozen=True)
class Row:
    """A job in a list, as the template shows it. Times in seconds."""

    id: str
    title: str
    kind: str
    kind_word: str
    word: str
    tone: str
    progress: int
    working: bool
    elapsed_s: float | None
    created_at: datetime
    failure: str | None
    failure_code: str | None
    still_since: datetime | None
    address: str


def row_of(say: Say, card: JobCard, now: datetime, still: Mapping[str, Standstill]) -> Row:
    """A card for the list. ``still``: the jobs whose stage shows no progress, by their id."""
    job = card.job
    working = group_of(job.kind, job.status) is Group.WORKING
    elapsed_s = max(0.0, (now - (card.began_at or job.created_at)).total_seconds())
    return Row(
        id=job.id,
        title=title_of(say, card),
        kind=job.kind,
        kind_word=say(f"kind-{job.kind}"),
        word=status_word(say, job.kind, job.status),
        tone=tone_of(job.kind, job.status),
        progress=job.progress,
        working=working,
        elapsed_s=elapsed_s if working else None,
        created_at=job.created_at,
        failure=told_to(say, job.failure, operator=False)
        if job.failure and tone_of(job.kind, job.status) is Tone.BAD
        else None,
        failure_code=job.failure.failure_code if job.failure else None,
        still_since=still[job.id].since if job.id in still else None,
        address=f"/instructions/{job.instruction_id}" if job.instruction_id and not working else f"/jobs/{job.id}",
    )


@dataclass(frozen=True)
class Step:
    """One status on a job's way. ``state``: done, now, next, or stopped (here the job failed or was cancelled)."""

    status: str
    word: str
    state: str
    is_checkpoint: bool = False
    at: datetime | None = None
    took_s: float | None = None
    retries: int = 0


def steps_of(say: Say, kind: str, status: str, history: Sequence[Event]) -> tuple[Step, ...]:
    """The main way of the kind's table, with where the job is on it.

    Args:
        history: The audit rows that name a status, oldest first.
    """
    lifecycle: Lifecycle[Any] = LIFECYCLES[kind]
    way = [str(each) for each in lifecycle.main_way]
    place = _place(way, status, history)
    over = lifecycle.is_terminal(lifecycle.status(status))
    stopped = over and status not in way
    steps = []
    for number, name in enumerate(way):
        entered = [at for at, row in enumerate(history) if row.new_status == name and row.prev_status != name]
        last = entered[-1] if entered else None
        left = next((row for row in history[last + 1 :] if row.new_status != name), None) if last is not None else None
        if number < place or (over and not stopped and number <= place):
            state = "done"
        elif number == place:
            state = "stopped" if stopped else "now"
        else:
            state = "next"
        steps.append(
            Step(
                status=name,
                word=status_word(say, kind, name),
                state=state,
                is_checkpoint=name in {str(each) for each in lifecycle.checkpoints},
                at=history[last].occurred_at if last is not None and state != "next" else None,
                took_s=(left.occurred_at - history[last].occurred_at).total_seconds()
                if last is not None and left is not None and state == "done"
                else None,
                retries=sum(1 for row in history if row.new_status == row.prev_status == name),
            )
        )
    return tuple(steps)


def _place(way: Sequence[str], status: str, history: Sequence[Event]) -> int:
    """The place on the main way of a job that has ``status``; of one that is beside it, where it left."""
    if status in way:
        return way.index(status)
    left = next((row.new_status for row in reversed(history) if row.new_status in way), way[0])
    return way.index(str(left))
