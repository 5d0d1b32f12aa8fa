"""Tokens of an identity provider, checked with the keys that it publishes (JWKS, RFC 7517).

The signature algorithms are pinned by the settings and are never HMAC: else the public key could be used as a shared
secret (RFC 8725, 2.1). Keys come from the configured address alone; what a token's own header names (``jku``,
``x5u``, ``jwk``) is never looked at. Keys are fetched when they are first needed, again when they have grown old, and
once, at most every few seconds, when a token names a key that is not known: a key that was rotated in. While the
provider cannot be reached, the keys that are at hand go on serving.
"""

import asyncio
import base64
import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from joserfc import jwt
from joserfc.jwk import ECKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry

from domain.errors import GuidesmithError
from starter.access.fetching import Unfetched, fetched
from starter.access.tokens import BROKEN, TOKEN_LIMIT, Claims, Principal, refused
from starter.logs import log

REFETCH_AFTER_S = 10.0
"""Least time between two fetches, whatever tokens name: strangers must not make us hammer the provider."""

STALE_LIMIT_S = 24 * 3600.0
"""How long keys are used that cannot be fetched again: a key that leaked has to lose its force some day."""

KEYS_LIMIT = 100
RSA_BITS_MIN = 2048
"""RFC 7518, 3.3: a shorter RSA key must not be used."""

KEY_TYPES = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}
"""Key type by the first letters of an algorithm (RFC 7518, 3.1; RFC 8037)."""

PublicKey = RSAKey | ECKey | OKPKey

KEY_CLASSES: Mapping[str, type[RSAKey] | type[ECKey] | type[OKPKey]] = {"RSA": RSAKey, "EC": ECKey, "OKP": OKPKey}
"""Those of public keys. A symmetric key in a public document is no secret."""


class KeysUnavailable(GuidesmithError):
    """No keys of the identity provider have been fetched yet, and it cannot be reached."""

    code = "IDENTITY_PROVIDER_UNAVAILABLE"
    retryable = True


class _Registry(JWSRegistry):
    """Identity providers put header members of their own into tokens, longer than the library expects."""

    max_header_length = 4096


@dataclass(frozen=True)
class _Known:
    """A fetched key, and what its publisher says of it."""

    key: PublicKey
    kid: str | None
    alg: str | None

    def fits(self, algorithm: str, kid: str | None) -> bool:
        return (
            self.key.key_type == KEY_TYPES[algorithm[:2]]
            and self.alg in (None, algorithm)
            and (kid is None or self.kid == kid)
        )


class Keys:
    """The provider's keys, as fetched last. Belongs to one event loop.

    Args:
        url: The JWKS document's address. Redirects are not followed.
        ttl_s: How long fetched keys are used before they are fetched again.
        timeout_s: How long their document may take to come; ``None``: as everything that a provider answers.
    """

    def __init__(
        self,
        url: str,
        *,
        ttl_s: float = 600.0,
        timeout_s: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = url
        self._ttl_s = ttl_s
        self._timeout_s = timeout_s
        self._clock = clock
        self._keys: tuple[_Known, ...] = ()
        self._fetched_at = self._tried_at = float("-inf")
        self._lock = asyncio.Lock()

    async def matching(self, algorithm: str, kid: str | None) -> list[PublicKey]:
        """The keys that may have signed a token with this header; fetched first where that may help.

        Raises:
            KeysUnavailable: There are none at all, and none can be fetched.
        """
        if self._clock() - self._fetched_at > self._ttl_s:
            await self._refresh()
        found = self._found(algorithm, kid)
        if not found:
            await self._refresh()
            found = self._found(algorithm, kid)
        return found

    async def ping(self) -> int:
        """How many keys the provider publishes now. Raises: KeysUnavailable."""
        return len(await self._fetch())

    def _found(self, algorithm: str, kid: str | None) -> list[PublicKey]:
        if self._clock() - self._fetched_at > STALE_LIMIT_S:
            raise _unavailable()
        return [known.key for known in self._keys if known.fits(algorithm, kid)]

    async def _refresh(self) -> None:
        """Fetch, unless somebody did a moment ago. Who comes meanwhile goes on with the keys at hand, or waits."""
        if self._lock.locked() and self._keys:
            return
        async with self._lock:
            if self._clock() - self._tried_at < REFETCH_AFTER_S:
                return
            self._tried_at = self._clock()
            try:
                self._keys = await self._fetch()
            except KeysUnavailable as absent:
                log("auth").warning("auth.keys_unavailable", code=absent.code, kept=len(self._keys))
                return
            self._fetched_at = self._clock()
            log("auth").info("auth.keys_fetched", keys=len(self._keys))

    async def _fetch(self) -> tuple[_Known, ...]:
        try:
            status, answer = await fetched(self._url, timeout_s=self._timeout_s)
            if status != HTTPStatus.OK:
                raise _unavailable()
            return tuple(_public_keys(answer["keys"]))
        except (Unfetched, *BROKEN):
            raise _unavailable() from None


class Signed:
    """What an identity provider has signed, whatever it says.

    Args:
        algorithms: The only signature algorithms that are accepted; all of them asymmetric.
    """

    def __init__(self, keys: Keys, algorithms: Collection[str]) -> None:
        if not algorithms or any(name[:2] not in KEY_TYPES for name in algorithms):
            raise ValueError("tokens of an identity provider are checked with public keys only")
        self._keys = keys
        self._algorithms = tuple(algorithms)
        self._registry = _Registry(algorithms=self._algorithms, strict_check_header=False)

    async def claims(self, token: str) -> Mapping[str, Any]:
        """What the token says: by whom, for whom and until when is still to be looked at.

        Raises:
            Unauthorized: It is malformed, or not signed with one of the provider's keys.
            KeysUnavailable: Nobody can tell: there are no keys yet.
        """
        algorithm, kid = self._header(token)
        for key in await self._keys.matching(algorithm, kid):
            try:
                claims = jwt.decode(token, key, algorithms=[algorithm], registry=self._registry).claims
            except BROKEN:
                continue
            return claims
        raise refused()

    def _header(self, token: str) -> tuple[str, str | None]:
        """What an unproved token says of its signature: which key to try, and nothing more.

        Raises:
            Unauthorized: The algorithm is not one of the pinned ones, or there is nothing to read.
        """
        if len(token) > TOKEN_LIMIT:
            raise refused()
        try:
            header = json.loads(_decoded(token.partition(".")[0]))
            algorithm, kid = header["alg"], header.get("kid")
        except BROKEN:
            raise refused() from None
        if algorithm not in self._algorithms or not (kid is None or isinstance(kid, str)):
            raise refused()
        return algorithm, kid


class JwksTokens:
    """Checks tokens of an identity provider: their signature as :class:`Signed`, and that they say what they must."""

    def __init__(self, keys: Keys, algorithms: Collection[str], claims: Claims) -> None:
        self._signed = Signed(keys, algorithms)
        self._claims = claims

    async def principal(self, token: str) -> Principal:
        """Who the token speaks for.

        Raises:
            Unauthorized: It is malformed, expired, for somebody else, or not the provider's.
            KeysUnavailable: Nobody can tell: there are no keys yet.
        """
        return self._claims.principal(await self._signed.claims(token))


def _public_keys(published: Any) -> Iterable[_Known]:
    """The keys of a JWKS document that can check a signature. What we cannot use is no reason to refuse the others."""
    if not isinstance(published, list):
        raise ValueError("no list of keys")
    for each in published[:KEYS_LIMIT]:
        try:
            kind = KEY_CLASSES[each["kty"]]
            if each.get("use") in (None, "sig") and not _is_short(each):
                yield _Known(kind.import_key(each), each.get("kid"), each.get("alg"))
        except BROKEN:
            continue


def _is_short(key: Mapping[str, Any]) -> bool:
    return key["kty"] == "RSA" and len(_decoded(key["n"]).lstrip(b"\0")) * 8 < RSA_BITS_MIN


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _unavailable() -> KeysUnavailable:
    return KeysUnavailable("Tokens cannot be checked right now: the identity provider cannot be reached.")
