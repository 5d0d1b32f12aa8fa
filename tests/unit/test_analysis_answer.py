"""The answer of an analysis on its page: what is taken of the report's words, and charts that can be looked into."""

from xml.etree import ElementTree

import pytest

from activities.analysis.plotting import Drawing, Order, marks, svg_chart
from domain.analyses.steps import Chart
from domain.analyses.table import ColumnType
from starter.pages.analysis.answer import _GUARDED, _parts, _without_steps
from starter.pages.shell.rendering import amount

MARKUP = "<b>&\"'"
SVG = "{http://www.w3.org/2000/svg}"
ROWS = (("North", "10"), ("South", "30"), (MARKUP, "20.5"), ("East", None))
BARS = Drawing(
    "Sales <by> region",
    Chart(kind="bar", x="region", y=("sum",)),
    {"region": ColumnType.TEXT, "sum": ColumnType.NUMBER},
    ROWS,
)


def tips(drawing: Drawing, order: Order = Order.AS_COMPUTED) -> list[str]:
    return [
        each.attrib["data-tip"]
        for each in ElementTree.fromstring(svg_chart(drawing, order)).iter()
        if "data-tip" in each.attrib
    ]


def test_given_rows_when_drawn_as_svg_then_it_is_well_formed_and_each_value_says_what_it_is() -> None:
    assert tips(BARS) == ["North: 10", "South: 30", f"{MARKUP}: 20.50"]
    drawn = ElementTree.fromstring(svg_chart(BARS))
    assert drawn.attrib["aria-label"] == "Sales <by> region"
    assert {each.text for each in drawn.iter(f"{SVG}text")} >= {"North", MARKUP, "Sales <by> region"}


@pytest.mark.parametrize(
    ("order", "first", "last"),
    [
        (Order.MOST_FIRST, "South: 30", "North: 10"),
        (Order.LEAST_FIRST, "North: 10", "South: 30"),
        (Order.BY_NAME, f"{MARKUP}: 20.50", "South: 30"),
    ],
)
def test_given_an_order_when_drawn_then_its_places_stand_so(order: Order, first: str, last: str) -> None:
    assert (tips(BARS, order)[0], tips(BARS, order)[-1]) == (first, last)


def test_given_a_long_line_when_drawn_then_its_values_can_be_pointed_at_and_are_no_dots_in_the_picture() -> None:
    rows = [(f"2026-{1 + each // 28:02}-{1 + each % 28:02}", str(each)) for each in range(60)]
    schema = {"day": ColumnType.DATE, "sum": ColumnType.INTEGER}
    line = Drawing("Days", Chart(kind="line", x="day", y=("sum",)), schema, rows)
    assert len(tips(line)) == 60 and tips(line)[-1] == "2026-03-04: 59"
    assert {mark["r"] for mark in marks(line) if mark["t"] == "dot"} == {0}
    assert not line.is_sortable and line.ordered(Order.MOST_FIRST) is line


def test_given_a_report_when_parted_then_by_its_headings_and_findings_name_no_step() -> None:
    report = "# Asked\n\n## Findings\n\n- **sum**: 5 (step `s1`)\n- x\n\n## Results\n\n### A\n"
    parts = dict(_parts(report))
    assert list(parts) == ["", "Findings", "Results"]
    assert _without_steps(parts["Findings"]).strip() == "- **sum**: 5\n- x"
    assert dict(_parts("")) == {"": ""}


@pytest.mark.parametrize(
    ("cell", "shown"), [("'=1+1", "=1+1"), ("'-5", "-5"), ("O'Neil", "O'Neil"), ("'quoted'", "'quoted'")]
)
def test_given_a_guarded_text_when_shown_then_without_its_guard(cell: str, shown: str) -> None:
    assert _GUARDED.sub("", cell) == shown


@pytest.mark.parametrize(
    ("text", "english", "german"),
    [
        ("1234567.5", "1,234,567.50", "1.234.567,50"),
        ("2026", "2026", "2026"),
        ("-3.14159", "-3.14", "-3,14"),
        ("", "", ""),
        ("n/a", "n/a", "n/a"),
    ],
)
def test_given_a_number_when_shown_then_as_the_language_writes_it(text: str, english: str, german: str) -> None:
    assert (amount(text, "en"), amount(text, "de")) == (english, german)
