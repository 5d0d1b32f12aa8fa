"""The editor: an instruction beside its recording."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Dialog, Locator, Page, Route, expect

from domain.documents.document import parse
from domain.documents.merging import KeptProposal
from domain.documents.tasks import Regenerated
from domain.jobs import Failure
from tests.browser.conftest import Site, come_back, sign_in
from tests.browser.looking import box_of, look
from tests.stack import wait_until

IMAGE, SCRIPT = "<img src=x onerror=\"window.harmed='yes'\">", "<script>window.harmed='yes'</script>"
HARMFUL = f"</textarea>{IMAGE}{SCRIPT} {{{{7*7}}}} &lt;b&gt; \u202e"


@pytest.fixture(scope="module")
def who() -> str:
    """The same person for all of these: a draft takes its time."""
    return f"ed-{uuid4().hex[:12]}"


@pytest.fixture(scope="module")
def draft(who: str, drafted: Callable[[str], dict[str, str]]) -> dict[str, str]:
    return drafted(who)


class Instruction:
    """The instruction by the API."""

    def __init__(self, site: Site, who: str, draft: dict[str, str]) -> None:
        self.id, self.job = draft["instruction"], draft["job"]
        self.client = site.client(who)

    @property
    def newest(self) -> Any:
        return self.client.get(f"instructions/{self.id}").json()

    @property
    def texts(self) -> list[str]:
        return [block.markdown for block in parse(self.newest["markdown"]).blocks]

    @property
    def sittings(self) -> Any:
        """What is kept beside its versions."""
        return self.client.get(f"instructions/{self.id}/sittings").json()["items"]

    def save(self, change: Callable[[str], str]) -> int:
        now = self.newest
        body = {"base_version": now["version"], "markdown": change(now["markdown"])}
        return int(self.client.put(f"instructions/{self.id}", json=body).raise_for_status().json()["version"])


@pytest.fixture
def instruction(site: Site, who: str, draft: dict[str, str]) -> Iterator[Instruction]:
    """As it was drafted."""
    made = Instruction(site, who, draft)

    def restored() -> bool:
        body = {"base_version": made.newest["version"], "version": 1}
        return made.client.post(f"instructions/{made.id}/restore", json=body).is_success

    with made.client:
        wait_until(
            restored, 10, "the text as it was: what the page before this one sent as it was left may come between"
        )
        for each in made.sittings:
            made.client.delete(f"instructions/{made.id}/sittings/{each['sitting_id']}")
        yield made


@pytest.fixture
def editor(page: Page, instruction: Instruction, request: pytest.FixtureRequest) -> Page:
    """Where blocks are written as their Markdown, unless a test is one of ``WAYS`` or ``LOOKS``; more of what
    is written as it looks is in ``test_writing.py``."""
    way = getattr(request, "param", "markdown")
    page.add_init_script(f"localStorage.setItem('guidesmith:writing', '{way}')")
    page.goto(f"/instructions/{instruction.id}")
    return page


WAYS = pytest.mark.parametrize("editor", ["markdown", "looks"], indirect=True)
"""As Markdown, and as it looks."""
LOOKS = pytest.mark.parametrize("editor", ["looks"], indirect=True)
"""As it looks; what ``write`` writes there is Markdown, so that a test has both."""


def block(page: Page, text: str) -> Locator:
    return page.get_by_role("article").filter(has_text=text).first


def text(page: Page) -> Locator:
    """The text that is open."""
    return page.locator(".written [contenteditable]")


def write(page: Page, before: str, new: str) -> None:
    """Click into a block's text, and put another one in its place."""
    block(page, before).locator("[data-prose]").click()
    expect(text(page)).to_be_focused()
    looks = page.get_by_role("button", name="Markdown", exact=True)
    if looks.is_visible():
        looks.click()
        expect(page.locator(".written .cm-content")).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    for number, line in enumerate(new.split("\n")):
        if number:
            page.keyboard.press("Shift+Enter")  # goes on with no list
        page.keyboard.insert_text(line)


def say(page: Page, before: str, new: str) -> None:
    """The same in whatever way the text is written: as its heading."""
    block(page, before).locator("[data-prose]").click()
    expect(text(page)).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    is_source = text(page).evaluate("each => each.classList.contains('cm-content')")
    page.keyboard.insert_text(f"## {new}" if is_source else new)


def choose(page: Page, before: str, action: str) -> None:
    block(page, before).get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name=action).click()


def drag(page: Page, grip: Locator, onto: Locator) -> None:
    """Drop what the grip moves in the lower half of a block."""
    grip.hover(position={"x": 8, "y": 8})  # waits until it stands still: blocks that come in sight get their height
    page.mouse.down()
    onto.hover(position={"x": 100, "y": 5})  # what is dragged over has to be told twice
    box = onto.bounding_box()
    assert box is not None
    onto.hover(position={"x": 200, "y": box["height"] - 25})
    page.mouse.up()


def save(page: Page, version: int) -> None:
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator("[data-version]")).to_have_text(f"Version {version}")
    expect(page.locator("[data-standing]")).to_have_text("Saved")


def titles(page: Page) -> list[str]:
    """What the blocks say, on a line each: paragraph after paragraph, whether the writer or the server drew them."""
    texts = page.locator("[data-block] [data-prose]").evaluate_all(
        "(blocks) => blocks.map(({ children }) => [...children].map((each) => each.textContent).join(' '))"
    )
    return [" ".join(each.split()) for each in texts]


def show(page: Page, wanted: list[str]) -> None:
    """The blocks come to say `wanted`: the server is asked how a text looks that it has not shown before."""
    wait_until(lambda: titles(page) == wanted, 10, f"not {wanted}")


def plain(texts: list[str]) -> list[str]:
    return [" ".join(re.sub(r"[#>]", "", each).split()) for each in texts]


def test_given_a_draft_when_a_block_is_written_and_saved_then_a_reload_shows_it(
    editor: Page, instruction: Instruction
) -> None:
    page, before, version = editor, instruction.texts, instruction.newest["version"]
    expect(page).to_have_title(re.compile("invoice"))
    look(page, "editor")
    write(page, "Click new invoice", "## Start a **new** invoice\n\n1. Look up.\n2. Click.")
    shown = block(page, "Start a new invoice").locator("[data-prose]")
    expect(shown.locator("li")).to_have_count(2)
    expect(shown.locator("strong")).to_have_text("new")
    expect(page.locator("[data-standing]")).to_have_text(re.compile("Unsaved changes|Changes are kept"))
    look(page, "editor-writing")
    save(page, version + 1)
    page.reload()
    expect(block(page, "Start a new invoice").locator("[data-prose] li")).to_have_count(2)
    place = before.index(next(each for each in before if "Click new invoice" in each))
    assert instruction.texts == [
        *before[:place],
        "## Start a **new** invoice\n\n1. Look up.\n2. Click.",
        *before[place + 1 :],
    ]


def test_given_a_time_in_the_text_when_it_is_clicked_then_the_recording_is_there_and_its_block_is_marked(
    editor: Page,
) -> None:
    page = editor
    step = block(page, "Choose Harbor Coffee")
    video = page.locator("video")
    video.evaluate("video => { video.defaultPlaybackRate = video.playbackRate = 0.0625 }")  # it stays within the step
    step.locator("[data-time]").click()

    def reached(seconds: float) -> bool:
        at: float = video.evaluate("video => video.seeking ? -1 : video.currentTime")
        return abs(at - seconds) < 0.004

    expect(step).to_have_attribute("aria-current", "step")
    expect(video).to_have_js_property("paused", False)
    page.keyboard.press("k")
    expect(video).to_have_js_property("paused", True)
    at = video.evaluate("video => video.currentTime")
    assert at >= 13
    page.keyboard.press("j")
    wait_until(lambda: reached(at - 5), 60, "five seconds back")
    expect(step).not_to_have_attribute("aria-current", "step")
    page.keyboard.press(".")
    wait_until(lambda: reached(at - 5 + 1 / 25), 60, "one frame of the recording on")
    step.get_by_text("What was said here").click()
    expect(step.get_by_role("link", name="Open in the transcript")).to_have_attribute(
        "href", re.compile(r"/jobs/[0-9a-f-]+/transcript#t=\d+$")
    )


@LOOKS
def test_given_a_draft_when_its_blocks_are_moved_about_by_mouse_then_all_of_it_can_be_undone_and_saved(
    editor: Page, instruction: Instruction
) -> None:
    page, before, version = editor, titles(editor), instruction.newest["version"]
    page.set_viewport_size({"width": 1280, "height": 2000})  # both places in sight
    page.get_by_role("button", name="More actions").first.click()
    expect(page.get_by_role("menuitem", name="Move up")).to_be_disabled()
    page.keyboard.press("End")
    expect(page.get_by_role("menuitemradio", name="Plain text")).to_be_focused()
    page.keyboard.press("Escape")
    drag(page, block(page, "Click new invoice").locator("[data-grip]"), block(page, "Choose Harbor Coffee"))
    show(page, [*before[:2], before[3], before[2], *before[4:]])
    choose(page, "Type website design", "Merge with next")
    expect(block(page, "Type website design")).to_contain_text("Note that Maple adds the tax")
    choose(page, "Press Save", "Delete")
    page.get_by_role("button", name="Bring it back").click()
    expect(block(page, "Press Save")).to_be_focused()
    expect(block(page, "Press Save").get_by_role("button", name="Draw")).to_be_visible()
    choose(page, "Press Save", "Delete")
    expect(page.get_by_role("article").filter(has_text="Press Save")).to_have_count(0)
    choose(page, "Click Send", "Insert above")
    expect(text(page)).to_be_focused()
    page.keyboard.insert_text("Check it once more.")
    block(page, "Click Send").scroll_into_view_if_needed()
    drag(page, page.locator(".block.open [data-grip]"), block(page, "Click Send"))
    expect(page.locator("[data-block]").last).to_have_class(re.compile("open"))  # it goes while it is written
    expect(text(page)).to_have_text("Check it once more.")
    page.get_by_role("button", name="Done").click()
    expect(block(page, "Check it once more.").locator("[data-prose]")).to_have_text("Check it once more.")
    moved = titles(page)
    for _ in range(5 + 1):  # the insertion is two steps: the block, then its text
        page.get_by_role("button", name="Undo").click()
    show(page, before)
    for _ in range(6):
        page.get_by_role("button", name="Redo").click()
    show(page, moved)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("[data-version]")).to_have_text(f"Version {version + 1}")
    assert plain(instruction.texts) == moved == titles(page)


@WAYS
def test_given_only_a_keyboard_when_blocks_are_written_split_and_moved_then_all_of_it_works(
    editor: Page, instruction: Instruction
) -> None:
    page, before, version = editor, titles(editor), instruction.newest["version"]
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    expect(block(page, before[2])).to_be_focused()
    page.keyboard.press("Alt+ArrowDown")
    expect(block(page, before[2])).to_be_focused()
    show(page, [*before[:2], before[3], before[2], *before[4:]])
    page.keyboard.press("Enter")
    expect(text(page)).to_be_focused()
    page.keyboard.type("\n\nFirst part.\n\nSecond part.")
    for _ in range(len("Second part.")):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("ControlOrMeta+Enter")
    expect(text(page)).to_have_text("Second part.")
    page.keyboard.press("Escape")
    expect(block(page, "Second part.")).to_be_focused()
    count = page.get_by_role("article").count()
    page.keyboard.type("mixer")  # who types on after leaving means none of it
    expect(page.get_by_role("article")).to_have_count(count)
    expect(page.locator("[data-announced]")).to_contain_text("Press Esc once more")
    page.keyboard.press("Escape")
    expect(block(page, "Second part.").locator("[data-prose]")).to_have_text("Second part.")
    expect(block(page, "First part.").locator("[data-prose]")).to_have_text(re.compile(r"First part\.\s*$"))
    assert titles(page)[3:5] == [f"{before[2]} First part.", "Second part."]
    page.keyboard.press("a")
    expect(text(page)).to_be_focused()
    page.keyboard.type("Between.")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    expect(page.get_by_role("article").filter(has_text="Between.")).to_contain_text("Second part.")
    page.keyboard.press("ControlOrMeta+z")
    expect(page.get_by_role("article").filter(has_text="Between.")).not_to_contain_text("Second part.")
    page.keyboard.press("x")
    expect(page.get_by_role("article").filter(has_text="Between.")).to_have_count(0)
    save(page, version + 1)
    assert plain(instruction.texts[2:5]) == [before[3], f"{before[2]} First part.", "Second part."]
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Split the block at the cursor")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_in_viewport()


@WAYS
def test_given_two_tabs_when_both_save_the_same_block_then_nothing_is_lost(
    editor: Page, instruction: Instruction
) -> None:
    mine, version = editor, instruction.newest["version"]
    theirs = mine.context.new_page()
    theirs.goto(f"/instructions/{instruction.id}")
    say(theirs, "Click new invoice", "Click new, said the other")
    say(theirs, "Press Save", "Save, said the other")
    save(theirs, version + 1)
    expect(mine.locator("[data-notices]")).to_contain_text(f"Version {version + 1} was saved in another tab")
    say(mine, "Click new invoice", "Click new, said I")
    say(mine, "Click Send", "Send, said I")
    mine.keyboard.press("ControlOrMeta+s")
    dialog = mine.get_by_role("dialog")
    expect(dialog).to_contain_text("One block was changed by both")
    expect(dialog.get_by_role("radio", checked=True)).to_have_count(0)
    expect(dialog.get_by_role("button", name="Merge and save")).to_be_disabled()
    look(mine, "editor-conflict")
    dialog.get_by_label("Both").check()
    dialog.get_by_role("button", name="Merge and save").click()
    expect(mine.locator("[data-version]")).to_have_text(f"Version {version + 2}")
    saved = "\n".join(instruction.texts)
    for said in ("Click new, said I", "Click new, said the other", "Save, said the other", "Send, said I"):
        assert said in saved
    expect(theirs.locator("[data-notices]")).to_contain_text(f"Version {version + 2}")
    theirs.get_by_role("button", name="Load it").click()
    expect(theirs.locator("[data-version]")).to_have_text(f"Version {version + 2}")
    expect(block(theirs, "Send, said I")).to_be_visible()


CUT = """
    const real = window.fetch;
    const isCut = ({ method } = {}) => localStorage.getItem("cut") && ["PUT", "POST"].includes(method);
    window.fetch = (asked, options) => isCut(options) ? Promise.reject(new TypeError("cut")) : real(asked, options);
"""
"""A server that takes nothing, also of a page that is left, which a browser sends past what tests put between."""


@LOOKS
def test_given_changes_that_the_server_could_not_take_when_loaded_again_then_they_are_back_and_can_be_discarded(
    editor: Page, instruction: Instruction
) -> None:
    page, before = editor, titles(editor)
    page.add_init_script(CUT)
    page.evaluate("localStorage.setItem('cut', 'yes')")
    page.reload()
    say(page, "Press Save", "Keep this in mind")
    page.keyboard.press("Escape")
    expect(page.locator("[data-standing]")).to_have_text("Changes are not kept by the server")
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.once("dialog", stay)
    with page.expect_event("dialog"):
        page.get_by_role("link", name="Versions").click()
    assert asked == ["beforeunload"]
    page.reload()
    expect(page.locator("[data-notices]")).to_contain_text("are back")
    expect(block(page, "Keep this in mind")).to_contain_text("Edited")
    instruction.save(lambda markdown: markdown.replace("Click Send", "Somebody else: click Send"))
    page.reload()
    expect(page.locator("[data-notices]")).to_contain_text("There are unsaved changes of version")
    write(page, "Click new invoice", "## What is typed before that is decided")
    page.keyboard.press("Escape")
    page.reload()
    expect(block(page, "typed before that is decided")).to_contain_text("Edited")
    page.get_by_role("button", name="Merge them").click()
    page.get_by_role("dialog").get_by_role("button", name="Merge").click()
    expect(block(page, "Keep this in mind")).to_be_visible()
    expect(block(page, "Somebody else: click Send")).to_be_visible()
    expect(block(page, "typed before that is decided")).to_be_visible()
    page.reload()
    page.get_by_role("button", name="Discard them").click()
    expect(block(page, "Press Save")).to_be_visible()
    expect(page.locator("[data-standing]")).to_have_text("Saved")
    page.reload()
    expect(block(page, "Press Save")).to_be_visible()
    expect(page.locator("[data-notices]")).to_be_empty()
    assert len(titles(page)) == len(before)


def test_given_what_is_typed_when_the_writer_pauses_leaves_or_names_it_then_it_is_a_version_and_before_that_is_kept(
    page: Page, instruction: Instruction
) -> None:
    version, standing = instruction.newest["version"], page.locator("[data-standing]")
    page.clock.install()
    page.goto(f"/instructions/{instruction.id}")
    say(page, "Press Save", "Kept while I write")
    expect(standing).to_have_text("Changes are kept")
    assert instruction.newest["version"] == version, "what is kept is no version yet"
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(standing).to_be_in_viewport()
    page.clock.fast_forward(61_000)
    expect(page.locator("[data-version]")).to_have_text(f"Version {version + 1}")
    expect(standing).to_have_text("Saved")
    assert any("Kept while I write" in each for each in instruction.texts)

    say(page, "Click Send", "Left in the middle of it")
    page.goto(f"/instructions/{instruction.id}/versions")
    wait_until(lambda: instruction.newest["version"] == version + 2, 60, "the version of who left")
    page.goto(f"/instructions/{instruction.id}")
    expect(block(page, "Left in the middle of it")).to_be_visible()
    expect(standing).to_have_text("Saved")
    expect(page.locator("[data-notices]")).to_be_empty()

    choose(page, "Kept while I write", "Delete")
    page.clock.fast_forward(10_000)  # who reads slowly can still take it back
    page.get_by_role("button", name="Bring it back").click()
    expect(block(page, "Kept while I write")).to_be_focused()
    write(page, "Click new invoice", "## Named")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Name…").click()
    page.get_by_label("Name", exact=True).fill("As the customer saw it")
    page.get_by_role("button", name="Save under this name").click()
    expect(page.locator("[data-version-name]")).to_have_text("As the customer saw it")
    expect(page.locator("[data-version]")).to_have_text(f"Version {version + 3}")
    wait_until(lambda: not instruction.sittings, 30, "what is a version to be kept no more")
    page.get_by_role("link", name="Versions").click()
    expect(page.get_by_text("As the customer saw it")).to_be_visible()


def test_given_what_is_typed_while_a_save_is_under_way_when_it_ends_then_the_server_keeps_it_with_the_new_version(
    page: Page, instruction: Instruction
) -> None:
    version, standing = instruction.newest["version"], page.locator("[data-standing]")
    held: list[Route] = []

    def hold(route: Route) -> None:
        if route.request.method == "PUT" and not held:
            held.append(route)
        else:
            route.continue_()

    def kept() -> Any:
        items = instruction.sittings
        found = [
            instruction.client.get(f"instructions/{instruction.id}/sittings/{each['sitting_id']}") for each in items
        ]
        there = [each.json() for each in found if each.is_success]  # others are kept no more by now
        return [(text["base_version"], "Typed meanwhile" in text["markdown"]) for text in there]

    page.goto(f"/instructions/{instruction.id}")
    page.route(f"**/api/v1/instructions/{instruction.id}", hold)
    say(page, "Press Save", "Saved slowly")
    expect(standing).to_have_text("Changes are kept")
    page.keyboard.press("ControlOrMeta+s")
    expect(standing).to_have_text("Saving…")
    write(page, "Click Send", "## Typed meanwhile")
    wait_until(lambda: kept() == [(version, True)], 30, "what was typed while it is saved")
    held[0].continue_()
    expect(page.locator("[data-version]")).to_have_text(f"Version {version + 1}")
    assert [each for each in instruction.texts if "Saved slowly" in each or "Typed meanwhile" in each] == [
        "## Saved slowly"
    ]
    assert [told for _, told in kept()] == [True], "not a moment without it"
    expect(standing).to_have_text("Changes are kept")
    wait_until(lambda: kept() == [(version + 1, True)], 30, "it to be kept for the version that there is now")
    page.keyboard.press("ControlOrMeta+s")
    expect(standing).to_have_text("Saved")
    wait_until(lambda: kept() == [], 30, "nothing that is a version is kept")
    assert "## Typed meanwhile" in instruction.texts


def test_given_work_that_another_device_left_when_the_editor_opens_then_it_can_be_put_together_with_what_is_there(
    page: Page, instruction: Instruction
) -> None:
    now = instruction.newest
    written = now["markdown"].replace("Press Save", "Press Save, said the phone")
    desk = "00000000-0000-4000-8000-0000000000aa"
    body = {"base_version": now["version"], "markdown": written}
    kept = instruction.client.put(f"instructions/{instruction.id}/sittings/{desk}", json=body)
    assert kept.status_code == 200, kept.text
    instruction.save(lambda markdown: markdown.replace("Press Save", "Press Save, said I"))
    page.goto(f"/instructions/{instruction.id}")
    page.get_by_role("button", name="Merge them").click()
    dialog = page.get_by_role("dialog")
    merge = dialog.get_by_role("button", name="Merge")
    expect(merge).to_be_disabled()
    expect(dialog.get_by_role("radio", checked=True)).to_have_count(0)
    dialog.get_by_label("Theirs").check()
    dialog.get_by_label("Yours").check()
    merge.click()
    expect(block(page, "said the phone")).to_be_visible()
    save(page, now["version"] + 2)
    wait_until(lambda: not instruction.sittings, 30, "what is a version to be kept no more")
    page.reload()
    expect(page.locator("[data-notices]")).to_be_empty()


KEEPS_NOTHING = """
    const refuse = () => { throw new DOMException("switched off", "SecurityError") };
    const stores = ["localStorage", "sessionStorage", "indexedDB"];
    for (const each of stores) Object.defineProperty(window, each, { get: refuse });
    window.BroadcastChannel = class { constructor() { refuse() } };
    const locks = { request: async () => refuse(), query: async () => refuse() };
    Object.defineProperty(navigator, "locks", { value: locks });
"""


def test_given_a_browser_whose_storage_is_switched_off_then_the_editor_says_so_and_saves(
    page: Page, instruction: Instruction
) -> None:
    page.add_init_script(KEEPS_NOTHING)
    page.goto(f"/instructions/{instruction.id}")
    write(page, "Press Save", "## Kept by the server alone")
    expect(page.locator("[data-notices]")).to_contain_text("This browser keeps no draft")
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator("[data-standing]")).to_have_text("Saved")
    expect(page.locator("[data-notices]")).to_be_empty()


def test_given_no_room_for_a_draft_and_a_session_that_has_ended_then_the_page_says_so_and_keeps_what_was_typed(
    editor: Page, instruction: Instruction, who: str
) -> None:
    page, version = editor, instruction.newest["version"]
    key = f"guidesmith:draft:{who}:{instruction.id}:{version}:x"
    page.evaluate(
        """key => {
            localStorage.setItem(key, "{");
            for (let size = 4e6; size >= 1; size = Math.floor(size / 2)) for (let number = 0; number < 4; number++)
                try { localStorage.setItem(`full${size}-${number}`, "x".repeat(size)) } catch { break }
        }""",
        key,
    )
    write(page, "Press Save", f"## Typed with care {'.' * 2000}")
    page.keyboard.press("Escape")
    expect(page.locator("[data-notices]")).to_contain_text("This browser keeps no draft")
    page.context.clear_cookies()
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator("[data-signed-out]")).to_be_visible()
    expect(page.get_by_role("alert").last).to_contain_text("Sign in again in another tab")
    choose(page, "Typed with care", "Write again")
    page.get_by_label("Shorter").check()  # nobody writes here who could be told of another wish
    page.get_by_role("button", name="Write again", exact=True).click()
    expect(page.get_by_label("Shorter")).to_be_checked()
    page.get_by_role("button", name="Cancel", exact=True).click()
    sign_in(page.context, who)
    come_back(page)
    expect(page.locator("[data-signed-out]")).to_be_hidden()
    save(page, version + 1)
    assert any("Typed with care" in each for each in instruction.texts)
    page.evaluate("localStorage.clear()")


def test_given_a_block_when_it_is_written_again_then_the_proposal_can_be_rejected_or_accepted(
    editor: Page, instruction: Instruction
) -> None:
    page, version = editor, instruction.newest["version"]
    write(page, "Press Save", "## Entirely my own words\n\nAnd what I have to say of it.")
    page.keyboard.press("Escape")
    choose(page, "Entirely my own", "Write again")
    expect(page.get_by_text("No language model is set up: other wishes cannot be followed.")).to_be_visible()
    expect(page.get_by_label("What should be different?")).to_have_count(0)
    page.get_by_label("As a list").check()
    page.get_by_role("button", name="Write again", exact=True).click()
    reject = page.get_by_role("button", name="Reject")
    expect(reject).to_be_visible()
    expect(page.locator("[data-version]")).to_have_text(f"Version {version + 2}")
    look(page, "editor-proposal")
    reject.click()
    expect(page.locator("[data-version]")).to_have_text(f"Version {version + 3}")
    assert any("Entirely my own words" in each for each in instruction.texts)
    expect(page.locator("[data-standing]")).to_have_text("Saved")

    choose(page, "Entirely my own", "Write again")
    page.get_by_role("button", name="Write again", exact=True).click()
    page.get_by_role("button", name="Accept").click()
    expect(page.locator("[data-version]")).to_have_text(f"Version {version + 4}")
    expect(page.locator("[data-standing]")).to_have_text("Saved")
    assert not any("Entirely my own words" in each for each in instruction.texts)


def test_given_another_part_being_written_when_one_is_asked_for_then_it_waits_its_turn(
    editor: Page, instruction: Instruction, site: Site, who: str
) -> None:
    page, now = editor, instruction.newest
    other, _ = site.stack.store.create_regenerate(
        who,
        instruction.id,
        base_version=now["version"],
        selection={"block_id": parse(now["markdown"]).ids[2]},
        client_request_id=uuid4().hex,
        requested_by=who,
    )
    choose(page, "Click new invoice", "Write again")
    page.get_by_role("button", name="Write again", exact=True).click()
    expect(block(page, "Click new invoice")).to_contain_text("Another part of this instruction is being written")
    site.stack.store.fail_regenerate(other.id, Failure(failure_code="CANCELLED", failure_message="It was stopped."))
    expect(page.get_by_text("It came out the same.")).to_be_visible()


def test_given_a_new_text_that_gave_way_to_an_edit_when_the_editor_is_opened_again_then_it_still_waits_for_a_decision(
    page: Page, instruction: Instruction, site: Site, who: str
) -> None:
    now, store = instruction.newest, site.stack.store
    block_id = parse(now["markdown"]).ids[3]

    def asked() -> str:
        return store.create_regenerate(
            who,
            instruction.id,
            base_version=instruction.newest["version"],
            selection={"block_id": block_id},
            client_request_id=uuid4().hex,
            requested_by=who,
        )[0].id

    task = asked()
    page.goto(f"/instructions/{instruction.id}")
    expect(page.locator(f"#block-{block_id}")).to_contain_text("Being written")
    kept = KeptProposal(block_id=block_id, markdown="## Another way to say it", deleted=False)
    store.finish_regenerate(task, lambda _: Regenerated(version=None, kept=(kept,)))
    waits = page.get_by_text("waits for your decision")
    expect(waits).to_be_visible()
    page.reload()
    page.get_by_role("button", name="Show it").click()
    expect(page.get_by_role("button", name="Accept")).to_be_focused()
    page.get_by_role("button", name="Reject").click()
    expect(waits).to_be_hidden()
    page.reload()
    expect(page.locator("[data-standing]")).to_have_text("Saved")
    expect(waits).to_be_hidden()
    page.evaluate("localStorage.clear()")  # another browser
    page.reload()
    page.get_by_role("button", name="Accept").click()
    save(page, now["version"] + 1)
    page.reload()
    write(page, "Another way to say it", "## My own way to say it")
    save(page, now["version"] + 2)
    page.reload()
    assert '"rewriting":null' in (page.locator("#context").text_content() or "").replace(" ", "")
    store.fail_regenerate(asked(), Failure(failure_code="CANCELLED", failure_message="It was stopped."))  # the last one


def test_given_a_text_that_does_not_pass_when_saved_then_its_block_says_why(
    editor: Page, instruction: Instruction
) -> None:
    page, version = editor, instruction.newest["version"]
    write(page, "Click new invoice", "```\nforgotten")
    save(page, version + 1)
    expect(block(page, "forgotten").locator("[data-issues]")).to_contain_text("A code block is opened and not closed")
    page.reload()
    expect(block(page, "forgotten").locator("[data-issues]")).to_contain_text("A code block is opened and not closed")
    write(page, "How to create", "No title any more")
    save(page, version + 2)
    expect(page.locator("[data-whole-issues]")).to_contain_text("The document has no title")
    page.route("**/static/chunk-*", lambda route: route.abort())  # as after an upgrade: those of this page are gone
    page.get_by_role("button", name="Change").first.click()
    page.get_by_role("alert").get_by_role("button", name="Reload").click()
    expect(page.locator("[data-version]")).to_have_text(f"Version {version + 2}")


def test_given_a_recording_when_a_part_of_it_is_asked_for_then_its_owner_alone_gets_it(
    site: Site, who: str, draft: dict[str, str], sample: Path
) -> None:
    address = f"/jobs/{draft['job']}/recording"
    with site.visitor(who) as mine, site.visitor(f"{who}-other") as other:
        part = mine.request.get(address, headers={"Range": "bytes=100-199"})
        assert (part.status, part.body()) == (206, sample.read_bytes()[100:200])
        assert mine.request.get(address, headers={"Range": "bytes=999999999-"}).status == 416
        assert other.request.get(address).status == 404
        for path in ("", "/state"):
            assert other.request.get(f"/instructions/{draft['instruction']}{path}").status == 404
        assert mine.request.get(f"/instructions/{draft['instruction']}/state?version=99999").status == 404


def test_given_harmful_text_when_it_is_shown_and_written_then_nothing_of_it_runs(
    page: Page, instruction: Instruction
) -> None:
    instruction.save(
        lambda markdown: re.sub(r"(?m)^# .*$", lambda _: f"# Title {HARMFUL}", markdown).replace(
            "Press Save", f"Press {HARMFUL} [here](javascript:harmed=1) Save"
        )
    )
    page.goto(f"/instructions/{instruction.id}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("<script>")
    write(page, "Click Send", f"## Send {HARMFUL}")
    expect(block(page, "Send </textarea>").locator("[data-prose]")).to_contain_text("{{7*7}}")
    page.keyboard.press("Escape")
    assert page.evaluate("window.harmed") is None
    assert page.locator("[data-prose] img, [data-prose] script, a[href^='javascript']").count() == 0


def test_given_two_steps_with_pictures_when_merged_and_undone_then_none_is_lost_and_restoring_brings_them_back(
    page: Page, instruction: Instruction
) -> None:
    version = instruction.newest["version"]
    page.goto(f"/instructions/{instruction.id}")
    shots = [page.locator("article", has_text=each).locator(".shot") for each in ("Click new invoice", "Choose Harbor")]
    before = sum(each.count() for each in shots)
    assert before >= 2
    choose(page, "Click new invoice", "Merge with next")
    whole = block(page, "Click new invoice")
    expect(whole.locator(".shot img")).to_have_count(before)
    expect(whole.get_by_role("button", name="Draw")).to_have_count(before)
    save(page, version + 1)
    page.reload()
    expect(block(page, "Click new invoice").locator(".shot")).to_have_count(before)
    expect(page.locator("[data-unplaced]")).to_be_hidden()

    anchor, base = (whole.locator(".shot").first.get_attribute(f"data-{each}") for each in ("anchor", "asset"))
    ring = {"op_type": "ring", "geometry": {"x": 0.1, "y": 0.1, "w": 0.2, "h": 0.2}}
    drawn = instruction.client.post(f"anchors/{anchor}/annotations", json={"base_asset_id": base, "operations": [ring]})
    shown = drawn.raise_for_status().json()["active_asset_id"]
    page.reload()
    whole.locator(f".shot[data-anchor='{anchor}']").get_by_role("button", name="Change").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Use picture").first.click()
    expect(dialog).to_have_count(0)
    expect(whole.locator(f".shot[data-asset='{shown}']")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(whole.locator(f".shot[data-asset='{shown}']")).to_have_count(1)
    page.get_by_role("button", name="Redo").click()
    expect(whole.locator(f".shot[data-asset='{shown}']")).to_have_count(0)

    body = {"base_version": version + 1, "version": version}
    instruction.client.post(f"instructions/{instruction.id}/restore", json=body).raise_for_status()
    page.reload()
    expect(page.locator(f".shot[data-asset='{base}']")).to_have_count(1)
    assert sum(each.count() for each in shots) == before


def test_given_a_step_when_it_is_cut_in_two_then_the_second_has_its_number_its_time_and_on_request_its_picture(
    page: Page, instruction: Instruction
) -> None:
    version = instruction.newest["version"]
    page.goto(f"/instructions/{instruction.id}")
    label = block(page, "Choose Harbor").locator("[data-label]").text_content() or ""
    choose(page, "Choose Harbor", "Merge with next")
    save(page, version + 1)
    whole = block(page, "Choose Harbor")
    theirs = whole.locator(".shot").last.get_attribute("data-anchor")  # would follow its words to where they go
    instruction.client.post(f"anchors/{theirs}/hide").raise_for_status()
    page.reload()
    expect(whole.locator(".shot")).to_have_count(1)
    at = whole.locator("[data-time]").text_content() or ""
    whole.get_by_role("heading", name="Type website design").click()
    expect(text(page)).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("ControlOrMeta+Enter")
    expect(text(page)).to_have_text(re.compile("^Type website design"))
    half = page.locator(f"#block-{page.locator('.block.open').get_attribute('data-block')}")
    expect(half.locator("[data-label]")).to_have_text(f"Step {int(label.split()[-1]) + 1}")
    expect(half.locator("[data-time]")).to_have_text("0:18")  # of the sentence that went with it
    expect(whole.locator("[data-time]")).to_have_text(at)
    expect(half.locator(".shot")).to_have_count(0)
    look(page, "editor-cut")
    half.get_by_role("button", name="Take the picture of that moment").click()
    expect(half.locator(".shot img")).to_have_attribute("src", re.compile("^/pictures/"))
    expect(half.locator("[data-offer]")).to_have_count(0)
    expect(half.locator(".shot .time")).to_have_text("0:18")
    half.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Add a picture").click()
    expect(page.get_by_role("slider", name="Moment")).to_be_focused()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(half.locator(".shot")).to_have_count(2)  # before and after
    half.locator(".shot").first.get_by_role("button", name="Mark as result").click()
    times, results = half.locator(".shot .time"), half.locator("[data-outcome]:visible")
    expect(times).to_have_text(["0:19", "0:18"])  # what came of it stands below
    expect(results).to_have_text(["Result"])
    half.locator(".shot").last.get_by_role("button", name="Mark as before").click()
    expect(times).to_have_text(["0:18", "0:19"])
    expect(results).to_have_count(0)
    half.locator(".shot").last.get_by_role("button", name="Mark as result").click()
    expect(half.locator(".shot").last.locator("[data-outcome]")).to_be_visible()
    expect(times).to_have_text(["0:18", "0:19"])

    page.get_by_role("button", name="Add a step").click()
    expect(text(page)).to_have_text("")
    page.keyboard.type("Look at the total")
    added = block(page, "Look at the total")
    added.get_by_role("button", name="Pick its moment").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("slider", name="Moment")).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(added.locator(".shot")).to_have_count(1)
    expect(added.locator("[data-time]")).to_have_text(re.compile("^0:3[678]$"))
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator("[data-standing]")).to_have_text("Saved")
    told = {each["block_id"]: each for each in instruction.newest["blocks"]}
    page.reload()
    for each, moment, number in ((half, "0:18", 1), (added, "0:3", None)):
        expect(each.locator("[data-time]")).to_have_text(re.compile(f"^{moment}"))
        expect(each.locator(".shot")).to_have_count(2 if number else 1)
        expect(each.locator("[data-outcome]:visible")).to_have_text(["Result"] if number else [])
        if number:
            expect(each.locator("[data-label]")).to_have_text(f"Step {int(label.split()[-1]) + number}")
        known = told[each.get_attribute("data-block") or ""]
        assert (known["role"], known["start_ms"] is None) == ("step", False)
    expect(half.locator("[data-said]")).to_be_visible()


def test_given_a_picture_when_it_is_pressed_then_it_opens_large_and_is_zoomed_by_buttons_wheel_and_keys(
    page: Page, instruction: Instruction
) -> None:
    page.goto(f"/instructions/{instruction.id}")
    shot = page.locator(".shot").first
    picture = shot.locator("img")
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("image => image.naturalWidth") in range(1, 721)
    shot.get_by_role("button").first.click()
    dialog = page.get_by_role("dialog")
    canvas = dialog.locator("canvas")
    expect(canvas).to_have_attribute("width", str(picture.get_attribute("width")))
    look(page, "picture-large")
    width = int(picture.get_attribute("width") or 0)

    def shown() -> float:
        return round(float(canvas.evaluate("canvas => canvas.getBoundingClientRect().width")) / width, 2)

    fitted = shown()
    dialog.get_by_role("button", name="100 %").click()
    assert shown() == 1
    canvas.hover()
    page.mouse.wheel(0, -300)
    wait_until(lambda: shown() > 1.5, 10, "the wheel to zoom")
    look(page, "picture-zoomed")
    stage = page.locator(".stage.zoomed")
    left = stage.evaluate("stage => stage.scrollLeft")
    box = box_of(stage)
    page.mouse.move(box["x"] + 300, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 150, steps=3)
    page.mouse.up()
    assert stage.evaluate("stage => stage.scrollLeft") > left
    assert shown() > 1.5, "a drag is no click"
    page.keyboard.press("0")
    assert shown() == fitted
    page.keyboard.press("1")
    page.keyboard.press("+")
    assert shown() == 1.25
    page.keyboard.press("-")
    assert shown() == 1
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
