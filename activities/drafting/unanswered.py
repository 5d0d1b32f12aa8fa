"""What is told as an action and not answered by the screen: whether it is a step all the same."""

import re
from collections.abc import Sequence

from activities.drafting.acts import Shown
from activities.drafting.agreement import Pair, named
from activities.drafting.language import english
from activities.drafting.language.phonetics import squashed
from activities.drafting.language.speech_acts import Kind, Reading, StatedAction

_ALONE = re.compile(r"\S+ (?:it|that|this|them|there|here|so)$", re.IGNORECASE)
"""An action on something that only the screen could name ("got it", "try that")."""
_ON_SCREEN = frozenset(
    (
        *(
            "click",
            "select",
            "choose",
            "type",
            "enter",
            "open",
            "go",
            "tick",
            "untick",
            "check",
            "uncheck",
            "hit",
            "tap",
        ),
        *("pick", "scroll", "search", "drag", "drop", "paste", "toggle", "enable", "disable", "double-click", "switch"),
        *("right-click", "save", "add", "create", "delete", "edit", "copy", "navigate", "head", "set", "give", "find"),
    )
)
"""Verbs of what is done on a screen, and would be seen there. What is told with others can be done off it."""


def stands_alone(
    place: int,
    stated: Sequence[tuple[int, StatedAction]],
    read: Sequence[Reading],
    pairs: dict[int, Pair],
    shown: Shown | None,
) -> bool:
    """Whether a spoken action that the screen does not answer is a step: it was told as an instruction, nobody took
    it back, and it is done off the screen (or no screen was read)."""
    each = stated[place][1]
    if not each.sure or is_taken_back(place, stated, read) or _ALONE.match(each.heading):
        return False
    if shown is None:
        return True
    if english.POSSIBLE.search(_before_verb(each)):
        return False
    if _says_again(place, stated, pairs):
        return False
    return each.verb not in _ON_SCREEN or _names_something(each, shown)


def _names_something(stated: StatedAction, shown: Shown) -> bool:
    """Whether the action is told of something that stands on the screen just then: a click that changes nothing to be
    seen is one all the same."""
    if english.OWN.search(_before_verb(stated)):
        return False
    behind_verb = stated.heading.partition(" ")[2]
    names = shown.names(stated.clause.begins_ms, stated.clause.ends_ms + 1)
    return any(len(key) >= 3 and named(behind_verb, name) == 1.0 for key, name in names.items())


def _before_verb(stated: StatedAction) -> str:
    return stated.clause.text.lower().partition(stated.verb)[0]


def is_taken_back(place: int, stated: Sequence[tuple[int, StatedAction]], read: Sequence[Reading]) -> bool:
    """Whether the next thing that is told corrects it."""
    number = stated[place][0]
    if place + 1 < len(stated) and stated[place + 1][0] == number:
        return False
    for later in range(number + 1, min(number + 3, len(read))):
        if read[later].kind is Kind.QUESTION:
            return False  # what follows answers that
        if read[later].corrects:
            return any(each.stated for each in read[later : later + 2])
        if read[later].stated:
            return False
    return False


def _says_again(place: int, stated: Sequence[tuple[int, StatedAction]], pairs: dict[int, Pair]) -> bool:
    """Whether a neighbour that the screen answers tells the same."""
    words = {squashed(word) for word in stated[place][1].heading.split()}
    for near in (place - 1, place + 1):
        if near in pairs and 0 <= near < len(stated):
            other = {squashed(word) for word in stated[near][1].heading.split()}
            if len(words & other) >= 0.6 * min(len(words), len(other)):
                return True
    return False
