"""Tokens of an identity provider, its keys fetched over real HTTP; and the API that takes them."""

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from joserfc.jwk import OKPKey
from pydantic import SecretStr
from typer.testing import CliRunner

from domain.errors import SettingsInvalid
from starter.access.jwks import STALE_LIMIT_S, JwksTokens, Keys, KeysUnavailable
from starter.access.tokens import Claims, Principal, Role, Tokens, Unauthorized
from starter.cli.app import app
from starter.cli.connection import local_token
from starter.cli.exits import UsageWrong
from starter.cli.services import with_secret
from starter.local.folder import DataFolder
from starter.local.stack import LocalStack, Ports
from starter.settings import load_settings
from starter.wiring import token_check
from tests.apis import SECRET, RunningApi, api_settings, running_api
from tests.identity import AUDIENCE, ISSUER, IdentityProvider, ec_key, rsa_key, running_identity_provider
from tests.temporal import TemporalServer, free_port

FIRST, SECOND, STRANGER = rsa_key("first"), rsa_key("second"), rsa_key("first")
CURVED = ec_key("curved")
ALGORITHMS = ("RS256", "ES256")


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def provider() -> Iterator[IdentityProvider]:
    with running_identity_provider() as running:
        running.publish(FIRST, CURVED)
        yield running


def checking(provider: IdentityProvider, clock: Clock | None = None, **rules: Any) -> JwksTokens:
    keys = Keys(provider.url, clock=clock or Clock(), timeout_s=60.0)
    return JwksTokens(keys, rules.pop("algorithms", ALGORITHMS), Claims(ISSUER, AUDIENCE, **rules))


def check(tokens: JwksTokens, token: str) -> Principal:
    return asyncio.run(tokens.principal(token))


# --- what is let in --------------------------------------------------------------------------------------------------


def test_given_a_token_of_the_provider_then_it_names_its_subject_and_role(provider: IdentityProvider) -> None:
    tokens = checking(provider, role_claim="realm_access.roles")
    assert check(tokens, provider.token(FIRST)) == Principal("ann", Role.EDITOR)
    assert check(tokens, provider.token(CURVED, algorithm="ES256")) == Principal("ann", Role.EDITOR)
    admin = provider.token(FIRST, realm_access={"roles": ["offline", "admin"]})
    assert check(tokens, admin) == Principal("ann", Role.ADMIN)
    assert provider.asked == 1


def test_given_keys_without_ids_then_each_that_fits_is_tried(provider: IdentityProvider) -> None:
    nameless = [rsa_key(), rsa_key()]
    provider.publish(*nameless)
    assert check(checking(provider), provider.token(nameless[1])).subject == "ann"


def test_given_keys_of_every_sort_when_published_then_those_for_signatures_serve(provider: IdentityProvider) -> None:
    unusable: list[Any] = [
        {"kty": "oct", "kid": "secret", "k": encoded(b"s" * 32)},
        {"kty": "XX", "kid": "new"},
        "nonsense",
        {**FIRST.as_dict(private=False), "use": "enc"},
        {**rsa_key("short").as_dict(private=False), "n": encoded(b"\xff" * 128)},
    ]
    provider.keys = [*unusable, CURVED.as_dict(private=False)]
    tokens = checking(provider)
    assert check(tokens, provider.token(CURVED, algorithm="ES256")).subject == "ann"
    with pytest.raises(Unauthorized):
        check(tokens, provider.token(FIRST))


def test_given_ed25519_when_it_is_pinned_then_it_serves(provider: IdentityProvider) -> None:
    key = OKPKey.generate_key("Ed25519", {"kid": "ed"})
    provider.publish(key)
    token = provider.token(key, algorithm="Ed25519")
    assert check(checking(provider, algorithms=("Ed25519",)), token).subject == "ann"
    with pytest.raises(Unauthorized):
        check(checking(provider), token)


# --- what is not -----------------------------------------------------------------------------------------------------


def signed_with_the_public_key(algorithm: str = "HS256") -> str:
    """The classic: the published RSA key taken for a shared secret."""
    header = {"alg": algorithm, "kid": "first"}
    claims = {"sub": "ann", "exp": 1 << 33, "iss": ISSUER, "aud": AUDIENCE}
    content = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
    return f"{content}.{encoded(hmac.digest(FIRST.as_pem(private=False), content.encode(), 'sha256'))}"


def encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).decode().rstrip("=")


def forged(provider: IdentityProvider) -> dict[str, str]:
    def by(key: Any = FIRST, **how: Any) -> str:
        return provider.token(key, **how)

    own = STRANGER.as_dict(private=False)
    return {
        "public key as a secret": signed_with_the_public_key(),
        "our own shared secret": Tokens(SECRET, Claims(ISSUER, AUDIENCE)).issue("ann"),
        "a key of the same id": by(STRANGER),
        "an algorithm that is not pinned": by(algorithm="PS256"),
        "expired": by(exp=1),
        "not yet": by(nbf=1 << 33),
        "another audience": by(aud="another"),
        "another issuer": by(iss="https://evil.example.org"),
        "no audience": by(aud=None),
        "no issuer": by(iss=None),
        "no sub": by(sub=None),
        "no exp": by(exp=None),
        "its own key in the header": by(STRANGER, header={"jwk": own}),
        "a key set of its own": by(STRANGER, header={"jku": provider.url.replace("/keys", "/evil")}),
        "a certificate of its own": by(STRANGER, header={"x5u": provider.url.replace("/keys", "/evil")}),
        "a path as key id": by(STRANGER, header={"kid": "../../../../dev/null"}),
        "a statement as key id": by(STRANGER, header={"kid": "x' UNION SELECT 'k'--"}),
        "a list as key id": _with_header(by(), {"alg": "RS256", "kid": ["first"]}),
        "a list of algorithms": _with_header(by(), {"alg": ["RS256"], "kid": "first"}),
        "unsigned": _with_header(by(), {"alg": "none", "kid": "first"}).rpartition(".")[0] + ".",
        "a huge header": by(header={"pad": "x" * 5000}),
        "huge": by(pad="x" * 9000),
    }


def _with_header(token: str, header: dict[str, Any]) -> str:
    return ".".join([encoded(json.dumps(header).encode()), *token.split(".")[1:]])


def test_given_a_token_that_does_not_hold_then_nobody_is_let_in_and_its_addresses_are_not_asked(
    provider: IdentityProvider,
) -> None:
    tokens = checking(provider)
    check(tokens, provider.token(FIRST))
    for name, token in forged(provider).items():
        with pytest.raises(Unauthorized):
            pytest.fail(f"{name}: let in as {check(tokens, token)}")
    assert provider.asked == 1, "the clock stood still: no second fetch was due"


def test_given_an_hmac_algorithm_in_the_settings_then_they_are_refused() -> None:
    with pytest.raises(SettingsInvalid, match="AUTH_ALGORITHMS"):
        load_settings(auth_algorithms="RS256,HS256")
    with pytest.raises(ValueError, match="public keys only"):
        JwksTokens(Keys("http://127.0.0.1/"), ("HS256",), Claims())


def test_given_keys_by_plain_http_from_elsewhere_then_the_settings_are_refused() -> None:
    with pytest.raises(SettingsInvalid, match="AUTH_JWKS_URL"):
        load_settings(auth_jwks_url="http://id.example.org/keys")
    assert load_settings(auth_jwks_url="https://id.example.org/keys").auth_jwks_url


# --- rotation and outages --------------------------------------------------------------------------------------------


def test_given_a_rotated_key_when_a_token_names_it_then_the_keys_are_fetched_again_at_once(
    provider: IdentityProvider,
) -> None:
    clock = Clock()
    tokens = checking(provider, clock)
    check(tokens, provider.token(FIRST))
    provider.publish(SECOND)
    clock.now += 60
    assert check(tokens, provider.token(SECOND)).subject == "ann"
    with pytest.raises(Unauthorized):
        check(tokens, provider.token(FIRST))
    assert provider.asked == 2


def test_given_many_unknown_key_ids_then_the_provider_is_asked_once_in_a_while_only(
    provider: IdentityProvider,
) -> None:
    clock = Clock()
    tokens = checking(provider, clock)
    for number in range(50):
        with pytest.raises(Unauthorized):
            check(tokens, provider.token(STRANGER, header={"kid": f"guess-{number}"}))
    assert provider.asked == 1
    clock.now += 11
    with pytest.raises(Unauthorized):
        check(tokens, provider.token(STRANGER, header={"kid": "guess"}))
    assert provider.asked == 2


def test_given_many_tokens_at_once_when_the_keys_are_first_needed_then_they_are_fetched_once(
    provider: IdentityProvider,
) -> None:
    tokens = checking(provider)
    token = provider.token(FIRST)

    async def all_at_once() -> list[Principal]:
        return list(await asyncio.gather(*(tokens.principal(token) for _ in range(20))))

    assert len(asyncio.run(all_at_once())) == 20
    assert provider.asked == 1


def test_given_a_key_that_is_withdrawn_when_the_time_to_live_is_over_then_its_tokens_end(
    provider: IdentityProvider,
) -> None:
    clock = Clock()
    tokens = checking(provider, clock)
    token = provider.token(FIRST)
    check(tokens, token)
    provider.publish(SECOND)
    assert check(tokens, token).subject == "ann"
    clock.now += 601
    with pytest.raises(Unauthorized):
        check(tokens, token)


@pytest.mark.parametrize(
    "answer",
    [(500, b""), (200, b"<html>"), (200, b"{}"), (200, b'{"keys": 3}'), (200, b"x" * (300 << 10)), (302, b"")],
    ids=["fault", "no JSON", "no keys", "no list", "endless", "redirect"],
)
def test_given_a_provider_that_breaks_then_the_keys_at_hand_serve_for_a_day(
    provider: IdentityProvider, answer: tuple[int, bytes]
) -> None:
    clock = Clock()
    tokens = checking(provider, clock)
    token = provider.token(FIRST)
    check(tokens, token)
    provider.answer = answer
    clock.now += 3600
    assert check(tokens, token).subject == "ann"
    assert provider.asked == 2
    clock.now += STALE_LIMIT_S
    with pytest.raises(KeysUnavailable):
        check(tokens, token)


def test_given_a_provider_that_never_answered_then_nobody_can_tell_until_it_does() -> None:
    clock = Clock()
    port = free_port()
    with running_identity_provider(port) as gone:
        gone.publish(FIRST)
    tokens = checking(gone, clock)
    token = gone.token(FIRST)
    with pytest.raises(KeysUnavailable):
        check(tokens, token)
    with running_identity_provider(port) as back:
        back.publish(FIRST)
        clock.now += 11
        assert check(tokens, token).subject == "ann"


# --- the API ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def federated(
    temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[RunningApi, IdentityProvider]]:
    with pytest.MonkeyPatch.context() as patch, running_identity_provider() as provider:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        provider.publish(FIRST)
        settings = api_settings(
            tmp_path_factory.mktemp("federated"),
            auth_jwks_url=provider.url,
            auth_issuer=ISSUER,
            auth_audience=AUDIENCE,
            auth_role_claim="roles",
            callback_secret=SecretStr("c" * 40),
        )
        with running_api(settings) as running:
            yield running, provider


def asked(api: RunningApi, path: str, token: str, method: str = "GET") -> httpx.Response:
    return httpx.request(method, f"{api.url}/api/v1/{path}", headers={"Authorization": f"Bearer {token}"}, timeout=60)


def test_given_an_identity_provider_when_the_api_is_asked_then_its_tokens_are_the_only_ones(
    federated: tuple[RunningApi, IdentityProvider],
) -> None:
    api, provider = federated
    assert asked(api, "jobs", provider.token(FIRST)).status_code == 200
    for token in (Tokens(SECRET).issue("ann"), signed_with_the_public_key(), provider.token(STRANGER)):
        answer = asked(api, "jobs", token)
        assert (answer.status_code, answer.json()["code"]) == (401, "UNAUTHORIZED")
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_given_roles_in_a_list_when_an_admin_route_is_asked_then_only_an_admin_gets_past_the_door(
    federated: tuple[RunningApi, IdentityProvider],
) -> None:
    api, provider = federated
    assert asked(api, "admin/x", provider.token(FIRST, roles=["editor"]), "POST").status_code == 403
    assert asked(api, "admin/x", provider.token(FIRST, roles=["admin"]), "POST").status_code == 404
    assert asked(api, "jobs", provider.token(FIRST, roles=["viewer"])).status_code == 401


def test_given_an_identity_provider_that_was_never_reached_when_the_api_is_asked_then_503_to_come_back(
    temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    with running_identity_provider(free_port()) as gone:
        token = gone.token(FIRST)
    with running_api(api_settings(tmp_path, auth_jwks_url=gone.url)) as api:
        answer = asked(api, "jobs", token)
        assert (answer.status_code, answer.json()["code"]) == (503, "IDENTITY_PROVIDER_UNAVAILABLE")
        assert int(answer.headers["Retry-After"]) >= 1


@pytest.mark.parametrize("given", [None, "", "c" * 39, "c" * 41, "C" * 40, "ü" * 40])
def test_given_another_callback_secret_when_a_stage_is_reported_then_401(
    federated: tuple[RunningApi, IdentityProvider], given: str | None
) -> None:
    api, provider = federated
    headers = [(b"Authorization", f"Bearer {provider.token(FIRST)}".encode())]
    if given is not None:
        headers.append((b"X-Callback-Secret", given.encode()))
    url = f"{api.url}/api/v1/internal/jobs/x/status"
    refused = httpx.post(url, headers=headers, content=b"{")
    assert (refused.status_code, refused.json()["code"]) == (401, "UNAUTHORIZED")
    good = httpx.post(url, headers={"X-Callback-Secret": "c" * 40}, json={})
    assert good.status_code in (400, 404), "past the door"


def test_given_no_callback_secret_in_the_settings_then_no_secret_opens(api: RunningApi) -> None:
    for given in ("", hashlib.sha256(b"").hexdigest()):
        answer = httpx.post(f"{api.url}/api/v1/internal/jobs/x/status", headers={"X-Callback-Secret": given}, json={})
        assert answer.status_code == 401


# --- the local stack's own secret ------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_given_no_secret_when_only_this_machine_can_reach_the_api_then_the_folders_own_serves(
    tmp_path: Path, host: str
) -> None:
    settings = with_secret(load_settings(data_dir=tmp_path, api_host=host))
    assert token_check(settings)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "guidesmith.example.org"])
def test_given_no_secret_when_others_can_reach_the_api_then_it_does_not_start(tmp_path: Path, host: str) -> None:
    settings = with_secret(load_settings(data_dir=tmp_path, api_host=host))
    with pytest.raises(SettingsInvalid, match="AUTH_SECRET"):
        token_check(settings)
    assert not (tmp_path / "auth_secret").exists()


def test_given_a_network_of_others_in_the_environment_then_the_local_stack_listens_here_and_trusts_its_own_tokens(
    tmp_path: Path,
) -> None:
    inherited = {
        "GUIDESMITH_API_HOST": "0.0.0.0",
        "GUIDESMITH_AUTH_JWKS_URL": "https://id.example.org/keys",
        "GUIDESMITH_AUTH_ISSUER": ISSUER,
        "GUIDESMITH_AUTH_AUDIENCE": AUDIENCE,
        "GUIDESMITH_RATE_LIMIT_EXPENSIVE": "5/minute",
    }
    folder = DataFolder(tmp_path)
    folder.prepare()
    stack = LocalStack(folder, search_attributes={}, migrate=lambda: None, environment=inherited)
    with Ports.reserved(None) as ports, pytest.MonkeyPatch.context() as patch:
        for name, value in stack.environment(ports).items():
            patch.setenv(name, value)
        settings = load_settings()
        token = local_token(folder)
    assert settings.api_host == "127.0.0.1"
    assert asyncio.run(token_check(settings).principal(token)) == Principal("local", Role.EDITOR)
    assert (settings.rate_limit_default, settings.rate_limit_expensive) == ("off", "5/minute")


def test_given_an_issuer_and_an_audience_in_the_environment_when_a_token_is_made_then_it_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("SECRET", SECRET), ("ISSUER", ISSUER), ("AUDIENCE", AUDIENCE), ("ROLE_CLAIM", "roles")):
        monkeypatch.setenv(f"GUIDESMITH_AUTH_{name}", value)
    made = CliRunner().invoke(app, ["token", "--subject", "ann", "--role", "admin", "--data-dir", str(tmp_path)])
    principal = asyncio.run(token_check(load_settings()).principal(made.output.strip()))
    assert principal == Principal("ann", Role.ADMIN)


def test_given_an_identity_provider_in_the_environment_when_a_token_is_made_then_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GUIDESMITH_AUTH_JWKS_URL", "https://id.example.org/keys")
    with pytest.raises(UsageWrong, match="identity provider"):
        CliRunner().invoke(app, ["token", "--data-dir", str(tmp_path)], catch_exceptions=False)
