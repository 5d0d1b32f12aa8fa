"""The page of an analysis: its plan while that is looked at, what it computed once it has."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from activities.analysis.understanding import understood
from activities.analysis.wording import in_words
from domain.analyses.analysis import Analysis
from domain.analyses.plan import open_questions
from domain.artifacts import Artifact, ArtifactKind
from domain.errors import ArtifactCorrupt, ArtifactMissing
from domain.jobs import Job
from domain.lifecycles.analysis import CONFIRMED, CREATED, DRAFT_READY
from starter.pages.kinds.prose import prose
from starter.pages.shell.context import PageContext

OUTPUTS = 100
PREVIEW_BYTES = 64 * 1024
"""Of a table: enough for the rows that are shown."""

PREVIEW_ROWS = 50
REPORT_BYTES = 1 << 20

_FILE = re.compile(r"(?<!\\)(!?)\[(?:\\.|[^\]\\])*\]\(([^()\s]+)\)(?: · )?")
"""A picture of the report, or a link to a file beside it. What comes from data has its brackets escaped."""

_PLACE = re.compile(r"<p>files-of-the-report-([0-9]{1,6})</p>")


@dataclass(frozen=True)
class Passage:
    """A part of the report: ``html``, then the ``charts`` and the ``files`` that are spoken of at its end."""

    html: str
    charts: tuple[Artifact, ...] = ()
    files: tuple[Artifact, ...] = ()


@dataclass(frozen=True)
class Preview:
    """The head of a table. ``numeric`` says of each column whether all of its shown values are numbers."""

    artifact: Artifact
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    more: bool


def analysis(context: PageContext, job: Job) -> Mapping[str, Any]:
    """``planning``: none, under way, failed or done; ``plan``: the draft, once there is one."""
    found = context.api.store.get_analysis(job.id)
    outputs = context.api.store.outputs(job.id, limit=OUTPUTS).items
    plan = found.plan
    return {
        "requirement": found.requirement,
        "files": found.files,
        "planning": _planning(found),
        "failure": found.planning.failure if found.planning else None,
        "plan": plan,
        "understood": understood(plan, found.profiles) if plan else (),
        "steps": [(step, in_words(step.operation)) for step in plan.steps] if plan else [],
        "steps_json": plan.model_dump(mode="json")["steps"] if plan else [],
        "open": open_questions(plan) if plan else (),
        "tables": found.profiles if found.tables else (),
        "editable": job.status == DRAFT_READY,
        "drafting": job.status in (CREATED, DRAFT_READY),
        "runnable": job.status == CONFIRMED,
        "report": _report(context, outputs),
        "previews": [each for each in (_preview(context, table) for table in reversed(outputs)) if each],
        "outputs": outputs[::-1],
    }


def _planning(found: Analysis) -> str:
    if found.planning is None:
        return "none"
    if found.planning.is_under_way or (found.plan is not None and not found.is_planned):
        return "working"
    return "failed" if found.planning.failure else "done"


def _report(context: PageContext, outputs: Sequence[Artifact]) -> list[Passage]:
    for each in outputs:
        if each.kind is ArtifactKind.REPORT and each.blob.size_bytes <= REPORT_BYTES:
            with suppress(ArtifactMissing, ArtifactCorrupt):
                markdown = context.api.artifacts.read_bytes(each.blob).decode("utf-8", "replace")
                heading, _, rest = markdown.partition("\n")  # the heading is the question, which the page has already
                named = {str(output.facts.get("name")): output for output in outputs}
                return list(passages(rest if heading.startswith("# ") else markdown, named))
    return []


def passages(markdown: str, outputs: Mapping[str, Artifact]) -> Iterator[Passage]:
    """A report, its pictures and links put out as the files that they name. ``outputs`` are those by their names; what
    names no other is left to the text, which shows neither pictures nor links."""
    places: list[tuple[Artifact, ...]] = []
    lines = []
    for line in markdown.split("\n"):
        found = tuple(outputs[match[2]] for match in _FILE.finditer(line) if match[2] in outputs)
        if not found:
            lines.append(line)
            continue
        lines += [_FILE.sub("", line).rstrip(), "", f"files-of-the-report-{len(places)}", ""]
        places.append(found)
    pieces = _PLACE.split(prose("\n".join(lines)))
    for html, place in zip(pieces[::2], [*pieces[1::2], None], strict=True):
        files = places[int(place)] if place is not None and int(place) < len(places) else ()
        charts = tuple(each for each in files if each.kind is ArtifactKind.CHART)
        yield Passage(html, charts, tuple(each for each in files if each not in charts))


def _preview(context: PageContext, artifact: Artifact) -> Preview | None:
    if artifact.kind is not ArtifactKind.TABLE or not artifact.blob.media_type.startswith("text/csv"):
        return None
    end = min(artifact.blob.size_bytes, PREVIEW_BYTES)
    try:
        text = b"".join(context.api.artifacts.read_chunks(artifact.blob, 0, end)).decode("utf-8-sig", "replace")
    except (ArtifactMissing, ArtifactCorrupt):
        return None
    rows = list(csv.reader(io.StringIO(text)))
    if end < artifact.blob.size_bytes:
        rows = rows[:-1]  # cut in the middle
    if not rows:
        return None
    heading, body = tuple(rows[0]), [tuple(row) for row in rows[1 : PREVIEW_ROWS + 1]]
    numeric = tuple(
        bool(body) and all(_is_number(row[place]) for row in body if place < len(row)) for place in range(len(heading))
    )
    more = len(rows) - 1 > PREVIEW_ROWS or end < artifact.blob.size_bytes
    return Preview(artifact, heading, tuple(body), numeric, more)


def _is_number(text: str) -> bool:
    if not text:
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True
