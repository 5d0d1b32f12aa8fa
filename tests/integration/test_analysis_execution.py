"""Plans are computed: exact numbers, files that can be used, the same bytes each time."""

import csv
import hashlib
import io
import re
import threading
import zipfile
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import pytest
from openpyxl import load_workbook
from PIL import Image

from activities.analysis.executor import Outcome, execute
from activities.analysis.planning.planner import EmbeddedPlanner
from activities.analysis.reading.inputs import InputFile, Prepared, prepare
from activities.analysis.sql_words import literal
from domain.analyses.plan import freeze
from domain.errors import PlanInvalid
from sample.analysis.make_sales import content
from sample.analysis.truth import REQUIREMENT, SALES, revenue_by_month_and_region
from tests.integration.analysis_stand import SALE_ROWS, SALES_CSV, csv_of, parquet_of, result, run, taken, text_of
from tests.unit.analysis_builders import LOAD, step, total

Item = TypeVar("Item")

REGIONS = csv_of(["region", "country", "qty"], [["North", "NO", 7], ["South", "ES", 8], ["West", "PT", 9]])


@pytest.fixture(scope="module")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return taken(tmp_path_factory.mktemp("sales"), ("sales.csv", SALES_CSV), ("regions.csv", REGIONS))


def sums(key: Callable[[tuple[date, str, Decimal | None, int]], Any]) -> dict[Any, Decimal]:
    found: dict[Any, Decimal] = {}
    for row in SALE_ROWS:
        found[key(row)] = found.get(key(row), Decimal(0)) + (row[2] or 0)
    return found


def batched(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    for begin in range(0, len(items), size):
        yield items[begin : begin + size]


# --- each operation, exactly -----------------------------------------------------------------------------------------


def filtered(*conditions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return step("f", "filter", "load", conditions=list(conditions), **more)


def condition(column: str, test: str, *values: Any) -> dict[str, Any]:
    return {"column": column, "test": test, "values": list(values)}


CONDITIONS = [
    (condition("name", "eq", "NORTH"), 2),
    (condition("name", "ne", "north"), 2),
    (condition("name", "in", "North", "x"), 2),
    (condition("name", "not_in", "North"), 2),
    (condition("name", "contains", "OR"), 2),
    (condition("name", "contains", "%_"), 1),
    (condition("name", "contains", "_"), 1),
    (condition("name", "starts_with", "nor"), 2),
    (condition("name", "ends_with", "A"), 1),
    (condition("name", "is_null"), 1),
    (condition("name", "not_null"), 3),
    (condition("n", "ge", 2), 2),
    (condition("n", "lt", 2.5), 2),
    (condition("n", "ne", 1), 3),
    (condition("n", "not_in", 1, 2), 2),
    (condition("at", "eq", "2024-01-01"), 2),
    (condition("at", "gt", "2024-01-01"), 1),
    (condition("at", "le", "2024-01-01"), 2),
    (condition("at", "eq", "2024-01-01 10:00"), 1),
    (condition("at", "lt", "2024-01-01T10:00:00"), 1),
    (condition("flag", "eq", True), 2),
    (condition("flag", "ne", True), 2),
]


def test_given_every_kind_of_condition_when_computed_then_the_rows_are_those_that_meet_it(tmp_path: Path) -> None:
    rows = [
        ("North", 1, "2024-01-01 00:00:00", "true"),
        ("north", 2, "2024-01-01 10:00:00", "false"),
        ("", 3, "2024-01-02 00:00:00", ""),
        ("100%_a", "", "", "true"),
    ]
    prepared = taken(tmp_path, ("sales.csv", csv_of(["name", "n", "at", "flag"], rows)))
    found = []
    for number, some in enumerate(batched(CONDITIONS, 7)):
        steps = [step(f"f{place}", "filter", "load", conditions=[each]) for place, (each, _) in enumerate(some)]
        outcome = run(prepared, tmp_path / f"out{number}", LOAD, *steps)
        found += [outcome.rows[each["id"]] for each in steps]
    assert list(zip(CONDITIONS, found, strict=True)) == [((each, rows), rows) for each, rows in CONDITIONS]


def test_given_several_conditions_when_computed_then_all_or_any_are_met(sales: Prepared, tmp_path: Path) -> None:
    both = [condition("region", "eq", "North"), condition("qty", "gt", 2)]
    outcome = run(
        sales,
        tmp_path / "out",
        LOAD,
        step("every", "filter", "load", conditions=both),
        step("some", "filter", "load", conditions=both, match="any"),
    )
    assert outcome.rows == {"load": 72, "every": 0, "some": 48}


def test_given_groups_when_computed_then_sums_are_exact_to_the_cent_and_in_order(
    sales: Prepared, tmp_path: Path
) -> None:
    measures = [
        total(),
        total(name="mean", function="mean"),
        total(name="middle", function="median"),
        total(name="least", function="min"),
        total("date", "last", "max"),
        total("qty", "pieces"),
        {"function": "count", "name": "rows"},
        total("date", "days", "count_distinct"),
    ]
    outcome = run(
        sales, tmp_path / "out", LOAD, step("by_region", "aggregate", "load", by=["region"], measures=measures)
    )
    expected = sums(lambda row: row[1])
    assert [row[:2] for row in result(outcome, "by_region")] == [(name, expected[name]) for name in sorted(expected)]
    north = dict(zip(["region", *(m["name"] for m in measures)], result(outcome, "by_region")[1], strict=True))
    assert north == {
        "region": "North",
        "total": Decimal("300.00"),
        "mean": 12.5,
        "middle": 12.5,
        "least": Decimal("1.00"),
        "last": date(2024, 12, 1),
        "pieces": 24,
        "rows": 24,
        "days": 24,
    }
    assert outcome.rows == {"load": 72, "by_region": 3}


def test_given_a_trend_when_computed_then_periods_are_first_days_in_time_order(sales: Prepared, tmp_path: Path) -> None:
    trend = step("t", "trend", "load", time="date", every="quarter", by=["region"], measures=[total()])
    rows = result(run(sales, tmp_path / "out", LOAD, trend), "t")
    expected = sums(lambda row: (date(row[0].year, (row[0].month - 1) // 3 * 3 + 1, 1), row[1]))
    assert rows == [(*key, expected[key]) for key in sorted(expected)]


@pytest.mark.parametrize(
    ("every", "days", "gap"),
    [
        ("month", ("2023-11-30", "2023-12-01", "2024-01-09"), None),
        ("month", ("2023-11-30", "2024-01-09"), "1 month between the first and the last has no rows and is not listed"),
        (
            "year",
            ("2019-05-01", "2023-05-01"),
            "3 years between the first and the last have no rows and are not listed",
        ),
        ("quarter", ("2023-03-31", "2023-10-01"), "2 quarters between the first and the last have no rows"),
        ("week", ("2024-12-29", "2024-12-30", "2025-01-06"), None),
        ("week", ("2024-12-29", "2025-01-06"), "1 week between"),
        ("day", ("2024-02-28", "2024-03-01"), "1 day between"),
    ],
)
def test_given_periods_without_rows_when_computed_then_the_report_says_how_many_are_not_listed(
    every: str, days: tuple[str, ...], gap: str | None, tmp_path: Path
) -> None:
    text = "date,region\n" + "".join(f"{day},North\n{day},South\n" for day in days)
    rows = [{"column": None, "function": "count", "name": "rows"}]
    trend = step("t", "trend", "load", time="date", every=every, by=["region"], measures=rows)
    report = text_of(run(taken(tmp_path, ("sales.csv", text.encode())), tmp_path / "out", LOAD, trend), "report.md")
    assert (f"- **Gaps**: {gap}" if gap else "") in report
    assert ("**Gaps**" in report) == bool(gap)


def arithmetic(left: str | float, operator: str, right: str | float) -> dict[str, Any]:
    return {"kind": "arithmetic", "left": left, "operator": operator, "right": right}


def decimals(*texts: str | None) -> list[Decimal | None]:
    return [None if text is None else Decimal(text) for text in texts]


@pytest.fixture(scope="module")
def formulas(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    rows = [
        ("a", 5.0, 1, "$1,234.50", "2024-01-01"),
        ("b", 3.0, 2, "many", "2024-03-31"),
        ("c", 2.0, 0, "(3)", "2024-12-25"),
    ]
    content = csv_of(["k", "total", "n", "text", "day"], rows)
    return taken(tmp_path_factory.mktemp("formulas"), ("sales.csv", content))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ({"kind": "share", "column": "total"}, [50.0, 30.0, 20.0]),
        ({"kind": "change", "column": "total", "along": "k"}, [None, -40.0, -33.333333333333336]),
        (
            {"kind": "change", "column": "total", "along": "k", "form": "difference"},
            decimals(None, "-2.0", "-1.0"),
        ),
        ({"kind": "running", "column": "total", "along": "k"}, decimals("5.0", "8.0", "10.0")),
        (
            arithmetic("total", "*", "n"),
            decimals("5.0", "6.0", "0.0"),
        ),
        (arithmetic("total", "/", "n"), [5.0, 1.5, None]),
        (
            arithmetic("total", "-", 0.1),
            decimals("4.9", "2.9", "1.9"),
        ),
        (arithmetic("n", "+", 1), [2, 3, 1]),
        ({"kind": "to_number", "column": "text"}, [1234.5, None, -3.0]),
        ({"kind": "date_part", "column": "day", "part": "weekday"}, [1, 7, 3]),
        ({"kind": "date_part", "column": "day", "part": "quarter"}, [1, 1, 4]),
    ],
)
def test_given_a_formula_when_computed_then_the_column_is_right_and_rows_keep_their_order(
    formula: dict[str, Any], expected: list[Any], formulas: Prepared, tmp_path: Path
) -> None:
    outcome = run(formulas, tmp_path / "out", LOAD, step("d", "derive", "load", column="x", formula=formula))
    assert [(row[0], row[-1]) for row in result(outcome, "d")] == list(zip("abc", expected, strict=True))


def test_given_a_join_when_computed_then_keys_meet_and_names_are_told_apart(sales: Prepared, tmp_path: Path) -> None:
    other = step("regions", "load", table="regions")
    for how, expected in (("left", {None: 24, "ES": 24, "NO": 24}), ("inner", {"ES": 24, "NO": 24})):
        outcome = run(
            sales,
            tmp_path / how,
            LOAD,
            other,
            step("both", "join", "load", "regions", on=[{"left": "region", "right": "region"}], how=how),
            step("n", "aggregate", "both", by=["country"], measures=[{"function": "count", "name": "n"}]),
            step("q", "aggregate", "both", measures=[total("qty_2", "theirs")]),
        )
        assert dict(result(outcome, "n")) == expected
        assert result(outcome, "q") == [((7 + 8) * 24,)]


def test_given_an_order_and_a_limit_when_computed_then_ties_are_broken_and_gaps_come_last(tmp_path: Path) -> None:
    prepared = taken(tmp_path, ("sales.csv", csv_of(["k", "n"], [("c", 1), ("a", 1), ("b", 2), ("d", "")])))
    for descending, expected in ((True, ["b", "a", "c"]), (False, ["a", "c", "b"])):
        sort = step("s", "sort", "load", by=[{"column": "n", "descending": descending}], limit=3)
        outcome = run(prepared, tmp_path / f"out{descending}", LOAD, sort)
        assert [row[0] for row in result(outcome, "s")] == expected
        assert "Not alone" not in text_of(outcome, "report.md")
    least = step("s", "sort", "load", by=[{"column": "n", "descending": False}], limit=1)
    told = text_of(run(prepared, tmp_path / "cut", LOAD, least), "report.md")
    assert "**Not alone**: 1 other is left out with the same n as the last row here." in told


def test_given_a_summary_when_computed_then_each_column_has_its_row(tmp_path: Path) -> None:
    prepared = taken(tmp_path, ("sales.csv", csv_of(["k", "n"], [("b", 1), ("a", 2), ("a", "")])))
    assert result(run(prepared, tmp_path / "out", LOAD, step("s", "summary", "load")), "s") == [
        ("k", "text", 3, 0, 2, "a", "b", None),
        ("n", "integer", 2, 1, 2, "1", "2", 1.5),
    ]


def test_given_no_rows_when_computed_then_there_are_files_a_chart_and_a_report_all_the_same(
    sales: Prepared, tmp_path: Path
) -> None:
    outcome = run(
        sales,
        tmp_path / "out",
        LOAD,
        filtered(condition("amount", "gt", 10**9)),
        step("g", "aggregate", "f", by=["region"], measures=[total()]),
        step("c", "chart", "g", kind="bar", x="region", y=["total"]),
    )
    assert result(outcome, "g") == []
    assert text_of(outcome, "tables/03-g.csv") == "region,total\n"
    report = text_of(outcome, "report.md")
    assert "No rows." in report and "- **Nothing to compute with**: no row meets the conditions (step `f`)" in report


# --- workbooks -------------------------------------------------------------------------------------------------------


def workbook_of(outcome: Outcome, step: str) -> Any:
    """As openpyxl has it, which types a cell as everything that one may hold."""
    path = next(each.path for each in outcome.artifacts if each.step == step and each.name.endswith(".xlsx"))
    with zipfile.ZipFile(path) as archive:
        assert not any(b"<f>" in archive.read(name) or b"<f " in archive.read(name) for name in archive.namelist())
    return load_workbook(path)


def test_given_a_result_when_written_as_a_workbook_then_its_cells_have_types_and_a_sheet_says_how_it_came(
    sales: Prepared, tmp_path: Path
) -> None:
    outcome = run(
        sales,
        tmp_path / "out",
        LOAD,
        filtered(condition("region", "ne", "East")),
        step("t", "trend", "f", time="date", every="month", measures=[total()]),
        step("other", "summary", "load"),
    )
    book = workbook_of(outcome, "t")
    assert book.sheetnames == ["Result", "How it was computed"]
    sheet = book["Result"]
    assert [each.value for each in sheet[1]] == ["month", "total"]
    assert [(row[0].date(), Decimal(str(row[1]))) for row in sheet.iter_rows(min_row=2, values_only=True)] == [
        (day, Decimal(str(amount))) for day, amount in result(outcome, "t")
    ]
    assert [(each.is_date, each.data_type) for each in sheet[2]] == [(True, "d"), (False, "n")]
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("A2", f"A1:B{sheet.max_row}")
    told = {row[0]: row[1] for row in book["How it was computed"].iter_rows(values_only=True) if row[0]}
    assert {"1. load", "2. f", "3. t", "Input sales", "Plan", "Inputs"} <= told.keys()
    assert not any("other" in label for label in told)
    assert "72 rows" in told["Input sales"]
    assert told["Inputs"] == sales.fingerprint
    assert "[XLSX](tables/03-t.xlsx)" in text_of(outcome, "report.md")


def test_given_what_a_cell_cannot_hold_when_written_then_nothing_is_rounded_silently_and_the_sheet_says_so(
    tmp_path: Path,
) -> None:
    given = parquet_of(
        tmp_path,
        "SELECT * FROM (VALUES (1234567890123456789, 7, DATE '1899-12-31', 1.1::DECIMAL(38, 20), repeat('x', 40000)), "
        "(12, 8, DATE '2024-02-29', 123456789012345678.12345::DECIMAL(38, 20), '_x0041_ ' || chr(7)), "
        "(NULL, 9, NULL, NULL, 'y')) AS t(tracking, pieces, day, share, remark)",
    )
    outcome = run(taken(tmp_path, ("given.parquet", given)), tmp_path / "out", step("l", "load", table="given"))
    book = workbook_of(outcome, "l")
    rows = list(book["Result"].iter_rows(min_row=2, values_only=True))
    by_name = {
        name: [row[place] for row in rows] for place, name in enumerate(each.value for each in book["Result"][1])
    }
    assert by_name["tracking"] == ["1234567890123456789", "12", None]  # all of the column, so that it sorts
    assert by_name["pieces"] == [7, 8, 9]
    assert by_name["day"] == ["1899-12-31", datetime(2024, 2, 29), None]
    assert len(by_name["remark"][0]) == 32_767 and by_name["remark"][0].endswith("x…")
    assert by_name["remark"][1].startswith("_x005F_x0041_")  # which spreadsheets show as it was
    said = " ".join(str(row[1]) for row in book["How it was computed"].iter_rows(values_only=True))
    for word in ("15 digits", "1 March 1900", "ellipsis"):
        assert word in said


def test_given_more_cells_than_a_workbook_is_good_for_then_there_is_none_and_the_report_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = parquet_of(tmp_path, "SELECT range AS n, 'a' AS k, 'b' AS m FROM range(70_000)")
    outcome = run(taken(tmp_path, ("given.parquet", given)), tmp_path / "out", step("l", "load", table="given"))
    assert {each.name for each in outcome.artifacts} == {"report.md", "tables/01-l.csv", "tables/01-l.parquet"}
    assert "Too large for a workbook." in text_of(outcome, "report.md")


# --- values and names that mean harm ---------------------------------------------------------------------------------

HOSTILE = [
    "'; DROP TABLE in_sales; --",
    "' OR 1=1 --",
    "\\",
    "%",
    "$1 ? {x} :y",
    "read_text('/etc/passwd')",
    '"quoted"',
    "a\nb",
    "日本",
]


@pytest.mark.parametrize("test", ["eq", "contains", "in", "starts_with"])
def test_given_values_that_look_like_queries_when_compared_then_they_are_values(test: str, tmp_path: Path) -> None:
    prepared = taken(tmp_path, ("sales.csv", csv_of(["k", "n"], [(value, 1) for value in HOSTILE])))
    steps = [LOAD]
    for place, value in enumerate(HOSTILE[:3]):
        steps.append(step(f"f{place}", "filter", "load", conditions=[condition("k", test, value)]))
        steps.append(step(f"n{place}", "aggregate", f"f{place}", measures=[{"function": "count", "name": "n"}]))
    outcome = run(prepared, tmp_path / "out", *steps)
    assert [result(outcome, f"n{place}") for place in range(3)] == [[(1,)]] * 3


def test_given_texts_that_a_spreadsheet_would_compute_when_written_as_csv_then_they_are_texts(tmp_path: Path) -> None:
    harmful = ["=1+1", "+1", "-2", "@SUM(A1)", "  =1", "\t=1", "\uff1d1", "\ufe661", '=HYPERLINK("http://example.org")']
    unseen = [
        "\ufeff",
        "\u00a0",
        "\u200b",
        "\u2060\u3000",
        "\u00ad",
        "\u202e",
        " \u200e\u2009",
        "\u2028",
        "\u3164",
        "\u034f",
        "\ufe0f",
        "\x85",
        "\u17b4\u180b",
        "\U000e0101",
    ]
    harmful += [f"{before}=1+1" for before in unseen]
    # a CSV would lose its marks of byte order
    values = ", ".join(f"({literal(text)}, -1)" for text in [*harmful, "plain", "a=b"])
    sales = parquet_of(tmp_path, f"SELECT * FROM (VALUES {values}) AS given(k, n)")
    outcome = run(taken(tmp_path, ("sales.parquet", sales)), tmp_path / "out", LOAD)
    written = list(csv.reader(io.StringIO(text_of(outcome, "tables/01-load.csv"))))[1:]
    assert written == [*([f"'{text}", "-1"] for text in harmful), ["plain", "-1"], ["a=b", "-1"]]
    assert [row[0] for row in result(outcome, "load")] == [*harmful, "plain", "a=b"]
    cells = [row[0] for row in workbook_of(outcome, "load")["Result"].iter_rows(min_row=2)]
    assert [each.value for each in cells] == [*harmful, "plain", "a=b"]
    assert {(each.data_type, each.number_format) for each in cells} == {("s", "@")}


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_given_texts_that_hold_a_formula_behind_another_delimiter_when_read_with_that_then_they_stay_one_cell(
    delimiter: str, tmp_path: Path
) -> None:
    text = f"North{delimiter} =1+1{delimiter}x"
    sales = parquet_of(tmp_path, f"SELECT * FROM (VALUES ({literal(text)}, 1), ('plain', 2)) AS given(k, n)")
    outcome = run(taken(tmp_path, ("sales.parquet", sales)), tmp_path / "out", LOAD)
    made = text_of(outcome, "tables/01-load.csv")
    assert list(csv.reader(io.StringIO(made)))[1:] == [[text, "1"], ["plain", "2"]]
    (row, _) = list(csv.reader(io.StringIO(made), delimiter=delimiter))[1:]
    assert row[0].startswith(text) and len(row) == 1


def test_given_texts_with_a_meaning_in_markdown_when_reported_then_they_have_none(tmp_path: Path) -> None:
    texts = [
        "[click](http://example.org)",
        "a|b",
        "<script>alert(1)</script>",
        "![x](y)",
        "`code`",
        "https://example.org",
    ]
    prepared = taken(tmp_path, ("sales.csv", csv_of(["k", "n"], [(text, 1) for text in texts])))
    report = text_of(run(prepared, tmp_path / "out", LOAD), "report.md")
    assert not re.search(r"(?<!\\)\[(click|x)(?<!\\)\]", report)
    assert "<script" not in report.replace("\\<", "")
    assert "https://" not in report
    table = [line for line in report.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {3}


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(sales: Prepared, tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Path]:
    """A requirement, planned and computed."""
    plan = EmbeddedPlanner().draft("total amount by region and month in 2024", sales.tables)
    out = tmp_path_factory.mktemp("whole") / "out"
    return execute(freeze(plan, sales.fingerprint), sales.tables, sales.parquet, out), out


def test_given_a_requirement_when_planned_and_computed_then_the_numbers_are_the_known_ones(
    whole: tuple[Outcome, Path],
) -> None:
    expected = sums(lambda row: (date(row[0].year, row[0].month, 1), row[1]))
    assert result(whole[0], "trend") == [(*key, expected[key]) for key in sorted(expected) if key[0].year == 2024]


def test_artifacts_have_safe_names_in_the_folder_and_are_what_they_say(whole: tuple[Outcome, Path]) -> None:
    outcome, out = whole
    names = {artifact.name: artifact for artifact in outcome.artifacts}
    assert set(names) == {
        "tables/03-trend.csv",
        "tables/03-trend.xlsx",
        "tables/03-trend.parquet",
        "charts/04-chart.png",
        "report.md",
    }
    assert all(artifact.path == out / name and artifact.path.is_file() for name, artifact in names.items())
    picture = Image.open(names["charts/04-chart.png"].path)
    assert (picture.format, picture.size) == ("PNG", (1280, 720))
    assert {artifact.media_type for artifact in outcome.artifacts} == {
        "text/csv; charset=utf-8",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.apache.parquet",
        "image/png",
        "text/markdown; charset=utf-8",
    }


def test_the_report_cites_its_steps_links_its_files_and_says_what_it_rests_on(whole: tuple[Outcome, Path]) -> None:
    report = text_of(whole[0], "report.md")
    links = re.findall(r"\]\(([^)]+)\)", report)
    assert set(links) == {artifact.name for artifact in whole[0].artifacts} - {"report.md"}
    assert "(step `trend`)" in report
    assert "sales.csv: 72 rows" in report
    assert re.search(r"Plan `[0-9a-f]{64}`", report)
    assert str(whole[1]) not in report


def test_given_the_same_plan_and_inputs_when_computed_again_then_every_byte_is_the_same(
    whole: tuple[Outcome, Path], sales: Prepared, tmp_path: Path
) -> None:
    plan = EmbeddedPlanner().draft("total amount by region and month in 2024", sales.tables)
    again = execute(freeze(plan, sales.fingerprint), sales.tables, sales.parquet, tmp_path / "out")
    first, second = (
        {artifact.name: hashlib.sha256(artifact.path.read_bytes()).hexdigest() for artifact in outcome.artifacts}
        for outcome in (whole[0], again)
    )
    assert first == second


def test_given_several_runs_at_once_when_computed_then_none_sees_another(sales: Prepared, tmp_path: Path) -> None:
    outcomes: dict[str, Outcome] = {}

    def compute(region: str) -> None:
        steps = [LOAD, filtered(condition("region", "eq", region)), step("n", "aggregate", "f", measures=[total()])]
        outcomes[region] = run(sales, tmp_path / region / "out", *steps)

    for region in ("North", "South", "East"):
        (tmp_path / region).mkdir()
    threads = [threading.Thread(target=compute, args=(region,)) for region in ("North", "South", "East")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = sums(lambda row: row[1])
    assert {region: result(outcome, "n") for region, outcome in outcomes.items()} == {
        region: [(expected[region],)] for region in expected
    }
    assert all([path.name for path in (tmp_path / region).iterdir()] == ["out"] for region in outcomes)


def test_given_progress_when_computed_then_it_rises_and_names_the_steps(sales: Prepared, tmp_path: Path) -> None:
    told: list[tuple[float, str]] = []
    group = step("g", "aggregate", "load", by=["region"], measures=[total()])
    run(sales, tmp_path / "out", LOAD, group, on_step=lambda share, id: told.append((share, id)))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert {id for _, id in told} <= {"load", "g"}


def test_given_a_plan_that_does_not_fit_when_computed_then_it_is_refused_before_anything_runs(
    sales: Prepared, tmp_path: Path
) -> None:
    with pytest.raises(PlanInvalid):
        run(sales, tmp_path / "out", step("load", "load", table="other"))
    assert list(tmp_path.iterdir()) == []


# --- charts ----------------------------------------------------------------------------------------------------------


def test_given_many_groups_gaps_negatives_and_any_script_when_drawn_then_there_is_a_picture(tmp_path: Path) -> None:
    names = ["日本", "عربي", "हिन्दी", "#$\\[x]"]
    rows = [(f"group {n}", f"2024-{n % 12 + 1:02}-01", n - 60, "" if n % 7 else n, names[n % 4]) for n in range(120)]
    prepared = taken(tmp_path, ("sales.csv", csv_of(["k", "day", "n", "m", "s"], rows)))
    group = {"measures": [total("n", "n"), total("m", "m")]}
    outcome = run(
        prepared,
        tmp_path / "out",
        LOAD,
        step("g", "aggregate", "load", by=["k"], **group),
        step("bars", "chart", "g", kind="bar", x="k", y=["n", "m"]),
        step("t", "trend", "load", time="day", every="month", by=["s"], **group),
        step("lines", "chart", "t", kind="line", x="month", y=["m"], series="s"),
        step("columns", "chart", "t", kind="bar", x="month", y=["n"], series="s"),
        step("words", "chart", "g", kind="line", x="k", y=["m"]),
    )
    pictures = [
        Image.open(io.BytesIO(each.path.read_bytes())) for each in outcome.artifacts if each.name.endswith("png")
    ]
    assert [picture.size for picture in pictures] == [(1280, 720)] * 4
    assert all(len(picture.convert("RGB").getcolors(1 << 24) or []) > 10 for picture in pictures)


# --- the sample ------------------------------------------------------------------------------------------------------


def test_the_sample_is_what_its_script_makes_and_comes_to_what_is_known(tmp_path: Path) -> None:
    assert SALES.read_text(encoding="utf-8") == content()
    prepared = prepare([InputFile("sales.csv", SALES)], tmp_path / "tables")
    plan = EmbeddedPlanner().draft(REQUIREMENT, prepared.tables)
    outcome = execute(freeze(plan, prepared.fingerprint), prepared.tables, prepared.parquet, tmp_path / "out")
    known = revenue_by_month_and_region(2025)
    assert result(outcome, "trend") == [(*key, revenue) for key, revenue in known.items()]
    assert [artifact.name for artifact in outcome.artifacts][-2:] == ["charts/04-chart.png", "report.md"]
