"""Tables and plans for the tests of analyses."""

from typing import Any

from domain.analyses.plan import Plan
from domain.analyses.plan_rules import read_plan
from domain.analyses.table import ColumnProfile, ColumnType, TableProfile


def column(name: str, type: str, distinct: int = 100, **more: Any) -> ColumnProfile:
    return ColumnProfile(name=name, original=name, type=ColumnType(type), distinct=distinct, **more)


def table(name: str, *columns: ColumnProfile, rows: int = 1_000) -> TableProfile:
    return TableProfile(name=name, source=f"{name}.csv", rows=rows, columns=columns)


SALES = table(
    "sales",
    column("order_id", "integer", 1_000),
    column("order_date", "date", 700, minimum="2023-01-01", maximum="2024-12-31"),
    column("region", "text", 4, values=("North", "South", "East", "West")),
    column("product", "text", 3, values=("Red Chair", "Blue Desk", "Lamp")),
    column("status", "text", 3, values=("open", "closed", "cancelled")),
    column("amount", "number", 900),
    column("quantity", "integer", 10),
    column("unit_price", "number", 100),
    column("customer", "text", 150),
    column("returned", "boolean", 2),
)

CUSTOMERS = table(
    "customers",
    column("customer", "text", 200),
    column("segment", "text", 2, values=("retail", "wholesale")),
    rows=200,
)


def step(id: str, op: str, *needs: str, **operation: Any) -> dict[str, Any]:
    """A step as plain JSON."""
    return {"id": id, "title": id, "needs": list(needs), "operation": {"op": op, **operation}}


def plan(*steps: dict[str, Any], **more: Any) -> Plan:
    return read_plan(
        {"requirement": "a requirement", "steps": list(steps), "plan_source": "embedded", "why": "a test", **more}
    )


LOAD = step("load", "load", table="sales")


def total(column: str = "amount", name: str = "total", function: str = "sum") -> dict[str, Any]:
    return {"function": function, "column": column, "name": name}
