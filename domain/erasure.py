"""What is erased on request or by its age: a job with all that is its own, a recording alone, a project with its jobs,
a user with all that is theirs. What is left of it is that this was done. Before a guide is erased it lies in the bin,
and can come back."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from domain.errors import GuideInUse, RecordingInUse
from domain.jobs import Frozen
from domain.lifecycles.instruction import CANCELLED, DONE, DRAFT_READY, EDITING, FAILED
from domain.lifecycles.kinds import LIFECYCLES

RECORDING_MAY_GO = frozenset({DRAFT_READY, EDITING, DONE, FAILED, CANCELLED})
"""Where no run reads the recording, nor waits for it. A job that failed cannot be retried without it."""


NOBODY = "(erased)"
"""The owner of what is being erased, with a job's own name behind it."""

BIN = "(bin) "
"""What stands before the owner of each row of a guide in the bin: it is theirs, and nobody finds it by their name."""

BIN_DAYS = 30
"""How long a guide lies in the bin before it is erased."""


PERSON_FACTS = frozenset({"mentioned", "requested_by", "user_id"})
"""Facts of a job's log, and of what endpoints are sent of it, that are somebody's name, or several."""


def without_person(facts: Mapping[str, Any], person: str, nobody: str) -> dict[str, Any]:
    """Such facts with ``nobody`` where ``person`` stood by name, and without them among several."""
    left: dict[str, Any] = {}
    for name, value in facts.items():
        if isinstance(value, Mapping):
            left[name] = without_person(value, person, nobody)
        elif name in PERSON_FACTS and isinstance(value, list):
            left[name] = [each for each in value if each != person]
        else:
            left[name] = nobody if name in PERSON_FACTS and value == person else value
    return left


def is_absent(owner: str) -> bool:
    """Whether what has this owner is there for nobody: it is being erased, or lies in the bin. No token is of such a
    subject."""
    return owner.startswith((NOBODY, BIN))


def binned(owner: str) -> str:
    """The owner of what ``owner`` has in the bin."""
    return f"{BIN}{owner}"


def names_of_owner(owner: str) -> tuple[str, str]:
    """The names by which rows are ``owner``'s: outside the bin, and in it. Whoever looks for all that is somebody's
    looks for both."""
    return owner, binned(owner)


def whose(owner: str) -> str:
    """Whose something is, also in the bin."""
    return owner.removeprefix(BIN)


class PurgeKind(StrEnum):
    """What goes besides whole jobs."""

    RECORDING = "recording"
    PROJECT = "project"
    USER = "user"


class Erasure(Frozen):
    """That a job was erased, and nothing else of it: an id that leads nowhere, who asked, and when.

    Args:
        by_admin: Whether an administrator asked for it.
        by_age: Whether nobody did: it was kept as long as the settings say. Neither: its owner did.
        completed_at: ``None``: rows, files and histories are still being removed.
    """

    job_id: str
    by_admin: bool
    by_age: bool = False
    requested_at: datetime
    completed_at: datetime | None = None


class Purge(Frozen):
    """That a user, a project, or a recording alone was erased. ``id`` leads nowhere; the rest as of an
    :class:`Erasure`."""

    id: str
    what: PurgeKind
    by_admin: bool
    by_age: bool = False
    requested_at: datetime
    completed_at: datetime | None = None


class Review(Frozen):
    """That an administrator has looked at a job that ended badly, and what they noted."""

    job_id: str
    reviewer: str
    note: str
    reviewed_at: datetime


def check_recording_may_go(status: str, *, read_for_others: bool = False) -> None:
    """Whether the recording of an instruction in that status may be erased.

    Args:
        read_for_others: Whether a batch or the task of a picture still reads it, or is about to.

    Raises:
        RecordingInUse: It may not yet.
    """
    if status not in RECORDING_MAY_GO:
        raise RecordingInUse(
            "The job still works with its recording. Wait until the draft is there, or cancel the job.",
            details={"current_status": status},
        )
    if read_for_others:
        raise RecordingInUse(
            "A batch or a picture is being made of the recording. Wait until that is done, or cancel the batch.",
            details={"current_status": status},
        )


def check_may_be_binned(status: str, *, dispatched: bool, at_work: bool = False, read_for_others: bool = False) -> None:
    """Whether an instruction in that status may be thrown away: nothing works for it, so that it comes back as it went.

    Args:
        dispatched: Whether it was given to a run.
        at_work: Whether a task of its document has not ended.
        read_for_others: As for :func:`check_recording_may_go`.

    Raises:
        GuideInUse: It may not yet.
    """
    if (dispatched and status not in RECORDING_MAY_GO) or at_work:
        raise GuideInUse(
            "The guide is being worked on. Wait until that is done, or cancel it.", details={"current_status": status}
        )
    if read_for_others:
        raise GuideInUse(
            "A batch or a picture is being made of the guide's recording. Wait until that is done.",
            details={"current_status": status},
        )


def read_project_keeping(written: str) -> Mapping[str, Mapping[str, int]]:
    """Days by project, and there by kind of job and ``recording``, out of ``project=days`` (every kind of job that is
    not named beside it), ``project/kind=days`` and ``project/recording=days``, with commas.

    Raises:
        ValueError: Says what is wrong.
    """
    kept: dict[str, dict[str, int]] = {}
    whole: dict[str, int] = {}
    kinds = (*LIFECYCLES, str(PurgeKind.RECORDING))
    for each in filter(None, (part.strip() for part in written.split(","))):
        of, equals, days = (part.strip() for part in each.partition("="))
        project, slash, kind = (part.strip() for part in of.partition("/"))
        if not (project and equals) or (slash and kind not in kinds):
            raise ValueError(f"is project=days or project/kind=days with commas; kinds: {', '.join(kinds)}")
        if not days.isdecimal() or not 1 <= int(days) <= MOST_DAYS:
            raise ValueError(f"needs 1 to {MOST_DAYS} days for each project")
        here = kept.setdefault(project, {})
        if kind in here or (not slash and project in whole):
            raise ValueError("names a project's kind twice, or a project")
        (here if slash else whole)[kind if slash else project] = int(days)
    for project, days_of_all in whole.items():
        kept[project] = dict.fromkeys(LIFECYCLES, days_of_all) | kept[project]
    return kept


def read_keeping(written: str) -> Mapping[str, int]:
    """Days by kind of job, out of ``kind=days`` with commas. Raises: ValueError: says what is wrong."""
    kept: dict[str, int] = {}
    for each in filter(None, (part.strip() for part in written.split(","))):
        kind, equals, days = (part.strip() for part in each.partition("="))
        if kind not in LIFECYCLES or not equals:
            raise ValueError(f"is kind=days with commas; kinds: {', '.join(LIFECYCLES)}")
        if not days.isdecimal() or not 1 <= int(days) <= MOST_DAYS:
            raise ValueError(f"needs 1 to {MOST_DAYS} days for {kind}")
        if kind in kept:
            raise ValueError(f"names {kind} twice")
        kept[kind] = int(days)
    return kept


MOST_DAYS = 36500
"""A hundred years. What is to be kept for ever is not named."""
