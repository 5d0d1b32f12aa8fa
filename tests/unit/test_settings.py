"""Settings: what the environment may say, and what is said when it is wrong."""

from pathlib import Path

import pytest

from domain.errors import SettingsInvalid
from starter.settings import QUEUES, Settings, load_settings

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
