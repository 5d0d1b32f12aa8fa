"""The documentation says what the code does: settings, commands, drawings, links, codes, targets."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
import typer
from temporalio import workflow
from typer.testing import CliRunner

from activities.rails.search_attributes import ATTRIBUTES
from docs import generate
from domain import errors
from domain.errors import STAGE_TIMED_OUT, WORKFLOW_LOST, GuidesmithError
from domain.lifecycles.instruction import INSTRUCTION
from starter.access.jwks import KeysUnavailable
from starter.access.openid import Reason
from starter.access.tokens import Unauthorized
from starter.api.errors import BodyTypeUnsupported, Forbidden, MethodNotAllowed, RangeUnsatisfiable, RateLimited
from starter.cli import connection
from starter.cli.app import app
from starter.cli.exits import ExitCode
from starter.cli.making import FORMATS
from starter.local.folder import StackFailed, StackRunning
from starter.secret_files import SUFFIX, secret_fields
from starter.settings import PREFIX, QUEUES, Settings
from starter.work.worker import WORKFLOWS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
DOCUMENTS = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in PAGES}
README = DOCUMENTS["README.md"]
MADE = ("docs/reference/cli.md", "docs/reference/errors.md", "docs/reference/http.md", "docs/reference/lifecycles.md")
"""Pages that are wholly made from the code."""
TOLD = {name: text for name, text in DOCUMENTS.items() if name not in MADE}
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)

PICTURE_LIMIT_BYTES = 300_000

COMMANDS = typer.main.get_command(app)


def page(name: str) -> str:
    return DOCUMENTS[f"docs/{name}.md"]


def rows(text: str) -> Iterator[list[str]]:
    """The cells of each line of the tables in ``text``, without headings."""
    for line in text.splitlines():
        if line.startswith("|") and not line.startswith("|---"):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def code(text: str) -> Iterator[str]:
    """Every line of shell and every code span."""
    for language, block in FENCE.findall(text):
        if language == "sh":
            yield from block.replace("\\\n", " ").splitlines()
    yield from SPAN.findall(FENCE.sub("", text))


def written(value: Any) -> str:
    """A default as the settings table writes it."""
    if value is None or value == "":
        return "unset"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


# --- settings ----------------------------------------------------------------------------------------------------


def documented_settings() -> dict[str, str]:
    found = (
        cells for cells in rows(page("reference/settings")) if len(cells) == 3 and cells[0].startswith(f"`{PREFIX}")
    )
    return {cells[0].strip("`"): cells[1] for cells in found}


def test_every_setting_is_documented_with_its_default_and_no_other() -> None:
    defaults = {
        PREFIX + name.upper(): written(field.get_default(call_default_factory=True, validated_data={}))
        for name, field in Settings.model_fields.items()
    }
    defaults[f"{PREFIX}DATA_DIR"] = "`~/.local/share/guidesmith`"
    assert documented_settings() == defaults


def test_every_variable_that_is_mentioned_exists() -> None:
    client = {connection.API_URL, connection.TOKEN, connection.USER}
    known = {PREFIX + name.upper() for name in Settings.model_fields} | client
    known |= {PREFIX + name.upper() + SUFFIX for name in secret_fields(Settings.model_fields)}
    mentioned = {name for text in TOLD.values() for name in re.findall(rf"\b{PREFIX}[A-Z0-9_]*[A-Z0-9]\b", text)}
    assert mentioned - known <= {f"{PREFIX}LLM", f"{PREFIX}STT"}  # "GUIDESMITH_LLM_…": all of that family
    assert client <= mentioned


# --- commands ----------------------------------------------------------------------------------------------------


def invocations() -> list[str]:
    """Every ``guidesmith …`` that the documents show, up to where the shell takes over."""
    found = set()
    for text in TOLD.values():
        for line in code(text):
            for match in re.finditer(r"(?<![\w/.-])guidesmith ((?:[a-z][a-z-]*|--help)(?: [^|;&#)`]+)?)", line):
                found.add(match[1].strip())
    return sorted(found)


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """The command that ``words`` name, and what follows its name."""
    command: Any = COMMANDS
    while words and hasattr(command, "commands") and not words[0].startswith("-"):
        assert words[0] in command.commands, f"there is no command {words[0]!r}"
        command, words = command.commands[words[0]], words[1:]
    return command, words


@pytest.mark.parametrize("shown", invocations())
def test_a_command_that_is_shown_exists_with_its_options(shown: str) -> None:
    command, rest = command_of(shlex.split(shown))
    names = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    options = {word.partition("=")[0] for word in rest if word.startswith("-")}
    assert options <= names | {"--help", "-h"}


def test_the_documents_show_every_command_that_can_be_seen() -> None:
    def paths(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        if not hasattr(command, "commands"):
            yield path
            return
        for name, each in command.commands.items():
            yield from paths(each, (*path, name))

    shown = invocations()
    missing = [path for path in paths(COMMANDS) if not any(each.startswith(" ".join(path)) for each in shown)]
    assert missing == []


def helped() -> list[list[str]]:
    named = set()
    for shown in invocations():
        words = shlex.split(shown)
        _, rest = command_of(words)
        named.add(tuple(words[: len(words) - len(rest)]))
    return sorted(list(each) for each in named)


@pytest.mark.parametrize("words", helped(), ids=" ".join)
def test_the_help_of_a_command_that_is_shown_can_be_read(words: list[str]) -> None:
    answer = CliRunner().invoke(app, [*words, "--help"])
    assert answer.exit_code == 0, answer.output
    assert answer.output.startswith("Usage:")


def test_the_formats_and_exit_codes_are_those_of_the_command() -> None:
    formats = {name.strip("`") for cells in rows(page("guides/recordings")) for name in cells[0].split(", ")}
    assert formats - {"format"} == set(FORMATS)
    codes = {int(cells[0]) for cells in rows(page("reference/exit-codes")) if cells[0].isdecimal()}
    assert codes == {int(each) for each in ExitCode}


def test_the_queues_are_those_of_the_settings() -> None:
    assert tuple(cells[0].strip("`") for cells in rows(page("operations/scaling")) if cells[0] != "queue") == QUEUES


# --- make --------------------------------------------------------------------------------------------------------


def test_a_make_target_that_is_mentioned_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):.*##", MAKEFILE, re.MULTILINE))
    mentioned: set[str] = set()
    for text in TOLD.values():
        for line in code(text):
            for words in re.findall(r"(?<![\w-])(?<!guidesmith )make((?: [a-z]+\b(?!=))+)", line.partition("#")[0]):
                mentioned |= set(words.split())
    assert {"demo", "test"} <= mentioned <= targets


# --- drawings, links, pictures -----------------------------------------------------------------------------------


def test_the_drawing_of_the_lifecycle_is_the_table_of_the_code() -> None:
    drawings = [block for language, block in FENCE.findall(page("explanation/how-it-works")) if language == "mermaid"]
    assert [each for each in drawings if each.startswith("stateDiagram")] == [INSTRUCTION.mermaid()]


def anchor(heading: str) -> str:
    """What GitHub makes of a heading."""
    plain = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
    return plain.strip().replace(" ", "-")


@pytest.mark.parametrize("name", TOLD)
def test_a_link_leads_somewhere(name: str) -> None:
    text = FENCE.sub("", DOCUMENTS[name])
    anchors = {anchor(heading) for heading in HEADING.findall(text)}
    for target in LINK.findall(text):
        if target.startswith("https://"):
            continue
        path, _, fragment = target.partition("#")
        if path:
            leads_to = (ROOT / name).parent / path
            assert leads_to.exists(), f"{name} links to {target}"
            if fragment:
                there = FENCE.sub("", leads_to.read_text(encoding="utf-8"))
                assert fragment in {anchor(heading) for heading in HEADING.findall(there)}, f"{name} links to {target}"
        else:
            assert fragment in anchors, f"{name} links to {target}"


@pytest.mark.parametrize("name", TOLD)
def test_a_file_that_is_named_exists(name: str) -> None:
    top = {path.name for path in ROOT.iterdir() if path.is_dir()}
    for span in SPAN.findall(FENCE.sub("", DOCUMENTS[name])):
        if re.fullmatch(r"[\w.-]+(/[\w.*-]+)+/?", span) and span.partition("/")[0] in top and not span.startswith("."):
            assert list(ROOT.glob(span.rstrip("/"))), f"{name} names {span}"


@pytest.mark.parametrize("record", sorted((ROOT / "docs" / "decisions").glob("0*.md")), ids=lambda path: path.stem)
def test_a_decision_says_what_was_measured_and_what_was_given_up(record: Path) -> None:
    parts = re.findall(r"^\*\*(Context|Measured|Decision|Given up)\b", record.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(parts) == ["Context", "Decision", "Given up", "Measured"]


def test_the_readme_is_read_in_one_go() -> None:
    assert len(README.splitlines()) <= 250


def test_what_is_made_from_the_code_is_up_to_date() -> None:
    assert generate.outdated() == []


def test_the_site_draws_its_diagrams_with_what_is_locked() -> None:
    site = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]
    assert [ROOT / site["docs_dir"] / each for each in site["extra_javascript"]] == [generate.MERMAID]
    assert "mermaid" in generate.MERMAID_LOCKED.read_text("utf-8")


def test_pictures_are_small() -> None:
    pictures = [ROOT / target for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README)]
    assert pictures
    assert all(picture.stat().st_size < PICTURE_LIMIT_BYTES for picture in pictures)


# --- codes and names ---------------------------------------------------------------------------------------------


def test_every_error_code_is_explained_and_no_other() -> None:
    taxonomy = {
        each.code for each in vars(errors).values() if isinstance(each, type) and issubclass(each, GuidesmithError)
    }
    elsewhere = {StackFailed.code, StackRunning.code, Unauthorized.code, KeysUnavailable.code}
    elsewhere |= {WORKFLOW_LOST, STAGE_TIMED_OUT, Forbidden.code, RateLimited.code, MethodNotAllowed.code}
    elsewhere |= {each.value for each in Reason}
    elsewhere |= {BodyTypeUnsupported.code, RangeUnsatisfiable.code}
    explained = [code for cells in rows(page("operations/troubleshooting")) for code in SPAN.findall(cells[0])]
    assert sorted(explained) == sorted(taxonomy | elsewhere)


def test_the_search_attributes_that_are_to_be_created_are_those_of_the_workflows() -> None:
    for told in (r"--name (\w+) --type (\w+)", r"--search-attribute (\w+)=(\w+)"):
        assert dict(re.findall(told, page("operations/temporal"))) == ATTRIBUTES


def test_the_messages_that_jobs_take_are_told_as_their_workflows_describe_them() -> None:
    taken = set()
    for each in WORKFLOWS:
        known = workflow._Definition.must_from_class(each)
        for what, named in (("signal", known.signals), ("update", known.updates), ("query", known.queries)):
            taken |= {(str(known.name), f"{what} `{name}`", str(told.description)) for name, told in named.items()}
    assert ("image", "signal `superseded`") in {each[:2] for each in taken}
    told = page("operations/buttons").partition("| kind | message | description |\n")[2].partition("\n\n")[0]
    assert sorted((*cells[:2], cells[2].removesuffix(" |")) for cells in rows(told)) == sorted(taken)


def test_the_statuses_that_are_named_exist() -> None:
    statuses: type[Enum] = INSTRUCTION.statuses
    named = set(re.findall(r"`([A-Z]+_(?:READY|EXTRACTING)|DONE|FAILED|CANCELLED)`", page("explanation/durability")))
    assert named <= {str(each.value) for each in statuses}
