"""What docker-compose.yml tells the servers to do, done with the same servers from wheels."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from activities.artifacts import ArtifactStore, S3Options
from activities.rails.search_attributes import ATTRIBUTES
from domain.errors import GuidesmithError
from tests.temporal import TemporalServer, free_port

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
SERVICES = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
KEY_ID, SECRET = "compose-key", "compose-secret-of-a-test"
UP_WITHIN_S = 120.0
NAMESPACE = "compose-test"


@pytest.fixture(scope="module")
def store_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The object store, started with the command of the compose file: only folder, addresses and ports differ."""
    folder = tmp_path_factory.mktemp("store")
    names = ("master", "volume", "filer", "admin")
    ports = {name: free_port() for name in (*names, "s3")}
    command = [
        str(BIN / "weed"),
        *SERVICES["store"]["command"],
        f"-dir={folder}",
        "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1",
    ]
    command += [f"-{name}.port={port}" for name, port in ports.items()]
    command += [f"-{name}.port.grpc={free_port()}" for name in ports]
    environment = os.environ | {"AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET}
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=environment)
    try:
        await_health({"8333": ports["s3"], "8888": ports["filer"]}, process)
        yield ports["s3"]
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def await_health(ports: dict[str, int], process: "subprocess.Popen[bytes]") -> None:
    """Ask as the compose file's probe does, ``ports`` put for its own, until it is content."""
    probe = SERVICES["store"]["healthcheck"]["test"][-1]
    for theirs, here in ports.items():
        probe = probe.replace(f":{theirs}/", f":{here}/")
    deadline = time.monotonic() + UP_WITHIN_S
    while time.monotonic() < deadline:
        assert process.poll() is None, "the store has ended"
        if all(answers(url) for url in re.findall(r"http\S+", probe)):
            return
        time.sleep(0.05)
    raise TimeoutError("the store did not become healthy")


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=20):
            return True
    except OSError:
        return False


def open_store(port: int, secret: str) -> ArtifactStore:
    options = S3Options(
        endpoint=f"http://127.0.0.1:{port}", access_key_id=KEY_ID, secret_access_key=secret, allow_http=True
    )
    return ArtifactStore.open("s3://guidesmith/artifacts", s3=options)


def test_given_the_composed_store_when_it_is_healthy_then_its_bucket_takes_artifacts(store_port: int) -> None:
    open_store(store_port, SECRET).ping(write=True)


def test_given_another_secret_when_it_is_written_to_then_the_composed_store_refuses(store_port: int) -> None:
    with pytest.raises(GuidesmithError):
        open_store(store_port, "another-secret").ping(write=True)


def test_given_no_key_when_it_is_read_then_the_composed_store_refuses(store_port: int) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"http://127.0.0.1:{store_port}/guidesmith", timeout=30)
    assert refused.value.code == 403


def test_given_a_new_cluster_when_the_namespace_service_runs_twice_then_jobs_can_be_found_in_it(
    temporal: TemporalServer,
) -> None:
    service = SERVICES["temporal-namespace"]
    environment = {
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "TEMPORAL_ADDRESS": temporal.address,
        "TEMPORAL_NAMESPACE": NAMESPACE,
        "HOME": str(temporal.folder),
    }
    [script] = [text.replace("$$", "$") for text in service["command"]]
    for _ in range(2):
        subprocess.run([*service["entrypoint"], script], env=environment, check=True, timeout=150)
    listed = subprocess.run(
        ["temporal", "operator", "search-attribute", "list", "--namespace", NAMESPACE],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert {name: kind for name, kind in re.findall(r"(\w+)\s+(\w+)", listed) if name in ATTRIBUTES} == ATTRIBUTES
