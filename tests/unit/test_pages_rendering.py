"""What templates are drawn with."""

import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from fontTools.ttLib import TTFont

import starter.pages
from domain.errors import MediaTruncated, ProviderUnavailable, RecordingLost, needs_another_recording
from domain.jobs import Page
from starter.pages.shell.catalogue import FALLBACK, sayings
from starter.pages.shell.longer_lists import gathered
from starter.pages.shell.rendering import draw, duration

PAGES = Path(starter.pages.__file__).parent


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0:00"), (10.6, "0:10"), (59.999, "0:59"), (65, "1:05"), (3723.9, "1:02:03"), (-1, "0:00")],
)
def test_given_a_moment_when_it_is_written_then_as_players_count(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_given_a_failure_when_no_retry_helps_then_another_recording_is_asked_for() -> None:
    assert [needs_another_recording(each.code) for each in (MediaTruncated, RecordingLost, ProviderUnavailable)] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(("wanted", "left"), [(30, True), (100, True), (240, True), (250, False), (500, False)])
def test_given_a_list_that_was_made_longer_when_it_is_shown_anew_then_it_has_as_many_rows(
    wanted: int, left: bool
) -> None:
    def read(limit: int, cursor: str | None) -> Page[int]:
        assert limit <= 100
        begin = int(cursor or 0)
        end = min(begin + limit, 250)
        return Page(items=tuple(range(begin, end)), next_cursor=str(end) if end < 250 else None)

    page = gathered(read, wanted)
    assert page.items == tuple(range(min(wanted, 250)))
    assert (page.next_cursor is not None) == left


@pytest.mark.parametrize(("instruction", "transcript", "waiting"), [(None, False, 5), (None, True, 4), ("i", True, 0)])
def test_given_a_job_when_its_draft_is_not_written_yet_then_its_other_pages_stand_there_and_lead_nowhere(
    instruction: str | None, transcript: bool, waiting: int
) -> None:
    job = {"instruction_id": instruction, "has_transcript": transcript, "job_id": "j"}
    owners = SimpleNamespace(api=SimpleNamespace(settings=SimpleNamespace(has_model=False)), offers=lambda _: True)
    tabs = draw("shell/instruction_tabs.html", say=sayings(FALLBACK), tab="job", context=owners, **job)
    assert tabs.count("<a") == 6
    assert tabs.count('aria-disabled="true"') == waiting
    assert tabs.count("href=") == 6 - waiting
    assert '<a href="/jobs/j" aria-current="page">' in tabs


def test_every_form_says_how_it_is_sent_where_no_module_sends_it() -> None:
    forms = [each for path in PAGES.glob("*/*.html") for each in re.findall(r"<form[^>]*>", path.read_text("utf-8"))]
    assert len(forms) > 10
    assert not [each for each in forms if "action=" not in each and "method=" not in each]  # GET: words in addresses


def test_given_the_letters_of_europe_when_they_are_set_then_their_small_font_is_of_the_package_beside_it() -> None:
    subset = runpy.run_path(str(PAGES / "frontend" / "fonts" / "subset.py"))
    part, whole = TTFont(subset["PART"]), TTFont(subset["WHOLE"])
    letters = set(part.getBestCmap())
    assert letters == set(subset["LETTERS"]) & set(whole.getBestCmap()) and letters >= set(map(ord, "őşřțĳ"))
    assert part["head"].fontRevision == whole["head"].fontRevision
    assert {axis.axisTag for axis in part["fvar"].axes} == {"wght"}
