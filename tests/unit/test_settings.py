"""Settings: what the environment may say, and what is said when it is wrong."""

import asyncio
import os
import re
from pathlib import Path

import pytest
from temporalio.client import Client

from activities.rails.dispatching import turn_of
from domain.errors import SettingsInvalid
from starter.secret_files import LARGEST_BYTES, secret_fields
from starter.services.engine import connect
from starter.setting_names import unknown_variables
from starter.settings import PREFIX, QUEUES, Settings, load_settings
from starter.wiring import run_options

STRONG = "5f1c9b" * 8


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GUIDESMITH_DATA_DIR", str(tmp_path))


def test_given_nothing_set_when_loaded_then_everything_is_in_the_data_folder(tmp_path: Path) -> None:
    settings = load_settings()
    assert settings.database == f"sqlite:///{tmp_path}/guidesmith.db"
    assert settings.artifacts == f"file://{tmp_path}/artifacts"
    assert (settings.api_host, settings.api_port) == ("127.0.0.1", 8400)
    assert settings.upload_cap_bytes == 10 << 30


@pytest.mark.parametrize(
    "spelling", ["postgres://", "postgresql://", "postgresql+psycopg2://", "postgresql+psycopg://"]
)
def test_given_any_spelling_of_postgres_when_loaded_then_psycopg_3(
    monkeypatch: pytest.MonkeyPatch, spelling: str
) -> None:
    monkeypatch.setenv("GUIDESMITH_DATABASE_URL", f"{spelling}me:pw@host/db")
    assert load_settings().database == "postgresql+psycopg://me:pw@host/db"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DATABASE_URL", "mysql://host/db"),
        ("ARTIFACTS_URL", "relative/folder"),
        ("API_PORT", "many"),
        ("AUTH_SECRET", "short"),
        ("AUTH_SECRET", "change-me-please-change-me-please-change-me"),
        ("AUTH_SECRET", "a" * 64),
        ("S3_ENDPOINT", "host:9000"),
        ("LOG_LEVEL", "LOUD"),
        ("HEARTBEAT_TIMEOUT_S", "0"),
        ("JOBS_SLOTS", "0"),
    ],
)
def test_given_a_wrong_value_when_loaded_then_the_variable_is_named_and_the_value_is_not(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(f"GUIDESMITH_{variable}", value)
    with pytest.raises(SettingsInvalid) as wrong:
        load_settings()
    assert f"GUIDESMITH_{variable}" in wrong.value.message
    if variable == "AUTH_SECRET":
        assert value not in wrong.value.message


@pytest.mark.parametrize(
    "values",
    [{"s3_access_key_id": "key"}, {"llm_base_url": "http://host/v1"}],
    ids=["half a key pair", "an endpoint without a model"],
)
def test_given_half_of_a_pair_when_loaded_then_refused(values: dict[str, object]) -> None:
    with pytest.raises(SettingsInvalid):
        load_settings(**values)


def test_given_secrets_when_the_settings_are_printed_then_they_are_not() -> None:
    settings = load_settings(
        auth_secret=STRONG,
        database_url="postgresql://me:hunter2@host/db",
        s3_access_key_id="id",
        s3_secret_access_key="hush",
        llm_api_key="hush",
    )
    assert not any(secret in repr(settings) + str(settings) for secret in (STRONG, "hunter2", "hush"))


def test_given_empty_variables_as_compose_files_have_them_when_loaded_then_they_are_unset(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("S3_ENDPOINT", "AUTH_SECRET", "API_PORT", "LLM_BASE_URL", "DATABASE_URL"):
        monkeypatch.setenv(f"GUIDESMITH_{name}", "")
    settings = load_settings()
    assert (settings.s3_endpoint, settings.auth_secret, settings.api_port) == (None, None, 8400)


def test_given_no_secret_when_one_is_needed_then_the_message_says_how_to_make_one() -> None:
    with pytest.raises(SettingsInvalid, match="openssl rand"):
        load_settings().signing_secret()
    assert load_settings(auth_secret=STRONG).signing_secret() == STRONG


def test_given_queues_when_checked_then_only_those_there_are() -> None:
    Settings.check_queues(QUEUES)
    for wrong in ([], ["gpu"], ["jobs", "gpu"]):
        with pytest.raises(SettingsInvalid):
            Settings.check_queues(wrong)
    assert load_settings(task_queue_prefix="acme").queue("media") == "acme-media"
    assert load_settings(speech_slots=3).slots("speech") == 3


# --- secrets from files ----------------------------------------------------------------------------------------------


def kept(folder: Path, content: str | bytes) -> str:
    file = folder / "secret"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(file)


def test_every_secret_of_the_settings_may_come_from_a_file() -> None:
    hidden = {name for name, field in Settings.model_fields.items() if not field.repr} - {"redact_also"}
    named = {name for name in Settings.model_fields if re.search("_(secrets?|key|key_id|token)$", name)}
    assert set(secret_fields(Settings.model_fields)) == hidden | named


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_given_a_file_for_a_secret_when_loaded_then_its_content_is_the_secret(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ending: str
) -> None:
    monkeypatch.setenv("GUIDESMITH_AUTH_SECRET", "")
    monkeypatch.setenv("GUIDESMITH_AUTH_SECRET_FILE", kept(tmp_path, STRONG + ending))
    assert load_settings().signing_secret() == STRONG


def test_given_a_file_for_the_database_when_loaded_then_its_spelling_is_mended_as_any(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GUIDESMITH_DATABASE_URL_FILE", kept(tmp_path, "postgres://me:pw@host/db\n"))
    assert load_settings().database == "postgresql+psycopg://me:pw@host/db"


def test_given_a_secret_and_its_file_when_loaded_then_both_are_named_and_neither_is_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GUIDESMITH_AUTH_SECRET", STRONG)
    monkeypatch.setenv("GUIDESMITH_AUTH_SECRET_FILE", kept(tmp_path, STRONG[::-1]))
    with pytest.raises(SettingsInvalid, match="AUTH_SECRET and GUIDESMITH_AUTH_SECRET_FILE are both set") as wrong:
        load_settings()
    assert STRONG not in wrong.value.message and STRONG[::-1] not in wrong.value.message


@pytest.mark.parametrize("content", [None, "", "\n", b"\xff\xfe\x00", "a" * (LARGEST_BYTES + 1)])
def test_given_a_file_that_is_no_secret_when_loaded_then_its_variable_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str | bytes | None
) -> None:
    path = str(tmp_path / "absent") if content is None else kept(tmp_path, content)
    monkeypatch.setenv("GUIDESMITH_LLM_API_KEY_FILE", path)
    with pytest.raises(SettingsInvalid, match="GUIDESMITH_LLM_API_KEY_FILE"):
        load_settings()


def test_given_a_weak_secret_in_a_file_when_loaded_then_it_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GUIDESMITH_AUTH_SECRET_FILE", kept(tmp_path, "short"))
    with pytest.raises(SettingsInvalid, match="GUIDESMITH_AUTH_SECRET: has fewer"):
        load_settings()


async def connected_with(monkeypatch: pytest.MonkeyPatch) -> Client:
    for name in [name for name in os.environ if name.startswith("TEMPORAL_") and name != "TEMPORAL_API_KEY_FILE"]:
        monkeypatch.delenv(name)
    return await connect()


def test_given_a_file_for_the_key_of_temporal_when_connecting_then_the_client_has_the_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TEMPORAL_API_KEY_FILE", kept(tmp_path, "key-of-a-test\n"))
    client = asyncio.run(connected_with(monkeypatch))
    assert client.service_client.config.api_key == "key-of-a-test"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("GUIDESMITH_LMM_BASE_URL", "GUIDESMITH_LLM_BASE_URL"),
        ("GUIDESMITH_DATABSE_URL", "GUIDESMITH_DATABASE_URL"),
        ("GUIDESMITH_LMM_API_KEY_FILE", "GUIDESMITH_LLM_API_KEY_FILE"),
    ],
)
def test_given_a_misspelt_variable_when_loaded_then_it_is_refused_with_the_name_that_is_meant(
    monkeypatch: pytest.MonkeyPatch, written: str, meant: str
) -> None:
    monkeypatch.setenv(written, "hush")
    with pytest.raises(SettingsInvalid) as refused:
        load_settings()
    assert written in str(refused.value) and meant in str(refused.value) and "hush" not in str(refused.value)


def test_given_what_kubernetes_and_the_command_line_set_when_loaded_then_nothing_is_unknown() -> None:
    of_kubernetes = ["GUIDESMITH_SERVICE_HOST", "GUIDESMITH_PORT", "GUIDESMITH_API_PORT_8400_TCP_ADDR"]
    known = ["GUIDESMITH_TOKEN", "GUIDESMITH_AUTH_SECRET_FILE", "GUIDESMITH_S3_REGION", "PATH"]
    fields = Settings.model_fields
    assert unknown_variables([*of_kubernetes, *known], fields, PREFIX) == []
    assert unknown_variables(["GUIDESMITH_FAVOURITE_COLOUR"], fields, PREFIX) == ["GUIDESMITH_FAVOURITE_COLOUR"]


def test_given_weights_of_projects_then_their_stages_wait_under_keys_of_their_own_and_nothing_of_it_travels() -> None:
    options = run_options(load_settings(project_weights="p=4, q=0.5"))
    assert options.weights == {"p": 4.0, "q": 0.5}
    assert "weights" not in options.model_dump_json()
    heavy, light, plain = turn_of("ann", "p", 4.0), turn_of("ann", "q", 0.5), turn_of("ann", "r", None)
    assert (heavy.fairness_weight, light.fairness_weight, plain.fairness_weight) == (4.0, 0.5, None)
    assert len({each.fairness_key for each in (heavy, light, plain)}) == 3
    assert plain == turn_of("ann")
    for wrong in ("p", "p=", "=4", "p=0", "p=many", "p=1001"):
        with pytest.raises(SettingsInvalid, match="PROJECT_WEIGHTS"):
            load_settings(project_weights=wrong)
