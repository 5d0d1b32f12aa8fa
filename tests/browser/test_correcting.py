"""A misheard word corrected once, offered everywhere, put right together, undone, and kept for what comes later."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import Site
from tests.browser.looking import look

WORD, RIGHT = "invoice", "voucher"


def test_given_a_word_corrected_in_the_transcript_then_it_is_offered_everywhere_put_right_undone_and_kept(
    page: Page, site: Site, who: str, drafted: Callable[[str], dict[str, str]]
) -> None:
    ids = drafted(who)
    with site.client(who) as client:
        before = client.get(f"instructions/{ids['instruction']}").json()
        items = client.get(f"jobs/{ids['job']}/transcript").json()["items"]
        lines = [each for each in items if WORD in each["text"].lower()]
        assert len(lines) > 1, "the sample says it more than once"
        assert WORD in before["markdown"].lower()

        page.goto(f"/jobs/{ids['job']}/transcript")
        line = page.locator(f"#s{lines[0]['index']}")
        line.hover()
        line.get_by_role("button", name="Correct").click()
        field = line.get_by_role("textbox")
        field.fill(re.sub(WORD, RIGHT, field.input_value(), flags=re.IGNORECASE))
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Correct everywhere").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_label("Heard")).to_have_value(re.compile(WORD, re.IGNORECASE))
        expect(dialog.get_by_role("heading", name="In the instruction")).to_be_visible()
        expect(dialog.get_by_role("heading", name="In the transcript")).to_be_visible()
        look(page, "correcting-everywhere")
        dialog.get_by_role("button", name="None").click()
        expect(dialog.get_by_role("button", name=re.compile("Correct 0"))).to_be_disabled()
        dialog.get_by_role("button", name="All").click()
        dialog.get_by_label("Keep it in the glossary").select_option(label="For recordings of this project")
        dialog.get_by_role("button", name=re.compile("^Correct ")).click()
        expect(dialog).to_have_count(0)
        expect(page.locator(".lines [data-text]").filter(has_text=re.compile(rf"\b{WORD}\b"))).to_have_count(0)
        after = client.get(f"instructions/{ids['instruction']}").json()
        assert after["version"] == before["version"] + 1
        assert not re.search(rf"\b{WORD}\b", after["markdown"], re.IGNORECASE)

        page.get_by_role("button", name="Undo", exact=True).click()
        expect(page.get_by_text("It reads as before.")).to_be_visible()
        assert client.get(f"instructions/{ids['instruction']}").json()["markdown"] == before["markdown"]

        page.goto(f"/instructions/{ids['instruction']}")  # what is known is offered here, too
        notice = page.locator("[data-notice=glossary]")
        expect(notice).to_contain_text("Your glossary knows")
        notice.get_by_role("button", name="Look at them").click()
        dialog.get_by_role("button", name=re.compile("^Correct ")).click()
        expect(dialog).to_have_count(0)
        expect(page.locator("[data-blocks]")).not_to_contain_text(re.compile(rf"\b{WORD}\b"))
        expect(page.locator("[data-standing]")).to_have_text("Saved")
        page.locator("body").press("ControlOrMeta+z")
        expect(page.locator("[data-blocks]")).to_contain_text(re.compile(rf"\b{WORD}\b"))

        page.locator("article[data-role=step]").filter(has_text=WORD).first.locator("[data-prose]").click()
        written = page.locator(".writer [contenteditable]")
        expect(written).to_be_focused()
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.insert_text(re.sub(WORD, "docket", written.inner_text(), flags=re.IGNORECASE))
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Correct everywhere…").click()  # what was corrected in one step
        expect(dialog.get_by_label("Heard")).to_have_value(re.compile(WORD, re.IGNORECASE))
        dialog.get_by_role("button", name=re.compile("^Correct ")).click()
        expect(dialog).to_have_count(0)
        expect(page.locator("[data-blocks]")).not_to_contain_text(re.compile(rf"\b{WORD}\b"))
        assert client.get(f"instructions/{ids['instruction']}").json()["markdown"].count("docket") > 1

        page.goto("/glossary")
        expect(page.locator(".terms > li")).to_contain_text(RIGHT)
        look(page, "glossary")
        page.get_by_role("button", name=f"Remove the entry for {WORD}").click()
        expect(page.get_by_role("heading", name="Nothing is misheard yet")).to_be_visible()
        page.get_by_role("button", name="Bring it back").click()
        expect(page.locator(".terms > li")).to_contain_text(RIGHT)
