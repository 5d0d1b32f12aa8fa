"""Comments on the blocks of a guide: plain text, in threads that stay where their block is, and when it goes, say so.

They are beside the versions: to comment makes none, and no export, link or model has them.
"""

import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime

from domain.errors import RequestInvalid
from domain.jobs import Frozen

LONGEST_COMMENT = 4000
"""Characters."""

THREADS_LIMIT = 500
"""Threads of one guide that are not resolved."""

COMMENTS_LIMIT = 200
"""Comments of one thread."""

QUOTE_LENGTH = 160
"""Characters of a block that a thread remembers, for when it is gone."""

_BLANK = re.compile(r"\s+")
_STYLE = re.compile(r"[*_`~]+|^#{1,6}\s+|^>\s?|^\s*[-+*]\s+", re.MULTILINE)


class Comment(Frozen):
    """What somebody said. ``edited_at``: when they changed it last."""

    id: str
    thread_id: str
    author: str
    text: str
    created_at: datetime
    edited_at: datetime | None = None


class Thread(Frozen):
    """What is said about a block. ``quote``: how the block read when it began; ``resolved_at``: since when it is
    settled."""

    id: str
    instruction_id: str
    job_id: str
    block_id: str
    quote: str
    created_at: datetime
    resolved_at: datetime | None = None
    resolved_by: str | None = None
    comments: tuple[Comment, ...] = ()


def checked_comment(text: str) -> str:
    """The text as it is kept: without blank space around it.

    Raises:
        RequestInvalid: It is empty, too long, or has characters that are not for people.
    """
    said = text.replace("\r\n", "\n").strip()
    if not 0 < len(said) <= LONGEST_COMMENT:
        raise RequestInvalid(f"A comment has 1 to {LONGEST_COMMENT} characters.", field="text")
    # also what turns the direction of what follows around: it would show one text as another
    if any(unicodedata.category(each) in ("Cc", "Cs") and each not in "\n\t" for each in said) or any(
        "\u202a" <= each <= "\u202e" for each in said
    ):
        raise RequestInvalid("A comment is plain text, without control characters.", field="text")
    return said


def quote_of(markdown: str) -> str:
    """The beginning of a block's text, on one line, without its signs of style."""
    plain = _BLANK.sub(" ", _STYLE.sub("", markdown)).strip()
    return plain if len(plain) <= QUOTE_LENGTH else f"{plain[: QUOTE_LENGTH - 1].rstrip()}…"


def mentioned_in(text: str, people: Mapping[str, str]) -> tuple[str, ...]:
    """Who of ``people`` (subject → name) the text calls, as ``@subject`` or ``@name``, in their order. Where one name
    begins another, the longer is called."""
    whose: dict[str, set[str]] = {}
    for subject, name in people.items():
        for each in {subject, name}:
            whose.setdefault(each, set()).add(subject)
    found: set[str] = set()
    left = text
    for name in sorted(whose, key=len, reverse=True):
        called = re.compile(rf"(?<![\w@])@{re.escape(name)}(?!\w)", re.IGNORECASE)
        if called.search(left):
            found |= whose[name]
            left = called.sub(" ", left)
    return tuple(subject for subject in people if subject in found)
