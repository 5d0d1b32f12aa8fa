"""What a setting's value must look like: types that say in one sentence why a value is wrong, never which it was."""

import ipaddress
import re
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, SecretStr, ValidationError

from domain.credits import read_prices
from domain.erasure import read_keeping, read_project_keeping
from domain.orders.predictions import PREDICTION_MODEL
from domain.projects import notion_page_of
from domain.quotas import read_weights
from domain.webhooks import PROVIDER

DEFAULT_PRICES = "image=4,copy=1,scrape=1,static_ad=8,ugc_video=40,tts=2"

SECRET_MIN_CHARACTERS = 32
"""RFC 7518, 3.2: an HS256 key is at least as long as the hash, 256 bits."""

ASYMMETRIC_ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "Ed25519", "EdDSA"),
)
"""RFC 7518, 3.1 and RFC 8037: those whose verification key is public."""

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})

OFF = "off"
RATES = re.compile(r"[1-9]\d{0,8}/(second|minute|hour|day)(;[1-9]\d{0,8}/(second|minute|hour|day)){0,3}")
ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:\d{1,5})?")

PLAIN_SECRETS = re.compile(r"(?i)^(.)\1*$|change.?me|^secret|^password|example")
"""What people leave in a configuration by mistake."""


def listed(value: str) -> tuple[str, ...]:
    """The items of a setting that is a list with commas."""
    return tuple(item.strip() for item in value.split(",") if item.strip())


def _database_url(value: str) -> str:
    """Every spelling of a Postgres URL means psycopg 3."""
    for spelling in ("postgres://", "postgresql://", "postgresql+psycopg2://"):
        if value.startswith(spelling):
            return "postgresql+psycopg://" + value.removeprefix(spelling)
    if value and not value.startswith(("sqlite://", "postgresql+psycopg://")):
        raise ValueError("begins with sqlite:// or postgresql://")
    return value


def _artifacts_url(value: str) -> str:
    if value and not value.startswith(("file:///", "s3://")):
        raise ValueError("begins with file:/// (an absolute folder) or s3://bucket")
    return value


def _web_address(value: str) -> str:
    if not re.match(r"^https?://[^/\s]+", value):
        raise ValueError("begins with http:// or https:// and a host")
    return value.rstrip("/")


def _prediction_model(value: str) -> str:
    if not PREDICTION_MODEL.fullmatch(value):
        raise ValueError("is owner/name, owner/name:version, or a version's 64 hexadecimal digits")
    return value


def _provider(value: str) -> str:
    if not PROVIDER.fullmatch(value):
        raise ValueError("has up to 40 of a-z, 0-9 and -, a letter first")
    return value


def _keys_by_tls(value: str) -> str:
    """Whoever can change the keys on their way can sign tokens."""
    place = urlsplit(value)
    if place.scheme != "https" and not (place.scheme == "http" and place.hostname in LOOPBACK_NAMES):
        raise ValueError("begins with https:// (http:// on this machine only)")
    return value


def _asymmetric(value: str) -> str:
    """Never HS…: with it, a published key would be a shared secret (RFC 8725, 2.1)."""
    if not listed(value) or not set(listed(value)) <= set(ASYMMETRIC_ALGORITHMS):
        raise ValueError(f"names algorithms of {', '.join(ASYMMETRIC_ALGORITHMS)}, with commas")
    return value


def _scopes(value: str) -> str:
    if "openid" not in value.split() or not value.isprintable():
        raise ValueError("is a list with spaces, openid among them")
    return " ".join(value.split())


def _rate(value: str) -> str:
    if value != OFF and not RATES.fullmatch(value):
        raise ValueError("is like 600/minute or 20/second;600/minute, or off")
    return value


def _counter(value: str) -> str:
    if value and not re.match(r"rediss?://[^/\s]", value):
        raise ValueError("begins with redis:// or rediss:// and a host")
    return value


def _networks(value: str) -> str:
    for each in listed(value):
        try:
            ipaddress.ip_network(each, strict=False)
        except ValueError:
            raise ValueError("holds IP addresses or networks (10.0.0.0/8), with commas") from None
    return value


def _origins(value: str) -> str:
    if not all(ORIGIN.fullmatch(each) for each in listed(value)):
        raise ValueError("holds origins (https://app.example.org, no path, no *), with commas")
    return value


def _prices(value: str) -> str:
    read_prices(value, read_prices(DEFAULT_PRICES))
    return value


def _plugin(value: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_-]{0,39}", value) or value in ("local", "llm"):
        raise ValueError("is the name of an installed package's entry point: a-z, 0-9, _ and -, not local or llm")
    return value


def _keeping(value: str) -> str:
    read_keeping(value)
    return value


def _project_keeping(value: str) -> str:
    read_project_keeping(value)
    return value


def _weights(value: str) -> str:
    read_weights(value)
    return value


def _strong(value: SecretStr) -> SecretStr:
    text = value.get_secret_value()
    if len(text) < SECRET_MIN_CHARACTERS:
        raise ValueError(f"has fewer than {SECRET_MIN_CHARACTERS} characters; make one with `openssl rand -hex 32`")
    if PLAIN_SECRETS.search(text):
        raise ValueError("is a placeholder; make one with `openssl rand -hex 32`")
    return value


def _all_strong(value: SecretStr) -> SecretStr:
    for each in listed(value.get_secret_value()):
        _strong(SecretStr(each))
    return value


def _strong_behind_off(value: SecretStr) -> SecretStr:
    first, *others = listed(value.get_secret_value()) or (OFF,)
    _all_strong(SecretStr(",".join(others if first == OFF else [first, *others])))
    return value


def _level(value: str) -> str:
    level = value.upper()
    if level not in ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"):
        raise ValueError("is one of DEBUG, INFO, WARNING, ERROR, CRITICAL")
    return level


def _log_format(value: str) -> str:
    if value not in ("auto", "json", "console"):
        raise ValueError("is one of auto, json, console")
    return value


Folder = Annotated[Path, AfterValidator(lambda folder: folder.expanduser().absolute())]
DatabaseUrl = Annotated[str, AfterValidator(_database_url)]
ArtifactsUrl = Annotated[str, AfterValidator(_artifacts_url)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
PredictionModel = Annotated[str, AfterValidator(_prediction_model)]
NotionParent = Annotated[str, AfterValidator(notion_page_of)]
ProviderName = Annotated[str, AfterValidator(_provider)]
KeysUrl = Annotated[str, AfterValidator(_keys_by_tls)]
Algorithms = Annotated[str, AfterValidator(_asymmetric)]
Scopes = Annotated[str, AfterValidator(_scopes)]
Rate = Annotated[str, AfterValidator(_rate)]
CounterUrl = Annotated[str, AfterValidator(_counter)]
Networks = Annotated[str, AfterValidator(_networks)]
Origins = Annotated[str, AfterValidator(_origins)]
PluginName = Annotated[str, AfterValidator(_plugin)]
Weights = Annotated[str, AfterValidator(_weights)]
Keeping = Annotated[str, AfterValidator(_keeping)]
ProjectKeeping = Annotated[str, AfterValidator(_project_keeping)]
PriceList = Annotated[str, AfterValidator(_prices)]
StrongSecret = Annotated[SecretStr, AfterValidator(_strong)]
StrongSecrets = Annotated[SecretStr, AfterValidator(_all_strong)]
StrongSecretsOrOff = Annotated[SecretStr, AfterValidator(_strong_behind_off)]
LogLevel = Annotated[str, AfterValidator(_level)]
LogFormat = Annotated[str, AfterValidator(_log_format)]


def sentence(invalid: ValidationError, prefix: str) -> str:
    """Which variables are wrong, and why; never their values."""
    reasons = []
    for issue in invalid.errors(include_url=False, include_input=False, include_context=False):
        reason = issue["msg"].removeprefix("Value error, ")
        where = ".".join(str(part) for part in issue["loc"])
        reasons.append(f"{prefix}{where.upper()}: {reason}" if where else reason)
    return "The settings are wrong. " + "; ".join(reasons) + "."
