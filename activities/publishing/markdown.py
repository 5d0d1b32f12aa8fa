"""The tree of ``markup.py`` written as Markdown again: clean, and saying the same to whatever reads it.

Writing the tree, and not the text it was read from, is what keeps raw HTML, remote images and unsafe links out.
"""

import re
from collections.abc import Callable, Iterable

from activities.publishing.markup import (
    Block,
    Blocks,
    CodeBlock,
    CodeSpan,
    Heading,
    Inline,
    Inlines,
    LineBreak,
    Link,
    Listing,
    Paragraph,
    Quote,
    Rule,
    Style,
    Styled,
    Table,
    Text,
)

ALWAYS_ESCAPED = re.compile(r"[\\`*\[\]<~|]|&(?=#?\w+;)|(?<!\w)_|_(?!\w)")
ESCAPED_AT_LINE_START = re.compile(r"(?m)^(\s*)(?:([#>+=-])|(\d{1,9})([.)])(?=\s|$))")
MARKS = {Style.EMPHASIS: "*", Style.STRONG: "**", Style.STRUCK: "~~"}
COLUMN_RULES = {"left": ":--", "center": ":-:", "right": "--:", "": "---"}


def write(blocks: Blocks, *, heading_shift: int = 0) -> str:
    """The blocks as Markdown, without a line break at the end; headings sink by ``heading_shift`` levels."""
    parts: list[str] = []
    markers = _Markers()
    for block in blocks:
        parts.append(_block(block, heading_shift, markers.of(block)))
    return "\n\n".join(parts)


def write_line(content: Inlines) -> str:
    """Text in one line, as a heading or a table's cell needs it."""
    return _line_starts(" ".join(_inlines(content, lambda _: " ").split()))


def quoted(markdown: str) -> str:
    """Markdown as a block quote."""
    return "\n".join(f"> {line}" if line else ">" for line in markdown.split("\n"))


class _Markers:
    """Lists that follow each other need different marks, or they would be one."""

    def __init__(self) -> None:
        self._last: Block | None = None
        self._other = False

    def of(self, block: Block) -> str:
        if not isinstance(block, Listing):
            self._last = block
            return ""
        same = isinstance(self._last, Listing) and (self._last.start is None) == (block.start is None)
        self._other = same and not self._other
        self._last = block
        if block.start is None:
            return "*" if self._other else "-"
        return ")" if self._other else "."


def _block(block: Block, heading_shift: int, marker: str) -> str:
    match block:
        case Paragraph(content):
            return _line_starts(_inlines(content, lambda hard: "\\\n" if hard else "\n"))
        case Heading(level, content):
            return f"{'#' * min(6, level + heading_shift)} {write_line(content)}"
        case CodeBlock(text, language):
            fence = "`" * max(3, _longest_run(text) + 1)
            return f"{fence}{language if '`' not in language else ''}\n{text}\n{fence}"
        case Quote(inner):
            return quoted(write(inner, heading_shift=heading_shift))
        case Listing(start, items):
            return _listing(start, items, marker, heading_shift)
        case Table():
            return _table(block)
        case Rule():
            return "___"  # which, unlike the others, is never taken for a list or a heading's underline


def _listing(start: int | None, items: Iterable[Blocks], marker: str, heading_shift: int) -> str:
    written: list[str] = []
    tight = True
    for place, item in enumerate(items):
        mark = marker if start is None else f"{start + place}{marker}"
        tight = tight and _is_tight(item)
        body = write(item, heading_shift=heading_shift)
        if _is_tight(item):
            body = body.replace("\n\n", "\n")
        lines = body.split("\n")
        inset = " " * (len(mark) + 1)
        written.append(
            "\n".join([f"{mark} {lines[0]}".rstrip(), *(inset + line if line else "" for line in lines[1:])])
        )
    return ("\n" if tight else "\n\n").join(written)


def _is_tight(item: Blocks) -> bool:
    """A line of text, perhaps with tight lists under it."""
    match item:
        case () | (Paragraph(),):
            return True
        case (Paragraph(), Listing(start, inner)):
            # only a list that begins with 1 may interrupt a paragraph
            return start in (None, 1) and all(_is_tight(each) and each for each in inner)
        case _:
            return False


def _table(table: Table) -> str:
    rows = [
        [_cell(cell) for cell in table.header],
        [COLUMN_RULES.get(align, "---") for align in table.aligns],
        *([_cell(cell) for cell in row] for row in table.rows),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(content: Inlines) -> str:
    line = " ".join(_inlines(content, lambda hard: "<br>" if hard else " ").split())
    return re.sub(r"(?<!\\)\|", r"\\|", line)  # what is left stands in code


def _inlines(content: Iterable[Inline], line_break: Callable[[bool], str]) -> str:
    written = ""
    for node in content:
        if isinstance(node, Link) and written.endswith("!"):
            written = f"{written[:-1]}\\!"  # or the link would be an image, that whoever opens the file fetches
        written += _inline(node, line_break)
    return written


def _inline(node: Inline, line_break: Callable[[bool], str]) -> str:
    match node:
        case Text(text):
            return ALWAYS_ESCAPED.sub(lambda found: "\\" + found.group(), text)
        case CodeSpan(text):
            ticks = "`" * (_longest_run(text) + 1)
            pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
            return f"{ticks}{pad}{text}{pad}{ticks}"
        case LineBreak(hard):
            return line_break(hard)
        case Styled(style, children):
            return f"{MARKS[style]}{_inlines(children, line_break)}{MARKS[style]}"
        case Link(href, children):
            target = f"<{href}>" if re.search(r"[()]", href) else href
            return f"[{_inlines(children, line_break)}]({target})"


def _line_starts(markdown: str) -> str:
    def escaped(found: re.Match[str]) -> str:
        inset, mark, digits, stop = found.groups()
        return f"{inset}\\{mark}" if mark else f"{inset}{digits}\\{stop}"

    return ESCAPED_AT_LINE_START.sub(escaped, markdown)


def _longest_run(text: str) -> int:
    """The longest run of backticks."""
    return max((len(run) for run in re.findall("`+", text)), default=0)
