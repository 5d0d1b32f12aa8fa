"""An OpenID Connect provider for tests that does as it should until it is told to lie: whatever it says can be changed,
from discovery to the signature. A real one, which cannot be made to, is in ``tests/canaille.py``."""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote, urlsplit

from joserfc import jwt

from tests.identity import Key, rsa_key

CLIENT_ID, CLIENT_SECRET = "guidesmith", "a secret: with & signs"

Claims = dict[str, Any]


@dataclass
class OpenIdProvider:
    """One client, one user.

    Args:
        said: What overrides the metadata; ``None`` takes a member away.
        user: The claims of the ID token besides those of every one.
        info: What the user info endpoint answers besides ``sub``.
        tamper: Changes the claims of an ID token before they are signed.
        encode: Signs them.
        asks_verifier: Whether it goes by PKCE.
        answers: What is answered at a path instead: status and body.
    """

    issuer: str = ""
    key: Key = field(default_factory=lambda: rsa_key("first"))
    secret: str | None = CLIENT_SECRET
    said: Claims = field(default_factory=dict)
    user: Claims = field(default_factory=dict)
    info: Claims = field(default_factory=dict)
    lifetime_s: float = 3600.0
    gives_refresh: bool = True
    tamper: Callable[[Claims], Claims] = lambda claims: claims
    encode: Callable[[Claims], str] | None = None
    answers: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    refreshed: int = 0
    given: list[str] = field(default_factory=list)
    codes: dict[str, Claims] = field(default_factory=dict)
    refresh_tokens: dict[str, Claims] = field(default_factory=dict)
    revoked: list[str] = field(default_factory=list)
    slow_s: float = 0.0
    asks_verifier: bool = True

    def reset(self) -> None:
        """As it was at first, but for what it has given out."""
        self.said, self.info, self.answers = {}, {}, {}
        self.user = {"sub": "ann", "name": "Ann Archer", "email": "ann@example.org", "email_verified": True}
        self.user |= {"role": "editor", "sid": "there-1"}
        self.secret, self.lifetime_s, self.gives_refresh = CLIENT_SECRET, 3600.0, True
        self.tamper, self.encode, self.slow_s = (lambda claims: claims), None, 0.0
        self.asks_verifier = True

    def approve(self, address: str) -> str:
        """What somebody's click on its page does: the code for where ``address`` asks to be led back to."""
        parts = urlsplit(address)
        assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{self.issuer}/authorize"
        asked = dict(parse_qsl(parts.query))
        assert (asked["response_type"], asked["client_id"]) == ("code", CLIENT_ID)
        assert (asked["code_challenge_method"], "openid" in asked["scope"].split()) == ("S256", True)
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        return code

    def id_token(self, **claims: Any) -> str:
        """One as it issues it."""
        now = int(time.time())
        whole = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": int(now + self.lifetime_s)}
        whole = self.tamper(whole | self.user | claims)
        if self.encode is not None:
            return self.encode(whole)
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, whole, self.key)

    def metadata(self) -> Claims:
        told = {name: f"{self.issuer}/{path}" for name, path in PLACES.items()} | {
            "issuer": self.issuer,
            "response_types_supported": ["code"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "none"],
            "code_challenge_methods_supported": ["S256"],
        }
        return {name: value for name, value in (told | self.said).items() if value is not None}

    def exchange(self, form: dict[str, str], authorization: str) -> tuple[int, Claims]:
        """The token endpoint."""
        if not self._is_client(form, authorization):
            return 401, {"error": "invalid_client"}
        if form.get("grant_type") == "refresh_token":
            held = self.refresh_tokens.pop(form["refresh_token"], None)  # good for one question
            if held is None:
                return 400, {"error": "invalid_grant"}
            self.refreshed += 1
            time.sleep(self.slow_s)
            return 200, self._tokens()
        asked = self.codes.pop(form.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if asked is None or (self.asks_verifier and challenge.decode().rstrip("=") != asked["code_challenge"]):
            return 400, {"error": "invalid_grant"}
        if form.get("redirect_uri") != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        return 200, self._tokens(nonce=asked["nonce"])

    def _is_client(self, form: dict[str, str], authorization: str) -> bool:
        if self.secret is None:
            return form.get("client_id") == CLIENT_ID and not authorization
        pair = f"{quote(CLIENT_ID, safe='')}:{quote(self.secret, safe='')}"
        return authorization == f"Basic {base64.b64encode(pair.encode()).decode()}"

    def _tokens(self, **claims: Any) -> Claims:
        access = secrets.token_urlsafe(24)
        told: Claims = {"access_token": access, "token_type": "Bearer", "expires_in": self.lifetime_s}
        told["id_token"] = self.id_token(**claims)
        if self.gives_refresh:
            refresh = secrets.token_urlsafe(24)
            self.refresh_tokens[refresh] = {}
            told["refresh_token"] = refresh
        self.given += [told[name] for name in ("access_token", "id_token", "refresh_token") if name in told]
        return told

    def answer(self, method: str, path: str, body: bytes, authorization: str) -> tuple[int, bytes]:
        self.asked.append(path)
        if path in self.answers:
            return self.answers[path]
        if path == "/.well-known/openid-configuration":
            return 200, json.dumps(self.metadata()).encode()
        if path == "/keys":
            return 200, json.dumps({"keys": [self.key.as_dict(private=False)]}).encode()
        if path == "/token" and method == "POST":
            form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
            status, told = self.exchange(form, authorization)
            return status, json.dumps(told).encode()
        if path == "/revoke" and method == "POST":
            form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
            if not self._is_client(form, authorization):
                return 401, b'{"error": "invalid_client"}'
            if (
                form.get("token_type_hint") == "refresh_token"
                and self.refresh_tokens.pop(form["token"], None) is not None
            ):
                self.revoked.append(form["token"])
            return 200, b""  # RFC 7009, 2.2: also for one that it does not know
        if path == "/userinfo" and authorization.startswith("Bearer "):
            return 200, json.dumps({"sub": self.user.get("sub")} | self.info).encode()
        return 404, b"nothing here"


PLACES = {
    "authorization_endpoint": "authorize",
    "token_endpoint": "token",
    "jwks_uri": "keys",
    "userinfo_endpoint": "userinfo",
    "end_session_endpoint": "logout",
    "revocation_endpoint": "revoke",
}


@contextmanager
def running_openid_provider() -> Iterator[OpenIdProvider]:
    provider = OpenIdProvider()
    provider.reset()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            status, body = provider.answer(
                self.command, urlsplit(self.path).path, self.rfile.read(size), self.headers.get("Authorization", "")
            )
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Not into the tests' output."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
