"""What the pages of a finished PDF look like, one picture a page, drawn by PDFium in a process of its own."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from activities.confined.outside import Bounds, Died, Overran, answer, made_bytes, places
from domain.errors import ArtifactCorrupt, NotFound

PAINTER = Path(__file__).with_name("page_painter.py")
LOADS = ("pypdfium2", "PIL.Image", "PIL.WebPImagePlugin")

WIDTH, LONGEST = 1100, 2200
"""Pixels of a drawn page: sharp at the width of a column on a screen with two dots a pixel."""
QUALITY = 82
PAINTED = "page.webp"
LARGEST_BYTES = 64 << 20
BOUNDS = Bounds(wall_s=30.0, cpu_s=20, memory_bytes=2 << 30, file_bytes=LARGEST_BYTES, folder_bytes=2 * LARGEST_BYTES)
"""A page full of screenshots takes half a second and 200 MB."""
MOST_PAGES = 60
"""Pages that can be looked at; the whole document is there to be downloaded."""


@dataclass(frozen=True)
class Leaves:
    """How many pages a PDF has, and width and height of those that can be looked at, in points."""

    count: int
    sizes: tuple[tuple[float, float], ...]


def leaves(document: Path) -> Leaves:
    """What can be looked at of a PDF.

    Raises:
        ArtifactCorrupt: The file is no PDF that can be read.
    """
    with TemporaryDirectory(prefix="guidesmith-preview-") as folder:
        told = _painted(document, Path(folder), None)
        return Leaves(told["count"], tuple((width, height) for width, height in told["sizes"]))


def leaf(document: Path, number: int) -> bytes:
    """Page ``number``, from 1, as WebP.

    Raises:
        NotFound: There is no such page, or none that can be looked at.
        ArtifactCorrupt: The file is no PDF that can be read.
    """
    if not 1 <= number <= MOST_PAGES:
        raise NotFound
    with TemporaryDirectory(prefix="guidesmith-preview-") as folder:
        _painted(document, Path(folder), number - 1)
        try:
            return made_bytes(Path(folder), PAINTED, LARGEST_BYTES)
        except Died:
            raise _unreadable() from None


def _painted(document: Path, folder: Path, page: int | None) -> dict[str, Any]:
    order = {
        "document": str(document.resolve()),
        "out": str(folder),
        "page": page,
        "most": MOST_PAGES,
        "width": WIDTH,
        "longest": LONGEST,
        "quality": QUALITY,
    }
    try:
        told = answer(PAINTER, order, BOUNDS, environment=places(), cwd=folder, loads=LOADS)
    except (Died, Overran):
        told = {"error": "unreadable"}
    if told.get("error") == "absent":
        raise NotFound
    if "error" in told:
        raise _unreadable()
    return told


def _unreadable() -> ArtifactCorrupt:
    return ArtifactCorrupt("The PDF cannot be shown here. Download it, or export the version again.")
