"""Sessions of people who use the pages: a signed cookie says who they are, in place of a token.

A browser sends a cookie by itself, also when another site makes it call here. So the cookie counts for reading a page,
and for the API only where the browser says that the call comes from a page of ours (Fetch Metadata, else ``Origin``).
Who signs out ends the session itself, so that no copy of its cookie opens anything. No session outlives the token that
it began with, so that a role that was taken away is gone with it, and each ends at a set age, however busy it is. One
that an identity provider vouches for goes on as long as it does (``provider_sessions.py``).
"""

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol
from urllib.parse import urlsplit

from anyio import to_thread
from starlette.datastructures import Headers

from domain.errors import GuidesmithError, NotFound
from starter.access.openid import Identity
from starter.access.tokens import LEEWAY_S, Principal, Role, Unauthorized
from starter.api.perimeter.provider_sessions import ProviderSessions
from starter.api.signed_urls import SignedUrls

COOKIE, SECURE_COOKIE = "guidesmith_session", "__Host-guidesmith_session"
"""The second where clients come by TLS alone: browsers let no other host, and nothing without TLS, set it."""

COOKIES_LIMIT = 16 * 1024
"""Characters of a Cookie header that are looked at. Browsers keep 4 KiB a cookie; ours has some 300."""

TICKET_TTL_S = 300
"""How long a sign-in address that the command line printed can be opened, once."""

ENDED_POLL_S = 15.0
"""How soon an open stream sees that its session was ended."""

READING = frozenset({"GET", "HEAD"})

ID_BYTES = 16

PROVIDERS = "provider"
"""What a cookie holds, too, whose session the identity provider vouches for."""


@dataclass(frozen=True)
class Session:
    """Who has signed in, since when (of its last renewal), and when it is over whatever happens, in Unix seconds.
    ``id`` and ``ends_at`` stay when it is renewed. ``is_providers``: the identity provider vouches for it."""

    principal: Principal
    since: float
    id: str
    ends_at: float
    is_providers: bool = False


class EndedSessions(Protocol):
    """Where it is written which sessions were ended before their time."""

    def end_session(self, session_id: str, kept_s: float) -> bool: ...
    def is_session_ended(self, session_id: str) -> bool: ...


class Sessions:
    """Makes and reads session cookies, and ends what they stand for.

    Args:
        ended: Those that count no more.
        of_provider: Those that an identity provider vouches for; ``None``: there are none.
        ttl_s: How long a session lasts after its last renewal, in seconds.
        longest_s: How long it lasts at most.
        secure: Clients come by TLS alone.
    """

    def __init__(
        self,
        signed_urls: SignedUrls,
        ended: EndedSessions,
        *,
        ttl_s: int,
        longest_s: int,
        secure: bool,
        of_provider: ProviderSessions | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._signed_urls = signed_urls
        self._ended = ended
        self._of_provider = of_provider
        self._ttl_s = ttl_s
        self._longest_s = longest_s
        self._secure = secure
        self._clock = clock

    @property
    def cookie(self) -> str:
        """The cookie's name."""
        return SECURE_COOKIE if self._secure else COOKIE

    def begun(self, principal: Principal) -> str:
        """A Set-Cookie header that begins a session.

        Raises:
            Unauthorized: What the principal came with has expired this second.
        """
        ends_at = self._clock() + self._longest_s
        if principal.until is not None:
            ends_at = min(ends_at, principal.until)
        return self._signed(principal, secrets.token_urlsafe(ID_BYTES), int(ends_at))

    async def begun_by_provider(self, identity: Identity) -> str:
        """As :meth:`begun`, for whom the identity provider vouches.

        Raises:
            Unauthorized: Its word has expired this second.
            DatabaseUnavailable: Nothing has begun.
        """
        assert self._of_provider is not None, "there is a provider, since it vouches"
        id = secrets.token_urlsafe(ID_BYTES)
        ends_at = await self._of_provider.begin(id, identity, self._clock() + self._longest_s)
        return self._signed(Principal(identity.subject, identity.role), id, int(ends_at), is_providers=True)

    def renewed(self, session: Session) -> str:
        """A Set-Cookie header that goes on with it."""
        return self._signed(session.principal, session.id, int(session.ends_at), is_providers=session.is_providers)

    async def over(self, principal: Principal) -> None:
        """Return once what ``principal`` came with holds no more: it has expired, or its session was ended."""
        until = principal.until
        if until is not None and principal.session is None:
            until += LEEWAY_S
        while (left_s := float("inf") if until is None else until - self._clock()) > 0:
            await asyncio.sleep(min(left_s, ENDED_POLL_S))
            if principal.session is None:
                continue
            try:
                await self._role(principal.session, principal.role, is_providers=principal.is_providers)
            except Unauthorized:
                return
            except GuidesmithError:  # the database or the provider is away: what is open stays open
                continue

    async def end(self, headers: Headers) -> str:
        """End the session that a request comes with, if there is one.

        Returns:
            A Set-Cookie header that drops its cookie.

        Raises:
            DatabaseUnavailable: It goes on.
        """
        with contextlib.suppress(Unauthorized):
            session = self._read(headers)
            await to_thread.run_sync(self._ended.end_session, session.id, self._ttl_s)
            if session.is_providers and self._of_provider is not None:
                await self._of_provider.end(session.id)
        return self._set("", 0)

    def is_providers(self, headers: Headers) -> bool:
        """Whether a request comes with a session that the identity provider vouched for when it began."""
        try:
            return self._read(headers).is_providers
        except Unauthorized:
            return False

    async def read(self, headers: Headers) -> Session:
        """Whose session it is.

        Raises:
            Unauthorized: There is no cookie, or it does not hold any more.
            DatabaseUnavailable, ProviderUnavailable: Nobody can tell.
        """
        session = self._read(headers)
        held = session.principal
        role = await self._role(session.id, held.role, is_providers=session.is_providers)
        return session if role is held.role else replace(session, principal=replace(held, role=role))

    async def _role(self, session_id: str, began_as: Role, *, is_providers: bool) -> Role:
        """As what the session's user may come: as they came first, unless their provider says otherwise."""
        if await to_thread.run_sync(self._ended.is_session_ended, session_id):
            raise Unauthorized("Sign in first.")
        if not is_providers:
            return began_as
        if self._of_provider is None:  # the settings have none any more
            raise Unauthorized("Sign in first.")
        return await self._of_provider.role(session_id)

    def _read(self, headers: Headers) -> Session:
        try:
            read = json.loads(self._signed_urls.read("session", _cookie(headers, self.cookie)))
            subject, role, since, id, ends_at, *more = read
            until, is_providers = min(since + self._ttl_s, ends_at), more == [PROVIDERS]
            principal = Principal(str(subject), Role(role), until=until, session=str(id), is_providers=is_providers)
            return Session(principal, float(since), str(id), float(ends_at), is_providers)
        except (NotFound, ValueError, TypeError):  # the last two: one of another version of ours
            raise Unauthorized("Sign in first.") from None

    def is_due(self, session: Session) -> bool:
        """Whether half of its time is over: it is then renewed, so that nobody is signed out while they work."""
        return self._clock() - session.since > self._ttl_s / 2 and session.since + self._ttl_s < session.ends_at

    def _signed(self, principal: Principal, id: str, ends_at: int, *, is_providers: bool = False) -> str:
        now = self._clock()
        left_s = int(min(self._ttl_s, ends_at - now))
        if left_s <= 0:
            raise Unauthorized("What you sign in with has expired.")
        more = [PROVIDERS] if is_providers else []
        subject = json.dumps([principal.subject, principal.role.value, int(now), id, ends_at, *more])
        return self._set(self._signed_urls.sign("session", subject, now + left_s), left_s)

    def _set(self, value: str, max_age_s: int) -> str:
        # Lax: who follows a link from a chat or a mail is still signed in; what changes anything checks its origin
        secure = "; Secure" if self._secure else ""
        return f"{self.cookie}={value}; Path=/; Max-Age={max_age_s}; HttpOnly; SameSite=Lax{secure}"


@dataclass(frozen=True)
class Ticket:
    """Whom it lets in.

    Args:
        unseen: It went from the command line to the browser by a file that only its user can read, and was shown
            nowhere. Who opens it is who asked for it, wherever their browser says that they come from.
    """

    principal: Principal
    id: str
    unseen: bool


class Tickets:
    """What sign-in addresses of the command line carry. Each opens once, within minutes."""

    def __init__(
        self, signed_urls: SignedUrls, spent: EndedSessions | None = None, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._signed_urls = signed_urls
        self._spent = spent
        self._clock = clock

    def issue(self, principal: Principal, *, unseen: bool = False) -> str:
        """One that holds for :data:`TICKET_TTL_S` seconds."""
        subject = json.dumps([principal.subject, principal.role.value, secrets.token_urlsafe(ID_BYTES), unseen])
        return self._signed_urls.sign("sign-in", subject, self._clock() + TICKET_TTL_S)

    def read(self, ticket: str) -> Ticket:
        """What a ticket says. It is not spent by that.

        Raises:
            Unauthorized: It is none of ours, or too old.
        """
        try:
            subject, role, id, unseen = json.loads(self._signed_urls.read("sign-in", ticket))
            return Ticket(Principal(str(subject), Role(role)), str(id), unseen is True)
        except (NotFound, ValueError, TypeError):
            raise _spent() from None

    async def admitted(self, ticket: str) -> Principal:
        """Whom a ticket lets in: the first who comes with it, and nobody after.

        Raises:
            Unauthorized: It is none of ours, too old, or was used before.
            DatabaseUnavailable: Nobody can tell.
        """
        assert self._spent is not None, "tickets are admitted where it is written which were used"
        held = self.read(ticket)
        # a cookie's id and a ticket's are drawn from 2¹²⁸: one table holds what counts no more
        if not await to_thread.run_sync(self._spent.end_session, held.id, float(TICKET_TTL_S)):
            raise _spent()
        return held.principal


def _spent() -> Unauthorized:
    return Unauthorized("This sign-in address has expired, or was used.")


def check_origin(method: str, headers: Headers, own: str) -> None:
    """Whether a call that a cookie vouches for was made by a page of ours.

    Args:
        own: ``scheme://host:port``, where the pages are.

    Raises:
        Unauthorized: It was not, or nothing says so.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        ours = site == "same-origin" or (site == "none" and method in READING)  # none: typed in by a person
    else:
        origin = headers.get("origin")
        ours = _same(origin, own) if origin is not None else method in READING
    if not ours:
        raise Unauthorized("A session counts only for calls from these pages; elsewhere send a token.")


def _same(origin: str, own: str) -> bool:
    try:
        return urlsplit(origin)[:2] == urlsplit(own)[:2]
    except ValueError:  # brackets that are no address
        return False


def _cookie(headers: Headers, name: str) -> str:
    """The cookie's value, read by hand: ours needs no quotes, and whoever sends others is read in one pass."""
    sent = headers.get("cookie", "")
    if len(sent) > COOKIES_LIMIT:
        return ""
    for pair in sent.split(";"):
        key, _, value = pair.partition("=")
        if key.strip() == name:
            return value.strip()
    return ""
