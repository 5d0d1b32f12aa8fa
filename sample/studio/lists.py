"""Maple's pages that list things: home and billing."""

from sample.studio.canvas import Canvas
from sample.studio.ui import (
    ACCENT,
    AMBER,
    AMBER_PALE,
    BLUE,
    BLUE_PALE,
    FAINT,
    GREEN,
    GREEN_PALE,
    INK,
    LINE,
    MUTED,
    Ui,
    avatar,
    button,
    card,
    heading,
    pill,
)

INVOICES = (
    ("MP-1042", "Juniper Travel", "JT", "#0891b2", "Apr 10, 2026", "Apr 24, 2026", "$2,380.00", "Sent"),
    ("MP-1041", "Atlas Studio", "AS", "#7c3aed", "Apr 8, 2026", "Apr 22, 2026", "$640.00", "Paid"),
    ("MP-1040", "Northwind Yoga", "NY", "#059669", "Apr 2, 2026", "Apr 16, 2026", "$915.50", "Paid"),
    ("MP-1039", "Birch & Sons", "BS", "#b45309", "Mar 27, 2026", "Apr 10, 2026", "$1,150.00", "Overdue"),
    ("MP-1038", "Harbor Coffee", "HC", "#be123c", "Mar 24, 2026", "Apr 7, 2026", "$480.00", "Paid"),
    ("MP-1037", "Atlas Studio", "AS", "#7c3aed", "Mar 18, 2026", "Apr 1, 2026", "$3,200.00", "Paid"),
    ("MP-1036", "Juniper Travel", "JT", "#0891b2", "Mar 12, 2026", "Mar 26, 2026", "$760.00", "Paid"),
    ("MP-1035", "Northwind Yoga", "NY", "#059669", "Mar 5, 2026", "Mar 19, 2026", "$915.50", "Paid"),
)
FIGURES = (
    ("Outstanding", "$3,530.00", "2 invoices", "bill", BLUE, BLUE_PALE),
    ("Paid in April", "$6,412.50", "up 12% on March", "check", GREEN, GREEN_PALE),
    ("Average time to pay", "9 days", "2 days faster", "calendar", AMBER, AMBER_PALE),
)
INCOME = (
    ("Nov", 3.1),
    ("Dec", 4.6),
    ("Jan", 3.7),
    ("Feb", 5.2),
    ("Mar", 5.7),
    ("Apr", 6.4),
)
"""Thousands of dollars a month."""
ACTIVITY = (
    ("AS", "#7c3aed", "Atlas Studio paid", "MP-1041 · 2 hours ago"),
    ("JT", "#0891b2", "Juniper Travel opened", "MP-1042 · yesterday"),
    ("NY", "#059669", "Northwind Yoga paid", "MP-1040 · yesterday"),
    ("BS", "#b45309", "Reminder sent to Birch", "MP-1039 · 3 days ago"),
    ("HC", "#be123c", "Harbor Coffee paid", "MP-1038 · last week"),
)


def home(canvas: Canvas, _ui: Ui) -> None:
    heading(canvas, "Good morning, Nora", "Here is how Field Studio is doing in April.")
    for column, (label, value, trend, icon, ink, pale) in enumerate(FIGURES):
        x = 240 + column * 342
        card(canvas, x, 176, 328, 104)
        canvas.box(x + 272, 194, 36, 36, pale, radius=10)
        canvas.icon(icon, x + 290, 212, 18, ink, 1.8)
        canvas.text(x + 20, 202, label, 12.5, MUTED, weight="Medium")
        canvas.text(x + 20, 230, value, 22, INK, weight="Bold")
        canvas.text(x + 20, 257, trend, 12, FAINT)
    _income(canvas)
    _activity(canvas)


def _income(canvas: Canvas) -> None:
    card(canvas, 240, 298, 670, 396)
    canvas.text(264, 328, "Income", 15, INK, weight="SemiBold")
    canvas.text(264, 350, "Last six months", 12, MUTED)
    floor, unit = 648, 38
    for label in range(0, 7, 2):
        y = floor - label * unit
        canvas.box(304, y, 582, 1, LINE)
        canvas.text(292, y, f"{label}k", 11, FAINT, anchor="rm")
    for column, (month, thousands) in enumerate(INCOME):
        x, height = 330 + column * 94, thousands * unit
        canvas.box(x, floor - height, 46, height, ACCENT if month == "Apr" else "#f5c2a9", radius=6)
        canvas.box(x, floor - 8, 46, 8, ACCENT if month == "Apr" else "#f5c2a9")
        canvas.text(x + 23, floor + 20, month, 11.5, MUTED, anchor="mm")


def _activity(canvas: Canvas) -> None:
    card(canvas, 928, 298, 324, 396)
    canvas.text(952, 328, "Recent activity", 15, INK, weight="SemiBold")
    for row, (initials, colour, what, when) in enumerate(ACTIVITY):
        y = 378 + row * 62
        avatar(canvas, 970, y, 17, initials, colour)
        canvas.text(1000, y - 9, what, 13, INK, weight="Medium")
        canvas.text(1000, y + 10, when, 11.5, MUTED)


def billing(canvas: Canvas, ui: Ui) -> None:
    heading(canvas, "Billing", "42 invoices, 2 of them not paid yet")
    button(canvas, 1116, 136, "New invoice", "plus", primary=True, lit=ui.hover == "new_invoice")
    card(canvas, 240, 176, 1012, 518)
    columns = (264, 380, 612, 760, 1010, 1096)
    titles = ("Number", "Customer", "Issued", "Due", "Amount", "Status")
    for x, title in zip(columns, titles, strict=True):
        anchor_right = title == "Amount"
        canvas.text(
            x + (50 if anchor_right else 0),
            202,
            title,
            11.5,
            FAINT,
            weight="Medium",
            anchor="rm" if anchor_right else "lm",
        )
    for row, (number, customer, initials, colour, issued, due, amount, status) in enumerate(INVOICES):
        y = 252 + row * 58
        canvas.box(241, y - 29, 1010, 1, LINE)
        canvas.text(264, y, number, 13, MUTED, weight="Medium")
        avatar(canvas, 394, y, 14, initials, colour)
        canvas.text(418, y, customer, 13.5, INK, weight="SemiBold")
        canvas.text(612, y, issued, 13, MUTED)
        canvas.text(760, y, due, 13, MUTED)
        canvas.text(1060, y, amount, 13.5, INK, weight="SemiBold", anchor="rm")
        pill(canvas, 1096, y, status)
