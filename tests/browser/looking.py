"""What tests see of a page beside what it says: its faults by axe-core, and pictures for a person to look at."""

import os
from typing import Any

from playwright.sync_api import FloatRect, Locator, Page, ViewportSize

from tests.stack import ROOT

WIDE: ViewportSize = {"width": 1440, "height": 900}
WIDEST: ViewportSize = {"width": 2560, "height": 1440}
SIZES: tuple[ViewportSize, ...] = ({"width": 375, "height": 812}, WIDEST, WIDE)
"""The last is that of most tests: there is no way back from it."""

COLOURS = "color-contrast"
CHECKED: dict[tuple[int, str], dict[str, Any]] = {
    (375, "light"): {"rules": {COLOURS: {"enabled": False}}},
    (WIDE["width"], "light"): {},
    (WIDE["width"], "dark"): {"runOnly": {"type": "rule", "values": [COLOURS]}},
}
"""Where axe-core looks, and for what: the layout is another on a phone, and the colours are others in the dark."""

SCREENS = ROOT / "guidesmith-screens"
"""Build output, not kept in the repository."""

PICTURES = "PAGE_PICTURES"
"""Set by a person who wants to look at the pages. No test reads a picture, and to draw six of a page takes longer than
all else that is looked for on it."""

AXE = ROOT / "starter" / "pages" / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


FAULTS = """async options => {
    if (!("axe" in window)) return null;
    const where = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document;
    return (await axe.run(where, options)).violations.map(
        ({ id, nodes: [first] }) => `${id}: ${first.html.slice(0, 160)} ${first.failureSummary.slice(0, 300)}`
    );
}"""
"""Behind a modal dialog nothing can be reached: the page there is looked at where it can be."""
FAULTS_ALONE = {"resultTypes": ["violations"], "selectors": False, "iframes": False}
"""All that is right on a page, with the way to it, takes longer to tell than to find. Frames are pages of their own:
axe-core would ask for itself in them, which a sandboxed one complains of."""


def check_accessible(page: Page, **options: Any) -> None:
    """axe-core finds nothing on the page as it stands. ``options`` are those of its run, before all of ``RULES``."""
    values = FAULTS_ALONE | {"runOnly": {"type": "tag", "values": RULES}} | options
    faults = page.evaluate(FAULTS, values)
    if faults is None:  # half a megabyte to read
        page.evaluate(AXE.read_text())
        faults = page.evaluate(FAULTS, values)
    assert faults is not None
    assert not faults, "\n".join(faults)


DRAWN = """width => new Promise(done => {
    const next = () => requestAnimationFrame(() => innerWidth === width ? requestAnimationFrame(done) : next());
    next();
})"""
"""Ends once the page is drawn as wide as its window was made: what of it hears that has done so by then."""
TOP_DRAWN = f"width => (scrollTo(0, 0), ({DRAWN})(width))"
"""The same from its top, where no bar that stays in sight lies over what is below it."""


def resize(page: Page, size: ViewportSize) -> None:
    """Let the window have another size, until the page is drawn in it."""
    page.set_viewport_size(size)
    page.evaluate(DRAWN, size["width"])


def box_of(shown: Locator) -> FloatRect:
    """Where it is once it no longer moves, as it does while what is beside it comes."""
    shown.hover(trial=True)
    box = shown.bounding_box()
    assert box is not None
    return box


def look(page: Page, name: str) -> None:
    """axe-core finds nothing on the page, and at three widths nothing hangs out at the side. Keeps pictures at these
    widths, dark and light, where ``PAGE_PICTURES`` is set."""
    before = page.viewport_size
    for size in SIZES:
        page.set_viewport_size(size)
        for scheme in ("dark", "light"):
            checked = CHECKED.get((size["width"], scheme))
            if checked is None and not os.environ.get(PICTURES):
                continue
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.evaluate(TOP_DRAWN, size["width"])
            draw(page, f"{name}-{size['width']}-{scheme}", whole=size is not WIDEST)
            if checked is not None:
                check_accessible(page, **checked)
        check_width(page, name, size)
    if before and before != WIDE:
        resize(page, before)


OVERHANG = f"""async width => {{
    await ({DRAWN})(width);
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
}}"""


def check_width(page: Page, name: str, size: ViewportSize) -> None:
    """Nothing hangs out at the side, once the page is drawn in this size that its window was given."""
    overhang = page.evaluate(OVERHANG, size["width"])
    assert overhang <= 0, f"{name} is {overhang}px too wide for its window"


def fits(page: Page, name: str) -> None:
    """Nothing hangs out at the side, however wide the window. For a page that is looked at in another language."""
    for size in SIZES:
        page.set_viewport_size(size)
        check_width(page, name, size)


def draw(page: Page, name: str, *, whole: bool = True) -> None:
    """Keep a picture of the page, where ``PAGE_PICTURES`` is set. One that is not ``whole`` is drawn as far as it is
    seen: all of a long page takes seconds at the widest."""
    if os.environ.get(PICTURES):
        page.screenshot(path=SCREENS / f"{name}.jpg", type="jpeg", quality=80, full_page=whole)
