"""Dependencies point one way: starter, workflows, activities, domain. And no room grows beyond what one can see."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from docs.generate import FLOORS, source_lines
from tests.stack import ROOT

STORED = {"activities/screen/resume_point.py: standing", "activities/stages/generation.py: said"}
"""Names of fields that resume points and histories have."""


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
    """What needs a scroll bar to be understood is two things. Tests are left out, and the folder of migrations: one is
    added with each change of the schema, and none ever goes."""
    lines = source_lines()
    assert {path: count for path, count in lines.items() if count > 500} == {}
    folders = Counter(path.parent for path in lines if path.parent.name != "versions")
    assert {folder: count for folder, count in folders.items() if count > 25} == {}


def defined(path: Path) -> set[str]:
    """The names that a module, or the modules of a folder, define: classes, functions, fields and constants."""
    names: set[str] = set()
    for each in [path] if path.is_file() else path.rglob("*.py"):
        for node in ast.walk(ast.parse(each.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                names.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
    return names


def glossary(heading: str) -> list[list[str]]:
    """The rows of one of the glossary's two tables."""
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").split(f"# {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_glossary_says_each_term_once_and_the_code_has_it_where_it_says() -> None:
    terms: Counter[str] = Counter()
    for term, _, names, places in glossary("Words"):
        terms.update(re.findall(r"\*\*(.+?)\*\*", term))
        (place,) = re.findall(r"`([^`]+)`", places)
        assert set(re.findall(r"`([^`]+)`", names)) <= defined(ROOT / place), term
    assert terms
    assert max(terms.values()) == 1


def test_no_module_class_function_parameter_or_field_has_a_name_that_the_glossary_gave_up() -> None:
    given_up = {name for names, _ in glossary("Words that are not used") for name in re.findall(r"`([^`]+)`", names)}
    assert given_up
    found: list[str] = []
    for floor in FLOORS:
        for path in (ROOT / floor).rglob("*.py"):
            names = {path.stem}
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                    names.add(node.name.lower())
                elif isinstance(node, ast.arg):
                    names.add(node.arg)
                elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                    names.add(node.target.id)
            found += [f"{path.relative_to(ROOT)}: {name}" for name in sorted(names & given_up)]
    assert sorted(set(found) - STORED) == []


def test_the_migrations_follow_one_another() -> None:
    """Two that follow the same one have no order, and no database can be brought up to date."""
    versions = sorted((ROOT / "activities" / "store" / "migrations" / "versions").glob("[0-9]*.py"))
    numbers = [path.name.partition("_")[0] for path in versions]
    said = [
        re.findall(r'^(?:down_)?revision = "?(\w+)', path.read_text(encoding="utf-8"), re.MULTILINE)
        for path in versions
    ]
    assert said == [list(each) for each in zip(numbers, ["None", *numbers], strict=False)]
