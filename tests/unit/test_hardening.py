"""What an API that others can reach should not be run with, and that nothing is said of one that they cannot."""

import pytest

from starter.access.hardening import is_for_others, weaknesses
from starter.settings import load_settings

SOUND = {
    "api_host": "0.0.0.0",
    "public_url": "https://guides.example.org",
    "secrets_key": "0123456789abcdef" * 2,
}


def mends(**settings: object) -> str:
    return " ".join(each.mend for each in weaknesses(load_settings(**settings)))


def test_given_an_api_for_this_machine_then_nothing_is_said_of_it() -> None:
    for settings in ({}, {"public_url": "http://localhost:8400"}, {"rate_limit_default": "off"}):
        assert not is_for_others(load_settings(**settings))
        assert mends(**settings) == ""


def test_given_an_api_for_others_by_tls_then_nothing_is_wrong_with_it() -> None:
    assert is_for_others(load_settings(**SOUND))
    assert mends(**SOUND) == mends(**SOUND, callback_secret="c" * 32) == ""
    identity = {"auth_jwks_url": "https://id.example.org/keys", "auth_issuer": "https://id", "auth_audience": "g"}
    assert mends(**SOUND, **identity, trusted_proxies="10.0.0.1,172.16.0.0/12") == ""


@pytest.mark.parametrize(
    ("settings", "setting"),
    [
        ({"public_url": None}, "PUBLIC_URL"),
        ({"public_url": "http://guides.example.org"}, "PUBLIC_URL"),
        ({"auth_jwks_url": "https://id.example.org/keys", "auth_issuer": "https://id"}, "AUTH_AUDIENCE"),
        ({"auth_jwks_url": "https://id.example.org/keys", "auth_audience": "g"}, "AUTH_ISSUER"),
        ({"trusted_proxies": "0.0.0.0/0"}, "TRUSTED_PROXIES"),
        ({"trusted_proxies": "10.0.0.1, ::/0"}, "TRUSTED_PROXIES"),
        ({"callback_secret": "c" * 31}, "CALLBACK_SECRET"),
        ({"secrets_key": None, "data_dir": "/nowhere"}, "SECRETS_KEY"),
        ({"secrets_key": "", "data_dir": "/nowhere"}, "SECRETS_KEY"),
        ({"rate_limit_default": "off"}, "RATE_LIMIT"),
        ({"rate_limit_unauthenticated": "off"}, "RATE_LIMIT"),
    ],
)
def test_given_a_weakness_then_the_setting_that_mends_it_is_named(settings: dict[str, object], setting: str) -> None:
    assert f"GUIDESMITH_{setting}" in mends(**{**SOUND, **settings})


def test_given_a_proxy_on_this_machine_then_the_api_is_for_others_all_the_same() -> None:
    assert is_for_others(load_settings(public_url="https://guides.example.org"))
