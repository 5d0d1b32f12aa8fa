"""What people really hand in: every number is right, or it is asked, or its guess is said. Never wrong and silent."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from activities.analysis.computing import Computing
from activities.analysis.inputs import InputLimits, tables_of
from activities.analysis.planning.planner import EmbeddedPlanner
from activities.analysis.refusals import Refused
from activities.analysis.sql import computation, input_relation
from activities.analysis.tabling import Tabling
from domain.analyses.plan import Plan, open_questions
from domain.analyses.plan_meaning import noted
from domain.analyses.plan_rules import check_plan, results
from domain.analyses.table import TableProfile
from tests.integration.analysis_corpus import Case, made, written

LIMITS = InputLimits()
ROOM = {"memory_mib": 256, "spill_mib": 256}
RIGHT, ASKED, WARNED, WRONG = "right", "asked", "wrong and warned of", "wrong and silent"


def verdict(case: Case, folder: Path) -> tuple[str, object]:
    """What becomes of a case, in this process: the reader, the planner and the engine are those of the product."""
    paths = []
    for place, (_, content) in enumerate(case.files):
        paths.append(folder / f"upload-{place}")
        paths[-1].write_bytes(content)
    try:
        tables, parquet = read(case, folder, paths)
    except Refused as refused:
        return ASKED, refused.message
    plan = noted(EmbeddedPlanner().draft(case.question, tables, answers=case.answers), tables)
    if open_questions(plan) or plan.unknowns:
        return ASKED, [question.text for question in plan.questions]
    found = answer(plan, tables, parquet, folder)
    if case.right is not None and same(found, case.right):
        return RIGHT, found
    warned = any("GUESSED" in note.code for note in plan.warnings)
    return WARNED if warned else WRONG, (found, plan.why, plan.assumptions, [note.message for note in plan.warnings])


def read(case: Case, folder: Path, paths: list[Path]) -> tuple[list[TableProfile], Mapping[str, Path]]:
    limits = {name: getattr(LIMITS, name) for name in ("rows", "columns", "sheets", "tables", "unpacked_bytes")}
    tabling = Tabling(folder, paths, limits, **ROOM)
    told = []
    for (name, _), path in zip(case.files, paths, strict=True):
        told += [(Path(name).stem, table) for table in tabling.tables(path)]
    tables, files = tables_of(told, list(tabling.together(told)))
    return tables, {name: folder / file for name, file in files.items()}


def answer(plan: Plan, tables: list[TableProfile], parquet: Mapping[str, Path], folder: Path) -> list[list[Any]]:
    """The rows of the last result."""
    schemas = check_plan(plan, tables)
    last = results(plan)[-1].id
    relations = {input_relation(name): path for name, path in parquet.items()}
    run = folder / "run"
    run.mkdir()
    computing = Computing(run, relations, most_rows=10_000, **ROOM)
    for step in computation(plan, schemas):
        order = {
            "sql": step.query.sql,
            "values": list(step.query.values),
            "relation": step.relation if step.kept else None,
            "file": step.step.id if step.step.id == last else None,
            "chart": False,
        }
        shown = computing.step(order)
        if step.step.id == last:
            return list(shown["shown"])
    raise AssertionError(last)


def same(found: list[list[Any]], right: Mapping[str, str] | str) -> bool:
    if isinstance(right, str):
        return len(found) == 1 and _near(found[0][-1], right)
    given = {str(row[0]): row[-1] for row in found}
    return given.keys() == right.keys() and all(_near(given[group], number) for group, number in right.items())


def _near(found: object, right: str) -> bool:
    return found is not None and abs(Decimal(str(found)) - Decimal(right)) < Decimal("0.000001")


CASES = [*written(), *made(120, seed=2026)]


def test_the_corpus_is_large_and_half_of_it_is_made() -> None:
    assert len(CASES) >= 150 and len(CASES) <= 2 * 120 + 60


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_given_a_table_of_a_kind_that_is_handed_in_then_its_answer_is_right_or_it_is_asked(
    case: Case, tmp_path: Path
) -> None:
    became, told = verdict(case, tmp_path)
    if case.right is None:
        assert became == ASKED, told
    else:
        allowed = {RIGHT, *([ASKED] if case.may_ask else []), *([WARNED] if case.may_guess else [])}
        assert became in allowed, told
