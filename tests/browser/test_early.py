"""What somebody does before the modules of a page are there, as on a slow line, is done once they are."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Site, held_back

JOB = re.compile("/jobs/[0-9a-f-]{36}$")


@contextmanager
def without(page: Page, module: str) -> Iterator[None]:
    """The module does not arrive before the block ends."""
    waiting: list[Route] = []
    page.route(re.compile(f"/static/{module}-[^.]+\\.js"), lambda route: waiting.append(route))
    yield
    held_back(page, waiting).continue_()
    for each in waiting:
        each.continue_()
    page.unroute_all()


def test_given_a_text_that_is_clicked_early_then_it_is_written_in_once_the_editor_is_there(
    page: Page, who: str, drafted: Callable[[str], dict[str, str]], quiet: list[str]
) -> None:
    instruction = drafted(who)["instruction"]
    with without(page, "editor"):
        page.goto(f"/instructions/{instruction}", wait_until="commit")
        page.locator("[data-prose]").nth(1).click()
        page.locator("[data-prose]").nth(1).click()
    expect(page.locator(".written [contenteditable]")).to_be_focused()
    expect(page.locator(".written [contenteditable]")).to_have_count(1)


def test_given_an_order_that_is_sent_early_then_its_words_are_in_no_address_and_it_is_made_once(
    page: Page, site: Site, who: str, quiet: list[str]
) -> None:
    site.stack.store.grant(who, 10, reason="test", actor="test", idempotency_key=who)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with without(page, "new"):
        page.goto("/new/generation", wait_until="commit")
        page.get_by_label("What is advertised?").fill("A kettle")
        page.keyboard.press("Control+Enter")
        page.get_by_role("button", name="Make it").click()
    page.wait_for_url(JOB)
    assert not [each for each in asked if "kettle" in each]
    assert len(site.stack.store.list_jobs(who).items) == 1


def test_given_a_choice_that_is_made_early_then_its_fields_are_asked_for(page: Page, who: str) -> None:
    with without(page, "new"):
        page.goto("/new/generation", wait_until="commit")
        page.get_by_role("radio", name=re.compile("^A web page")).check()
        expect(page.get_by_label("Address of the page")).to_be_hidden()
    expect(page.get_by_label("Address of the page")).to_be_visible()


def test_given_a_line_that_is_corrected_before_all_lines_are_there_then_it_opens_once_they_are(
    page: Page, who: str, drafted: Callable[[str], dict[str, str]], quiet: list[str]
) -> None:
    job = drafted(who)["job"]
    waiting: list[Route] = []
    page.route("**/transcript/segments", lambda route: waiting.append(route))
    page.goto(f"/jobs/{job}/transcript")
    first = page.locator("[data-correct]").first
    first.click()
    held_back(page, waiting).abort()
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    first.click()  # asks again
    expect(page.get_by_role("textbox", name="Correct")).to_be_hidden()
    held_back(page, waiting).continue_()
    expect(page.get_by_role("textbox", name="Correct")).to_be_visible()


def test_given_modules_that_never_arrive_when_a_form_is_sent_then_its_words_are_in_no_address(
    page: Page, site: Site
) -> None:
    page.route(re.compile(r"/static/.*\.js"), lambda route: route.abort())
    for address in ("/new/image", "/new/generation", "/new/analysis", "/new"):
        page.goto(address)
        page.evaluate("document.querySelector('form.stack').noValidate = true")
        page.evaluate("document.querySelector('form.stack').requestSubmit()")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.url == f"{site.url}{address}"
