"""A block's text, written as it looks: what is done by mouse, keys and paste, and the Markdown that comes of it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from domain.documents.document import parse
from tests.browser import looking
from tests.browser.conftest import Site, in_one_go
from tests.stack import wait_until

STEP = """## Open the *settings*

Choose **one**  of these:

* first
* second


1) Wait.
2) Click.

| Name | Value |
|:-----|------:|
| a\\|b | `x`   |

> Mind the gap.

```sh
ls -l
```"""
WITH_HTML = "Press <kbd>F5</kbd> & wait."

CLIPBOARD = Path(__file__).parent / "clipboard"
"""What programs put on the clipboard as HTML, and what is to come of it. Nothing in it asks of another host."""


@pytest.fixture(scope="module")
def who() -> str:
    return f"wr-{uuid4().hex[:12]}"


@pytest.fixture(scope="module")
def instruction(who: str, drafted: Callable[[str], dict[str, str]]) -> str:
    return drafted(who)["instruction"]


@pytest.fixture
def written(page: Page, site: Site, who: str, instruction: str) -> Iterator[Callable[[], list[str]]]:
    """The page of an instruction with a step that has everything; answers what is stored of its blocks."""
    with site.client(who) as client:

        def newest() -> list[str]:
            markdown = client.get(f"instructions/{instruction}").raise_for_status().json()["markdown"]
            return [block.markdown for block in parse(markdown).blocks]

        def saved() -> bool:
            now = client.get(f"instructions/{instruction}").json()
            body = {"base_version": now["version"], "markdown": f"# Guide\n\n{STEP}\n\n## Then\n\n{WITH_HTML}\n"}
            return client.put(f"instructions/{instruction}", json=body).is_success

        wait_until(saved, 10, "its text: what the page before this one sent as it was left may come between")
        for each in client.get(f"instructions/{instruction}/sittings").json()["items"]:
            client.delete(f"instructions/{instruction}/sittings/{each['sitting_id']}")
        page.goto(f"/instructions/{instruction}")
        yield newest


LAID_OUT = "each => each.querySelector('[data-label]').checkVisibility({ contentVisibilityAuto: true })"
WATCH = """() => {
  window.touched = new Set();
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      for (const each of [target, ...addedNodes]) {
        const block = (each instanceof Element ? each : each.parentElement)?.closest("[data-block]");
        if (block) touched.add(block.dataset.block);
      }
  }).observe(
    document.querySelector("[data-blocks]"),
    { subtree: true, childList: true, characterData: true, attributes: true },
  );
}"""
"""Which blocks change from now on, and which come."""


def block(page: Page, text: str) -> Locator:
    return page.get_by_role("article").filter(has_text=text).first


def text(page: Page) -> Locator:
    return page.locator(".writer [contenteditable=true]")


def behind(page: Page, words: str) -> None:
    """Put the cursor behind words of the text that is open, which hears of it later than a key that follows at once."""
    text(page).evaluate(
        """(root, words) => new Promise((heard) => {
          document.addEventListener("selectionchange", heard, { once: true });
          const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.data.indexOf(words);
            if (at >= 0) return getSelection().collapse(node, at + words.length);
          }
          throw new Error(words);
        }).then(() => {})""",
        words,
    )


def last_word(page: Page) -> None:
    """Select the last word of what is typed, and let the text hear of it: it does later than of a key."""
    page.keyboard.press("Shift+Control+ArrowLeft")
    page.evaluate("new Promise((heard) => requestAnimationFrame(() => setTimeout(heard)))")


def paste(page: Page, kind: str, what: str) -> None:
    text(page).evaluate(
        """(root, [kind, what]) => {
          const data = new DataTransfer();
          data.setData(kind, what);
          root.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        }""",
        [kind, what],
    )


def take(page: Page, asked: str, name: str, key: str = "Enter") -> None:
    """Ask for something by the menu behind a slash."""
    page.keyboard.type(f"/{asked}")
    expect(page.get_by_role("listbox").get_by_role("option", selected=True)).to_have_text(name)
    page.keyboard.press(key)


def save(page: Page) -> None:
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator("[data-standing]")).to_have_text("Saved")


def test_given_a_step_when_it_is_written_as_it_looks_then_only_what_was_touched_is_written_anew(
    page: Page, written: Callable[[], list[str]]
) -> None:
    before = written()
    block(page, "Choose one").locator("[data-prose] strong").click()
    expect(text(page)).to_be_focused()
    expect(page.get_by_role("button", name="Bold")).to_have_attribute("aria-pressed", "true")
    looking.look(page, "writing")
    assert page.locator("[data-standing]").inner_text() == "Saved"  # opened is not changed
    behind(page, "second")
    page.keyboard.press("Enter")
    page.keyboard.type("third, ")
    page.keyboard.press("ControlOrMeta+b")
    page.keyboard.type("bold")
    page.keyboard.press("ControlOrMeta+b")
    page.keyboard.type(" and `code` *")
    behind(page, "gap.")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    take(page, "tab", "Table")
    page.keyboard.type("Key")
    page.keyboard.press("Tab")
    page.keyboard.type("a|b")
    page.keyboard.press("Tab")
    page.keyboard.type("1 < 2 & <b>")
    page.get_by_role("button", name="Add row").click()
    page.keyboard.press("Escape")
    expect(block(page, "third")).to_be_focused()
    expect(block(page, "third").locator("[data-prose] table")).to_have_count(2)
    save(page)
    expected = STEP.replace("* first\n* second", "- first\n- second\n- third, **bold** and `code` \\*").replace(
        "Mind the gap.",
        "Mind the gap.\n\n| Key | a\\|b |\n| --- | --- |\n| 1 < 2 & \\<b> |  |\n|  |  |",
    )
    assert written() == [before[0], expected, *before[2:]]


def test_given_text_of_other_programs_when_it_is_pasted_then_its_look_is_kept_and_nothing_foreign_comes(
    page: Page, written: Callable[[], list[str]]
) -> None:
    names = sorted(each.stem for each in CLIPBOARD.glob("*.html"))
    page.get_by_role("button", name="Add text").click()
    expect(text(page)).to_be_focused()
    for number, name in enumerate(names):
        if number:
            page.keyboard.press("ControlOrMeta+Enter")
            expect(text(page)).to_have_text("")
        paste(page, "text/html", (CLIPBOARD / f"{name}.html").read_text())
    page.keyboard.press("Escape")
    save(page)
    found = dict(zip(names, written()[-len(names) :], strict=True))
    assert found == {name: (CLIPBOARD / f"{name}.md").read_text().rstrip() for name in names}


def test_given_plain_text_when_it_is_pasted_then_as_the_markdown_cells_lines_or_address_that_it_is(
    page: Page, written: Callable[[], list[str]]
) -> None:
    page.get_by_role("button", name="Add text").click()
    expect(text(page)).to_be_focused()
    expected = {
        "### Do\n\n- [a](https://example.org)\n- `b`": "### Do\n\n- [a](https://example.org)\n- `b`",
        "Name\tPrice\nChair\t12\n": "| Name | Price |\n| --- | --- |\n| Chair | 12 |",
        "Till 4\r\nGround floor\r\n\r\n5 * 3 <b>": "Till 4\\\nGround floor\n\n5 \\* 3 \\<b>",
        "https://example.org/a?b=c_d&e=f": "<https://example.org/a?b=c_d&e=f>",
    }
    for number, pasted in enumerate(expected):
        if number:
            page.keyboard.press("ControlOrMeta+Enter")
            expect(text(page)).to_have_text("")
        paste(page, "text/plain", pasted)
    page.keyboard.press("ControlOrMeta+Enter")
    page.keyboard.type("see here")
    last_word(page)
    paste(page, "text/plain", "https://example.org/x")
    page.keyboard.press("ControlOrMeta+Enter")
    take(page, "tab", "Table")
    page.keyboard.type("A: ")
    paste(page, "text/html", "<p>one</p><ul><li>two</li><li>three</li></ul>")
    page.keyboard.press("Escape")
    save(page)
    assert written()[-6:] == [
        *expected.values(),
        "see [here](https://example.org/x)",
        "| A: one two three |  |\n| --- | --- |\n|  |  |",
    ]


def test_given_writing_of_other_languages_when_it_is_composed_then_it_is_written_and_undone_as_a_whole(
    page: Page, written: Callable[[], list[str]]
) -> None:
    keyboard = page.context.new_cdp_session(page)

    def compose(*steps: str, to: str) -> None:
        for each in steps:
            place = {"selectionStart": len(each), "selectionEnd": len(each)}
            keyboard.send("Input.imeSetComposition", {"text": each, **place})
        keyboard.send("Input.insertText", {"text": to})

    page.get_by_role("button", name="Add text").click()
    expect(text(page)).to_be_focused()
    in_one_go(page)
    compose("に", "にほ", "にほん", to="日本")
    page.keyboard.type(" ok")
    page.keyboard.press("Enter")
    page.keyboard.type("abc def")
    last_word(page)
    compose("\u00b4", to="é")  # as a dead key does
    page.keyboard.type("t ")
    compose(to="👩‍👩‍👧🎉")
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    page.keyboard.type("/")
    compose("た", to="表")
    expect(page.get_by_role("listbox")).to_have_count(0)
    page.keyboard.press("Enter")
    page.keyboard.insert_text("اضغط على الزر Save")
    page.keyboard.press("Enter")
    page.keyboard.insert_text("y" * 400)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    ends = """each => {
        const range = document.createRange();
        range.selectNodeContents(each);
        return range.getBoundingClientRect().right;
    }"""
    arabic, latin = (text(page).locator("p", has_text=words) for words in ("Save", "abc"))
    assert arabic.evaluate(ends) > 1.5 * latin.evaluate(ends), "what runs from right to left begins there"
    page.keyboard.press("Escape")
    save(page)
    assert written()[-1].split("\n\n") == ["日本 ok", "abc ét 👩‍👩‍👧", "/表", "اضغط على الزر Save", "y" * 400]
    before = written()[:-1]
    page.get_by_role("button", name="Undo").click()
    save(page)
    assert written() == before


def test_given_a_link_and_a_heading_when_they_are_made_and_undone_then_the_text_follows(
    page: Page, written: Callable[[], list[str]]
) -> None:
    page.get_by_role("button", name="Add text").click()
    expect(text(page)).to_be_focused()
    in_one_go(page)
    page.keyboard.type("Look here")
    last_word(page)
    page.keyboard.press("ControlOrMeta+k")
    page.get_by_label("Address of the link").fill("example.org")
    page.keyboard.press("Enter")
    expect(text(page).get_by_role("link")).to_have_attribute("href", "https://example.org")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.type("# Not so high")
    expect(text(page).get_by_role("heading", level=4)).to_have_text("Not so high")
    page.keyboard.press("ControlOrMeta+z")
    expect(text(page).get_by_role("heading")).to_have_count(0)
    page.keyboard.press("ControlOrMeta+Shift+z")
    expect(text(page).get_by_role("heading", level=4)).to_have_text("Not so high")
    page.keyboard.press("Escape")
    save(page)
    assert written()[-1] == "Look [here](https://example.org)\n\n### Not so high"


def test_given_the_menu_behind_a_slash_and_the_clipboard_when_used_then_each_entry_is_made_and_goes_to_another_page(
    page: Page, written: Callable[[], list[str]]
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Add text").click()
    expect(text(page)).to_be_focused()
    for asked, name in (("hea", "Heading"), ("bul", "Bulleted list"), ("num", "Numbered list"), ("quo", "Quote")):
        take(page, asked, name)
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        if name != "Heading":
            page.keyboard.press("Enter")  # out of it again
    page.keyboard.type("/lin")
    page.get_by_role("option", name="Line between").click()
    take(page, "cod", "Code block", "Tab")
    page.keyboard.type("ls -l")
    expected = "## Heading\n\n- Bulleted list\n\n1. Numbered list\n\n> Quote\n\n---\n\n```\nls -l\n```"
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("ControlOrMeta+c")
    page.keyboard.press("Escape")
    save(page)
    assert written()[-1] == expected
    other = page.context.new_page()
    other.goto(page.url)
    other.get_by_role("button", name="Add text").click()
    expect(text(other)).to_be_focused()
    other.keyboard.press("ControlOrMeta+v")
    expect(text(other)).to_contain_text("ls -l")
    other.keyboard.press("Escape")
    save(other)
    lower = expected.replace("## ", "### ", 1)  # a heading that is pasted is one within the block
    assert written()[-2:] == [expected, lower], "what was copied on one page was pasted on the other"
    other.get_by_role("button", name="Add text").click()
    expect(text(other)).to_be_focused()
    other.keyboard.type("With a picture.")
    other.keyboard.press("Enter")
    take(other, "pic", "Picture")
    expect(other.get_by_role("dialog")).to_be_visible()
    other.close()


def test_given_markdown_that_has_no_look_here_when_it_is_opened_then_its_source_is_written(
    page: Page, written: Callable[[], list[str]]
) -> None:
    block(page, "Press ").locator("[data-prose]").click()
    expect(text(page)).to_contain_text("<kbd>F5</kbd>")
    expect(page.get_by_text("only its Markdown shows")).to_be_visible()
    page.keyboard.press("Escape")
    block(page, "Choose one").locator("[data-prose] strong").click()
    page.get_by_role("button", name="Markdown").click()
    expect(text(page)).to_contain_text("## Open the *settings*")
    page.get_by_role("button", name="Show as it looks").click()
    expect(text(page).locator("strong")).to_have_text("one")
    page.keyboard.press("Escape")
    expect(page.locator("[data-standing]")).to_have_text("Saved")


def test_given_a_step_that_is_added_one_that_is_cut_and_a_warning_when_saved_then_each_is_that_and_undone_with_the_rest(
    page: Page, site: Site, who: str, instruction: str, written: Callable[[], list[str]]
) -> None:
    page.set_viewport_size({"width": 375, "height": 300})
    expect(text(page)).to_have_count(0)
    far = page.locator("[data-block]").last
    wait_until(lambda: not far.evaluate(LAID_OUT), 10, "what is far from being seen not to be laid out")
    far.focus()
    wait_until(lambda: far.evaluate(LAID_OUT), 10, "what has the focus to be laid out")
    looking.resize(page, looking.WIDE)
    page.evaluate(WATCH)
    page.get_by_role("button", name="Add a step").click()
    expect(text(page)).to_be_focused()
    assert page.evaluate("[...touched]") == [page.locator(".block.open").get_attribute("data-block")]
    page.keyboard.type("## Check the total")
    assert page.evaluate("touched.size") == 1, "a step that is added, and each key, touch no other"
    page.keyboard.press("ControlOrMeta+Enter")
    expect(text(page)).to_have_text("")
    page.keyboard.type("Totals are final.")
    page.keyboard.press("Escape")
    label = block(page, "Totals are final").locator("[data-label]")
    added = block(page, "Check the total").locator("[data-label]").text_content() or ""
    assert added.startswith("Step ") and label.text_content() == f"Step {int(added.split()[-1]) + 1}"
    block(page, "Totals are final").get_by_role("button", name="More actions").click()
    page.get_by_role("menuitemradio", name="Warning").click()
    expect(label).to_have_text("Warning")
    page.locator("[data-video]").evaluate("(video) => void (video.currentTime = 3.5)")
    block(page, "Check the total").get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Tell of the moment").click()
    time = block(page, "Check the total").locator("[data-time]")
    expect(time).to_have_text("0:03")
    page.get_by_role("button", name="Undo").click()
    expect(time).to_be_hidden()
    page.get_by_role("button", name="Redo").click()
    expect(time).to_have_text("0:03")
    page.evaluate(WATCH)
    save(page)
    added_two = page.locator("[data-block]").evaluate_all("all => all.slice(-2).map((each) => each.dataset.block)")
    assert set(page.evaluate("[...touched]")) == set(added_two), "what is known of the others is the same after a save"
    expect(label).to_have_text("Warning")
    with site.client(who) as client:
        told = client.get(f"instructions/{instruction}").json()
    roles = {each["block_id"]: (each["role"], each["start_ms"]) for each in told["blocks"]}
    step, warning = parse(told["markdown"]).blocks[-2:]
    assert (step.markdown, roles[step.id]) == ("## Check the total", ("step", 3500))
    assert (warning.markdown, roles[warning.id][0]) == ("Totals are final.", "warning")
    expect(page.locator("[data-changed]:visible")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    expect(label).to_have_text(f"Step {int(added.split()[-1]) + 1}")
    looking.look(page, "writing-roles")
