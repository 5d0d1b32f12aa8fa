"""The pages beside jobs and instructions: credits, library, webhooks, lifecycles."""

import re

import pytest
from playwright.sync_api import Page, expect

from domain.jobs import Actor
from domain.lifecycles.kinds import LIFECYCLES
from domain.lifecycles.lifecycle import Trigger
from starter.access.tokens import Role
from tests.browser.conftest import Site
from tests.browser.looking import SIZES, check_accessible, look
from tests.stack import begin_upload

FEWER = """() => {
    const others = ".reference section:nth-of-type(n+3):not(:last-of-type)";
    for (const each of document.querySelectorAll(others)) each.remove();
    for (const each of [...document.querySelectorAll(".operation:not([open])")].slice(4)) each.remove();
    for (const each of [...document.querySelectorAll("article:not(#shape-ErrorBody)")].slice(6)) each.remove();
    for (const each of document.querySelectorAll('.reference a[href^="#"]'))
        if (!document.getElementById(each.hash.slice(1))) each.removeAttribute("href");
}"""
"""Leaves some of each sort of part of the HTTP interface's page."""

HOSTILE = (
    "<img src=x onerror=alert(1)>\"'&{{7*7}}"
    + "very-long-" * 30
    + "\u202e\u05e8\u05e6\u05d5\u05e2\u05d4 日本語 Überprüfungsausschussvorsitzende"
)


def test_given_a_kind_when_its_table_is_opened_then_every_status_and_move_of_the_code_is_there(page: Page) -> None:
    for kind, lifecycle in LIFECYCLES.items():
        page.goto(f"/lifecycles?kind={kind}")
        assert page.locator(".node text").all_text_contents() == [str(each) for each in lifecycle.statuses]
        written = page.locator("tbody tr td:first-child code, tbody tr td:first-child:not(:has(code))").count()
        assert written == len(lifecycle.transitions)
        if kind == "instruction":
            look(page, "lifecycles")


def test_given_the_http_interface_when_a_route_is_opened_then_its_shapes_are_a_click_away(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="HTTP interface").click()
    route = page.locator("#run_job")
    route.locator("summary").click()
    expect(route.get_by_role("cell", name="job_id")).to_be_visible()
    route.get_by_role("link", name="ErrorBody").first.click()
    expect(page.locator("#shape-ErrorBody")).to_be_in_viewport()
    page.evaluate(FEWER)  # axe-core looks at every word of the page: for minutes
    look(page, "reference")


def test_given_a_fault_of_ours_when_a_page_is_opened_then_it_says_so_and_can_be_tried_again(page: Page) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("starter.pages.credits.view.titles_of", lambda *_: next(iter(())))
        answer = page.goto("/credits?from=here")
        assert answer is not None
        assert (answer.status, answer.headers["cache-control"]) == (500, "no-store")
        expect(page.get_by_role("heading", name="That did not work")).to_be_visible()
        expect(page.get_by_text(answer.headers["x-request-id"])).to_be_visible()
        look(page, "error")
    page.get_by_role("link", name="Try again").click()
    expect(page.get_by_role("heading", name="Credits")).to_be_visible()


def test_given_credits_when_an_administrator_gives_some_then_the_books_show_it(
    site: Site, who: str, quiet: list[str]
) -> None:
    with site.visitor(who, role=Role.ADMIN) as context:
        page = context.new_page()
        page.goto("/credits")
        expect(page.get_by_text("You have nothing to spend. Give yourself some credits here.")).to_be_visible()
        page.get_by_label("Amount").fill("25")
        page.get_by_label("Why").fill("<b>a gift</b>")
        page.get_by_role("button", name="Give").click()
        expect(page.locator(".figures dd").first).to_have_text("25")
        expect(page.get_by_text("<b>a gift</b>")).to_be_visible()
        expect(page.locator("[data-toasts]")).to_contain_text(f"{who} was given 25 credits")
        look(page, "credits")

        friend = f"friend-{who}"
        page.locator("input[name=user_id]").fill(friend)
        page.get_by_label("Amount").fill("7")
        page.get_by_label("Why").fill("because")
        page.get_by_role("button", name="Give").click()
        expect(page.locator("[data-toasts]")).to_contain_text(f"{friend} was given 7 credits")
        expect(page.locator(".figures dd").first).to_have_text("25")  # those of who gives are as they were
        everybody = page.locator("#balances")
        everybody.get_by_role("searchbox").fill(who)
        everybody.get_by_role("button", name="Search").click()
        expect(everybody.locator("tbody tr").filter(has_text=friend)).to_have_text(re.compile(r"\s*7\s*0\s*$"))
        expect(everybody.locator("tbody tr")).to_have_count(2)
    assert site.stack.store.balance(friend).available == 7
    with site.visitor(who) as context:
        page = context.new_page()
        page.goto("/credits")
        expect(page.get_by_role("button", name="Give")).to_have_count(0)
        expect(page.locator("#balances")).to_have_count(0)


def test_given_an_endpoint_when_it_is_made_and_deleted_then_its_secret_is_shown_once(page: Page) -> None:
    page.goto("/webhooks")
    expect(page.get_by_role("heading", name="No endpoints yet")).to_be_visible()
    page.get_by_label("Address").fill("http://127.0.0.1/hook")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("button", name="Dismiss").click()
    page.get_by_label("Address").fill("http://93.184.216.34/hook")
    page.get_by_label("What it is for").fill("<i>tests</i>")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("[data-secret]")).to_contain_text("whsec_")
    expect(page.get_by_role("link", name="http://93.184.216.34/hook")).to_be_visible()
    page.reload()
    expect(page.locator("[data-secret]")).to_be_hidden()
    look(page, "webhooks")
    page.get_by_role("link", name="http://93.184.216.34/hook").click()
    expect(page.get_by_role("heading", name="Nothing was sent there yet")).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No endpoints yet")).to_be_visible()


def test_given_nothing_made_yet_when_the_library_opens_then_it_says_what_will_be_there(page: Page) -> None:
    page.goto("/library")
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()


def test_given_states_that_are_seldom_seen_then_hostile_words_are_words_there_and_nothing_is_out_of_reach(
    page: Page, site: Site, who: str
) -> None:
    def fits(shown: str | None = HOSTILE) -> None:
        if shown is not None:
            expect(page.get_by_text(shown).first).to_be_visible()
        check_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[0]["width"], page.url

    page.set_viewport_size(SIZES[0])
    page.goto("/jobs/nonsense")
    fits("There is nothing here")
    store = site.stack.store
    endpoint = store.create_endpoint(who, f"http://127.0.0.1:9/{'hook/' * 60}", description=HOSTILE)
    job = store.create_job(who, store.create_project(who, HOSTILE[:200]).id)
    begin_upload(store, job, HOSTILE)
    store.move(job.id, None, "CANCELLED", trigger=Trigger.API, actor=Actor.EDITOR)
    store.grant(who, 5, reason=HOSTILE, actor="test", idempotency_key=who)
    page.goto(f"/jobs/{job.id}")
    fits()
    look(page, "job-cancelled")
    page.set_viewport_size(SIZES[0])
    for address in ("/", "/jobs", "/bin", "/credits", "/webhooks", "/new/batch"):
        page.goto(address)
        fits(None if address in ("/new/batch", "/bin") else HOSTILE)
    delivery = store.list_deliveries(who, endpoint.id).items[0]
    store.record_delivery_attempt(delivery.id, 1, status_code=None, duration_ms=9, error_code="FAILED", error=HOSTILE)
    page.goto(f"/webhooks/{endpoint.id}")
    page.locator("summary").first.click()
    fits()
    look(page, "webhook-deliveries")
    page.goto("/new")
    expect(page.locator("select[name=project]")).to_contain_text(HOSTILE[:60])
    fits(None)
