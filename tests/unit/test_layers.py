"""Dependencies point one way: starter, workflows, activities, domain. And no room grows beyond what one can see."""

import subprocess
import sys
from collections import Counter

from tests.stack import ROOT

FLOORS = ("domain", "workflows", "activities", "starter")


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


def test_a_source_file_has_at_most_500_lines_and_a_folder_25_files() -> None:
    """What needs a scroll bar to be understood is two things. Tests, data, and what is made by a build are left out."""
    made = {"__pycache__", "node_modules", "static", "assets"}
    source = {".py", ".js", ".mjs", ".css", ".html", ".j2", ".ftl", ".typ", ".mako"}
    files = [
        path
        for folder in (*FLOORS, "sample", "docs")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in source and not made & set(path.parts)
    ]
    files += ROOT.glob("*.py")
    lines = {path.relative_to(ROOT): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {path: count for path, count in lines.items() if count > 500} == {}
    folders = Counter(path.parent for path in lines)
    assert {folder: count for folder, count in folders.items() if count > 25} == {}
