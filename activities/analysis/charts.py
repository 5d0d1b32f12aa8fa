"""Charts as PNG, drawn by Typst: scripts are shaped, fonts come as packages, the same rows give the same bytes.

Where everything stands is computed in ``plotting.py``; the template (``chart.typ``) only draws it.
"""

import json
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from activities.analysis.plotting import HEIGHT, WIDTH, Drawing, marks
from activities.confined.outside import Bounds, Died, Overran, answer, made_bytes, places
from activities.publishing import typesetter
from activities.publishing.fonts import typeface_for
from activities.publishing.pdf import LARGEST_MADE, MADE
from domain.errors import AnalysisFailed

TEMPLATE = "chart.typ"
TYPESETTER = Path(typesetter.__file__)
PPI = 144
"""Pixels an inch: 1280 by 720 pixels."""
BOUNDS = Bounds(wall_s=120, cpu_s=60, memory_bytes=4 << 30, file_bytes=64 << 20)
DATE = "1980-01-01T00:00:00+00:00"
"""Instead of the clock."""


def png_charts(drawings: Sequence[Drawing], scratch: Path | None, on_poll: Callable[[], None]) -> list[bytes]:
    """A PNG for each drawing.

    Raises:
        AnalysisFailed: It cannot be drawn.
    """
    if not drawings:
        return []
    pages = [[mark for mark in marks(drawing) if mark.get("r") != 0] for drawing in drawings]
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
            answer(TYPESETTER, order, BOUNDS, environment=places(), cwd=root, on_poll=on_poll, loads=typesetter.LOADS)
            return [made_bytes(root, MADE.format(place), LARGEST_MADE) for place in range(len(drawings))]
        except (Overran, Died):
            raise AnalysisFailed(
                "The charts could not be drawn. Leave them out of the plan, or run it again."
            ) from None
