"""Which pictures tell of an action, and what is marked on them: the last settled screen before it with the control
ringed, or the field filled; and, where it tells something new, what came of it."""

import re
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from domain.documents.annotations import Crop, CropStyle, Operation, Ring
from domain.geometry import Box
from domain.recordings.screen import ChangeKind, Point, PointerRest, ScreenChange, ScreenRecord, ScreenText

SMALL_WIDTH, SMALL_HEIGHT = 0.5, 0.12
"""Of the picture: what is written on a control that is smaller both ways is hard to read on a printed page. 130 pixels
of 1080: a line of a terminal with what it answered, too."""
CROP = 0.55
"""Of the picture each way: the part that a small control is shown in. Its surroundings say where it is."""
LARGEST_CROP = 0.8
"""A crop of more than that spares nothing."""
BREATH = 1.4
"""How much wider than what it shows a crop is at least."""
POINTED = 0.03
"""Of the picture's longer side: half the side of the box that stands for a control of which only the pointer on it is
known."""
BESIDE = 0.03
"""Of the picture's width: how far beside a label its box to tick is."""
TELLING = 0.04
"""Share of the picture that has to change for the change alone to tell something: a list that opens, a dialog."""
APART = 0.02
"""Of the picture: how far from its control something appears that is a message, and not the control itself."""
AFTERGLOW_MS = 400
"""How long after it has settled a screen is taken, where it stands that long: what still fades in is there by then."""
LAST_LETTERS_MS = 1_200
"""The same where something was typed: a letter beside the pointer is noticed late, or never."""
AT_ONCE_MS = 800
"""A value that is there sooner was chosen, pasted or filled in by a program: nobody types so fast."""
TYPED = frozenset(
    (
        *("type", "enter", "write", "paste", "fill", "insert", "search"),
        *("geben", "schreiben", "tragen", "tippen", "escriba", "introduzca", "escribe", "saisissez", "tapez", "entrez"),
    )
)
"""Verbs of who types, as a heading begins with them, in the languages whose instructions are understood."""
WAITS = frozenset(("wait", "warten", "espere", "espera", "attendez"))
"""Verbs of who lets the screen do what it does: nothing is acted on."""
_KEYS = re.compile(
    r"\b(?:control|ctrl|strg|steuerung|command|cmd|alt|shift|option|umschalt)\b[ +-]*(?:\w\b|f\d|enter|tab|shift|alt)"
    r"|^(?:press|hit|drücken sie|pulse|appuyez sur) (?:escape|esc|enter|return|tab|f\d+)(?: key)?(?=$|[,.]| to\b)",
    re.IGNORECASE,
)
"""Keys that are pressed: the pointer lies where it was left."""
ACTS_WITHIN_MS = 3_000
"""From the end of a step's words until the hand is where they sent it, where the screen answers nothing."""
FIELD_BELOW = 3.0
"""Of a name's height: how far below it its field reaches."""
_CLICKED = frozenset((ChangeKind.PRESS, ChangeKind.PAGE))
LEEWAY_MS = 200
"""How much earlier than the last settled moment a picture before an action may be taken."""


class Sight(BaseModel):
    """One picture: its time, ms, how early within the same still screen it would do as well, and what is drawn on it.
    ``is_outcome``: it shows what came of the step."""

    model_config = ConfigDict(frozen=True)

    timestamp_ms: int = Field(ge=0)
    earliest_ms: int = Field(ge=0)
    operations: tuple[Operation, ...] = ()
    is_outcome: bool = False


def sights(
    changes: Sequence[ScreenChange], size: tuple[int, int], heading: str = "", screen: ScreenRecord | None = None
) -> tuple[Sight, ...]:
    """The pictures of a step: that of its action (``changes[0]``), then what came of all of it, if that tells
    something. ``size`` is the recording's, in pixels, as shown; ``heading`` the step's, which tells a value that was
    chosen from one that was typed. Where no pointer is to be seen (a telephone, a tablet), what the heading names on
    the ``screen`` is what was acted on."""
    action = changes[0]
    if screen is not None and action.control is None and action.pointer is None and action.kind in _CLICKED:
        action = action.model_copy(update={"control": named_on(heading, screen.texts_at(action.before_ms))})
    last = max(changes, key=lambda each: each.at_ms)
    if action.kind is ChangeKind.SCROLL or (action.kind is ChangeKind.TYPING and not _is_chosen(action, heading)):
        at_ms = _settled(action, LAST_LETTERS_MS if action.kind is ChangeKind.TYPING else AFTERGLOW_MS)
        marks = _marks(action, size) if action.kind is ChangeKind.TYPING else ()
        first = Sight(
            timestamp_ms=at_ms, earliest_ms=max(min(action.after_ms, at_ms), at_ms - LEEWAY_MS), operations=marks
        )
        tells = last.id != action.id and last.at_ms > action.at_ms and tells_something(last)
    else:
        earliest = max(0, action.before_ms - LEEWAY_MS)
        marks = () if acts_on_nothing(heading) else _marks(action, size)
        first = Sight(timestamp_ms=action.before_ms, earliest_ms=earliest, operations=marks)
        tells = tells_something(last)
    if not tells:
        return (first,)
    at_ms = _settled(last)
    crop = None if last.kind is ChangeKind.PAGE else crop_around(last.box)
    marks = () if crop is None else (crop,)
    outcome = Sight(timestamp_ms=at_ms, earliest_ms=min(last.after_ms, at_ms), operations=marks, is_outcome=True)
    return first, outcome


def pointed(heading: str, start_ms: int, end_ms: int, screen: ScreenRecord) -> Sight | None:
    """The picture of a step that nothing on the screen answers: of the moment when the pointer came to rest on what its
    heading names, that ringed; ``None`` where it did not, from when it was told until a little later."""
    words = _words(heading)
    found: list[tuple[int, PointerRest, Box]] = []
    for rest in screen.rests:
        if rest.end_ms <= start_ms or rest.start_ms > end_ms + ACTS_WITHIN_MS:
            continue
        for text in screen.texts_at(rest.start_ms):
            if _names(words, _words(text.text)) and (ring := _pointed_at(rest.at, text.box, screen)) is not None:
                found.append((abs(rest.start_ms - end_ms), rest, ring))
    if not found:
        return None
    _, rest, ring = min(found, key=lambda each: each[0])
    at_ms = min(rest.start_ms + LEEWAY_MS, rest.end_ms)
    crop = crop_around(ring)
    operations: tuple[Operation, ...] = (Ring(op_type="ring", geometry=ring), *([crop] if crop is not None else []))
    return Sight(timestamp_ms=at_ms, earliest_ms=rest.start_ms, operations=operations)


def _pointed_at(point: Point, text: Box, screen: ScreenRecord) -> Box | None:
    """What is ringed where the pointer rests on a text: a button's worth around that. Beside it, a box to be ticked,
    and below it, the field that it names, of which only the pointer in it is known."""
    size = screen.width, screen.height
    across, down = POINTED * max(size) / max(size[0], 1), text.h
    if not text.x - across <= point.x <= text.x + text.w + across:
        return None
    if text.y - down <= point.y <= text.y + text.h + down:
        if point.x < text.x:
            return _around(point, text.h * size[1], size)
        return _button_of(text)
    below = 0 < point.y - text.y - text.h <= FIELD_BELOW * text.h
    return _around(point, POINTED * max(size), size) if below else None


def named_on(heading: str, texts: Sequence[ScreenText]) -> Box | None:
    """What is ringed of the one text that a heading names, the longest; ``None`` where it stands there twice."""
    words = _words(heading)
    named = [text for text in texts if _names(words, _words(text.text))]
    longest = max((len(_words(text.text)) for text in named), default=0)
    found = [text.box for text in named if len(_words(text.text)) == longest]
    return _button_of(found[0]) if len(found) == 1 else None


def _button_of(text: Box) -> Box:
    """A button's worth around a text."""
    down = text.h
    left, top = max(0.0, text.x - down / 2), max(0.0, text.y - down / 2)
    return Box(x=left, y=top, w=min(text.w + down, 1.0 - left), h=min(2 * text.h, 1.0 - top))


def _names(heading: Sequence[str], text: Sequence[str]) -> bool:
    """Whether a heading has a text's words in it, behind its verb."""
    size = len(text)
    return size > 0 and any(list(heading[at : at + size]) == list(text) for at in range(1, len(heading) - size + 1))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def acts_on_nothing(heading: str) -> bool:
    """Whether a step waits, or presses keys: where the pointer stands says nothing then."""
    return next(iter(heading.lower().split()), "") in WAITS or _KEYS.search(heading) is not None


def _is_chosen(action: ScreenChange, heading: str) -> bool:
    """Whether a field was filled at once by a step that does not tell of typing."""
    verb = next(iter(heading.lower().split()), "")
    return (
        bool(verb) and verb not in TYPED and action.control is not None and action.after_ms - action.at_ms < AT_ONCE_MS
    )


def tells_something(change: ScreenChange) -> bool:
    """Whether the screen that a change led to is worth a picture: another page, a dialog, a message. A tick, a mark
    of focus or a chosen value is seen in its control."""
    if change.kind is ChangeKind.PAGE:
        return True
    if change.kind is not ChangeKind.PRESS:
        return False
    box = change.box
    if box.w * box.h >= TELLING:
        return True
    return bool(change.appeared) and change.control is not None and _apart(box, change.control)


def _settled(change: ScreenChange, afterglow_ms: int = AFTERGLOW_MS) -> int:
    """When the screen after a change is seen whole."""
    stands = max(0, change.until_ms - change.after_ms)
    return change.after_ms + min(afterglow_ms, stands // 2)


def _apart(one: Box, other: Box) -> bool:
    across = max(one.x - (other.x + other.w), other.x - (one.x + one.w))
    down = max(one.y - (other.y + other.h), other.y - (one.y + one.h))
    return max(across, down) > APART


def _marks(change: ScreenChange, size: tuple[int, int]) -> tuple[Operation, ...]:
    """A ring around the control, or around the pointer where that is all that is known; and a crop where the control
    is small. Nothing where neither is known."""
    control = _acted_on(change, size)
    if control is None:
        return ()
    ring = Ring(op_type="ring", geometry=control)
    is_small = control.w < SMALL_WIDTH and control.h < SMALL_HEIGHT
    crop = crop_around(control) if is_small else None
    return (ring,) if crop is None else (ring, crop)


def _acted_on(change: ScreenChange, size: tuple[int, int]) -> Box | None:
    """What is ringed. A pointer right beside the control that was found is on what that is the label of: a box to be
    ticked."""
    control, pointer = change.control, change.pointer
    if change.kind is ChangeKind.TYPING:
        return control or change.box
    if pointer is None:
        return control
    if control is None:
        return _around(pointer, POINTED * max(size), size)
    away = max(control.x - pointer.x, pointer.x - control.x - control.w)
    level = control.y <= pointer.y <= control.y + control.h
    return _around(pointer, control.h * size[1] / 2, size) if level and 0 < away <= BESIDE else control


def _around(point: Point, half: float, size: tuple[int, int]) -> Box:
    """A square of twice ``half`` pixels, as far as the picture reaches."""
    across, down = min(half / max(size[0], 1), 0.5), min(half / max(size[1], 1), 0.5)
    left, top = max(point.x - across, 0.0), max(point.y - down, 0.0)
    return Box(x=left, y=top, w=min(point.x + across, 1.0) - left, h=min(point.y + down, 1.0) - top)


def crop_around(box: Box) -> Crop | None:
    """The part of the picture that shows what is small in its surroundings, of the picture's own shape; ``None`` where
    the crop would spare nothing."""
    side = max(CROP, box.w * BREATH, box.h * BREATH)
    if side > LARGEST_CROP:
        return None
    x, y = (
        min(max(start + length / 2 - side / 2, 0.0), 1.0 - side) for start, length in ((box.x, box.w), (box.y, box.h))
    )
    return Crop(op_type="crop", geometry=Box(x=x, y=y, w=side, h=side), style=CropStyle(whole=True))
