"""Signing in by an identity provider's own page: OpenID Connect, authorization code with PKCE (S256).

The provider says by discovery where its pages and keys are. Whoever is to sign in is led to it with a state, a nonce
and the hash of a verifier, all drawn anew, and comes back with a code, which this server alone can exchange. What is
believed is the ID token: signed with a key that the provider publishes, by a pinned algorithm (``jwks.py``), of this
issuer, for this client, of this very sign-in and of now. Tokens go into no log, no address and no error.

There is no client of a library in between: what one would add to httpx and joserfc, which are here, is a form of four
fields, and it would bring a second way to fetch keys and to check what they signed.
"""

import asyncio
import base64
import hashlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from domain.errors import GuidesmithError
from domain.people import Person, person_of
from starter.access.fetching import Unfetched, fetched
from starter.access.jwks import Keys, KeysUnavailable, Signed
from starter.access.tokens import BROKEN, LEEWAY_S, SUBJECT_LIMIT, Claims, Role, Unauthorized
from starter.logs import log

DISCOVERY = "/.well-known/openid-configuration"
METADATA_TTL_S = 3600.0
SECRET_BYTES = 32
"""Of a state, a nonce and a verifier: 43 characters, the least that RFC 7636 (4.1) takes for the last."""

RETRY_AFTER_S = 5.0
"""How long a provider that failed is left alone."""

LARGEST_TOKEN = 16 * 1024
"""Characters of a refresh token that are kept: they have some hundred, at some providers two thousand."""

LOGOUT_AGE_S = 300.0
"""How old a logout token may be: it is sent at once, and who kept one must not end later sessions with it."""

LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"


class Reason(StrEnum):
    """Why a sign-in did not come about: a stable code for each."""

    DENIED = "SIGN_IN_DENIED"
    PROVIDER_ERROR = "SIGN_IN_PROVIDER_ERROR"
    STATE = "SIGN_IN_STATE"
    CODE = "SIGN_IN_CODE"
    CLIENT = "SIGN_IN_CLIENT"
    METADATA = "SIGN_IN_METADATA"
    ANSWER = "SIGN_IN_ANSWER"
    SIGNATURE = "SIGN_IN_SIGNATURE"
    ISSUER = "SIGN_IN_ISSUER"
    AUDIENCE = "SIGN_IN_AUDIENCE"
    CLOCK = "SIGN_IN_CLOCK"
    NONCE = "SIGN_IN_NONCE"
    SUBJECT = "SIGN_IN_SUBJECT"
    ROLE = "SIGN_IN_ROLE"


SENTENCES: Mapping[Reason, str] = {
    Reason.DENIED: "The identity provider let nobody in: it was declined there, or is not allowed.",
    Reason.PROVIDER_ERROR: "The identity provider answered with an error.",
    Reason.STATE: "This sign-in was not begun in this browser, is too old, or was finished before.",
    Reason.CODE: "The identity provider does not take the code any more: it has expired, or was used.",
    Reason.CLIENT: "The identity provider does not know this server: its client id, secret or address is wrong.",
    Reason.METADATA: "What the identity provider says of itself does not fit the settings.",
    Reason.ANSWER: "The identity provider's answer cannot be read.",
    Reason.SIGNATURE: "The ID token is not signed with a key of the provider by an algorithm that is taken.",
    Reason.ISSUER: "The answer is of another issuer.",
    Reason.AUDIENCE: "The ID token is for another client.",
    Reason.CLOCK: "The ID token has expired, or is of the future: one of the two clocks is wrong.",
    Reason.NONCE: "The ID token is of another sign-in.",
    Reason.SUBJECT: "The ID token's sub must be 1 to 200 printable characters, and stay who it is.",
    Reason.ROLE: "The role claim names no role of this server.",
}
"""For logs and the doctor; pages say it in the visitor's language."""


class SignInFailed(GuidesmithError):
    """Nobody is signed in. ``reason`` is the stable code."""

    code = "SIGN_IN_FAILED"

    def __init__(self, reason: Reason, more: str = "") -> None:
        super().__init__(f"{SENTENCES[reason]} {more}".rstrip())
        self.reason = reason


class ProviderUnavailable(KeysUnavailable):
    """The provider cannot be reached, or is broken: it may help to try again."""

    def __init__(self) -> None:
        super().__init__("The identity provider cannot be reached.", retry_after_s=RETRY_AFTER_S)


@dataclass(frozen=True)
class Client:
    """This server, as the provider knows it.

    Args:
        issuer: As its ID tokens name it, to the letter.
        secret: ``None``: a public client, which only PKCE proves.
        scopes: With spaces; ``openid`` among them.
        parameters: A query of what else the provider wants to be asked (``access_type=offline``).
        algorithms: That ID tokens may be signed with.
        role_claim: Where the role is, as in bearer tokens.
    """

    issuer: str
    id: str
    secret: str | None = None
    scopes: str = "openid profile email"
    parameters: str = ""
    algorithms: Sequence[str] = ("RS256",)
    role_claim: str = "role"


@dataclass(frozen=True)
class Metadata:
    """What the provider says of itself (OpenID Connect Discovery, 3).

    Args:
        auth_methods: How a client may prove itself at the token endpoint.
        names_issuer: Whether its answers name their issuer (RFC 9207).
        challenges: What it says to take of PKCE's methods; ``None``: it does not say.
    """

    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None
    revocation_endpoint: str | None = None
    auth_methods: tuple[str, ...] = ("client_secret_basic",)
    names_issuer: bool = False
    challenges: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Attempt:
    """A sign-in that was begun, and what only who began it knows."""

    state: str
    nonce: str
    verifier: str

    @classmethod
    def new(cls) -> "Attempt":
        return cls(*(secrets.token_urlsafe(SECRET_BYTES) for _ in range(3)))

    @property
    def challenge(self) -> str:
        """RFC 7636, 4.2."""
        return base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")


@dataclass(frozen=True)
class Identity:
    """Whom the provider has vouched for.

    Args:
        until: Unix seconds: until then, unless it is asked again.
        refresh_token: What it is asked again with, where it gave one.
        sid: The provider's own name of its session, where it told.
    """

    person: Person
    role: Role
    until: float
    refresh_token: str | None = None
    sid: str | None = None

    @property
    def subject(self) -> str:
        return self.person.subject


@dataclass(frozen=True)
class Ended:
    """Whose sessions the provider says are over: one of its own, or all of a subject's."""

    subject: str | None
    sid: str | None


class IdentityProvider:
    """The provider of the settings. Belongs to one event loop.

    Args:
        keys_ttl_s: How long fetched keys are used before they are fetched again.
    """

    def __init__(self, client: Client, *, keys_ttl_s: float = 600.0, clock: Callable[[], float] = time.time) -> None:
        self.client = client
        self._keys_ttl_s = keys_ttl_s
        self._clock = clock
        self._metadata: Metadata | None = None
        self._fault: ProviderUnavailable | SignInFailed | None = None
        self._next_fetch_at = float("-inf")
        self._signed: Signed | None = None
        self._lock = asyncio.Lock()

    async def metadata(self) -> Metadata:
        """What the provider says of itself, fetched again when it has grown old; while that fails, the last that is
        known serves. Strangers must not make us hammer the provider: what failed is not tried again at once.

        Raises:
            ProviderUnavailable: It was never reached.
            SignInFailed: It never was what the settings say.
        """
        async with self._lock:
            if self._clock() >= self._next_fetch_at:
                await self._discover()
        if self._metadata is None:
            assert self._fault is not None, "it was either found or not"
            raise self._fault.with_traceback(None)
        return self._metadata

    async def _discover(self) -> None:
        try:
            found = await discovered(self.client.issuer)
        except (ProviderUnavailable, SignInFailed) as fault:
            log("auth").warning("auth.discovery_failed", error=fault.message, kept=self._metadata is not None)
            self._fault, self._next_fetch_at = fault, self._clock() + RETRY_AFTER_S
            return
        if self._metadata is None or found.jwks_uri != self._metadata.jwks_uri:
            self._signed = Signed(Keys(found.jwks_uri, ttl_s=self._keys_ttl_s), self.client.algorithms)
        self._metadata, self._next_fetch_at = found, self._clock() + METADATA_TTL_S

    async def address(self, attempt: Attempt, redirect_uri: str, language: str) -> str:
        """Where somebody signs in. Raises as :meth:`metadata`."""
        metadata = await self.metadata()
        asked = dict(parse_qsl(self.client.parameters)) | {
            "response_type": "code",
            "client_id": self.client.id,
            "redirect_uri": redirect_uri,
            "scope": self.client.scopes,
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": attempt.challenge,
            "code_challenge_method": "S256",
            "ui_locales": language,
        }
        return _with_query(metadata.authorization_endpoint, asked)

    async def sign_out_address(self, back_to: str, language: str) -> str | None:
        """Where somebody signs out of the provider, too (RP-Initiated Logout); ``None``: it has no such page.

        The ID token that could be sent along is not: an address is written down everywhere. The provider asks its
        visitor instead.
        """
        try:
            endpoint = (await self.metadata()).end_session_endpoint
        except (SignInFailed, ProviderUnavailable):
            return None
        asked = {"client_id": self.client.id, "post_logout_redirect_uri": back_to, "ui_locales": language}
        return _with_query(endpoint, asked) if endpoint else None

    async def finish(self, attempt: Attempt, answer: Mapping[str, str], redirect_uri: str) -> Identity:
        """Whom the provider's answer signs in.

        Args:
            answer: The query that its visitor came back with.

        Raises:
            SignInFailed: Nobody. ProviderUnavailable: Nobody can tell.
        """
        metadata = await self.metadata()
        if not secrets.compare_digest(answer.get("state", "").encode(), attempt.state.encode()):
            raise SignInFailed(Reason.STATE)
        if answer.get("iss", None if metadata.names_issuer else self.client.issuer) != self.client.issuer:
            raise SignInFailed(Reason.ISSUER)  # RFC 9207: the answer of another provider, carried over to here
        if error := answer.get("error"):
            raise SignInFailed(Reason.DENIED if error == "access_denied" else Reason.PROVIDER_ERROR, _named(error))
        if not (code := answer.get("code")):
            raise SignInFailed(Reason.ANSWER)
        tokens = await self._tokens(
            metadata,
            {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": redirect_uri,
                "code_verifier": attempt.verifier,
            },
        )
        claims = await self._id_token(tokens.get("id_token"))
        if not secrets.compare_digest(str(claims.get("nonce", "")).encode(), attempt.nonce.encode()):
            raise SignInFailed(Reason.NONCE)
        return await self._identity(metadata, tokens, claims)

    async def renew(self, subject: str, refresh_token: str) -> Identity:
        """Ask again for whom ``refresh_token`` is: whether they may still come, and what their role is now.

        Raises:
            SignInFailed: They may not, or are another. ProviderUnavailable: Nobody can tell.
        """
        metadata = await self.metadata()
        tokens = await self._tokens(metadata, {"grant_type": "refresh_token", "refresh_token": refresh_token})
        if tokens.get("id_token") is None:
            claims = await self._user_info(metadata, tokens)
            claims |= {"exp": self._clock() + _seconds(tokens.get("expires_in"))}
        else:
            claims = await self._id_token(tokens["id_token"])
        if claims.get("sub") != subject:
            raise SignInFailed(Reason.SUBJECT)
        return await self._identity(metadata, tokens, claims)

    async def ended(self, logout_token: str) -> Ended:
        """Whose sessions a logout token ends (Back-Channel Logout, 2.6).

        Raises:
            SignInFailed: It is none of the provider's, or not for here. ProviderUnavailable: Nobody can tell.
        """
        claims = await self._id_token(logout_token, of_logout=True)
        events, subject, sid = claims.get("events"), claims.get("sub"), claims.get("sid")
        told = isinstance(events, Mapping) and LOGOUT_EVENT in events and "nonce" not in claims
        named = [each for each in (subject, sid) if each is not None]
        if not (told and named and all(isinstance(each, str) for each in named)):
            raise SignInFailed(Reason.ANSWER)
        return Ended(subject, sid)

    async def _tokens(self, metadata: Metadata, form: dict[str, str]) -> Mapping[str, Any]:
        """What the token endpoint gives for a code or a refresh token."""
        headers = self.proof(metadata, form)
        status, answer = await _asked(metadata.token_endpoint, form=form, headers=headers)
        if not isinstance(answer, Mapping):
            raise SignInFailed(Reason.ANSWER)
        if status != HTTPStatus.OK:
            error = str(answer.get("error", ""))
            client = error in ("invalid_client", "unauthorized_client") or status == HTTPStatus.UNAUTHORIZED
            raise SignInFailed(Reason.CLIENT if client else Reason.CODE, _named(error))
        return answer

    def proof(self, metadata: Metadata, form: dict[str, str]) -> dict[str, str]:
        """Headers that prove to the provider who asks; where that is proved in ``form``, it is added there."""
        if self.client.secret is None or "client_secret_basic" not in metadata.auth_methods:
            form |= {"client_id": self.client.id}
            form |= {} if self.client.secret is None else {"client_secret": self.client.secret}
            return {}
        # RFC 6749, 2.3.1: each is form-encoded before they are joined
        pair = f"{quote(self.client.id, safe='')}:{quote(self.client.secret, safe='')}"
        return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}

    async def _id_token(self, token: object, *, of_logout: bool = False) -> dict[str, Any]:
        """The claims of an ID token that holds (OpenID Connect Core, 3.1.3.7), but for its nonce."""
        await self.metadata()
        assert self._signed is not None, "there is metadata, so there are keys"
        if not isinstance(token, str):
            raise SignInFailed(Reason.ANSWER)
        try:
            claims = dict(await self._signed.claims(token))
        except Unauthorized:
            raise SignInFailed(Reason.SIGNATURE) from None
        if claims.get("iss") != self.client.issuer:
            raise SignInFailed(Reason.ISSUER)
        audience = claims.get("aud")
        several = isinstance(audience, list)
        for_us = self.client.id in audience if isinstance(audience, list) else audience == self.client.id
        party = claims.get("azp", None if several and len(audience) > 1 else self.client.id)  # type: ignore[arg-type]
        if not for_us or (party != self.client.id and not of_logout):
            raise SignInFailed(Reason.AUDIENCE)
        self._check_clock(claims, of_logout=of_logout)
        return claims

    def _check_clock(self, claims: Mapping[str, Any], *, of_logout: bool) -> None:
        now = self._clock()
        try:
            expires = float(claims["exp"]) if "exp" in claims or not of_logout else float("inf")
            issued, begins = float(claims["iat"]), float(claims.get("nbf", 0))
        except BROKEN:
            raise SignInFailed(Reason.ANSWER) from None
        if of_logout:
            expires = min(expires, issued + LOGOUT_AGE_S)
        if not (expires + LEEWAY_S > now and issued - LEEWAY_S <= now and begins - LEEWAY_S <= now):
            raise SignInFailed(Reason.CLOCK)

    async def _identity(self, metadata: Metadata, tokens: Mapping[str, Any], claims: dict[str, Any]) -> Identity:
        """Whom the claims are of. What the ID token does not tell is asked for."""
        subject = claims.get("sub")
        if not isinstance(subject, str) or not 0 < len(subject) <= SUBJECT_LIMIT or not subject.isprintable():
            raise SignInFailed(Reason.SUBJECT)
        rule = Claims(role_claim=self.client.role_claim)
        person = person_of(subject, claims)
        if metadata.userinfo_endpoint and not (person.name and person.email and rule.has_role(claims)):
            told = await self._user_info(metadata, tokens)
            if told.get("sub") != subject:  # Core, 5.3.2: else it may be somebody else's
                raise SignInFailed(Reason.SUBJECT)
            claims = told | claims
            person = person_of(subject, claims)
        try:
            role = rule.role(claims)
        except ValueError:
            raise SignInFailed(Reason.ROLE) from None
        refresh, sid = tokens.get("refresh_token"), claims.get("sid")
        return Identity(
            person,
            role,
            float(claims["exp"]),
            refresh if isinstance(refresh, str) and len(refresh) <= LARGEST_TOKEN else None,
            sid if isinstance(sid, str) else None,
        )

    async def _user_info(self, metadata: Metadata, tokens: Mapping[str, Any]) -> dict[str, Any]:
        access = tokens.get("access_token")
        if metadata.userinfo_endpoint is None or not isinstance(access, str):
            raise SignInFailed(Reason.ANSWER)
        headers = {"Authorization": f"Bearer {access}"}
        status, answer = await _asked(metadata.userinfo_endpoint, headers=headers)
        if status != HTTPStatus.OK or not isinstance(answer, Mapping):
            raise SignInFailed(Reason.ANSWER)
        return dict(answer)


async def discovered(issuer: str) -> Metadata:
    """What the provider at ``issuer`` says of itself.

    Raises:
        ProviderUnavailable: It says nothing.
        SignInFailed: It is another, or cannot do what is needed: the message says which.
    """
    status, document = await _asked(issuer.rstrip("/") + DISCOVERY)
    if status != HTTPStatus.OK or not isinstance(document, Mapping):
        raise SignInFailed(Reason.METADATA, f"{DISCOVERY} below the issuer answers {status}.")
    if document.get("issuer") != issuer:
        raise SignInFailed(Reason.METADATA, f"It calls itself {_shown(document.get('issuer'))}, not {issuer}.")
    secure = urlsplit(issuer).scheme
    places: dict[str, str | None] = {}
    needed = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    for name in (*needed, "userinfo_endpoint", "end_session_endpoint"):
        place = document.get(name)
        if place is None and name not in needed:
            continue
        if not isinstance(place, str) or not _is_place(place, secure):
            raise SignInFailed(Reason.METADATA, f"Its {name} is missing, or no {secure} address.")
        places[name] = place
    challenges = _names(document, "code_challenge_methods_supported")
    if challenges is not None and "S256" not in challenges:
        raise SignInFailed(Reason.METADATA, "It does not take PKCE with S256.")
    types = _names(document, "response_types_supported")
    if types is not None and "code" not in types:
        raise SignInFailed(Reason.METADATA, "It does not give authorization codes.")
    revocation = document.get("revocation_endpoint")
    return Metadata(
        revocation_endpoint=revocation if isinstance(revocation, str) and _is_place(revocation, secure) else None,
        **places,  # type: ignore[arg-type]
        auth_methods=_names(document, "token_endpoint_auth_methods_supported") or ("client_secret_basic",),
        names_issuer=document.get("authorization_response_iss_parameter_supported") is True,
        challenges=challenges,
    )


async def _asked(url: str, **how: Any) -> tuple[int, Any]:
    try:
        status, answer = await fetched(url, **how)
    except Unfetched:
        raise ProviderUnavailable from None
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.TOO_MANY_REQUESTS:
        raise ProviderUnavailable
    return status, answer


def _is_place(address: str, scheme: str) -> bool:
    """Whether it is an address as safe as the issuer's own: what is in it is put before people, and sent secrets to."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("https", scheme) and bool(parts.hostname) and address.isprintable() and " " not in address


def _names(document: Mapping[str, Any], member: str) -> tuple[str, ...] | None:
    names = document.get(member)
    return tuple(each for each in names if isinstance(each, str)) if isinstance(names, list) else None


def _with_query(address: str, asked: Mapping[str, str]) -> str:
    return f"{address}{'&' if urlsplit(address).query else '?'}{urlencode(asked)}"


def _named(error: str) -> str:
    """A provider's error code as it may be told: RFC 6749 makes it of few characters, and anybody may send another."""
    plain = error.isascii() and error.replace("_", "").isalnum() and len(error) <= 40
    return f"({error})" if plain else ""


def _shown(value: object) -> str:
    text = str(value)
    return text[:200] if text.isprintable() else "something unreadable"


def _seconds(value: object) -> float:
    """An ``expires_in``; 0 where there is none: it holds no longer than now."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else 0.0
