"""What the status does while people work on a document."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from domain.lifecycles.editing import Activity, next_status
from domain.lifecycles.instruction import (
    DONE,
    DRAFT_READY,
    EDITING,
    EXPORTING,
    INSTRUCTION,
    REGENERATING,
    InstructionStatus,
)
from domain.lifecycles.lifecycle import Trigger

activities = st.builds(
    Activity, touched=st.booleans(), regenerating=st.booleans(), exporting=st.booleans(), exported=st.booleans()
)


def settled(status: InstructionStatus, now: Activity) -> list[InstructionStatus]:
    """Every status that is passed until the job may stay where it is."""
    path = [status]
    while (target := next_status(path[-1], now)) is not None:
        path.append(target)
    return path


@given(st.sampled_from([DRAFT_READY, EDITING, REGENERATING, EXPORTING]), activities)
def test_every_move_is_in_the_table_and_the_path_ends(status: InstructionStatus, now: Activity) -> None:
    path = settled(status, now)
    for current, target in itertools.pairwise(path):
        assert any(INSTRUCTION.may(current, target, trigger) for trigger in Trigger)
    assert len(path) <= 5


def test_an_untouched_draft_stays_a_draft() -> None:
    assert settled(DRAFT_READY, Activity()) == [DRAFT_READY]


def test_the_first_save_begins_editing() -> None:
    assert settled(DRAFT_READY, Activity(touched=True)) == [DRAFT_READY, EDITING]


def test_the_status_stays_with_what_began_first() -> None:
    both = Activity(touched=True, regenerating=True, exporting=True)
    assert settled(EXPORTING, both) == [EXPORTING]
    assert settled(REGENERATING, both) == [REGENERATING]


def test_an_export_that_outlives_a_regeneration_is_shown_when_that_ends() -> None:
    assert settled(REGENERATING, Activity(touched=True, exporting=True)) == [REGENERATING, EDITING, EXPORTING]


def test_an_export_that_succeeded_during_a_regeneration_ends_the_job_after_it() -> None:
    assert settled(REGENERATING, Activity(touched=True, exported=True)) == [REGENERATING, EDITING, EXPORTING, DONE]


def test_a_failed_export_leaves_the_job_editable() -> None:
    assert settled(EXPORTING, Activity(touched=True)) == [EXPORTING, EDITING]
