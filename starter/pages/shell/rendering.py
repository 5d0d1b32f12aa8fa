"""Templates: where they are, and what every one of them can call."""

import json
from datetime import datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from babel.numbers import format_decimal
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from activities.analysis.numbers import formatted
from domain.analyses.table import ColumnType
from starter.access.reach import API
from starter.pages.shell.built import built
from starter.pages.shell.catalogue import browser_strings
from starter.pages.shell.icons import icon

PAGES = Path(__file__).parents[1]
UNPARTED = 10_000


def draw(template: str, **shown: Any) -> str:
    """The text of ``template``, a path from ``starter/pages``; every value in it is escaped."""
    return _environment().get_template(template).render(**shown)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(PAGES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "built": built,
        "moment": moment,
        "duration": duration,
        "amount": amount,
        "icon": icon,
        "data": data,
        "strings": strings,
        "calls": calls,
    }
    environment.filters["size"] = size
    return environment


def moment(at: datetime | None, *, exact: bool = False) -> Markup:
    """A time as UTC; ``base.js`` writes it in the reader's zone and language; today's with its second if ``exact``."""
    if at is None:
        return Markup("")
    iso = at.isoformat(timespec="seconds").replace("+00:00", "Z")
    shown = iso.replace("T", " ").replace("Z", " UTC")
    return Markup('<time datetime="{}" data-moment="{}">{}</time>').format(iso, "exact" if exact else "", shown)


def duration(seconds: float) -> str:
    """``1:05`` or ``1:02:03``: the whole seconds that are over, as players count and ``moments.js`` does."""
    whole = max(0, int(seconds))
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def amount(text: str, language: str) -> str:
    """A number of a result as the language writes it; as it is where it is none. Four digits are not parted: years."""
    try:
        exact = Decimal(formatted(text, ColumnType.NUMBER).replace(",", ""))
    except ArithmeticError:
        return text
    places = max(0, -int(exact.as_tuple().exponent))
    whole = "#,##0" if abs(exact) >= UNPARTED else "0"
    return str(format_decimal(exact, format=f"{whole}.{'0' * places}" if places else whole, locale=language))


def size(count: float) -> str:
    """Bytes as people write them, in powers of 1024."""
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1024 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" or count >= 10 else f"{count:.1f} {unit}"
        count /= 1024
    raise AssertionError


def data(name: str, value: Any) -> Markup:
    """``value`` for the page's modules: a block of JSON that no browser runs, found by its id."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    safe = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup('<script type="application/json" id="{}">{}</script>').format(name, Markup(safe))  # noqa: S704


def calls(*routes: str) -> Markup:
    """What of the API a button or a form calls, as an attribute: tests hold what is offered to what is accepted."""
    assert all(each in API for each in routes), routes
    return Markup('data-calls="{}"').format(", ".join(routes))


def strings(language: str) -> Markup:
    """What modules say, as an inert template."""
    return Markup('<template id="strings">{}</template>').format(escape(browser_strings(language)))
