"""Files and runs for the integration tests of analyses: real files, the real confined processes."""

import csv
import io
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from activities.analysis.executor import Outcome, RunLimits, execute
from activities.analysis.reading.inputs import InputFile, InputLimits, Prepared, prepare
from domain.analyses.plan import freeze
from tests.unit.analysis_builders import plan

INPUTS, RUNS = InputLimits(), RunLimits()


def taken(folder: Path, *files: tuple[str, bytes | str], limits: InputLimits = INPUTS) -> Prepared:
    """The files, uploaded and prepared."""
    inputs = []
    for number, (name, content) in enumerate(files):
        path = folder / f"upload-{number}"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        inputs.append(InputFile(name, path))
    return prepare(inputs, folder / "tables", limits=limits, scratch=folder)


def rows_of(path: Path) -> list[tuple[Any, ...]]:
    return duckdb.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()


def csv_of(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def parquet_of(folder: Path, select: str) -> bytes:
    """What DuckDB writes for a query."""
    path = folder / "made.parquet"
    duckdb.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
    return path.read_bytes()


def run(prepared: Prepared, out: Path, *steps: dict[str, Any], limits: RunLimits = RUNS, **more: Any) -> Outcome:
    frozen = freeze(plan(*steps), prepared.fingerprint)
    return execute(frozen, prepared.tables, prepared.parquet, out, limits=limits, scratch=out.parent, **more)


def result(outcome: Outcome, step: str) -> list[tuple[Any, ...]]:
    """The rows of a step's Parquet file."""
    return rows_of(
        next(each.path for each in outcome.artifacts if each.step == step and each.name.endswith(".parquet"))
    )


def text_of(outcome: Outcome, name: str) -> str:
    return next(each.path for each in outcome.artifacts if each.name == name).read_text(encoding="utf-8")


SALE_ROWS: tuple[tuple[date, str, Decimal | None, int], ...] = tuple(
    (date(2023 + month // 12, month % 12 + 1, 1 + place), region, Decimal(f"{month + 1}.{place}0"), place + 1)
    for month in range(24)
    for place, region in enumerate(("North", "South", "East"))
)
"""72 sales whose sums are known to the cent."""
SALES_CSV = csv_of(["Date", "Region", "Amount", "Qty"], SALE_ROWS)
