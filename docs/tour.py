"""Makes ``docs/tour.webp``, the moving picture of the README, from the real pages.

    guidesmith demo instruction --keep      # in one terminal: its last line is the address that signs in
    python -m docs.tour ADDRESS             # in another; wants Debian's chromium

A frame for each thing that a person does, at 960 by 600 pixels, looped.
"""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from PIL import Image
from playwright.sync_api import Page, sync_playwright

TOUR = Path(__file__).with_name("tour.webp")
VIEW = {"width": 1440, "height": 900}
FRAME = (960, 600)
BROWSER = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")


def frames(page: Page, address: str) -> Iterator[tuple[bytes, int]]:
    """A picture of each place, and for how long it is shown, in ms."""
    parts = urlsplit(address)
    origin = f"{parts.scheme}://{parts.netloc}"
    instruction = parse_qs(parts.query)["to"][0]
    page.goto(address)
    page.goto(f"{origin}/", wait_until="networkidle")
    yield page.screenshot(), 1600
    page.goto(f"{origin}{instruction}", wait_until="networkidle")
    yield page.screenshot(), 2200
    for down in (500, 1000):
        page.mouse.wheel(0, down)
        page.wait_for_timeout(600)
        yield page.screenshot(), 1600
    page.goto(f"{origin}{instruction}/export", wait_until="networkidle")
    page.wait_for_timeout(1500)
    yield page.screenshot(), 2200


def main() -> int:
    if len(sys.argv) != 2:
        sys.stderr.write("usage: python -m docs.tour ADDRESS\n")
        return 2
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(BROWSER))
        page = browser.new_page(viewport={"width": VIEW["width"], "height": VIEW["height"]})
        shown = list(frames(page, sys.argv[1]))
        browser.close()
    pictures = [Image.open(io.BytesIO(png)).convert("RGB").resize(FRAME, Image.Resampling.LANCZOS) for png, _ in shown]
    first, *others = pictures
    durations = [duration for _, duration in shown]
    first.save(TOUR, save_all=True, append_images=others, duration=durations, loop=0, quality=70, method=6)
    return 0


if __name__ == "__main__":
    sys.exit(main())
