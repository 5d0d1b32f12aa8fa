"""The page of an analysis: its plan while that is looked at, the answer once it has one."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from activities.analysis.understanding import NOTED, Understood, understood
from activities.analysis.wording import in_words
from domain.analyses.analysis import Analysis
from domain.analyses.plan import Plan, open_questions
from domain.artifacts import ArtifactKind
from domain.jobs import Job
from domain.lifecycles.analysis import CONFIRMED, CREATED, DRAFT_READY
from starter.pages.analysis.answer import answer
from starter.pages.analysis.wording import option_in, question_in, remark_in, title_in, unknown_in
from starter.pages.shell.context import PageContext

OUTPUTS = 100


def analysis(context: PageContext, job: Job) -> Mapping[str, Any]:
    """``planning``: none, under way, failed or done; ``plan``: the draft, once there is one; ``answer``: once there is
    a report."""
    found = context.api.store.get_analysis(job.id)
    outputs = context.api.store.outputs(job.id, limit=OUTPUTS).items[::-1]
    plan = found.plan
    title = title_in(context.say, context.language)
    is_over = any(each.kind is ArtifactKind.REPORT for each in outputs)
    answered = answer(context, found, outputs) if is_over else None
    came_to = answered["rows"] if answered else {}
    return {
        "requirement": found.requirement,
        "files": found.files,
        "planning": _planning(found),
        "failure": found.planning.failure if found.planning else None,
        "plan": plan,
        "plan_id": found.plan_id,
        "fingerprint": found.tables_fingerprint,
        "understood": _understood(context, plan, found) if plan else (),
        "steps": [(step, in_words(step.operation, partial(_said, context))) for step in plan.steps] if plan else [],
        "steps_facts": {
            "steps": plan.model_dump(mode="json")["steps"] if plan else [],
            "titles": {step.id: title(step.title) for step in plan.steps} if plan else {},
            "rows": {name: context.say("analysis-rows", count=count) for name, count in came_to.items()},
            "tables": [
                {"name": table.name, "columns": [{"name": each.name, "type": str(each.type)} for each in table.columns]}
                for table in found.profiles
            ],
        },
        "open": open_questions(plan) if plan else (),
        "question": question_in(context.say, context.language),
        "option": option_in(context.say, context.language),
        "unknown": unknown_in(context.say, context.language),
        "remark": remark_in(context.say, context.language),
        "title": title,
        "remarks": _other_remarks(plan, found) if plan else (),
        "tables": found.profiles,
        "editable": job.status == DRAFT_READY and context.offers("PATCH /analyses/{job_id}/draft"),
        "drafting": job.status in (CREATED, DRAFT_READY),
        "confirmable": job.status == DRAFT_READY and context.offers("POST /analyses/{job_id}/confirm"),
        "runnable": job.status == CONFIRMED and context.offers("POST /analyses/{job_id}/run"),
        "waits_for_others": job.status in (DRAFT_READY, CONFIRMED)
        and not context.offers("POST /analyses/{job_id}/run"),
        "answer": answered,
        "outputs": outputs,
    }


def _said(context: PageContext, name: str, /, **values: object) -> str:
    """A sentence of a plan in the visitor's language."""
    return context.say(f"plan-{name}", **values)


def _understood(context: PageContext, plan: Plan, found: Analysis) -> tuple[Understood, ...]:
    remark = remark_in(context.say, context.language)
    return tuple(
        Understood(each.aspect, tuple(map(remark, each.words))) if each.aspect in NOTED else each
        for each in understood(plan, found.profiles, partial(_said, context))
    )


def _other_remarks(plan: Plan, found: Analysis) -> tuple[tuple[str, str], ...]:
    """Of each table what the plan does not tell of it, with its file before it."""
    told = {note.message for note in plan.warnings}
    return tuple(
        (table.source, note.message) for table in found.profiles for note in table.notes if note.message not in told
    )


def _planning(found: Analysis) -> str:
    if found.planning is None:
        return "none"
    if found.planning.is_under_way or (found.plan is not None and not found.is_planned):
        return "working"
    return "failed" if found.planning.failure else "done"
