"""What a provider's status means, said once.

Sources: RFC 9110 (status codes, Retry-After), OpenAI's "Error codes" guide for ``insufficient_quota``,
``context_length_exceeded`` and ``retry-after-ms``.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from domain.errors import (
    ProviderAccessDenied,
    ProviderError,
    ProviderRateLimited,
    ProviderRequestRefused,
    ProviderRequestTooLarge,
    ProviderTimeout,
    ProviderUnavailable,
)

LONGEST_WAIT_S = 3600.0
"""A provider that asks for more is asked again after this."""

_SAFE_CODE = re.compile(r"^[A-Za-z0-9_.-]{1,60}$")
_NO_CREDIT = {"insufficient_quota", "billing_hard_limit_reached", "insufficient_credits"}
_TOO_LONG = {"context_length_exceeded", "string_above_max_length"}


def fault_of(
    provider: str, status: int, headers: Mapping[str, str], body: bytes, *, now: datetime | None = None
) -> ProviderError:
    """The error for a status other than 2xx. Of the body only a short code goes into it: the rest may quote a prompt.

    Args:
        provider: What to call the provider in the message.
        headers: With lower-case names.
        now: What Retry-After dates are compared with.
    """
    code = provider_code(body)
    details: dict[str, object] = {"provider": provider, "status": status}
    if code is not None:
        details["provider_code"] = code
    wait_s = retry_after_s(headers, now or datetime.now(UTC))
    said = f"{provider} answered {status}" + (f" ({code})" if code else "")
    if status in (401, 403):
        return ProviderAccessDenied(f"{said}: check its API key and what the key may do.", details=details)
    if status == 402 or (status == 429 and code in _NO_CREDIT):
        return ProviderAccessDenied(f"{said}: the account has no credit left.", details=details)
    if status == 429:
        return ProviderRateLimited(
            f"{said}: too many requests. Try again later.", details=details, retry_after_s=wait_s
        )
    if status == 413 or code in _TOO_LONG:
        return ProviderRequestTooLarge(
            f"{said}: the recording is more than the model takes at once. Use a model with a larger limit.",
            details=details,
        )
    if status == 408:
        return ProviderTimeout(f"{said}: it waited too long for the request.", details=details, retry_after_s=wait_s)
    if status >= 500 or status == 425:
        return ProviderUnavailable(
            f"{said}: a fault of its own. Try again later.", details=details, retry_after_s=wait_s
        )
    if 300 <= status < 400:
        return ProviderRequestRefused(
            f"{said}: it redirects, and redirects are not followed. Set its final address.", details=details
        )
    return ProviderRequestRefused(f"{said}: check its address and the model's name in the settings.", details=details)


def provider_code(body: bytes) -> str | None:
    """The short code of an error body in OpenAI's shape (``error.code`` or ``error.type``), when it is harmless."""
    try:
        error = json.loads(body)["error"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(error, dict):
        return None
    for name in ("code", "type"):
        code = error.get(name)
        if isinstance(code, str) and _SAFE_CODE.match(code):
            return code
    return None


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait, 0 to an hour, from ``retry-after-ms`` or ``retry-after`` (which may be a date); or ``None``."""
    wait_s = _seconds(headers.get("retry-after-ms"), 1000.0)
    if wait_s is None:
        header = headers.get("retry-after")
        wait_s = _seconds(header, 1.0)
        if wait_s is None and header:
            wait_s = _until(header, now)
    return None if wait_s is None else min(max(wait_s, 0.0), LONGEST_WAIT_S)


def _seconds(header: str | None, unit: float) -> float | None:
    try:
        value = float(header or "") / unit
    except ValueError:
        return None
    return value if value == value else None  # "nan" is a float


def _until(header: str, now: datetime) -> float | None:
    try:
        then = parsedate_to_datetime(header)
    except (ValueError, TypeError):
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    return (then - now).total_seconds()
