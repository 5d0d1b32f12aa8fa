"""Sessions that the identity provider vouches for: it is asked again before its last word expires, without anybody
noticing; whom it does not vouch for any more is signed out.

What it answers is a new role, a new name and a new time. One of all processes asks, since a refresh token may be good
for one question; the others go on with what is known as long as it holds, and wait for the answer when it does not.
"""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from anyio import to_thread

from activities.store.sign_ins import ASKING_S, SignIn
from domain.errors import SettingsInvalid
from domain.people import Person
from starter.access.openid import Identity, IdentityProvider, ProviderUnavailable, SignInFailed
from starter.access.revoking import revoke
from starter.access.tokens import Role, Unauthorized
from starter.logs import log

DUE_AFTER = 0.75
"""Of the time that the provider's word holds: then it is asked again, so that its answer may take a while."""

POLL_S = 0.2


class SignInStore(Protocol):
    """Where it is kept. Blocking; called in threads."""

    def record_sign_in(self, sign_in: SignIn, refresh_token: str | None) -> None: ...
    def can_renew(self, refresh_token: str | None) -> bool: ...
    def sign_in(self, session_id: str) -> SignIn | None: ...
    def take_renewal(self, session_id: str, due_at: datetime) -> str | None: ...
    def renew_sign_in(
        self, session_id: str, role: str, *, due_at: datetime, until: datetime, refresh_token: str | None
    ) -> None: ...
    def leave_renewal(self, session_id: str) -> None: ...
    def end_sign_ins(self, *, session_id: str) -> int: ...
    def drop_sign_in(self, session_id: str) -> str | None: ...


class Noting(Protocol):
    """Keeps what people are called."""

    async def note(self, person: Person | None) -> None: ...


class ProviderSessions:
    """Begins, renews and ends them. Belongs to one event loop."""

    def __init__(
        self,
        store: SignInStore,
        provider: IdentityProvider,
        seen: Noting,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._provider = provider
        self._seen = seen
        self._clock = clock
        self._asking: dict[str, asyncio.Task[SignIn]] = {}

    async def begin(self, session_id: str, identity: Identity, ends_at: float) -> float:
        """Keep a session that begins now. Answers when it is over whatever happens (Unix seconds): at ``ends_at``, or
        with the provider's word where it cannot be asked again.

        Raises:
            Unauthorized: Its word has expired this second.
        """
        is_renewable = self._store.can_renew(identity.refresh_token)
        until = min(identity.until, ends_at)
        if not is_renewable:
            ends_at = until
        if until <= self._clock():
            raise Unauthorized("What you sign in with has expired.")
        sign_in = SignIn(
            id=session_id,
            owner=identity.subject,
            role=identity.role.value,
            sid=identity.sid,
            due_at=_moment(self._due(until)),
            until=_moment(until),
            ends_at=_moment(ends_at),
            is_renewable=is_renewable,
        )
        await to_thread.run_sync(self._store.record_sign_in, sign_in, identity.refresh_token)
        await self._seen.note(identity.person)
        return ends_at

    async def role(self, session_id: str) -> Role:
        """As what the session's user may come now; asked again first, where it is time.

        Raises:
            Unauthorized: The provider does not vouch for them any more.
            ProviderUnavailable: Nobody can tell.
        """
        sign_in = await self._known(session_id)
        if sign_in.is_renewable and self._now() >= sign_in.due_at:
            sign_in = await self._renewed(sign_in)
        if self._now() >= sign_in.until:
            raise _over()
        return Role(sign_in.role)

    async def end(self, session_id: str) -> None:
        """Somebody has signed out: what the provider could be asked with is forgotten here, and it is told so."""
        refresh_token = await to_thread.run_sync(self._store.drop_sign_in, session_id)
        if refresh_token is not None:
            await revoke(self._provider, refresh_token)

    async def _drop(self, session_id: str) -> None:
        """What the provider was asked with is good for nothing any more."""
        await to_thread.run_sync(partial(self._store.end_sign_ins, session_id=session_id))

    async def _known(self, session_id: str) -> SignIn:
        sign_in = await to_thread.run_sync(self._store.sign_in, session_id)
        if sign_in is None or self._now() >= sign_in.ends_at:
            raise _over()
        return sign_in

    async def _renewed(self, sign_in: SignIn) -> SignIn:
        """After the provider was asked, by whomever. A request that is given up takes no question with it: the next
        refresh token would be lost, and with it the session."""
        asking = self._asking.get(sign_in.id)
        if asking is None:
            asking = self._asking[sign_in.id] = asyncio.create_task(self._ask(sign_in), name="renew-sign-in")
            asking.add_done_callback(lambda done: self._forget(sign_in.id, done))
        elif self._now() < sign_in.until:
            return sign_in
        return await asyncio.shield(asking)

    def _forget(self, session_id: str, done: "asyncio.Task[SignIn]") -> None:
        self._asking.pop(session_id, None)
        if not done.cancelled():
            done.exception()  # it has been told to who waits, if anybody does

    async def _ask(self, sign_in: SignIn) -> SignIn:
        try:
            refresh_token = await to_thread.run_sync(self._store.take_renewal, sign_in.id, sign_in.due_at)
        except SettingsInvalid as unreadable:
            log("auth").error("auth.refresh_token_unreadable", code=unreadable.code)
            await self._drop(sign_in.id)
            raise _over() from None
        if refresh_token is None:
            return sign_in if self._now() < sign_in.until else await self._answered(sign_in)
        try:
            identity = await self._provider.renew(sign_in.owner, refresh_token)
        except ProviderUnavailable as absent:
            log("auth").warning("auth.renewal_postponed", code=absent.code)
            await to_thread.run_sync(self._store.leave_renewal, sign_in.id)
            if self._now() < sign_in.until:
                return sign_in
            raise
        except SignInFailed as failed:
            log("auth").info("auth.renewal_refused", reason=failed.reason.value, error=failed.message)
            await self._drop(sign_in.id)
            raise _over() from None
        until = min(identity.until, sign_in.ends_at.timestamp())
        due = _moment(self._due(until))

        renew = partial(self._store.renew_sign_in, sign_in.id, identity.role.value, due_at=due, until=_moment(until))
        await to_thread.run_sync(partial(renew, refresh_token=identity.refresh_token))
        await self._seen.note(identity.person)
        return sign_in.model_copy(update={"role": identity.role.value, "due_at": due, "until": _moment(until)})

    async def _answered(self, asked: SignIn) -> SignIn:
        """What another process was told, which asks now."""
        tries = int(ASKING_S / POLL_S)
        for _ in range(tries):
            await asyncio.sleep(POLL_S)
            sign_in = await self._known(asked.id)
            if sign_in.due_at != asked.due_at:
                return sign_in
        raise ProviderUnavailable

    def _due(self, until: float) -> float:
        now = self._clock()
        return now + (until - now) * DUE_AFTER

    def _now(self) -> datetime:
        return _moment(self._clock())


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _over() -> Unauthorized:
    return Unauthorized("Sign in first.")
