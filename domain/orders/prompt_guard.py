"""What a prompt must be before anything is spent on it."""

import re
import unicodedata
from collections.abc import Iterable
from copy import copy
from typing import Self

from domain.errors import PromptRefused

MAX_CHARACTERS = 2000
"""What image providers take at most (the smallest of those that say so)."""


class PromptGuard:
    """Judges prompts by their length and by words that may not be in them.

    Args:
        max_characters: The longest prompt.
        blocklist: Words and phrases. They are found as whole words, whatever their case, their width, the spaces
            between them and the invisible characters within.
    """

    def __init__(self, *, max_characters: int = MAX_CHARACTERS, blocklist: Iterable[str] = ()) -> None:
        self._max = max_characters
        words = sorted({plain for entry in blocklist if (plain := _plain(entry))})
        self._blocked = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)") if words else None

    def within(self, max_characters: int) -> Self:
        """The same guard for texts of another length."""
        other = copy(self)
        other._max = max_characters
        return other

    def check(self, prompt: str) -> str:
        """The prompt without space around it.

        Raises:
            PromptRefused: It is empty, too long, or holds a word of the blocklist. The message does not say which.
        """
        trimmed = prompt.strip()
        if not _plain(trimmed):
            raise PromptRefused("The prompt is empty. Say what is to be made.")
        if len(trimmed) > self._max:
            raise PromptRefused(
                f"The prompt has more than {self._max} characters. Shorten it.",
                details={"limit_characters": self._max},
            )
        if self._blocked is not None and self._blocked.search(_plain(trimmed)):
            raise PromptRefused("The prompt asks for something that is not made here. Change its words.")
        return trimmed


def _plain(text: str) -> str:
    """``text`` as it is compared: compatibility forms and case folded, nothing invisible, single spaces."""
    visible = "".join(each for each in unicodedata.normalize("NFKC", text) if unicodedata.category(each) != "Cf")
    return " ".join(visible.casefold().split())
