"""What of a screen is nobody else's business: found in what was read, and where it has to be blurred.

A value that was found anywhere in a recording is looked for on every picture, also where it was read a little
differently there. What is blurred too much can be taken away again; what is missed has been seen.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from pydantic import BaseModel, ConfigDict, Field

from domain.documents.annotations import MOST_OPERATIONS, Blur, Operation
from domain.geometry import Box
from domain.recordings.screen import ScreenRecord, ScreenText

MOST_LISTED, LONGEST_LISTED = 100, 200
"""Words that somebody lists, and characters of one."""
LONGEST_LINE = 1_000
"""Characters of a line that are looked at: what bounds the work."""
LEAST_LISTED = 2
"""Characters of a listed word."""

NEARBY_MS = 750
"""How far from a picture's time a text may have been read and yet stand on it: a reader looks at some moments only."""
LEAST_CONFIDENCE = 0.5
"""Of a text: one that was read with less may say something else."""
LIKENESS = 0.8
"""Share of a value's letters and digits by which it is known again where it was read a little differently."""
LEAST_PREFIX = 6
"""Letters and digits of a value's beginning that are taken for it: a field that is being filled."""
MARGIN = 1.5
"""Characters on either side of a value that are blurred with it: letters are of different widths."""
DRIFT = 0.04
"""Of the line's width, the same: how far a place within a line may be off."""
OVERHANG = 0.25
"""Of the line's height, above and below."""


class PrivateKind(StrEnum):
    EMAIL = "email"
    KEY = "key"
    CARD = "card"
    PHONE = "phone"
    LISTED = "listed"


class Unchecked(StrEnum):
    """Why nobody can say that nothing private is on a picture: it is of no moment of the recording; no text was read
    at that moment; some was read badly; or the picture is lost."""

    NO_MOMENT = "NO_MOMENT"
    NOT_READ = "NOT_READ"
    READ_BADLY = "READ_BADLY"
    LOST = "LOST"


class Private(BaseModel):
    """A value, ``start`` to ``end`` in the characters of the text that it was found in."""

    model_config = ConfigDict(frozen=True)

    kind: PrivateKind
    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=1)


_EMAIL = re.compile(r"[\w.+-]+ ?[@©®] ?[\w-]+(?: ?\. ?[A-Za-z][\w-]+)+")
_KEY = re.compile(
    r"(?<![\w/.-])(?:"
    r"(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abeprs]|npm|dop|shpat|hf|whsec)[-_][\w-]{8,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[\w-]{20,}|eyJ[\w-]{8,}(?:\.[\w-]*){0,2}|[0-9a-fA-F]{32,}"
    r")"
)
_TOKEN = re.compile(r"(?<![\w/.-])[A-Za-z0-9][A-Za-z0-9_+=-]{19,}(?![\w/])")
_SAID_SECRET = re.compile(
    r"(?i)\b(?:api[ _-]?key|access[ _-]?key|token|secret|password|passwort|kennwort|passphrase|pwd|contraseña|"
    r"mot de passe)\s*[:=]\s*(\S{4,})"
)
_CARD = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])")
_PHONE = re.compile(
    r"(?<![\w.,:/-])(?:\+|00)?\(?\d{1,5}\)?(?:[ .\-/]{0,2}\(?\d{2,5}\)?){1,6}(?![\w:])|(?<!\w)\+\d{8,15}(?!\w)"
)
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,3}(?:\.\d{1,3}){3}|\d{4} ?- ?\d{4}"
)


def private_in(text: str, listed: Sequence[str] = ()) -> tuple[Private, ...]:
    """What is private in one line, in its order; nothing twice. No line of a screen is longer than ``LONGEST_LINE``."""
    text = text[:LONGEST_LINE]
    found: list[Private] = []
    for each in _candidates(text, listed):
        if all(each.end <= other.start or each.start >= other.end for other in found):
            found.append(each)
    return tuple(sorted(found, key=lambda each: each.start))


def _candidates(text: str, listed: Sequence[str]) -> Iterator[Private]:
    for word in listed:
        if len(word.strip()) >= LEAST_LISTED:
            for match in _spelt(word.strip()).finditer(text):
                yield _private(PrivateKind.LISTED, match)
    for match in _EMAIL.finditer(text):
        yield _private(PrivateKind.EMAIL, match)
    for match in _SAID_SECRET.finditer(text):
        yield _private(PrivateKind.KEY, match, 1)
    for match in _CARD.finditer(text):
        if _is_card(match.group()):
            yield _private(PrivateKind.CARD, match)
    for match in _KEY.finditer(text):
        yield _private(PrivateKind.KEY, match)
    for match in _TOKEN.finditer(text):
        if _is_random(match.group()):
            yield _private(PrivateKind.KEY, match)
    for match in _PHONE.finditer(text):
        if _is_phone(match.group()):
            yield _private(PrivateKind.PHONE, match)


def _private(kind: PrivateKind, match: re.Match[str], group: int = 0) -> Private:
    return Private(kind=kind, text=match.group(group), start=match.start(group), end=match.end(group))


@lru_cache(maxsize=MOST_LISTED)
def _spelt(word: str) -> re.Pattern[str]:
    """A listed word as a whole, however its blanks and its case were read."""
    spaced = r"\s*".join(re.escape(part) for part in word.split())
    return re.compile(rf"(?i)(?<!\w){spaced}(?!\w)" if word[0].isalnum() and word[-1].isalnum() else f"(?i){spaced}")


def _is_card(text: str) -> bool:
    """By its check digit (Luhn, ISO/IEC 7812)."""
    digits = [int(each) for each in text if each.isdigit()]
    doubled = [each if place % 2 == 0 else sum(divmod(2 * each, 10)) for place, each in enumerate(reversed(digits))]
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and sum(doubled) % 10 == 0


def _is_random(text: str) -> bool:
    """Letters and digits mixed as no word and no number has them."""
    digits = sum(each.isdigit() for each in text)
    letters = sum(each.isalpha() for each in text)
    changes = sum(one.isdigit() != other.isdigit() for one, other in pairwise(text))
    return digits >= 3 and letters >= 3 and changes >= 4


def _is_phone(text: str) -> bool:
    digits = sum(each.isdigit() for each in text)
    if _DATE.fullmatch(text.strip()) or not 8 <= digits <= 15:
        return False
    if text.startswith(("+", "00")):
        return True
    parts = [len(part) for part in re.findall(r"\d+", text)]
    return (text.startswith("0") and digits >= 9) or parts in ([3, 3, 4], [1, 3, 3, 4])


# --- on pictures -----------------------------------------------------------------------------------------------


def private_of(screen: ScreenRecord, listed: Sequence[str] = ()) -> tuple[Private, ...]:
    """The values that were read anywhere in the recording, each once."""
    found: dict[str, Private] = {}
    for line in screen.texts:
        for each in private_in(line.text, listed):
            found.setdefault(_folded(each.text), each)
    return tuple(found.values())


def nearby(screen: ScreenRecord, at_ms: int) -> tuple[ScreenText, ...]:
    """The texts that may stand on a picture of that moment."""
    return tuple(each for each in screen.texts if each.start_ms - NEARBY_MS <= at_ms < each.end_ms + NEARBY_MS)


def unchecked(screen: ScreenRecord | None, at_ms: int | None) -> Unchecked | None:
    """Why a picture could not be checked; ``None``: it was."""
    if at_ms is None:
        return Unchecked.NO_MOMENT
    texts = nearby(screen, at_ms) if screen is not None else ()
    if not texts:
        return Unchecked.NOT_READ
    badly = any(each.confidence < LEAST_CONFIDENCE and len(_folded(each.text)) >= LEAST_PREFIX for each in texts)
    return Unchecked.READ_BADLY if badly else None


def to_blur(
    screen: ScreenRecord, at_ms: int, known: Sequence[Private], listed: Sequence[str] = ()
) -> tuple[tuple[Private, Box], ...]:
    """What is private on a picture of that moment, and where: what is found in its own lines, and every one of the
    ``known`` values that stands there."""
    found: dict[tuple[str, Box], tuple[Private, Box]] = {}
    for line in nearby(screen, at_ms):
        own = private_in(line.text, listed)
        taken = [(each.start, each.end) for each in own]
        again = [
            value.model_copy(update={"start": start, "end": end})
            for value in known
            for start, end in _places(_folded(value.text), line.text)
            if all(end <= first or start >= last for first, last in taken)
        ]
        for each in (*own, *again):
            box = _box(line, each.start, each.end)
            found.setdefault((_folded(each.text), box), (each, box))
    return tuple(found.values())


def with_blurs(operations: Sequence[Operation], boxes: Iterable[Box]) -> tuple[Operation, ...]:
    """The operations with a blur for each box that none of them covers yet, below everything else; the same where
    there is none."""
    there = [each.geometry for each in operations if isinstance(each, Blur)]
    missing: list[Box] = []
    for box in boxes:
        if not any(_covers(other, box) for other in (*there, *missing)):
            missing = [*(each for each in missing if not _covers(box, each)), box]
    room = MOST_OPERATIONS - len(operations)
    if len(missing) > room:
        missing = [*missing[: room - 1], _hull(missing[room - 1 :])]
    return (*(Blur(op_type="blur", geometry=box) for box in missing), *operations)


def _covers(one: Box, other: Box) -> bool:
    slack = 1e-3
    return (
        one.x <= other.x + slack
        and one.y <= other.y + slack
        and one.x + one.w >= other.x + other.w - slack
        and one.y + one.h >= other.y + other.h - slack
    )


def _hull(boxes: Sequence[Box]) -> Box:
    left, top = min(each.x for each in boxes), min(each.y for each in boxes)
    right, bottom = max(each.x + each.w for each in boxes), max(each.y + each.h for each in boxes)
    return Box(x=left, y=top, w=right - left, h=bottom - top)


def _box(line: ScreenText, start: int, end: int) -> Box:
    """Where characters ``start`` to ``end`` of a line stand, as far as its box tells, and some more."""
    box = line.box
    wide = box.w / max(len(line.text), 1)
    beside = MARGIN * wide + DRIFT * box.w
    left = max(box.x + start * wide - beside, box.x - wide, 0.0)
    right = min(box.x + end * wide + beside, box.x + box.w + wide, 1.0)
    top, bottom = max(box.y - OVERHANG * box.h, 0.0), min(box.y + (1 + OVERHANG) * box.h, 1.0)
    return Box(x=left, y=top, w=right - left, h=bottom - top)


def _folded(text: str) -> str:
    return "".join(each for each in text.casefold() if each.isalnum())


@lru_cache(maxsize=20_000)
def _places(value: str, text: str) -> tuple[tuple[int, int], ...]:
    """Where a value (its letters and digits) stands in a line: exactly, begun, or read a little differently."""
    where = [place for place, each in enumerate(text) if each.isalnum()]
    folded = "".join(text[place].casefold()[:1] for place in where)
    if len(value) < 3 or len(folded) < 3:
        return ()
    exact = [(where[at], where[at + len(value) - 1] + 1) for at in _all(value, folded)]
    if len(value) < LEAST_PREFIX:
        exact = [(start, end) for start, end in exact if _is_word(text, start, end)]
    if exact or len(value) < LEAST_PREFIX:
        return tuple(exact)
    match = SequenceMatcher(None, folded, value, autojunk=False).find_longest_match()
    begun = match.b == 0 and match.size >= max(LEAST_PREFIX, len(value) // 2)
    first = max(0, match.a - match.b)
    last = min(len(folded), first + len(value) + len(value) // 6)
    stretch = SequenceMatcher(None, folded[first : first + len(value)], value, autojunk=False)
    if not (begun or match.size >= LIKENESS * len(value) or (match.size >= 3 and stretch.ratio() >= LIKENESS)):
        return ()
    return (_whole_words(text, where[first], where[last - 1] + 1),)


def _all(value: str, folded: str) -> Iterator[int]:
    return (found.start() for found in re.finditer(re.escape(value), folded))


def _is_word(text: str, start: int, end: int) -> bool:
    return not text[max(start - 1, 0) : start].isalnum() and not text[end : end + 1].isalnum()


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """To the blanks around: what was read differently may be longer or shorter than what it is."""
    begin = text.rfind(" ", 0, start) + 1
    ends = text.find(" ", end)
    return begin, len(text) if ends < 0 else ends
