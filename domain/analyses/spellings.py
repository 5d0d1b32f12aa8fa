"""Texts that are one name to whoever reads them, however they are written."""

import re
import unicodedata
from collections.abc import Callable, Iterable

_LOOK_ALIKE = str.maketrans(
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0430\u0435\u043e\u0440\u0441\u0443\u0445",
    "ABEKMHOPCTYXaeopcyx",
)
"""Cyrillic letters, and the Latin ones that they look like."""
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "æ": "ae"})
_MARKED = re.compile(r"(?<=[^\W\d_]{3})(?: ?[*\u2020\u2021]+|[\u00b9\u00b2\u00b3\u2070-\u2079]+|\[\d{1,2}\])$")
"""A mark of a footnote, behind a name."""
_DOUBLED = re.compile(r"([^\W\d_])\1")
ID_DIGITS = 6
"""From so many on, digits in groups are those of a number that is written in one, too (an IBAN, a telephone)."""


def written_differently(
    values: Iterable[str], told_apart: Callable[[str], str], *, doubled: bool = False
) -> list[list[str]]:
    """Groups of values that are one to whoever reads them, and several by what they are told apart by.

    Args:
        doubled: Whether a letter that is doubled or not makes no difference (canceled, cancelled).
    """
    spelled: dict[str, list[str]] = {}
    for value in values:
        read = _read(value)
        spelled.setdefault(_DOUBLED.sub(r"\1", read) if doubled else read, []).append(value)
    return [alike for alike in spelled.values() if len(set(map(told_apart, alike))) > 1]


def _read(value: str) -> str:
    """The text without what nobody sees, and with one way of writing."""
    unmarked = _MARKED.sub("", value.rstrip())
    seen = "".join(each for each in unicodedata.normalize("NFKC", unmarked) if unicodedata.category(each) != "Cf")
    plain = " ".join(seen.translate(_LOOK_ALIKE).casefold().translate(_SPELLED_OUT).split())
    return re.sub(r"[ -]", "", plain) if sum(map(str.isdigit, plain)) >= ID_DIGITS else plain
