"""A document's title: the text of its first heading of level 1, and how it is changed."""

import re

from domain.documents.constructs import constructs

_SETEXT_TITLE = re.compile(r"\s*\S[^\n]*\n {0,3}=+[ \t]*(?:\n|$)")
_ATX_TITLE = re.compile(r" {0,3}#(?:[ \t]+([^\n]*?))?(?:[ \t]+#+)?[ \t]*$")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def title_of(markdown: str) -> str | None:
    """The text of the first heading of level 1, or ``None``."""
    found = _found(markdown)
    return None if found is None else _ESCAPED.sub(r"\1", found[0]) or None


def with_title(markdown: str, heading: str) -> str | None:
    """The same text with another title. ``None``: it has none.

    Args:
        heading: What stands behind ``# ``, as Markdown on one line.
    """
    found = _found(markdown)
    if found is None or not found[0]:
        return None
    _, start, end = found
    return f"{markdown[:start]}# {heading}{markdown[end:]}"


def without_title(markdown: str) -> str:
    """The text without its title."""
    found = _found(markdown)
    return markdown if found is None else markdown[: found[1]] + markdown[found[2] :]


def _found(markdown: str) -> tuple[str, int, int] | None:
    """The title as it is written, and where it stands, in code points."""
    for part in constructs(markdown):
        text = markdown[part.start : part.end]
        if part.heading == 1 and (found := _ATX_TITLE.match(text)):
            return (found.group(1) or "").strip(), part.start, part.end
        if below := _SETEXT_TITLE.match(text):
            lead = len(text) - len(text.lstrip())
            end = part.start + len(below.group().rstrip())
            return text.strip().split("\n")[0].strip(), part.start + lead, end
    return None
