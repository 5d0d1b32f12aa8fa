"""The pages beside jobs and instructions: credits, library, webhooks, lifecycles."""

import pytest
from playwright.sync_api import Page, expect

from domain.kinds import LIFECYCLES
from starter.tokens import Role
from tests.browser.conftest import Site
from tests.browser.looking import look


@pytest.mark.parametrize("kind", LIFECYCLES)
def test_given_a_kind_when_its_table_is_opened_then_every_status_and_move_of_the_code_is_there(
    page: Page, kind: str
) -> None:
    page.goto(f"/lifecycles?kind={kind}")
    lifecycle = LIFECYCLES[kind]
    assert page.locator(".node text").all_text_contents() == [str(each) for each in lifecycle.statuses]
    written = page.locator("tbody tr td:first-child code, tbody tr td:first-child:not(:has(code))").count()
    assert written == len(lifecycle.transitions)
    if kind == "instruction":
        look(page, "lifecycles")


def test_given_credits_when_an_administrator_gives_some_then_the_books_show_it(
    site: Site, who: str, quiet: list[str]
) -> None:
    with site.visitor(who, role=Role.ADMIN) as context:
        page = context.new_page()
        page.goto("/credits")
        page.get_by_label("Amount").fill("25")
        page.get_by_label("Why").fill("<b>a gift</b>")
        page.get_by_role("button", name="Give").click()
        expect(page.locator(".figures dd").first).to_have_text("25")
        expect(page.get_by_text("<b>a gift</b>")).to_be_visible()
        look(page, "credits")
    with site.visitor(who) as context:
        page = context.new_page()
        page.goto("/credits")
        expect(page.get_by_role("button", name="Give")).to_have_count(0)


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
