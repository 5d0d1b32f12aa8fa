"""What analyses say, in every language of the pages: all that planner, plan and report can write has words there."""

import ast
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from activities.analysis import planning
from activities.analysis.reading.inputs import NOTES
from activities.analysis.understanding import SAID, english, understood
from activities.analysis.wording import in_words
from domain.analyses import plan_meaning, rates, steps
from domain.analyses.steps import Every, Function
from starter.pages.analysis import wording
from starter.pages.analysis.answer import _ROWS
from starter.pages.shell.catalogue import FALLBACK, languages, sayings
from tests.unit.analysis_builders import CUSTOMERS, LOAD, SALES, plan, step, total

OTHERS = languages()[1:]
FILLED = "12"
"""What stands for a value that is put in: it may be a name, a number, or words."""


# --- what is written, read off the code ------------------------------------------------------------------------------

MODULES = [*sorted(Path(planning.__file__).parent.glob("*.py")), Path(plan_meaning.__file__), Path(rates.__file__)]
TREES = {each: ast.parse(each.read_text("utf-8")) for each in MODULES}
CONSTANTS = {
    node.targets[0].id: node.value
    for tree in TREES.values()
    for node in tree.body
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
}
FUNCTIONS = {node.name: node for tree in TREES.values() for node in tree.body if isinstance(node, ast.FunctionDef)}
SAID_BY = {"assume": ("remark", 0), "ask": ("question", 1), "ask_column": ("question", 1), "_add": ("title", 1)}
WRITTEN_AS = {
    "Unknown": ("unknown", "text"),
    "Question": ("question", "text"),
    "PlanIssue": ("unknown", "message"),
    "Note": ("remark", "message"),
    "Step": ("title", "title"),
}
SHAPES = {
    "question": [("question", wording.QUESTIONS)],
    "option": [("option", wording.OPTIONS)],
    "unknown": [("unknown", wording.UNKNOWN)],
    "title": [("title", wording.TITLES)],
    "remark": [("assumed", wording.ASSUMED), ("note", wording.NOTES)],
}


def texts(node: ast.expr | None, local: dict[str, list[ast.expr]]) -> list[str]:
    """What an expression may be, values filled in; nothing where it is a value through and through."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=pieces):
            return ["".join(each) for each in product(*(_piece(piece, local) for piece in pieces))]
        case ast.IfExp(body=body, orelse=orelse):
            return texts(body, local) + texts(orelse, local)
        case ast.Name(id=name) if name in local:
            return [text for each in local[name] for text in texts(each, local)]
        case ast.Name(id=name) if name in CONSTANTS:
            return texts(CONSTANTS[name], {})
        case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS:
            returns = (each for each in ast.walk(FUNCTIONS[name]) if isinstance(each, ast.Return))
            return [text for each in returns for text in texts(each.value, {}) if text]
        case ast.Subscript(value=ast.Name() as inner):
            return texts(inner, local)
        case ast.List(elts=elements):
            return [text for each in elements for text in texts(each, local)]
        case ast.Starred(value=ast.GeneratorExp(elt=each)):
            return texts(each, local)
    return []


def _piece(node: ast.expr, local: dict[str, list[ast.expr]]) -> list[str]:
    if not isinstance(node, ast.FormattedValue):
        return texts(node, local)
    found = texts(node.value, local)
    filled = f"'{FILLED}'" if node.conversion == ord("r") else FILLED
    return found or [filled]


def written() -> Iterator[tuple[str, str]]:
    """Kind and text of every sentence that the planner writes."""
    for tree in TREES.values():
        for function in (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)):
            local: dict[str, list[ast.expr]] = {}
            for node in ast.walk(function):
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    local.setdefault(node.targets[0].id, []).append(node.value)
                if isinstance(node, ast.NamedExpr):
                    local.setdefault(node.target.id, []).append(node.value)
            for node in ast.walk(function):
                yield from _of_node(node, local)


def _of_node(node: ast.AST, local: dict[str, list[ast.expr]]) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.AugAssign) and getattr(node.target, "attr", "") == "assumptions":
        yield from (("remark", text) for text in texts(node.value, local))
    if not isinstance(node, ast.Call):
        return
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name == "append" and getattr(getattr(node.func, "value", None), "attr", "") == "assumptions":
        yield from (("remark", text) for text in texts(node.args[0], local))
    if name in SAID_BY and len(node.args) > SAID_BY[name][1]:
        kind, place = SAID_BY[name]
        yield from ((kind, text) for text in texts(node.args[place], local))
    if name == "ask" and len(node.args) > 2:
        yield from (("option", text) for text in texts(node.args[2], local))
    if name in WRITTEN_AS:
        kind, argument = WRITTEN_AS[name]
        value = next((each.value for each in node.keywords if each.arg == argument), None)
        yield from ((kind, text) for text in texts(value, local))


SENTENCES = sorted({each for each in written() if re.search(r"[a-z]{2}", each[1])})


def test_the_walk_finds_what_the_planner_writes() -> None:
    kinds = [kind for kind, _ in SENTENCES]
    assert {kind: kinds.count(kind) > 5 for kind in SHAPES} == dict.fromkeys(SHAPES, True)
    assert ("question", "12 is percent, which has no sum. What is meant?") in SENTENCES


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(("kind", "text"), SENTENCES)
def test_every_sentence_of_the_planner_has_words_in_every_language(language: str, kind: str, text: str) -> None:
    found = next(
        ((name, match) for name, shapes in SHAPES[kind] if (match := wording.known(shapes, text)) is not None), None
    )
    assert found is not None, f"no shape in starter/pages/analysis/wording.py is that of {text!r}"
    assert sayings(language)(f"{found[0]}-{found[1][0]}", **found[1][1]) != text


# --- what is said by name --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize(("name", "words"), SAID.items())
def test_every_sentence_of_a_plan_has_words_and_holds_what_is_put_in(language: str, name: str, words: str) -> None:
    values: dict[str, object] = {key: f"<{key}>" for key in re.findall(r"\{(\w+)\}", words)}
    said = sayings(language)(f"plan-{name}", **values)
    assert all(str(each) in said for each in values.values())
    assert (said == english(name, **values)) == (language == FALLBACK) or name in ("derive", "plus", "minus")


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(("name", "words"), NOTES.items())
def test_every_note_of_a_table_has_words_and_holds_what_is_put_in(language: str, name: str, words: str) -> None:
    said = sayings(language)
    text = words.format(column="net_price", words="“1.5”, “2”")
    worded = wording.remark_in(said, language)(text)
    assert worded != text and ("net_price" in worded, "“1.5”, “2”" in worded) == (
        "{column}" in words,
        "{words}" in words,
    )
    assert wording.remark_in(said, language)(f"May: 1.csv: {text}") == f"May: 1.csv: {worded}"
    assert wording.remark_in(sayings(FALLBACK), FALLBACK)(text) == text


# --- whole plans and reports -----------------------------------------------------------------------------------------

OPERATIONS = plan(
    LOAD,
    step("other", "load", table="customers"),
    step("joined", "join", "load", "other", on=[{"left": "customer", "right": "customer"}], how="left"),
    step(
        "chosen",
        "filter",
        "joined",
        match="any",
        conditions=[
            {"column": "region", "test": "in", "values": ["North", "South"]},
            {"column": "amount", "test": "ge", "values": [5]},
            {"column": "customer", "test": "is_null"},
        ],
    ),
    step("trend", "trend", "chosen", time="order_date", every="month", by=["region"], measures=[total()]),
    step(
        "grown",
        "derive",
        "trend",
        column="growth",
        formula={"kind": "change", "column": "total", "along": "month", "within": ["region"], "form": "percent"},
    ),
    step("top", "sort", "grown", by=[{"column": "growth", "descending": True}], limit=1000),
    step("drawn", "chart", "top", kind="line", x="month", y=["growth"], series="region"),
)


def test_given_a_plan_when_said_in_german_then_each_step_and_what_was_understood_is() -> None:
    say = sayings("de")

    def said(name: str, /, **values: object) -> str:
        return say(f"plan-{name}", **values)

    assert [in_words(each.operation, said) for each in OPERATIONS.steps[2:]] == [
        "Zeilen mit customer = customer, und die Zeilen der ersten, die kein Gegenstück haben",
        "Zeilen mit: region ist eines von North, South oder amount ist mindestens 5 oder customer ist leer",
        "Summe von amount je Monat von order_date und region",
        "growth = Veränderung von total in Prozent, verglichen mit dem vorigen Wert nach month, je region",
        "Zeilen nach growth (absteigend), die ersten 1.000",
        "ein Liniendiagramm von growth über month, aufgeteilt nach region",
    ]
    found = {each.aspect: each.words for each in understood(OPERATIONS, (SALES, CUSTOMERS), said)}
    assert found["Data"][0] == "sales.csv, 1.000 Zeilen"
    assert found["Computed"][0] == "die Summe von amount"
    assert found["Period"] == ("jeder Monat von order_date",)
    assert found["Order"] == ("nach growth (absteigend), die ersten 1.000",)


def test_given_nothing_said_of_a_language_then_a_plan_is_in_english() -> None:
    assert in_words(OPERATIONS.steps[6].operation) == "rows by growth (descending), the first 1000"
    assert {each.value for each in (*Function, *steps.Test, *Every)} <= {
        name.split("-", 1)[1].replace("-", "_") for name in SAID if "-" in name
    }


@pytest.mark.parametrize(
    ("text", "german"),
    [
        ("- **total amount**: 1,234.50", "- **Summe amount**: 1234,50"),
        ("- **rows**: no value", "- **Anzahl der Zeilen**: kein Wert"),
        (
            "- **Nothing to compute with**: no row meets the conditions",
            "- **Nichts zu rechnen**: Keine Zeile erfüllt die Bedingungen",
        ),
        (
            "**Gaps**: 1,009 years between the first and the last have no rows and are not listed",
            "**Lücken**: Jahre zwischen dem ersten und dem letzten Eintrag, die keine Zeilen haben und hier fehlen: "
            "1009",
        ),
        (
            "- **Gaps**: 1 day between the first and the last has no rows and is not listed",
            "- **Lücken**: Tage zwischen dem ersten und dem letzten Eintrag, die keine Zeilen haben und hier fehlen: 1",
        ),
        ("- **average price**: 3 in each", "- **Durchschnitt price**: überall 3"),
        (
            "- **total amount**: most in North, East (1,000), least in 1.5 (2.50)",
            "- **Summe amount**: am meisten bei North, East (1000), am wenigsten bei 1.5 (2,50)",
        ),
        (
            "- **total amount** went from 10 (2024-01-01) to 1,500 (2024-12-01), +14,900 %; most: 2,000 (2024-06-01)",
            "- **Summe amount** ging von 10 (2024-01-01) auf 1500 (2024-12-01), +14.900 %; "
            "am meisten: 2000 (2024-06-01)",
        ),
        (
            "- **rows** went from 0 (2024) to 5 (2025); most: 5 (2025)",
            "- **Anzahl der Zeilen** ging von 0 (2024) auf 5 (2025); am meisten: 5 (2025)",
        ),
        (
            "**Not alone**: 1 other is left out with the same total amount as the last row here.",
            "**Nicht allein**: 1 weitere mit gleichem Summe amount wie in der letzten Zeile hier wurden weggelassen.",
        ),
        ("A sentence of somebody's.", "A sentence of somebody's."),
    ],
)
def test_given_a_line_of_a_report_when_said_in_german_then_with_its_numbers(text: str, german: str) -> None:
    assert wording.findings_in(sayings("de"), "de")(text) == german
    assert wording.findings_in(sayings(FALLBACK), FALLBACK)(text) == text


@pytest.mark.parametrize(
    ("text", "german"),
    [
        ("Total amount and rows by region", "Summe amount und Anzahl der Zeilen nach region"),
        ("First 5 by total amount, descending", "Die ersten 5 nach Summe amount, absteigend"),
        ("All rows of sales", "Alle Zeilen von sales"),
        ("My own title", "My own title"),
    ],
)
def test_given_a_title_of_the_planner_when_said_in_german_then_by_what_it_names(text: str, german: str) -> None:
    assert wording.title_in(sayings("de"), "de")(text) == german


def test_given_a_report_when_its_steps_are_read_then_their_rows_are_known() -> None:
    lines = [
        "1. `load`: all rows of sales. 1,000 rows.",
        "2. `by`: a, 2 rows. From `load` and `x`. 1 row.",
        "3. `c`: x.",
    ]
    assert dict(_ROWS.findall("\n".join(lines))) == {"load": "1,000", "by": "1"}
