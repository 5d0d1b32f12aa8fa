"""The plan of an analysis: its steps, what is still open, where it came from; and the same once it is frozen."""

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictStr, StringConstraints, ValidationError

from domain.analyses.steps import MAX_STEPS, REQUIREMENT_LIMIT, TEXT_LIMIT, Step, StepId, Strict, Text, printable
from domain.analyses.table import Note
from domain.canonical import digest
from domain.errors import GuidesmithError, OpenQuestions, PlanConflict, RequestInvalid


class PlanSource(StrEnum):
    CHAT = "chat"
    EMBEDDED = "embedded"


class Question(Strict):
    """Something that the requirement leaves open. One that does not block says in the plan's assumptions what is
    taken for granted until it is answered. ``options`` are answers that will be understood; others may be."""

    id: StepId
    text: Text
    blocking: bool
    options: Annotated[tuple[Text, ...], Field(strict=False, max_length=30)] = ()
    answer: Text | None = None


class Unknown(Strict):
    """What no answer settles: the inputs or the requirement must change. It blocks."""

    id: StepId
    text: Text


class Plan(Strict):
    """A plan as it is stored, shown and edited.

    ``why`` says in a sentence how the plan came about. Nothing in here is known to fit the tables before
    :func:`domain.analyses.plan_rules.check_plan` said so.
    """

    version: Literal[1] = 1
    requirement: Annotated[StrictStr, StringConstraints(max_length=REQUIREMENT_LIMIT), AfterValidator(printable)]
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

    class _Drafted(Strict):
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
