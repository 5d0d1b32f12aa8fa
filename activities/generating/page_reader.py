"""The process that reads a web page: HTML in, its title and its readable text out, then it ends.

It is confined: it sees the page and the folder for its answer, and nothing else. Run as a script.
"""

import json
from pathlib import Path

from activities.confined import inside

LEAST_CHARACTERS = 80
"""Fewer in what looks like the content: then all of the page is taken that is no navigation."""

TITLE_LIMIT = 300

AROUND = ["nav", "footer", "header", "aside", "form", "script", "style", "template", "dialog"]


def main() -> None:
    order = inside.order()
    page, out = Path(order["page"]), Path(order["out"])
    inside.lock_down(readable=[page], writable=[out])
    title, text = read(page.read_bytes(), order["charset"])
    (out / "text.json").write_text(json.dumps({"title": title, "text": text}), encoding="utf-8")
    inside.report(done=True)


def read(page: bytes, charset: str | None) -> tuple[str, str]:
    """Title and text."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import detect_encoding
    from resiliparse.parse.html import HTMLTree

    try:
        tree = HTMLTree.parse_from_bytes(page, charset or detect_encoding(page) or "utf-8")
    except (LookupError, ValueError):
        tree = HTMLTree.parse_from_bytes(page, "utf-8")
    text = extract_plain_text(tree, main_content=True, alt_texts=False)
    if len(text) < LEAST_CHARACTERS:
        text = extract_plain_text(tree, main_content=False, alt_texts=False, skip_elements=AROUND)
    return " ".join((tree.title or "").split())[:TITLE_LIMIT], text


if __name__ == "__main__":
    main()
