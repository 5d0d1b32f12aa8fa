"""Who may see the pages, and how they come in."""

import httpx
import pytest
from playwright.sync_api import Page, expect

from starter.tokens import Role, Tokens
from tests.apis import SECRET
from tests.browser.conftest import Site
from tests.browser.looking import look


def test_given_nobody_signed_in_when_a_page_is_opened_then_they_sign_in_and_are_led_back(
    site: Site, quiet: list[str]
) -> None:
    context = site.browser.new_context(base_url=site.url)
    page = context.new_page()
    page.goto("/lifecycles?x=1")
    expect(page).to_have_title("Sign in · guidesmith")
    look(page, "sign-in")
    page.get_by_label("Or paste a token").fill("nonsense")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("does not hold")
    page.get_by_label("Or paste a token").fill(Tokens(SECRET).issue("ann", Role.EDITOR))
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{site.url}/lifecycles?x=1")
    page.get_by_role("button", name="Sign out").click()
    page.goto("/")
    expect(page).to_have_title("Sign in · guidesmith")
    context.close()


@pytest.mark.parametrize(
    "to",
    [
        "//evil.example",
        "https://evil.example/",
        "/\\evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "http://[",
        "",
    ],
)
def test_given_an_address_elsewhere_when_somebody_signs_in_then_they_stay_here(site: Site, to: str) -> None:
    answer = httpx.post(
        f"{site.url}/sign-in",
        data={"token": Tokens(SECRET).issue("ann", Role.EDITOR), "to": to},
        headers={"Sec-Fetch-Site": "same-origin"},
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_given_nothing_of_mine_when_the_first_page_opens_then_it_says_what_to_do(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", name="No jobs yet")).to_be_visible()
    look(page, "home-empty")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 201),
        ({"Sec-Fetch-Site": "cross-site"}, 401),
        ({"Sec-Fetch-Site": "same-site"}, 401),
        ({"Sec-Fetch-Site": "none"}, 401),
        ({"Origin": "https://evil.example"}, 401),
        ({}, 401),
    ],
)
def test_given_a_session_when_another_site_calls_the_api_with_it_then_it_counts_for_nothing(
    site: Site, who: str, headers: dict[str, str], status: int
) -> None:
    with site.visitor(who) as context:
        cookies = {each["name"]: each["value"] for each in context.cookies()}
    answer = httpx.post(f"{site.url}/api/v1/projects", json={"name": "x"}, cookies=cookies, headers=headers)
    assert answer.status_code == status
