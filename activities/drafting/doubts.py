"""What a reader of the draft should look at, and where: a guess is said where it is made."""

from collections.abc import Iterator

from activities.drafting.narrated import Found
from domain.documents.draft import BlockRole, DraftWarning

_MANY = 3
_SHARE = 0.34
_MOST_MOMENTS = 20


def doubts(found: Found) -> list[DraftWarning]:
    """Codes: ``STEPS_READ_FROM_SCREEN``, ``CHANGES_WITHOUT_STEP``, ``STEPS_NOT_ON_SCREEN``."""
    return list(_doubts(found))


def _doubts(found: Found) -> Iterator[DraftWarning]:
    steps = sum(entry.role is BlockRole.STEP for entry in found.entries)
    if found.read_from_screen:
        yield DraftWarning(
            code="STEPS_READ_FROM_SCREEN",
            message=f"{len(found.read_from_screen)} of the steps are read from the screen alone: nobody said them. "
            "Compare them with the recording.",
            at_ms=tuple(found.read_from_screen[:_MOST_MOMENTS]),
        )
    missing = len(found.unexplained)
    if missing >= _MANY and missing >= _SHARE * (steps + missing):
        yield DraftWarning(
            code="CHANGES_WITHOUT_STEP",
            message=f"The screen changes {missing} times where no step tells what was done. Look at these moments and "
            "add what is missing.",
            at_ms=tuple(found.unexplained[:_MOST_MOMENTS]),
        )
    left_out = len(found.unanswered)
    if left_out >= _MANY and left_out >= _SHARE * (steps + left_out):
        yield DraftWarning(
            code="STEPS_NOT_ON_SCREEN",
            message=f"{left_out} instructions were spoken that nothing on the screen answers, and were left out. Look "
            "at these moments and add those that are steps.",
            at_ms=tuple(found.unanswered[:_MOST_MOMENTS]),
        )
