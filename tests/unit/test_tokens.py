"""Tokens of the shared secret, and what claims must say: what is taken, and every way to forge one."""

import base64
import hmac
import json
import time
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from starter.access.tokens import TOKEN_LIMIT, Claims, Principal, Role, Tokens, Unauthorized

SECRET = "0123456789abcdef" * 4
ISSUER, AUDIENCE = "https://id.example.org", "guidesmith"
NOW = int(time.time())
GOOD: dict[str, Any] = {"sub": "ann", "exp": NOW + 3600}


def encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).decode().rstrip("=")


def signed(claims: dict[str, Any], *, secret: str = SECRET, header: dict[str, Any] | None = None) -> str:
    """Signed by hand: a library would not make what has to be refused."""
    whole = {"alg": "HS256", "typ": "JWT", **(header or {})}
    content = ".".join(encoded(json.dumps(part).encode()) for part in (whole, claims))
    kind = "sha512" if whole["alg"] == "HS512" else "sha256"
    return f"{content}.{encoded(hmac.digest(secret.encode(), content.encode(), kind))}"


def signature_of(claims: dict[str, Any], *, under: dict[str, Any]) -> str:
    return f"{signed(under).rpartition('.')[0]}.{signed(claims).rpartition('.')[2]}"


def check(token: str, claims: Claims | None = None) -> Principal:
    return Tokens(SECRET, claims).check(token)


def test_given_a_token_of_ours_then_it_names_its_subject_and_role() -> None:
    assert check(Tokens(SECRET).issue("ann")) == Principal("ann", Role.EDITOR)
    assert check(Tokens(SECRET).issue("root", Role.ADMIN)) == Principal("root", Role.ADMIN)


def test_given_an_issuer_an_audience_and_a_role_claim_then_an_issued_token_has_them() -> None:
    for role_claim in ("role", "realm_access.roles", "https://example.org/role"):
        tokens = Tokens(SECRET, Claims(ISSUER, AUDIENCE, role_claim))
        assert tokens.check(tokens.issue("ann", Role.ADMIN)) == Principal("ann", Role.ADMIN)


@pytest.mark.parametrize(
    "token",
    [
        pytest.param(signed(GOOD, secret="f" * 64), id="another secret"),
        pytest.param(signed(GOOD, header={"alg": "HS512"}), id="another algorithm"),
        pytest.param(signed(GOOD, header={"alg": "none"}), id="none"),
        pytest.param(signed(GOOD, header={"alg": "None"}), id="None"),
        pytest.param(signed(GOOD, header={"alg": "none"}).rpartition(".")[0] + ".", id="none, unsigned"),
        pytest.param(
            signature_of(GOOD, under={**GOOD, "sub": "bob"}),
            id="other claims",
        ),
        pytest.param(signed(GOOD, header={"alg": ["HS256"]}), id="a list of algorithms"),
        pytest.param(signed(GOOD, header={"alg": None}), id="no algorithm"),
        pytest.param(signed(GOOD, header={"crit": ["exp"], "exp": 1}), id="a critical header we do not know"),
        pytest.param(jwt.encode({"alg": "RS256"}, GOOD, RSAKey.generate_key(2048)), id="a key of their own"),
        pytest.param(signed({"sub": "ann", "exp": NOW - 3600}), id="expired"),
        pytest.param(signed({"sub": "ann"}), id="no exp"),
        pytest.param(signed({"exp": NOW + 3600}), id="no sub"),
        pytest.param(signed({**GOOD, "nbf": NOW + 3600}), id="not yet"),
        pytest.param(signed({**GOOD, "iat": NOW + 3600}), id="issued in the future"),
        pytest.param(signed({**GOOD, "exp": "soon"}), id="exp in words"),
        pytest.param(signed({**GOOD, "exp": float("inf")}), id="exp never"),
        pytest.param(signed({**GOOD, "exp": float("nan")}), id="exp no number"),
        pytest.param(signed({**GOOD, "exp": True}), id="exp true"),
        pytest.param(signed({**GOOD, "sub": 7}), id="sub a number"),
        pytest.param(signed({**GOOD, "sub": ""}), id="sub empty"),
        pytest.param(signed({**GOOD, "sub": "a\nb"}), id="sub with a line break"),
        pytest.param(signed({**GOOD, "sub": "x" * 201}), id="sub too long"),
        pytest.param(signed({**GOOD, "role": "owner"}), id="a role that there is not"),
        pytest.param(signed({**GOOD, "role": {"admin": True}}), id="a role of another shape"),
        pytest.param(signed({**GOOD, "pad": "x" * TOKEN_LIMIT}), id="too long"),
        pytest.param("a.b.c", id="garbage"),
        pytest.param("....", id="dots"),
        pytest.param("é.é.é", id="not ASCII"),
        pytest.param(signed(GOOD) + ".x", id="one part more"),
        pytest.param(signed(GOOD)[:-2], id="cut"),
    ],
)
def test_given_a_token_that_does_not_hold_then_nobody_is_let_in(token: str) -> None:
    with pytest.raises(Unauthorized):
        check(token)


def test_given_deeply_nested_json_in_the_header_then_it_is_refused_and_nothing_breaks() -> None:
    deep = base64.urlsafe_b64encode(b'{"alg":' + b"[" * 3000 + b"]" * 3000 + b"}").decode()
    with pytest.raises(Unauthorized):
        check(f"{deep}.e30.x")


@pytest.mark.parametrize(
    "claims",
    [
        {**GOOD, "aud": AUDIENCE},
        {**GOOD, "iss": "https://evil.example.org", "aud": AUDIENCE},
        {**GOOD, "iss": [ISSUER], "aud": AUDIENCE},
        {**GOOD, "iss": ISSUER},
        {**GOOD, "iss": ISSUER, "aud": "another"},
        {**GOOD, "iss": ISSUER, "aud": ["another", AUDIENCE + "x"]},
        {**GOOD, "iss": ISSUER, "aud": []},
        {**GOOD, "iss": ISSUER, "aud": {AUDIENCE: 1}},
    ],
)
def test_given_another_issuer_or_audience_when_they_are_set_then_refused(claims: dict[str, Any]) -> None:
    with pytest.raises(Unauthorized):
        check(signed(claims), Claims(ISSUER, AUDIENCE))


@pytest.mark.parametrize("audience", [AUDIENCE, ["another", AUDIENCE]])
def test_given_the_issuer_and_the_audience_among_others_then_let_in(audience: object) -> None:
    assert check(signed({**GOOD, "iss": ISSUER, "aud": audience}), Claims(ISSUER, AUDIENCE)).subject == "ann"


@pytest.mark.parametrize(
    ("claim", "claims", "role"),
    [
        ("role", {}, Role.EDITOR),
        ("role", {"role": "admin"}, Role.ADMIN),
        ("roles", {"roles": ["viewer", "editor"]}, Role.EDITOR),
        ("roles", {"roles": ["editor", "admin"]}, Role.ADMIN),
        ("realm_access.roles", {"realm_access": {"roles": ["admin"]}}, Role.ADMIN),
        ("realm_access.roles", {"realm_access": "none"}, Role.EDITOR),
        ("https://example.org/roles", {"https://example.org/roles": ["admin"]}, Role.ADMIN),
        ("roles", {"role": "admin"}, Role.EDITOR),
    ],
)
def test_a_role_is_found_where_the_setting_says(claim: str, claims: dict[str, Any], role: Role) -> None:
    assert check(signed({**GOOD, **claims}), Claims(role_claim=claim)).role is role


def test_every_token_that_does_not_hold_is_answered_in_the_same_words() -> None:
    said = set()
    for token in (signed(GOOD, secret="f" * 64), signed({"sub": "ann", "exp": 1}), "a.b.c"):
        with pytest.raises(Unauthorized) as refusal:
            check(token)
        said.add(refusal.value.message)
    assert len(said) == 1
