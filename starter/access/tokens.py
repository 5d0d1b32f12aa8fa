"""Bearer tokens: who calls, by a JWT signed with the shared secret (HS256, and nothing else is accepted).

Tokens of an identity provider are checked beside this, in ``starter/access/jwks.py``; what a token must say to be
believed stands here, once, for both.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey
from joserfc.jwt import JWTClaimsRegistry

from domain.erasure import is_absent
from domain.errors import GuidesmithError
from domain.people import Person, person_of

ALGORITHM = "HS256"
SUBJECT_LIMIT = 200
LEEWAY_S = 30
"""Clocks of two machines may differ by this much."""

TOKEN_LIMIT = 8192
"""Characters of a token that are looked at: identity providers' tokens have one or two thousand."""

BROKEN = (JoseError, ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What reading a stranger's token can raise."""


class Role(StrEnum):
    """What a caller may do: an editor owns jobs, an admin also uses the admin routes."""

    EDITOR = "editor"
    ADMIN = "admin"


@dataclass(frozen=True)
class Principal:
    """Who calls: the token's ``sub`` is the owner of everything they make.

    Args:
        until: When what they came with expires (Unix seconds): a token's ``exp``, a cookie's end. ``None``: never.
        session: The session of the pages that they came with, in place of a token.
        person: What the token calls them; ``None``: they came with none.
        is_providers: Their session goes on as long as the identity provider vouches for it.
    """

    subject: str
    role: Role
    until: float | None = field(default=None, compare=False)
    session: str | None = field(default=None, compare=False)
    person: Person | None = field(default=None, compare=False)
    is_providers: bool = field(default=False, compare=False)


class Unauthorized(GuidesmithError):
    """No token, or one that does not hold."""

    code = "UNAUTHORIZED"


class TokenCheck(Protocol):
    """Knows whom a token speaks for."""

    async def principal(self, token: str) -> Principal:
        """Raises: Unauthorized: The token does not hold."""
        ...


@dataclass(frozen=True)
class Claims:
    """What the claims of a token must be, its signature being good.

    Args:
        issuer: What ``iss`` must be; ``None``: anything.
        audience: What ``aud`` must name; ``None``: anything.
        role_claim: Where the role or roles are; dots lead into objects, unless a claim has that very name.
    """

    issuer: str | None = None
    audience: str | None = None
    role_claim: str = "role"

    def principal(self, claims: Mapping[str, Any]) -> Principal:
        """Who the claims speak for.

        Raises:
            Unauthorized: They have expired, are for somebody else, or lack what they need.
        """
        try:
            self._registry().validate(dict(claims))
            role = self.role(claims)
        except BROKEN:
            raise refused() from None
        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= SUBJECT_LIMIT or not subject.isprintable():
            raise Unauthorized("The token's sub must be 1 to 200 printable characters.")
        if is_absent(subject):
            raise Unauthorized("The token's sub begins with a name that the store keeps for itself.")
        return Principal(subject, role, until=float(claims["exp"]), person=person_of(subject, claims))

    def _registry(self) -> JWTClaimsRegistry:
        expected: dict[str, Any] = {"sub": {"essential": True}, "exp": {"essential": True}}
        if self.issuer is not None:
            expected["iss"] = {"essential": True, "value": self.issuer}
        if self.audience is not None:
            expected["aud"] = {"essential": True, "value": self.audience}
        return JWTClaimsRegistry(leeway=LEEWAY_S, **expected)

    def has_role(self, claims: Mapping[str, Any]) -> bool:
        """Whether the claims say anything of a role."""
        return _found(claims, self.role_claim) is not None

    def role(self, claims: Mapping[str, Any]) -> Role:
        """The highest role that the claim names; an editor's where there is no such claim.

        Raises:
            ValueError: The claim names none of ours.
        """
        said = _found(claims, self.role_claim)
        if said is None:
            return Role.EDITOR
        names = said if isinstance(said, list) else [said]
        for role in (Role.ADMIN, Role.EDITOR):
            if role.value in names:
                return role
        raise ValueError("no role of ours")


class Tokens:
    """Issues and checks tokens with one secret."""

    def __init__(self, secret: str, claims: Claims | None = None) -> None:
        self._key = OctKey.import_key(secret)
        self._claims = claims or Claims()

    def issue(self, subject: str, role: Role = Role.EDITOR, *, ttl_s: int = 3600, now: int | None = None) -> str:
        """A token for ``subject`` that holds for ``ttl_s`` seconds."""
        issued = int(time.time()) if now is None else now
        claims: dict[str, Any] = {"sub": subject, "iat": issued, "exp": issued + ttl_s}
        claims |= _nested(self._claims.role_claim, str(role))
        claims |= {"iss": self._claims.issuer} if self._claims.issuer else {}
        claims |= {"aud": self._claims.audience} if self._claims.audience else {}
        return jwt.encode({"alg": ALGORITHM}, claims, self._key, algorithms=[ALGORITHM])

    def check(self, token: str) -> Principal:
        """Who the token speaks for.

        Raises:
            Unauthorized: It is malformed, expired, not ours, or lacks ``sub`` or ``exp``.
        """
        if len(token) > TOKEN_LIMIT:
            raise refused()
        try:
            claims = jwt.decode(token, self._key, algorithms=[ALGORITHM]).claims
        except BROKEN:
            raise refused() from None
        return self._claims.principal(claims)

    async def principal(self, token: str) -> Principal:
        """As :meth:`check`, which takes microseconds."""
        return self.check(token)


def refused() -> Unauthorized:
    """The one answer to every token that does not hold: it does not help in making a better one."""
    return Unauthorized("The token does not hold: it is expired, malformed, or not for here.")


def _found(claims: Mapping[str, Any], path: str) -> Any:
    if path in claims:  # a namespaced claim is a URL, dots and all
        return claims[path]
    place: Any = claims
    for name in path.split("."):
        if not isinstance(place, Mapping) or name not in place:
            return None
        place = place[name]
    return place


def _nested(path: str, value: str) -> dict[str, Any]:
    if "://" in path:
        return {path: value}
    *outer, last = path.split(".")
    claims: dict[str, Any] = {last: value}
    for name in reversed(outer):
        claims = {name: claims}
    return claims
