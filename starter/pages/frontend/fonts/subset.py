"""Takes Latin Extended-A, and the four letters of Romanian outside it, out of Inter's 85 KB of Latin Extended: what the
other languages of Europe that are written in Latin letters need is 15 KB of them.

    python starter/pages/frontend/fonts/subset.py

writes it, after the locked package has changed (``tests/unit/test_pages_rendering.py`` says so). The result is kept in
the repository, so that what builds the pages needs no tool for fonts.
"""

from io import BytesIO
from pathlib import Path

from fontTools.subset import Options, Subsetter, load_font, save_font

LETTERS = (*range(0x0100, 0x0180), *range(0x0218, 0x021C))
HERE = Path(__file__).resolve().parent
WHOLE = HERE.parent / "node_modules/@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2"
PART = HERE / "inter-latin-ext-a-wght-normal.woff2"


def part() -> bytes:
    """The font of these letters. The same package gives the same bytes."""
    options = Options(flavor="woff2", layout_features=["*"], recalc_timestamp=False)
    font = load_font(WHOLE, options)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=LETTERS)
    subsetter.subset(font)
    written = BytesIO()
    save_font(font, written, options)
    return written.getvalue()


if __name__ == "__main__":
    PART.write_bytes(part())
