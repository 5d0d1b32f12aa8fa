"""The plan of an analysis: a few typed steps over tables, what is still open, and where the plan came from.

A step says what is to be computed and never how: no query language passes through a plan. What a step may ask of the
tables is judged in ``domain/analyses/plan_rules.py``.
"""

import json
import math
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    StringConstraints,
    ValidationError,
)

from domain.analyses.table import Name, Note
from domain.canonical import digest
from domain.errors import GuidesmithError, OpenQuestions, PlanConflict, RequestInvalid

MAX_STEPS = 8
MAX_ROWS_KEPT = 100_000
"""Most rows that a sort may be asked to keep."""
REQUIREMENT_LIMIT = 4_000
"""Characters of a requirement."""
TEXT_LIMIT = 500
INTEGER_LIMIT = 2**63 - 1


class _Strict(BaseModel):
    """Nothing unknown passes, and nothing is converted: a plan says what it means."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _finite(value: float) -> float:
    if isinstance(value, int) and abs(value) > INTEGER_LIMIT:
        raise ValueError("must fit 64 bits")
    if not math.isfinite(value):
        raise ValueError("must be finite")
    return value


def _printable(text: str) -> str:
    """Line breaks and tabs are fine. NUL ends a text in some libraries, and lone surrogates cannot be written."""
    if "\0" in text or any(0xD800 <= ord(letter) <= 0xDFFF for letter in text):
        raise ValueError("must be text")
    return text


Text = Annotated[StrictStr, StringConstraints(max_length=TEXT_LIMIT), AfterValidator(_printable)]
StepId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Number = Annotated[StrictInt | StrictFloat, AfterValidator(_finite)]
Value = StrictBool | Number | Text
"""What a column is compared with. Dates and times as ISO 8601 text."""


# --- the operations ----------------------------------------------------------------------------------------------


class Load(_Strict):
    """All rows of an input table."""

    op: Literal["load"] = "load"
    table: Name


class Test(StrEnum):
    EQUALS = "eq"
    DIFFERS = "ne"
    LESS = "lt"
    AT_MOST = "le"
    MORE = "gt"
    AT_LEAST = "ge"
    ONE_OF = "in"
    NONE_OF = "not_in"
    CONTAINS = "contains"
    STARTS_WITH = "starts_with"
    ENDS_WITH = "ends_with"
    IS_EMPTY = "is_null"
    HAS_VALUE = "not_null"


ORDERED = frozenset({Test.LESS, Test.AT_MOST, Test.MORE, Test.AT_LEAST})
OF_TEXT = frozenset({Test.CONTAINS, Test.STARTS_WITH, Test.ENDS_WITH})
OF_MANY = frozenset({Test.ONE_OF, Test.NONE_OF})
OF_NOTHING = frozenset({Test.IS_EMPTY, Test.HAS_VALUE})


class Condition(_Strict):
    """Texts are compared without regard to case. ``ne`` and ``not_in`` let rows without a value pass."""

    column: Name
    test: Annotated[Test, Field(strict=False)]
    values: Annotated[tuple[Value, ...], Field(strict=False, max_length=100)] = ()


class Filter(_Strict):
    """The rows that meet all, or any, of the conditions."""

    op: Literal["filter"] = "filter"
    match: Literal["all", "any"] = "all"
    conditions: Annotated[tuple[Condition, ...], Field(strict=False, min_length=1, max_length=10)]


class Arithmetic(_Strict):
    """``left`` and ``right`` are columns (text) or constants. A division by zero gives no value."""

    kind: Literal["arithmetic"] = "arithmetic"
    left: Name | Number
    operator: Literal["+", "-", "*", "/"]
    right: Name | Number


class DatePart(_Strict):
    """A number of a date: weekdays count from Monday = 1."""

    kind: Literal["date_part"] = "date_part"
    column: Name
    part: Literal["year", "quarter", "month", "week", "day", "weekday", "hour"]


class ToNumber(_Strict):
    """A text as a number; no value where it is none."""

    kind: Literal["to_number"] = "to_number"
    column: Name


class Share(_Strict):
    """Percent of the column's total: of all rows, or of the rows with the same ``within``."""

    kind: Literal["share"] = "share"
    column: Name
    within: Annotated[tuple[Name, ...], Field(strict=False, max_length=3)] = ()


class Change(_Strict):
    """Against the row before, in the order of ``along``: the difference, or percent of the row before."""

    kind: Literal["change"] = "change"
    column: Name
    along: Name
    within: Annotated[tuple[Name, ...], Field(strict=False, max_length=3)] = ()
    form: Literal["difference", "percent"] = "percent"


class Running(_Strict):
    """The total so far, in the order of ``along``."""

    kind: Literal["running"] = "running"
    column: Name
    along: Name
    within: Annotated[tuple[Name, ...], Field(strict=False, max_length=3)] = ()


Formula = Annotated[
    Arithmetic | DatePart | ToNumber | Share | Change | Running,
    Field(discriminator="kind"),
]


class Derive(_Strict):
    """The rows with one more column."""

    op: Literal["derive"] = "derive"
    column: Name
    formula: Formula


class Function(StrEnum):
    COUNT = "count"
    DISTINCT = "count_distinct"
    SUM = "sum"
    MEAN = "mean"
    MEDIAN = "median"
    LEAST = "min"
    MOST = "max"


class Measure(_Strict):
    """``count`` without a column counts rows, with one its values. ``name`` is the new column."""

    function: Annotated[Function, Field(strict=False)]
    column: Name | None = None
    name: Name


Measures = Annotated[tuple[Measure, ...], Field(strict=False, min_length=1, max_length=8)]


class Aggregate(_Strict):
    """One row a group, in the order of the groups; without ``by`` one row in all."""

    op: Literal["aggregate"] = "aggregate"
    by: Annotated[tuple[Name, ...], Field(strict=False, max_length=4)] = ()
    measures: Measures


class Every(StrEnum):
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


class Trend(_Strict):
    """One row a period and group, in time's order. The period is a date, its first day, in a column named as it is
    long (``month``). Rows without a time are left out; a period without rows is not there."""

    op: Literal["trend"] = "trend"
    time: Name
    every: Annotated[Every, Field(strict=False)]
    by: Annotated[tuple[Name, ...], Field(strict=False, max_length=2)] = ()
    measures: Measures


class Key(_Strict):
    left: Name
    right: Name


class Join(_Strict):
    """The rows of the first needed step with those of the second that have the same key. The second's other columns
    are added, with a number behind their names (``_2``) where the first has such a name."""

    op: Literal["join"] = "join"
    on: Annotated[tuple[Key, ...], Field(strict=False, min_length=1, max_length=3)]
    how: Literal["inner", "left"] = "inner"


class Order(_Strict):
    column: Name
    descending: bool = False


class Sort(_Strict):
    """The rows in order, empty values last; the first ``limit`` of them."""

    op: Literal["sort"] = "sort"
    by: Annotated[tuple[Order, ...], Field(strict=False, min_length=1, max_length=4)]
    limit: Annotated[int, Field(ge=1, le=MAX_ROWS_KEPT)] | None = None


class Chart(_Strict):
    """A picture of the rows. ``series`` draws one line, or one bar a group, for each of its values."""

    op: Literal["chart"] = "chart"
    kind: Literal["bar", "line"]
    x: Name
    y: Annotated[tuple[Name, ...], Field(strict=False, min_length=1, max_length=4)]
    series: Name | None = None


class Summary(_Strict):
    """One row a column: its type, values, gaps, distinct values, least, most and mean. Without ``columns``: of all."""

    op: Literal["summary"] = "summary"
    columns: Annotated[tuple[Name, ...], Field(strict=False, max_length=100)] = ()


Operation = Annotated[
    Load | Filter | Derive | Aggregate | Trend | Join | Sort | Chart | Summary,
    Field(discriminator="op"),
]

NEEDS: Mapping[str, int] = {"load": 0, "join": 2}
"""How many steps an operation builds on, where it is not one."""


class Step(_Strict):
    """``needs`` are the steps whose rows this one works on; a join's first is its left side."""

    id: StepId
    title: Annotated[Text, StringConstraints(min_length=1, max_length=200)]
    needs: Annotated[tuple[StepId, ...], Field(strict=False, max_length=2)] = ()
    operation: Operation


# --- the plan ----------------------------------------------------------------------------------------------------


class PlanSource(StrEnum):
    CHAT = "chat"
    EMBEDDED = "embedded"


class Question(_Strict):
    """Something that the requirement leaves open. One that does not block says in the plan's assumptions what is
    taken for granted until it is answered. ``options`` are answers that will be understood; others may be."""

    id: StepId
    text: Text
    blocking: bool
    options: Annotated[tuple[Text, ...], Field(strict=False, max_length=30)] = ()
    answer: Text | None = None


class Unknown(_Strict):
    """What no answer settles: the inputs or the requirement must change. It blocks."""

    id: StepId
    text: Text


class Plan(_Strict):
    """A plan as it is stored, shown and edited.

    ``why`` says in a sentence how the plan came about. Nothing in here is known to fit the tables before
    :func:`domain.analyses.plan_rules.check_plan` said so.
    """

    version: Literal[1] = 1
    requirement: Annotated[StrictStr, StringConstraints(max_length=REQUIREMENT_LIMIT), AfterValidator(_printable)]
    steps: Annotated[tuple[Step, ...], Field(strict=False, max_length=MAX_STEPS)]
    questions: Annotated[tuple[Question, ...], Field(strict=False, max_length=20)] = ()
    unknowns: Annotated[tuple[Unknown, ...], Field(strict=False, max_length=20)] = ()
    assumptions: Annotated[tuple[Text, ...], Field(strict=False, max_length=20)] = ()
    warnings: Annotated[tuple[Note, ...], Field(strict=False, max_length=20)] = ()
    plan_source: Annotated[PlanSource, Field(strict=False)]
    why: Text

    def step(self, id: str) -> Step:
        """Raises KeyError: there is none."""
        for step in self.steps:
            if step.id == id:
                return step
        raise KeyError(id)

    def canonical(self) -> dict[str, Any]:
        """Plain JSON values, every field written out."""
        return self.model_dump(mode="json")


class FrozenPlan(BaseModel):
    """A plan that is settled. ``plan_id`` is its hash with that of its inputs (:func:`plan_id`);
    ``document`` is the one artifact: canonical JSON of both, in UTF-8. ``first``: nothing was frozen before."""

    model_config = ConfigDict(frozen=True)

    plan_id: str
    document: bytes
    plan: Plan
    inputs_fingerprint: str
    first: bool


def open_questions(plan: Plan) -> tuple[str, ...]:
    """Ids of the blocking questions without an answer."""
    return tuple(
        question.id for question in plan.questions if question.blocking and not (question.answer or "").strip()
    )


def answered(plan: Plan, answers: Mapping[str, str]) -> Plan:
    """The plan with answers written down. It is for a planner to draw the consequences.

    Raises:
        RequestInvalid: An answer to a question that the plan does not have, or one that is no short text.
    """
    unknown = sorted(set(answers) - {question.id for question in plan.questions})
    if unknown:
        raise RequestInvalid(
            "The plan has no such question. Read the draft again.", details={"questions": unknown[:20]}
        )
    try:
        questions = tuple(
            Question.model_validate({**question.model_dump(), "answer": answers.get(question.id, question.answer)})
            for question in plan.questions
        )
    except ValidationError:
        raise RequestInvalid(f"An answer is text of at most {TEXT_LIMIT} characters.") from None
    return plan.model_copy(update={"questions": questions})


def freeze(plan: Plan, inputs_fingerprint: str, frozen_as: str | None = None) -> FrozenPlan:
    """The plan, settled. The same plan over the same inputs gives the same id and the same bytes.

    Args:
        frozen_as: The id of the plan that was frozen before, if one was.

    Raises:
        OpenQuestions: A question that blocks has no answer, or something unknown blocks.
        PlanConflict: Another plan, or the same over other inputs, was frozen before.
    """
    questions, unknowns = open_questions(plan), [unknown.id for unknown in plan.unknowns]
    if questions or unknowns:
        raise OpenQuestions(
            "The plan has open questions. Answer them, or change the requirement or the plan, then confirm it.",
            details={"open_questions": list(questions), "blocking_unknowns": unknowns},
        )
    identity = plan_id(plan, inputs_fingerprint)
    if frozen_as not in (None, identity):
        raise PlanConflict(
            "The analysis has a frozen plan, and this is another. Make a new analysis for it.",
            details={"frozen_plan_id": frozen_as, "submitted_plan_id": identity},
        )
    document = {"plan_id": identity, "inputs_fingerprint": inputs_fingerprint, "plan": plan.canonical()}
    return FrozenPlan(
        plan_id=identity,
        document=json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode(),
        plan=plan,
        inputs_fingerprint=inputs_fingerprint,
        first=frozen_as is None,
    )


def plan_id(plan: Plan, inputs_fingerprint: str) -> str:
    """The id of a plan over inputs: SHA-256 (hex) of both, as canonical JSON."""
    return digest("plan/1", inputs_fingerprint, plan.canonical())


def analysis_identity(
    version: str | int, inputs_fingerprint: str | None, requirement: str | None, plan_revision: int | None = None
) -> str:
    """SHA-256 (hex) of one logical request: the same request gives the same job.

    Args:
        version: Of the request's form.
        inputs_fingerprint: :func:`domain.analyses.table.inputs_fingerprint`; missing is as empty.
        requirement: Compared trimmed, with runs of whitespace as one space; missing is as empty.
        plan_revision: Left out where there is none.
    """
    revision = () if plan_revision is None else (plan_revision,)
    return digest(str(version), inputs_fingerprint or "", " ".join((requirement or "").split()), *revision)


def thawed(document: bytes) -> FrozenPlan:
    """A frozen plan from its document.

    Raises:
        ValueError: It is none, or not as it was written.
    """
    try:
        read = json.loads(document)
        frozen = freeze(Plan.model_validate(read["plan"]), read["inputs_fingerprint"], read["plan_id"])
    except (KeyError, TypeError, GuidesmithError):
        raise ValueError("not the document of a frozen plan") from None
    if frozen.document != document:
        raise ValueError("not the canonical document of a plan")
    return frozen


# --- as JSON schema ----------------------------------------------------------------------------------------------


def steps_schema() -> dict[str, Any]:
    """The JSON schema of ``{"steps": [...], "questions": [...], "assumptions": [...]}`` as strict structured output
    wants it: every property required, no other allowed, alternatives as ``anyOf``, nothing but structure. What it
    cannot say (lengths, patterns) the models above check."""

    class _Drafted(_Strict):
        steps: tuple[Step, ...]
        questions: tuple[Question, ...]
        assumptions: tuple[str, ...]

    strict: dict[str, Any] = _structure(_Drafted.model_json_schema(ref_template="#/$defs/{model}"))
    return strict


_KEPT = ("type", "enum", "const", "anyOf", "oneOf", "items", "properties", "$ref", "$defs", "description")


def _structure(node: Any) -> Any:
    if isinstance(node, list):
        return [_structure(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {name: node[name] for name in _KEPT if name in node}
    made = {"anyOf" if name == "oneOf" else name: value for name, value in _rewritten(kept)}
    if "properties" in made:
        made |= {"required": list(made["properties"]), "additionalProperties": False}
    return made


def _rewritten(node: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in node.items():
        if name in ("properties", "$defs"):
            yield name, {key: _structure(each) for key, each in value.items()}
        elif name == "const":
            yield "enum", [value]
        else:
            yield name, _structure(value)
