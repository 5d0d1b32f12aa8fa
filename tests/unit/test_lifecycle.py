"""The lifecycle as a value: one table, one judge, and no way around either."""

from enum import StrEnum
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from domain.errors import TerminalImmutable, TransitionRefused
from domain.lifecycles.instruction import (
    ACTIVE,
    AUDIO_EXTRACTING,
    AUDIO_READY,
    CANCELLED,
    CREATED,
    DONE,
    DRAFT_READY,
    EDITING,
    EXPORTING,
    FAILED,
    GENERATING,
    INSTRUCTION,
    REGENERATING,
    RETRY,
    RUNNABLE,
    TRANSCRIBING,
    TRANSCRIPT_READY,
    UPLOADED,
    UPLOADING,
    InstructionStatus,
)
from domain.lifecycles.lifecycle import Lifecycle, Transition, Trigger

STATUSES = st.sampled_from(list(InstructionStatus))
TRIGGERS = st.sampled_from(list(Trigger))
ACTIONS = st.sampled_from([None, RETRY, "wish"])

WITHOUT_ACTION = {(row.source, row.target) for row in INSTRUCTION.transitions if row.action is None}

PATH = (
    CREATED,
    UPLOADING,
    UPLOADED,
    AUDIO_EXTRACTING,
    AUDIO_READY,
    TRANSCRIBING,
    TRANSCRIPT_READY,
    GENERATING,
    DRAFT_READY,
    EDITING,
    EXPORTING,
    DONE,
)


# --- the instruction's table -------------------------------------------------------------------------------------


def test_given_the_table_when_it_is_counted_then_every_row_of_the_contract_is_there() -> None:
    assert len(INSTRUCTION.transitions) == 47
    assert (INSTRUCTION.initial, INSTRUCTION.terminals) == (CREATED, frozenset({DONE, FAILED, CANCELLED}))
    assert INSTRUCTION.checkpoints == (AUDIO_READY, TRANSCRIPT_READY, DRAFT_READY)
    assert {UPLOADED, AUDIO_READY, TRANSCRIPT_READY, DRAFT_READY} == RUNNABLE


def test_given_a_job_when_nothing_goes_wrong_then_it_walks_from_created_to_done() -> None:
    for source, target in pairwise(PATH):
        assert any(INSTRUCTION.may(source, target, trigger) for trigger in Trigger), (source, target)


@pytest.mark.parametrize("row", INSTRUCTION.transitions, ids=lambda row: f"{row.source}-{row.target}-{row.action}")
def test_given_a_row_when_each_trigger_asks_then_only_the_rows_own_pass(row: Transition[InstructionStatus]) -> None:
    for trigger in Trigger:
        allowed = INSTRUCTION.may(row.source, row.target, trigger, action=row.action)
        assert allowed is (trigger in row.triggers)
        if allowed:
            assert INSTRUCTION.check(row.source, row.target, trigger, action=row.action) is row


@pytest.mark.parametrize("status", ACTIVE)
def test_given_a_status_that_has_not_ended_when_it_is_cancelled_or_fails_then_the_table_allows_it(
    status: InstructionStatus,
) -> None:
    assert INSTRUCTION.may(status, CANCELLED, Trigger.API)
    assert INSTRUCTION.may(status, FAILED, Trigger.WORKFLOW)
    assert INSTRUCTION.may(status, FAILED, Trigger.API)
    assert not INSTRUCTION.may(status, CANCELLED, Trigger.WORKFLOW)


def test_given_self_transitions_when_they_are_listed_then_they_are_the_stages_that_may_be_retried() -> None:
    retried = {row.source for row in INSTRUCTION.transitions if row.is_self}
    assert retried == {AUDIO_EXTRACTING, TRANSCRIBING, GENERATING}


def test_given_a_failed_job_when_it_leaves_then_only_by_retry_and_only_to_where_a_run_may_begin() -> None:
    ways_out = [row for row in INSTRUCTION.transitions if row.source is FAILED]
    assert {row.target for row in ways_out} == RUNNABLE
    assert {row.action for row in ways_out} == {RETRY}
    for target in RUNNABLE:
        with pytest.raises(TerminalImmutable):
            INSTRUCTION.check(FAILED, target, Trigger.USER)
        with pytest.raises(TerminalImmutable):
            INSTRUCTION.check(FAILED, target, Trigger.WORKFLOW, action=RETRY)


def test_given_a_refusal_when_it_is_read_then_it_names_current_attempted_and_all_that_may_follow() -> None:
    with pytest.raises(TransitionRefused) as refusal:
        INSTRUCTION.check(EDITING, DONE, Trigger.WORKFLOW)

    assert refusal.value.code == "FSM_TRANSITION_INVALID"
    assert refusal.value.details == {
        "current_status": "EDITING",
        "attempted_status": "DONE",
        "allowed_next_statuses": ["REGENERATING", "EXPORTING", "FAILED", "CANCELLED"],
    }


@pytest.mark.parametrize("status", [DONE, CANCELLED, FAILED])
def test_given_a_terminal_status_when_anything_is_attempted_then_it_is_immutable_and_nothing_follows(
    status: InstructionStatus,
) -> None:
    with pytest.raises(TerminalImmutable) as refusal:
        INSTRUCTION.check(status, EDITING, Trigger.USER)

    assert refusal.value.code == "FSM_TERMINAL_IMMUTABLE"
    assert refusal.value.details["allowed_next_statuses"] == []


def test_given_a_name_that_is_no_status_when_it_is_looked_up_then_it_is_refused_briefly() -> None:
    with pytest.raises(TransitionRefused) as refusal:
        INSTRUCTION.status("done" * 1000)
    assert len(refusal.value.message) < 100
    assert INSTRUCTION.status("DONE") is DONE


def test_given_the_table_when_it_is_drawn_then_every_status_and_row_is_in_the_picture() -> None:
    drawn = INSTRUCTION.mermaid()
    assert drawn.startswith("stateDiagram-v2")
    assert all(status in drawn for status in InstructionStatus)
    assert "[*] --> CREATED: api" in drawn
    assert "FAILED --> UPLOADED: retry" in drawn
    assert len(INSTRUCTION.table()) == len(INSTRUCTION.transitions)


# --- what cannot be a table --------------------------------------------------------------------------------------


class Light(StrEnum):
    OFF = "off"
    ON = "on"
    BROKEN = "broken"


Row = Transition[Light]


def row(source: Light | None, target: Light, *, action: str | None = None) -> Row:
    return Transition(source, target, frozenset({Trigger.USER}), action=action)


def lamp(*table: Row) -> Lifecycle[Light]:
    return Lifecycle(
        kind="lamp",
        statuses=Light,
        terminals=frozenset({Light.BROKEN}),
        transitions=(row(None, Light.OFF), *table),
    )


ON, OFF = row(Light.OFF, Light.ON), row(Light.ON, Light.OFF)
BREAK = row(Light.ON, Light.BROKEN)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ((ON, ON, BREAK), "two rows"),
        ((ON, BREAK, row(Light.BROKEN, Light.OFF)), "needs an action"),
        ((ON, OFF), "unreachable"),
        ((ON, row(Light.OFF, Light.BROKEN)), "can never end"),
    ],
)
def test_given_a_table_that_contradicts_itself_when_it_is_made_then_it_says_how(
    table: tuple[Row, ...], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        lamp(*table)


def test_given_a_sound_table_when_it_is_made_then_it_judges() -> None:
    sound = lamp(ON, OFF, BREAK, row(Light.BROKEN, Light.OFF, action="repair"))
    assert sound.active == (Light.OFF, Light.ON)
    assert sound.allowed_next(Light.ON) == (Light.OFF, Light.BROKEN)
    assert sound.allowed_next(Light.BROKEN) == ()
    assert sound.may(Light.BROKEN, Light.OFF, Trigger.USER, action="repair")


# --- no sequence of events leaves the table ----------------------------------------------------------------------


@given(source=st.none() | STATUSES, target=STATUSES, trigger=TRIGGERS, action=ACTIONS)
@settings(max_examples=500)
def test_given_any_move_when_it_is_judged_then_may_and_check_agree_and_a_refusal_is_complete(
    source: InstructionStatus | None, target: InstructionStatus, trigger: Trigger, action: str | None
) -> None:
    allowed = INSTRUCTION.may(source, target, trigger, action=action)
    try:
        row = INSTRUCTION.check(source, target, trigger, action=action)
    except TransitionRefused as refusal:
        assert not allowed
        assert isinstance(refusal, TerminalImmutable) is (source in INSTRUCTION.terminals)
        assert refusal.details == {
            "current_status": source and str(source),
            "attempted_status": str(target),
            "allowed_next_statuses": [str(each) for each in InstructionStatus if (source, each) in WITHOUT_ACTION],
        }
    else:
        assert allowed
        assert (row.source, row.target, row.action) == (source, target, action)


class AJob(RuleBasedStateMachine):
    """One job that meets every event there is, in any order, and keeps the trail of what was accepted."""

    def __init__(self) -> None:
        super().__init__()
        self.trail: list[Transition[InstructionStatus]] = []
        self.attempt(INSTRUCTION.initial, Trigger.API, None)

    @property
    def here(self) -> InstructionStatus | None:
        return self.trail[-1].target if self.trail else None

    @precondition(lambda self: any(row.source is self.here for row in INSTRUCTION.transitions))
    @rule(data=st.data())
    def follow_a_row(self, data: st.DataObject) -> None:
        """Legal moves, or no job would come far."""
        row = data.draw(st.sampled_from([row for row in INSTRUCTION.transitions if row.source is self.here]))
        trigger = data.draw(st.sampled_from(sorted(row.triggers)))
        length = len(self.trail)
        self.attempt(row.target, trigger, row.action)
        assert len(self.trail) == length + 1

    @rule(wanted=STATUSES, trigger=TRIGGERS, action=ACTIONS)
    def attempt(self, wanted: InstructionStatus, trigger: Trigger, action: str | None) -> None:
        """Any move at all: accepted as its row, or refused with nothing changed."""
        try:
            self.trail.append(INSTRUCTION.check(self.here, wanted, trigger, action=action))
        except TransitionRefused as refusal:
            assert refusal.details["current_status"] == self.here
            assert refusal.details["attempted_status"] == wanted

    @invariant()
    def the_trail_is_in_the_table(self) -> None:
        assert self.trail[0].source is None
        assert all(row in INSTRUCTION.transitions for row in self.trail)
        assert all(one.target is next_one.source for one, next_one in pairwise(self.trail))

    @invariant()
    def terminals_hold_but_for_the_retry(self) -> None:
        for row in self.trail:
            if row.source in INSTRUCTION.terminals:
                assert (row.source, row.action) == (FAILED, RETRY)
                assert row.target in RUNNABLE


AJob.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestAJob = AJob.TestCase


def test_given_the_table_when_walked_from_birth_then_every_row_is_exercised_by_some_sequence_of_checks() -> None:
    taken: set[Transition[InstructionStatus]] = set()
    frontier: list[InstructionStatus | None] = [None]
    while frontier:
        here = frontier.pop()
        for row in INSTRUCTION.transitions:
            if row.source is here and row not in taken:
                taken.add(INSTRUCTION.check(here, row.target, min(row.triggers), action=row.action))
                frontier.append(row.target)
    assert taken == set(INSTRUCTION.transitions)


def test_given_a_regeneration_when_it_ends_then_the_job_is_editable_again_and_not_done() -> None:
    assert INSTRUCTION.allowed_next(REGENERATING) == (EDITING, FAILED, CANCELLED)


def test_given_a_failed_job_when_a_move_is_refused_then_the_message_says_what_leads_on() -> None:
    with pytest.raises(TerminalImmutable, match="ask for a retry"):
        INSTRUCTION.check(FAILED, AUDIO_EXTRACTING, Trigger.API)
    with pytest.raises(TerminalImmutable) as final:
        INSTRUCTION.check(DONE, EDITING, Trigger.API)
    assert "retry" not in final.value.message
