"""The doctor on a real Temporal: what a namespace lacks is found before a job is refused for it."""

import asyncio
import os
import resource
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import httpx
import psycopg
import pytest
from cryptography import x509
from temporalio.client import Client

from activities.rails.search_attributes import ATTRIBUTES
from starter import doctor
from starter.doctor import Finding, _artifacts, _database, _examined, diagnose
from starter.sandbox import SECRET
from starter.services import engine
from starter.services.connecting import NamespaceMissing
from starter.settings import load_settings
from starter.wiring import open_store
from tests.api_processes import api_processes
from tests.apis import api_settings
from tests.counting import PASSWORD, running_valkey
from tests.databases import PostgresServer
from tests.identity import rsa_key, running_identity_provider
from tests.listeners import HERE, Authority, answering, listening
from tests.stack import SLOWEST, wait_until
from tests.temporal import TemporalServer, binary, free_port
from workflows.schedules import ensure_schedule

pytest_plugins = ("tests.databases",)

NAMESPACE = "bare"


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What answers at once where nobody else computes is waited for: it is not what the doctor would say of it."""
    for name in ("TIMEOUT_S", "ENDPOINT_TIMEOUT_S"):
        monkeypatch.setattr(doctor, name, SLOWEST * getattr(doctor, name))


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
    }
    found = findings(tmp_path, **given)["providers"]
    assert not found.ok and "GUIDESMITH_PUBLIC_URL" in found.mend
    given["public_url"] = "https://guides.example.org"
    found = findings(tmp_path, **given)["providers"]
    assert not found.ok and "replicate=whsec_" in found.mend
    given["provider_webhook_secrets"] = f"replicate={SECRET}"
    with answering(404) as url:
        given["predictions_base_url"] = given["tts_base_url"] = url
        found = findings(tmp_path, **given)["providers"]
        assert (found.ok, found.found) == (True, f"owner/name at {url}, speech by {url}")


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


def test_given_disks_that_are_full_when_asked_then_probe_and_doctor_say_so_what_is_there_is_read_and_room_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", f"127.0.0.1:{free_port()}")
    settings = api_settings(tmp_path)
    store = open_store(settings)
    store.upgrade()
    store.dispose()
    with api_processes(settings) as (api,), api.client() as ann:
        assert api.process is not None

        def checks() -> dict[str, str]:
            return dict(httpx.get(f"{api.url}/readyz", timeout=60).json()["checks"])

        def ready(name: str) -> bool:
            return checks()[name] == "ok"

        assert ann.post("projects", json={"name": "there"}).status_code == 201
        assert ready("database") and ready("artifacts")
        _, most = resource.prlimit(api.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(api.process.pid, resource.RLIMIT_FSIZE, (4096, most))  # to it each file is a full disk
        wait_until(lambda: not ready("database") and not ready("artifacts"), 60, "the probe")
        assert (checks()["database"], checks()["artifacts"]) == ("DATABASE_UNAVAILABLE", "ARTIFACT_STORE_UNAVAILABLE")
        refused = ann.post("projects", json={"name": "refused"})
        assert (refused.status_code, refused.json()["code"]) == (503, "DATABASE_UNAVAILABLE")
        assert len(ann.get("projects").json()["items"]) == 1
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, most))
        try:
            found = [asyncio.run(_examined(each, partial(asyncio.to_thread, check, settings))) for each, check in DISKS]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        assert [(each.ok, each.found.partition(": ")[2]) for each in found] == [
            (False, f"The {each}'s disk is full. Free some space.") for each, _ in DISKS
        ]
        resource.prlimit(api.process.pid, resource.RLIMIT_FSIZE, (most, most))
        wait_until(lambda: ready("database") and ready("artifacts"), 60, "room")
        assert ann.post("projects", json={"name": "again"}).status_code == 201


DISKS = (("database", _database), ("artifact store", _artifacts))


def test_given_a_database_that_lets_nobody_in_or_gives_no_rights_when_examined_then_that_is_what_is_said(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    name = postgres.create()
    url = postgres.url(name)
    store = open_store(load_settings(data_dir=tmp_path, database_url=url))
    store.upgrade()
    store.dispose()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS bystander")
        connection.execute("CREATE ROLE bystander LOGIN")
    said = {
        url.replace("postgres@", "bystander@"): "may not use its tables",
        url.replace("postgres@", "ghost@"): "correct the user or password",
        url.replace(name, "nowhere"): "correct the database's name",
        f"sqlite:///{tmp_path}": "cannot be opened or written",
    }
    for wrong, words in said.items():
        found = findings(tmp_path, database_url=wrong)["database"]
        assert not found.ok and words in found.found, found


def test_given_a_clock_that_is_wrong_when_examined_then_by_how_much_is_said(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.url(postgres.create())
    store = open_store(load_settings(data_dir=tmp_path, database_url=url))
    store.upgrade()
    store.dispose()
    wrong = datetime.now(UTC) + timedelta(minutes=10)
    for module in ("starter.doctor", "activities.store.database"):
        monkeypatch.setattr(f"{module}.datetime", type("Ahead", (datetime,), {"now": classmethod(lambda *_: wrong)}))
    found = findings(tmp_path, database_url=url)["database"]
    assert not found.ok and "s ahead of the database's" in found.found, found


def test_given_a_namespace_that_is_not_there_when_examined_or_worked_for_then_it_is_said_so(
    temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    monkeypatch.setenv("TEMPORAL_NAMESPACE", "elsewhere")
    found = findings(tmp_path)["Temporal"]
    assert not found.ok and "no namespace 'elsewhere'" in found.found and "--namespace elsewhere" in found.mend
    monkeypatch.setattr(engine, "NAMESPACE_PATIENCE_S", 0.0)
    with pytest.raises(NamespaceMissing):
        asyncio.run(engine.connect_patiently())


@pytest.mark.parametrize(
    ("fault", "told", "mended_by"),
    [
        ("untrusted", "is not trusted here", "TEMPORAL_TLS_SERVER_CA_CERT_PATH"),
        ("host", "for another host name", "TEMPORAL_TLS_SERVER_NAME"),
        ("expired", "has expired", "clock"),
        ("client", "a client certificate", "TEMPORAL_TLS_CLIENT_CERT_PATH"),
        ("plain server", "does not speak TLS", "TEMPORAL_TLS=false"),
        ("plain client", "may expect TLS", "TEMPORAL_TLS=true"),
        ("nobody", "does not answer", "TEMPORAL_ADDRESS"),
        ("no key", "its key or the address cannot be read", "TEMPORAL_TLS_CLIENT_KEY_PATH"),
    ],
)
def test_given_a_temporal_that_is_not_reached_when_examined_then_the_fault_is_named_and_the_setting_that_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, told: str, mended_by: str
) -> None:
    authority = Authority(tmp_path)
    named = authority.issue(x509.DNSName("other.example.org") if fault == "host" else HERE, expired=fault == "expired")
    if fault not in ("plain client", "nobody"):
        monkeypatch.setenv("TEMPORAL_TLS", "true")
        if fault != "untrusted":
            monkeypatch.setenv("TEMPORAL_TLS_SERVER_CA_CERT_PATH", str(authority.root))
    if fault == "no key":
        monkeypatch.setenv("TEMPORAL_TLS_CLIENT_CERT_PATH", str(authority.root))
        monkeypatch.setenv("TEMPORAL_TLS_CLIENT_KEY_PATH", str(authority.root))
    clients = authority.root if fault == "client" else None
    with listening(None if fault == "plain server" else named, clients=clients) as address:
        monkeypatch.setenv("TEMPORAL_ADDRESS", address if fault != "nobody" else f"127.0.0.1:{free_port()}")
        found = findings(tmp_path / "data")["Temporal"]
    assert not found.ok and told in found.found and mended_by in found.mend, found


def test_given_a_temporal_with_another_certificate_when_a_worker_is_started_then_it_says_why_and_ends(
    tmp_path: Path,
) -> None:
    with listening(Authority(tmp_path).issue()) as address:
        environment = {"GUIDESMITH_DATA_DIR": str(tmp_path), "TEMPORAL_ADDRESS": address, "TEMPORAL_TLS": "true"}
        worker = subprocess.run(
            [sys.executable, "-c", "from starter.cli import main; main()", "worker"],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
    assert worker.returncode == 1
    assert worker.stderr.splitlines()[-1].startswith("guidesmith: ENGINE_UNAVAILABLE: The certificate of Temporal at ")
    assert "Traceback" not in worker.stderr


def test_given_endpoints_that_are_dead_or_refuse_the_key_when_examined_then_that_is_told(tmp_path: Path) -> None:
    dead = f"http://127.0.0.1:{free_port()}/v1"
    found = findings(
        tmp_path, llm_base_url=dead, llm_model="m", stt_base_url=dead, image_base_url=dead, image_model="m"
    )
    for name, setting in (("drafting", "LLM"), ("speech", "STT"), ("providers", "IMAGE")):
        assert not found[name].ok and f"GUIDESMITH_{setting}_BASE_URL" in found[name].mend, found[name]
    with answering(401) as url:
        refused = findings(tmp_path, llm_base_url=url, llm_model="m", llm_api_key="sk-secret")["drafting"]
        assert not refused.ok and "GUIDESMITH_LLM_API_KEY" in refused.mend and "sk-secret" not in str(refused)
    with answering(404) as url:
        assert findings(tmp_path, llm_base_url=url, llm_model="m")["drafting"].ok


def test_given_a_variable_that_nothing_reads_when_examined_then_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert findings(tmp_path)["settings"].ok
    monkeypatch.setenv("GUIDESMITH_FAVOURITE_COLOUR", "blue")
    found = findings(tmp_path)["settings"]
    assert (found.ok, found.found) == (False, "nothing reads GUIDESMITH_FAVOURITE_COLOUR")


def test_given_a_schedule_of_another_interval_when_it_is_ensured_then_it_has_the_new_one_and_stays_paused(
    temporal: TemporalServer,
) -> None:
    async def ensured() -> tuple[list[timedelta], bool]:
        client = await Client.connect(temporal.address)
        schedule = client.get_schedule_handle("paces-Nothing")
        await ensure_schedule(client, "paces", "Nothing", timedelta(hours=7))
        await schedule.pause()
        await ensure_schedule(client, "paces", "Nothing", timedelta(hours=5))
        found = (await schedule.describe()).schedule
        await schedule.delete()
        return [each.every for each in found.spec.intervals], found.state.paused

    assert asyncio.run(ensured()) == ([timedelta(hours=5)], True)
