"""Planning with a chat model behind an OpenAI-compatible endpoint.

The model proposes; the rules of ``domain/analyses/plan_rules.py`` decide. An answer that breaks them is asked for once
more, and after that the embedded planner takes over with a warning.
"""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from activities.analysis.planning.planner import EmbeddedPlanner, Stop
from activities.analysis.planning.prompts import PLAN_SCHEMA, plan_messages
from activities.drafting.chat.answers import AnswerUnusable, fitting
from activities.drafting.chat.drafter import ChatModel
from activities.drafting.chat.prompts import repair_messages
from domain.analyses.plan import Plan, PlanSource, Question
from domain.analyses.plan_meaning import meaning_issues
from domain.analyses.plan_rules import plan_issues, shape_issues
from domain.analyses.steps import MAX_STEPS, Step
from domain.analyses.table import Note, TableProfile

ISSUES_TOLD = 10


class _Proposed(BaseModel):
    """What a model answers: forgiving about what is missing, strict about what is there."""

    model_config = ConfigDict(extra="ignore")

    steps: tuple[Step, ...] = Field(min_length=1, max_length=MAX_STEPS)
    questions: tuple[Question, ...] = Field(default=(), max_length=20)
    assumptions: tuple[str, ...] = Field(default=(), max_length=20)


class ChatPlanner:
    """Plans with a model.

    Args:
        client: The endpoint.
        model: The model's name there.
        with_values: Whether values of the data may be told to the model: least, most, samples, lists of values.
        embedded: Takes over where the model's answers are of no use.
    """

    def __init__(
        self,
        client: ChatModel,
        model: str,
        *,
        with_values: bool = False,
        embedded: EmbeddedPlanner | None = None,
    ) -> None:
        self._client = client
        self._model = model
        self._with_values = with_values
        self._embedded = embedded or EmbeddedPlanner()

    def draft(
        self,
        requirement: str,
        tables: Sequence[TableProfile],
        *,
        answers: Mapping[str, str] | None = None,
        stop: Stop | None = None,
    ) -> Plan:
        """See :meth:`activities.analysis.planning.planner.Planner.draft`. Warning code: ``MODEL_ANSWER_UNUSABLE``."""
        known = dict(answers or {})
        try:
            return self._asked(requirement, tables, known, stop)
        except AnswerUnusable:
            plan = self._embedded.draft(requirement, tables, answers=known)
            return plan.model_copy(update={"warnings": (_UNUSABLE, *plan.warnings)})

    def _asked(
        self, requirement: str, tables: Sequence[TableProfile], answers: Mapping[str, str], stop: Stop | None
    ) -> Plan:
        messages = plan_messages(requirement, tables, answers, with_values=self._with_values)
        first = self._answered(messages, stop)
        try:
            return self._judged(first, requirement, tables, answers)
        except AnswerUnusable as unusable:
            again = repair_messages(messages, first, unusable.problems)
        return self._judged(self._answered(again, stop), requirement, tables, answers)

    @property
    def _told(self) -> str:
        """What the model has been shown, for people."""
        names = "the names, types and counts of the columns"
        return f"{names}, and from some of their values" if self._with_values else names

    def _answered(self, messages: list[dict[str, str]], stop: Stop | None) -> str:
        return self._client.complete_json(
            messages, schema=PLAN_SCHEMA, schema_name="plan", model=self._model, stop=stop
        )

    def _judged(self, text: str, requirement: str, tables: Sequence[TableProfile], answers: Mapping[str, str]) -> Plan:
        """The answer as a plan that the tables can bear.

        Raises:
            AnswerUnusable: It is none; what is wrong quotes names that are in the plan, never data.
        """
        try:
            proposed = fitting(text, _Proposed)
            plan = Plan(
                requirement=requirement,
                steps=proposed.steps,
                questions=_answered_ones(proposed.questions, answers),
                assumptions=tuple(assumption[:500] for assumption in proposed.assumptions),
                plan_source=PlanSource.CHAT,
                why=f"Drafted by the language model {self._model} from {self._told}."[:500],
            )
        except ValidationError as invalid:
            raise AnswerUnusable([f"{issue.path}: {issue.message}" for issue in shape_issues(invalid)]) from None
        if issues := plan_issues(plan, tables) or meaning_issues(plan, tables):
            raise AnswerUnusable([f"{issue.path}: {issue.message}" for issue in issues[:ISSUES_TOLD]])
        return plan


def _answered_ones(questions: Sequence[Question], answers: Mapping[str, str]) -> tuple[Question, ...]:
    """The questions with what people answered. What a model claims to be an answer is none."""
    return tuple(
        question.model_copy(update={"answer": (answers.get(question.id) or "")[:500] or None}) for question in questions
    )


_UNUSABLE = Note(
    code="MODEL_ANSWER_UNUSABLE",
    message="The language model answered twice with something that is no plan for these tables, so the built-in "
    "planner drafted this one. Check it, or configure another model.",
)
