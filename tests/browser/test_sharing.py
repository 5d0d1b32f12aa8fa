"""A guide is shown to others: the link is made, opened by nobody in particular, brought up to date, revoked."""

from collections.abc import Callable
from contextlib import closing

from playwright.sync_api import Page, expect

from tests.browser.conftest import Site
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
    expect(row.locator(".badge")).to_have_text("Version 1", timeout=60_000)
    look(page, "share")

    with closing(site.browser.new_context(base_url=site.url, viewport=WIDE)) as stranger:
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
        expect(row.locator(".badge").first).to_have_text("Version 2", timeout=60_000)
        reader.reload()
        expect(reader.get_by_text("Mind the gap.")).to_be_visible()

        page.get_by_role("button", name="Revoke").click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        expect(row.locator(".badge")).to_have_text("Revoked")
        reader.reload()
        expect(reader.get_by_text("Mind the gap.")).to_have_count(0)
