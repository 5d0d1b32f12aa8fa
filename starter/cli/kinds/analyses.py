"""``guidesmith analyse``: tables and a question in words in, tables, charts and a report out."""

import csv
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from domain.errors import OpenQuestions
from domain.lifecycles.analysis import ANALYSIS, CREATED, DRAFT_READY, FAILED, SUCCEEDED, AnalysisStatus
from starter.cli.client import Client, Json
from starter.cli.connection import connected
from starter.cli.exits import JobFailed, UsageWrong
from starter.cli.flows import say_addresses, stay_up
from starter.cli.making import printable_name
from starter.cli.memory import recording_sha256
from starter.cli.printing import print_json
from starter.cli.views import Lines, View, shown
from starter.local.sample import sample_table

POLL_S = 0.2
ROUNDS = 5
"""How often a plan may ask anew after an answer."""

ROWS_SHOWN = 12
SAFE_NAME = re.compile(r"([a-z0-9][a-z0-9._-]{0,100}/)?[a-z0-9][a-z0-9._-]{0,100}")
"""Of a file that is saved below the output folder."""

DEMO_REQUIREMENT = "Total by region and month in 2025, as a line chart"
"""Leaves open what is added up, so that the demo has a question to answer."""
DEMO_ANSWERS = {"measure": "revenue"}
DEMO_FOLDER = "analysis"

Ask = Callable[[Json], str]
"""Answers a question."""


@dataclass
class Analysing:
    """One analysis on one API, with progress in ``view``."""

    client: Client
    view: View
    answered: list[tuple[str, str]] = field(default_factory=list)
    """Questions that were answered here, with the answers."""

    def asked(self, files: Sequence[Path], requirement: str) -> Json:
        """The analysis of ``requirement`` over the files, once all of them are there.

        Raises:
            UsageWrong: A file cannot be read.
        """
        declared = [self._declared(path) for path in files]
        inputs: Json = {"files": declared}
        analysis = self.client.post("analyses", {"requirement": requirement, "inputs": inputs})
        if analysis["status"] not in (CREATED, DRAFT_READY):
            return analysis
        sessions = {(each["filename"], each["checksum_sha256"]): each for each in analysis["inputs"]["files"]}
        for path, file in zip(files, declared, strict=True):
            session = sessions[file["filename"], file["checksum_sha256"]]
            if not session["arrived"]:
                self._send(path, session)
        return self.client.replace(f"analyses/{analysis['id']}/inputs", inputs)

    def drafted(self, job_id: str) -> Json:
        """The draft of what is asked now.

        Raises:
            JobFailed: It could not be planned; the code says why.
        """
        self.view.step(f"plan-{job_id}", "Planning", 0.0)
        while True:
            analysis = self.client.get(f"analyses/{job_id}")
            planning = analysis["planning"]
            if planning is not None and planning["completed_at"] is not None:
                break
            time.sleep(POLL_S)
        if planning["failure"] is not None:
            failure = planning["failure"]
            raise JobFailed(failure["failure_code"], failure["failure_message"], job_id=job_id)
        self.view.step(f"plan-{job_id}", "Planning", 1.0)
        return self.client.get(f"analyses/{job_id}/draft")

    def settled(self, draft: Json, ask: Ask) -> Json:
        """The draft with its questions answered.

        Raises:
            JobFailed: It stays open (``OPEN_QUESTIONS``).
        """
        url = f"analyses/{draft['job_id']}/draft"
        for _ in range(ROUNDS):
            questions = {each["id"]: each for each in draft["plan"]["questions"]}
            if not draft["open_questions"]:
                break
            answers = {id: ask(questions[id]) for id in draft["open_questions"]}
            self.answered += [(questions[id]["text"], answer) for id, answer in answers.items()]
            draft = self.client.change(url, {"version": draft["version"], "answers": answers})
            if not draft["current"]:
                draft = self.drafted(draft["job_id"])
        if draft["open_questions"] or draft["blocking_unknowns"]:
            wanted = {*draft["open_questions"], *draft["blocking_unknowns"]}
            plan = draft["plan"]
            open_ones = [each["text"] for each in (*plan["questions"], *plan["unknowns"]) if each["id"] in wanted]
            raise JobFailed(OpenQuestions.code, " ".join(open_ones), job_id=draft["job_id"])
        return draft

    def computed(self, job_id: str) -> Json:
        """The analysis, once its plan was run.

        Raises:
            JobFailed: It failed; the code says why.
        """
        title = "Computing"
        if self.client.get(f"analyses/{job_id}")["status"] == FAILED:
            self.client.post(f"jobs/{job_id}/retry", {"client_request_id": uuid4().hex})
        else:
            self.client.post(f"analyses/{job_id}/run")
        while True:
            analysis = self.client.get(f"analyses/{job_id}")
            if ANALYSIS.is_terminal(AnalysisStatus(analysis["status"])):
                break
            self.view.step(f"run-{job_id}", title, min(analysis["progress"] / 100, 0.99))
            time.sleep(POLL_S)
        if analysis["status"] != SUCCEEDED:
            failure = analysis["failure"]
            raise JobFailed(failure["failure_code"], failure["failure_message"], job_id=job_id)
        self.view.step(f"run-{job_id}", title, 1.0)
        return analysis

    def saved(self, job_id: str, out: Path) -> list[Json]:
        """Every file of the analysis, saved below ``out``."""
        files = []
        for artifact in self.client.listed(f"analyses/{job_id}/artifacts", limit=100):
            if not SAFE_NAME.fullmatch(artifact["name"]):
                raise UsageWrong("The API named a file that cannot be saved here.")
            path = out / artifact["name"]
            path.parent.mkdir(parents=True, exist_ok=True)
            size = self.client.download(artifact["url"], path)
            files.append({"path": str(path), "kind": artifact["kind"], "step": artifact["step"], "size_bytes": size})
        return sorted(files, key=lambda each: str(each["path"]))

    def _declared(self, path: Path) -> Json:
        try:
            facts: Json = {
                "checksum_sha256": recording_sha256(path, lambda _: None),
                "size_bytes": path.stat().st_size,
            }
        except OSError as broken:
            raise UsageWrong(f"The file cannot be read: {broken.strerror}.") from broken
        return {"filename": printable_name(path.name), **facts}

    def _send(self, path: Path, session: Json) -> None:
        title, size = f"Uploading {session['filename']}", path.stat().st_size
        self.client.upload(
            path, session, lambda done: self.view.step(session["upload_id"], title, 0.99 * done / max(size, 1))
        )
        self.view.step(session["upload_id"], title, 1.0)


def analysed(
    files: Sequence[Path],
    requirement: str,
    out: Path,
    *,
    answers: Mapping[str, str],
    yes: bool,
    as_json: bool,
    data_dir: Path | None,
    keep: bool = False,
) -> None:
    """Plan, confirm and run an analysis, and save what it makes; with ``keep`` leave the stack up afterwards.

    Args:
        answers: To questions of the plan, by their ids.
        yes: Ask nobody: what ``answers`` leave open is answered with the first that is offered.

    Raises:
        JobFailed: There is no plan, it stays open, or it could not be computed.
        Refused, Unreachable: The API said no, or nothing.
        UsageWrong: A file cannot be read, or the output cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as broken:
        raise UsageWrong(f"The output folder cannot be made: {broken.strerror}.") from broken
    asks = not yes and not as_json and sys.stdin.isatty()
    with (
        _view(as_json=as_json, asks=asks) as view,
        connected(data_dir, start=True) as connection,
        Client(connection) as client,
    ):
        if keep:
            say_addresses(connection, view)
        analysing = Analysing(client, view)
        analysis = analysing.asked(files, requirement)
        draft = _confirmed(analysing, analysis, _asker(answers, yes=yes, asks=asks), asks=asks)
        if analysis["status"] != SUCCEEDED:
            analysis = analysing.computed(analysis["id"])
        saved = analysing.saved(analysis["id"], out)
        _report(analysis, draft, analysing.answered, saved, as_json=as_json)
        if keep:
            stay_up(view)


def demonstrated(out: Path, *, keep: bool, as_json: bool, data_dir: Path | None) -> None:
    """``guidesmith demo analysis``."""
    analysed(
        [sample_table()],
        DEMO_REQUIREMENT,
        out / DEMO_FOLDER,
        answers=DEMO_ANSWERS,
        yes=True,
        as_json=as_json,
        data_dir=data_dir,
        keep=keep,
    )


def read_answers(given: Sequence[str]) -> dict[str, str]:
    """``ID=TEXT`` each. Raises: UsageWrong: one is not that."""
    pairs = [each.partition("=") for each in given]
    if any(not name.strip() or not equals for name, equals, _ in pairs):
        raise UsageWrong("An answer is written --answer ID=TEXT.")
    return {name.strip(): text.strip() for name, _, text in pairs}


def _view(*, as_json: bool, asks: bool) -> AbstractContextManager[View]:
    """Without live bars where somebody is asked something: they would write over the question."""
    return nullcontext(Lines()) if asks else shown(as_json=as_json)


def _confirmed(analysing: Analysing, analysis: Json, ask: Ask, *, asks: bool) -> Json:
    """The plan, confirmed: by the person who sees it, where there is one."""
    job_id = analysis["id"]
    if analysis["status"] not in (CREATED, DRAFT_READY):
        draft = analysing.client.get(f"analyses/{job_id}/draft")
    else:
        draft = analysing.settled(analysing.drafted(job_id), ask)
        if asks:
            import typer

            for line in _plan_lines(draft):
                analysing.view.say(line)
            typer.confirm("Run this plan?", default=True, abort=True, err=True)
        analysing.client.post(f"analyses/{job_id}/confirm", {"version": draft["version"]})
    return draft


def _asker(answers: Mapping[str, str], *, yes: bool, asks: bool) -> Ask:
    def ask(question: Json) -> str:
        given = answers.get(question["id"])
        if given is not None:
            return given
        options: list[str] = question["options"]
        if yes and options:
            return options[0]
        if not asks:
            offered = f" Answers that are understood: {', '.join(options)}." if options else ""
            raise UsageWrong(f"{question['text']}{offered} Answer with --answer {question['id']}=….")
        import typer

        for place, option in enumerate(options, start=1):
            typer.echo(f"  {place}. {option}", err=True)
        said = str(typer.prompt(question["text"], err=True)).strip()
        chosen = said.isdecimal() and 1 <= int(said) <= len(options)
        return options[int(said) - 1] if chosen else said

    return ask


def _plan_lines(draft: Json) -> Iterator[str]:
    plan = draft["plan"]
    yield "Understood:"
    for each in draft["understood"]:
        yield f"  {each['aspect']}: {'; '.join(words.rstrip('.') for words in each['words'])}."
    yield f"Plan ({plan['plan_source']}): {plan['why']}"
    for place, step in enumerate(plan["steps"], start=1):
        needs = f" (of {', '.join(step['needs'])})" if step["needs"] else ""
        yield f"  {place}. {step['id']}: {step['operation']['op']}{needs}. {step['title']}"


def _report(
    analysis: Json, draft: Json, answered: Sequence[tuple[str, str]], saved: Sequence[Json], *, as_json: bool
) -> None:
    questions = [{"question": question, "answer": answer} for question, answer in answered]
    if as_json:
        facts = {name: analysis[name] for name in ("status", "plan_id", "attempt")}
        print_json(
            {
                "job_id": analysis["id"],
                **facts,
                "understood": draft["understood"],
                "plan": draft["plan"],
                "answered": questions,
                "files": saved,
            }
        )
        return
    lines = [*_plan_lines(draft), *(f"{each['question']} {each['answer']}" for each in questions)]
    for file in saved:
        lines.append(f"{file['path']}  ({max(file['size_bytes'] / 1024, 1):.0f} KiB)")
        if file["kind"] == "table" and str(file["path"]).endswith(".csv"):
            lines += _preview(Path(file["path"]))
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def _preview(path: Path) -> Iterator[str]:
    """The first rows of a table, in columns."""
    with path.open(encoding="utf-8-sig", newline="") as text:
        rows: list[list[Any]] = [row for _, row in zip(range(ROWS_SHOWN + 2), csv.reader(text), strict=False)]
    shown_rows = rows[: ROWS_SHOWN + 1]
    widths = [max(len(row[place]) for row in shown_rows) for place in range(len(shown_rows[0]))] if shown_rows else []
    for row in shown_rows:
        yield "    " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    if len(rows) > len(shown_rows):
        yield "    …"
