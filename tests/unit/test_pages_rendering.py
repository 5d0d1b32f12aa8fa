"""What templates are drawn with."""

import pytest

from starter.pages.catalogue import FALLBACK, sayings
from starter.pages.rendering import draw, duration


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0:00"), (10.6, "0:10"), (59.999, "0:59"), (65, "1:05"), (3723.9, "1:02:03"), (-1, "0:00")],
)
def test_given_a_moment_when_it_is_written_then_as_players_count(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


@pytest.mark.parametrize(("instruction", "waiting"), [(None, 4), ("i", 0)])
def test_given_a_job_when_its_draft_is_not_written_yet_then_its_other_pages_stand_there_and_lead_nowhere(
    instruction: str | None, waiting: int
) -> None:
    tabs = draw("instruction_tabs.html", say=sayings(FALLBACK), instruction_id=instruction, job_id="j", tab="job")
    assert tabs.count("<a") == 5
    assert tabs.count('aria-disabled="true"') == waiting
    assert tabs.count("href=") == 5 - waiting
    assert '<a href="/jobs/j" aria-current="page">' in tabs
