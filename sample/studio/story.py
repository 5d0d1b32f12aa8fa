"""What is said, and what happens on the screen while it is said.

``at`` is a fraction of the sentence: 0 when it begins, 1 when it ends.
"""

from dataclasses import dataclass, field
from typing import Literal

from sample.studio.ui import ITEM

Role = Literal["intro", "step", "note"]


@dataclass(frozen=True)
class Point:
    """The pointer sets out for a hotspot, and lights it on arrival."""

    at: float
    hotspot: str


@dataclass(frozen=True)
class Change:
    """The app changes, after a click or by itself. ``screen`` names what is then seen, once it has settled."""

    at: float
    changes: dict[str, object]
    screen: str
    click: bool = True


@dataclass(frozen=True)
class Type:
    """Text goes into the description, letter by letter, until ``until``."""

    at: float
    until: float
    text: str


Act = Point | Change | Type


@dataclass(frozen=True)
class Line:
    role: Role
    text: str
    acts: tuple[Act, ...] = ()
    pause: float = field(default=1.15)
    """Seconds of silence after it."""


FIRST_SCREEN = "home"

STORY = (
    Line(
        "intro", "In this video, I will show you how to create and send an invoice with Maple.", (Point(0.7, "rest"),)
    ),
    Line(
        "step",
        "First, open the Billing page from the menu on the left.",
        (Point(0.2, "billing"), Change(0.72, {"page": "billing"}, "billing")),
    ),
    Line(
        "step",
        "Next, click New invoice in the top right corner.",
        (Point(0.15, "new_invoice"), Change(0.8, {"page": "editor"}, "editor")),
    ),
    Line(
        "step",
        "Choose Harbor Coffee from the list of customers.",
        (
            Point(0.0, "customer"),
            Change(0.38, {"menu_open": True}, "customer_menu"),
            Point(0.52, "harbor_coffee"),
            Change(0.98, {"menu_open": False, "customer_chosen": True}, "customer_chosen"),
        ),
    ),
    Line(
        "step",
        "Now type Website design in the description field.",
        (
            Point(0.0, "description"),
            Change(0.36, {"describing": True, "caret": True}, "describing"),
            Type(0.45, 0.92, ITEM),
            Change(1.02, {"describing": False, "caret": False, "priced": True}, "described", click=False),
        ),
    ),
    Line(
        "note",
        "Note that Maple adds the tax for you.",
        (Point(0.1, "tax"), Change(0.6, {"taxed": True, "tax_lit": True}, "tax_added", click=False)),
    ),
    Line(
        "step",
        "Then, set the due date to the last day of the month.",
        (
            Point(0.05, "due"),
            Change(0.35, {"tax_lit": False, "calendar_open": True}, "calendar"),
            Point(0.5, "last_day"),
            Change(0.95, {"calendar_open": False, "due_chosen": True}, "due_chosen"),
        ),
    ),
    Line(
        "step",
        "Press Save to keep the draft.",
        (Point(-0.2, "save"), Change(0.5, {"page": "invoice", "toast": "Draft saved"}, "draft")),
        pause=1.9,
    ),
    Line(
        "step",
        "Finally, click Send to email the invoice to the customer.",
        (
            Point(0.0, "send"),
            Change(0.45, {"sent": True, "toast": "Invoice sent to Harbor Coffee"}, "sent"),
            Point(0.6, "rest"),
        ),
        pause=1.9,
    ),
)
"""Nine sentences, seven of them steps. The names are words that speech recognition knows."""
