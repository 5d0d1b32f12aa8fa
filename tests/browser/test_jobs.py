"""Jobs in the browser: begun, followed, cancelled, tried again, found."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, Route, expect

from domain.jobs import Actor, Failure
from domain.lifecycles.kinds import LIFECYCLES
from domain.lifecycles.lifecycle import Trigger
from tests import recordings
from tests.browser.conftest import Site, held_back
from tests.browser.looking import look
from tests.stack import begin_upload

DRAFT_WITHIN_MS = 120_000
XSS = "<img src=x onerror=alert(1)><script>alert(2)</script>"


def test_given_a_recording_when_it_is_sent_then_its_job_is_followed_to_the_draft(
    page: Page, site: Site, sample: Path
) -> None:
    late: list[Route] = []
    page.route("**/static/new-*.js", lambda route: late.append(route))
    with page.expect_request("**/static/new-*.js"):
        page.goto("/new", wait_until="commit")
    page.get_by_label("Recording", exact=True).set_input_files(sample)  # before the page's own module is there
    held_back(page, late).continue_()
    expect(page.get_by_role("button", name="Send and start")).to_be_enabled()
    page.unroute("**/static/new-*.js")
    page.goto("/new")
    expect(page.get_by_role("button", name="Send and start")).to_be_disabled()
    page.get_by_label("Recording", exact=True).set_input_files(
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"hello"}
    )
    expect(page.get_by_role("alert")).to_contain_text("neither a video nor a sound recording")
    page.get_by_label("Recording", exact=True).set_input_files(sample)
    page.get_by_label("Spoken language").select_option("en")
    look(page, "new")
    page.get_by_role("button", name="Send and start").click()
    page.wait_for_url(re.compile("/jobs/[0-9a-f-]{36}$"), timeout=DRAFT_WITHIN_MS)
    expect(page.locator("[data-progress]")).to_be_visible()
    look(page, "job-working")
    expect(page.locator(".badge")).to_have_text("Draft is ready", timeout=DRAFT_WITHIN_MS)
    expect(page.get_by_role("link", name="Open the instruction")).to_be_visible()
    expect(page.locator("[aria-current=step]")).to_contain_text("Draft is ready")
    expect(page.locator(".step.done").first).to_contain_text("took")
    look(page, "job-draft")
    expect(page.get_by_role("button", name="Cancel the job")).to_have_count(0)  # it is written
    expect(page.locator(".log")).to_have_count(1)
    job = page.url.rpartition("/")[2]
    page.get_by_role("link", name="Open the instruction").click()
    page.wait_for_url("**/instructions/*")
    guide = page.url
    page.goto("/jobs")
    page.locator(f"#job-{job} a").click()
    expect(page).to_have_url(guide)


def test_given_a_job_at_work_when_it_is_cancelled_then_that_is_asked_for_once_more(
    page: Page, jobs: Callable[..., str]
) -> None:
    page.goto(f"/jobs/{jobs('UPLOADED')}")
    page.get_by_role("button", name="Cancel the job").click()
    page.get_by_role("button", name="Let it go on").click()
    expect(page.locator(".badge")).to_have_text("Recording is here")
    page.get_by_role("button", name="Cancel the job").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel the job").click()
    expect(page.locator(".badge")).to_have_text("Cancelled")


@pytest.fixture
def jobs(site: Site, who: str) -> Callable[..., str]:
    """Makes a job of somebody's in a status that a test names, by the store."""
    project = site.stack.store.create_project(who, "Handbooks")

    def made(*way: str, kind: str = "instruction", failure: Failure | None = None, name: str | None = None) -> str:
        store = site.stack.store
        job = store.create_job(who, project.id, kind=kind)
        if name is not None:
            begin_upload(store, job, name)
        for status in way:
            ends = LIFECYCLES[kind].status(status) in LIFECYCLES[kind].failures
            trigger = next(
                trigger
                for row in LIFECYCLES[kind].transitions
                if row.target == status and row.action is None
                for trigger in sorted(row.triggers)
            )
            store.move(job.id, None, status, trigger=trigger, actor=Actor.SYSTEM, failure=failure if ends else None)
        return job.id

    return made


def test_given_jobs_of_every_sort_when_they_are_looked_for_then_those_that_fit_are_shown(
    page: Page, jobs: Callable[..., str], site: Site
) -> None:
    failure = Failure(failure_code="MEDIA_NO_CONTENT", failure_message="This file holds no sound. Send another.")
    failed = jobs("UPLOADED", "AUDIO_EXTRACTING", "FAILED", name="broken.mp4", failure=failure)
    jobs(name=f"{XSS}.mp4")
    jobs("processing", kind="batch")
    page.add_init_script("const now = Date.now; Date.now = () => now() + 5 * 3600e3")  # a clock that goes wrong
    page.goto("/jobs")
    expect(page.locator("[data-elapsed]")).to_have_text(re.compile(r"^at work for \d?\d:\d\d$"))
    expect(page.locator(".jobs > li")).to_have_count(3)
    expect(page.get_by_text(XSS)).to_be_visible()
    look(page, "jobs")
    page.get_by_label("State").select_option("failed")
    expect(page.locator(".jobs > li")).to_have_count(1)
    expect(page.locator(".jobs > li")).to_contain_text("This file holds no sound.")
    page.get_by_label("State").select_option("")
    expect(page.locator(".jobs > li")).to_have_count(3)
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill("BROKEN")
    expect(page.locator(".jobs > li")).to_have_count(1)
    expect(page).to_have_url(re.compile("search=BROKEN$"))
    page.reload()
    expect(page.locator(".jobs > li")).to_have_count(1)
    page.get_by_role("searchbox").fill("nothing like it")
    expect(page.get_by_role("heading", name="No jobs fit")).to_be_visible()
    page.goto("/jobs")
    later = jobs(name="later.mp4")  # somebody's other tab, or a program of theirs
    expect(page.locator(f"#job-{later}")).to_be_visible()
    site.stack.store.move(later, None, "CANCELLED", trigger=Trigger.API, actor=Actor.EDITOR)
    expect(page.locator(f"#job-{later} .badge")).to_have_text("Cancelled")
    page.locator(f"#job-{failed} a").click()
    expect(page.get_by_role("alert")).to_contain_text("This file holds no sound. Send another.")
    expect(page.get_by_role("alert")).to_contain_text("It goes on from: Recording is here")
    expect(page.get_by_role("link", name="Send another recording")).to_be_visible()
    expect(page.locator(".log time").first).to_have_text(re.compile(r"^\d\d:\d\d:\d\d$"))
    expect(page.locator(".log")).to_have_count(1)
    expect(page.locator(".log li").filter(has_text="Failed")).to_have_count(1)
    look(page, "job-failed")


def test_given_a_job_at_work_when_nothing_is_heard_of_it_then_what_is_left_is_counted_down_and_told_no_more(
    page: Page, jobs: Callable[..., str]
) -> None:
    streams: list[Route] = []
    page.clock.install()
    page.route("**/events*", lambda route: streams.append(route))
    page.goto(f"/jobs/{jobs('UPLOADED', 'AUDIO_EXTRACTING')}")
    left = page.locator("[data-left]")
    expect(left).to_be_empty()
    page.clock.fast_forward("30:00")
    progress = 'event: progress\ndata: {"data": {"progress": 50}}\n\n'
    held_back(page, streams).fulfill(content_type="text/event-stream", body=progress)
    expect(left).to_have_text(re.compile(r"^about (30:\d\d|29:5\d) left$"))
    page.clock.fast_forward("20:00")
    expect(left).to_have_text(re.compile(r"^about (10|9):\d\d left$"))
    page.clock.fast_forward("20:00")
    expect(left).to_be_empty()
    expect(page.locator("[data-elapsed]")).to_contain_text("1:1")


def test_given_a_long_log_when_older_rows_are_asked_for_then_the_focus_goes_on_and_they_stay(
    page: Page, jobs: Callable[..., str], site: Site
) -> None:
    job = jobs("UPLOADED", "AUDIO_EXTRACTING")

    def tried_again() -> None:
        site.stack.store.move(job, None, "AUDIO_EXTRACTING", trigger=Trigger.WORKFLOW, actor=Actor.SYSTEM)

    for _ in range(32):
        tried_again()
    page.goto(f"/jobs/{job}")
    rows = page.locator(".log > li:not(.more)")
    expect(rows).to_have_count(30)
    page.locator(".all-log > summary").click()
    page.get_by_role("button", name="Show older").press("Enter")
    expect(rows.nth(30)).to_be_focused()
    there, newest = rows.count(), rows.first.get_attribute("id")
    assert there > 30 and newest
    tried_again()
    expect(rows.first).not_to_have_attribute("id", newest)
    expect(rows).to_have_count(there)


def test_given_more_jobs_than_a_page_holds_when_older_ones_are_asked_for_then_each_is_shown_once(
    page: Page, jobs: Callable[..., str]
) -> None:
    made = {jobs(name=f"take-{number}.mp4") for number in range(25)}
    page.goto("/jobs")
    seen = set(page.locator(".jobs").first.get_attribute("data-jobs").split(","))  # type: ignore[union-attr]
    page.get_by_role("link", name="Older").click()
    expect(page.locator(".jobs > li")).to_have_count(5)
    seen |= set(page.locator(".jobs").first.get_attribute("data-jobs").split(","))  # type: ignore[union-attr]
    assert seen == made


def test_given_somebody_elses_job_when_its_page_is_opened_then_there_is_nothing(
    page: Page, site: Site, quiet: list[str]
) -> None:
    project = site.stack.store.create_project("somebody", "Secrets")
    theirs = site.stack.store.create_job("somebody", project.id)
    for address in (f"/jobs/{theirs.id}", "/jobs/01900000-0000-7000-8000-000000000000", "/jobs/nonsense"):
        answer = page.goto(address)
        assert answer is not None
        assert answer.status == 404
        expect(page.get_by_role("heading", name="There is nothing here")).to_be_visible()


def test_given_several_recordings_when_they_are_sent_then_each_is_a_job_and_what_is_none_is_said(
    page: Page, site: Site, who: str, tmp_path: Path
) -> None:
    page.goto("/new")
    recording = recordings.mp4(tmp_path).read_bytes()
    files: list[FilePayload] = [
        {"name": f"{name}.mp4", "mimeType": "video/mp4", "buffer": recording}
        for name in ("First steps", "Second steps")
    ]
    files.append({"name": "notes.txt", "mimeType": "text/plain", "buffer": b"hello"})
    page.get_by_label("Recording", exact=True).set_input_files(files)
    expect(page.get_by_role("alert")).to_contain_text("notes.txt: This is neither")
    expect(page.locator("[data-zone-name]")).to_have_text("2 recordings, a job for each")
    page.get_by_label("Name of the new project").fill("Handbooks")
    look(page, "new-several")
    page.get_by_role("button", name="Send and start").click()
    page.wait_for_url(re.compile("/$"), timeout=DRAFT_WITHIN_MS)
    jobs = site.stack.store.list_jobs(who).items
    assert {each.source_name for each in jobs} == {"First steps.mp4", "Second steps.mp4"}
    assert all(each.dispatch_id for each in jobs)
    assert [each.name for each in site.stack.store.list_projects(who).items] == ["Handbooks"]
    for each in jobs:
        site.stack.wait_for(each, "DRAFT_READY", within_s=120)
