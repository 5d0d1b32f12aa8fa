"""What reading, planning and computing large tables cost: seconds beside DuckDB's own reading of the same CSV on one
thread, and beside the cells alone of a workbook, and the most memory that the confined processes had."""

import os
import random
import time
from pathlib import Path

import duckdb
import openpyxl
import psutil
from python_calamine import CalamineWorkbook
from rich.console import Console

from activities.analysis.planning.planner import EmbeddedPlanner
from activities.analysis.reading.inputs import InputFile, InputLimits, prepare
from tests.bench.test_pipeline import peak_of, resident

CSV_ROWS, SHEET_ROWS = 1_000_000, 200_000
MOST_OF_PLAIN = 60
"""Every column is looked at for what it is, cleaned, measured and written as Parquet; DuckDB guesses from a sample."""
MOST_OF_CELLS = 15
"""Times what the workbook's cells alone take to be read, as values."""
MOST_MEGABYTES = InputLimits().memory_bytes / 1_000_000
QUESTION = "Total amount by region"


def test_given_a_million_rows_of_twenty_columns_then_reading_them_stays_within_its_budget(tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    write_csv(path, CSV_ROWS)
    begun = time.perf_counter()
    with duckdb.connect(config={"threads": 1}) as plain:
        plain.execute("CREATE TABLE read AS SELECT * FROM read_csv(?)", [str(path)])
    plain_s = time.perf_counter() - begun
    ours_s, planned_s, megabytes = measured(path, tmp_path / "out", CSV_ROWS)
    Console().print(f"CSV: DuckDB {plain_s:.1f} s, ours {ours_s:.1f} s, plan {planned_s:.2f} s, {megabytes:.0f} MB")
    assert ours_s <= MOST_OF_PLAIN * plain_s
    assert megabytes <= MOST_MEGABYTES
    assert planned_s <= 0.1 * ours_s


def test_given_a_workbook_of_two_hundred_thousand_rows_then_reading_it_stays_within_its_budget(tmp_path: Path) -> None:
    path = tmp_path / "orders.xlsx"
    write_workbook(path, SHEET_ROWS)
    begun = time.perf_counter()
    CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python()
    plain_s = time.perf_counter() - begun
    ours_s, planned_s, megabytes = measured(path, tmp_path / "out", SHEET_ROWS)
    Console().print(f"Workbook: cells {plain_s:.1f} s, ours {ours_s:.1f} s, plan {planned_s:.2f} s, {megabytes:.0f} MB")
    assert ours_s <= MOST_OF_CELLS * plain_s
    assert megabytes <= MOST_MEGABYTES


def measured(path: Path, out: Path, rows: int) -> tuple[float, float, float]:
    """Seconds of reading and of planning, and the most memory in MB beyond what this process and its children have
    already: servers of other benchmarks are among them."""
    standing_mb = resident(psutil.Process()) / 1_000_000
    with peak_of(os.getpid()) as peak:
        begun = time.perf_counter()
        prepared = prepare([InputFile(path.name, path)], out)
        read_s = time.perf_counter() - begun
    assert prepared.tables[0].rows == rows
    begun = time.perf_counter()
    plan = EmbeddedPlanner().draft(QUESTION, prepared.tables)
    assert not plan.questions
    return read_s, time.perf_counter() - begun, peak.megabytes - standing_mb


def write_csv(path: Path, rows: int) -> None:
    """Ids, dates, names, amounts as people write them, numbers, and words that begin like dates."""
    dice = random.Random(1)
    heads = ["order_id", "day", "region", "product", "amount", "quantity"]
    heads += [f"measure_{place}" for place in range(7)] + [f"label_{place}" for place in range(7)]
    tails = [
        ",".join([f"{dice.random():.4f}" for _ in range(7)] + [f"text{dice.randint(0, 500)}" for _ in range(7)])
        for _ in range(1_000)
    ]
    with path.open("w") as file:
        file.write(",".join(heads) + "\n")
        for n in range(rows):
            day = f"2025-{n % 12 + 1:02}-{n % 28 + 1:02}"
            amount = f'"{n % 9 + 1},{n % 1000:03}.{n % 100:02}"'
            file.write(f"A{n},{day},R{n % 40},P{n * 7 % 900},{amount},{n % 50},{tails[n % 1_000]}\n")


def write_workbook(path: Path, rows: int) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Orders")
    sheet.append(["order_id", "region", "amount", "quantity", "note"])
    for n in range(rows):
        sheet.append([f"A{n}", f"R{n % 40}", n % 9_000 / 7, n % 50, f"note {n % 100}"])
    book.save(path)
