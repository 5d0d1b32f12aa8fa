"""The tables of image, generation, analysis and batch: as the contract has them, and no way around them."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from domain.canonical import digest
from domain.errors import (
    PromptRefused,
    QuotaExceeded,
    RequestInvalid,
    TerminalImmutable,
    TransitionRefused,
)
from domain.lifecycles import analysis, batch, generation, image
from domain.lifecycles.analysis import ANALYSIS, AnalysisStatus, check_unlocked
from domain.lifecycles.batch import BATCH, BatchStatus, judge_progress, outcome, progress_at_end
from domain.lifecycles.generation import (
    GENERATION,
    SUBMITTED,
    Addressee,
    GenerationStatus,
    GenerationType,
    WebhookVerdict,
    judge_webhook,
)
from domain.lifecycles.image import (
    IMAGE,
    SUPERSEDE,
    ImageStatus,
    Repeat,
    after_failure,
    backoff_s,
    idempotency_key,
    judge_repeat,
)
from domain.lifecycles.instruction import INSTRUCTION, RETRY
from domain.lifecycles.kinds import LIFECYCLES, lifecycle_of
from domain.lifecycles.lifecycle import Lifecycle, Transition, Trigger
from domain.orders.prompt_guard import PromptGuard

OTHERS: list[Lifecycle[Any]] = [IMAGE, GENERATION, ANALYSIS, BATCH]
KINDS = [lifecycle.kind for lifecycle in OTHERS]

API, WORKER, WEBHOOK, ADMIN, SYSTEM = Trigger.API, Trigger.WORKER, Trigger.WEBHOOK, Trigger.ADMIN, Trigger.SYSTEM

CONTRACT: dict[str, set[tuple[str | None, str]]] = {
    "image": {
        (None, "queued"),
        ("queued", "running"),
        ("queued", "rejected"),
        ("running", "completed"),
        ("running", "failed"),
        ("failed", "queued"),
        ("failed", "dead_letter"),
        ("running", "rejected"),
    },
    "generation": {
        (None, "pending"),
        ("pending", "queued"),
        ("pending", "processing"),
        ("pending", "failed"),
        ("pending", "canceled"),
        ("queued", "processing"),
        ("queued", "failed"),
        ("queued", "canceled"),
        ("processing", "completed"),
        ("processing", "failed"),
        ("processing", "canceled"),
        ("processing", "expired"),
        ("failed", "pending"),
        ("expired", "pending"),
    },
    "analysis": {
        (None, "created"),
        ("created", "draft_ready"),
        ("draft_ready", "confirmed"),
        ("confirmed", "queued"),
        ("queued", "running"),
        ("running", "succeeded"),
        ("running", "failed"),
        ("failed", "queued"),
    },
    "batch": {
        (None, "queued"),
        ("queued", "processing"),
        ("processing", "processing"),
        ("processing", "completed"),
        ("processing", "partial"),
        ("processing", "failed"),
    },
}

TERMINALS = {
    "image": {"completed", "rejected", "dead_letter"},
    "generation": {"completed", "canceled", "failed", "expired"},
    "analysis": {"succeeded", "failed"},
    "batch": {"completed", "partial", "failed"},
}


def statuses_of(lifecycle: Lifecycle[Any]) -> list[Any]:
    return [*lifecycle.active, *sorted(lifecycle.terminals)]


def moves(lifecycle: Lifecycle[Any]) -> set[tuple[Any, Any]]:
    return {(row.source, row.target) for row in lifecycle.transitions}


# --- the tables --------------------------------------------------------------------------------------------------


def test_given_the_kinds_when_listed_then_there_are_five_and_each_knows_its_name() -> None:
    assert list(LIFECYCLES) == ["instruction", *KINDS]
    assert all(lifecycle_of(kind).kind == kind for kind in LIFECYCLES)
    with pytest.raises(RequestInvalid, match="batch"):
        lifecycle_of("juggling" * 20)


@pytest.mark.parametrize("kind", KINDS)
def test_given_a_table_when_compared_with_the_contract_then_every_move_is_there_and_no_other(kind: str) -> None:
    lifecycle = LIFECYCLES[kind]
    assert moves(lifecycle) == CONTRACT[kind]
    assert lifecycle.terminals == TERMINALS[kind]


def test_given_a_status_name_that_two_kinds_share_when_asked_then_each_table_says_what_it_means() -> None:
    assert not IMAGE.is_terminal(ImageStatus.FAILED)
    assert GENERATION.is_terminal(GenerationStatus.FAILED)
    assert ANALYSIS.is_terminal(AnalysisStatus.FAILED)
    assert BATCH.is_terminal(BatchStatus.FAILED)
    enums = [INSTRUCTION.statuses, *(each.statuses for each in OTHERS)]
    assert len(set(enums)) == 5


@pytest.mark.parametrize(
    ("lifecycle", "source", "target", "triggers"),
    [
        (IMAGE, None, "queued", {API}),
        (IMAGE, "queued", "running", {WORKER}),
        (IMAGE, "failed", "queued", {WORKER}),
        (GENERATION, None, "pending", {API}),
        (GENERATION, "pending", "processing", {WORKER, API}),
        (GENERATION, "queued", "canceled", {WORKER, API}),
        (GENERATION, "processing", "completed", {WORKER, WEBHOOK, API, SYSTEM}),
        (GENERATION, "processing", "expired", {WORKER, WEBHOOK, API, SYSTEM}),
        (BATCH, "processing", "partial", {WORKER}),
    ],
)
def test_given_a_move_when_each_trigger_asks_then_the_contracts_own_pass(
    lifecycle: Lifecycle[Any], source: str | None, target: str, triggers: set[Trigger]
) -> None:
    current = lifecycle.status(source) if source else None
    passing = {each for each in Trigger if lifecycle.may(current, lifecycle.status(target), each)}
    assert passing == triggers


@pytest.mark.parametrize("kind", KINDS)
def test_given_a_status_when_every_move_is_tried_then_the_forbidden_ones_are_refused_with_all_that_is_allowed(
    kind: str,
) -> None:
    lifecycle = LIFECYCLES[kind]
    free = {(row.source, row.target) for row in lifecycle.transitions if row.action is None}
    refused = 0
    for source in [None, *statuses_of(lifecycle)]:
        for target in lifecycle.statuses:
            if (source, target) in free or (lifecycle.repeats_are_noops and source is target):
                continue
            for trigger in Trigger:
                with pytest.raises(TransitionRefused) as refusal:
                    lifecycle.check(source, target, trigger)
                assert isinstance(refusal.value, TerminalImmutable) is (source in lifecycle.terminals)
                assert refusal.value.details == {
                    "current_status": source and str(source),
                    "attempted_status": str(target),
                    "allowed_next_statuses": [str(each) for each in lifecycle.statuses if (source, each) in free],
                }
                refused += 1
    assert refused > 100


@pytest.mark.parametrize("kind", KINDS)
def test_given_a_table_when_walked_from_birth_then_every_row_is_reached(kind: str) -> None:
    lifecycle = LIFECYCLES[kind]
    taken: set[Transition[Any]] = set()
    frontier: list[Any] = [None]
    while frontier:
        here = frontier.pop()
        for row in lifecycle.transitions:
            if row.source is here and row not in taken:
                taken.add(lifecycle.check(here, row.target, min(row.triggers), action=row.action))
                frontier.append(row.target)
    assert taken == set(lifecycle.transitions)


@pytest.mark.parametrize("kind", KINDS)
def test_given_a_table_when_drawn_then_every_status_and_every_move_is_in_the_picture(kind: str) -> None:
    lifecycle = LIFECYCLES[kind]
    drawn = lifecycle.mermaid()
    assert all(status in drawn for status in lifecycle.statuses)
    for row in lifecycle.transitions:
        arrow = f"{row.source or '[*]'} --> {row.target}:"
        assert arrow in drawn or f"note right of {row.target}:" in drawn


# --- what a table says beside its rows -----------------------------------------------------------------------------


def test_given_an_explicit_action_when_it_is_named_then_and_only_then_the_way_opens() -> None:
    for current in (GenerationStatus.FAILED, GenerationStatus.EXPIRED):
        assert GENERATION.may(current, GenerationStatus.PENDING, ADMIN, action=RETRY)
        assert not GENERATION.may(current, GenerationStatus.PENDING, Trigger.USER, action=RETRY)
        assert not GENERATION.may(current, GenerationStatus.PENDING, ADMIN)
    for current in (GenerationStatus.COMPLETED, GenerationStatus.CANCELED):
        assert not GENERATION.may(current, GenerationStatus.PENDING, ADMIN, action=RETRY)
    assert ANALYSIS.may(AnalysisStatus.FAILED, AnalysisStatus.QUEUED, API, action=RETRY)
    assert not ANALYSIS.may(AnalysisStatus.SUCCEEDED, AnalysisStatus.QUEUED, API, action=RETRY)
    assert IMAGE.may(ImageStatus.FAILED, ImageStatus.DEAD_LETTER, API, action=SUPERSEDE)
    assert not IMAGE.may(ImageStatus.FAILED, ImageStatus.DEAD_LETTER, API)
    assert not IMAGE.may(ImageStatus.RUNNING, ImageStatus.DEAD_LETTER, API, action=SUPERSEDE)


@pytest.mark.parametrize("status", AnalysisStatus)
@pytest.mark.parametrize("trigger", Trigger)
def test_given_an_analysis_when_moved_to_where_it_is_then_a_success_that_changes_nothing(
    status: AnalysisStatus, trigger: Trigger
) -> None:
    row = ANALYSIS.check(status, status, trigger)
    assert row.is_noop
    assert row not in ANALYSIS.transitions
    assert status not in ANALYSIS.allowed_next(status)


@pytest.mark.parametrize("lifecycle", [IMAGE, GENERATION], ids=lambda each: each.kind)
def test_given_another_kind_when_moved_to_where_it_is_then_refused(lifecycle: Lifecycle[Any]) -> None:
    for status in lifecycle.statuses:
        assert not any(lifecycle.may(status, status, trigger) for trigger in Trigger)


def test_given_a_batch_when_moved_to_where_it_is_then_only_processing_is_progress() -> None:
    allowed = [each for each in BatchStatus if BATCH.may(each, each, WORKER)]
    assert allowed == [BatchStatus.PROCESSING]
    assert not BATCH.check(BatchStatus.PROCESSING, BatchStatus.PROCESSING, WORKER).is_noop


def test_given_a_table_where_repeats_are_noops_when_it_has_such_a_row_then_it_contradicts_itself() -> None:
    class Door(StrEnum):
        OPEN = "open"
        SHUT = "shut"

    def row(source: Door | None, target: Door) -> Transition[Door]:
        return Transition(source, target, frozenset({API}))

    with pytest.raises(ValueError, match="needs no row"):
        Lifecycle(
            kind="door",
            statuses=Door,
            terminals=frozenset({Door.SHUT}),
            repeats_are_noops=True,
            transitions=(row(None, Door.OPEN), row(Door.OPEN, Door.OPEN), row(Door.OPEN, Door.SHUT)),
        )


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("generation", "batch")])
def test_given_a_kind_that_cannot_be_cancelled_when_asked_to_then_refused_as_any_other_move(kind: str) -> None:
    lifecycle = LIFECYCLES[kind]
    for status in lifecycle.statuses:
        with pytest.raises(TransitionRefused) as refusal:
            lifecycle.check_cancel(status, API)
        assert refusal.value.details["attempted_status"] == "CANCELLED"
        assert refusal.value.code == (
            "FSM_TERMINAL_IMMUTABLE" if lifecycle.is_terminal(status) else "FSM_TRANSITION_INVALID"
        )


def test_given_a_kind_that_can_be_cancelled_when_asked_to_then_its_own_row_says_from_where() -> None:
    for status in (GenerationStatus.PENDING, GenerationStatus.QUEUED, GenerationStatus.PROCESSING):
        assert GENERATION.check_cancel(status, API) is GenerationStatus.CANCELED
    with pytest.raises(TerminalImmutable):
        GENERATION.check_cancel(GenerationStatus.EXPIRED, API)
    for active in INSTRUCTION.active:
        assert INSTRUCTION.check_cancel(active, API) == "CANCELLED"
    for waiting in BATCH.active:
        assert BATCH.check_cancel(waiting, API) == "failed", "by what there is it may end better"
    with pytest.raises(TerminalImmutable) as refusal:
        BATCH.check_cancel(BATCH.status("partial"), API)
    assert refusal.value.details["attempted_status"] == "CANCELLED"


def test_given_a_kind_when_its_own_run_moves_its_jobs_then_the_table_says_as_whom() -> None:
    assert INSTRUCTION.runner is Trigger.WORKFLOW
    assert {lifecycle.runner for lifecycle in OTHERS} == {WORKER}


# --- no sequence of events leaves a table ------------------------------------------------------------------------


class AnyJob(RuleBasedStateMachine):
    """A job of any kind that meets every event there is, in any order, and keeps the trail of what was accepted."""

    @initialize(kind=st.sampled_from(KINDS))
    def born(self, kind: str) -> None:
        self.lifecycle: Lifecycle[Any] = LIFECYCLES[kind]
        self.trail = [self.lifecycle.check(None, self.lifecycle.initial, API)]

    @property
    def here(self) -> Any:
        return self.trail[-1].target

    @precondition(lambda self: any(row.source is self.here for row in self.lifecycle.transitions))
    @rule(data=st.data())
    def follow_a_row(self, data: st.DataObject) -> None:
        row = data.draw(st.sampled_from([row for row in self.lifecycle.transitions if row.source is self.here]))
        length = len(self.trail)
        self.attempt(row.target, data.draw(st.sampled_from(sorted(row.triggers))), row.action)
        assert len(self.trail) == length + 1

    @rule(data=st.data(), trigger=st.sampled_from(list(Trigger)), action=st.sampled_from([None, RETRY, SUPERSEDE]))
    def attempt_anything(self, data: st.DataObject, trigger: Trigger, action: str | None) -> None:
        self.attempt(data.draw(st.sampled_from(statuses_of(self.lifecycle))), trigger, action)

    def attempt(self, wanted: Any, trigger: Trigger, action: str | None) -> None:
        try:
            row = self.lifecycle.check(self.here, wanted, trigger, action=action)
        except TransitionRefused as refusal:
            assert refusal.details["current_status"] == self.here
            assert refusal.details["attempted_status"] == wanted
            return
        if row.is_noop:
            assert self.lifecycle.repeats_are_noops
            assert wanted is self.here
        else:
            self.trail.append(row)

    @invariant()
    def the_trail_is_in_the_table(self) -> None:
        assert self.trail[0].source is None
        assert all(row in self.lifecycle.transitions for row in self.trail)
        assert all(one.target is another.source for one, another in pairwise(self.trail))

    @invariant()
    def terminals_hold_but_for_the_retry(self) -> None:
        left = {(row.source, row.action) for row in self.trail if row.source in self.lifecycle.terminals}
        allowed = {(GenerationStatus.FAILED, RETRY), (GenerationStatus.EXPIRED, RETRY), (AnalysisStatus.FAILED, RETRY)}
        assert left <= allowed


AnyJob.TestCase.settings = settings(max_examples=80, stateful_step_count=30, deadline=None)
TestAnyJob = AnyJob.TestCase


# --- image -------------------------------------------------------------------------------------------------------


def test_given_failures_when_they_are_counted_then_three_executions_and_no_more() -> None:
    assert [after_failure(count) for count in (1, 2, 3, 4)] == ["queued", "queued", "dead_letter", "dead_letter"]
    assert after_failure(1, max_retries=1) == "dead_letter"


def test_given_failures_when_the_pause_is_computed_then_it_doubles_up_to_a_minute() -> None:
    assert [backoff_s(count) for count in (1, 2, 3, 4, 5, 6, 1000)] == [2, 4, 8, 16, 32, 60, 60]


NOON = datetime(2026, 5, 1, 12, 0, 30, tzinfo=UTC)


def test_given_the_same_request_when_it_comes_within_the_minute_then_the_key_is_the_same_and_else_not() -> None:
    key = idempotency_key("ann", "a red fox", {"size": "1024", "style": "ink"}, NOON)
    assert len(key) == 64
    assert key == idempotency_key("ann", "a red fox", {"style": "ink", "size": "1024"}, NOON + timedelta(seconds=29))
    assert key == idempotency_key(
        "ann", "a red fox", {"size": "1024", "style": "ink"}, NOON.astimezone(tz=datetime.now().astimezone().tzinfo)
    )
    others: list[tuple[str, str, dict[str, object], datetime]] = [
        ("bob", "a red fox", {"size": "1024", "style": "ink"}, NOON),
        ("ann", "a red fox ", {"size": "1024", "style": "ink"}, NOON),
        ("ann", "a red fox", {"size": "1024"}, NOON),
        ("ann", "a red fox", {"size": "1024", "style": "ink"}, NOON + timedelta(seconds=30)),
        ("ann", "a red fox", {"size": 1024, "style": "ink"}, NOON),
    ]
    assert key not in {idempotency_key(*each) for each in others}


def test_given_a_job_with_the_same_key_when_asked_again_then_only_a_failed_one_gives_way() -> None:
    giving_way = [status for status in ImageStatus if judge_repeat(status) is Repeat.SUPERSEDE]
    assert giving_way == [ImageStatus.FAILED]


def test_given_a_quota_when_it_is_used_up_then_refused_until_there_is_room() -> None:
    image.check_quota(9, 10, frees_in_s=60)
    with pytest.raises(QuotaExceeded) as refusal:
        image.check_quota(10, 10, frees_in_s=60)
    assert refusal.value.retry_after_s == 60


GUARD = PromptGuard(max_characters=30, blocklist=["forbidden", "very bad", " "])


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        " \n ",
        "\u200b\u200d",
        "x" * 31,
        "a forbidden thing",
        "FORBIDDEN!",
        "".join(chr(ord(letter) + 0xFEE0) for letter in "forbidden"),
        "for\u200bbidden",
        "a very \n bad idea",
    ],
)
def test_given_a_prompt_that_may_not_be_when_guarded_then_refused_without_repeating_it(prompt: str) -> None:
    with pytest.raises(PromptRefused) as refusal:
        GUARD.check(prompt)
    assert "bidden" not in refusal.value.message.casefold()
    assert not prompt.strip() or prompt not in refusal.value.message


@pytest.mark.parametrize("prompt", ["a fox", "unforbidden fruit", "very very badly drawn", "x" * 30])
def test_given_a_prompt_that_holds_no_whole_word_of_the_list_when_guarded_then_it_passes(prompt: str) -> None:
    assert GUARD.check(f" {prompt}\n") == prompt
    assert PromptGuard().check(prompt) == prompt


# --- generation --------------------------------------------------------------------------------------------------


def test_given_a_type_when_asked_who_completes_it_then_the_worker_or_a_webhook() -> None:
    assert set(GenerationType) - SUBMITTED == {GenerationType.COPY, GenerationType.SCRAPE}


def at(status: GenerationStatus, *, issued_for: int = 1, attempt: int = 1) -> Addressee:
    return Addressee(issued_for=issued_for, attempt=attempt, status=status)


@pytest.mark.parametrize(
    ("addressee", "repeated", "verdict"),
    [
        (at(generation.PROCESSING), False, WebhookVerdict.APPLY),
        (at(generation.PROCESSING), True, WebhookVerdict.REPEATED),
        (at(generation.PENDING), False, WebhookVerdict.EARLY),
        (at(generation.QUEUED), False, WebhookVerdict.EARLY),
        (at(generation.COMPLETED), False, WebhookVerdict.LATE),
        (at(generation.EXPIRED), False, WebhookVerdict.LATE),
        (at(generation.CANCELED), False, WebhookVerdict.LATE),
        (at(generation.PROCESSING, issued_for=1, attempt=2), False, WebhookVerdict.LATE),
        (at(generation.PENDING, issued_for=1, attempt=2), False, WebhookVerdict.LATE),
        (at(generation.PROCESSING, issued_for=3, attempt=2), False, WebhookVerdict.LATE),
        (None, False, WebhookVerdict.UNKNOWN),
        (None, True, WebhookVerdict.UNKNOWN),
    ],
)
def test_given_a_webhook_when_judged_then_it_counts_for_the_attempt_it_was_issued_for_and_once(
    addressee: Addressee | None, repeated: bool, verdict: WebhookVerdict
) -> None:
    assert judge_webhook(addressee, repeated=repeated) is verdict


# --- analysis ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", AnalysisStatus)
def test_given_an_analysis_when_its_inputs_or_draft_are_written_then_only_before_it_is_confirmed(
    status: AnalysisStatus,
) -> None:
    if status in (analysis.CREATED, analysis.DRAFT_READY):
        check_unlocked(status)
        return
    with pytest.raises(TransitionRefused) as refusal:
        check_unlocked(status)
    assert refusal.value.code == "FSM_TRANSITION_INVALID"
    assert refusal.value.details["current_status"] == status
    assert refusal.value.details["attempted_status"] == "draft_ready"


# --- batch -------------------------------------------------------------------------------------------------------


@given(assets=st.integers(0, 1000), failures=st.integers(0, 1000))
def test_given_items_that_ended_when_the_outcome_is_told_then_it_is_all_some_or_none(
    assets: int, failures: int
) -> None:
    status = outcome(assets, failures)
    assert (status is batch.FAILED) is (assets == 0)
    assert (status is batch.COMPLETED) is (assets > 0 and failures == 0)
    assert (status is batch.PARTIAL) is (assets > 0 and failures > 0)


@given(reports=st.lists(st.integers(-50, 150)), start=st.integers(0, 100))
def test_given_progress_reports_in_any_order_when_judged_then_it_never_falls_and_nonsense_is_refused(
    reports: list[int], start: int
) -> None:
    progress = start
    for reported in reports:
        if 0 <= reported <= 100:
            ruling = judge_progress(batch.PROCESSING, progress, reported)
            assert ruling.warning is None
            assert ruling.progress == max(progress, reported)
            progress = ruling.progress
        else:
            with pytest.raises(RequestInvalid):
                judge_progress(batch.PROCESSING, progress, reported)


@pytest.mark.parametrize("status", [each for each in BatchStatus if each is not batch.PROCESSING])
def test_given_progress_in_another_status_when_judged_then_ignored_with_a_warning_and_nonsense_still_refused(
    status: BatchStatus,
) -> None:
    ruling = judge_progress(status, 40, 90)
    assert ruling.progress == 40
    assert ruling.warning is not None and status in ruling.warning
    with pytest.raises(RequestInvalid):
        judge_progress(status, 40, 101)


def test_given_a_batch_that_ends_when_its_progress_is_asked_then_whole_unless_it_failed() -> None:
    ends = {status: progress_at_end(status, 40) for status in (batch.COMPLETED, batch.PARTIAL, batch.FAILED)}
    assert ends == {batch.COMPLETED: 100, batch.PARTIAL: 100, batch.FAILED: 40}


# --- one hash for the same thing -----------------------------------------------------------------------------------


def test_given_values_when_hashed_then_names_may_come_in_any_order_and_parts_cannot_run_together() -> None:
    assert digest({"a": 1, "b": [2, "é"]}) == digest({"b": [2, "é"], "a": 1})
    assert digest("ab", "c") != digest("a", "bc")
    assert digest([1, 2]) != digest([2, 1])
    assert digest("\ud800") == digest("\ud800")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}, b"bytes"])
def test_given_a_value_that_is_not_plain_json_when_hashed_then_refused(value: object) -> None:
    with pytest.raises(RequestInvalid):
        digest(value)
