"""AWS Signature Version 4 in a URL's query, for what obstore cannot sign: requests that carry parameters of their own.

The rules are Amazon's "Authenticating Requests: Using Query Parameters (AWS Signature Version 4)". Every
S3-compatible store understands them. Pure: the caller passes the time.
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import quote, urlsplit

ALGORITHM = "AWS4-HMAC-SHA256"
MAX_EXPIRES_S = 7 * 24 * 3600
"""Seconds a signed URL may live at most: the protocol's own limit."""


@dataclass(frozen=True)
class Credentials:
    """A key pair, with the session token that temporary ones carry."""

    access_key_id: str
    secret_access_key: str = field(repr=False)
    session_token: str | None = field(default=None, repr=False)


def signed_url(
    method: str,
    url: str,
    *,
    region: str,
    credentials: Credentials,
    expires_s: int,
    now: datetime,
    parameters: Mapping[str, str] | None = None,
) -> str:
    """``url`` with a signature that lets anyone send ``method`` to it for ``expires_s`` seconds from ``now`` (UTC).

    ``url`` has no query and its path is percent-encoded already; ``parameters`` are signed along with it.
    """
    parts = urlsplit(url)
    day, moment = now.strftime("%Y%m%d"), now.strftime("%Y%m%dT%H%M%SZ")
    scope = f"{day}/{region}/s3/aws4_request"
    query = {
        **(parameters or {}),
        "X-Amz-Algorithm": ALGORITHM,
        "X-Amz-Credential": f"{credentials.access_key_id}/{scope}",
        "X-Amz-Date": moment,
        "X-Amz-Expires": str(min(max(expires_s, 1), MAX_EXPIRES_S)),
        "X-Amz-SignedHeaders": "host",
    }
    if credentials.session_token:
        query["X-Amz-Security-Token"] = credentials.session_token
    canonical_query = "&".join(f"{_encoded(name)}={_encoded(value)}" for name, value in sorted(query.items()))
    canonical = "\n".join(
        [method, parts.path or "/", canonical_query, f"host:{parts.netloc}\n", "host", "UNSIGNED-PAYLOAD"]
    )
    to_sign = "\n".join([ALGORITHM, moment, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    signature = _keyed(_signing_key(credentials, day, region), to_sign).hex()
    return f"{parts.scheme}://{parts.netloc}{parts.path or '/'}?{canonical_query}&X-Amz-Signature={signature}"


def encoded_path(key: str) -> str:
    """``key`` as it stands in a URL's path: every byte outside RFC 3986's unreserved set is escaped, slashes stay."""
    return quote(key, safe="/-_.~")


def _encoded(text: str) -> str:
    return quote(text, safe="-_.~")


def _signing_key(credentials: Credentials, day: str, region: str) -> bytes:
    key = f"AWS4{credentials.secret_access_key}".encode()
    for part in (day, region, "s3", "aws4_request"):
        key = _keyed(key, part)
    return key


def _keyed(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
