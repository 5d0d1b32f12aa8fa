"""What is true of the sample table, from the rule that it was made by and not from the file: for the demo and tests."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

SALES = Path(__file__).resolve().parent / "sales.csv"
REQUIREMENT = "Total revenue by region and month in 2025, as a line chart"
"""What the demo asks of it."""

YEARS = (2024, 2025)
REGIONS = ("North", "South", "East", "West")
PRODUCTS = {"Lamp": Decimal("24.90"), "Desk": Decimal("189.00"), "Chair": Decimal("79.50"), "Shelf": Decimal("54.25")}
"""Products and their prices."""


@dataclass(frozen=True)
class Sale:
    day: date
    region: str
    product: str
    units: int

    @property
    def revenue(self) -> Decimal:
        return self.units * PRODUCTS[self.product]


def sales() -> Iterator[Sale]:
    """Every sale, in the order of the file: one of each product a month and region.

    North grows month by month, South sells most in summer, East is steady, and West lost its desks in July 2025.
    """
    for month in range(12 * len(YEARS)):
        year, in_year = YEARS[month // 12], month % 12 + 1
        for place, region in enumerate(REGIONS):
            for number, product in enumerate(PRODUCTS):
                units = 12 - 3 * number + place
                if region == "North":
                    units += month // 2
                elif region == "South":
                    units += 6 - abs(7 - in_year)
                elif region == "West" and product == "Desk" and (year, in_year) >= (2025, 7):
                    units = 0
                yield Sale(date(year, in_year, 3 + 6 * number + place), region, product, max(units, 0))


def revenue_by_month_and_region(year: int) -> dict[tuple[date, str], Decimal]:
    """What :data:`REQUIREMENT` comes to: the first day of the month and the region, in order."""
    found: defaultdict[tuple[date, str], Decimal] = defaultdict(Decimal)
    for sale in sales():
        if sale.day.year == year:
            found[sale.day.replace(day=1), sale.region] += sale.revenue
    return dict(sorted(found.items()))
