"""Real artifact stores for tests: a folder, and an S3 server that runs from a wheel.

Use by ``pytest_plugins = ("tests.objectstores",)`` at the head of a test module:

(and import its classes under ``TYPE_CHECKING`` only, so that pytest can rewrite this module's asserts):

- ``artifact_store``: an empty store, once on a folder and once on S3 (the test runs twice)
- ``folder_store``, ``s3_store``: one of the two
- ``s3_server``: the server itself, one a session; ``s3_server.options`` and ``s3_server.url(prefix)`` open it
- ``own_s3_server``: another one, for a test that stops it
"""

import contextlib
import ctypes
import json
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from activities.artifacts import ArtifactStore, S3Options
from domain.errors import ArtifactStoreUnavailable, SettingsInvalid
from tests.temporal import free_port

ACCESS_KEY_ID = "test-access-key"
SECRET_ACCESS_KEY = "test-secret-key"
BUCKET = "artifacts"
START_S = 120.0
ATTEMPTS = 3

_PORTS = ("master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc")


class S3Server:
    """SeaweedFS (master, volume, filer and S3 gateway in one process) with its data in ``folder``.

    It can be stopped and started again on the same ports and data. It dies with the process that started it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._ports: dict[str, int] = {}
        (folder / "data").mkdir(parents=True)
        identity = {
            "name": "tests",
            "credentials": [{"accessKey": ACCESS_KEY_ID, "secretKey": SECRET_ACCESS_KEY}],
            "actions": ["Admin", "Read", "Write", "List", "Tagging"],
        }
        (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._ports['s3.port']}"

    @property
    def options(self) -> S3Options:
        return S3Options(
            endpoint=self.endpoint,
            access_key_id=ACCESS_KEY_ID,
            secret_access_key=SECRET_ACCESS_KEY,
            allow_http=True,
        )

    def url(self, prefix: str = "") -> str:
        """``s3://`` URL of the bucket that exists, below ``prefix``."""
        return f"s3://{BUCKET}/{prefix}" if prefix else f"s3://{BUCKET}"

    def start(self) -> None:
        """Start and wait until objects can be written."""
        keep = bool(self._ports)
        for _attempt in range(ATTEMPTS):
            if not keep:
                self._ports = _free_ports(*_PORTS, "s3.port", "s3.port.grpc")
            self._process = subprocess.Popen(
                self._command(),
                stdout=(self._folder / "server.log").open("ab"),
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                cwd=self._folder,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
            if self._answers():
                return
            # Another process may have taken a port between the look and the start.
            self.stop()
        log = (self._folder / "server.log").read_text(errors="replace")[-2000:]
        raise RuntimeError(f"the S3 server did not start in {ATTEMPTS} attempts:\n{log}")

    def stop(self) -> None:
        """Kill it: what was answered is on disk."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        store = ArtifactStore.open(self.url(), s3=self.options)
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self._process is not None and self._process.poll() is None:
            with contextlib.suppress(ArtifactStoreUnavailable, SettingsInvalid):
                store.ensure_bucket()
                store.ping(write=True)
                return True
            time.sleep(0.05)
        return False

    def _command(self) -> list[str]:
        return [
            str(Path(sysconfig.get_path("scripts")) / "weed"),
            "server",
            f"-dir={self._folder / 'data'}",
            "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1",
            "-master.telemetry=false",
            "-master.volumePreallocate=false",
            "-master.volumeSizeLimitMB=1024",
            "-master.electionTimeout=1s",
            "-volume.max=0",
            "-volume.minFreeSpace=1",
            "-volume.preStopSeconds=0",
            "-filer",
            f"-filer.localSocket={self._folder / 'filer.sock'}",
            "-s3",
            f"-s3.config={self._folder / 's3.json'}",
            f"-s3.localSocket={self._folder / 's3.sock'}",
            "-s3.autoCreateBucket=false",
            "-s3.iam=false",
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            *(f"-{name}={port}" for name, port in self._ports.items()),
        ]


@contextlib.contextmanager
def running_s3_server() -> Iterator[S3Server]:
    """A server for as long as the block runs, and its data with it."""
    # Not pytest's tmp_path: a Unix socket's path has at most 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="s3-"))
    server = S3Server(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Server]:
    with running_s3_server() as server:
        yield server


@pytest.fixture
def own_s3_server() -> Iterator[S3Server]:
    with running_s3_server() as server:
        yield server


@pytest.fixture
def folder_store(tmp_path: Path) -> ArtifactStore:
    return ArtifactStore.open((tmp_path / "artifacts").as_uri(), scratch=_scratch(tmp_path))


@pytest.fixture
def s3_store(s3_server: S3Server, tmp_path: Path) -> ArtifactStore:
    return ArtifactStore.open(s3_server.url(f"test-{uuid4().hex}"), s3=s3_server.options, scratch=_scratch(tmp_path))


@pytest.fixture(params=["folder", "s3"])
def artifact_store(request: pytest.FixtureRequest) -> ArtifactStore:
    store = request.getfixturevalue(f"{request.param}_store")
    assert isinstance(store, ArtifactStore)
    return store


def sweep_all(store: ArtifactStore) -> int:
    """Remove what killed writers left in ``store``, this very moment's, too; how many there were.

    A bucket says in whole seconds when an upload was begun and what time it is: nothing is older than the second it was
    begun in.
    """
    return store.sweep_abandoned(-2)


def _scratch(tmp_path: Path) -> Path:
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    return scratch


def _free_ports(*names: str) -> dict[str, int]:
    return {name: free_port() for name in names}


def die_with_parent() -> None:
    """So that a killed test run leaves no server behind (Linux: prctl(PR_SET_PDEATHSIG))."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
