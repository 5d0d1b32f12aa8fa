"""What a finished analysis says, the answer first: findings, charts that can be looked into, tables; apart from it how
that was computed. The report's own words are shown, its charts and tables are drawn anew from the files beside it."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from activities.analysis.plotting import Drawing, Order, svg_chart
from domain.analyses.analysis import Analysis
from domain.analyses.plan import Plan
from domain.analyses.plan_rules import Schema, check_plan, in_order
from domain.analyses.steps import Chart, Step
from domain.artifacts import Artifact, ArtifactKind
from domain.errors import ArtifactCorrupt, ArtifactMissing, GuidesmithError
from starter.pages.analysis.wording import findings_in
from starter.pages.kinds.prose import prose
from starter.pages.shell.context import PageContext

READ_BYTES = 256 * 1024
"""Of a table: enough for the rows that are shown, and for every chart that can be read."""

ROWS_SHOWN = 200
REPORT_BYTES = 1 << 20
FINDINGS, RESULTS, HOW = "Findings", "Results", "How it was computed"
"""Headings of the report's parts (``activities/analysis/report.py``)."""

_PART = re.compile(r"^## (.+)$", re.MULTILINE)
_REMARK = re.compile(r"^\*\*.+\*\*: .+$", re.MULTILINE)
"""A line of a result beside its table: that others are as large as its last row."""

_ROWS = re.compile(r"^\d+\. `(\w+)`: .*?([\d,]+) rows?\.$", re.MULTILINE)
"""A line that says how a step was computed, and how many rows it came to."""

_GUARDED = re.compile(r"^'(?=[=+\-@\t\r'])")
"""CSV files guard texts that a spreadsheet would take for a formula (see the report's last words)."""


@dataclass(frozen=True)
class Table:
    """The head of a table. ``numeric`` says of each column whether all of its shown values are numbers."""

    artifact: Artifact
    also: tuple[Artifact, ...]
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    more: bool


@dataclass(frozen=True)
class Result:
    """What a step came to: ``svg`` and ``picture`` of a chart, ``table``; ``remarks`` is HTML."""

    step: Step
    picture: Artifact | None = None
    svg: str | None = None
    sortable: bool = False
    table: Table | None = None
    remarks: str = ""


def answer(context: PageContext, found: Analysis, outputs: Sequence[Artifact]) -> Mapping[str, Any]:
    """``findings`` is HTML; ``rows``: how many each step came to; ``results`` charts first, each before the table that
    it was drawn from."""
    parts = dict(_parts(_report(context, outputs)))
    plan = found.plan
    said = findings_in(context.say, context.language)
    made = list(_results(context, found, plan, outputs, parts.get(RESULTS, ""))) if plan else []
    return {
        "findings": prose(said(_without_steps(parts[FINDINGS]))) if FINDINGS in parts else "",
        "rows": {name: int(count.replace(",", "")) for name, count in _ROWS.findall(parts.get(HOW, ""))},
        "results": sorted(made, key=lambda each: each.table is not None),
    }


def chart_of(
    context: PageContext, found: Analysis, outputs: Sequence[Artifact], artifact: Artifact, order: Order
) -> str | None:
    """A chart of the analysis as SVG, its places in ``order``; ``None`` where its rows are not among the files."""
    drawing = _drawing(context, found, outputs, artifact)
    return None if drawing is None else svg_chart(drawing, order)


def _parts(report: str) -> Iterator[tuple[str, str]]:
    pieces = _PART.split(report)
    yield "", pieces[0]
    yield from zip(pieces[1::2], pieces[2::2], strict=True)


def _without_steps(text: str) -> str:
    """Which step says so is told where the steps are."""
    return re.sub(r" \(step `\w+`\)$", "", text, flags=re.MULTILINE)


def _report(context: PageContext, outputs: Sequence[Artifact]) -> str:
    for each in outputs:
        if each.kind is ArtifactKind.REPORT and each.blob.size_bytes <= REPORT_BYTES:
            with suppress(ArtifactMissing, ArtifactCorrupt):
                return context.api.artifacts.read_bytes(each.blob).decode("utf-8", "replace")
    return ""


def _results(
    context: PageContext, found: Analysis, plan: Plan, outputs: Sequence[Artifact], report: str
) -> Iterator[Result]:
    for step in in_order(plan):
        made = [each for each in outputs if each.facts.get("step") == step.id]
        if isinstance(step.operation, Chart):
            for picture in made:
                drawing = _drawing(context, found, outputs, picture)
                svg = svg_chart(drawing, Order.AS_COMPUTED) if drawing is not None else None
                yield Result(step, picture, svg, sortable=drawing is not None and drawing.is_sortable)
        else:
            sheet = next((each for each in made if each.blob.media_type.startswith("text/csv")), None)
            if sheet is not None and (
                table := _table(context, sheet, tuple(each for each in made if each is not sheet))
            ):
                yield Result(step, table=table, remarks=_remarks(context, report, sheet))


def _remarks(context: PageContext, report: str, sheet: Artifact) -> str:
    """What the report says of a result beside its rows: the passage that links its file."""
    passage = next((each for each in report.split("\n### ") if f"({sheet.facts.get('name')})" in each), "")
    said = findings_in(context.say, context.language)
    return prose("\n\n".join(map(said, _REMARK.findall(passage))))


def _drawing(context: PageContext, found: Analysis, outputs: Sequence[Artifact], picture: Artifact) -> Drawing | None:
    if found.plan is None:
        return None
    try:
        step = found.plan.step(str(picture.facts.get("step")))
        schema: Schema = check_plan(found.plan, found.profiles)[step.needs[0]]
    except (KeyError, IndexError, GuidesmithError):
        return None
    sheet = next(
        (
            each
            for each in outputs
            if each.facts.get("step") == step.needs[0] and each.blob.media_type.startswith("text/csv")
        ),
        None,
    )
    if sheet is None or not isinstance(step.operation, Chart):
        return None
    rows, cut = _rows(context, sheet)
    if not rows:
        return None
    chart, at = step.operation, {name: place for place, name in enumerate(rows[0])}
    columns = list(dict.fromkeys([chart.x, *([chart.series] if chart.series else []), *chart.y]))
    if any(each not in at for each in columns):
        return None
    drawn = [tuple(row[at[name]] or None for name in columns) for row in rows[1:] if len(row) == len(rows[0])]
    return Drawing(step.title, chart, schema, drawn, cut)


def _table(context: PageContext, artifact: Artifact, also: tuple[Artifact, ...]) -> Table | None:
    rows, cut = _rows(context, artifact)
    if not rows:
        return None
    body = [tuple(row) for row in rows[1 : ROWS_SHOWN + 1]]
    numeric = tuple(
        bool(body) and all(_is_number(row[place]) for row in body if place < len(row)) for place in range(len(rows[0]))
    )
    return Table(artifact, also, tuple(rows[0]), tuple(body), numeric, cut or len(rows) - 1 > ROWS_SHOWN)


def _rows(context: PageContext, artifact: Artifact) -> tuple[list[list[str]], bool]:
    """The first rows of a CSV, the heading among them, and whether there are more."""
    end = min(artifact.blob.size_bytes, READ_BYTES)
    try:
        text = b"".join(context.api.artifacts.read_chunks(artifact.blob, 0, end)).decode("utf-8-sig", "replace")
    except (ArtifactMissing, ArtifactCorrupt):
        return [], False
    rows = [[_GUARDED.sub("", cell) for cell in row] for row in csv.reader(io.StringIO(text))]
    cut = end < artifact.blob.size_bytes
    return (rows[:-1] if cut else rows), cut  # the last one is cut in the middle


def _is_number(text: str) -> bool:
    if not text:
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True
