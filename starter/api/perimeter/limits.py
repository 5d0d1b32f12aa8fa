"""How much one caller may ask: per user and route, and per address for those who have not said who they are.

Counted in windows that begin with a first request, in this process or, by setting, in Redis for all processes
together. While Redis cannot be reached each process counts for itself: limits grow by the number of processes, but
nobody is locked out, and nobody has free rein.
"""

import asyncio
import hashlib
import ipaddress
import json
import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from limits import RateLimitItem, parse_many
from limits.aio.storage import MemoryStorage, RedisStorage
from limits.aio.strategies import FixedWindowRateLimiter
from starlette.datastructures import Headers
from starlette.types import Scope

from domain.errors import SettingsInvalid
from starter.api.errors import RateLimited
from starter.logs import log
from starter.setting_values import OFF, listed
from starter.settings import Settings

REDIS_TIMEOUT_S = 1.0
REDIS_RETRY_S = 5.0
"""How long a Redis that failed is left alone."""

SWEEP_EVERY_S = 5.0
"""How often what has expired is taken out of this process's memory. Left to itself the storage does it at every
request."""

KEY_PREFIX = "guidesmith:limits"

IPV6_PREFIX = 64
"""One household's or server's network: a client can have any address of it."""

EXPENSIVE = frozenset(
    {
        ("POST", "/jobs/{}/upload"),
        ("POST", "/jobs/{}/confirm-upload"),
        ("POST", "/jobs/{}/run"),
        ("POST", "/jobs/{}/retry"),
        ("POST", "/jobs/{}/exports"),
        ("POST", "/jobs/{}/screenshots/extract"),
        ("POST", "/jobs/{}/screenshots/uploads"),
        ("POST", "/jobs/{}/screenshots/uploads/{}/confirm"),
        ("POST", "/anchors/{}/replace"),
        ("POST", "/anchors/{}/annotations"),
        ("POST", "/instructions/{}/redactions"),
        ("POST", "/jobs/{}/corrections/find"),
        ("POST", "/jobs/{}/corrections"),
        ("POST", "/anchors/{}/attach-upload"),
        ("POST", "/instructions/{}/regenerate"),
        ("POST", "/instructions/{}/translations"),
        ("POST", "/instructions/{}/translation/update"),
        ("GET", "/instructions/{}/translations"),
        ("PUT", "/instructions/{}"),
        ("POST", "/instructions/{}/restore"),
        ("GET", "/instructions/{}/diff"),
        ("GET", "/jobs/{}/assets.zip"),
        ("GET", "/guides/exports.zip"),
        ("GET", "/guides/site.zip"),
        ("PATCH", "/guides/{}"),
        ("POST", "/jobs"),
        ("POST", "/images"),
        ("POST", "/generate/copy"),
        ("POST", "/generate/scrape"),
        ("POST", "/generate/static-ad"),
        ("POST", "/generate/video"),
        ("POST", "/generate/tts"),
        ("POST", "/admin/jobs/{}/retry"),
        ("POST", "/analyses"),
        ("POST", "/analyses/{}/run"),
        ("PUT", "/analyses/{}/inputs"),
        ("POST", "/analyses/{}/draft"),
        ("PATCH", "/analyses/{}/draft"),
        ("POST", "/jobs"),
        ("POST", "/webhook-endpoints/{}/deliveries/{}/redeliver"),
        ("GET", "/account/archive"),
    }
)
"""Routes below the base path that start work, send something out, or read a whole document block by block (2 s where it
is as long as one may be), their parameters nameless."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class Rule:
    """Limits that are counted together under one name; none of them: no limit."""

    name: str
    items: Sequence[RateLimitItem]

    @classmethod
    def of(cls, name: str, written: str) -> "Rule":
        """``written`` as the settings have it: ``20/second;600/minute``, or ``off``."""
        return cls(name, () if written == OFF else parse_many(written))


class Counter:
    """Counts in Redis where there is one, else, and while it fails, in this process. Never raises.

    Args:
        redis_url: ``redis://`` or ``rediss://``; empty: only this process counts.
    """

    def __init__(self, redis_url: str = "", *, clock: Callable[[], float] = time.monotonic) -> None:
        self._memory = MemoryStorage()
        self._waited = False
        self._local = FixedWindowRateLimiter(self._memory)
        self._redis = _redis(redis_url) if redis_url else None
        self._shared = FixedWindowRateLimiter(self._redis) if self._redis else None
        self._clock = clock
        self._left_alone_until = float("-inf")

    async def wait_s(self, rule: Rule, *who: str) -> float:
        """Count one request; seconds until the next may come when this one is too many, else 0."""
        key = _key(rule.name, *who)
        for item in rule.items:
            wait_s = await self._counted(item, key)
            if wait_s:
                return wait_s
        return 0.0

    @property
    def remembered(self) -> int:
        """How many counts this process holds."""
        return len(self._memory.storage)

    async def ping(self) -> None:
        """Raises: SettingsInvalid: Redis is set and does not answer."""
        if self._redis is not None and not await self._redis.check():
            raise SettingsInvalid("The Redis of GUIDESMITH_RATE_LIMIT_STORAGE_URL does not answer.")

    async def close(self) -> None:
        """Let go of the connections."""
        if self._redis is not None:
            await self._redis.bridge.get_connection().aclose()  # type: ignore[attr-defined]

    async def _counted(self, item: RateLimitItem, key: str) -> float:
        if self._shared is not None and self._clock() >= self._left_alone_until:
            try:
                return await _hit(self._shared, item, key)
            except Exception as fault:  # whatever its client raises: a limit is no reason to refuse work
                self._leave_alone(fault)
        self._delay_sweep()
        return await _hit(self._local, item, key)

    def _delay_sweep(self) -> None:
        """The storage sweeps whenever its timer is done: between two sweeps it is one that just waits."""
        timer = self._memory.timer
        if timer is not None and timer.done():
            self._memory.timer = None if self._waited else asyncio.create_task(asyncio.sleep(SWEEP_EVERY_S))
            self._waited = not self._waited

    def _leave_alone(self, fault: Exception) -> None:
        now = self._clock()
        if now >= self._left_alone_until:  # told once, not by each of those who were waiting for it
            log("api").warning("rate_limit.storage_unavailable", fault=type(fault).__name__, retry_in_s=REDIS_RETRY_S)
        self._left_alone_until = now + REDIS_RETRY_S


class Limits:
    """The limits of the settings, applied to requests."""

    def __init__(self, settings: Settings) -> None:
        self.counter = Counter(settings.rate_limit_storage_url)
        self._default = Rule.of("default", settings.rate_limit_default)
        self._expensive = Rule.of("expensive", settings.rate_limit_expensive)
        self._attempts = Rule.of("unauthenticated", settings.rate_limit_unauthenticated)
        self.proxies = tuple(ipaddress.ip_network(each, strict=False) for each in listed(settings.trusted_proxies))

    async def admit(self, subject: str, method: str, route: str) -> None:
        """Count a request of ``subject`` to ``route`` (its template below the base path).

        Raises:
            RateLimited: It is one too many.
        """
        nameless = (method, unnamed(route))
        rule = self._expensive if nameless in EXPENSIVE else self._default
        _refuse(await self.counter.wait_s(rule, subject, *nameless), "You ask this more often than allowed.")

    async def attempt(self, scope: Scope, *, at: str = "") -> None:
        """Count an attempt to get in: one that failed, or, where whoever tries is told by the answer, any.

        Args:
            at: What is tried, where there are several ways in: that is counted from all addresses together, too.

        Raises:
            RateLimited: The client's address, or the way in, has had too many.
        """
        told = "Too many attempts without a token that holds."
        _refuse(await self.counter.wait_s(self._attempts, client_address(scope, self.proxies)), told)
        if at:
            _refuse(await self.counter.wait_s(self._attempts, "at", at), told)

    async def admit_reader(self, scope: Scope, share_id: str) -> None:
        """Count a request of somebody who holds a link.

        Raises:
            RateLimited: Their address has asked too often by this link.
        """
        await self.admit(f"reader {client_address(scope, self.proxies)}", scope["method"], f"shared {share_id}")


def unnamed(template: str) -> str:
    """``/jobs/{job_id}/run`` as ``/jobs/{}/run``."""
    return "/".join("{}" if part.startswith("{") else part for part in template.split("/"))


def client_address(scope: Scope, proxies: Collection[Network]) -> str:
    """Where a request comes from: the peer, or what trusted proxies say of it.

    X-Forwarded-For is read from its end, where the nearest proxy wrote; the first address that is no trusted proxy is
    the client's. What stands before it anybody may have written. IPv6 addresses are cut to their network.
    """
    peer = (scope.get("client") or ("",))[0]
    hops = [hop.strip() for line in Headers(scope=scope).getlist("x-forwarded-for") for hop in line.split(",")]
    address = _address(peer)
    while address is not None and hops and any(address in network for network in proxies):
        said = _address(hops.pop())
        if said is None:
            break
        address = said
    if address is None:
        return "unknown"
    if address.version == 6:
        return str(ipaddress.ip_network((address, IPV6_PREFIX), strict=False))
    return str(address)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _refuse(wait_s: float, message: str) -> None:
    if wait_s:
        raise RateLimited(f"{message} Come back when Retry-After says.", retry_after_s=wait_s)


def _redis(url: str) -> RedisStorage:
    options: Mapping[str, Any] = {
        "socket_timeout": REDIS_TIMEOUT_S,
        "socket_connect_timeout": REDIS_TIMEOUT_S,
        "max_connections": 100,
    }
    return RedisStorage(f"async+{url}", implementation="redispy", key_prefix=KEY_PREFIX, **options)


async def _hit(limiter: FixedWindowRateLimiter, item: RateLimitItem, key: str) -> float:
    if await limiter.hit(item, key):
        return 0.0
    stats = await limiter.get_window_stats(item, key)
    return float(max(1, math.ceil(stats.reset_time - time.time())))


def _key(*parts: str) -> str:
    """Of one length, whatever a subject is made of, and telling nothing to who reads Redis."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40]
