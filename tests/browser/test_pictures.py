"""Choosing what shows at a step, and drawing on it: by mouse, and by the keyboard alone."""

import io
import re
import subprocess
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect
from sqlalchemy import select, update

from activities.store.tables import anchors, instruction_versions, jobs, screenshot_assets
from hatch_build import _node
from starter.api.signed_urls import SignedUrls
from starter.pages.shell.built import built
from tests.apis import SECRET
from tests.browser.conftest import Site, sign_in
from tests.browser.looking import box_of, look
from tests.stack import ROOT

PAGES = ROOT / "starter" / "pages"


@pytest.fixture(scope="module")
def dialogs(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The two dialogs as one script, for a page that has nothing else."""
    folder = tmp_path_factory.mktemp("dialogs")
    entry, made = folder / "entry.js", folder / "made.js"
    entry.write_text(
        f'import {{ openAnnotator }} from "{PAGES}/pictures/annotator.js";\n'
        f'import {{ openFramePicker }} from "{PAGES}/pictures/frame_picker.js";\n'
        "globalThis.dialogs = { openAnnotator, openFramePicker };\n"
    )
    environment = {"NODE_PATH": str(PAGES / "frontend" / "node_modules")}
    esbuild = PAGES / "frontend" / "node_modules" / "esbuild" / "bin" / "esbuild"
    command = [*_node(environment)("node"), str(esbuild), str(entry), "--bundle", "--format=iife", f"--outfile={made}"]
    subprocess.run(command, check=True, env=environment, capture_output=True)
    return made.read_text()


class Desk:
    """A page with a step's anchor on it."""

    def __init__(self, site: Site, page: Page, who: str, ids: dict[str, str]) -> None:
        self.site, self.page, self.who, self.ids = site, page, who, ids

    def bare(self) -> None:
        """Let the first picture show without what the draft has marked on it."""
        anchor = self.anchor()
        with self.site.client(self.who) as client:
            path = f"anchors/{anchor['id']}/assets/{anchor['assets'][-1]['id']}/show"
            client.post(path).raise_for_status()

    def anchor(self) -> Any:
        with self.site.client(self.who) as client:
            return client.get(f"instructions/{self.ids['instruction']}/anchors").json()["items"][-1]

    def age(self, by: timedelta) -> None:
        """Let everything about the guide and its pictures be older."""
        version = instruction_versions.c.instruction_id == self.ids["instruction"]
        mine = anchors.c.instruction_id == self.ids["instruction"]
        pictures = screenshot_assets.c.anchor_id.in_(select(anchors.c.id).where(mine))
        aged = ((jobs, jobs.c.id == self.ids["job"]), (instruction_versions, version), (anchors, mine))
        with self.site.stack.store._database.write() as connection:
            for table, which in (*aged, (screenshot_assets, pictures)):
                moments = [each for each in table.c if each.name in ("created_at", "updated_at")]
                for row in connection.execute(select(table.c.id, *moments).where(which)).mappings().all():
                    older = {each.name: row[each.name] - by for each in moments}
                    connection.execute(update(table).where(table.c.id == row["id"]).values(**older))

    def version(self) -> str:
        with self.site.client(self.who) as client:
            return str(client.get(f"instructions/{self.ids['instruction']}").json()["instruction_version_id"])

    def open(self, dialog: str, **wanted: object) -> Locator:
        self.page.evaluate(
            "([dialog, wanted]) => { globalThis.outcome = dialogs[dialog](wanted).then(shown => shown?.id ?? null); }",
            [dialog, wanted],
        )
        return self.page.get_by_role("dialog")

    def result(self) -> str | None:
        return self.page.evaluate("globalThis.outcome")  # type: ignore[no-any-return]

    def shown(self) -> Image.Image:
        anchor = self.anchor()
        asset = next(each for each in anchor["assets"] if each["id"] == anchor["active_asset_id"])
        picture = Image.open(io.BytesIO(httpx.get(asset["image_uri"]).content))
        picture.load()
        return picture.convert("RGB")


@pytest.fixture
def desk(site: Site, page: Page, who: str, drafted: Callable[[str], dict[str, str]], dialogs: str) -> Desk:
    made = Desk(site, page, who, drafted(who))
    made.bare()
    page.goto("/nothing-here")  # a page that does nothing by itself
    page.evaluate(dialogs)
    page.evaluate(
        """href => new Promise(resolve => {
            const link = Object.assign(document.createElement("link"), {rel: "stylesheet", href, onload: resolve});
            document.head.append(link);
        })""",
        built("pictures/pictures.css").address,
    )
    return made


def _annotator(desk: Desk) -> tuple[Locator, Any, Any]:
    anchor = desk.anchor()
    asset = next(each for each in anchor["assets"] if each["id"] == anchor["active_asset_id"])
    dialog = desk.open("openAnnotator", anchor=anchor, asset=asset)
    expect(dialog.get_by_role("button", name="Add")).to_be_enabled()  # as it is once the picture is there
    return dialog, anchor, asset


def _colours(picture: Image.Image, box: tuple[float, float, float, float]) -> int:
    width, height = picture.size
    left, top, right, bottom = box
    region = picture.crop((int(left * width), int(top * height), int(right * width), int(bottom * height)))
    return len(region.getcolors(maxcolors=2**24) or ())


def test_given_a_picture_when_it_is_drawn_on_by_mouse_then_the_blur_has_destroyed_its_pixels(desk: Desk) -> None:
    before = desk.shown()
    dialog, _, asset = _annotator(desk)
    page = desk.page
    canvas = dialog.get_by_role("application")
    box = box_of(canvas)

    def drag(x1: float, y1: float, x2: float, y2: float) -> None:
        page.mouse.move(box["x"] + x1 * box["width"], box["y"] + y1 * box["height"])
        page.mouse.down()
        page.mouse.move(box["x"] + (x1 + x2) / 2 * box["width"], box["y"] + y2 * box["height"])
        page.mouse.move(box["x"] + x2 * box["width"], box["y"] + y2 * box["height"])
        page.mouse.up()

    drag(0.01, 0.01, 0.6, 0.5)
    dialog.get_by_text("Arrow", exact=True).click()
    drag(0.9, 0.9, 0.7, 0.6)
    dialog.get_by_text("Marker", exact=True).click()
    drag(0.1, 0.7, 0.3, 0.8)
    dialog.get_by_text("Pencil", exact=True).click()
    dialog.get_by_title("green").click()
    drag(0.4, 0.7, 0.6, 0.9)
    expect(dialog.get_by_role("listitem")).to_have_count(4)
    look(page, "annotator")
    dialog.get_by_role("button", name="Undo").click()
    expect(dialog.get_by_role("listitem")).to_have_count(3)
    dialog.get_by_role("button", name="Redo").click()
    dialog.get_by_role("button", name="Save the drawing").click()
    expect(dialog).to_have_count(0)
    after = desk.shown()
    assert desk.result() != asset["id"]
    assert after.size == before.size
    inside, beside = (0.02, 0.02, 0.58, 0.45), (0.7, 0.0, 1.0, 0.5)
    blurred = after.crop(tuple(int(part * after.size[n % 2]) for n, part in enumerate(inside)))  # type: ignore[arg-type]
    sharp = before.crop(tuple(int(part * after.size[n % 2]) for n, part in enumerate(inside)))  # type: ignore[arg-type]
    assert _steepest(blurred) < _steepest(sharp) / 4
    assert _colours(after, beside) == _colours(before, beside)


def _steepest(picture: Image.Image) -> int:
    """The largest step between neighbours in a row: text has steps, what its averages make has none."""
    grey = picture.convert("L")
    pixels = grey.tobytes()
    width = grey.width
    return max(abs(pixels[at] - pixels[at - 1]) for at in range(1, len(pixels)) if at % width)


def test_given_the_keyboard_alone_when_a_picture_is_drawn_on_then_it_is_the_same_work(desk: Desk) -> None:
    dialog, anchor, _ = _annotator(desk)
    page = desk.page
    canvas = dialog.get_by_role("application")
    expect(canvas).to_be_focused()
    expect(dialog.get_by_role("button", name="Add")).to_be_enabled()
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("listitem")).to_have_text("Blur at 40, 40 %: 20 by 20 %")
    for key, times in (("ArrowLeft", 10), ("ArrowUp", 45), ("Shift+ArrowRight", 5), ("Shift+ArrowDown", 3)):
        for _ in range(times):
            page.keyboard.press(key)
    expect(dialog.get_by_role("listitem")).to_have_text("Blur at 30, 0 %: 25 by 23 %")
    page.keyboard.press("Control+z")
    expect(dialog.get_by_role("listitem")).to_have_text("Blur at 30, 0 %: 20 by 20 %")
    page.keyboard.press("Control+Shift+z")
    page.keyboard.press("p")
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("listitem")).to_have_count(3)
    page.keyboard.press("Delete")
    expect(dialog.get_by_role("listitem")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Discard the drawing?")).to_be_visible()
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("listitem")).to_have_count(2)
    save = dialog.get_by_role("button", name="Save the drawing")
    while not save.evaluate("each => each === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert desk.anchor()["active_asset_id"] == desk.result() != anchor["active_asset_id"]


def test_given_numbers_and_words_when_they_are_put_on_a_picture_then_they_can_be_changed_later(
    desk: Desk, site: Site, page: Page
) -> None:
    dialog, _, asset = _annotator(desk)
    items = dialog.get_by_role("listitem")
    box = box_of(dialog.get_by_role("application"))
    page.keyboard.press("n")
    for across in (0.2, 0.4):
        page.mouse.click(box["x"] + box["width"] * across, box["y"] + box["height"] * 0.5)
    expect(items).to_have_text([re.compile("^Number 1 at"), re.compile("^Number 2 at")])
    page.keyboard.press("t")
    page.mouse.click(box["x"] + box["width"] * 0.7, box["y"] + box["height"] * 0.3)
    expect(dialog.get_by_label("Words")).to_be_focused()
    page.keyboard.type("Press here")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("application")).to_be_focused()
    page.keyboard.press("o")
    page.keyboard.press("Enter")
    expect(items).to_have_text([re.compile(each) for each in ("Number 1", "Number 2", "Text “Press here”", "Outline")])
    look(page, "annotator-labels")
    dialog.get_by_role("button", name="Save the drawing").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    first = desk.anchor()["assets"][0]
    assert [each["op_type"] for each in first["operations"]] == ["number", "number", "text", "outline"]
    assert [each["number"] for each in first["operations"][:2]] == [1, 2]

    desk.age(timedelta(days=8))
    old = SignedUrls(SECRET).sign("picture", first["id"], time.time() - 7 * 24 * 3600)
    assert httpx.get(re.sub(r"v1\.[^/]+$", old, first["image_uri"])).status_code == 404, "the address of then"
    page.context.clear_cookies()
    page.goto(f"/instructions/{desk.ids['instruction']}")
    expect(page.locator(".write")).to_have_count(0)  # the session of then is over
    sign_in(page.context, desk.who)
    page.goto(f"/instructions/{desk.ids['instruction']}")
    assert "v1." not in (page.locator("#state").text_content() or ""), (
        "a page may be left open: it has no address that ends"
    )
    shot = page.locator(f".write .shot[data-anchor='{desk.anchor()['id']}']")
    expect(shot.locator("img")).to_have_js_property("naturalWidth", 720)
    shot.get_by_role("button", name="Change").click()
    earlier = page.get_by_role("dialog").get_by_role("listitem").get_by_role("img").first
    expect(earlier).to_have_js_property("complete", True)
    expect(earlier).not_to_have_js_property("naturalWidth", 0)
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    shot.get_by_role("button", name="Draw").click()
    items.nth(2).get_by_role("button").click()
    page.get_by_label("Words").fill("Press there\nand wait")
    items.nth(0).get_by_role("button").click()
    page.get_by_role("spinbutton", name="Number").fill("9")
    page.get_by_role("button", name="Save the drawing").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    now = desk.anchor()["assets"][0]
    assert now["rendered_from_asset_id"] == first["rendered_from_asset_id"] == asset["id"]
    assert (now["operations"][0]["number"], now["operations"][2]["text"]) == (9, "Press there\nand wait")
    shown = desk.shown()
    label = now["operations"][2]["geometry"]
    at = (int((label["x"] + label["w"] / 2) * shown.width), int((label["y"] + 0.004) * shown.height))
    assert shown.getpixel(at) == (229, 72, 77), "the file has the label, too"


def test_given_a_step_when_another_frame_is_chosen_by_keys_then_it_shows_and_the_earlier_one_is_kept(
    desk: Desk, sample: Path
) -> None:
    anchor = desk.anchor()
    wanted = {
        "jobId": desk.ids["job"],
        "instruction": desk.ids["instruction"],
        "versionId": desk.version(),
        "anchor": anchor,
        "blockId": anchor["addressing"]["block_id"],
        "atMs": 3000,
        "video": f"/jobs/{desk.ids['job']}/recording",
    }
    dialog = desk.open("openFramePicker", **wanted)
    slider = dialog.get_by_role("slider", name="Moment")
    expect(slider).to_be_focused()
    expect(slider).to_have_attribute("aria-valuetext", "0:03.000")
    page = desk.page
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", "0:03.966")
    look(page, "frame-picker")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    now = desk.anchor()
    assert desk.result() == now["active_asset_id"] != anchor["active_asset_id"]
    assert len(now["assets"]) == len(anchor["assets"]) + 1

    dialog = desk.open("openFramePicker", **wanted)
    dialog.get_by_role("button", name="Delete picture 2: taken from the recording").click()
    page.get_by_role("dialog", name="Delete this picture?").get_by_role("button", name="Delete").click()
    expect(dialog.get_by_role("listitem")).to_have_count(1)
    page.keyboard.press("Escape")
    assert desk.result() == anchor["active_asset_id"] == desk.anchor()["active_asset_id"]


def test_given_a_picture_of_ones_own_when_it_is_brought_then_it_is_checked_here_first_and_shows(
    desk: Desk, tmp_path: Path
) -> None:
    with desk.site.client(desk.who) as client:
        markdown = client.get(f"instructions/{desk.ids['instruction']}").json()["markdown"]
    block = markdown.split("<!-- block:")[1].split(" ")[0]
    dialog = desk.open(
        "openFramePicker",
        jobId=desk.ids["job"],
        instruction=desk.ids["instruction"],
        versionId=desk.version(),
        anchor=None,
        blockId=block,
        atMs=0,
        video=None,
    )
    chooser = dialog.get_by_label("Or bring a picture of your own")
    chooser.set_input_files({"name": "x.gif", "mimeType": "image/gif", "buffer": b"GIF89a"})
    expect(dialog.get_by_role("alert")).to_contain_text("no PNG, JPEG or WebP")
    chooser.set_input_files({"name": "x.png", "mimeType": "image/png", "buffer": b"\x89PNG and no more"})
    expect(dialog.get_by_role("alert")).to_contain_text("cut off or damaged")
    name = '<img src=x onerror="alert(1)">.png'
    out = io.BytesIO()
    Image.new("RGB", (320, 200), "#336699").save(out, "PNG")
    chooser.set_input_files({"name": name, "mimeType": "image/png", "buffer": out.getvalue()})
    expect(dialog).to_have_count(0)
    asset = desk.result()
    with desk.site.client(desk.who) as client:
        anchors = client.get(f"instructions/{desk.ids['instruction']}/anchors").json()["items"]
    brought = next(each for each in anchors if each["active_asset_id"] == asset)
    assert brought["addressing"]["block_id"] == block
    assert [(each["kind"], each["width"]) for each in brought["assets"]] == [("UPLOADED", 320)]


def test_given_a_ring_and_a_crop_when_the_editor_opens_then_they_can_be_seen_whole_moved_and_taken_away(
    site: Site, page: Page, who: str, drafted: Callable[[str], dict[str, str]]
) -> None:
    ids = drafted(who)
    desk = Desk(site, page, who, ids)
    desk.bare()
    anchor = desk.anchor()
    base = anchor["active_asset_id"]
    ring: dict[str, Any] = {"op_type": "ring", "geometry": {"x": 0.2, "y": 0.3, "w": 0.2, "h": 0.06}}
    crop: dict[str, Any] = {
        "op_type": "crop",
        "geometry": {"x": 0.1, "y": 0.1, "w": 0.5, "h": 0.5},
        "style": {"whole": True},
    }
    page.goto(f"/instructions/{ids['instruction']}")
    shot = page.locator(f".write .shot[data-anchor='{anchor['id']}']")
    shot.scroll_into_view_if_needed()
    shot.get_by_role("button", name="Draw").click()
    dialog = page.get_by_role("dialog", name="Draw on the picture")
    expect(dialog.get_by_role("button", name="Add")).to_be_enabled()
    box = box_of(dialog.get_by_role("application"))
    for each in (ring, crop):  # as a mouse draws them
        dialog.get_by_text(each["op_type"].capitalize(), exact=True).click()
        at = each["geometry"]
        x, y = box["x"] + at["x"] * box["width"], box["y"] + at["y"] * box["height"]
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + at["w"] * box["width"], y + at["h"] * box["height"], steps=4)
        page.mouse.up()
    dialog.get_by_label("Readers can open the whole picture").check()
    dialog.get_by_role("button", name="Save the drawing").click()
    expect(dialog).to_have_count(0)
    drawn = desk.anchor()["assets"][0]["operations"]
    for made, meant in zip(drawn, (ring, crop), strict=True):
        assert made["op_type"] == meant["op_type"]
        assert made["geometry"] == pytest.approx(meant["geometry"], abs=0.01)
    assert drawn[1]["style"] == crop["style"]
    shot.get_by_role("button", name="Whole picture").click()
    whole = page.get_by_role("dialog", name="Whole picture")
    expect(whole.get_by_role("img")).to_be_visible()
    look(page, "whole-picture")
    whole.get_by_role("button", name="Close").click()

    shot.get_by_role("button", name="Draw").click()
    items = dialog.get_by_role("listitem")
    expect(items).to_have_text([re.compile("^Ring at 20, 30 %"), re.compile("^Crop at 10, 10 %")])
    expect(dialog.get_by_role("button", name="Save the drawing")).to_be_disabled()
    items.nth(1).get_by_role("button").click()
    expect(dialog.get_by_label("Readers can open the whole picture")).to_be_checked()
    page.keyboard.press("ArrowRight")
    look(page, "annotator-ring")
    dialog.get_by_role("button", name="Save the drawing").click()
    expect(dialog).to_have_count(0)
    now = desk.anchor()["assets"][0]
    assert (now["rendered_from_asset_id"], [each["op_type"] for each in now["operations"]]) == (base, ["ring", "crop"])
    assert now["operations"][1]["geometry"]["x"] == pytest.approx(drawn[1]["geometry"]["x"] + 0.01, abs=0.002)

    expect(shot).to_have_attribute("data-asset", now["id"])
    shot.get_by_role("button", name="Draw").click()
    for _ in range(2):
        items.first.get_by_role("button").click()
        page.keyboard.press("Delete")
    dialog.get_by_role("button", name="Save the drawing").click()
    expect(shot).to_have_attribute("data-asset", base)
    expect(shot.get_by_role("button", name="Whole picture")).to_have_count(0)
    assert desk.anchor()["active_asset_id"] == base


def test_given_pictures_that_nobody_has_read_when_asked_to_blur_then_it_is_said_which_they_are(
    site: Site, page: Page, who: str, drafted: Callable[[str], dict[str, str]]
) -> None:
    ids = drafted(who)
    page.goto(f"/instructions/{ids['instruction']}")
    page.get_by_role("button", name="Blur what is private").click()
    dialog = page.get_by_role("dialog", name="Blur what is private")
    dialog.get_by_label("Words and names to blur as well").fill("Atlas Studio")
    page.keyboard.press("Tab")
    expect(dialog.get_by_role("status")).to_have_text("There is nothing left to blur.")
    expect(dialog.get_by_text("pictures could not be checked. Look at them yourself: Step 1")).to_be_visible()
    expect(dialog.get_by_role("button", name="Blur on all pictures")).to_be_disabled()
    look(page, "redacting")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
