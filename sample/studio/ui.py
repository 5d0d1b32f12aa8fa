"""Maple, the made-up invoicing app: what its state is, and the parts that all its pages share."""

from dataclasses import dataclass
from typing import Literal

from sample.studio.canvas import Canvas, Point, Weight

WIDTH, HEIGHT = 1280, 720

ACCENT, ACCENT_DARK, ACCENT_PALE = "#e2571e", "#c2410c", "#fff1ea"
INK, MUTED, FAINT = "#1b1f29", "#6b7280", "#9ca3af"
LINE, CARD, GROUND = "#e5e7eb", "#ffffff", "#f6f6f8"
NIGHT, NIGHT_LINE, NIGHT_TEXT = "#1d212c", "#2b3040", "#aeb4c2"
GREEN, GREEN_PALE = "#15803d", "#dcfce7"
BLUE, BLUE_PALE = "#1d4ed8", "#dbeafe"
AMBER, AMBER_PALE = "#b45309", "#fef3c7"
RED, RED_PALE = "#b91c1c", "#fee2e2"

CUSTOMER, CUSTOMER_EMAIL = "Harbor Coffee", "hello@harborcoffee.example"
ITEM = "Website design"
NUMBER = "MP-1043"

Page = Literal["home", "billing", "editor", "invoice"]


@dataclass(frozen=True)
class Ui:
    """Everything that decides how the app looks. Equal states look the same."""

    page: Page = "home"
    hover: str | None = None
    """The hotspot under the pointer."""
    menu_open: bool = False
    customer_chosen: bool = False
    describing: bool = False
    description: str = ""
    caret: bool = False
    priced: bool = False
    taxed: bool = False
    tax_lit: bool = False
    calendar_open: bool = False
    due_chosen: bool = False
    sent: bool = False
    toast: str = ""


HOTSPOTS: dict[str, Point] = {
    "billing": (78, 190),
    "new_invoice": (1190, 134),
    "customer": (470, 237),
    "harbor_coffee": (420, 386),
    "description": (420, 317),
    "tax": (1118, 526),
    "due": (590, 477),
    "last_day": (594, 677),
    "save": (1208, 134),
    "send": (1204, 134),
    "rest": (640, 430),
}
"""Where the pointer goes to for each thing it can point at."""

NAVIGATION = (
    ("home", "Home", "home"),
    ("billing", "Billing", "bill"),
    ("customers", "Customers", "people"),
    ("products", "Products", "box"),
    ("reports", "Reports", "chart"),
    ("settings", "Settings", "gear"),
)


def frame(canvas: Canvas, ui: Ui) -> None:
    """The browser's bar, the menu on the left and the app's top bar."""
    address = {"home": "", "billing": "/billing", "editor": "/billing/new", "invoice": f"/billing/{NUMBER.lower()}"}
    _browser_bar(canvas, "app.maple.example" + address[ui.page])
    _sidebar(canvas, ui)
    canvas.box(212, 46, WIDTH - 212, 52, CARD)
    canvas.box(212, 97, WIDTH - 212, 1, LINE)
    canvas.box(240, 57, 300, 30, GROUND, radius=8)
    canvas.icon("search", 257, 72, 15, FAINT)
    canvas.text(273, 72, "Search invoices and customers", 12.5, FAINT)
    canvas.icon("bell", 1190, 71, 18, MUTED)
    canvas.disc(1196, 65, 3.5, ACCENT)
    avatar(canvas, 1234, 72, 15, "NF", "#7c3aed")


def _browser_bar(canvas: Canvas, address: str) -> None:
    canvas.box(0, 0, WIDTH, 46, "#e9e7e6")
    for x, colour in ((22, "#ff5f57"), (42, "#febc2e"), (62, "#28c840")):
        canvas.disc(x, 23, 6, colour)
    canvas.icon("left", 102, 23, 17, "#7a7674")
    canvas.icon("right", 128, 23, 17, "#b9b5b3")
    canvas.icon("reload", 156, 23, 15, "#7a7674")
    canvas.box(380, 9, 520, 28, "#ffffff", radius=8)
    canvas.icon("lock", 397, 23, 12, "#7a7674", 1.3)
    canvas.text(410, 23, address, 12.5, "#3f3c3b")


def _sidebar(canvas: Canvas, ui: Ui) -> None:
    canvas.box(0, 46, 212, HEIGHT - 46, NIGHT)
    canvas.box(20, 64, 30, 30, ACCENT, radius=8)
    leaf = [(0, -9), (2.2, -4.6), (5.4, -5.8), (4.8, -1.6), (8.6, -1.4), (5.4, 2.6), (1.2, 3.6), (0.7, 8), (-0.7, 8)]
    outline = leaf + [(-x, y) for x, y in reversed(leaf[1:-1])]
    canvas.polygon([(35 + x, 79 + y) for x, y in outline], "#ffffff")
    canvas.text(60, 79, "Maple", 18, "#ffffff", weight="Bold")
    current = "home" if ui.page == "home" else "billing"
    for row, (name, label, icon) in enumerate(NAVIGATION):
        y = 146 + row * 44
        chosen, lit = name == current, ui.hover == name
        if chosen or lit:
            canvas.box(12, y - 18, 188, 36, "#343a4c" if chosen else NIGHT_LINE, radius=8)
        if chosen:
            canvas.box(12, y - 10, 3, 20, ACCENT, radius=1.5)
        canvas.icon(icon, 38, y, 18, "#ffffff" if chosen or lit else NIGHT_TEXT)
        weight: Weight = "SemiBold" if chosen else "Medium"
        canvas.text(58, y, label, 13.5, "#ffffff" if chosen or lit else NIGHT_TEXT, weight=weight)
    canvas.box(12, 640, 188, 60, NIGHT_LINE, radius=10)
    avatar(canvas, 38, 670, 14, "NF", "#7c3aed")
    canvas.text(60, 662, "Nora Field", 12.5, "#ffffff", weight="SemiBold")
    canvas.text(60, 679, "Field Studio", 11.5, NIGHT_TEXT)


def heading(canvas: Canvas, title: str, subtitle: str) -> None:
    canvas.text(240, 124, title, 21, INK, weight="Bold")
    canvas.text(240, 150, subtitle, 12.5, MUTED)


def card(canvas: Canvas, x: float, y: float, w: float, h: float) -> None:
    canvas.shadow(x, y, w, h, radius=12, blur=10, strength=0.06)
    canvas.box(x, y, w, h, CARD, radius=12, outline=LINE)


def popover(canvas: Canvas, x: float, y: float, w: float, h: float) -> None:
    canvas.shadow(x, y, w, h, radius=10, blur=26, strength=0.28)
    canvas.box(x, y, w, h, CARD, radius=10, outline="#d5d8de")


def button(
    canvas: Canvas, x: float, w: float, label: str, icon: str, *, primary: bool = False, lit: bool = False
) -> None:
    """A button in the page's heading, 36 pixels high."""
    y, h = 116, 36
    if primary:
        canvas.shadow(x, y, w, h, radius=9, blur=8, strength=0.16)
        canvas.box(x, y, w, h, ACCENT_DARK if lit else ACCENT, radius=9)
    else:
        canvas.box(x, y, w, h, GROUND if lit else CARD, radius=9, outline="#d5d8de")
    colour = "#ffffff" if primary else INK
    content = 22 + canvas.text_width(label, 13, "SemiBold")
    left = x + (w - content) / 2
    canvas.icon(icon, left + 8, y + h / 2, 16, colour, 1.8)
    canvas.text(left + 22, y + h / 2, label, 13, colour, weight="SemiBold")


def pill(canvas: Canvas, x: float, y: float, label: str) -> None:
    """A status, its left end at ``x``."""
    colours = {
        "Draft": ("#4b5563", "#e8eaee"),
        "Sent": (BLUE, BLUE_PALE),
        "Paid": (GREEN, GREEN_PALE),
        "Overdue": (RED, RED_PALE),
    }
    ink, pale = colours[label]
    width = canvas.text_width(label, 11.5, "SemiBold") + 26
    canvas.box(x, y - 11, width, 22, pale, radius=11)
    canvas.disc(x + 11, y, 3, ink)
    canvas.text(x + 18, y, label, 11.5, ink, weight="SemiBold")


def avatar(canvas: Canvas, x: float, y: float, radius: float, initials: str, colour: str) -> None:
    canvas.disc(x, y, radius, colour)
    canvas.text(x, y, initials, radius * 0.78, "#ffffff", weight="SemiBold", anchor="mm")


def toast(canvas: Canvas, message: str) -> None:
    w = canvas.text_width(message, 13, "Medium") + 62
    x, y, h = 1076 - w / 2, 636, 44
    canvas.shadow(x, y, w, h, radius=11, blur=22, strength=0.35)
    canvas.box(x, y, w, h, NIGHT, radius=11)
    canvas.disc(x + 24, y + h / 2, 10, "#22c55e")
    canvas.icon("check", x + 24, y + h / 2, 13, "#ffffff", 2)
    canvas.text(x + 44, y + h / 2, message, 13, "#ffffff", weight="Medium")
