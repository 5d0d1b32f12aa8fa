"""A job kind's lifecycle as a value: its statuses, the moves between them, and one function that judges a move.

The workflow, the store and the API all call :meth:`Lifecycle.check`; no other code decides whether a status may follow
another. Tables are written row by row (see ``domain/lifecycles/instruction.py``) and rendered from the same value as
text, Mermaid and SQL ``CHECK`` constraints.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from domain.errors import TerminalImmutable, TransitionRefused

S = TypeVar("S", bound=StrEnum)

CANCELLED = "CANCELLED"
"""What a cancel is said to have attempted where the kind has no word for it (API contract)."""


class Trigger(StrEnum):
    """Who may cause a move."""

    API = "api"
    WORKFLOW = "workflow"
    USER = "user"
    WORKER = "worker"
    WEBHOOK = "webhook"
    ADMIN = "admin"
    SYSTEM = "system"


PEOPLE = frozenset({Trigger.API, Trigger.USER, Trigger.ADMIN})
"""Triggers behind which there is a person, or a program of theirs."""


@dataclass(frozen=True, slots=True)
class Transition(Generic[S]):
    """One row: from ``source`` (``None``: the job begins) to ``target``.

    ``action`` names an explicit action (``"retry"``) without which the row does not apply; it is what lets a table
    lead out of a terminal status. ``is_noop``: the job is there already and its kind takes that for success; such a
    row is in no table, and nothing is written for it.
    """

    source: S | None
    target: S
    triggers: frozenset[Trigger]
    note: str = ""
    action: str | None = None
    is_noop: bool = False

    @property
    def is_self(self) -> bool:
        return self.source is self.target


def rows(
    sources: S | tuple[S, ...] | None,
    target: S,
    triggers: Trigger | tuple[Trigger, ...],
    note: str = "",
    *,
    action: str | None = None,
) -> Iterator[Transition[S]]:
    """One line of a table, as a person writes it: several sources make several rows."""
    each: tuple[S | None, ...] = sources if isinstance(sources, tuple) else (sources,)
    by = frozenset((triggers,) if isinstance(triggers, Trigger) else triggers)
    for source in each:
        yield Transition(source, target, by, note, action)


@dataclass(frozen=True)
class Lifecycle(Generic[S]):
    """The table of one kind.

    Args:
        kind: The job kind's name, as stored and shown.
        statuses: The kind's own status enum, in order.
        transitions: Every legal move; whatever is not here is forbidden.
        terminals: Statuses with no way out but an explicit action.
        checkpoints: Statuses whose artifact is stored and verified, in order; a rerun may start there.
        failures: Statuses in which a job carries why it went wrong.
        partial: The terminal status of a job of which a part came about; it is among the failures.
        cancelled: The status of a job that was stopped on request; ``None``: this kind has none for that.
        stopped: Where a job ends that its owner stopped, in a kind without a status of its own for it, unless there is
            enough by then for a better end; ``None``: it cannot be stopped.
        runner: As whom the kind's own run moves its jobs.
        repeats_are_noops: A move to the status that the job has is a success that changes nothing, whoever asks.

    Raises:
        ValueError: The table contradicts itself (two rows for one move, an unreachable status, a way out of a
            terminal status without an action, a status that can never end).
    """

    kind: str
    statuses: type[S]
    transitions: tuple[Transition[S], ...]
    terminals: frozenset[S]
    checkpoints: tuple[S, ...] = ()
    failures: frozenset[S] = frozenset()
    partial: S | None = None
    cancelled: S | None = None
    stopped: S | None = None
    runner: Trigger = Trigger.WORKFLOW
    repeats_are_noops: bool = False
    _by_move: dict[tuple[S | None, S, str | None], Transition[S]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        for row in self.transitions:
            move = (row.source, row.target, row.action)
            if move in self._by_move:
                raise ValueError(f"{self.kind}: two rows for {row.source} -> {row.target}")
            if row.source in self.terminals and row.action is None:
                raise ValueError(f"{self.kind}: {row.source} is terminal, its way out needs an action")
            if self.repeats_are_noops and row.is_self:
                raise ValueError(f"{self.kind}: {row.source} -> {row.target} changes nothing, and needs no row")
            self._by_move[move] = row
        unreachable = set(self.statuses) - self._reach(self.initial)
        if unreachable:
            raise ValueError(f"{self.kind}: unreachable: {sorted(unreachable)}")
        for status in self.statuses:
            if status not in self.terminals and not self._reach(status) & self.terminals:
                raise ValueError(f"{self.kind}: {status} can never end")

    def _reach(self, start: S) -> set[S]:
        seen = {start}
        frontier = [start]
        while frontier:
            here = frontier.pop()
            for row in self.transitions:
                if row.source is here and row.target not in seen:
                    seen.add(row.target)
                    frontier.append(row.target)
        return seen

    @property
    def initial(self) -> S:
        """The status in which a job is born."""
        (first,) = [row.target for row in self.transitions if row.source is None]
        return first

    @property
    def active(self) -> tuple[S, ...]:
        """The statuses that are not terminal, in order."""
        return tuple(status for status in self.statuses if status not in self.terminals)

    def is_terminal(self, status: S) -> bool:
        return status in self.terminals

    def status(self, name: str) -> S:
        """The status called ``name``.

        Raises:
            TransitionRefused: This kind has no such status.
        """
        try:
            return self.statuses(name)
        except ValueError:
            raise TransitionRefused(f"{self.kind} has no status {name[:40]!r}.") from None

    def allowed_next(self, status: S | None) -> tuple[S, ...]:
        """The statuses that may follow without an explicit action, whoever asks, in the enum's order."""
        targets = {row.target for row in self.transitions if row.source is status and row.action is None}
        return tuple(each for each in self.statuses if each in targets)

    def check(self, current: S | None, target: S, trigger: Trigger, *, action: str | None = None) -> Transition[S]:
        """The row that allows the move from ``current`` to ``target``.

        Raises:
            TerminalImmutable: ``current`` is terminal.
            TransitionRefused: The table has no such row, or ``trigger`` may not cause it. Nothing changed.
        """
        row = self._row(current, target, action)
        if row is not None and trigger in row.triggers:
            return row
        raise self._refusal(current, target, foreign=row is not None)

    def may(self, current: S | None, target: S, trigger: Trigger, *, action: str | None = None) -> bool:
        """Whether :meth:`check` would let the move pass."""
        row = self._row(current, target, action)
        return row is not None and trigger in row.triggers

    def check_cancel(self, current: S, trigger: Trigger) -> S:
        """Where a job in ``current`` goes that is stopped on request.

        Raises:
            TerminalImmutable: It has ended. TransitionRefused: This kind cannot be cancelled, or not from there.
        """
        target = self.cancelled or self.stopped
        if target is None or self.is_terminal(current):
            raise self._refusal(current, self.cancelled or CANCELLED, foreign=False)
        self.way(current, target, trigger)
        return target

    def may_cancel(self, current: S, trigger: Trigger) -> bool:
        """Whether :meth:`check_cancel` would let it pass."""
        try:
            self.check_cancel(current, trigger)
        except TransitionRefused:
            return False
        return True

    def is_stopped(self, status: S) -> bool:
        """Whether a job that ended in ``status`` may have been stopped on request."""
        if self.cancelled is not None:
            return status is self.cancelled
        return self.stopped is not None and status in self.failures

    def way(self, source: S, target: S, trigger: Trigger) -> tuple[S, ...]:
        """The shortest way from ``source`` to ``target`` by moves that ``trigger`` may cause without an explicit
        action: the statuses on it, ``target`` the last.

        Raises:
            TransitionRefused: There is none.
        """
        ways: dict[S, tuple[S, ...]] = {source: ()}
        frontier = [source]
        for here in frontier:
            for row in self.transitions:
                if row.source is here and row.action is None and trigger in row.triggers and row.target not in ways:
                    ways[row.target] = (*ways[here], row.target)
                    frontier.append(row.target)
        if target is source or target not in ways:
            raise self._refusal(source, target, foreign=False)
        return ways[target]

    @property
    def succeeded(self) -> S:
        """The status that a job ends in when all goes well."""
        return next(
            each for each in self.statuses if each in self.terminals - self.failures and each is not self.cancelled
        )

    @property
    def main_way(self) -> tuple[S, ...]:
        """The way of a job for which all goes well, through as many statuses as the enum's order allows: what a person
        is shown to know where a job is."""
        order = list(self.statuses)
        longest: dict[S, tuple[S, ...]] = {self.initial: (self.initial,)}
        for target in order[order.index(self.initial) + 1 :]:
            if target in self.terminals and target is not self.succeeded:
                continue
            ways = [
                longest[row.source]
                for row in self.transitions
                if row.target is target and row.action is None and row.source in longest
            ]
            if ways:
                longest[target] = (*max(ways, key=len), target)
        return longest[self.succeeded]

    def waits_for_people(self, status: S) -> bool:
        """Whether nothing but a person's doing leads on from ``status``."""
        onward = [
            row.triggers
            for row in self.transitions
            if row.source is status
            and row.action is None
            and not row.is_self
            and row.target is not self.cancelled
            and row.target not in self.failures
        ]
        return bool(onward) and all(triggers <= PEOPLE for triggers in onward)

    def _row(self, current: S | None, target: S, action: str | None) -> Transition[S] | None:
        if self.repeats_are_noops and current == target:
            return Transition(current, target, frozenset(Trigger), "it is there already", is_noop=True)
        return self._by_move.get((current, target, action))

    def _refusal(self, current: S | None, target: str, *, foreign: bool) -> TransitionRefused:
        allowed = self.allowed_next(current)
        final = current in self.terminals
        refusal = TerminalImmutable if final else TransitionRefused
        return refusal(
            _in_words(current, target, final=final, allowed=allowed, foreign=foreign, actions=self._actions(current)),
            details={
                "current_status": str(current) if current else None,
                "attempted_status": str(target),
                "allowed_next_statuses": [str(each) for each in allowed],
            },
        )

    def _actions(self, current: S | None) -> tuple[str, ...]:
        """The explicit actions that lead on from ``current``."""
        return tuple(dict.fromkeys(row.action for row in self.transitions if row.source is current and row.action))

    def table(self) -> list[dict[str, object]]:
        """The rows as plain values, for JSON and for printing."""
        return [
            {
                "from": str(row.source) if row.source else None,
                "to": str(row.target),
                "triggers": sorted(str(each) for each in row.triggers),
                "note": row.note,
                "action": row.action,
            }
            for row in self.transitions
        ]

    def mermaid(self) -> str:
        """The table as a Mermaid state diagram. Moves that every active status has are drawn once, in a note."""
        common = self.ends_of_all
        lines = ["stateDiagram-v2"]
        for row in self.transitions:
            if row.target in common and row.source is not None and row.action is None:
                continue
            label = row.action or ", ".join(sorted(str(each) for each in row.triggers))
            lines.append(f"    {row.source or '[*]'} --> {row.target}: {label}")
        lines += [f"    {status} --> [*]" for status in self.statuses if status in self.terminals]
        for target in common:
            lines.append(f"    note right of {target}: from every status that is not terminal")
        return "\n".join(lines) + "\n"

    @property
    def ends_of_all(self) -> tuple[S, ...]:
        """The terminal statuses that a job can come to from every status that is not terminal."""
        active = set(self.active)
        return tuple(
            target
            for target in self.statuses
            if target in self.terminals
            and active <= {row.source for row in self.transitions if row.target is target and row.action is None}
        )

    @staticmethod
    def of(*tables: Iterable[Transition[S]]) -> tuple[Transition[S], ...]:
        """Flatten the lines that :func:`rows` yields."""
        return tuple(row for table in tables for row in table)


def _in_words(
    current: StrEnum | None,
    target: str,
    *,
    final: bool,
    allowed: Sequence[StrEnum],
    foreign: bool,
    actions: Sequence[str] = (),
) -> str:
    """Why a move was refused, for whoever asked for it. ``foreign``: the move exists, but is somebody else's;
    ``actions``: what leads on all the same, when it is asked for by name."""
    if current is None:
        return f"A job does not begin as {target}."
    if final:
        hint = f" To go on from here, ask for a {' or a '.join(actions)}." if actions else ""
        return f"The job has ended as {current}, and cannot become {target} any more.{hint}"
    if foreign:
        return f"The job is {current}. It becomes {target} by itself when it is time, not on this request."
    if not allowed:
        return f"The job is {current}, and cannot become {target}."
    *most, last = map(str, allowed)
    names = f"{', '.join(most)} or {last}" if most else last
    return f"The job is {current}, and cannot become {target} now. Next it can only become {names}."
