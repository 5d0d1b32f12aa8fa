"""Who can reach the API, and what of its settings would be a weakness then. Told by the doctor, and when the API
starts."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from starter.setting_values import LOOPBACK_NAMES, OFF, SECRET_MIN_CHARACTERS, listed
from starter.settings import PREFIX, Settings


@dataclass(frozen=True)
class Weakness:
    """What is wrong, and what would mend it."""

    found: str
    mend: str


def is_for_others(settings: Settings) -> bool:
    """Whether more than this machine can reach the API."""
    return settings.api_host not in LOOPBACK_NAMES or not _is_here(settings.public_url)


def weaknesses(settings: Settings) -> list[Weakness]:
    """What an API that others can reach should not be run with. None for one that only this machine reaches."""
    found: list[Weakness] = []
    if not is_for_others(settings):
        return found
    if settings.public_url is None:
        found.append(
            Weakness(
                "links in answers name the address it listens on", f"Set {PREFIX}PUBLIC_URL to how clients reach it."
            )
        )
    elif settings.public_url.startswith("http://") and not _is_here(settings.public_url):
        found.append(
            Weakness(
                "tokens travel without TLS",
                f"Put a proxy with TLS before it, and its https address in {PREFIX}PUBLIC_URL.",
            )
        )
    if settings.auth_jwks_url and not (settings.auth_issuer and settings.auth_audience):
        found.append(
            Weakness(
                "tokens that the identity provider made for others are taken",
                f"Set {PREFIX}AUTH_ISSUER and {PREFIX}AUTH_AUDIENCE.",
            )
        )
    if settings.oidc_issuer and settings.auth_jwks_url and settings.auth_issuer not in (None, settings.oidc_issuer):
        found.append(
            Weakness(
                "two issuers say who somebody is, and one may use a subject of the other's",
                f"Let {PREFIX}AUTH_ISSUER and {PREFIX}OIDC_ISSUER be the same.",
            )
        )
    if any(ipaddress.ip_network(each, strict=False).prefixlen == 0 for each in listed(settings.trusted_proxies)):
        found.append(
            Weakness(
                "anybody may choose the address they are counted by",
                f"Name the proxies alone in {PREFIX}TRUSTED_PROXIES.",
            )
        )
    secret = settings.callback_secret
    if secret is not None and len(secret.get_secret_value()) < SECRET_MIN_CHARACTERS:
        found.append(
            Weakness(
                f"the stage runners' secret has fewer than {SECRET_MIN_CHARACTERS} characters and can be guessed",
                f"Set {PREFIX}CALLBACK_SECRET to what `openssl rand -hex 32` prints.",
            )
        )
    if not settings.secrets_keys():
        found.append(
            Weakness(
                "the secrets that sign users' webhooks lie in clear in the database"
                + (", and sessions end with their ID token" if settings.oidc_issuer else ""),
                f"Set {PREFIX}SECRETS_KEY to what `openssl rand -hex 32` prints, for every process, and run "
                "`guidesmith db upgrade`.",
            )
        )
    if OFF in (settings.rate_limit_default, settings.rate_limit_expensive, settings.rate_limit_unauthenticated):
        found.append(Weakness("some limits are off", f"Set {PREFIX}RATE_LIMIT_… to a rate such as 60/minute."))
    return found


def _is_here(url: str | None) -> bool:
    return url is None or urlsplit(url).hostname in LOOPBACK_NAMES
