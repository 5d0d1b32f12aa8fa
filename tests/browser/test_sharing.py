"""A guide is shown to others: the link is made, opened by nobody in particular, brought up to date, revoked."""

from collections.abc import Callable
from contextlib import closing
from datetime import timedelta

from playwright.sync_api import Page, expect
from sqlalchemy import update

from activities.store.tables import shares
from tests.browser.conftest import PATIENT_MS, Site
from tests.browser.looking import WIDE, draw, look


def test_given_a_draft_when_it_is_shared_then_whoever_holds_the_link_reads_it_until_it_is_revoked(
    page: Page, site: Site, who: str, drafted: Callable[[str], dict[str, str]]
) -> None:
    ids = drafted(who)
    page.goto(f"/instructions/{ids['instruction']}/share")
    expect(page.get_by_role("heading", name="No links yet")).to_be_visible()
    look(page, "share-empty")
    page.get_by_label("What it is for").fill("For the help desk")
    page.get_by_label("Valid").select_option("30")
    page.locator("input[name=passphrase]").fill("correct horse")
    page.get_by_label("The recording may be watched, too").check()
    page.get_by_role("button", name="Make a link").click()
    expect(page.locator("[data-url]")).to_contain_text("/shared/")
    link = page.locator("[data-url]").inner_text()
    row = page.locator("[data-links] li")
    expect(row).to_contain_text("For the help desk")
    expect(row).to_contain_text(f"made by {who}")
    expect(row.locator(".badge")).to_have_text("Version 1")
    look(page, "share")

    with closing(site.browser.new_context(base_url=site.url, viewport=WIDE)) as stranger:
        stranger.set_default_timeout(PATIENT_MS)
        reader = stranger.new_page()
        reader.goto(link)
        expect(reader.get_by_role("heading", name="This guide asks for a passphrase")).to_be_visible()
        reader.get_by_role("textbox").fill("wrong horse")
        reader.get_by_role("button", name="Open").click()
        expect(reader.get_by_role("alert")).to_have_text("That is not the passphrase.")
        look(reader, "shared-passphrase")
        reader.get_by_role("textbox").fill("correct horse")
        reader.get_by_role("button", name="Open").click()
        expect(reader.locator("main section.step").first).to_be_visible()
        expect(reader.locator("figure img").first).to_have_js_property("complete", True)
        draw(reader, "shared")  # no script runs there: axe-core's neither
        watch = reader.get_by_role("link", name="Watch the recording").get_attribute("href")
        assert watch is not None
        part = reader.request.get(watch, headers={"Range": "bytes=0-99"})
        assert (part.status, len(part.body())) == (206, 100)

        with site.client(who) as client:
            instruction = f"instructions/{ids['instruction']}"
            markdown = client.get(instruction).json()["markdown"]
            body = {"base_version": 1, "markdown": f"{markdown}\n\nMind the gap.\n"}
            client.put(instruction, json=body).raise_for_status()
        page.reload()
        expect(row).to_contain_text("Version 2 is newer")
        page.get_by_role("button", name="Show version 2").click()
        expect(row.locator(".badge").first).to_have_text("Version 2")
        reader.reload()
        expect(reader.get_by_text("Mind the gap.")).to_be_visible()

        page.get_by_role("button", name="Revoke").click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        expect(row.locator(".badge")).to_have_text("Revoked")
        expect(row).to_contain_text(f"brought up to date by {who} · revoked by {who}")
        reader.reload()
        expect(reader.get_by_text("Mind the gap.")).to_have_count(0)

        page.get_by_label("What it is for").fill("For a day")
        page.get_by_label("Valid").select_option("1")
        page.get_by_role("button", name="Make a link").click()
        daily = page.locator("[data-links] li").filter(has_text="For a day")
        expect(daily.locator(".badge")).to_have_text("Version 2")
        expect(page.locator("[data-url]")).not_to_have_text(link)
        link = page.locator("[data-url]").inner_text()
        reader.goto(link)
        expect(reader.get_by_text("Mind the gap.")).to_be_visible()
        with site.stack.store.engine.begin() as connection:  # the day has gone by
            gone_by = update(shares).where(shares.c.owner == who, shares.c.name == "For a day")
            connection.execute(gone_by.values(expires_at=site.stack.store.now() - timedelta(seconds=1)))
        answer = reader.reload()
        assert answer is not None and answer.status == 404
        expect(reader.get_by_text("Mind the gap.")).to_have_count(0)
        page.reload()
        expect(daily.locator(".badge")).to_have_text("Expired")
        expect(daily.get_by_role("button")).to_have_count(0)


def test_given_open_links_when_something_is_blurred_then_it_is_said_and_they_are_moved_or_revoked(
    page: Page, site: Site, who: str, drafted: Callable[[str], dict[str, str]]
) -> None:
    ids = drafted(who)
    path = f"instructions/{ids['instruction']}/shares"
    with site.client(who) as client:
        for body in ({"name": "For the <i>help desk</i>"}, {"recording": True}):
            client.post(path, json=body).raise_for_status()

        def open_links() -> list[bool]:
            return [each["is_behind"] for each in client.get(path).json()["items"] if each["is_open"]]

        page.goto(f"/{path.removesuffix('/shares')}")
        _blur(page)
        behind = page.get_by_role("dialog", name="2 links still show what was before")
        expect(behind.get_by_role("listitem")).to_have_text(["A link without a name", "For the <i>help desk</i>"])
        expect(behind.get_by_text("One of them leads to the recording, where nothing is blurred")).to_be_visible()
        assert open_links() == [True, True]
        look(page, "links-behind")
        behind.get_by_role("button", name="Show the guide as it is now").click()
        expect(page.get_by_text("Its readers see the newest version as soon as it is ready.")).to_be_visible()
        assert open_links() == [False, False]

        _blur(page)
        page.get_by_role("dialog").get_by_role("button", name="Revoke them").click()
        expect(page.get_by_text("2 links open nothing any more.")).to_be_visible()
        assert open_links() == []
        _blur(page)
        expect(page.get_by_role("dialog")).to_have_count(0)


def _blur(page: Page) -> None:
    """Blur a part of the first picture."""
    shot = page.locator(".write .shot").first
    before = shot.get_attribute("data-asset") or ""
    shot.get_by_role("button", name="Draw").click()
    drawing = page.get_by_role("dialog", name="Draw on the picture")
    drawing.get_by_text("Blur", exact=True).click()
    drawing.get_by_role("button", name="Add").click()
    drawing.get_by_role("button", name="Save the drawing").click()
    expect(drawing).to_have_count(0)
    expect(shot).not_to_have_attribute("data-asset", before)
