"""Cuts Markdown into its top-level constructs, so that a text written by hand becomes blocks.

Not a Markdown parser: it knows just enough of CommonMark to never cut through something that belongs together. A
construct ends at a blank line or before an ATX heading, except inside fenced or indented code, lists and HTML,
which stay whole whatever blank lines they hold. Linear in the length of the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_BLANK = " \t"
"""What a blank line may hold. Not what ``str.strip`` takes for space: to Markdown a no-break space is text."""

_ATX_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_FENCE_IN_LIST = re.compile(r"[ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})")
_LIST_ITEM = re.compile(r" {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)")
_THEMATIC_BREAK = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_INDENTED = re.compile(r"(?: {4}| {0,3}\t)")
_LIST_CONTINUATION = re.compile(r"(?: {2}|\t)")
_HTML_BLOCK = re.compile(r" {0,3}</?([a-z][a-z0-9]*)(?:[ \t]|/?>|$)", re.IGNORECASE)
_HTML_SPANS = (
    (
        re.compile(r" {0,3}<(?:script|pre|style|textarea)(?:[ \t]|>|$)", re.I),
        re.compile(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    (re.compile(r" {0,3}<!--"), re.compile(r"-->")),
    (re.compile(r" {0,3}<\?"), re.compile(r"\?>")),
    (re.compile(r" {0,3}<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(r" {0,3}<![a-z]", re.I), re.compile(r">")),
)
"""Starts and ends of the HTML blocks 1 to 5 of CommonMark 0.31, section 4.6."""

_NESTING_TAGS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "body", "center", "details", "dialog", "div", "dl", "fieldset"),
        *("figure", "footer", "form", "header", "html", "main", "menu", "nav", "ol", "section", "table", "tbody"),
        *("tfoot", "thead", "tr", "ul"),
    )
)
"""Tags that hold other blocks, so that a blank line between them and their end tag does not end the construct."""


@dataclass(frozen=True, slots=True)
class Construct:
    """A stretch of text: ``start`` and ``end`` are offsets in code points, ``end`` behind the last character that is
    not blank. ``heading`` is the level of an ATX heading (1 to 6), 0 for anything else."""

    start: int
    end: int
    heading: int = 0


def constructs(text: str) -> list[Construct]:
    """The top-level constructs of ``text`` (lines end with ``\\n``), in order. What lies between is blank."""
    return list(_Scanner(text.split("\n")).run())


def groups(text: str, *, keep_together: bool) -> list[Construct]:
    """The constructs of ``text`` joined into blocks.

    A heading of level 2 holds what follows it up to the next heading of level 1 or 2: together they are a step. With
    ``keep_together`` everything else that follows in one text stays with what stands before it, too, and only such
    headings begin a block.
    """
    joined: list[Construct] = []
    for part in constructs(text):
        begins = part.heading in (1, 2)
        if joined and not begins and (keep_together or joined[-1].heading == 2):
            joined[-1] = Construct(joined[-1].start, part.end, joined[-1].heading)
        else:
            joined.append(part)
    return joined


def has_unclosed_fence(text: str) -> bool:
    """Whether a code fence of ``text`` is opened and never closed."""
    closing: re.Pattern[str] | None = None
    for line in text.split("\n"):
        if closing is not None:
            if closing.match(line):
                closing = None
        elif opened := _FENCE.match(line):
            closing = _closing(opened.group(1))
    return closing is not None


def _closing(fence: str) -> re.Pattern[str]:
    return re.compile(rf"[ \t]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")


@dataclass
class _Scanner:
    """One pass over the lines. Openers whose end is nowhere are remembered, so that none is searched for twice."""

    lines: list[str]
    _unclosed_tags: set[str] = field(default_factory=set)
    _unclosed_fences: dict[str, int] = field(default_factory=dict)

    def run(self) -> Iterator[Construct]:
        offsets = [0]
        for line in self.lines:
            offsets.append(offsets[-1] + len(line) + 1)
        here = self._next_text(0)
        while here < len(self.lines):
            heading = _ATX_HEADING.match(self.lines[here])
            behind = here + 1 if heading else self._end(here)
            last = behind - 1
            while not self.lines[last].strip(_BLANK):
                last -= 1  # what is never closed runs on over the blank lines at the end
            yield Construct(
                offsets[here],
                offsets[last] + len(self.lines[last].rstrip(_BLANK)),
                len(heading.group(1)) if heading else 0,
            )
            here = self._next_text(behind)

    def _next_text(self, at: int) -> int:
        while at < len(self.lines) and not self.lines[at].strip(_BLANK):
            at += 1
        return at

    def _end(self, start: int) -> int:
        """The line behind the construct that begins at line ``start``."""
        indented_code = bool(_INDENTED.match(self.lines[start]))
        in_list = False
        at = last = start
        while at < len(self.lines):
            line = self.lines[at]
            if not line.strip(_BLANK):
                following = self._next_text(at)
                if following == len(self.lines):
                    break
                next_line = self.lines[following]
                goes_on = (in_list and _goes_on_list(next_line)) or (indented_code and _INDENTED.match(next_line))
                if not goes_on:
                    break
                at = following
                continue
            if at > start and _ATX_HEADING.match(line):
                break
            in_list = in_list or _begins_list(line)
            at = last = self._behind_whole(at, in_list)
        return last

    def _behind_whole(self, at: int, in_list: bool) -> int:
        """The line behind what begins at ``at``: a fence or an HTML block whole, else that one line."""
        line = self.lines[at]
        if fence := (_FENCE_IN_LIST if in_list else _FENCE).match(line):
            return self._behind_fence(at, fence.group(1), to_the_end=not in_list)
        for opening, closing in _HTML_SPANS:
            if opened := opening.match(line):
                return self._behind_match(at, closing, opened.end())
        if (tag := _HTML_BLOCK.match(line)) and tag.group(1).lower() in _NESTING_TAGS:
            return self._behind_tag(at, tag.group(1).lower())
        return at + 1

    def _behind_fence(self, at: int, fence: str, *, to_the_end: bool) -> int:
        # An unclosed fence runs to the end of the text; inside a list it ends with the item, so it holds nothing.
        otherwise = len(self.lines) if to_the_end else at + 1
        if len(fence) >= self._unclosed_fences.get(fence[0], len(fence) + 1):
            return otherwise
        closing = _closing(fence)
        for number in range(at + 1, len(self.lines)):
            if closing.match(self.lines[number]):
                return number + 1
        self._unclosed_fences[fence[0]] = len(fence)
        return otherwise

    def _behind_match(self, at: int, closing: re.Pattern[str], from_column: int) -> int:
        if closing.search(self.lines[at], from_column):
            return at + 1
        for number in range(at + 1, len(self.lines)):
            if closing.search(self.lines[number]):
                return number + 1
        return len(self.lines)

    def _behind_tag(self, at: int, name: str) -> int:
        """Behind the end tag that balances the tag at ``at``; the next line where there is none."""
        if name in self._unclosed_tags:
            return at + 1
        tags = re.compile(rf"<(/?){name}(?=[\s/>]|$)", re.IGNORECASE)
        depth = 0
        for number in range(at, len(self.lines)):
            for tag in tags.finditer(self.lines[number]):
                depth += -1 if tag.group(1) else 1
            if depth <= 0:
                return number + 1
        self._unclosed_tags.add(name)
        return at + 1


def _begins_list(line: str) -> bool:
    return bool(_LIST_ITEM.match(line)) and not _THEMATIC_BREAK.match(line)


def _goes_on_list(line: str) -> bool:
    return bool(_LIST_CONTINUATION.match(line)) or _begins_list(line)
