"""JSON as RFC 8259 has it and as everything behind can hold it, checked before a route sees it.

Python's parser takes more: ``NaN``, the last of two equal names, half a surrogate pair. Two readers of such a body may
understand different things, and a database refuses the characters.
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from domain.errors import RequestInvalid

_RISKY = (b"\\ud", b"\\uD", b"\\u0000")
"""What has to stand in a body that holds half a surrogate pair or a NUL. UTF-8 itself can write neither."""


_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+\\?"?', re.DOTALL)
"""A string, or what is left of the body from one that does not end: each byte is looked at once."""

VALUES_LIMIT = 50_000
"""Values of a body. What is asked for in JSON has a few hundred, a drawing some thousands of points. Each is made by
every reader behind: a MiB of brackets held up everybody for 0.9 s."""


def check_json(body: bytes) -> None:
    """Raises: RequestInvalid: ``body`` is not JSON, or JSON that two readers may understand in two ways, or has more
    values than anybody sends who means it."""
    if len(body) > VALUES_LIMIT and _values(body) > VALUES_LIMIT:
        raise _refused(f"has more than {VALUES_LIMIT} values")
    try:
        value = json.loads(
            body.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_names_once
        )
        if any(mark in body for mark in _RISKY):
            for text in _texts(value):
                _check_storable(text)
    except _Ambiguous as ambiguous:
        raise _refused(str(ambiguous)) from None
    except RecursionError:
        raise _refused("is nested too deeply") from None
    except ValueError:
        raise _refused("is not valid JSON in UTF-8") from None


def _values(body: bytes) -> int:
    """How many there are at most: each but the first stands behind one of these, outside of strings."""
    plain = _STRINGS.sub(b"", body)
    return plain.count(b"[") + plain.count(b"{") + plain.count(b",") + plain.count(b":")


class _Ambiguous(ValueError):
    """Valid for Python, not for everybody."""


def _no_constant(name: str) -> Any:
    raise _Ambiguous(f"has {name}, which JSON does not know")


def _finite(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise _Ambiguous("has a number that is larger than any that can be kept")
    return number


def _names_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    named = dict(pairs)
    if len(named) != len(pairs):
        raise _Ambiguous("has a name twice in one object")
    return named


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _check_storable(text: str) -> None:
    if "\x00" in text or any("\ud800" <= each <= "\udfff" for each in text):
        raise _Ambiguous("has characters that cannot be stored")


def _refused(why: str) -> RequestInvalid:
    message = f"The body {why}."
    issues = [{"path": "body", "code": "json_invalid", "message": message}]
    return RequestInvalid(message, details={"issues": issues})
