"""How soon a person can work on a page: with nothing in the browser's cache, on this machine, server and browser both.

A page's modules have run when ``DOMContentLoaded`` has: then it answers to mouse and keyboard.
"""

import statistics
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from tests.browser.conftest import (  # noqa: F401  (fixtures)
    Site,
    _driven,
    chromium,
    drafted,
    playwright,
    sample,
    site,
    who,
)

VISITS = 9
WITHIN_MS = 1000.0
INTERACTIVE = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"


def test_pages_answer_within_a_second(
    site: Site,  # noqa: F811
    who: str,  # noqa: F811
    drafted: Callable[[str], dict[str, str]],  # noqa: F811
) -> None:
    ids = drafted(who)
    addresses = {
        "home": "/",
        "new": "/new",
        "job": f"/jobs/{ids['job']}",
        "editor": f"/instructions/{ids['instruction']}",
    }
    table = Table("page", "median ms", "slowest ms", title=f"interactive, first visit, {VISITS} times")
    medians = {}
    for name, address in addresses.items():
        took = []
        for _ in range(VISITS):
            with site.visitor(who) as context:
                page = context.new_page()
                page.goto(address, wait_until="domcontentloaded")
                took.append(float(page.evaluate(INTERACTIVE)))
        medians[name] = statistics.median(took)
        table.add_row(name, f"{medians[name]:.0f}", f"{max(took):.0f}")
    Console().print(table)
    assert all(median < WITHIN_MS for median in medians.values()), medians
