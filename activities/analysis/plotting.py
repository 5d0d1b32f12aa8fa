"""Where everything on a chart stands, in points from the top left: for Typst (``charts.py``), and as SVG for pages,
where each value can be pointed at."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from itertools import pairwise
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from activities.analysis.names import shown
from activities.analysis.numbers import brief, formatted, number
from domain.analyses.plan_rules import Schema
from domain.analyses.steps import Chart
from domain.analyses.table import ColumnType

WIDTH, HEIGHT = 640.0, 360.0
"""Points of a page."""

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

MOST_DOTS = 40
"""Of a line; those of a longer one are not drawn, but can be pointed at."""

Mark = dict[str, Any]
Point = tuple[object, Decimal | None]


class Order(StrEnum):
    """In which order the places along a chart stand."""

    AS_COMPUTED = "computed"
    MOST_FIRST = "most"
    LEAST_FIRST = "least"
    BY_NAME = "name"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart step with the rows to draw; ``cut`` says that there were more."""

    title: str
    chart: Chart
    schema: Schema
    rows: Sequence[Sequence[object]]
    cut: bool = False

    @property
    def is_sortable(self) -> bool:
        """Whether another order says anything: of names it does, of times and numbers it does not."""
        return self.chart.kind == "bar" and self.schema[self.chart.x] is ColumnType.TEXT

    def ordered(self, order: Order) -> "Drawing":
        """The same with its places in ``order``; by the total of what is measured, where by that."""
        if order is Order.AS_COMPUTED or not self.is_sortable:
            return self
        values = len(self.chart.y)
        totals: dict[object, Decimal] = {}
        for row in self.rows:
            for value in row[len(row) - values :]:
                totals[row[0]] = totals.get(row[0], Decimal(0)) + (number(value) or Decimal(0))
        keys: dict[Order, Callable[[Sequence[object]], Decimal | str]] = {
            Order.MOST_FIRST: lambda row: -totals[row[0]],
            Order.LEAST_FIRST: lambda row: totals[row[0]],
            Order.BY_NAME: lambda row: _named(row[0]).casefold(),
        }
        key = keys[order]
        return replace(self, rows=sorted(self.rows, key=key))


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
            yield _rect(
                min(zero, end), y, abs(end - zero), thick * 0.94, each.color, _tip(category, each, value, series)
            )
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
            yield _rect(left, min(zero, end), thick * 0.94, abs(end - zero), each.color, _tip(x, each, value, series))


def _lines(
    plot: _Plot, scale: _Scale, xs: Sequence[object], series: Sequence[_Series], type: ColumnType
) -> Iterator[Mark]:
    yield from _rules(plot, scale)
    at = _along(plot, xs, type)
    named = {place: x for x, place in at.items()}
    yield from _under(plot, list(at.items()), type)
    for each in series:
        known = sorted((at[x], value) for x, value in each.points if x in at and value is not None)
        for stretch in _stretches(known, at):
            points = [(x, _height(plot, scale, value)) for x, value in stretch]
            if len(points) > 1:
                yield _line(points, each.color, 1.8)
            radius = 2.2 if len(points) <= MOST_DOTS else 0
            for (x, y), (_, value) in zip(points, stretch, strict=True):
                yield {
                    "t": "dot",
                    "x": x,
                    "y": y,
                    "r": radius,
                    "color": each.color,
                    "tip": _tip(named[x], each, value, series),
                }


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


def _rect(x: float, y: float, w: float, h: float, color: str, tip: str = "") -> Mark:
    return {"t": "rect", "x": x, "y": y, "w": w, "h": h, "color": color, "tip": tip}


def _tip(x: object, series: _Series, value: Decimal, all_series: Sequence[_Series]) -> str:
    """What a value says to who points at it."""
    of = f"{_named(x)}, {series.name}" if len(all_series) > 1 else _named(x)
    return f"{of}: {formatted(str(value), ColumnType.NUMBER)}"


def _line(points: Sequence[tuple[float, float]], color: str, w: float) -> Mark:
    return {"t": "line", "points": [list(point) for point in points], "color": color, "w": w}


# --- as SVG ------------------------------------------------------------------------------------------------------

TONES = {INK: "ink", QUIET: "quiet", HAIRLINE: "hairline"}
"""What a page may colour anew, for light and dark; a file that is saved has the colours themselves."""

ANCHORS = {"left": ("start", 0.0), "center": ("middle", 0.5), "right": ("end", 1.0)}


def svg_chart(drawing: Drawing, order: Order = Order.AS_COMPUTED) -> str:
    """The chart as SVG. Each value has ``data-tip``, what it says; all text in it is escaped."""
    drawn = "".join(_svg(mark) for mark in marks(drawing.ordered(order)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" width="{2 * WIDTH:g}" '
        f'height="{2 * HEIGHT:g}" font-family="Inter, system-ui, sans-serif" role="img" '
        f"aria-label={quoteattr(shown(drawing.title, 200))}>"
        f'<rect class="paper" width="{WIDTH:g}" height="{HEIGHT:g}" fill="#ffffff"/>{drawn}</svg>'
    )


def _svg(mark: Mark) -> str:
    color = mark["color"]
    tone = f' class="{TONES[color]}"' if color in TONES else ""
    tip = f" data-tip={quoteattr(mark['tip'])}" if mark.get("tip") else ""
    match mark["t"]:
        case "rect":
            sides = f'x="{mark["x"]:.2f}" y="{mark["y"]:.2f}" width="{mark["w"]:.2f}" height="{mark["h"]:.2f}"'
            return f'<rect {sides} fill="{color}"{tone}{tip}/>'
        case "dot":
            size = f'r="{mark["r"] or 3:g}"' + (' opacity="0"' if not mark["r"] else "")
            return f'<circle cx="{mark["x"]:.2f}" cy="{mark["y"]:.2f}" {size} fill="{color}"{tip}/>'
        case "line":
            points = " ".join(f"{x:.2f},{y:.2f}" for x, y in mark["points"])
            return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="{mark["w"]:g}"{tone}/>'
    anchor, share = ANCHORS[mark["align"]]
    weight = ' font-weight="600"' if mark["bold"] else ""
    return (
        f'<text x="{mark["x"] + share * mark["w"]:.2f}" y="{mark["y"] + mark["h"] / 2:.2f}" text-anchor="{anchor}" '
        f'dominant-baseline="central" font-size="{mark["size"]:g}"{weight} fill="{color}"{tone}>'
        f"{escape(mark['s'])}</text>"
    )
