"""Texts of users, models and jobs as HTML that is safe wherever it stands, under headings of the page's own."""

import re

from starter.pages.editor.editing import block_html

FIRST_HEADING = 3
"""The page's title is h1, a section's h2."""

_HEADING = re.compile(r"<(/?)h([1-6])\b")


def prose(markdown: str) -> str:
    """``markdown`` cleaned, its headings in an unbroken order from h3: what is read aloud is not left guessing."""
    html = block_html(markdown)
    levels = sorted({match[2] for match in _HEADING.finditer(html)})
    places = {level: min(FIRST_HEADING + place, 6) for place, level in enumerate(levels)}
    return _HEADING.sub(lambda match: f"<{match[1]}h{places[match[2]]}", html)
