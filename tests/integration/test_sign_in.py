"""Signing in on an identity provider's page, against one that can be told to lie: each way to refuse, and what holds
when somebody attacks it."""

import asyncio
import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from joserfc import jwt
from pydantic import SecretStr
from sqlalchemy import select
from structlog.testing import capture_logs

from activities.store.tables import sign_ins as table
from starter.access import openid
from starter.access.openid import LOGOUT_EVENT, Client, IdentityProvider, Reason
from starter.access.revoking import revoke
from starter.api.perimeter.sessions import COOKIE, SECURE_COOKIE
from starter.doctor import CheckFailed, _access
from starter.settings import load_settings
from tests.apis import RunningApi, api_settings, running_api
from tests.identity import rsa_key
from tests.openid import CLIENT_ID, CLIENT_SECRET, Claims, OpenIdProvider, running_openid_provider
from tests.stack import wait_until
from tests.temporal import TemporalServer

OURS = {"Sec-Fetch-Site": "same-origin"}
ATTEMPT = "guidesmith_signing_in"
UNAVAILABLE = "IDENTITY_PROVIDER_UNAVAILABLE"
STRANGER = rsa_key("first")


@dataclass
class Door:
    """The API, and the provider that it sends people to."""

    api: RunningApi
    provider: OpenIdProvider

    def browser(self, **options: Any) -> httpx.Client:
        return httpx.Client(base_url=self.api.url, timeout=30, **options)

    def begun(self, browser: httpx.Client, to: str = "/lifecycles?x=1") -> tuple[str, dict[str, str]]:
        """Where the browser is led, and what is asked there."""
        led = browser.get("/sign-in/start", params={"to": to})
        assert led.status_code == 303, led.text
        return led.headers["location"], dict(parse_qsl(urlsplit(led.headers["location"]).query))

    def come_back(self, browser: httpx.Client, to: str = "/lifecycles?x=1", **more: str) -> httpx.Response:
        """All the way: led there, approved, led back."""
        address, asked = self.begun(browser, to)
        answer = {"code": self.provider.approve(address), "state": asked["state"]} | more
        return browser.get("/sign-in/callback", params=answer)


@pytest.fixture(scope="module")
def opened(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    with pytest.MonkeyPatch.context() as patch, running_openid_provider() as provider:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        settings = api_settings(
            tmp_path_factory.mktemp("sign-in"),
            oidc_issuer=provider.issuer,
            oidc_client_id=CLIENT_ID,
            oidc_client_secret=SecretStr(CLIENT_SECRET),
            oidc_name="Acme",
            oidc_parameters="access_type=offline&state=ours-wins",
            secrets_key=SecretStr("0123456789abcdef" * 2),
        )
        with running_api(settings) as api:
            yield Door(api, provider)


@pytest.fixture
def door(opened: Door) -> Iterator[Door]:
    opened.provider.reset()
    yield opened


def code_of(page: httpx.Response) -> str:
    (code,) = set(re.findall(r">((?:SIGN_IN|IDENTITY)_[A-Z_]+)<", page.text))
    return str(code)


def cookies_set(answer: httpx.Response) -> dict[str, str]:
    """Each cookie of the answer, its attributes."""
    return {each.partition("=")[0]: each for each in answer.headers.get_list("set-cookie")}


def test_given_the_provider_when_somebody_signs_in_then_they_are_led_back_and_nothing_of_the_tokens_is_told(
    door: Door,
) -> None:
    with door.browser() as browser, capture_logs() as logs:
        page = browser.get("/sign-in", params={"to": "/lifecycles?x=1"})
        assert "Sign in with Acme" in page.text and "/sign-in/start?to=/lifecycles%3Fx%3D1" in page.text
        address, asked = door.begun(browser)
        assert asked["redirect_uri"] == f"{door.api.url}/sign-in/callback"
        assert (asked["access_type"], asked["scope"]) == ("offline", "openid profile email")
        drawn = {asked[name] for name in ("state", "nonce", "code_challenge")}
        assert len(drawn) == 3 and "ours-wins" not in drawn
        code = door.provider.approve(address)
        back = browser.get("/sign-in/callback", params={"code": code, "state": asked["state"]})
        assert (back.status_code, back.headers["location"]) == (303, "/lifecycles?x=1")
        said = cookies_set(back)
        assert {"Path=/", "HttpOnly", "SameSite=Lax"} <= set(said[COOKIE].split("; "))
        assert "Max-Age=0" in said[ATTEMPT].split("; ")
        assert browser.get("/lifecycles").status_code == 200
        assert browser.get("/api/v1/credits", headers=OURS).status_code == 200
        told = [*door.provider.given, code, asked["state"], asked["nonce"], CLIENT_SECRET]
        assert not [each for each in told if each in str(logs) or each in str(back.headers)]
    person = door.api.store.person("ann")
    assert person is not None
    assert (person.name, person.email, person.email_verified) == ("Ann Archer", "ann@example.org", True)


def test_given_a_token_without_a_name_then_the_provider_is_asked_for_it_and_for_the_role(door: Door) -> None:
    door.provider.user = {"sub": "bea"}
    door.provider.info = {"name": "Bea", "email": "bea@example.org", "role": ["x", "admin"]}
    with door.browser() as browser:
        assert door.come_back(browser).status_code == 303
        assert browser.post("/api/v1/admin/x", headers=OURS).status_code == 404, "an administrator gets past the door"
    assert door.api.store.people(["bea"]) == {"bea": "Bea"}


Lie = Callable[[OpenIdProvider], object]


def claims(**changed: Any) -> Lie:
    def lie(provider: OpenIdProvider) -> None:
        provider.tamper = lambda whole: {name: value for name, value in (whole | changed).items() if value is not None}

    return lie


def signed_by(encode: Callable[[OpenIdProvider, Claims], str]) -> Lie:
    def lie(provider: OpenIdProvider) -> None:
        provider.encode = lambda whole: encode(provider, whole)

    return lie


def encoded(part: object) -> str:
    return base64.urlsafe_b64encode(part if isinstance(part, bytes) else json.dumps(part).encode()).decode().rstrip("=")


def unsigned(_: OpenIdProvider, whole: Claims) -> str:
    return f"{encoded({'alg': 'none'})}.{encoded(whole)}."


def by_the_public_key(provider: OpenIdProvider, whole: Claims) -> str:
    """HS256, with what everybody knows as the secret."""
    signed = f"{encoded({'alg': 'HS256', 'kid': provider.key.kid})}.{encoded(whole)}"
    known = json.dumps(provider.key.as_dict(private=False)).encode()
    return f"{signed}.{encoded(hmac.new(known, signed.encode(), hashlib.sha256).digest())}"


def answering(path: str, status: int, body: bytes) -> Lie:
    return lambda provider: provider.answers.update({path: (status, body)})


@pytest.mark.parametrize(
    ("lie", "code"),
    [
        (claims(iss="https://id.example.org"), Reason.ISSUER),
        (claims(aud="another"), Reason.AUDIENCE),
        (claims(aud=[CLIENT_ID, "another"]), Reason.AUDIENCE),
        (claims(aud=[CLIENT_ID, "another"], azp="another"), Reason.AUDIENCE),
        (claims(azp="another"), Reason.AUDIENCE),
        (claims(aud=None), Reason.AUDIENCE),
        (claims(exp=int(time.time()) - 60), Reason.CLOCK),
        (claims(exp=int(time.time()) - 5), Reason.CLOCK),
        (claims(iat=int(time.time()) + 3600), Reason.CLOCK),
        (claims(nbf=int(time.time()) + 3600), Reason.CLOCK),
        (claims(exp="soon"), Reason.ANSWER),
        (claims(exp=None), Reason.ANSWER),
        (claims(nonce="of another sign-in"), Reason.NONCE),
        (claims(nonce=None), Reason.NONCE),
        (claims(sub=None), Reason.SUBJECT),
        (claims(sub="x" * 201), Reason.SUBJECT),
        (claims(sub="a\u202eb"), Reason.SUBJECT),
        (claims(sub=7), Reason.SUBJECT),
        (claims(role="emperor"), Reason.ROLE),
        (claims(role=[]), Reason.ROLE),
        (signed_by(unsigned), Reason.SIGNATURE),
        (signed_by(by_the_public_key), Reason.SIGNATURE),
        (signed_by(lambda _, whole: jwt.encode({"alg": "RS256", "kid": "first"}, whole, STRANGER)), Reason.SIGNATURE),
        (signed_by(lambda provider, whole: f"{provider.key.kid}"), Reason.SIGNATURE),
        (answering("/token", 400, b'{"error": "invalid_grant"}'), Reason.CODE),
        (answering("/token", 400, b'{"error": "<script>"}'), Reason.CODE),
        (answering("/token", 200, b"{}"), Reason.ANSWER),
        (answering("/token", 200, b"not json"), Reason.ANSWER),
        (answering("/token", 302, b""), Reason.ANSWER),
        (answering("/token", 500, b"{}"), UNAVAILABLE),
        (answering("/token", 200, b"x" * 300_000), UNAVAILABLE),
        (lambda provider: setattr(provider, "secret", "changed since"), Reason.CLIENT),
        (lambda provider: (provider.user.pop("name"), provider.info.update(sub="mallory")), Reason.SUBJECT),
    ],
)
def test_given_a_provider_that_answers_otherwise_when_somebody_comes_back_then_a_page_says_which_and_nobody_is_in(
    door: Door, lie: Lie, code: str
) -> None:
    lie(door.provider)
    with door.browser() as browser:
        page = door.come_back(browser)
        assert code_of(page) == code
        assert page.status_code == (503 if code == UNAVAILABLE else 401)
        assert COOKIE not in cookies_set(page) and browser.get("/lifecycles").status_code == 303
        assert "/sign-in/start?to=/lifecycles%3Fx%3D1" in page.text, "they try again, and are led where they wanted"
        assert "<script>" not in page.text.replace("<script type", "").replace("<script src", "")
        door.provider.reset()
        assert door.come_back(browser).status_code == 303


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"error": "access_denied"}, Reason.DENIED),
        ({"error": "server_error"}, Reason.PROVIDER_ERROR),
        ({"error": "<script>alert(1)</script>"}, Reason.PROVIDER_ERROR),
        ({"iss": "https://id.example.org"}, Reason.ISSUER),
        ({"state": "of another"}, Reason.STATE),
        ({"state": ""}, Reason.STATE),
        ({"code": ""}, Reason.ANSWER),
        ({"code": "invented"}, Reason.CODE),
    ],
)
def test_given_an_answer_in_the_address_that_does_not_fit_then_nobody_is_in(
    door: Door, answer: dict[str, str], code: str
) -> None:
    with door.browser() as browser:
        page = door.come_back(browser, **answer)
        assert (page.status_code, code_of(page)) == (401, code)
        assert COOKIE not in cookies_set(page) and "alert(1)" not in page.text


@pytest.mark.parametrize(("asks_verifier", "code"), [(True, Reason.CODE), (False, Reason.NONCE)])
def test_given_the_code_of_another_sign_in_when_it_is_put_into_ones_own_then_it_signs_nobody_in(
    door: Door, asks_verifier: bool, code: str
) -> None:
    door.provider.asks_verifier = asks_verifier
    with door.browser() as attacker, door.browser() as victim:
        stolen = door.provider.approve(door.begun(victim)[0])
        page = attacker.get("/sign-in/callback", params={"code": stolen, "state": door.begun(attacker)[1]["state"]})
        assert code_of(page) == code and COOKIE not in cookies_set(page)


def test_given_an_answer_that_says_two_things_at_once_then_it_is_none(door: Door) -> None:
    with door.browser() as browser:
        address, asked = door.begun(browser)
        answer = {"code": door.provider.approve(address), "state": asked["state"]}
        twice = browser.get("/sign-in/callback", params=[*answer.items(), ("code", "another")])
        assert code_of(twice) == Reason.ANSWER


def test_given_an_answer_when_it_comes_again_or_in_another_browser_or_late_then_it_counts_for_nothing(
    door: Door,
) -> None:
    with door.browser() as browser, door.browser() as other, door.browser() as copied:
        address, asked = door.begun(browser)
        copied.cookies.update(browser.cookies)
        answer = {"code": door.provider.approve(address), "state": asked["state"]}
        assert code_of(other.get("/sign-in/callback", params=answer)) == Reason.STATE, "somebody else's: login CSRF"
        assert browser.get("/sign-in/callback", params=answer).status_code == 303
        assert code_of(browser.get("/sign-in/callback", params=answer)) == Reason.STATE
        assert code_of(copied.get("/sign-in/callback", params=answer)) == Reason.STATE, "also with the cookie of then"
        assert browser.get("/lifecycles").status_code == 200, "who is in stays in"
        door.begun(other)
        assert code_of(other.get("/sign-in/callback", params=answer)) == Reason.STATE
        planted = {"Cookie": f"{ATTEMPT}={browser.cookies[COOKIE]}"}
        assert code_of(other.get("/sign-in/callback", params=answer, headers=planted)) == Reason.STATE


@pytest.mark.parametrize(
    "to", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:x", "/" + "x" * 4000]
)
def test_given_an_address_elsewhere_when_somebody_signs_in_then_they_stay_here(door: Door, to: str) -> None:
    with door.browser() as browser:
        assert door.come_back(browser, to).headers["location"] == "/"


def test_given_a_session_that_somebody_else_has_put_there_when_one_signs_in_then_it_is_theirs_no_more(
    door: Door,
) -> None:
    with door.browser() as attacker, door.browser() as victim:
        door.come_back(attacker)
        fixed = attacker.cookies[COOKIE]
        victim.cookies.set(COOKIE, fixed)
        door.provider.user["sub"] = "vic"
        back = door.come_back(victim)
        assert back.status_code == 303 and fixed not in cookies_set(back)[COOKIE]
        assert attacker.get("/lifecycles").status_code == 303, "and the one that was planted is over"


@pytest.mark.parametrize(
    ("lie", "reason", "told"),
    [
        (
            lambda it: it.said.update(issuer="https://id.example.org"),
            Reason.METADATA,
            "calls itself https://id.example",
        ),
        (lambda it: it.said.update(code_challenge_methods_supported=["plain"]), Reason.METADATA, "S256"),
        (lambda it: it.said.update(authorization_endpoint="javascript:x"), Reason.METADATA, "authorization_endpoint"),
        (lambda it: it.said.update(jwks_uri="file:///etc/passwd"), Reason.METADATA, "jwks_uri"),
        (lambda it: it.said.update(token_endpoint=None), Reason.METADATA, "token_endpoint"),
        (lambda it: it.said.update(response_types_supported=["id_token"]), Reason.METADATA, "codes"),
        (answering(openid.DISCOVERY, 404, b"<html>"), Reason.METADATA, "answers 404"),
        (answering(openid.DISCOVERY, 500, b""), None, "cannot be reached"),
        (answering("/keys", 404, b""), "keys", "cannot be reached"),
    ],
)
def test_given_a_provider_that_does_not_fit_the_settings_then_the_doctor_says_why_in_a_sentence(
    door: Door, lie: Lie, reason: object, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for unset in ("GUIDESMITH_PUBLIC_URL", "TEMPORAL_ADDRESS"):
        monkeypatch.delenv(unset, raising=False)
    settings = load_settings(oidc_issuer=door.provider.issuer, oidc_client_id=CLIENT_ID)
    assert f"sign-in at {door.provider.issuer} with 1 keys" in asyncio.run(_access(settings))
    lie(door.provider)
    with pytest.raises(CheckFailed) as found:
        asyncio.run(_access(settings))
    assert told in found.value.found and "GUIDESMITH_OIDC_ISSUER" in found.value.mend
    if reason == "keys":
        return
    if reason is None:
        with pytest.raises(openid.ProviderUnavailable):
            asyncio.run(openid.discovered(door.provider.issuer))
    else:
        with pytest.raises(openid.SignInFailed) as failed:
            asyncio.run(openid.discovered(door.provider.issuer))
        assert failed.value.reason is reason


def test_given_a_provider_that_is_not_there_when_somebody_begins_then_the_page_says_so_and_it_works_once_it_is(
    door: Door, temporal: TemporalServer, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    settings = api_settings(tmp_path, oidc_issuer=door.provider.issuer, oidc_client_id=CLIENT_ID)
    monkeypatch.setattr(openid, "RETRY_AFTER_S", 1.0)
    with running_api(settings) as api, httpx.Client(base_url=api.url) as browser:
        door.provider.answers[openid.DISCOVERY] = (500, b"")
        began = time.monotonic()
        page = browser.get("/sign-in/start")
        assert (page.status_code, code_of(page)) == (503, UNAVAILABLE)
        door.provider.answers.clear()
        door.provider.said = {"code_challenge_methods_supported": ["plain"]}
        asked = len(door.provider.asked)
        left_alone = code_of(browser.get("/sign-in/start")) == UNAVAILABLE and len(door.provider.asked) == asked
        assert left_alone or time.monotonic() - began > openid.RETRY_AFTER_S
        wait_until(lambda: code_of(browser.get("/sign-in/start")) == Reason.METADATA, 20, "it to be asked again")
        assert browser.get("/sign-in/start").status_code == 401
        door.provider.said = {"code_challenge_methods_supported": None}
        wait_until(lambda: browser.get("/sign-in/start").status_code == 303, 20, "one that does not say, as some do")


def test_given_who_signs_out_then_the_session_is_over_here_and_they_are_led_to_sign_out_there(door: Door) -> None:
    with door.browser() as browser:
        before = sign_ins(door)
        door.come_back(browser)
        (session,) = sign_ins(door) - before
        copied = dict(browser.cookies)
        page = browser.post("/sign-out", headers=OURS)
        assert page.headers["clear-site-data"] == '"cache"'
        (led,) = set(re.findall(r'content="0; url=([^"]+)"', page.text))
        place, _, query = led.replace("&amp;", "&").partition("?")
        assert place == f"{door.provider.issuer}/logout"
        asked = dict(parse_qsl(query))
        assert asked == {
            "client_id": CLIENT_ID,
            "post_logout_redirect_uri": f"{door.api.url}/sign-out",
            "ui_locales": "en",
        }
        assert not [each for each in door.provider.given[-3:] if each in page.text]
        assert "You are signed out" in browser.get("/sign-out").text
        with door.browser(cookies=copied) as thief:
            assert thief.get("/lifecycles").status_code == 303
        assert session not in sign_ins(door)


def test_given_who_signs_out_then_the_provider_is_told_to_take_the_refresh_token_back_and_no_fault_of_its_keeps_them_in(
    door: Door,
) -> None:
    for metadata, answers, told in (
        ({}, {}, True),
        ({"revocation_endpoint": None}, {}, False),
        ({}, {"/revoke": (503, b"down")}, False),
        ({"revocation_endpoint": "ftp://elsewhere"}, {}, False),
    ):
        with door.browser() as browser:
            door.come_back(browser)
            refresh = door.provider.given[-1]
            door.provider.said, door.provider.answers = dict(metadata), dict(answers)
            provider = IdentityProvider(Client(issuer=door.provider.issuer, id=CLIENT_ID, secret=CLIENT_SECRET))
            if metadata or answers:
                assert asyncio.run(revoke(provider, refresh)) is told
            else:
                assert browser.post("/sign-out", headers=OURS).status_code == 200
            assert (refresh in door.provider.revoked, refresh in door.provider.refresh_tokens) == (told, not told)
            browser.post("/sign-out", headers=OURS)
            assert browser.get("/lifecycles").status_code == 303
            door.provider.said, door.provider.answers = {}, {}
    assert door.provider.revoked[0] not in str(door.provider.asked), "no token stands in an address"


def sign_ins(door: Door) -> set[str]:
    with door.api.store._database.read() as connection:
        return set(connection.scalars(select(table.c.id)))


def test_given_the_provider_says_that_a_session_is_over_then_it_is_and_no_other_and_nobody_else_can_say_so(
    door: Door,
) -> None:
    with door.browser() as browser, door.browser() as other, httpx.Client(base_url=door.api.url) as server:
        door.come_back(browser)
        door.provider.user |= {"sid": "there-2"}
        door.come_back(other)
        events: Claims = {LOGOUT_EVENT: {}}

        def told(**more: Any) -> int:
            token = door.provider.id_token(**{"events": events, "jti": "1", "sid": "there-1", **more})
            return server.post("/sign-in/back-channel", data={"logout_token": token}).status_code

        assert told(nonce="an ID token") == told(events={}) == told(aud="another") == told(iat=1) == 400
        door.provider.encode = lambda whole: unsigned(door.provider, whole)
        assert told() == 400
        door.provider.encode = None
        assert server.post("/sign-in/back-channel").status_code == 400
        assert browser.get("/lifecycles").status_code == 200
        assert told() == 200
        assert (browser.get("/lifecycles").status_code, other.get("/lifecycles").status_code) == (303, 200)
        door.provider.user.pop("sid")
        door.provider.tamper = lambda whole: {name: value for name, value in whole.items() if name != "sid"}
        assert told() == 200, "all of ann's"
        assert other.get("/api/v1/credits", headers=OURS).status_code == 401


def test_given_a_proxy_with_tls_and_a_public_client_when_somebody_signs_in_then_by_the_public_address(
    door: Door, temporal: TemporalServer, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    door.provider.secret = None
    door.provider.said = {"authorization_response_iss_parameter_supported": True, "end_session_endpoint": None}
    settings = api_settings(
        tmp_path,
        oidc_issuer=door.provider.issuer,
        oidc_client_id=CLIENT_ID,
        public_url="https://guides.example.org",
        trusted_proxies="127.0.0.1",
    )
    with running_api(settings) as api, httpx.Client(base_url=api.url, headers={"Host": "evil.example"}) as browser:
        assert "Sign in with 127.0.0.1" in browser.get("/sign-in").text

        def come_back(**more: str) -> httpx.Response:
            led = browser.get("/sign-in/start")
            asked = dict(parse_qsl(urlsplit(led.headers["location"]).query))
            assert asked["redirect_uri"] == "https://guides.example.org/sign-in/callback"
            kept = cookies_set(led)[f"__Host-{ATTEMPT}"]
            assert "Secure" in kept.split("; ")
            answer = {"code": door.provider.approve(led.headers["location"]), "state": asked["state"]} | more
            return browser.get("/sign-in/callback", params=answer, headers={"Cookie": kept.partition(";")[0]})

        assert code_of(come_back()) == Reason.ISSUER, "an answer that does not name who gives it"
        back = come_back(iss=door.provider.issuer)
        session = cookies_set(back)[SECURE_COOKIE]
        assert "Secure" in session.split("; ")
        left = browser.post("/sign-out", headers=OURS | {"Cookie": session.partition(";")[0]})
        assert "you are still signed in" in left.text and "http-equiv" not in left.text


def test_given_no_provider_in_the_settings_then_there_is_no_such_way_in(api: RunningApi) -> None:
    for path in ("/sign-in/start", "/sign-in/callback"):
        assert httpx.get(f"{api.url}{path}").status_code == 404
    assert httpx.post(f"{api.url}/sign-in/back-channel", data={"logout_token": "x"}).status_code == 404
    assert "sign-in/start" not in httpx.get(f"{api.url}/sign-in").text
