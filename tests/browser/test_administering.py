"""Everybody's jobs, as an administrator sees them, and nobody else."""

from playwright.sync_api import Page, expect

from domain.jobs import Actor, Failure
from domain.lifecycles.lifecycle import Trigger
from starter.access.tokens import Role
from tests.browser.conftest import Site
from tests.browser.looking import look


def test_given_a_job_that_was_given_up_when_an_administrator_looks_then_they_review_and_retry_it(
    site: Site, who: str, quiet: list[str]
) -> None:
    store = site.stack.store
    owner = f"<b>{who}</b>"
    project = store.create_project(owner, "Private name").id
    lost, waiting = store.create_job(owner, project), store.create_job(owner, project)
    failure = Failure(failure_code="WORKFLOW_LOST", failure_message="The run was lost.", failed_stage="audio")
    store.move(lost.id, None, "FAILED", trigger=Trigger.API, actor=Actor.EDITOR, failure=failure)
    with site.visitor(f"root-{who}", role=Role.ADMIN) as context:
        page = context.new_page()
        page.goto("/")
        page.get_by_role("link", name="Behind the scenes").click()
        look(page, "behind-the-scenes")
        page.get_by_role("link", name="Administration").click()
        page.get_by_label("User").fill(owner)
        page.get_by_role("button", name="Search").click()
        expect(page.locator("tbody tr")).to_have_count(2)
        look(page, "administration")
        page.get_by_label("Only given up, and not reviewed").check()
        page.get_by_label("Kind and state").select_option("instruction/FAILED")
        page.get_by_role("button", name="Search").click()
        expect(page.locator("tbody tr")).to_have_count(1)
        page.locator("tbody a").click()

        expect(page.get_by_text("The run was lost.")).to_be_visible()
        expect(page.get_by_text(owner)).to_be_visible()
        expect(page.locator(".log").get_by_text("by its owner").first).to_be_visible()
        look(page, "administration-job")
        page.get_by_label("What was found").fill("the disk was <full>")
        page.get_by_role("button", name="Note it as reviewed").click()
        expect(page.get_by_text("the disk was <full>")).to_be_visible()
        assert store.list_all_jobs(owner=owner, to_review=True).items == ()
        page.get_by_role("button", name="Give it another attempt").click()
        expect(page.locator(".log li").filter(has_text="Recording is here").first).to_be_visible()  # and it goes on
        assert store.get_job(lost.id).attempt == 2

        page.goto(f"/administration/{waiting.id}")
        page.get_by_role("button", name="Cancel").first.click()
        page.get_by_role("dialog").get_by_role("button").first.click()
        expect(page.locator("[data-status]")).to_have_attribute("data-status", "CANCELLED")


def test_given_who_is_no_administrator_when_they_look_for_everybodys_jobs_then_there_is_nothing(
    site: Site, page: Page, who: str
) -> None:
    store = site.stack.store
    job = store.create_job("somebody", store.create_project("somebody", "x").id)
    page.goto("/")
    expect(page.get_by_role("link", name="Behind the scenes")).to_have_count(0)
    absent = "00000000-0000-7000-8000-000000000000"
    for path in (
        "/behind",
        "/administration",
        f"/administration/{job.id}",
        f"/administration/{absent}",
        "/no-such-page",
    ):
        answer = page.goto(path)
        assert answer is not None and answer.status == 404
