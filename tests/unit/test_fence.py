"""The fence: of all the writes that runs, retries and zombies may send, each step counts once and the newest wins."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from domain.lifecycles.fence import Fence, Seen, Verdict, judge_begin, judge_end, judge_move

APPLY, REPLAY, CONTINUE, RETRY, STALE = Verdict


def seen(seq: int, execution: int = 1, *, attempt: int = 1, dispatch_id: str | None = "run-1") -> Seen:
    return Seen(attempt=attempt, dispatch_id=dispatch_id, seq=seq, execution=execution)


def fence(seq: int, execution: int = 1, *, attempt: int = 1, dispatch_id: str = "run-1", again: bool = False) -> Fence:
    return Fence(attempt=attempt, dispatch_id=dispatch_id, seq=seq, execution=execution, again=again)


@pytest.mark.parametrize(
    ("row", "writer", "verdict"),
    [
        (seen(0), fence(1), APPLY),
        (seen(2), fence(3), APPLY),
        (seen(2), fence(6), APPLY),
        (seen(0), fence(1, 4), APPLY),
        (seen(3), fence(3), CONTINUE),
        (seen(3, 2), fence(3, 2), CONTINUE),
        (seen(3), fence(3, 2), RETRY),
        (seen(3, 2), fence(3), STALE),
        (seen(4), fence(3), REPLAY),
        (seen(4), fence(3, 9), REPLAY),
        (seen(5), fence(3), STALE),
        (seen(3, 2), fence(3, again=True), RETRY),
        (seen(3), fence(3, again=True), CONTINUE),
        (seen(5), fence(3, again=True), STALE),
        (seen(0, dispatch_id=None), fence(1, dispatch_id="any"), APPLY),
        (seen(0), fence(1, dispatch_id="run-2"), STALE),
        (seen(0, attempt=2), fence(9, attempt=1), STALE),
        (seen(0, attempt=1), fence(9, attempt=2), STALE),
    ],
)
def test_given_what_a_row_has_seen_when_a_stage_begins_then_the_verdict_is(
    row: Seen, writer: Fence, verdict: Verdict
) -> None:
    assert judge_begin(row, writer) is verdict


@pytest.mark.parametrize(
    ("row", "writer", "verdict"),
    [
        (seen(3), fence(3), APPLY),
        (seen(4), fence(3), REPLAY),
        (seen(5), fence(3), STALE),
        (seen(2), fence(3), STALE),
        (seen(3, 2), fence(3), STALE),
        (seen(4, 2), fence(3), STALE),
        (seen(3, 2), fence(3, 2), APPLY),
        (seen(3), fence(3, dispatch_id="run-2"), STALE),
        (seen(3, attempt=2), fence(3), STALE),
    ],
)
def test_given_what_a_row_has_seen_when_a_stage_ends_then_the_verdict_is(
    row: Seen, writer: Fence, verdict: Verdict
) -> None:
    assert judge_end(row, writer) is verdict


@pytest.mark.parametrize(
    ("row", "writer", "verdict"),
    [
        (seen(3), fence(4), APPLY),
        (seen(3), fence(7), APPLY),
        (seen(4), fence(4), REPLAY),
        (seen(5), fence(4), STALE),
        (seen(0, dispatch_id=None), fence(1), APPLY),
        (seen(3), fence(4, dispatch_id="run-2"), STALE),
        (seen(3, attempt=2), fence(4), STALE),
    ],
)
def test_given_what_a_row_has_seen_when_a_status_moves_then_the_verdict_is(
    row: Seen, writer: Fence, verdict: Verdict
) -> None:
    assert judge_move(row, writer) is verdict


SEEN = st.builds(
    Seen,
    attempt=st.integers(1, 3),
    dispatch_id=st.sampled_from([None, "a", "b"]),
    seq=st.integers(0, 6),
    execution=st.integers(1, 3),
)
FENCE = st.builds(
    Fence,
    attempt=st.integers(1, 3),
    dispatch_id=st.sampled_from(["a", "b"]),
    seq=st.integers(1, 6),
    execution=st.integers(1, 3),
)


@given(row=SEEN, writer=FENCE)
@settings(max_examples=500)
def test_given_a_foreign_writer_when_it_writes_anything_then_it_is_stale(row: Seen, writer: Fence) -> None:
    foreign = writer.attempt != row.attempt or row.dispatch_id not in (None, writer.dispatch_id)
    verdicts = {judge(row, writer) for judge in (judge_begin, judge_end, judge_move)}
    assert not foreign or verdicts == {STALE}


@given(row=SEEN, writer=FENCE)
@settings(max_examples=500)
def test_given_a_write_that_is_applied_when_it_is_sent_again_then_it_is_never_applied_again(
    row: Seen, writer: Fence
) -> None:
    own = {"dispatch_id": writer.dispatch_id, "execution": writer.execution}
    if judge_begin(row, writer) in (APPLY, RETRY):
        assert judge_begin(row.model_copy(update={**own, "seq": writer.seq}), writer) is CONTINUE
    if judge_end(row, writer) is APPLY:
        assert judge_end(row.model_copy(update={"seq": writer.seq + 1}), writer) is REPLAY
    if judge_move(row, writer) is APPLY:
        assert judge_move(row.model_copy(update={**own, "seq": writer.seq}), writer) is REPLAY


@dataclass
class Row:
    """A job's row that keeps, besides what the fence has seen, every effect it let pass."""

    seen: Seen = field(default_factory=lambda: seen(0, dispatch_id=None))
    ended: list[tuple[int, int]] = field(default_factory=list)
    begun: list[tuple[int, int, int]] = field(default_factory=list)

    def begin(self, writer: Fence) -> None:
        if judge_begin(self.seen, writer) in (APPLY, RETRY):
            self.begun.append((writer.attempt, writer.seq, writer.execution))
            self.seen = Seen(**writer.model_dump())

    def end(self, writer: Fence) -> None:
        if judge_end(self.seen, writer) is APPLY:
            self.ended.append((writer.attempt, writer.seq))
            self.seen = self.seen.model_copy(update={"seq": writer.seq + 1})


class Writers(RuleBasedStateMachine):
    """Executions of stages, alive and thought dead, that send their begins and ends in any order and again."""

    def __init__(self) -> None:
        super().__init__()
        self.row = Row()
        self.high: tuple[int, int] = (1, 0)

    @rule(stage=st.integers(0, 3), execution=st.integers(1, 3), dispatch=st.sampled_from(["a", "b"]))
    def begin(self, stage: int, execution: int, dispatch: str) -> None:
        self.row.begin(self.writer(stage, execution, dispatch))

    @rule(stage=st.integers(0, 3), execution=st.integers(1, 3), dispatch=st.sampled_from(["a", "b"]))
    def end(self, stage: int, execution: int, dispatch: str) -> None:
        self.row.end(self.writer(stage, execution, dispatch))

    @rule()
    def be_dispatched_anew(self) -> None:
        self.row.seen = seen(0, attempt=self.row.seen.attempt + 1, dispatch_id=None)

    def writer(self, stage: int, execution: int, dispatch: str) -> Fence:
        return fence(2 * stage + 1, execution, attempt=self.row.seen.attempt, dispatch_id=dispatch)

    @invariant()
    def no_stage_ends_or_begins_twice(self) -> None:
        assert len(set(self.row.ended)) == len(self.row.ended)
        assert len(set(self.row.begun)) == len(self.row.begun)

    @invariant()
    def nothing_goes_back(self) -> None:
        assert self.row.ended == sorted(self.row.ended)
        assert self.row.begun == sorted(self.row.begun)
        now = (self.row.seen.attempt, self.row.seen.seq)
        assert now >= self.high
        self.high = now

    @invariant()
    def what_ended_had_begun(self) -> None:
        assert {*self.row.ended} <= {(attempt, seq) for attempt, seq, _ in self.row.begun}


Writers.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestWriters = Writers.TestCase
