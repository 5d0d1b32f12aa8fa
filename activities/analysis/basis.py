"""What a workbook says of a result besides its rows: what was asked, how it was computed, and what it rests on."""

from collections.abc import Iterator, Sequence

from activities.analysis.wording import in_words
from domain.analyses.plan import FrozenPlan, Plan
from domain.analyses.plan_rules import in_order
from domain.analyses.steps import Step
from domain.analyses.table import TableProfile

RESULT, ABOUT = "Result", "How it was computed"

LOSSES = {
    "digits": "Excel keeps 15 digits of a number. Whole numbers with more are written as texts, decimals are rounded. "
    "The Parquet file holds all digits.",
    "days": "Days before 1 March 1900 are written as texts: Excel does not count them.",
    "cut": "Texts of more than 32,767 characters end in an ellipsis: a cell holds no more.",
    "controls": "Control characters, which a workbook cannot hold, are replaced.",
}
"""For each of what ``workbook.py`` counts as one."""


def words(frozen: FrozenPlan, tables: Sequence[TableProfile], step: Step) -> dict[str, object]:
    """For :func:`activities.analysis.workbook.write`, of what ``step`` gives."""
    lines = [list(line) for line in _lines(frozen, tables, step)]
    return {"result": RESULT, "about": ABOUT, "lines": lines, "losses": LOSSES}


def _lines(frozen: FrozenPlan, tables: Sequence[TableProfile], step: Step) -> Iterator[tuple[str, str]]:
    plan = frozen.plan
    yield "Asked", plan.requirement
    yield "Result", f"{step.title} (step {step.id})"
    yield "", ""
    for place, each in enumerate(_behind(plan, step), start=1):
        behind = f" From {' and '.join(each.needs)}." if each.needs else ""
        yield f"{place}. {each.id}", f"{in_words(each.operation)}.{behind}"
    yield "", ""
    for table in tables:
        yield f"Input {table.name}", f"{table.source}: {table.rows:,} rows, {len(table.columns)} columns"
        for note in table.notes:
            yield "", note.message
    for warning in plan.warnings:
        yield "To know", warning.message
    for question in plan.questions:
        if question.answer:
            yield "Asked and answered", f"{question.text} {question.answer}"
    yield "", ""
    yield "Plan", f"{frozen.plan_id} ({plan.plan_source})"
    yield "Inputs", frozen.inputs_fingerprint
    if plan.why:
        yield "Why so", plan.why


def _behind(plan: Plan, step: Step) -> list[Step]:
    """The steps that a step rests on, and itself."""
    by_id = {each.id: each for each in plan.steps}
    wanted, waiting = {step.id}, [step]
    while waiting:
        for need in waiting.pop().needs:
            if need in by_id and need not in wanted:
                wanted.add(need)
                waiting.append(by_id[need])
    return [each for each in in_order(plan) if each.id in wanted]
