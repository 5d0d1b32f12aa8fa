"""Signed paths: whoever holds one may do the one thing it names until it expires, without a token.

``v1.<payload>.<signature>`` in one path segment, so that a client can add its own query (``?part=3``). The signature
covers the purpose: a path that lets someone upload lets nobody download.
"""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from typing import Literal

from domain.errors import NotFound

Purpose = Literal[
    "upload",
    "download",
    "picture",
    "picture-upload",
    "library-file",
    "analysis-file",
    "session",
    "sign-in",
    "signing-in",
    "share",
]

VERSION = "v1"
LIMIT = 2048


class AddressExpired(NotFound):
    """Genuine, but of the past. Its holder was given it once, so that saying so reveals nothing; what it led to may
    be gone by now."""

    def __init__(self) -> None:
        super().__init__("This address has expired. Ask for what it belongs to again: the answer has a new one.")


class SignedUrls:
    """Signs and reads them. The key is derived from the API's secret, so that neither can stand in for the other."""

    def __init__(self, secret: str, clock: Callable[[], float] = time.time) -> None:
        self._key = hmac.new(secret.encode(), b"guidesmith signed paths", hashlib.sha256).digest()
        self._clock = clock

    def sign(self, purpose: Purpose, subject: str, expires_at: float) -> str:
        """The segment that lets its holder do ``purpose`` with ``subject`` until ``expires_at`` (Unix seconds)."""
        payload = _encoded(json.dumps([subject, int(expires_at)]).encode())
        return f"{VERSION}.{payload}.{self._signature(purpose, payload)}"

    def read(self, purpose: Purpose, segment: str) -> str:
        """What ``segment`` was signed for.

        Raises:
            NotFound: It was not signed here, or for something else. AddressExpired: It was, but has expired.
        """
        version, _, rest = segment.partition(".") if len(segment) <= LIMIT else ("", "", "")
        payload, _, signature = rest.partition(".")
        genuine = hmac.compare_digest(signature.encode(), self._signature(purpose, payload).encode())
        if version != VERSION or not genuine:
            raise NotFound
        subject, expires_at = json.loads(_decoded(payload))
        if self._clock() >= expires_at:
            raise AddressExpired
        return str(subject)

    def _signature(self, purpose: Purpose, payload: str) -> str:
        return _encoded(hmac.new(self._key, f"{purpose}.{payload}".encode(), hashlib.sha256).digest())


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
