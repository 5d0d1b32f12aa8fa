"""The doctor on a real Temporal: what a namespace lacks is found before a job is refused for it."""

import asyncio
import subprocess
from pathlib import Path

import psycopg
import pytest

from starter.doctor import Finding, diagnose
from starter.sandbox import SECRET
from starter.settings import load_settings
from starter.wiring import open_store
from tests.counting import PASSWORD, running_valkey
from tests.databases import PostgresServer
from tests.identity import rsa_key, running_identity_provider
from tests.temporal import TemporalServer, binary
from workflows.search_attributes import ATTRIBUTES

pytest_plugins = ("tests.databases",)

NAMESPACE = "bare"


@pytest.fixture(scope="module")
def bare(temporal: TemporalServer) -> TemporalServer:
    """A server with a namespace that nobody prepared."""
    command = [binary(), "operator", "namespace", "create", "--address", temporal.address, "--namespace", NAMESPACE]
    subprocess.run(command, check=True, capture_output=True)
    return temporal


def findings(folder: Path, **settings: object) -> dict[str, Finding]:
    return {each.name: each for each in asyncio.run(diagnose(load_settings(data_dir=folder, **settings)))}


def test_given_a_namespace_with_the_search_attributes_when_examined_then_it_is_well(
    temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    found = findings(tmp_path)["Temporal"]
    assert found.ok, found


def test_given_a_namespace_without_the_search_attributes_when_examined_then_the_command_that_mends_it_is_told(
    bare: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", bare.address)
    monkeypatch.setenv("TEMPORAL_NAMESPACE", NAMESPACE)
    found = findings(tmp_path)["Temporal"]
    assert not found.ok
    assert all(name in found.found and f"--name {name} --type Keyword" in found.mend for name in ATTRIBUTES)


def test_given_the_multilingual_weights_when_examined_then_they_are_named_and_not_said_to_be_downloaded(
    tmp_path: Path,
) -> None:
    found = findings(tmp_path, speech_model="multilingual")["speech"]
    assert (found.ok, found.found) == (True, "multilingual Whisper base: 99 languages")


def test_given_the_defaults_when_examined_then_who_makes_what_is_told(tmp_path: Path) -> None:
    found = findings(tmp_path)["providers"]
    assert found.ok and "GUIDESMITH_PREDICTIONS_BASE_URL" in found.found
    assert found.found.endswith("speech by the voice of this machine")


def test_given_a_provider_that_cannot_call_back_or_whose_secret_is_missing_when_examined_then_that_is_told(
    tmp_path: Path,
) -> None:
    given: dict[str, object] = {
        "predictions_base_url": "https://api.replicate.com/v1",
        "static_ad_model": "owner/name",
        "tts_base_url": "https://voice.example.org/v1",
    }
    found = findings(tmp_path, **given)["providers"]
    assert not found.ok and "GUIDESMITH_PUBLIC_URL" in found.mend
    given["public_url"] = "https://guides.example.org"
    found = findings(tmp_path, **given)["providers"]
    assert not found.ok and "replicate=whsec_" in found.mend
    given["provider_webhook_secrets"] = f"replicate={SECRET}"
    found = findings(tmp_path, **given)["providers"]
    assert (found.ok, found.found) == (
        True,
        "owner/name at https://api.replicate.com/v1, speech by https://voice.example.org/v1",
    )


def test_given_the_defaults_when_examined_then_who_may_come_in_is_told(tmp_path: Path) -> None:
    found = findings(tmp_path)["access"]
    assert (found.ok, found.found) == (
        True,
        "for this machine, tokens of the shared secret, limits counted in each process",
    )


def test_given_an_identity_provider_and_a_valkey_when_examined_then_both_are_asked(tmp_path: Path) -> None:
    with running_identity_provider() as provider, running_valkey(tmp_path) as valkey:
        provider.publish(rsa_key("one"))
        settings = {"auth_jwks_url": provider.url, "rate_limit_storage_url": valkey.url}
        found = findings(tmp_path, **settings)["access"]
        assert (found.ok, "with 1 keys" in found.found, "in Redis" in found.found) == (True, True, True), found
        valkey.kill()
        found = findings(tmp_path, **settings)["access"]
        assert not found.ok
        assert "RATE_LIMIT_STORAGE_URL" in found.found
        assert PASSWORD not in found.found
    found = findings(tmp_path, auth_jwks_url=provider.url)["access"]
    assert (found.ok, found.found.partition(":")[0]) == (False, "IDENTITY_PROVIDER_UNAVAILABLE")


def test_given_an_api_for_others_without_tls_when_examined_then_the_setting_that_mends_it_is_told(
    tmp_path: Path,
) -> None:
    found = findings(tmp_path, api_host="0.0.0.0", public_url="http://guides.example.org")["access"]
    assert not found.ok
    assert "GUIDESMITH_PUBLIC_URL" in found.mend


def test_given_a_database_when_examined_then_it_is_written_to_and_one_that_takes_nothing_is_told(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    name = postgres.create()
    assert findings(tmp_path)["database"].found.startswith("SQLite in the data folder; made when")
    for settings in ({}, {"database_url": postgres.url(name)}):
        store = open_store(load_settings(data_dir=tmp_path, **settings))
        store.upgrade()
        store.dispose()
        found = findings(tmp_path, **settings)["database"]
        assert found.ok and found.found.endswith("written to and read"), found
    with psycopg.connect(postgres.url(name), autocommit=True) as connection:
        connection.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    found = findings(tmp_path, database_url=postgres.url(name))["database"]
    assert not found.ok and "takes no writes" in found.found
