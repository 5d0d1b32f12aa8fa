"""A project's brand: chosen beside the real page, refused where it could not be read, and then in what is exported."""

import base64
import io
import re
from collections.abc import Callable

from PIL import Image, ImageDraw
from playwright.sync_api import Page, expect

from tests.browser.conftest import Site
from tests.browser.looking import look
from tests.stack import wait_until


def drawn() -> bytes:
    image = Image.new("RGBA", (400, 120))
    ImageDraw.Draw(image).rounded_rectangle((0, 0, 399, 119), 30, fill="#7a1fa2")
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def test_given_a_project_when_its_brand_is_chosen_then_it_shows_at_once_and_in_the_next_export(
    page: Page, site: Site, who: str, drafted: Callable[[str], dict[str, str]]
) -> None:
    ids = drafted(who)
    page.goto(f"/projects/{ids['project']}")
    page.get_by_role("link", name="Brand", exact=True).click()
    shown = page.frame_locator("[data-frames] iframe:only-child")
    expect(shown.locator("section.step").first).to_be_visible()
    before = page.evaluate("history.length")

    page.get_by_label("Above every page").fill("{project} · page {page}")
    page.get_by_label("Under each title").fill("{steps} steps in {project}")
    page.get_by_role("button", name="Add a section before the guide").click()
    expect(page.get_by_label("Heading")).to_be_focused()
    page.keyboard.type("Before you begin")
    page.get_by_label("Text", exact=True).fill("Ask **{project}**.")
    expect(shown.locator(".masthead")).to_have_text("Handbooks")
    expect(shown.get_by_role("heading", name="Before you begin")).to_be_visible()
    expect(shown.get_by_text("Ask Handbooks.")).to_be_visible()
    expect(shown.locator(".lead")).to_contain_text(re.compile(r"[1-9]\d* steps in Handbooks"))
    page.get_by_role("button", name="Add a section after the guide").click()
    page.get_by_label("Heading").last.fill("Need help?")
    page.get_by_role("button", name="Add a section after the guide").click()
    page.get_by_label("Heading").last.fill("Of no use")
    page.get_by_role("button", name="Move up").last.click()
    expect(page.get_by_role("button", name="Move up").nth(1)).to_be_focused()
    page.get_by_role("button", name="Remove", exact=True).nth(1).click()
    expect(page.get_by_role("button", name="Remove", exact=True).last).to_be_focused()
    expect(page.get_by_label("Heading").last).to_have_value("Need help?")
    expect(shown.locator("section.text .title")).to_have_text(["Before you begin", "Need help?"])
    page.get_by_role("button", name="Move up").last.click()
    expect(page.get_by_role("button", name="Move up").last).to_be_focused()
    expect(shown.locator("section.step ~ section.text")).to_have_count(0)
    page.get_by_role("button", name="Move down").last.click()
    expect(shown.locator("#after-1 .title")).to_have_text("Need help?")

    page.get_by_label("Accent", exact=True).fill("#ffb300")
    expect(page.locator("[data-figures]")).to_contain_text("The accent itself would have 1.8:1 there")
    expect(shown.locator(".badge").first).to_have_css("background-color", "rgb(255, 179, 0)")
    page.get_by_label("Text on the accent", exact=True).fill("#ffffff")
    expect(page.get_by_role("alert")).to_contain_text("has a contrast of 1.79:1, and text needs 4.5:1")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("[data-toasts]")).to_contain_text("4.5:1")
    page.get_by_label("Text on the accent", exact=True).fill("")
    expect(page.locator("[data-figures] [role=alert]")).to_have_count(0)

    chooser = page.get_by_label("Choose a file")
    chooser.set_input_files({"name": "logo.svg", "mimeType": "image/svg+xml", "buffer": b"<svg/>"})
    expect(page.locator("[data-toasts]")).to_contain_text("Save the SVG as PNG")
    chooser.set_input_files({"name": "logo.png", "mimeType": "image/png", "buffer": drawn()})
    expect(page.get_by_role("button", name="Remove the logo")).to_be_visible()
    expect(shown.locator("img.logo")).to_have_js_property("complete", True)
    page.emulate_media(color_scheme="null")  # what is emulated holds in frames, too, whatever they are told
    page.get_by_label("Dark page").check()
    expect(shown.locator("body")).to_have_css("background-color", "rgb(20, 25, 31)")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("[data-toasts]")).to_contain_text("Saved. Exports look like this from now on.")
    look(page, "brand")
    assert before == page.evaluate("history.length"), "what is tried is no way back"

    with site.client(who) as client:
        instruction = client.get(f"instructions/{ids['instruction']}").json()
        body = {"format": "HTML", "instruction_version_id": instruction["instruction_version_id"]}
        export = client.post(f"jobs/{instruction['job_id']}/exports", json=body).json()["id"]
        wait_until(lambda: client.get(f"exports/{export}").json()["status"] == "SUCCEEDED", 60, "the export")
        made = client.get(f"exports/{export}").json()
        html = client.get(made["download_url"]).text
        logo = client.get(f"projects/{ids['project']}/brand/logo").json()["data"]
    assert f"data:image/png;base64,{logo}" in html and "--fill: #ffb300" in html
    assert html.index("Before you begin</h2>") < html.index('id="step-1"') < html.index("Need help?</h2>")
    assert re.search(r"[1-9]\d* steps in Handbooks", html)
    assert base64.b64decode(logo).startswith(b"\x89PNG")
    page.goto(f"/instructions/{ids['instruction']}/export")
    expect(page.locator(f"#export-{export}")).to_contain_text("Made with the brand of")

    with site.visitor("reader-" + who) as context:
        with site.client(who) as client:
            url = client.post(f"projects/{ids['project']}/invitations", json={"role": "viewer"}).json()["url"]
        theirs = context.new_page()
        theirs.goto(url)
        theirs.get_by_role("button", name="Come in").click()
        expect(theirs.get_by_role("link", name="Brand", exact=True)).to_be_visible()
        theirs.get_by_role("link", name="Brand", exact=True).click()
        expect(theirs.get_by_label("Above every page")).to_be_disabled()
        expect(theirs.get_by_role("button", name="Save")).to_have_count(0)
        expect(theirs.frame_locator("[data-frames] iframe:only-child").locator("img.logo")).to_be_visible()
