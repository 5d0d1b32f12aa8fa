"""Signing in at a whole identity provider, by its own pages: there and back, renewed while somebody writes, over when
the provider says so, and signed out at both."""

from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect
from pydantic import SecretStr
from sqlalchemy import select

from activities.store.tables import sign_ins
from tests.apis import RunningApi, running_api, wait_ready
from tests.browser.conftest import PATIENT_MS, Site, come_back, site_settings
from tests.browser.looking import look
from tests.browser.test_editor import write
from tests.canaille import CLIENT_ID, CLIENT_SECRET, PASSWORD, Canaille, running_canaille
from tests.stack import wait_until

LIFETIME_S = 4
"""Of an ID token: asked again after three quarters of it."""


@pytest.fixture(scope="module")
def there(site: Site) -> Iterator[tuple[RunningApi, Canaille]]:
    """An API on the site's stack whose users sign in at a provider of its own."""
    settings = site_settings(site.stack)
    url = f"http://127.0.0.1:{settings.api_port}"
    user = f"ann-{uuid4().hex[:8]}"
    with running_canaille(
        url, user=user, name="Ann Archer", email="ann@example.org", lifetime_s=LIFETIME_S
    ) as provider:
        own = {
            "oidc_issuer": provider.issuer,
            "oidc_client_id": CLIENT_ID,
            "oidc_client_secret": SecretStr(CLIENT_SECRET),
            "oidc_scopes": "openid profile email groups",
            "oidc_name": "Example Corp",
            "auth_role_claim": "groups",
            "secrets_key": SecretStr("0123456789abcdef" * 2),
        }
        with running_api(settings.model_copy(update=own)) as api:
            wait_ready(api)
            yield api, provider


def sign_in_there(page: Page, user: str) -> None:
    """On the provider's pages."""
    page.get_by_role("textbox").first.fill(user)
    page.get_by_role("button", name="Continue").click()
    page.locator("input[type=password]").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def test_given_a_provider_when_somebody_works_then_their_session_is_its_to_renew_and_to_end_and_no_text_is_lost(
    site: Site, there: tuple[RunningApi, Canaille], drafted: Callable[[str], dict[str, str]]
) -> None:
    api, provider = there
    instruction = drafted(provider.user)["instruction"]
    address = f"{api.url}/instructions/{instruction}"
    context = site.browser.new_context(locale="en-GB", viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENT_MS)
    page = context.new_page()

    page.goto(address)
    expect(page).to_have_title("Sign in · guidesmith")
    look(page, "sign-in-provider")
    page.get_by_role("link", name="Sign in with Example Corp").click()
    sign_in_there(page, provider.user)
    page.get_by_role("button", name="Deny").click()
    expect(page.get_by_role("alert")).to_contain_text("SIGN_IN_DENIED")
    page.get_by_role("link", name="Sign in with Example Corp").click()
    page.get_by_role("button", name="Accept").click()
    expect(page).to_have_url(address)
    assert api.store.people([provider.user]) == {provider.user: "Ann Archer"}

    first = asked_until(api, provider.user)
    write(page, "Click new invoice", "Click the **newest** invoice.")
    expect(page.get_by_text("Changes are kept")).to_be_visible()
    wait_until(lambda: written_later(page) and asked_until(api, provider.user) > first, 30, "the provider to be asked")
    expect(page.locator("[data-signed-out]")).to_be_hidden()

    provider.lock(True)
    write(page, "Press Save", "Press Save, and wait.")
    over = page.get_by_text("You are signed out. What you have typed is still here.")
    wait_until(lambda: written_later(page) and over.is_visible(), 30, "the provider to vouch no more")
    expect(page.get_by_text("Press Save, and wait.").first).to_be_visible()
    assert asked_until(api, provider.user) == ""
    provider.lock(False)
    provider.vouch_for(3600)
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Sign in again").click()
    expect(opened.value).to_have_title("You are signed in again · guidesmith")  # the provider knew who it was
    opened.value.close()
    come_back(page)
    expect(over).to_be_hidden()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    saved = api.store.get_instruction(provider.user, instruction).markdown
    assert "Click the **newest** invoice." in saved and "Press Save, and wait." in saved

    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Logout").click()
    expect(page).to_have_url(f"{api.url}/sign-out")
    look(page, "signed-out-at-both")
    page.get_by_role("link", name="Sign in").click()
    page.get_by_role("link", name="Sign in with Example Corp").click()
    expect(page).to_have_url(f"{provider.issuer}/login")
    context.close()


def asked_until(api: RunningApi, user: str) -> str:
    """Until when the provider's last word on the user's one session holds; empty: it has none."""
    with api.store._database.read() as connection:
        found = connection.scalars(select(sign_ins.c.until).where(sign_ins.c.owner == user)).all()
    return "".join(each.isoformat() for each in found)


def written_later(page: Page) -> bool:
    """Somebody goes on writing: each time, the server is sent what is new."""
    page.keyboard.insert_text(" ")
    page.keyboard.press("Backspace")
    page.evaluate("dispatchEvent(new Event('focus'))")
    return True
