"""Who may see the pages, and how they come in."""

import httpx
import pytest
from playwright.sync_api import Page, expect

from starter.access.tokens import Role, Tokens
from tests.apis import SECRET
from tests.browser.conftest import PATIENT_MS, Site, come_back, sign_in, ticket
from tests.browser.looking import look

KEPT = "JSON.stringify({ ...sessionStorage })"


def test_given_nobody_signed_in_when_a_page_is_opened_then_they_sign_in_and_are_led_back(
    site: Site, quiet: list[str]
) -> None:
    context = site.browser.new_context(base_url=site.url)
    context.set_default_timeout(PATIENT_MS)
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
    expect(page).to_have_title("Sign in · guidesmith")
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


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 303),
        ({"Sec-Fetch-Mode": "navigate"}, 303),
        ({"Sec-Fetch-Mode": "cors", "Accept": "text/event-stream"}, 401),
        ({"Sec-Fetch-Mode": "no-cors", "Accept": "image/*"}, 401),
        ({"HX-Request": "true"}, 401),
    ],
)
def test_given_no_session_when_a_page_asks_for_a_stream_or_a_part_then_it_gets_no_page_to_sign_in_on(
    site: Site, headers: dict[str, str], status: int
) -> None:
    assert httpx.get(f"{site.url}/live", headers=headers).status_code == status


def test_given_nothing_of_mine_when_the_first_page_opens_then_it_says_what_to_do(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", name="No guides yet")).to_be_visible()
    look(page, "home-empty")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    page.evaluate("""() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["a talk"], "talk.mp3"));
        dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
    }""")
    expect(page.get_by_role("dialog", name="New instruction")).to_contain_text("talk.mp3")
    expect(page.get_by_role("button", name="Send and start")).to_be_focused()


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


def test_given_an_address_that_signs_in_when_another_site_leads_there_then_its_visitor_is_asked_first(
    site: Site, who: str
) -> None:
    with httpx.Client(base_url=site.url) as client:
        for whence in ("cross-site", "same-site"):
            led = client.get("/sign-in", params={"ticket": ticket(who)}, headers={"Sec-Fetch-Site": whence})
            assert (led.status_code, "set-cookie" in led.headers) == (200, False)
            assert f"Sign in as {who}" in led.text
        for held, status in ((ticket(who), 303), (f"{ticket(who)}x", 401), (ticket(who).replace("v1", "v2"), 401)):
            ours = {"Sec-Fetch-Site": "same-origin"}
            assert client.post("/sign-in", data={"ticket": held}, headers=ours).status_code == status
        theirs = {"Sec-Fetch-Site": "cross-site"}
        assert client.post("/sign-in", data={"ticket": ticket(who)}, headers=theirs).status_code == 401
        left = client.post("/sign-out", headers={"Sec-Fetch-Site": "same-origin"})
        assert left.headers["clear-site-data"] == '"cache"'  # pictures of what is somebody's alone


def test_given_a_copy_of_a_session_when_its_owner_signs_out_then_it_opens_nothing_more_and_nothing_typed_is_left(
    page: Page, site: Site, who: str
) -> None:
    other = page.context.new_page()
    other.goto("/credits")
    page.goto("/new/image")
    page.get_by_label("What shall the picture show?").fill("A lighthouse")
    assert "A lighthouse" in page.evaluate(KEPT)
    copied = {each["name"]: each["value"] for each in page.context.cookies()}
    own = {"Sec-Fetch-Site": "same-origin"}
    with httpx.Client(base_url=site.url, cookies=copied, headers=own) as thief:
        assert (thief.get("/").status_code, thief.get("/api/v1/projects").status_code) == (200, 200)
        page.get_by_role("button", name="Sign out").click()
        expect(page).to_have_title("Sign in · guidesmith")
        assert "A lighthouse" not in page.evaluate(KEPT)
        assert (thief.get("/").status_code, thief.get("/api/v1/projects").status_code) == (303, 401)
    expect(other.locator("[data-signed-out]")).to_be_visible()
    sign_in(page.context, who)
    page.goto("/")
    expect(other.locator("[data-signed-out]")).to_be_hidden()


def test_given_a_session_that_ends_while_somebody_types_then_nothing_typed_is_lost_and_the_page_goes_on(
    page: Page, site: Site, who: str
) -> None:
    site.stack.store.grant(who, 10, reason="test", actor="test", idempotency_key=who)
    page.goto("/new/image")
    page.get_by_label("What shall the picture show?").fill("A lighthouse")
    page.context.clear_cookies()
    page.get_by_role("button", name="Make the picture").click()
    over = page.get_by_text("You are signed out. What you have typed is still here.")
    expect(over).to_be_visible()
    expect(page).to_have_url(f"{site.url}/new/image")
    look(page, "signed-out")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Sign in again").click()
    expect(opened.value).to_have_title("Sign in · guidesmith")
    sign_in(page.context, who)
    come_back(page)
    expect(over).to_be_hidden()
    sign_in(page.context, f"{who}-another")
    opened.value.goto("/")
    page.get_by_role("button", name="Make the picture").click()
    expect(page.get_by_text(f"nothing can be done here as {who} now")).to_be_visible()
    expect(page.get_by_text("Sign in as yourself again")).to_be_visible()
    sign_in(page.context, who)
    opened.value.goto("/")
    expect(page.get_by_text(f"nothing can be done here as {who} now")).to_be_hidden()
    assert not site.stack.store.list_jobs(f"{who}-another").items
    expect(page.get_by_label("What shall the picture show?")).to_have_value("A lighthouse")
    page.get_by_role("button", name="Make the picture").click()
    expect(page.locator("[data-status]")).to_be_visible()


@pytest.mark.parametrize("opened", ["before", "after"])
def test_given_a_list_that_is_followed_when_the_session_ends_then_it_says_so_and_goes_on_after_signing_in(
    page: Page, site: Site, who: str, opened: str
) -> None:
    project = site.stack.store.create_project(who, "Handbooks").id
    first = site.stack.store.create_job(who, project).id
    with page.expect_response(lambda answer: "/live" in answer.url):
        page.goto("/")
    expect(page.locator(f"#guide-{first}")).to_be_visible()
    page.context.clear_cookies()
    if opened == "after":
        page.evaluate("dispatchEvent(new Event('pagehide'))")
        page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    second = site.stack.store.create_job(who, project).id  # a stream that is open still tells of it
    expect(page.locator("[data-signed-out]")).to_be_visible()
    expect(page.locator(f"#guide-{first}")).to_be_visible()
    sign_in(page.context, who)
    come_back(page)
    expect(page.locator(f"#guide-{second}")).to_be_visible()
    expect(page.locator("[data-signed-out]")).to_be_hidden()
