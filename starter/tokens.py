"""Bearer tokens: JWTs signed with the shared secret (HS256, and nothing else is accepted)."""

import time
from dataclasses import dataclass
from enum import StrEnum

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey
from joserfc.jwt import JWTClaimsRegistry

from domain.errors import GuidesmithError

ALGORITHM = "HS256"
SUBJECT_LIMIT = 200
LEEWAY_S = 30
"""Clocks of two machines may differ by this much."""


class Role(StrEnum):
    """What a caller may do: an editor owns jobs, an admin also uses the admin routes."""

    EDITOR = "editor"
    ADMIN = "admin"


@dataclass(frozen=True)
class Principal:
    """Who calls: the token's ``sub`` is the owner of everything they make."""

    subject: str
    role: Role


class Unauthorized(GuidesmithError):
    """No token, or one that does not hold."""

    code = "UNAUTHORIZED"


class Tokens:
    """Issues and checks tokens with one secret."""

    def __init__(self, secret: str) -> None:
        self._key = OctKey.import_key(secret)
        self._claims = JWTClaimsRegistry(
            leeway=LEEWAY_S, sub={"essential": True}, exp={"essential": True}, nbf={"essential": False}
        )

    def issue(self, subject: str, role: Role = Role.EDITOR, *, ttl_s: int = 3600, now: int | None = None) -> str:
        """A token for ``subject`` that holds for ``ttl_s`` seconds."""
        issued = int(time.time()) if now is None else now
        claims = {"sub": subject, "role": str(role), "iat": issued, "exp": issued + ttl_s}
        return jwt.encode({"alg": ALGORITHM}, claims, self._key, algorithms=[ALGORITHM])

    def check(self, token: str) -> Principal:
        """Who the token speaks for.

        Raises:
            Unauthorized: It is malformed, expired, not ours, or lacks ``sub`` or ``exp``.
        """
        try:
            claims = jwt.decode(token, self._key, algorithms=[ALGORITHM]).claims
            self._claims.validate(claims)
            subject, role = claims["sub"], Role(claims.get("role", Role.EDITOR))
        except (JoseError, ValueError, TypeError, KeyError, RecursionError):
            raise Unauthorized("The token does not hold: it is expired, malformed or not from here.") from None
        if not isinstance(subject, str) or not 0 < len(subject) <= SUBJECT_LIMIT or not subject.isprintable():
            raise Unauthorized("The token's sub must be 1 to 200 printable characters.")
        return Principal(subject, role)
