"""Writes what the documentation says of the code: settings, errors, commands, routes, lifecycles, weights, and the
house.

    python -m docs.generate            # write them
    python -m docs.generate --check    # say which are out of date, and end with 1

A setting's meaning is prose and stays as it stands in the page; a new one begins with its docstring in
``starter/settings.py``. Names, defaults, statuses and codes come from the code alone.
"""

import ast
import inspect
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import grimp
import typer.main
from typer.cli import get_docs_for_click

from domain import errors
from domain.errors import GuidesmithError
from domain.lifecycles.kinds import LIFECYCLES
from starter import settings
from starter.access.jwks import KeysUnavailable
from starter.access.tokens import Unauthorized
from starter.api import errors as api_errors
from starter.api.app import description
from starter.api.errors import STATUS
from starter.cli.app import app
from starter.local.folder import StackFailed, StackRunning
from starter.pages.reference.view import alone
from starter.settings import PREFIX, Settings

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
WEIGHT = ROOT / "docs" / "explanation" / "weight.md"
FLOORS = ("starter", "workflows", "activities", "domain")
MERMAID_LOCKED = ROOT / "starter/pages/frontend/node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js"
MERMAID = ROOT / "docs" / "assets" / "mermaid.js"
"""What draws the site's diagrams; the theme would load it from another host."""
INTERFACE = ROOT / "docs" / "assets" / "api.html"
"""Every route and shape, as the page ``/reference`` has them."""

MADE = "<!-- made by docs/generate.py -->"


def written(value: Any) -> str:
    """A default as the settings table writes it."""
    if value is None or value == "":
        return "unset"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def settings_page() -> str:
    """What stands in the page, with every setting of the code, its default, and no other."""
    page = (REFERENCE / "settings.md").read_text(encoding="utf-8")
    table = re.search(rf"^(?:\| `{PREFIX}.*\n)+", page, re.MULTILINE)
    if table is None:
        raise SystemExit("docs/reference/settings.md has no table of settings.")
    head, tail = page[: table.start()], page[table.end() :]
    known = dict(re.findall(rf"^\| `{PREFIX}(\w+)` \| .*? \| (.*) \|$", page, re.MULTILINE))
    said = dict(_docstrings())
    lines = []
    for name, field in Settings.model_fields.items():
        default = written(field.get_default(call_default_factory=True, validated_data={}))
        if name == "data_dir":
            default = "`~/.local/share/guidesmith`"
        meaning = known.get(name.upper()) or said.get(name, "").replace("``", "`").replace("|", "\\|")
        lines.append(f"| `{PREFIX}{name.upper()}` | {default} | {meaning} |")
    return head + "\n".join(lines) + "\n" + tail


def _docstrings() -> Iterator[tuple[str, str]]:
    (model,) = (
        each
        for each in ast.parse(inspect.getsource(settings)).body
        if isinstance(each, ast.ClassDef) and each.name == "Settings"
    )
    for field, told in zip(model.body, model.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(told, ast.Expr)
            and isinstance(told.value, ast.Constant)
        ):
            yield field.target.id, " ".join(str(told.value.value).split())


def errors_page() -> str:
    """Every code: what it means, how HTTP says it, and whether Temporal tries again."""
    kinds: set[type[GuidesmithError]] = {StackFailed, StackRunning, Unauthorized, KeysUnavailable}
    for module in (errors, api_errors):
        kinds |= {
            each for each in vars(module).values() if isinstance(each, type) and issubclass(each, GuidesmithError)
        }
    lines = []
    for code in sorted({each.code for each in kinds}):
        named = sorted(
            (each for each in kinds if each.code == code), key=lambda each: (len(each.__mro__), each.__name__)
        )
        status = next((STATUS[base] for base in named[0].__mro__ if base in STATUS), None)
        told = (inspect.getdoc(named[0]) or "").split("\n\n")[0]
        meaning = " ".join(told.split()).replace("``", "`").replace("|", "\\|")
        meaning = re.sub(r":\w+:`~?\.?([^`]+)`", r"`\1`", meaning)
        lines.append(
            f"| `{code}` | {int(status) if status else ''} | {'yes' if named[0].retryable else ''} | {meaning} |"
        )
    return (
        f"{MADE}\n\n# Errors\n\n"
        "Every error has a code that stays. Over HTTP it is `code` in the body, in a job's failure\n"
        "`failure_code`, in Temporal the type of the error. What to do about each is told in\n"
        "[troubleshooting](../operations/troubleshooting.md).\n\n"
        "| code | HTTP | tried again | meaning |\n|---|---|---|---|\n" + "\n".join(lines) + "\n"
    )


def commands_page() -> str:
    """What typer says of the command line."""
    command = typer.main.get_command(app)
    text = get_docs_for_click(obj=command, ctx=typer.Context(command), name="guidesmith")
    return f"{MADE}\n\n# Commands\n\n" + text.split("\n", 2)[2].strip() + "\n"


def routes_page() -> str:
    """The routes of the OpenAPI description. The description itself is at ``/api/v1/openapi.json``."""
    lines = []
    for path, methods in description()["paths"].items():
        for method, told in methods.items():
            if not isinstance(told, dict) or "responses" not in told:
                continue
            said = (told.get("description") or told.get("summary") or "").split("\n\n")[0]
            answers = ", ".join(status for status in told["responses"])
            said = " ".join(said.split()).replace("``", "`").replace("|", "\\|")
            lines.append(f"| `{method.upper()} {path}` | {said} | {answers} |")
    return (
        f"{MADE}\n\n# HTTP routes\n\n"
        "The whole contract, with every shape, is the OpenAPI description that the API serves at\n"
        "`/api/v1/openapi.json`; nothing that it does not declare is answered. To be read, it is the page\n"
        '`/reference` of each installation, and <a href="../assets/api.html">a page of this site</a>.\n\n'
        "| route | what it does | answers |\n|---|---|---|\n" + "\n".join(lines) + "\n"
    )


def lifecycles_page() -> str:
    """The tables, as they are drawn by ``guidesmith lifecycles show KIND --format mermaid``."""
    parts = [f"{MADE}\n\n# Lifecycles\n\nThe tables that workflow, database and API obey, drawn from the code.\n"]
    for kind, table in LIFECYCLES.items():
        rows = "\n".join(
            f"| {row.source or '(none)'} | {row.target} | {', '.join(sorted(map(str, row.triggers)))} | {row.note} |"
            for row in table.transitions
        )
        parts.append(
            f"## {kind}\n\n```mermaid\n{table.mermaid().rstrip()}\n```\n\n"
            f"| from | to | who | note |\n|---|---|---|---|\n{rows}\n"
        )
    return "\n".join(parts)


def house() -> str:
    """The rooms and what they stand on, read from the imports: an arrow that others imply is left out. Modules that are
    in no room are drawn together where they stand on the same rooms."""
    graph = grimp.build_graph(*FLOORS)
    rooms = {module.rpartition(".")[0] for module in graph.modules if module.count(".") == 2}
    stands_on: dict[str, set[str]] = {}
    for module in graph.modules - set(FLOORS):
        imported = graph.find_modules_directly_imported_by(module) - set(FLOORS)
        here = _place(module)
        below = {_place(each) for each in imported if _floor(each) == _floor(module)}
        stands_on.setdefault(here, set()).update(below - {here})
    boxes = _boxes(stands_on, rooms)
    merged: dict[str, set[str]] = {}
    for place, below in stands_on.items():
        merged.setdefault(boxes[place], set()).update({boxes[each] for each in below} - {boxes[place]})
    lines = ["flowchart TD"]
    for floor in FLOORS:
        named = [f"        {box}[{_label(box, boxes)}]" for box in sorted(merged) if _floor(box) == floor]
        lines += [f"    subgraph {floor}s[{floor}]", *named, "    end"]
    for box in sorted(merged):
        implied = {far for near in merged[box] for far in _all_below(near, merged)}
        lines += [f"    {box} --> {each}" for each in sorted(merged[box] - implied)]
    lines += [f"    {upper}s --> {lower}s" for upper, lower in pairwise(FLOORS)]
    return "\n".join(lines)


def _floor(module: str) -> str:
    return module.partition(".")[0]


def _place(module: str) -> str:
    """The room that a module is in; itself where it is in none."""
    return ".".join(module.split(".")[:2])


def _boxes(stands_on: dict[str, set[str]], rooms: set[str]) -> dict[str, str]:
    """What each place is drawn as: a room as itself, a module as the first of those that stand on the same rooms."""
    alike: dict[tuple[str, frozenset[str]], str] = {}
    return {
        place: place
        if place in rooms
        else alike.setdefault((_floor(place), frozenset(_all_below(place, stands_on) & rooms)), place)
        for place in sorted(stands_on)
    }


def _label(box: str, boxes: dict[str, str]) -> str:
    return "<br/>".join(place.partition(".")[2] for place in sorted(boxes) if boxes[place] == box)


def _all_below(place: str, stands_on: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    new = set(stands_on[place])
    while new:
        found |= new
        new = {far for near in new for far in stands_on[near]} - found
    return found


def contributing_page() -> str:
    """What stands there, with the house as it is."""
    text = CONTRIBUTING.read_text(encoding="utf-8")
    before, start, rest = text.partition("<!-- the house, made by docs/generate.py -->\n")
    _, end, after = rest.partition("<!-- end of the house -->")
    if not (start and end):
        raise SystemExit("CONTRIBUTING.md has no place for the house.")
    return f"{before}{start}```mermaid\n{house()}\n```\n{end}{after}"


WEIGHED = 1_000
"""Lines from which on a package has to say why it is here."""


def source_lines() -> dict[Path, int]:
    """How many lines each source file has. Data, and what is made by a build, are left out."""
    made = {"__pycache__", "node_modules", "static", "assets"}
    source = {".py", ".js", ".mjs", ".css", ".html", ".j2", ".ftl", ".typ", ".mako"}
    files = [
        path
        for folder in (*FLOORS, "guidesmith", "sample", "docs")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in source and not made & set(path.parts)
    ]
    files += ROOT.glob("*.py")
    return {path.relative_to(ROOT): len(path.read_text(encoding="utf-8").splitlines()) for path in files}


def weights() -> Counter[str]:
    """Lines of each package, migrations left out; of ``workflows`` and ``guidesmith`` as a whole."""
    found: Counter[str] = Counter()
    for path, lines in source_lines().items():
        floor = path.parts[0]
        if floor in (*FLOORS, "guidesmith") and "versions" not in path.parts:
            found[floor if floor in ("workflows", "guidesmith") else "/".join(path.parts[:-1][:2])] += lines
    return found


def weight_page() -> str:
    """What stands there, with the lines as they are, to two digits."""
    text = WEIGHT.read_text(encoding="utf-8")
    counted = weights()
    rows = re.findall(r"^\| `([\w/]+)` \| [\d,]+ \| (\S.*) \|$", text, re.MULTILINE)
    missing = {package for package, lines in counted.items() if lines > WEIGHED} - {package for package, _ in rows}
    if missing:
        raise SystemExit(f"{WEIGHT.name} has no row for {', '.join(sorted(missing))}.")
    rows.sort(key=lambda row: -counted[row[0]])
    written = [
        f"| `{package}` | {round(counted[package], 2 - len(str(counted[package]))):,} | {why} |"
        for package, why in rows
    ]
    head, ruler, _ = text.partition("|---|---|---|\n")
    after = text[text.rindex("|\n") + 2 :]
    return head + ruler + "\n".join(written) + "\n" + after


PAGES = {
    WEIGHT: weight_page,
    REFERENCE / "settings.md": settings_page,
    REFERENCE / "errors.md": errors_page,
    REFERENCE / "cli.md": commands_page,
    REFERENCE / "http.md": routes_page,
    REFERENCE / "lifecycles.md": lifecycles_page,
    CONTRIBUTING: contributing_page,
}


def outdated() -> list[Path]:
    """The pages that do not say what the code says."""
    return [path for path, page in PAGES.items() if not path.exists() or path.read_text(encoding="utf-8") != page()]


def main() -> int:
    if "--check" in sys.argv[1:]:
        stale = outdated()
        sys.stdout.write("".join(f"{path.relative_to(ROOT)} is out of date: run `make docs`\n" for path in stale))
        return 1 if stale else 0
    for path, page in PAGES.items():
        path.write_text(page(), encoding="utf-8")
    MERMAID.parent.mkdir(exist_ok=True)
    shutil.copyfile(MERMAID_LOCKED, MERMAID)
    INTERFACE.write_text(alone(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
