"""The blocks of a draft while they grow sentence by sentence, and how they become a draft's."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from activities.drafting.language.sentences import Sentence
from activities.drafting.markdown import escape, fenced
from domain.documents.draft import BlockRole, DraftBlock

MAX_STEPS = 150
"""More steps than that are grouped: nobody follows a list of a thousand."""

_BODY_CHARACTERS = 6_000
"""Plain characters of one body. Escapes at most double them, and a draft's block holds 20,000."""


@dataclass
class Entry:
    """A block that is still growing. ``texts`` are plain sentences, ``items`` plain points of a list below them,
    ``changes`` what it cites of the screen, ``code`` a command that stands in it exactly."""

    role: BlockRole
    start_ms: int
    segments: dict[int, None]
    begins_at: int
    ends_at: int
    heading: str = ""
    texts: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    changes: tuple[int, ...] = ()
    code: str | None = None

    @classmethod
    def of(cls, role: BlockRole, sentence: Sentence, heading: str = "") -> "Entry":
        """An entry that rests on one sentence, without its text."""
        return cls(
            role=role,
            start_ms=sentence.start_ms,
            segments=dict.fromkeys(sentence.segments),
            begins_at=sentence.begins_at,
            ends_at=sentence.ends_at,
            heading=heading,
        )

    @classmethod
    def shown(cls, role: BlockRole, start_ms: int, changes: tuple[int, ...], heading: str) -> "Entry":
        """An entry that rests on what the screen shows alone."""
        return cls(role=role, start_ms=start_ms, segments={}, begins_at=0, ends_at=1, heading=heading, changes=changes)

    def add(self, text: str, sentence: Sentence) -> None:
        """One more sentence, spoken after the others."""
        self.texts.append(text)
        self._cite(sentence.segments, sentence.ends_at)

    def add_as_item(self, later: "Entry") -> None:
        """Another entry as a point of the list."""
        self.items.append(later.as_line())
        self.changes = (*self.changes, *later.changes)
        self._cite(later.segments, later.ends_at)

    def _cite(self, segments: Iterable[int], ends_at: int) -> None:
        self.segments.update(dict.fromkeys(segments))
        self.ends_at = ends_at

    def as_line(self) -> str:
        """Everything on one line."""
        return " ".join([*([f"{self.heading}."] if self.heading else []), *self.texts, *self.items])


def within_limit(entries: list[Entry]) -> tuple[list[Entry], bool]:
    """The entries with at most :data:`MAX_STEPS` steps, and whether some had to be grouped.

    Groups have about the same number of steps; they part where the speaker took the longest to go on. What follows
    a group's first step becomes points below it. Linear.
    """
    steps = [place for place, entry in enumerate(entries) if entry.role is BlockRole.STEP]
    if len(steps) <= MAX_STEPS:
        return entries, False
    borders = {steps[0], *_borders(steps, entries)}
    grouped: list[Entry] = entries[: steps[0]]
    for place in range(steps[0], len(entries)):
        entry = entries[place]
        if place in borders:
            grouped.append(entry)
        else:
            grouped[-1].add_as_item(entry)
    return grouped, True


def _borders(steps: list[int], entries: list[Entry]) -> Iterator[int]:
    """The steps that begin a group, but for the first: near each multiple of the size, after the longest wait."""
    size = -(-len(steps) // MAX_STEPS)

    def wait(number: int) -> int:
        return entries[steps[number]].start_ms - entries[steps[number - 1]].start_ms

    for ideal in range(size, len(steps), size):
        window = range(ideal - (size - 1) // 2, min(len(steps), ideal + size // 2 + 1))
        yield steps[max(window, key=lambda number: (wait(number), number == ideal))]


def blocks_of(entry: Entry) -> list[DraftBlock]:
    """The entry as a block; a body that is too long goes on in notes that cite the same."""
    first, *others = _bodies(entry) or [""]
    block = DraftBlock(
        role=entry.role,
        heading=entry.heading,
        body=first,
        segments=tuple(sorted(entry.segments)),
        changes=entry.changes,
        begins_at=entry.begins_at if entry.segments else 0,
        ends_at=entry.ends_at if entry.segments else None,
    )
    rest = {"role": BlockRole.NOTE, "heading": ""}
    return [block, *(block.model_copy(update={**rest, "body": body}) for body in others)]


def _bodies(entry: Entry) -> list[str]:
    paragraphs = [escape(piece) for piece in _pieces(" ".join(entry.texts))]
    points = [f"- {escape(piece)}" for item in entry.items for piece in _pieces(item)]
    bodies = paragraphs[:]
    if entry.code is not None:
        command = fenced(entry.code[:_BODY_CHARACTERS])
        bodies = [f"{command}\n\n{bodies[0]}" if bodies else command, *bodies[1:]]
    room = _BODY_CHARACTERS - len(bodies[-1]) if bodies else 0
    begun = False
    for point in points:
        if not bodies or room < len(point):
            bodies.append(point)
            room = _BODY_CHARACTERS
        else:
            bodies[-1] += f"\n{point}" if begun else f"\n\n{point}"
        begun = True
        room -= len(point)
    return bodies


def _pieces(text: str) -> list[str]:
    """The text in pieces of at most :data:`_BODY_CHARACTERS`, cut between words where there are any."""
    pieces: list[str] = []
    while len(text) > _BODY_CHARACTERS:
        space = text.rfind(" ", _BODY_CHARACTERS // 2, _BODY_CHARACTERS)
        cut = space if space > 0 else _BODY_CHARACTERS
        pieces.append(text[:cut].strip())
        text = text[cut:].strip()
    return [*pieces, text] if text else pieces
