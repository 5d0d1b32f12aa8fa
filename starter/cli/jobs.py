"""``guidesmith jobs``: look at jobs and act on them, through the API."""

from functools import partial
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

import typer

from starter.cli.exits import JobFailed, UsageWrong
from starter.cli.options import AsJson, DataDir
from starter.cli.printing import print_json, print_table
from starter.cli.reaching import reached

if TYPE_CHECKING:
    from starter.cli.client import Json

jobs_app = typer.Typer(help="List, watch and steer jobs.", no_args_is_help=True, rich_markup_mode=None)

JobId = Annotated[str, typer.Argument(metavar="JOB", help="The job's id.", show_default=False)]


_client = partial(
    reached,
    absent="There is no such job, or it is not yours: `guidesmith jobs list` shows yours.",
)


@jobs_app.command("list", epilog="Example: guidesmith jobs list --status FAILED")
def list_jobs(
    status: Annotated[
        str | None, typer.Option(help="Only jobs of this status; say which --kind where two have it.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="Only jobs of this kind.")] = None,
    job_type: Annotated[
        str | None, typer.Option("--type", help="Only jobs that make this: clips, copy, tts, and so on.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most so many.")] = 20,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Your jobs, newest first."""
    with _client(data_dir) as client:
        page = client.get("jobs", status=_known(status, kind), kind=kind, job_type=job_type, limit=limit)
    if as_json:
        print_json(page)
        return
    print_table(
        ("ID", "STATUS", "PROGRESS", "ATTEMPT", "RECORDING", "CREATED"),
        (
            (job["id"], job["status"], f"{job['progress']} %", job["attempt"], job["source_name"], job["created_at"])
            for job in page["items"]
        ),
    )


@jobs_app.command(epilog="Example: guidesmith jobs show 0199f3c2-… --json")
def show(job_id: JobId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """One job."""
    with _client(data_dir) as client:
        _print_job(client.get(f"jobs/{job_id}"), as_json=as_json)


@jobs_app.command(epilog="Example: guidesmith jobs watch 0199f3c2-…")
def watch(job_id: JobId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Follow a job until it has a document or has ended. Ctrl-C stops watching, not the job."""
    from starter.cli.making import Making
    from starter.cli.memory import Memory
    from starter.cli.views import shown
    from starter.local.folder import DataFolder

    with shown(as_json=as_json) as view, _client(data_dir) as client:
        job = Making(client, Memory(DataFolder.find(data_dir), ""), view, job_id=job_id).watch()
    _print_job(job, as_json=as_json)
    if job["failure"] is not None:
        raise JobFailed(job["failure"]["failure_code"], job["failure"]["failure_message"])


@jobs_app.command(epilog="Example: guidesmith jobs cancel 0199f3c2-…")
def cancel(job_id: JobId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Stop a job's work, and the job."""
    with _client(data_dir) as client:
        _print_job(client.post(f"jobs/{job_id}/cancel"), as_json=as_json)


@jobs_app.command(epilog="Example: guidesmith jobs retry 0199f3c2-…")
def retry(
    job_id: JobId,
    model_profile: Annotated[str | None, typer.Option(help="Draft with this model profile.")] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Start a failed job again, from its latest checkpoint that still verifies."""
    body = {"client_request_id": uuid4().hex, "model_profile": model_profile}
    with _client(data_dir) as client:
        answer = client.post(f"jobs/{job_id}/retry", body)
    if as_json:
        print_json(answer)
        return
    typer.echo(f"Job {answer['job_id']} resumes from {answer['resume_from_status']}.")


@jobs_app.command(epilog="Example: guidesmith jobs history 0199f3c2-… --json")
def history(job_id: JobId, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """What happened to a job, oldest first."""
    with _client(data_dir) as client:
        rows = list(client.listed(f"jobs/{job_id}/history", limit=100))[::-1]
    if as_json:
        print_json({"items": rows})
        return
    print_table(
        ("#", "TIME", "EVENT", "FROM", "TO", "ATTEMPT", "NOTE"),
        (
            (
                row["seq"],
                row["occurred_at"],
                row["event_type"],
                row["prev_status"],
                row["new_status"],
                row["attempt"],
                row["data"].get("failure_code") or row["data"].get("note"),
            )
            for row in rows
        ),
    )


def _known(status: str | None, kind: str | None) -> str | None:
    """The status as the API spells it. A misspelt one would list nothing, as if there were no such jobs.

    Raises:
        UsageWrong: There is no such status, or no such kind.
    """
    from domain.lifecycles.kinds import LIFECYCLES

    if kind is not None and kind not in LIFECYCLES:
        raise UsageWrong(f"There is no such kind. Kinds: {', '.join(LIFECYCLES)}.")
    if status is None:
        return None
    tables = LIFECYCLES.values() if kind is None else (LIFECYCLES[kind],)
    statuses = [str(each) for table in tables for each in table.statuses]
    for each in statuses:
        if each.casefold() == status.casefold():
            return each
    raise UsageWrong(f"There is no such status. There are: {', '.join(dict.fromkeys(statuses))}.")


def _print_job(job: "Json", *, as_json: bool) -> None:
    if as_json:
        print_json(job)
        return
    rows: list[tuple[str, object]] = [
        ("id", job["id"]),
        ("status", job["status"]),
        ("progress", f"{job['progress']} %"),
        ("attempt", job["attempt"]),
        ("recording", job["source_name"]),
        ("instruction", job["instruction_id"]),
        ("created", job["created_at"]),
        ("updated", job["updated_at"]),
    ]
    if job["failure"] is not None:
        rows += [(name, job["failure"][name]) for name in ("failure_code", "failure_message", "failed_stage")]
    rows += [(f"export {each['format']}", each["export_id"]) for each in job["manifest"]["exports"]]
    print_table(("FIELD", "VALUE"), rows)
