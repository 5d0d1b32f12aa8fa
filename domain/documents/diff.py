"""What changed between two versions of a document: by block, and line by line as a unified diff.

Pure, and bounded in time: a document may have half a million lines, and the search for the shortest difference takes
the square of that, or worse. Blocks that both versions have are told apart by their ids; lines are compared only
within a block, and only as long as :data:`SEARCHED` lasts. Beyond it a stretch is shown as replaced whole: longer than
it need be, and still right.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.documents.document import Document, marker, parse

CONTEXT_LINES = 3
"""Unchanged lines shown around a change, by the custom of ``diff -u``."""

SEARCHED = 1_000_000
"""Pairs of lines that are compared to find the shortest difference: some tenths of a second, a second at worst."""

Opcode = tuple[str, int, int, int, int]
"""As :meth:`difflib.SequenceMatcher.get_opcodes` has it: tag, first and last line before, first and last after."""


class Change(StrEnum):
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"


class BlockChange(BaseModel):
    """What became of one block. ``position`` counts a version's blocks from 0; ``None`` where the block is not there.

    ``moved``: it stands elsewhere among the blocks that both versions have. A block that moved and changed too is
    ``CHANGED``.
    """

    model_config = ConfigDict(frozen=True)

    block_id: str
    change: Change
    moved: bool = False
    before: str | None = None
    after: str | None = None
    from_position: int | None = None
    to_position: int | None = None


def block_diff(before: Document, after: Document) -> tuple[BlockChange, ...]:
    """The blocks that are not the same: first those of ``after`` in its order, then what was removed, in the order of
    ``before``. Of blocks that changed places as few as possible are said to have moved. Blank space between blocks
    and text above the first marker do not count."""
    old = {block.id: (place, block.markdown) for place, block in enumerate(before.blocks)}
    new = {block.id: (place, block.markdown) for place, block in enumerate(after.blocks)}
    stayed = _longest_rise([old[block_id][0] for block_id in new if block_id in old])
    changes = []
    for block_id, (place, text) in new.items():
        if block_id not in old:
            changes.append(BlockChange(block_id=block_id, change=Change.ADDED, after=text, to_position=place))
            continue
        was, before_text = old[block_id]
        moved = was not in stayed
        if moved or text != before_text:
            changes.append(
                BlockChange(
                    block_id=block_id,
                    change=Change.CHANGED if text != before_text else Change.MOVED,
                    moved=moved,
                    before=before_text,
                    after=text,
                    from_position=was,
                    to_position=place,
                )
            )
    for block_id, (place, text) in old.items():
        if block_id not in new:
            changes.append(BlockChange(block_id=block_id, change=Change.REMOVED, before=text, from_position=place))
    return tuple(changes)


def _longest_rise(places: Sequence[int]) -> frozenset[int]:
    """A longest rising subsequence of distinct numbers, in n log n (patience sorting)."""
    tops: list[int] = []
    below: dict[int, int | None] = {}
    for place in places:
        pile = bisect_left(tops, place)
        below[place] = tops[pile - 1] if pile else None
        tops[pile : pile + 1] = [place]
    found = []
    last = tops[-1] if tops else None
    while last is not None:
        found.append(last)
        last = below[last]
    return frozenset(found)


# --- line by line ----------------------------------------------------------------------------------------------


def unified_diff(before: str, after: str, *, names: tuple[str, str]) -> str:
    """The difference of two stored documents as ``diff -u`` writes it, markers included; empty where there is none.

    Args:
        names: What the two are called in the first two lines.
    """
    old, new = _lines(before), _lines(after)
    matcher = SequenceMatcher(None, [""], [""])
    matcher.opcodes = _joined(_opcodes(parse(before), parse(after), old, new))  # type: ignore[attr-defined]
    written = [f"--- {names[0]}\n", f"+++ {names[1]}\n"]
    for group in matcher.get_grouped_opcodes(CONTEXT_LINES):
        written.append(_hunk_head(group))
        for tag, i, j, k, m in group:
            if tag == "equal":
                written += _marked(" ", old[i:j])
                continue
            written += _marked("-", old[i:j])
            written += _marked("+", new[k:m])
    return "".join(written) if len(written) > 2 else ""


def _lines(text: str) -> list[str]:
    """Lines with their ends; only ``\\n`` ends one."""
    parts = text.split("\n")
    ended = [f"{part}\n" for part in parts[:-1]]
    return [*ended, parts[-1]] if parts[-1] else ended


def _marked(mark: str, lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"


def _hunk_head(group: Sequence[Opcode]) -> str:
    first, last = group[0], group[-1]
    return f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@\n"


def _span(start: int, stop: int) -> str:
    """A stretch of lines as a hunk names it: counted from 1; an empty one by the line before it."""
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _opcodes(before: Document, after: Document, old: Sequence[str], new: Sequence[str]) -> Iterator[Opcode]:
    """How ``old`` becomes ``new``, with the markers of blocks that stayed in place as fixed points."""
    left = SEARCHED
    start, begin = 0, 0
    for stop, end in [*_fixed_points(before, after, old, new), (len(old), len(new))]:
        pairs = (stop - start) * (end - begin)
        matcher = SequenceMatcher(None, old[start:stop], new[begin:end]) if pairs <= left else None
        left -= pairs if matcher else 0
        found: Iterable[Opcode] = matcher.get_opcodes() if matcher else _wholesale(old[start:stop], new[begin:end])
        yield from ((tag, start + i, start + j, begin + k, begin + m) for tag, i, j, k, m in found)
        start, begin = stop, end


def _joined(opcodes: Iterable[Opcode]) -> list[Opcode]:
    """With equal stretches that touch as one."""
    made: list[Opcode] = []
    for opcode in opcodes:
        if made and opcode[0] == made[-1][0] == "equal":
            made[-1] = ("equal", made[-1][1], opcode[2], made[-1][3], opcode[4])
        else:
            made.append(opcode)
    return made


def _fixed_points(
    before: Document, after: Document, old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """The numbers of the lines of both that are the marker of one block, rising in both."""
    here, there = _marker_lines(before, old), _marker_lines(after, new)
    common = [block_id for block_id in there if block_id in here]
    stayed = _longest_rise([here[block_id] for block_id in common])
    return ((here[block_id], there[block_id]) for block_id in common if here[block_id] in stayed)


def _marker_lines(document: Document, lines: Sequence[str]) -> dict[str, int]:
    wanted = {f"{marker(block_id)}\n": block_id for block_id in document.ids}
    return {wanted[line]: number for number, line in enumerate(lines) if line in wanted}


def _wholesale(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    """Alike at the beginning and at the end, and replaced between."""
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    tail = next((n for n in range(shorter - head) if old[-1 - n] != new[-1 - n]), shorter - head)
    codes = (
        ("equal", 0, head, 0, head),
        ("replace", head, len(old) - tail, head, len(new) - tail),
        ("equal", len(old) - tail, len(old), len(new) - tail, len(new)),
    )
    return [code for code in codes if code[1] < code[2] or code[3] < code[4]]
