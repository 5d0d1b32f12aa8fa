"""Files made of an instruction: asked for, followed, looked at, taken home."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Site, held_back
from tests.browser.looking import look


def test_given_a_draft_when_it_is_exported_then_the_file_is_followed_looked_at_downloaded_and_kept_in_the_list(
    page: Page, site: Site, who: str, drafted: Callable[[str], dict[str, str]], tmp_path: Path
) -> None:
    ids = drafted(who)
    page.goto(f"/instructions/{ids['instruction']}/export")
    expect(page.get_by_role("heading", name="Nothing exported yet")).to_be_visible()
    look(page, "export-empty")
    page.get_by_role("button", name="Export", exact=True).click()
    files = page.locator(".files > li")
    expect(files.locator(".badge")).to_have_text("Ready")
    sheets = page.locator(".leaves img")
    expect(sheets.first).to_be_visible()
    expect(sheets.first).to_have_js_property("naturalWidth", 1100)
    with page.expect_download() as downloading:
        files.get_by_role("link").click()
    path = tmp_path / "file.pdf"
    downloading.value.save_as(path)
    assert path.read_bytes().startswith(b"%PDF-")

    page.get_by_role("button", name="Export", exact=True).click()
    expect(page.get_by_text("This file was made before")).to_be_visible()
    expect(files).to_have_count(1)

    page.get_by_role("radio", name="Markdown").check()
    page.keyboard.press("e")
    expect(files.locator(".badge")).to_have_text(["Ready", "Ready"])
    files.last.get_by_text("Where it comes from").click()
    expect(files.last.get_by_text("SHA-256 of the file")).to_be_visible()
    look(page, "export")

    versions = page.get_by_label("Version")
    with site.client(who) as client:
        address = f"instructions/{ids['instruction']}"
        markdown = client.get(address).json()["markdown"]
        for saved, shown in ((2, "2 (newest)"), (3, "1 ·")):  # saved elsewhere
            body = {"base_version": saved - 1, "markdown": f"{markdown}\n\nMore: {saved}.\n"}
            client.put(address, json=body).raise_for_status()
            expect(versions.locator("option").first).to_contain_text(f"{saved} (newest)")
            expect(versions.locator("option:checked")).to_contain_text(shown)
            versions.select_option(index=saved - 1)  # the first version
        asked: list[Route] = []
        page.route("**/export/versions?*", lambda route: asked.append(route), times=1)
        client.put(address, json={"base_version": 3, "markdown": f"{markdown}\n\nMore: 4.\n"}).raise_for_status()
        answer = held_back(page, asked)
        versions.select_option(index=1)  # the second one, just then
        answer.continue_()
        expect(versions.locator("option").first).to_contain_text("4 (newest)")
        expect(versions.locator("option:checked")).to_contain_text("2 ·")

    with site.visitor("somebody-else") as context:
        number = sheets.first.get_attribute("src")
        assert number is not None
        assert context.request.get(number).status == 404
        assert context.request.get(f"/instructions/{ids['instruction']}/export").status == 404
    exported = number.split("/")[2]
    for address, status in ((f"/exports/{exported}/pages/999", 404), (f"/exports/{exported}/pages/1", 200)):
        assert page.request.get(address).status == status

    made = site.stack.store.get_export(exported)
    assert made.blob is not None
    site.stack.artifacts.delete(made.blob.key)  # the file is lost
    page.goto(f"/instructions/{ids['instruction']}/export")
    page.get_by_role("button", name="Look at the pages").click()
    expect(page.get_by_role("alert")).to_contain_text("export the version again")
