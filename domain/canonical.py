"""One hash for what is the same thing said twice: requests, plans, inputs."""

import hashlib
import json

from domain.errors import RequestInvalid


def digest(*parts: object) -> str:
    """SHA-256 (64 hex digits) of plain JSON values. The order of keys does not matter, that of items does; a boundary
    between two parts cannot be mistaken for text within one.

    Raises:
        RequestInvalid: A part is not plain JSON (NaN and infinities are not).
    """
    try:
        plain = json.dumps(parts, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise RequestInvalid("A value is not plain JSON: use texts, finite numbers, lists and objects.") from None
    return hashlib.sha256(plain.encode("ascii")).hexdigest()
