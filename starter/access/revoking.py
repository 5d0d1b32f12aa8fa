"""Refresh tokens that are not wanted any more: the provider is told so (RFC 7009), where it says that it can be."""

from http import HTTPStatus

from starter.access.fetching import Unfetched, fetched
from starter.access.jwks import KeysUnavailable
from starter.access.openid import IdentityProvider, SignInFailed
from starter.logs import log


async def revoke(provider: IdentityProvider, refresh_token: str) -> bool:
    """Tell the provider that nobody will ask with ``refresh_token`` again; whether it was told.

    Nobody's sign-out waits for longer than an answer may take, or fails with it: here the token is forgotten anyway.
    """
    try:
        metadata = await provider.metadata()
        if metadata.revocation_endpoint is None:
            return False
        form = {"token": refresh_token, "token_type_hint": "refresh_token"}
        headers = provider.proof(metadata, form)
        status, _ = await fetched(metadata.revocation_endpoint, form=form, headers=headers)
    except (SignInFailed, KeysUnavailable, Unfetched):
        status = 0
    if status != HTTPStatus.OK:
        log("auth").warning("auth.revocation_failed", status=status)
        return False
    log("auth").info("auth.revoked")
    return True
