"""What people really hand in: every number is right, or it is asked, or its guess is said. Never wrong and silent."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from activities.analysis import engine
from activities.analysis.planning.planner import EmbeddedPlanner
from activities.analysis.reading.inputs import InputLimits, tables_of
from activities.analysis.reading.refusals import Refused
from activities.analysis.reading.tabling import Tabling
from activities.analysis.sql import computation, input_relation
from activities.analysis.sql_words import literal, quoted
from domain.analyses.plan import Plan, open_questions
from domain.analyses.plan_meaning import (
    EMPTY_KEPT,
    GROUP_EMPTY,
    NUMBER_EMPTY,
    VALUES_ALIKE,
    noted,
)
from domain.analyses.plan_rules import check_plan
from domain.analyses.rates import RATES_ADDED, RATES_MIXED, STATES_ADDED, WEIGHTS_IGNORED
from domain.analyses.table import TableProfile
from tests.integration.analysis_corpus import Case, made, written
from tests.integration.analysis_disguises import clean, disguises
from tests.integration.analysis_exports import exports
from tests.integration.analysis_neighbours import neighbours
from tests.integration.analysis_oddities import oddities

LIMITS = InputLimits(tables=9_999)
SAY_SO = frozenset(
    (
        RATES_ADDED,
        RATES_MIXED,
        STATES_ADDED,
        WEIGHTS_IGNORED,
        EMPTY_KEPT,
        VALUES_ALIKE,
        GROUP_EMPTY,
        NUMBER_EMPTY,
        "TEXTS_AMONG_NUMBERS",
        "PREAMBLE_SKIPPED",
    )
)
"""Codes of notes that say that a number is none to rely on."""
RIGHT, ASKED, WARNED, WRONG = "right", "asked", "wrong and warned of", "wrong and silent"


class Desk:
    """The product's reader, planner and engine, in this process, for one case after another."""

    def __init__(self, folder: Path) -> None:
        limits = {name: getattr(LIMITS, name) for name in ("rows", "columns", "sheets", "tables", "unpacked_bytes")}
        self._folder = folder
        self._reader = Tabling(folder, [], limits, memory_mib=256, spill_mib=256)
        self._engine = engine.opened(folder, memory_mib=256, spill_mib=256)
        self._read_last: tuple[object, tuple[list[TableProfile], Mapping[str, Path]]] | None = None

    def verdict(self, case: Case) -> tuple[str, object]:
        """What becomes of a case, and what was told."""
        try:
            tables, parquet = self._read(case)
        except Refused as refused:
            return ASKED, refused.message
        plan = noted(EmbeddedPlanner().draft(case.question, tables, answers=case.answers), tables)
        if open_questions(plan) or plan.unknowns:
            return ASKED, [question.text for question in plan.questions] + [unknown.text for unknown in plan.unknowns]
        found = self._answer(plan, tables, parquet)
        if case.right is not None and same(found, case.right):
            return RIGHT, found
        warned = any("GUESSED" in note.code or note.code in SAY_SO for note in plan.warnings)
        told = [note.message for note in plan.warnings]
        return WARNED if warned else WRONG, (found, plan.why, plan.assumptions, told)

    def _read(self, case: Case) -> tuple[list[TableProfile], Mapping[str, Path]]:
        """The tables of a case: cases of the same files stand one behind the other, and these are read once."""
        if self._read_last is None or self._read_last[0] != case.files:
            self._read_last = case.files, self._tables(case)
        return self._read_last[1]

    def _tables(self, case: Case) -> tuple[list[TableProfile], Mapping[str, Path]]:
        told = []
        for place, (name, content) in enumerate(case.files):
            path = self._folder / f"upload-{place}"
            path.write_bytes(content)
            told += [(Path(name).stem, table) for table in self._reader.tables(path)]
        tables, files = tables_of(told, list(self._reader.unions(told)))
        return tables, {name: self._folder / file for name, file in files.items()}

    def _answer(self, plan: Plan, tables: list[TableProfile], parquet: Mapping[str, Path]) -> list[tuple[object, ...]]:
        """The rows of the last result."""
        for name, path in parquet.items():
            source = f"read_parquet({literal(str(path))})"
            self._engine.execute(f"CREATE OR REPLACE VIEW {quoted(input_relation(name))} AS SELECT * FROM {source}")
        found: list[tuple[object, ...]] = []
        for step in computation(plan, check_plan(plan, tables)):
            if step.kept:
                values = list(step.query.values)
                self._engine.execute(f"CREATE OR REPLACE TABLE {quoted(step.relation)} AS {step.query.sql}", values)
                found = engine.rows(self._engine, f"SELECT * FROM {quoted(step.relation)}")
        return found


def same(found: list[tuple[object, ...]], right: Mapping[str, str] | str) -> bool:
    if isinstance(right, str):
        return len(found) == 1 and _near(found[0][-1], right)
    given = {str(row[0]): row[-1] for row in found}
    return given.keys() == right.keys() and all(_near(given[group], number) for group, number in right.items())


def _near(found: object, right: str) -> bool:
    if found is None or isinstance(found, date):
        return str(found) == right
    return abs(Decimal(str(found)) - Decimal(right)) < Decimal("0.000001")


CASES = [*written(), *neighbours(), *clean(), *disguises(), *oddities(), *exports(), *made(90, seed=2026)]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(tmp_path_factory.mktemp("corpus"))


def test_the_corpus_is_large_and_not_everything_is_asked() -> None:
    assert len(CASES) >= 600
    assert sum(case.right is None for case in CASES) < 0.25 * len(CASES)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_given_a_table_of_a_kind_that_is_handed_in_then_its_answer_is_right_or_it_is_asked(
    case: Case, desk: Desk
) -> None:
    became, told = desk.verdict(case)
    allowed = {RIGHT if case.right is not None else ASKED}
    allowed |= {ASKED} if case.may_ask else set()
    allowed |= {WARNED} if case.may_guess else set()
    assert became in allowed, told
