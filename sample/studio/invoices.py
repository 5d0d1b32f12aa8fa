"""Maple's pages about one invoice: the form that makes it, and the invoice itself."""

from sample.studio.canvas import Canvas
from sample.studio.ui import (
    ACCENT,
    ACCENT_PALE,
    AMBER_PALE,
    BLUE,
    BLUE_PALE,
    CUSTOMER,
    CUSTOMER_EMAIL,
    FAINT,
    GROUND,
    INK,
    LINE,
    MUTED,
    NUMBER,
    Ui,
    avatar,
    button,
    card,
    heading,
    pill,
    popover,
)

CUSTOMERS = (
    ("atlas_studio", "Atlas Studio", "AS", "#7c3aed"),
    ("birch", "Birch & Sons", "BS", "#b45309"),
    ("harbor_coffee", CUSTOMER, "HC", "#be123c"),
    ("juniper", "Juniper Travel", "JT", "#0891b2"),
    ("northwind", "Northwind Yoga", "NY", "#059669"),
)
PRICE, TAX, TOTAL = "$1,200.00", "$96.00", "$1,296.00"
ISSUED, DUE = "Apr 14, 2026", "Apr 30, 2026"
TODAY, LAST_DAY, FIRST_COLUMN = 14, 30, 2
"""April 2026 begins on a Wednesday, the third column of a week that begins on Monday."""


def editor(canvas: Canvas, ui: Ui) -> None:
    heading(canvas, "New invoice", f"Number {NUMBER}")
    button(canvas, 1050, 104, "Preview", "search")
    button(canvas, 1164, 88, "Save", "check", primary=True, lit=ui.hover == "save")
    _form(canvas, ui)
    _paper(canvas, ui, 760, 176, 492, 518)
    if ui.menu_open:
        _customer_menu(canvas, ui)
    if ui.calendar_open:
        _calendar(canvas, ui)


def _form(canvas: Canvas, ui: Ui) -> None:
    card(canvas, 240, 176, 496, 518)
    _field(canvas, 264, 216, 448, "Customer", "Choose a customer", lit=ui.menu_open or ui.hover == "customer")
    canvas.icon("down", 692, 237, 16, MUTED)
    if ui.customer_chosen:
        canvas.box(266, 218, 400, 38, "#ffffff", radius=6)
        avatar(canvas, 286, 237, 12, "HC", "#be123c")
        canvas.text(306, 237, CUSTOMER, 13.5, INK, weight="Medium")
    _field(canvas, 264, 296, 448, "Description", "What did you do?", ui.description, lit=ui.describing)
    if ui.caret:
        x = 278 + canvas.text_width(ui.description, 13.5)
        canvas.box(x + 1, 307, 1.5, 20, INK)
    _field(canvas, 264, 376, 140, "Quantity", "1", "1")
    _field(canvas, 418, 376, 140, "Price", "0.00", "1,200.00" if ui.priced else "")
    _field(canvas, 572, 376, 140, "Tax", "8%", "8%")
    _field(canvas, 264, 456, 218, "Issued", ISSUED, ISSUED)
    canvas.icon("calendar", 462, 477, 16, MUTED)
    _field(
        canvas,
        494,
        456,
        218,
        "Due date",
        "Choose a day",
        DUE if ui.due_chosen else "",
        lit=ui.calendar_open or ui.hover == "due",
    )
    canvas.icon("calendar", 692, 477, 16, MUTED)
    canvas.text(264, 524, "Message", 12, MUTED, weight="Medium")
    canvas.box(264, 536, 448, 84, "#ffffff", radius=8, outline="#d5d8de")
    canvas.text(278, 558, "Thank you for working with Field Studio.", 13.5, INK)
    canvas.text(264, 656, "Maple sends a reminder three days before the due date.", 12, FAINT)


def _field(
    canvas: Canvas, x: float, y: float, w: float, label: str, hint: str, value: str = "", *, lit: bool = False
) -> None:
    """A labelled input, 42 pixels high, with its hint while it is empty."""
    canvas.text(x, y - 12, label, 12, MUTED, weight="Medium")
    if lit:
        canvas.box(x - 3, y - 3, w + 6, 48, "#fde0d2", radius=11)
    canvas.box(x, y, w, 42, "#ffffff", radius=8, outline=ACCENT if lit else "#d5d8de", stroke=1.5 if lit else 1)
    canvas.text(x + 14, y + 21, value or hint, 13.5, INK if value else FAINT)


def _customer_menu(canvas: Canvas, ui: Ui) -> None:
    popover(canvas, 264, 264, 448, 236)
    for row, (name, customer, initials, colour) in enumerate(CUSTOMERS):
        y = 290 + row * 46
        if ui.hover == name:
            canvas.box(270, y - 21, 436, 42, ACCENT_PALE, radius=7)
        avatar(canvas, 294, y, 14, initials, colour)
        canvas.text(318, y, customer, 13.5, INK, weight="Medium")
        if ui.hover == name:
            canvas.text(694, y, CUSTOMER_EMAIL, 12, MUTED, anchor="rm")


def _calendar(canvas: Canvas, ui: Ui) -> None:
    popover(canvas, 472, 504, 240, 190)
    canvas.text(592, 524, "April 2026", 13, INK, weight="SemiBold", anchor="mm")
    canvas.icon("left", 490, 524, 15, MUTED)
    canvas.icon("right", 694, 524, 15, MUTED)
    for column, name in enumerate(("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")):
        canvas.text(500 + column * 31, 548, name, 10.5, FAINT, weight="Medium", anchor="mm")
    for day in range(1, LAST_DAY + 1):
        row, column = divmod(day - 1 + FIRST_COLUMN, 7)
        x, y = 500 + column * 31, 571 + row * 26
        lit = day == LAST_DAY and ui.hover == "last_day"
        if lit:
            canvas.disc(x, y, 12.5, ACCENT)
        elif day == TODAY:
            canvas.ring(x, y, 11.5, ACCENT, 1.2)
        canvas.text(x, y, str(day), 12, "#ffffff" if lit else INK if day >= TODAY else FAINT, anchor="mm")


def _paper(canvas: Canvas, ui: Ui, x: float, y: float, w: float, h: float) -> None:
    """The invoice as its reader will see it, filled in as far as the form is."""
    card(canvas, x, y, w, h)
    canvas.box(x, y + 12, w, 6, ACCENT)
    canvas.box(x, y, w, 16, ACCENT, radius=12)
    left, right = x + 32, x + w - 32
    canvas.text(left, y + 56, "Invoice", 22, INK, weight="Bold")
    canvas.text(left, y + 82, NUMBER, 12.5, MUTED)
    canvas.text(right, y + 54, "Field Studio", 14, INK, weight="SemiBold", anchor="rm")
    canvas.text(right, y + 74, "12 Linden Street, Portland", 11.5, MUTED, anchor="rm")
    _paper_fact(canvas, left, y + 122, "Bill to", CUSTOMER if ui.customer_chosen else "")
    if ui.customer_chosen:
        canvas.text(left, y + 162, CUSTOMER_EMAIL, 12, MUTED)
    _paper_fact(canvas, left + 220, y + 122, "Issued", ISSUED)
    _paper_fact(canvas, left + 328, y + 122, "Due", DUE if ui.due_chosen else "")
    canvas.box(left, y + 194, w - 64, 30, GROUND, radius=6)
    canvas.text(left + 12, y + 209, "Description", 11.5, MUTED, weight="Medium")
    canvas.text(right - 130, y + 209, "Quantity", 11.5, MUTED, weight="Medium", anchor="rm")
    canvas.text(right - 12, y + 209, "Amount", 11.5, MUTED, weight="Medium", anchor="rm")
    row = y + 248
    if ui.description:
        canvas.text(left + 12, row, ui.description, 13, INK, weight="Medium")
        canvas.text(right - 130, row, "1", 13, INK, anchor="rm")
    else:
        canvas.box(left + 12, row - 6, 150, 12, "#eceef1", radius=6)
    _paper_amount(canvas, right - 12, row, PRICE if ui.priced else "")
    canvas.box(left, row + 28, w - 64, 1, LINE)
    _totals(canvas, ui, left, right, row + 60)


def _paper_fact(canvas: Canvas, x: float, y: float, label: str, value: str) -> None:
    canvas.text(x, y, label, 11.5, FAINT, weight="Medium")
    if value:
        canvas.text(x, y + 20, value, 13.5, INK, weight="SemiBold")
    else:
        canvas.box(x, y + 14, 84, 12, "#eceef1", radius=6)


def _paper_amount(canvas: Canvas, right: float, y: float, value: str) -> None:
    if value:
        canvas.text(right, y, value, 13, INK, weight="Medium", anchor="rm")
    else:
        canvas.box(right - 64, y - 6, 64, 12, "#eceef1", radius=6)


def _totals(canvas: Canvas, ui: Ui, left: float, right: float, y: float) -> None:
    middle = (left + right) / 2
    canvas.text(middle, y, "Subtotal", 13, MUTED)
    _paper_amount(canvas, right - 12, y, PRICE if ui.priced else "")
    if ui.tax_lit:
        canvas.box(middle - 14, y + 16, right - middle + 14, 36, AMBER_PALE, radius=8)
    canvas.text(
        middle, y + 34, "Tax 8%", 13, INK if ui.tax_lit else MUTED, weight="SemiBold" if ui.tax_lit else "Regular"
    )
    _paper_amount(canvas, right - 12, y + 34, TAX if ui.taxed else "")
    canvas.box(middle - 2, y + 60, right - middle + 2, 1, LINE)
    canvas.text(middle, y + 86, "Total", 16, INK, weight="Bold")
    if ui.taxed:
        canvas.text(right - 12, y + 86, TOTAL, 16, ACCENT, weight="Bold", anchor="rm")
    else:
        canvas.box(right - 96, y + 80, 84, 13, "#eceef1", radius=6)


def invoice(canvas: Canvas, ui: Ui) -> None:
    heading(canvas, f"Invoice {NUMBER}", f"{CUSTOMER}, due {DUE}")
    pill(canvas, 256 + canvas.text_width(f"Invoice {NUMBER}", 21, "Bold"), 124, "Sent" if ui.sent else "Draft")
    button(canvas, 952, 84, "Edit", "pencil")
    button(canvas, 1046, 108, "Download", "download")
    button(canvas, 1164, 88, "Sent" if ui.sent else "Send", "send", primary=not ui.sent, lit=ui.hover == "send")
    top = 176
    if ui.sent:
        canvas.box(240, 176, 1012, 48, BLUE_PALE, radius=10)
        canvas.icon("mail", 266, 200, 19, BLUE, 1.8)
        canvas.text(288, 200, f"Emailed to {CUSTOMER_EMAIL}", 13.5, BLUE, weight="SemiBold")
        canvas.text(1232, 200, "Just now", 12.5, BLUE, anchor="rm")
        top = 240
    _paper(canvas, ui, 240, top, 640, 694 - top)
    _amount_due(canvas, ui, top)
    _history(canvas, ui, top + 150)


def _amount_due(canvas: Canvas, ui: Ui, y: float) -> None:
    card(canvas, 900, y, 352, 134)
    canvas.text(924, y + 30, "Amount due", 12.5, MUTED, weight="Medium")
    canvas.text(924, y + 62, TOTAL, 26, INK, weight="Bold")
    canvas.text(924, y + 100, "Waiting for payment" if ui.sent else "Not sent yet", 12.5, MUTED)


def _history(canvas: Canvas, ui: Ui, y: float) -> None:
    card(canvas, 900, y, 352, 694 - y)
    canvas.text(924, y + 30, "History", 15, INK, weight="SemiBold")
    events = [("Draft saved", "Nora Field, today"), ("Invoice created", "Nora Field, today")]
    if ui.sent:
        events.insert(0, (f"Emailed to {CUSTOMER}", "Just now"))
    canvas.box(935, y + 66, 2, 58 * (len(events) - 1), LINE)
    for row, (what, who) in enumerate(events):
        middle = y + 66 + row * 58
        canvas.disc(936, middle, 6, (BLUE if ui.sent else ACCENT) if row == 0 else "#c9cdd4")
        canvas.text(956, middle - 6, what, 13, INK, weight="Medium")
        canvas.text(956, middle + 12, who, 11.5, MUTED)
