"""The whole job in the browser, from a recording to its PDF: by mouse, and again by the keyboard alone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Download, Locator, Page, expect

from tests.browser.conftest import Site, in_one_go
from tests.browser.looking import box_of

WITHIN_MS = 120_000
JOB = re.compile("/jobs/[0-9a-f-]{36}$")
TABS = 120
"""More than any page here has to go through."""


def check_pdf(download: Download, folder: Path) -> None:
    path = folder / "instruction.pdf"
    download.save_as(path)
    assert path.read_bytes().startswith(b"%PDF-")
    assert download.suggested_filename.endswith(".pdf")


def statuses(site: Site, who: str) -> list[str]:
    return [job.status for job in site.stack.store.list_jobs(who).items]


def test_given_a_mouse_when_the_whole_path_is_walked_then_a_recording_becomes_a_pdf(
    page: Page, site: Site, who: str, sample: Path, tmp_path: Path
) -> None:
    page.goto("/")
    page.get_by_role("link", name="New").first.click()
    page.get_by_label("Recording", exact=True).set_input_files(sample)
    page.get_by_label("Spoken language").select_option("en")
    page.get_by_role("button", name="Send and start").click()
    page.wait_for_url(JOB, timeout=WITHIN_MS)
    page.get_by_role("link", name="Open the instruction").click(timeout=WITHIN_MS)
    site.heard.append(who)

    step = page.get_by_role("article").filter(has_text="Press Save").first
    step.locator("[data-prose]").click()
    expect(page.locator(".written [contenteditable]")).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text("Save the invoice")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("[data-version]")).to_have_text("Version 2")

    written = page.get_by_role("article").filter(has_text="Save the invoice").first
    written.get_by_role("button", name="Draw").click()
    dialog = page.get_by_role("dialog")
    canvas = dialog.get_by_role("application")
    expect(dialog.get_by_role("button", name="Add")).to_be_enabled()
    box = box_of(canvas)
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 80, steps=4)
    page.mouse.up()
    dialog.get_by_role("button", name="Save the drawing").click()
    expect(dialog).to_have_count(0)
    expect(written.get_by_role("button", name="Draw")).to_be_focused()  # of another picture now

    page.get_by_role("link", name="Export").click()
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download(timeout=WITHIN_MS) as downloading:
        page.locator(".files > li").first.get_by_role("link", name="Download").click(timeout=WITHIN_MS)
    check_pdf(downloading.value, tmp_path)
    page.get_by_role("link", name="Job", exact=True).click()
    expect(page.locator("[data-status]")).to_have_text("Done", timeout=WITHIN_MS)
    assert statuses(site, who) == ["DONE"]


class Keyboard:
    """What a person does who has nothing else."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def go_to(self, wanted: Locator) -> None:
        """Tab, as often as it takes: also where the page is shown anew meanwhile, and it is another element."""
        expect(wanted).to_be_visible(timeout=WITHIN_MS)
        for _ in range(TABS):
            if wanted.evaluate("wanted => document.activeElement === wanted"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the keyboard does not reach {wanted}")

    def choose(self, field: Locator, value: str) -> None:
        """One after the other: a name that is typed is another one where a second goes by between two letters."""
        self.go_to(field)
        self.page.keyboard.press("Home")
        for _ in range(TABS):
            if field.input_value() == value:
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"there is no {value}")

    def press(self, wanted: Locator, key: str = "Enter") -> None:
        self.go_to(wanted)
        self.page.keyboard.press(key)


@pytest.mark.usefixtures("known")
def test_given_a_keyboard_alone_when_the_whole_path_is_walked_then_a_recording_becomes_a_pdf(
    page: Page, site: Site, who: str, sample: Path, tmp_path: Path
) -> None:
    keyboard = Keyboard(page)
    page.goto("/")
    in_one_go(page)
    page.keyboard.press("g")
    page.keyboard.press("n")
    page.wait_for_url("**/new")
    with page.expect_file_chooser() as choosing:
        keyboard.press(page.get_by_label("Recording", exact=True))
    choosing.value.set_files(sample)
    language = page.get_by_label("Spoken language")
    keyboard.choose(language, "en")
    keyboard.press(page.get_by_role("button", name="Send and start"))
    page.wait_for_url(JOB, timeout=WITHIN_MS)
    keyboard.press(page.get_by_role("link", name="Open the instruction"))

    expect(page.locator("[data-version]")).to_have_text("Version 1")
    keyboard.go_to(page.get_by_role("article").filter(has_text="Press Save").first)
    page.keyboard.press("Enter")
    expect(page.locator(".written [contenteditable]")).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("Save the invoice")
    page.keyboard.press("Escape")
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator("[data-version]")).to_have_text("Version 2")

    keyboard.press(page.get_by_role("link", name="Export"))
    keyboard.press(page.get_by_role("button", name="Export", exact=True))
    with page.expect_download(timeout=WITHIN_MS) as downloading:
        keyboard.press(page.locator(".files > li").first.get_by_role("link", name="Download"))
    check_pdf(downloading.value, tmp_path)
    assert [each.version for each in site.stack.store.versions(who, _instruction(site, who)).items] == [2, 1]


def _instruction(site: Site, who: str) -> str:
    (job,) = site.stack.store.list_jobs(who).items
    assert job.instruction_id is not None
    return job.instruction_id
