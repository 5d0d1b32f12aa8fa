"""Charts as PNG, drawn by Typst: scripts are shaped, fonts come as packages, the same rows give the same bytes.

Where everything stands is computed here; the template (``chart.typ``) only draws it.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from activities.analysis.names import shown
from activities.analysis.numbers import brief, formatted, number
from activities.confined.outside import Bounds, Died, Overran, answer, made_bytes, places
from activities.publishing import typesetter
from activities.publishing.fonts import typeface_for
from activities.publishing.pdf import LARGEST_MADE, MADE
from domain.analyses.plan_rules import Schema
from domain.analyses.steps import Chart
from domain.analyses.table import ColumnType
from domain.errors import AnalysisFailed

TEMPLATE = "chart.typ"
TYPESETTER = Path(typesetter.__file__)
WIDTH, HEIGHT, PPI = 640.0, 360.0, 144
"""Points of a page, and pixels an inch: 1280 by 720 pixels."""
BOUNDS = Bounds(wall_s=120, cpu_s=60, memory_bytes=4 << 30)
DATE = "1980-01-01T00:00:00+00:00"
"""Instead of the clock."""

LEFT, RIGHT, TOP, BOTTOM = 16.0, 24.0, 16.0, 16.0
TITLE_HEIGHT, LEGEND_HEIGHT, NOTE_HEIGHT, AXIS_HEIGHT = 24.0, 18.0, 14.0, 18.0
TICK_WIDTH = 52.0
CATEGORY_WIDTH = 150.0
MOST_BARS = 24
MOST_COLUMNS = 60
MOST_SERIES = 8
TICKS = 5
TIME_TICKS = 8
INK, QUIET, HAIRLINE = "#1a2129", "#5c6773", "#d5dbe2"
COLORS = ("#1f5a94", "#d1662a", "#3f8f4f", "#8a4fa3", "#b03a48", "#2a9d9d", "#8c6d1f", "#5c6773")
"""Told apart in grey too, mostly, and by those who see no red or no green: the legend has their order."""

Mark = dict[str, Any]
Point = tuple[object, Decimal | None]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart step with the rows to draw; ``cut`` says that there were more."""

    title: str
    chart: Chart
    schema: Schema
    rows: Sequence[Sequence[object]]
    cut: bool = False


def png_charts(drawings: Sequence[Drawing], scratch: Path | None, on_poll: Callable[[], None]) -> list[bytes]:
    """A PNG for each drawing.

    Raises:
        AnalysisFailed: It cannot be drawn.
    """
    if not drawings:
        return []
    pages = [list(marks(drawing)) for drawing in drawings]
    said = "".join(mark["s"] for page in pages for mark in page if mark["t"] == "text")
    typeface = typeface_for(said, "en")
    document = {"width": WIDTH, "height": HEIGHT, "fonts": typeface.body, "charts": pages}
    with TemporaryDirectory(prefix="guidesmith-charts-", dir=scratch) as folder:
        root = Path(folder).resolve()
        (root / TEMPLATE).write_text(
            files("activities.analysis").joinpath(TEMPLATE).read_text(encoding="utf-8"), encoding="utf-8"
        )
        (root / "charts.json").write_text(json.dumps(document), encoding="utf-8")
        order = {
            "root": str(root),
            "template": TEMPLATE,
            "format": "png",
            "ppi": PPI,
            "date": DATE,
            "fonts": [str(each) for each in typeface.folders],
            "system_fonts": typeface.with_system,
            "made": MADE,
        }
        try:
            answer(TYPESETTER, order, BOUNDS, environment=places(), on_poll=on_poll, loads=typesetter.LOADS)
            return [made_bytes(root, MADE.format(place), LARGEST_MADE) for place in range(len(drawings))]
        except (Overran, Died):
            raise AnalysisFailed(
                "The charts could not be drawn. Leave them out of the plan, or run it again."
            ) from None


# --- what is drawn -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Series:
    name: str
    color: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class _Plot:
    """The rectangle within the axes."""

    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class _Scale:
    """Values along an axis: from ``low`` to ``high``, in steps that are read easily."""

    low: Decimal
    high: Decimal
    ticks: tuple[Decimal, ...] = field(default=())

    @classmethod
    def of(cls, values: Sequence[Decimal]) -> "_Scale":
        low, high = min([*values, Decimal(0)]), max([*values, Decimal(0)])
        if low == high:
            high = low + 1
        step = _step((high - low) / TICKS)
        first, last = math.floor(low / step), math.ceil(high / step)
        return cls(first * step, last * step, tuple(step * place for place in range(first, last + 1)))

    def share(self, value: Decimal) -> float:
        return float((value - self.low) / (self.high - self.low))


def _step(rough: Decimal) -> Decimal:
    size = Decimal(1).scaleb(rough.adjusted())
    factors = map(Decimal, ("1", "2", "2.5", "5", "10"))
    return next(size * factor for factor in factors if size * factor >= rough)


def marks(drawing: Drawing) -> Iterator[Mark]:
    """Everything on the chart's page."""
    xs, series, remarks = _series(drawing)
    if drawing.cut:
        remarks.append(f"The first {len(drawing.rows):,} rows are shown.")
    upright = drawing.chart.kind == "line" or drawing.schema[drawing.chart.x] is not ColumnType.TEXT
    most = MOST_COLUMNS if upright else max(MOST_BARS // max(len(series), 1), 6)
    if drawing.chart.kind == "bar" and len(xs) > most:
        remarks.append(f"The first {most} of {len(xs):,} are shown.")
        xs = xs[:most]
    yield _text(LEFT, TOP, WIDTH - LEFT - RIGHT, TITLE_HEIGHT, shown(drawing.title, 90), size=13, bold=True)
    measured = ", ".join(name.replace("_", " ") for name in drawing.chart.y)
    split = f" for each {drawing.chart.series.replace('_', ' ')}" if drawing.chart.series else ""
    subtitle = shown(f"{measured}{split}, over {drawing.chart.x.replace('_', ' ')}", 110)
    yield _text(LEFT, TOP + TITLE_HEIGHT, WIDTH - LEFT - RIGHT, NOTE_HEIGHT, subtitle, size=8.5, color=QUIET)
    top = TOP + TITLE_HEIGHT + NOTE_HEIGHT + 6
    if len(series) > 1:
        yield from _legend(series, top)
        top += LEGEND_HEIGHT + 4
    bottom = HEIGHT - BOTTOM
    if remarks:
        bottom -= NOTE_HEIGHT
        yield _text(LEFT, bottom, WIDTH - LEFT - RIGHT, NOTE_HEIGHT, " ".join(remarks), size=7.5, color=QUIET)
    shown_values = [value for each in series for x, value in each.points if value is not None and x in set(xs)]
    if not shown_values:
        yield _text(LEFT, top, WIDTH - LEFT - RIGHT, bottom - top, "No values", align="center", color=QUIET)
        return
    scale = _Scale.of(shown_values)
    if drawing.chart.kind == "line":
        yield from _lines(_upright(top, bottom), scale, xs, series, drawing.schema[drawing.chart.x])
    elif upright:
        yield from _columns(_upright(top, bottom), scale, xs, series, drawing.schema[drawing.chart.x])
    else:
        plot = _Plot(LEFT + CATEGORY_WIDTH, top, WIDTH - LEFT - CATEGORY_WIDTH - RIGHT - 30, bottom - top - AXIS_HEIGHT)
        yield from _bars(plot, scale, xs, series)


def _upright(top: float, bottom: float) -> _Plot:
    return _Plot(LEFT + TICK_WIDTH, top + 4, WIDTH - LEFT - TICK_WIDTH - RIGHT, bottom - top - AXIS_HEIGHT - 4)


def _series(drawing: Drawing) -> tuple[list[object], list[_Series], list[str]]:
    """Values along x in the order of the rows, the series, and remarks."""
    chart = drawing.chart
    columns = list(dict.fromkeys([chart.x, *([chart.series] if chart.series else []), *chart.y]))
    at = {name: place for place, name in enumerate(columns)}
    xs = list(dict.fromkeys(row[at[chart.x]] for row in drawing.rows))
    points: dict[str, list[Point]] = {}
    for row in drawing.rows:
        for name in chart.y:
            key = name.replace("_", " ") if chart.series is None else _named(row[at[chart.series]])
            points.setdefault(key, []).append((row[at[chart.x]], number(row[at[name]])))

    def size(key: str) -> Decimal:
        return sum((abs(value) for _, value in points[key] if value is not None), Decimal(0))

    kept = sorted(points, key=lambda key: (-size(key), key))[:MOST_SERIES]
    remarks = [f"The largest {MOST_SERIES} of {len(points):,} series are shown."] if len(kept) < len(points) else []
    ordered = [key for key in points if key in kept]
    made = [_Series(shown(key, 24), COLORS[place], tuple(points[key])) for place, key in enumerate(ordered)]
    return xs, made, remarks


def _named(value: object) -> str:
    return "(empty)" if value is None or value == "" else str(value)


def _legend(series: Sequence[_Series], y: float) -> Iterator[Mark]:
    width = (WIDTH - LEFT - RIGHT) / min(len(series), 4)
    if len(series) > 4:
        width = (WIDTH - LEFT - RIGHT) / len(series)
    for place, each in enumerate(series):
        x = LEFT + place * width
        yield {"t": "rect", "x": x, "y": y + 5, "w": 8, "h": 8, "color": each.color}
        yield _text(x + 12, y, width - 14, LEGEND_HEIGHT, each.name, size=8)


def _bars(plot: _Plot, scale: _Scale, xs: Sequence[object], series: Sequence[_Series]) -> Iterator[Mark]:
    for tick in scale.ticks:
        x = plot.x + plot.w * scale.share(tick)
        yield _line([(x, plot.y), (x, plot.y + plot.h)], HAIRLINE, 0.6)
        yield _text(x - 30, plot.y + plot.h + 2, 60, AXIS_HEIGHT - 4, brief(tick), align="center", size=8, color=QUIET)
    band = plot.h / len(xs)
    thick = min(band * 0.76, 26.0) / len(series)
    zero = plot.x + plot.w * scale.share(Decimal(0))
    at = {x: place for place, x in enumerate(xs)}
    for category, place in at.items():
        label = shown(_named(category), 40)
        yield _text(LEFT, plot.y + place * band, CATEGORY_WIDTH - 8, band, label, align="right", size=_fitting(band))
    for number_, each in enumerate(series):
        for category, value in each.points:
            if value is None or category not in at:
                continue
            y = plot.y + at[category] * band + (band - thick * len(series)) / 2 + number_ * thick
            end = plot.x + plot.w * scale.share(value)
            yield _rect(min(zero, end), y, abs(end - zero), thick * 0.94, each.color)
            if len(series) == 1:
                text = formatted(str(value), ColumnType.NUMBER)
                yield _text(max(zero, end) + 4, y, 80, thick, text, size=_fitting(band), color=QUIET)


def _fitting(band: float) -> float:
    return max(5.0, min(8.5, band * 0.8))


def _columns(
    plot: _Plot, scale: _Scale, xs: Sequence[object], series: Sequence[_Series], type: ColumnType
) -> Iterator[Mark]:
    yield from _rules(plot, scale)
    band = plot.w / len(xs)
    thick = min(band * 0.72, 48.0) / len(series)
    at = {x: place for place, x in enumerate(xs)}
    yield from _under(plot, [(x, plot.x + (place + 0.5) * band) for x, place in at.items()], type)
    zero = _height(plot, scale, Decimal(0))
    for number_, each in enumerate(series):
        for x, value in each.points:
            if value is None or x not in at:
                continue
            left = plot.x + at[x] * band + (band - thick * len(series)) / 2 + number_ * thick
            end = _height(plot, scale, value)
            yield _rect(left, min(zero, end), thick * 0.94, abs(end - zero), each.color)


def _lines(
    plot: _Plot, scale: _Scale, xs: Sequence[object], series: Sequence[_Series], type: ColumnType
) -> Iterator[Mark]:
    yield from _rules(plot, scale)
    at = _along(plot, xs, type)
    yield from _under(plot, list(at.items()), type)
    for each in series:
        known = sorted((at[x], value) for x, value in each.points if x in at and value is not None)
        for stretch in _stretches(known, at):
            points = [(x, _height(plot, scale, value)) for x, value in stretch]
            if len(points) > 1:
                yield _line(points, each.color, 1.8)
            if len(points) <= 40:
                yield from ({"t": "dot", "x": x, "y": y, "r": 2.2, "color": each.color} for x, y in points)


def _stretches(
    points: Sequence[tuple[float, Decimal]], at: Mapping[object, float]
) -> Iterator[list[tuple[float, Decimal]]]:
    """The points, cut where a place along x has no value."""
    places = sorted(at.values())
    behind = dict(pairwise(places))
    stretch: list[tuple[float, Decimal]] = []
    for point in points:
        if stretch and behind.get(stretch[-1][0]) != point[0] and stretch[-1][0] != point[0]:
            yield stretch
            stretch = []
        stretch.append(point)
    if stretch:
        yield stretch


def _along(plot: _Plot, xs: Sequence[object], type: ColumnType) -> dict[object, float]:
    """Where each value stands along x: in proportion where that has a meaning."""
    moments = {x: _moment(x, type) for x in xs}
    known = {x: moment for x, moment in moments.items() if moment is not None}
    if type is ColumnType.TEXT or type is ColumnType.BOOLEAN or not known:
        width = plot.w / max(len(xs), 1)
        return {x: plot.x + (place + 0.5) * width for place, x in enumerate(xs)}
    low, high = min(known.values()), max(known.values())
    span = high - low or 1.0
    inset = 8.0
    middle = inset if high > low else plot.w / 2
    return {x: plot.x + middle + (plot.w - 2 * inset) * (moment - low) / span for x, moment in known.items()}


def _moment(value: object, type: ColumnType) -> float | None:
    if type.is_numeric:
        found = number(value)
        return None if found is None else float(found)
    try:
        return datetime.fromisoformat(str(value)).toordinal() + _of_day(str(value))
    except ValueError:
        return None


def _of_day(text: str) -> float:
    moment = datetime.fromisoformat(text)
    return (moment.hour * 3600 + moment.minute * 60 + moment.second) / 86_400


def _rules(plot: _Plot, scale: _Scale) -> Iterator[Mark]:
    for tick in scale.ticks:
        y = _height(plot, scale, tick)
        yield _line([(plot.x, y), (plot.x + plot.w, y)], HAIRLINE, 0.6)
        yield _text(LEFT, y - 7, TICK_WIDTH - 8, 14, brief(tick), align="right", size=8, color=QUIET)


def _height(plot: _Plot, scale: _Scale, value: Decimal) -> float:
    return plot.y + plot.h * (1 - scale.share(value))


def _under(plot: _Plot, placed: Sequence[tuple[object, float]], type: ColumnType) -> Iterator[Mark]:
    """Labels under the plot, as many as there is room for."""
    every = max(1, math.ceil(len(placed) / TIME_TICKS))
    labels = time_labels([str(x) for x, _ in placed]) if type.is_temporal else [_named(x) for x, _ in placed]
    width = plot.w / max(1, math.ceil(len(placed) / every))
    for (_, x), label in list(zip(placed, labels, strict=True))[::every]:
        left = min(max(x - width / 2, LEFT), WIDTH - width - 2)
        below, short = plot.y + plot.h + 3, shown(label, 18)
        yield _text(left, below, width, AXIS_HEIGHT - 4, short, align="center", size=8, color=QUIET)


def time_labels(values: Sequence[str]) -> list[str]:
    """Dates as short as they can be told apart: years, quarters, months, days."""
    try:
        days = [datetime.fromisoformat(value).date() for value in values]
    except ValueError:
        return list(values)
    if all(day.day == 1 for day in days):
        if all(day.month == 1 for day in days) and len(days) > 1:
            return [str(day.year) for day in days]
        if all(day.month % 3 == 1 for day in days) and len(days) > 1:
            return [f"Q{(day.month + 2) // 3} {day.year}" for day in days]
        return [_month(day) for day in days]
    return [day.isoformat() for day in days]


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
"""Whatever the locale."""


def _month(day: date) -> str:
    return f"{_MONTHS[day.month - 1]} {day.year}"


def _text(
    x: float,
    y: float,
    w: float,
    h: float,
    text: str,
    *,
    align: str = "left",
    size: float = 9,
    bold: bool = False,
    color: str = INK,
) -> Mark:
    mark = {"t": "text", "x": x, "y": y, "w": w, "h": h, "s": text, "align": align, "size": size}
    return {**mark, "bold": bold, "color": color}


def _rect(x: float, y: float, w: float, h: float, color: str) -> Mark:
    return {"t": "rect", "x": x, "y": y, "w": w, "h": h, "color": color}


def _line(points: Sequence[tuple[float, float]], color: str, w: float) -> Mark:
    return {"t": "line", "points": [list(point) for point in points], "color": color, "w": w}
