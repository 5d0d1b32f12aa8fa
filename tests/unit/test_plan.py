"""A plan: what its models take, what the tables can bear, and how it is frozen."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from activities.analysis.names import NAME_LIMIT as CLEANED_LIMIT
from domain.analyses.plan import analysis_identity, answered, freeze, open_questions, steps_schema, thawed
from domain.analyses.plan_rules import check_plan, in_order, plan_issues, read_plan, results
from domain.analyses.steps import MAX_STEPS
from domain.analyses.table import NAME_LIMIT, ColumnType, inputs_fingerprint
from domain.errors import OpenQuestions, PlanConflict, PlanInvalid, RequestInvalid
from tests.unit.analysis_builders import CUSTOMERS, LOAD, SALES, plan, step, total

BY_REGION = step("by_region", "aggregate", "load", by=["region"], measures=[total()])
HOUR = {"kind": "date_part", "column": "order_date", "part": "hour"}
QUESTION = {"id": "measure", "text": "Which?", "blocking": True, "options": ["amount"]}


def codes(*steps: dict[str, Any]) -> set[str]:
    return {issue.code for issue in plan_issues(plan(*steps), [SALES, CUSTOMERS])}


# --- the models ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"sql": "DROP TABLE sales"},
        {"op": "query"},
        {"conditions": []},
        {"conditions": [{"column": "amount", "test": "gt", "values": [float("nan")]}]},
        {"conditions": [{"column": "amount", "test": "gt", "values": [2**63]}]},
        {"conditions": [{"column": "amount", "test": "gt", "values": ["a\0b"]}]},
        {"conditions": [{"column": "amount", "test": "like", "values": ["x"]}]},
        {"conditions": [{"column": 'a"; DROP TABLE sales; --', "test": "gt", "values": [1]}]},
        {"conditions": [{"column": "amount", "test": "gt", "values": [1], "more": 1}]},
        {"match": "some"},
    ],
)
def test_given_what_no_operation_has_when_read_then_the_plan_is_refused_with_the_place(wrong: dict[str, Any]) -> None:
    filter_ = {"conditions": [{"column": "amount", "test": "gt", "values": [1]}], **wrong}
    with pytest.raises(PlanInvalid) as refused:
        plan(LOAD, {**step("f", "filter", "load"), "operation": {"op": "filter", **filter_}})
    issues = refused.value.details["issues"]
    assert isinstance(issues, list)
    assert issues[0]["code"] == "PLAN_SHAPE_WRONG"
    assert issues[0]["path"].startswith("steps.1.operation")
    assert "DROP" not in str(refused.value.details)


@pytest.mark.parametrize("id", ["", "A", "1a", "a-b", "a.b", "../a", "a" * 41, "é"])
def test_given_an_id_that_is_no_name_when_read_then_it_is_refused(id: str) -> None:
    with pytest.raises(PlanInvalid):
        plan({**LOAD, "id": id})


def test_given_more_than_eight_steps_when_read_then_it_is_refused() -> None:
    plan(*({**LOAD, "id": f"load_{n}"} for n in range(MAX_STEPS)))
    with pytest.raises(PlanInvalid):
        plan(*({**LOAD, "id": f"load_{n}"} for n in range(MAX_STEPS + 1)))


@pytest.mark.parametrize("document", [None, [], "plan", 1, {}, {"steps": "x"}])
def test_given_what_is_no_plan_when_read_then_it_is_refused(document: object) -> None:
    with pytest.raises(PlanInvalid):
        read_plan(document)


def test_the_schema_for_models_is_strict_everywhere() -> None:
    def objects(node: Any) -> Any:
        if isinstance(node, dict):
            if node.get("type") == "object":
                yield node
            for value in node.values():
                yield from objects(value)
        elif isinstance(node, list):
            for value in node:
                yield from objects(value)

    schema = steps_schema()
    found = list(objects(schema))
    assert len(found) > 15
    assert all(each["additionalProperties"] is False for each in found)
    assert all(set(each["required"]) == set(each["properties"]) for each in found)
    assert not {"oneOf", "discriminator", "pattern", "default", "maxLength"} & set(json.dumps(schema).split('"'))


def test_names_are_cleaned_as_short_as_plans_take_them() -> None:
    assert CLEANED_LIMIT == NAME_LIMIT


# --- what tables can bear --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([], "PLAN_STEPS_MISSING"),
        ([LOAD, LOAD], "PLAN_STEP_DUPLICATE"),
        ([step("load", "load", "load", table="sales")], "PLAN_NEEDS_WRONG"),
        ([LOAD, {**BY_REGION, "needs": []}], "PLAN_NEEDS_WRONG"),
        ([LOAD, {**BY_REGION, "needs": ["nowhere"]}], "PLAN_NEEDS_UNKNOWN"),
        (
            [{**BY_REGION, "id": "a", "needs": ["b"]}, {**BY_REGION, "id": "b", "needs": ["a"]}],
            "PLAN_NEEDS_CIRCULAR",
        ),
        ([{**BY_REGION, "needs": ["by_region"]}], "PLAN_NEEDS_CIRCULAR"),
        ([step("load", "load", table="secrets")], "PLAN_TABLE_UNKNOWN"),
        (
            [LOAD, step("c", "chart", "load", kind="bar", x="region", y=["amount"]), step("s", "summary", "c")],
            "PLAN_NEEDS_WRONG",
        ),
        ([LOAD, step("a", "aggregate", "load", by=["branch"], measures=[total()])], "PLAN_COLUMN_UNKNOWN"),
        ([LOAD, step("a", "aggregate", "load", measures=[total("region")])], "PLAN_COLUMN_TYPE"),
        ([LOAD, step("a", "aggregate", "load", measures=[{"function": "sum", "name": "x"}])], "PLAN_COLUMN_UNKNOWN"),
        (
            [LOAD, step("a", "aggregate", "load", by=["region"], measures=[total(name="Region")])],
            "PLAN_COLUMN_DUPLICATE",
        ),
        ([LOAD, step("t", "trend", "load", time="region", every="month", measures=[total()])], "PLAN_COLUMN_TYPE"),
        (
            [LOAD, step("t", "trend", "load", time="order_date", every="month", measures=[total(name="month")])],
            "PLAN_COLUMN_DUPLICATE",
        ),
        ([LOAD, step("c", "chart", "load", kind="bar", x="region", y=["customer"])], "PLAN_COLUMN_TYPE"),
        (
            [LOAD, step("c", "chart", "load", kind="bar", x="region", y=["amount"], series="region")],
            "PLAN_VALUE_WRONG",
        ),
        ([LOAD, step("s", "sort", "load", by=[{"column": "nothing"}])], "PLAN_COLUMN_UNKNOWN"),
        (
            [
                LOAD,
                step(
                    "d",
                    "derive",
                    "load",
                    column="x",
                    formula=HOUR,
                ),
            ],
            "PLAN_COLUMN_TYPE",
        ),
        (
            [LOAD, step("d", "derive", "load", column="amount", formula={"kind": "share", "column": "amount"})],
            "PLAN_COLUMN_DUPLICATE",
        ),
        (
            [
                LOAD,
                step("other", "load", table="customers"),
                step("j", "join", "load", "other", on=[{"left": "amount", "right": "customer"}]),
            ],
            "PLAN_COLUMN_TYPE",
        ),
    ],
)
def test_given_what_the_tables_cannot_bear_when_judged_then_the_code_says_what(
    steps: list[dict[str, Any]], code: str
) -> None:
    assert codes(*steps) == {code}


@pytest.mark.parametrize(
    ("column", "test", "values", "fits"),
    [
        ("amount", "gt", [1], True),
        ("amount", "gt", [1.5], True),
        ("amount", "gt", ["1"], False),
        ("amount", "gt", [], False),
        ("amount", "gt", [1, 2], False),
        ("amount", "in", [1, 2], True),
        ("amount", "in", [], False),
        ("amount", "is_null", [], True),
        ("amount", "is_null", [1], False),
        ("amount", "contains", ["1"], False),
        ("amount", "eq", [True], False),
        ("region", "eq", ["North"], True),
        ("region", "eq", [1], False),
        ("region", "contains", ["o"], True),
        ("returned", "eq", [True], True),
        ("returned", "gt", [True], False),
        ("returned", "eq", [1], False),
        ("order_date", "ge", ["2024-01-01"], True),
        ("order_date", "ge", ["2024-01-01 10:00"], True),
        ("order_date", "ge", ["2024-02-30"], False),
        ("order_date", "ge", ["2024-01-01T00:00:00+02:00"], False),
        ("order_date", "ge", [2024], False),
    ],
)
def test_given_a_condition_when_judged_then_its_values_must_fit_the_column(
    column: str, test: str, values: list[Any], fits: bool
) -> None:
    condition = {"column": column, "test": test, "values": values}
    assert (codes(LOAD, step("f", "filter", "load", conditions=[condition])) == set()) is fits


def test_given_a_plan_when_checked_then_the_columns_of_every_step_follow() -> None:
    measures = [total(), total("quantity", "n")]
    share = {"kind": "share", "column": "total", "within": ["month"]}
    made = plan(
        LOAD,
        step("other", "load", table="customers"),
        step("both", "join", "load", "other", on=[{"left": "customer", "right": "customer"}]),
        step(
            "per",
            "trend",
            "both",
            time="order_date",
            every="month",
            by=["segment"],
            measures=measures,
        ),
        step("part", "derive", "per", column="share", formula=share),
    )
    schemas = check_plan(made, [SALES, CUSTOMERS])
    assert list(schemas["both"])[-1] == "segment"
    assert schemas["part"] == {
        "month": ColumnType.DATE,
        "segment": ColumnType.TEXT,
        "total": ColumnType.NUMBER,
        "n": ColumnType.INTEGER,
        "share": ColumnType.NUMBER,
    }


def test_given_a_table_joined_with_itself_when_checked_then_names_are_told_apart_by_numbers() -> None:
    on = [{"left": "customer", "right": "customer"}]
    made = plan(
        step("load", "load", table="customers"),
        step("two", "join", "load", "load", on=on),
        step("three", "join", "two", "load", on=on),
    )
    assert list(check_plan(made, [CUSTOMERS])["three"]) == ["customer", "segment", "segment_2", "segment_3"]


def test_given_steps_in_any_order_when_ordered_then_each_stands_behind_what_it_needs() -> None:
    made = plan(step("top", "sort", "by_region", by=[{"column": "total"}]), BY_REGION, LOAD)
    assert [each.id for each in in_order(made)] == ["load", "by_region", "top"]


def test_results_are_groups_and_whatever_nothing_but_a_chart_builds_on() -> None:
    made = plan(
        LOAD,
        BY_REGION,
        step("top", "sort", "by_region", by=[{"column": "total"}]),
        step("chart", "chart", "top", kind="bar", x="region", y=["total"]),
    )
    assert [each.id for each in results(made)] == ["by_region", "top"]


def test_given_a_broken_step_when_judged_then_what_builds_on_it_is_not_blamed() -> None:
    broken = step("a", "aggregate", "load", by=["branch"], measures=[total()])
    issues = plan_issues(plan(LOAD, broken, step("s", "sort", "a", by=[{"column": "branch"}])), [SALES])
    assert [(issue.code, issue.path) for issue in issues] == [("PLAN_COLUMN_UNKNOWN", "steps.1.operation.by.0")]


def test_given_a_plan_that_does_not_fit_when_checked_then_the_error_lists_what() -> None:
    with pytest.raises(PlanInvalid) as refused:
        check_plan(plan(step("load", "load", table="secrets")), [SALES])
    assert refused.value.details["issues"] == [
        {"code": "PLAN_TABLE_UNKNOWN", "path": "steps.0.operation.table", "message": "There is no table 'secrets'."}
    ]


# --- questions and freezing ------------------------------------------------------------------------------------------


def test_given_open_questions_when_frozen_then_it_is_refused_and_they_are_named() -> None:
    made = plan(LOAD, questions=[QUESTION], unknowns=[{"id": "time", "text": "No dates."}])
    with pytest.raises(OpenQuestions) as refused:
        freeze(made, "f")
    assert refused.value.details == {"open_questions": ["measure"], "blocking_unknowns": ["time"]}


@pytest.mark.parametrize(
    ("blocking", "answer", "is_open"),
    [(True, None, True), (True, "  ", True), (True, "a", False), (False, None, False)],
)
def test_a_question_is_open_while_it_blocks_and_has_no_answer(
    blocking: bool, answer: str | None, is_open: bool
) -> None:
    made = plan(LOAD, questions=[{**QUESTION, "blocking": blocking, "answer": answer}])
    assert bool(open_questions(made)) is is_open


def test_given_answers_when_written_down_then_only_those_questions_change() -> None:
    made = answered(plan(LOAD, questions=[QUESTION, {**QUESTION, "id": "other"}]), {"measure": "amount"})
    assert [question.answer for question in made.questions] == ["amount", None]


@pytest.mark.parametrize("answers", [{"nothing": "x"}, {"measure": "x" * 501}, {"measure": "a\0"}])
def test_given_an_answer_that_cannot_be_when_written_down_then_it_is_refused(answers: dict[str, str]) -> None:
    with pytest.raises(RequestInvalid):
        answered(plan(LOAD, questions=[QUESTION]), answers)


def test_given_the_same_plan_and_inputs_when_frozen_again_then_id_and_bytes_are_the_same() -> None:
    first = freeze(plan(LOAD, BY_REGION), "f")
    again = freeze(plan(LOAD, BY_REGION), "f", first.plan_id)
    assert (first.first, again.first) == (True, False)
    assert (again.plan_id, again.document) == (first.plan_id, first.document)
    assert len(first.plan_id) == 64


def test_given_another_plan_or_other_inputs_when_frozen_then_the_id_differs_and_it_conflicts() -> None:
    first = freeze(plan(LOAD, BY_REGION), "f")
    for other, inputs in ((plan(LOAD), "f"), (plan(LOAD, BY_REGION), "g")):
        assert freeze(other, inputs).plan_id != first.plan_id
        with pytest.raises(PlanConflict) as refused:
            freeze(other, inputs, first.plan_id)
        assert refused.value.details["frozen_plan_id"] == first.plan_id


def test_given_a_frozen_document_when_thawed_then_it_is_the_same_plan() -> None:
    frozen = freeze(plan(LOAD, BY_REGION, questions=[{**QUESTION, "answer": "amount é"}]), "f")
    assert thawed(frozen.document).plan == frozen.plan


@pytest.mark.parametrize(
    "change", [lambda d: d[:-1], lambda d: d.replace(b"load", b"lood"), lambda d: d + b" ", lambda d: b"{}"]
)
def test_given_a_document_that_was_changed_when_thawed_then_it_is_refused(change: Any) -> None:
    with pytest.raises(ValueError):
        thawed(change(freeze(plan(LOAD, BY_REGION), "f").document))


@settings(deadline=None)
@given(st.lists(st.sampled_from(["op", "a", "b"]), max_size=3), st.text(max_size=20))
def test_a_plans_id_does_not_depend_on_how_its_json_was_written(assumptions: list[str], why: str) -> None:
    document = plan(LOAD, BY_REGION, assumptions=assumptions).canonical() | {"why": why.replace("\0", "")}
    if any(0xD800 <= ord(letter) <= 0xDFFF for letter in why):
        return
    shuffled = json.loads(json.dumps(dict(reversed(document.items())), indent=3))
    assert freeze(read_plan(document), "f").plan_id == freeze(read_plan(shuffled), "f").plan_id


# --- identity --------------------------------------------------------------------------------------------------------


def test_the_same_logical_request_has_the_same_identity() -> None:
    assert analysis_identity(1, "f", "total\n by   region ") == analysis_identity("1", "f", " total by region")
    assert analysis_identity(1, None, None) == analysis_identity(1, "", " ")


def test_another_version_input_requirement_or_revision_is_another_analysis() -> None:
    others = [(2, "f", "r"), (1, "g", "r"), (1, "f", "s"), (1, "f", "r", 1), (1, "f", "r", 2), (1, "fr", "")]
    made = {analysis_identity(*each) for each in [(1, "f", "r"), *others]}  # type: ignore[arg-type]
    assert len(made) == len(others) + 1


def test_the_fingerprint_of_inputs_knows_names_and_bytes_and_no_order() -> None:
    assert inputs_fingerprint([]) == ""
    assert inputs_fingerprint([("a", "1"), ("b", "2")]) == inputs_fingerprint([("b", "2"), ("a", "1")])
    assert (
        len({inputs_fingerprint([("a", "1")]), inputs_fingerprint([("a", "2")]), inputs_fingerprint([("b", "1")])}) == 3
    )
