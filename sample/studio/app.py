"""Maple on the screen: one picture for each state."""

from functools import lru_cache

from PIL import Image

from sample.studio import invoices, lists
from sample.studio.canvas import Canvas
from sample.studio.ui import GROUND, HEIGHT, WIDTH, Ui, frame, toast

PAGES = {"home": lists.home, "billing": lists.billing, "editor": invoices.editor, "invoice": invoices.invoice}


@lru_cache(maxsize=96)
def paint(ui: Ui) -> Image.Image:
    """The whole screen without the pointer. Do not draw on it: it is kept."""
    canvas = Canvas(WIDTH, HEIGHT, GROUND)
    frame(canvas, ui)
    PAGES[ui.page](canvas, ui)
    if ui.toast:
        toast(canvas, ui.toast)
    return canvas.picture()
