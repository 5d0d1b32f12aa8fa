"""Dependencies point one way: starter, workflows, activities, domain."""

import subprocess
import sys

from tests.stack import ROOT


def test_the_layers_hold() -> None:
    checked = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


def test_a_workflow_imports_neither_a_database_nor_a_codec() -> None:
    """What a workflow module loads, every API process and every workflow sandbox pays for."""
    heavy = {"sqlalchemy", "av", "faster_whisper", "ctranslate2", "typst", "docx", "obstore", "fastapi"}
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, workflows.instruction; print(*sys.modules)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert heavy.isdisjoint(loaded)
