"""An identity provider for tests: keys of its own, published over real HTTP, rotated and broken at will."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from joserfc import jwt
from joserfc.jwk import ECKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry

ISSUER, AUDIENCE = "https://id.example.org", "guidesmith"

Key = RSAKey | ECKey | OKPKey


@dataclass
class IdentityProvider:
    """``publish`` what it says; ``answer`` (status, body) overrides that."""

    url: str = ""
    keys: list[dict[str, Any]] = field(default_factory=list)
    answer: tuple[int, bytes] | None = None
    asked: int = 0

    def publish(self, *keys: Key, **more: Any) -> None:
        """From now on exactly these are the keys."""
        self.keys = [{**key.as_dict(private=False), **more} for key in keys]

    def token(self, key: Key, *, algorithm: str = "RS256", header: dict[str, Any] | None = None, **claims: Any) -> str:
        """A token as this provider issues it, signed with ``key``."""
        whole = {"sub": "ann", "exp": int(time.time()) + 3600, "iss": ISSUER, "aud": AUDIENCE, **claims}
        kept = {name: value for name, value in whole.items() if value is not None}
        head = {"alg": algorithm, **({"kid": key.kid} if key.kid else {}), **(header or {})}
        return jwt.encode(head, kept, key, algorithms=[algorithm], registry=_lenient())


class _Lenient(JWSRegistry):
    """Signs what it is told to."""

    max_header_length = 1 << 20


def _lenient() -> JWSRegistry:
    return _Lenient(algorithms=["RS256", "PS256", "ES256", "Ed25519"], strict_check_header=False)


def rsa_key(kid: str | None = None) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": kid} if kid else None)


def ec_key(kid: str) -> ECKey:
    return ECKey.generate_key("P-256", {"kid": kid})


@contextmanager
def running_identity_provider(port: int = 0) -> Iterator[IdentityProvider]:
    provider = IdentityProvider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            provider.asked += 1
            status, body = provider.answer or (200, json.dumps({"keys": provider.keys}).encode())
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Not into the tests' output."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    provider.url = f"http://127.0.0.1:{server.server_port}/keys"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
