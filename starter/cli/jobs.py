"""``guidesmith jobs``: look at jobs and act on them, through the API."""

from functools import partial
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

import typer

from starter.cli.exits import JobFailed, UsageWrong
from starter.cli.options import AsJson, DataDir
from starter.cli.printing import print_json, print_listed, print_said, print_table
from starter.cli.reaching import reached

if TYPE_CHECKING:
    from starter.cli.client import Json

jobs_app = typer.Typer(help="List, watch and steer jobs.", no_args_is_help=True, rich_markup_mode=None)

JobId = Annotated[str, typer.Argument(metavar="JOB", help="The job's id.", show_default=False)]


_client = partial(
    reached,
    absent="There is no such job, or it is not yours: `guidesmith jobs list` shows yours.",
)


Anybodys = Annotated[
    bool, typer.Option("--any", help="Anybody's. With $GUIDESMITH_TOKEN it has to be an administrator's.")
]


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
    anybodys: Anybodys = False,
    user: Annotated[str | None, typer.Option(help="With --any: only this user's.")] = None,
    to_review: Annotated[
        bool, typer.Option("--to-review", help="With --any: only those that were given up, and that nobody reviewed.")
    ] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Your jobs, newest first."""
    wanted = {"status": _known(status, kind), "kind": kind, "limit": limit}
    if (user or to_review) and not anybodys:
        raise UsageWrong("--user and --to-review go with --any.")
    if anybodys and job_type:
        raise UsageWrong("--type does not go with --any.")
    with _client(data_dir, as_admin=anybodys) as client:
        if anybodys:
            page = client.get("admin/jobs", user_id=user, to_review="true" if to_review else None, **wanted)
        else:
            page = client.get("jobs", job_type=job_type, **wanted)
    if as_json:
        print_json(page)
        return
    if anybodys:
        print_table(
            ("ID", "USER", "KIND", "STATUS", "FAILURE", "CREATED"),
            (
                (
                    job["id"],
                    job["owner"],
                    job["kind"],
                    job["status"],
                    job["failure"] and job["failure"]["failure_code"],
                    job["created_at"],
                )
                for job in page["items"]
            ),
        )
        return
    print_table(
        ("ID", "STATUS", "PROGRESS", "ATTEMPT", "RECORDING", "CREATED"),
        (
            (job["id"], job["status"], _progress(job), job["attempt"], job["source_name"], job["created_at"])
            for job in page["items"]
        ),
    )


@jobs_app.command(epilog="Example: guidesmith jobs show 0199f3c2-… --json")
def show(job_id: JobId, anybodys: Anybodys = False, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """One job."""
    with _client(data_dir, as_admin=anybodys) as client:
        _print_job(client.get(_path(job_id, anybodys=anybodys)), as_json=as_json)


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
def cancel(job_id: JobId, anybodys: Anybodys = False, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Stop a job's work, and the job."""
    with _client(data_dir, as_admin=anybodys) as client:
        _print_job(client.post(f"{_path(job_id, anybodys=anybodys)}/cancel"), as_json=as_json)


@jobs_app.command(epilog='Example: guidesmith jobs review 0199f3c2-… --note "the provider was down"')
def review(
    job_id: JobId,
    note: Annotated[str, typer.Option(help="What was found.")],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Note that a job which was given up was looked at. With $GUIDESMITH_TOKEN it has to be an administrator's."""
    with _client(data_dir, as_admin=True) as client:
        reviewed = client.post(f"admin/jobs/{job_id}/review", {"note": note})
    print_said(
        reviewed,
        f"Job {reviewed['job_id']} was reviewed by {reviewed['reviewer']}: {reviewed['note']}",
        as_json=as_json,
    )


@jobs_app.command(epilog="Example: guidesmith jobs delete 0199f3c2-… --yes")
def delete(
    job_id: JobId,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    anybodys: Anybodys = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Erase a job with its recording, documents, pictures, exports and histories. It cannot be undone."""
    if not yes:
        typer.confirm(f"Erase job {job_id} with all that is its own?", abort=True)
    with _client(data_dir, as_admin=anybodys) as client:
        erased = client.delete(_path(job_id, anybodys=anybodys))
    print_said(erased, f"Job {job_id} is gone; its files are being removed.", as_json=as_json)


@jobs_app.command(epilog="Example: guidesmith jobs delete-recording 0199f3c2-… --yes")
def delete_recording(
    job_id: JobId,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    anybodys: Anybodys = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Erase a job's recording and its sound; text, pictures and exports stay. It cannot be undone."""
    if not yes:
        typer.confirm(f"Erase the recording of job {job_id}?", abort=True)
    with _client(data_dir, as_admin=anybodys) as client:
        erased = client.delete(f"{_path(job_id, anybodys=anybodys)}/recording")
    print_said(erased, f"The recording of job {job_id} is being removed.", as_json=as_json)


@jobs_app.command(epilog="Example: guidesmith jobs retry 0199f3c2-…")
def retry(
    job_id: JobId,
    model_profile: Annotated[str | None, typer.Option(help="Draft with this model profile.")] = None,
    anybodys: Anybodys = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Start a failed job again, from its latest checkpoint that still verifies. With --any its owner is charged, where
    its kind costs something."""
    if anybodys and model_profile:
        raise UsageWrong("--model-profile does not go with --any.")
    with _client(data_dir, as_admin=anybodys) as client:
        if anybodys:
            answer = client.post(f"{_path(job_id, anybodys=True)}/retry")
            told = f"Job {answer['id']} has attempt {answer['attempt']}, and is {answer['status']}."
        else:
            body = {"client_request_id": uuid4().hex, "model_profile": model_profile}
            answer = client.post(f"jobs/{job_id}/retry", body)
            told = f"Job {answer['job_id']} resumes from {answer['resume_from_status']}."
    print_said(answer, told, as_json=as_json)


@jobs_app.command(epilog='Example: guidesmith jobs screen 0199f3c2-… "Endpoint URL"')
def screen(
    job_id: JobId,
    wanted: Annotated[str, typer.Argument(help="Words to look for; all lines without.")] = "",
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Where and when something stood on the screen of a job's recording."""
    with _client(data_dir) as client:
        rows = list(client.listed(f"jobs/{job_id}/screen", limit=100, q=wanted))
    print_listed(
        {"items": rows},
        ("FROM", "TO", "TEXT"),
        ((f"{row['start_ms'] / 1000:.1f} s", f"{row['end_ms'] / 1000:.1f} s", row["text"]) for row in rows),
        as_json=as_json,
    )


@jobs_app.command(epilog="Example: guidesmith jobs history 0199f3c2-… --json")
def history(job_id: JobId, anybodys: Anybodys = False, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """What happened to a job, oldest first."""
    with _client(data_dir, as_admin=anybodys) as client:
        rows = list(client.listed(f"{_path(job_id, anybodys=anybodys)}/history", limit=100))[::-1]
    print_listed(
        {"items": rows},
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
        as_json=as_json,
    )


def _path(job_id: str, *, anybodys: bool) -> str:
    return f"admin/jobs/{job_id}" if anybodys else f"jobs/{job_id}"


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


def _progress(job: "Json") -> str:
    return f"{job['progress']} %{', stands still' if job.get('stands_still_since') else ''}"


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
    if job.get("stands_still_since"):
        rows.append(("stands still since", job["stands_still_since"]))
    if job["failure"] is not None:
        rows += [(name, job["failure"][name]) for name in ("failure_code", "failure_message", "failed_stage")]
    rows += [(f"export {each['format']}", each["export_id"]) for each in job["manifest"]["exports"]]
    print_table(("FIELD", "VALUE"), rows)
