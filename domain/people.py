"""People as others see them: what their identity provider calls them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from domain.jobs import Frozen

NAME_LIMIT = 200
EMAIL_LIMIT = 320
"""Characters: 64 of the mailbox, an @, 255 of the host (RFC 5321, 4.5.3.1)."""

_STEERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that turn the direction of the text after them: a name must not rewrite what stands beside it."""


class Person(Frozen):
    """Whom a subject stands for, as their provider told when they were last seen.

    Args:
        subject: The token's ``sub``: the owner of what they make.
        email: In small letters. Whoever may choose theirs freely could choose somebody else's.
        email_verified: Whether the provider says that it is theirs. Only then it may let them in anywhere.
    """

    subject: str
    name: str | None = None
    email: str | None = None
    email_verified: bool = False
    seen_at: datetime | None = None

    @property
    def shown(self) -> str:
        """What to call them: their name, else their address, else their subject."""
        return self.name or self.email or self.subject


def person_of(subject: str, claims: Mapping[str, Any]) -> Person:
    """Whom standard claims (OpenID Connect Core, 5.1) describe: ``name``, else ``preferred_username``, and ``email``.
    What cannot be a name or an address is left out."""
    email = (_plain(claims.get("email"), EMAIL_LIMIT) or "").lower() or None
    if email is not None and ("@" not in email or " " in email):
        email = None
    return Person(
        subject=subject,
        name=_plain(claims.get("name"), NAME_LIMIT) or _plain(claims.get("preferred_username"), NAME_LIMIT),
        email=email,
        email_verified=email is not None and claims.get("email_verified") is True,
    )


def _plain(claim: object, limit: int) -> str | None:
    if not isinstance(claim, str):
        return None
    text = " ".join(claim.split())
    kept = "".join(each for each in text if each.isprintable() and each not in _STEERING).strip()
    return kept if 0 < len(kept) <= limit else None
