"""Sessions of people who use the pages: a signed cookie says who they are, in place of a token.

A browser sends a cookie by itself, also when another site makes it call here. So the cookie counts for reading a page,
and for the API only where the browser says that the call comes from a page of ours (Fetch Metadata, else ``Origin``).
Who signs out ends the session itself, so that no copy of its cookie opens anything.
"""

import contextlib
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Protocol
from urllib.parse import urlsplit

from anyio import to_thread
from starlette.datastructures import Headers

from domain.errors import NotFound
from starter.api.capabilities import Capabilities
from starter.tokens import Principal, Role, Unauthorized

COOKIE, SECURE_COOKIE = "guidesmith_session", "__Host-guidesmith_session"
"""The second where clients come by TLS alone: browsers let no other host, and nothing without TLS, set it."""

TICKET_TTL_S = 3600
"""How long a sign-in address that the command line printed can be opened."""

READING = frozenset({"GET", "HEAD"})

ID_BYTES = 16


@dataclass(frozen=True)
class Session:
    """Who has signed in, and since when (Unix seconds; of its last renewal). ``id`` stays when it is renewed."""

    principal: Principal
    since: float
    id: str


class EndedSessions(Protocol):
    """Where it is written which sessions were ended before their time."""

    def end_session(self, session_id: str, kept_s: float) -> None: ...
    def is_session_ended(self, session_id: str) -> bool: ...


class Sessions:
    """Makes and reads session cookies, and ends what they stand for.

    Args:
        ended: Those that count no more.
        ttl_s: How long a session lasts after its last renewal, in seconds.
        secure: Clients come by TLS alone.
    """

    def __init__(
        self,
        capabilities: Capabilities,
        ended: EndedSessions,
        *,
        ttl_s: int,
        secure: bool,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._capabilities = capabilities
        self._ended = ended
        self._ttl_s = ttl_s
        self._secure = secure
        self._clock = clock

    @property
    def cookie(self) -> str:
        """The cookie's name."""
        return SECURE_COOKIE if self._secure else COOKIE

    def begun(self, principal: Principal) -> str:
        """A Set-Cookie header that begins a session."""
        return self._signed(principal, secrets.token_urlsafe(ID_BYTES))

    def renewed(self, session: Session) -> str:
        """A Set-Cookie header that goes on with it."""
        return self._signed(session.principal, session.id)

    async def end(self, headers: Headers) -> str:
        """End the session that a request comes with, if there is one.

        Returns:
            A Set-Cookie header that drops its cookie.

        Raises:
            DatabaseUnavailable: It goes on.
        """
        with contextlib.suppress(Unauthorized):
            await to_thread.run_sync(self._ended.end_session, self._read(headers).id, self._ttl_s)
        return self._set("", 0)

    async def read(self, headers: Headers) -> Session:
        """Whose session it is.

        Raises:
            Unauthorized: There is no cookie, or it does not hold any more.
            DatabaseUnavailable: Nobody can tell.
        """
        session = self._read(headers)
        if await to_thread.run_sync(self._ended.is_session_ended, session.id):
            raise Unauthorized("Sign in first.")
        return session

    def _read(self, headers: Headers) -> Session:
        try:
            subject, role, since, id = json.loads(self._capabilities.read("session", _cookie(headers, self.cookie)))
            return Session(Principal(str(subject), Role(role)), float(since), str(id))
        except (NotFound, ValueError, TypeError):  # the last two: one of another version of ours
            raise Unauthorized("Sign in first.") from None

    def is_due(self, session: Session) -> bool:
        """Whether half of its time is over: it is then renewed, so that nobody is signed out while they work."""
        return self._clock() - session.since > self._ttl_s / 2

    def _signed(self, principal: Principal, id: str) -> str:
        now = self._clock()
        subject = json.dumps([principal.subject, principal.role.value, int(now), id])
        return self._set(self._capabilities.sign("session", subject, now + self._ttl_s), self._ttl_s)

    def _set(self, value: str, max_age_s: int) -> str:
        # Lax: who follows a link from a chat or a mail is still signed in; what changes anything checks its origin
        secure = "; Secure" if self._secure else ""
        return f"{self.cookie}={value}; Path=/; Max-Age={max_age_s}; HttpOnly; SameSite=Lax{secure}"


class Tickets:
    """What sign-in addresses of the command line carry. One can be opened again within its hour: it may be lying in a
    terminal."""

    def __init__(self, capabilities: Capabilities, *, clock: Callable[[], float] = time.time) -> None:
        self._capabilities = capabilities
        self._clock = clock

    def issue(self, principal: Principal) -> str:
        """One that holds for :data:`TICKET_TTL_S` seconds."""
        subject = json.dumps([principal.subject, principal.role.value])
        return self._capabilities.sign("sign-in", subject, self._clock() + TICKET_TTL_S)

    def admitted(self, ticket: str) -> Principal:
        """Whom a ticket lets in.

        Raises:
            Unauthorized: It is none of ours, or too old.
        """
        try:
            subject, role = json.loads(self._capabilities.read("sign-in", ticket))
            return Principal(subject, Role(role))
        except (NotFound, ValueError, TypeError):
            raise Unauthorized("This sign-in address has expired.") from None


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
    try:
        held = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        held = None
    return held.value if held is not None else ""
