"""What is done in the editor, undone and done again: text, pictures, drawings, places. And by fingers."""

import io
from collections.abc import Callable
from typing import Any

import pypdf
import pytest
from playwright.sync_api import CDPSession, Locator, Page, expect

from tests.browser.conftest import Site
from tests.browser.looking import box_of
from tests.stack import wait_until

SEEN = """() => [...document.querySelectorAll("[data-block]")].map(each => [
    each.querySelector("[data-label]").textContent,
    [...each.querySelector("[data-prose]").children].map(part => part.textContent.trim()).join(" "),
    ...[...each.querySelectorAll(".shot")].map(shot => shot.dataset.asset),
].join("|"))"""
PASTE_A_PICTURE = """async block => {
    const canvas = new OffscreenCanvas(300, 200);
    canvas.getContext("2d").fillRect(20, 20, 100, 100);
    const data = new DataTransfer();
    data.items.add(new File([await canvas.convertToBlob()], "image.png", { type: "image/png" }));
    block.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""
PHONE: dict[str, Any] = {"viewport": {"width": 375, "height": 812}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def address(who: str, drafted: Callable[[str], dict[str, str]]) -> str:
    return f"/instructions/{drafted(who)['instruction']}"


def steps(page: Page) -> Locator:
    return page.locator("article[data-role=step]")


def test_given_text_pictures_drawings_and_places_when_all_is_undone_and_done_again_then_each_is_as_it_was(
    page: Page, site: Site, who: str, address: str
) -> None:
    page.goto(address)
    trail: list[list[str]] = [page.evaluate(SEEN)]

    def kept(what: str) -> None:
        def has_changed() -> bool:
            return bool(page.evaluate(SEEN) != trail[-1])

        wait_until(has_changed, 20, what)
        expect(page.get_by_role("dialog")).to_have_count(0)
        trail.append(page.evaluate(SEEN))

    one, two = (page.locator(f"#{each.get_attribute('id')}") for each in steps(page).all()[:2])
    for step, words in ((one, " first"), (two, " second")):
        step.focus()
        page.keyboard.press("Enter")
        expect(page.locator(".writer [contenteditable]")).to_be_focused()
        page.keyboard.insert_text(words)  # at once: what is typed slowly is more than one step
        page.keyboard.press("Escape")
        kept("the text")
    one.get_by_role("button", name="Draw").first.click()
    canvas = page.get_by_role("dialog").locator("canvas")
    expect(canvas).to_be_focused()  # as it is once the picture is there: before that, nothing is drawn
    box = box_of(canvas)
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 160, steps=3)
    page.mouse.up()
    page.get_by_role("button", name="Save the drawing").click()
    kept("the drawing")
    two.get_by_role("button", name="Change").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Take this frame").click()
    kept("the frame")
    two.evaluate(PASTE_A_PICTURE)
    kept("the picture that was pasted")
    two.focus()
    page.keyboard.press("Alt+ArrowUp")
    kept("its place")
    page.keyboard.press("x")
    kept("that it is gone")

    undo, redo = (page.get_by_role("button", name=each, exact=True) for each in ("Undo", "Redo"))
    for before in trail[-2::-1]:
        undo.click()
        wait_until(lambda before=before: page.evaluate(SEEN) == before, 20, "what was undone")  # type: ignore[misc]
    expect(undo).to_be_disabled()
    for after in trail[1:]:
        redo.click()
        wait_until(lambda after=after: page.evaluate(SEEN) == after, 20, "what was done again")  # type: ignore[misc]
    expect(redo).to_be_disabled()
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator("[data-standing]")).to_have_text("Saved")
    undo.click()
    expect(two).to_be_visible()
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator("[data-standing]")).to_have_text("Saved")
    wait_until(lambda: page.evaluate(SEEN) == trail[-2], 20, "the step that was taken out and saved")
    page.reload()
    wait_until(lambda: page.evaluate(SEEN) == trail[-2], 20, "it is numbered, with its pictures, as before it went")
    with site.client(who) as client:
        version = client.get(address.removeprefix("/")).json()
        body = {"format": "PDF", "instruction_version_id": version["instruction_version_id"]}
        asked = client.post(f"jobs/{version['job_id']}/exports", json=body).json()["id"]
        ended = ("SUCCEEDED", "FAILED")
        made = wait_until(
            lambda: each if (each := client.get(f"exports/{asked}").json())["status"] in ended else None, 60, "the PDF"
        )
        data = client.get(made["download_url"]).content
    text = " ".join(" ".join(each.extract_text().split()) for each in pypdf.PdfReader(io.BytesIO(data)).pages)
    told = [each.split("|")[:2] for each in trail[-2] if each.startswith("Step ")]
    assert [label for label, _ in told] == [f"Step {number}" for number in range(1, len(told) + 1)]
    for label, words in told:
        assert f"{label.removeprefix('Step ')} {words}" in text


def test_given_a_connection_that_goes_while_somebody_writes_then_nothing_is_lost_and_it_is_saved_once_it_is_back(
    page: Page, address: str
) -> None:
    page.goto(address)
    step = page.locator(f"#{steps(page).first.get_attribute('id')}")
    step.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".writer [contenteditable]")).to_be_focused()
    page.context.set_offline(True)
    page.keyboard.type(" unplugged")
    page.keyboard.press("Escape")
    page.keyboard.press("ControlOrMeta+s")
    expect(page.get_by_text("The server cannot be reached. Nothing is lost")).to_be_visible()
    expect(step.locator("[data-prose]")).to_contain_text("unplugged")
    expect(page.locator("[data-standing]")).not_to_have_text("Saved")
    page.context.set_offline(False)
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator("[data-standing]")).to_have_text("Saved")
    page.reload()
    expect(step.locator("[data-prose]")).to_contain_text("unplugged")


def test_given_fingers_when_a_picture_is_looked_at_and_drawn_on_then_two_zoom_and_one_moves_or_draws(
    site: Site, who: str, address: str, quiet: list[str]
) -> None:
    with site.visitor(who, **PHONE) as context:
        page = context.new_page()
        page.goto(address)
        fingers = context.new_cdp_session(page)
        shot = page.locator(".shot").first
        shot.get_by_role("button").first.tap()
        dialog = page.get_by_role("dialog")
        canvas = dialog.locator("canvas")
        expect(canvas).to_be_visible()
        fitted = _width(canvas)
        x, y = _middle(canvas)
        _move(fingers, *([(x - each, y), (x + each, y)] for each in (20, 40, 60, 80)))
        wait_until(lambda: 3 < _width(canvas) / fitted < 5, 10, "two fingers to zoom")
        left = page.locator(".stage").evaluate("stage => stage.scrollLeft")
        _move(fingers, *([(x - each, y)] for each in (0, 20, 40, 60)))
        wait_until(
            lambda: page.locator(".stage").evaluate("stage => stage.scrollLeft") >= left + 30, 10, "one to move it"
        )
        _move(fingers, *([(x - each, y), (x + each, y)] for each in (80, 60, 40, 15)))
        wait_until(lambda: _width(canvas) == fitted, 10, "two fingers to let it fit in")
        dialog.get_by_role("button", name="Close").tap()
        expect(dialog).to_have_count(0)

        shot.get_by_role("button", name="Draw").tap()
        expect(canvas).to_be_focused()  # as it is once the picture is there: before that, nothing is drawn
        drawn = dialog.get_by_role("button", name="Blur at")
        before = drawn.count()
        dialog.get_by_role("radio", name="Blur").check(force=True)
        x, y = _middle(canvas)
        _move(fingers, *([(x - each, y), (x + each, y)] for each in (20, 40, 60)))
        wait_until(lambda: _width(canvas) > fitted, 10, "two fingers to zoom what is drawn on")
        assert drawn.count() == before, "the first of two fingers draws nothing"
        dialog.get_by_role("button", name="Fit it in").tap()
        x, y = _middle(canvas)
        _move(fingers, *([(x + each, y + each / 2)] for each in (0, 20, 40, 60)))
        expect(drawn).to_have_count(before + 1)
        assert page.evaluate("visualViewport.scale") == 1
    assert quiet == []


def _width(canvas: Locator) -> float:
    return float(canvas.evaluate("canvas => canvas.getBoundingClientRect().width"))


def _middle(canvas: Locator) -> tuple[float, float]:
    box = box_of(canvas)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _move(fingers: CDPSession, *places: list[tuple[float, float]]) -> None:
    """Put fingers down one after the other, move them, and lift them."""

    def send(kind: str, points: list[tuple[float, float]]) -> None:
        touched = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched})

    for count in range(1, len(places[0]) + 1):
        send("touchStart", places[0][:count])
    for each in places[1:]:
        send("touchMove", each)
    send("touchEnd", [])
