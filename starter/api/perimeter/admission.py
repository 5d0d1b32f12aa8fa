"""Who may come in, and how often: 401, 403 and 429, decided from the head of a request alone.

A route is open, or its address is its permission (a signed one), or a stage runner's secret opens it, or a bearer
token does, or a session where a page of ours calls. Attempts that fail are counted by client address; what succeeds is
counted by who succeeded, so that nobody is locked out by a stranger who shares their address.
"""

import hashlib
import hmac
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import Scope

from activities.webhooks.signatures import Keys
from domain.errors import NotFound, UploadExpired
from starter.access.tokens import Principal, Role, TokenCheck, Unauthorized
from starter.api.addresses import root_address
from starter.api.errors import Forbidden
from starter.api.perimeter.limits import Limits
from starter.api.perimeter.pathways import Pathway
from starter.api.perimeter.seen import Seen
from starter.api.perimeter.sessions import Sessions, check_origin
from starter.api.signed_urls import AddressExpired, Purpose, SignedUrls

BASE, UNVERSIONED = "/api/v1", "/api"

OPEN = frozenset({f"{BASE}/openapi.json", "/healthz", "/readyz"})
"""Routes that need no token."""

SIGNED: Mapping[str, Purpose] = {
    f"{BASE}/uploads/": "upload",
    f"{BASE}/downloads/": "download",
    f"{BASE}/pictures/": "picture",
    f"{BASE}/picture-uploads/": "picture-upload",
    f"{BASE}/library-files/": "library-file",
    f"{BASE}/analysis-files/": "analysis-file",
}
"""Routes whose path is its own permission, by prefix: the purpose that it was signed for."""

BEGUN_AGAIN: Mapping[Purpose, str] = {
    "upload": "Begin the upload again: what has arrived is kept.",
    "picture-upload": "Announce the picture again, and send it to the new address.",
}
"""What somebody does whose address to send something to is of the past: 410. What is fetched has other ways: 404."""

INTERNAL = f"{BASE}/internal/"
"""Routes of external stage runners, who send a secret instead of a token."""

CALLBACK_SECRET = "x-callback-secret"  # noqa: S105  (a header's name)

WEBHOOKS = f"{BASE}/webhooks/"
"""Routes of providers, who sign their body instead of sending a token."""

ADMIN = f"{BASE}/admin/"


class Admission:
    """The doorkeeper.

    Args:
        sessions: What people who use the pages come with, in place of a token.
        seen: Who keeps what tokens call their bearers.
        public_url: Where the pages are; ``None``: where this machine is called.
        callback_secret: What external stage runners send; ``None``: nobody is one.
        provider_keys: What providers sign with; ``None``: nobody is one.
    """

    def __init__(
        self,
        *,
        tokens: TokenCheck,
        signed_urls: SignedUrls,
        limits: Limits,
        sessions: Sessions,
        seen: Seen,
        public_url: str | None = None,
        callback_secret: str | None = None,
        provider_keys: Keys | None = None,
    ) -> None:
        self._tokens = tokens
        self._signed_urls = signed_urls
        self._limits = limits
        self._sessions = sessions
        self._seen = seen
        self._public_url = public_url
        self._callback_secret = callback_secret
        self._provider_keys = provider_keys or Keys(())

    async def principal(self, scope: Scope, headers: Headers, pathway: Pathway | None) -> Principal | None:
        """Who calls; ``None`` where a route needs no token.

        Raises:
            Unauthorized, Forbidden: They may not.
            RateLimited: They may, but not so often.
            KeysUnavailable: Nobody can tell.
        """
        path: str = scope["path"]
        if path in OPEN or is_webhook(path):
            return None  # a webhook's body proves who sends it: see `check_signature`
        try:
            principal = await self._proved(scope, path, headers)
        except (Unauthorized, NotFound):
            await self._limits.attempt(scope)
            raise
        # what is not a user's is counted by its path: a signed address, or the job that a runner reports on
        await self._limits.admit(
            f"user {principal.subject}" if principal else f"path {path}", *_route(scope["method"], pathway)
        )
        if path.startswith(ADMIN) and (principal is None or principal.role is not Role.ADMIN):
            raise Forbidden("This route is for administrators.")
        await self._seen.note(principal.person if principal else None)
        return principal

    async def check_signature(self, scope: Scope, headers: Headers, body: bytes) -> None:
        """Whether a webhook is its provider's. What is, is not counted: a stranger must not use up a provider's share.

        Raises:
            Unauthorized: It is not, or it is older than five minutes.
            RateLimited: It is not, once too often.
        """
        provider = str(scope["path"]).removeprefix(WEBHOOKS)
        if not self._provider_keys.holds(provider, headers, body):
            await self._limits.attempt(scope)
            raise Unauthorized("The webhook's signature is missing, wrong, or not of the last five minutes.")

    async def _proved(self, scope: Scope, path: str, headers: Headers) -> Principal | None:
        for prefix, purpose in SIGNED.items():
            if path.startswith(prefix):
                self._check_signed(purpose, path.removeprefix(prefix).partition("/")[0])
                return None
        if path.startswith(INTERNAL):
            self._check_runner(headers)
            return None
        if "authorization" not in headers and self._sessions.cookie in headers.get("cookie", ""):
            check_origin(scope["method"], headers, root_address(scope, self._public_url))
            return (await self._sessions.read(headers)).principal
        return await self._tokens.principal(_bearer(headers))

    def _check_signed(self, purpose: Purpose, segment: str) -> None:
        try:
            self._signed_urls.read(purpose, segment)
        except AddressExpired:
            if purpose in BEGUN_AGAIN:
                raise UploadExpired(f"This upload's address has expired. {BEGUN_AGAIN[purpose]}") from None
            raise

    def _check_runner(self, headers: Headers) -> None:
        given = headers.get(CALLBACK_SECRET, "").encode("latin-1", "replace")
        known = (self._callback_secret or "").encode()
        # of one length, so that not even the length of the secret can be timed
        same = hmac.compare_digest(hashlib.sha256(given).digest(), hashlib.sha256(known).digest())
        if not (same and known):
            raise Unauthorized("The X-Callback-Secret is missing or wrong.")


def is_webhook(path: str) -> bool:
    """Whether ``path`` is a provider's."""
    return path.startswith(WEBHOOKS)


def plain_path(path: str) -> str:
    """``path`` as it is described: below ``/api`` without a version stands for this one."""
    if path.startswith(f"{UNVERSIONED}/") and path != BASE and not path.startswith(f"{BASE}/"):
        return BASE + path.removeprefix(UNVERSIONED)
    return path


def is_page(path: str) -> bool:
    """Whether ``path`` is for people: whatever is neither the API's nor a probe's."""
    return path not in OPEN and path != BASE and not path.startswith(f"{BASE}/")


def _bearer(headers: Headers) -> str:
    given = headers.getlist("authorization")
    scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized("Send a token: Authorization: Bearer <token>.")
    return token.strip()


def _route(method: str, pathway: Pathway | None) -> tuple[str, str]:
    """What is counted together. Whatever leads nowhere is one route: a caller must not be able to invent more."""
    if pathway is None:
        return "any", "nowhere"
    return method if method in pathway.methods else "other", pathway.template.removeprefix(BASE)
