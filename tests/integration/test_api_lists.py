"""Lists and lookups: served from an index each, in a number of statements that does not grow, on both databases."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import Engine, event, make_url

from activities.publishing.manuscript import read
from activities.publishing.site.page import site_part
from activities.store import Sitting
from activities.store.jobs.inputs import JobRequest
from activities.store.tables import metadata
from domain.documents.brand import Ground, Logo
from domain.documents.publication import ExportFormat
from domain.documents.screenshots import Extraction
from domain.jobs import Job
from tests.apis import RunningApi, api_settings, running_api
from tests.crowd import CALLER, PROJECT, analyze, fill
from tests.databases import PostgresServer
from tests.integration.analysis_builders import confirmed_analysis
from tests.integration.api_builders import told_job
from tests.integration.store_builders import STEP_BLOCK, drafted_job, edit, instruction_of
from tests.temporal import free_port
from tests.unit.publishing_samples import block, publication

CROWD = 2000
BESIDE = 12

PROBES = ("/healthz", "/readyz")
SIGNED = "{signed}"
"""In the path of what is reached by a signed address, and is no lookup of a caller's."""

STREAM = "/api/v1/jobs/{job_id}/events"

QUERIES: dict[str, Sequence[dict[str, str]]] = {
    "/api/v1/jobs": (
        {},
        {"status": "UPLOADED"},
        {"kind": "instruction"},
        {"kind": "instruction", "status": "UPLOADED"},
        {"project_id": PROJECT},
        {"job_type": "copy"},
        {"project_id": PROJECT, "status": "DONE"},
    ),
    "/api/v1/instructions/{instruction_id}/diff": ({"from": "1", "to": "2"},),
    "/api/v1/guides/exports.zip": ({"export_ids": "{export_id}"},),
    "/api/v1/guides/site.zip": ({"export_ids": "{site_export_id}"},),
}
"""What a route is asked with, where it takes something (in braces: of :func:`parameters`); a list is asked for its
second page, too."""


@dataclass(frozen=True)
class Issued:
    """A statement as it went to the database."""

    sql: str
    parameters: Any


@contextmanager
def statements() -> Iterator[list[Issued]]:
    """Every SELECT that any engine of this process executes until the block ends."""
    issued: list[Issued] = []

    def note(_: Any, __: Any, sql: str, parameters: Any, *___: Any) -> None:
        if sql.lstrip().upper().startswith(("SELECT", "WITH")):
            issued.append(Issued(sql, parameters))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield issued
    finally:
        event.remove(Engine, "before_cursor_execute", note)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def crowded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    """An API without an engine, on a database with a crowd of jobs."""
    folder = tmp_path_factory.mktemp("crowded")
    server: PostgresServer = request.getfixturevalue("postgres")
    name = server.create()
    url = f"sqlite:///{folder / 'crowd.db'}" if request.param == "sqlite" else server.url(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", f"127.0.0.1:{free_port()}")
        with running_api(api_settings(folder, database_url=url)) as api:
            fill(url, CROWD)
            yield api
    server.drop(name)


LOGO = Logo(png=b"\x89PNG", width=1, height=1, ground=Ground.ANY)


@pytest.fixture(scope="module")
def job(crowded: RunningApi) -> Job:
    """A job of the caller's with everything that can be looked up, and others beside it: a planner reads all of a
    table that holds next to nothing."""
    store = crowded.store
    for number in range(BESIDE):
        owner = f"other-{number}"
        other, _ = drafted_job(store, owner)
        store.save_logo(owner, other.project_id, LOGO, owner)
        store.request_translation(
            owner, instruction_of(other), "de", is_update=False, client_request_id="t", requested_by=owner
        )
    job = told_job(store, crowded.artifacts, CALLER)
    instruction_id = instruction_of(job)
    base = store.get_instruction(CALLER, instruction_id)
    store.save_version(CALLER, instruction_id, 1, edit(base.markdown + "\nMore.\n"))
    page = site_part(read(publication(block("# Open the settings", "title"))))
    export, _ = store.request_export(CALLER, job.id, ExportFormat.SITE, base.id)
    store.finish_export(
        export.id, crowded.artifacts.put_bytes(f"exports/{export.id}", page, "application/zip"), "x", {}
    )
    for version in (base, store.get_instruction(CALLER, instruction_id)):
        export, _ = store.request_export(CALLER, job.id, ExportFormat.PDF, version.id)
        store.begin_export(export.id)
        store.finish_export(export.id, crowded.artifacts.put_bytes(f"exports/{export.id}", b"x", "text/html"), "x", {})
    for number in range(20):
        owner = CALLER if number % 2 else "stranger"
        store.grant(owner, 5, reason="welcome", actor="admin", idempotency_key=f"g-{number}")
    return job


def parameters(api: RunningApi, job: Job) -> dict[str, str]:
    """A value for each parameter that a path can have. A route with a new one needs a row here; one with a name that
    another has, too, a row with its own first word."""
    store = api.store
    instruction_id = instruction_of(job)
    task, _ = store.create_regenerate(
        CALLER,
        instruction_id,
        base_version=2,
        selection={"block_id": STEP_BLOCK},
        client_request_id="r-1",
        requested_by=CALLER,
    )
    shown = store.current_instruction(instruction_id).id
    shot, _ = store.request_extraction(CALLER, job.id, instruction_id, shown, Extraction(timestamp_ms=100))
    anchors = {each.anchor_id for each in store.screenshots_for(shown)}
    picture, _ = store.request_job(JobRequest(owner=CALLER, kind="image", input={"prompt": "x", "params": {}}, cost=0))
    copy = {"type": "copy", "prompt": "x"}
    written, _ = store.request_job(JobRequest(owner=CALLER, kind="generation", input=copy, cost=0, job_type="copy"))
    sitting = Sitting(
        sitting_id=task.id, instruction_id=instruction_id, base_version=2, markdown="x", kept_at=task.requested_at
    )
    kept, _ = store.keep_sitting(CALLER, sitting)
    store.save_logo(CALLER, job.project_id, LOGO, CALLER)
    translation, _ = store.request_translation(
        CALLER, instruction_id, "de", is_update=False, client_request_id="t-1", requested_by=CALLER
    )
    return {
        "screenshot-tasks/task_id": shot.id,
        "generations/job_id": written.id,
        "images/job_id": picture.id,
        "analyses/job_id": confirmed_analysis(store, api.artifacts, CALLER).job.id,
        "endpoint_id": store.create_endpoint(CALLER, "https://hooks.example.org/").id,
        "project_id": job.project_id,
        "job_id": job.id,
        "instruction_id": instruction_id,
        "task_id": task.id,
        "translation_task_id": translation.id,
        "export_id": store.list_exports(CALLER, job.id).items[0].id,
        "site_export_id": store.list_exports(CALLER, job.id).items[-1].id,
        "anchor_id": anchors.pop(),
        "sitting_id": kept.sitting_id,
        "kind": "instruction",
    }


def walked(api: RunningApi, known: dict[str, str]) -> Iterator[tuple[str, httpx.Response]]:
    """Every GET route that the API describes, with every filter and to its second page."""
    schema = httpx.get(f"{api.url}/api/v1/openapi.json").json()
    with api.client(CALLER) as client:
        for template, operations in schema["paths"].items():
            if "get" not in operations or template in PROBES or SIGNED in template:
                continue
            if template.startswith("/api/v1/admin/"):
                continue  # lists of all owners; an index on time alone would draw Postgres away from those of one
            if template == "/api/v1/account/archive":
                continue  # reads all that is a user's, a hundred rows by key at a time, and seldom
            if template in ("/api/v1/guides", "/api/v1/guides/search"):
                continue  # one user's guides, in orders that no index has: when changed, by title, by what fits best
            names = {each["name"] for each in operations["get"].get("parameters", ())}
            word = template.removeprefix("/api/v1/").partition("/")[0]
            own = {name.partition("/")[2]: value for name, value in known.items() if name.startswith(f"{word}/")}
            path = template.format(**known | own).removeprefix("/api/v1/")
            for asked in QUERIES.get(template, ({},)):
                query = {name: value.format(**known) for name, value in asked.items()}
                if template == STREAM:
                    with client.stream("GET", path) as stream:
                        next(stream.iter_lines())
                        yield path, stream
                    continue
                first = client.get(path, params=query | ({"limit": "1"} if "cursor" in names else {}))
                yield path, first
                if first.status_code == 200 and "cursor" in names and (cursor := first.json().get("next_cursor")):
                    yield path, client.get(path, params=query | {"limit": "1", "cursor": cursor})


# --- how many statements -----------------------------------------------------------------------------------------


def test_given_a_page_of_jobs_when_listed_then_four_statements_however_many_there_are(
    crowded: RunningApi, job: Job
) -> None:
    with crowded.client(CALLER) as client:
        for limit in (1, 2, 100):
            with statements() as issued:
                page = client.get("jobs", params={"limit": limit}).json()
            assert len(page["items"]) == limit
            assert len(issued) == 4, [each.sql for each in issued]  # the first: what is shared with the caller
    newest = page["items"][0]
    assert newest["id"] == job.id
    assert [each["format"] for each in newest["manifest"]["exports"]].count("PDF") == 2
    assert all(newest["manifest"][f"{kind}_uri"] for kind in ("video", "audio", "transcript", "draft"))
    assert page["items"][1]["manifest"]["video_uri"].endswith(f"uploads/{CROWD}")
    with crowded.client(CALLER) as client:
        assert client.get(f"jobs/{job.id}").json() == newest


def test_given_filters_when_listed_in_pages_then_each_job_of_the_callers_comes_once(crowded: RunningApi) -> None:
    with crowded.client(CALLER) as client:
        seen: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = client.get("jobs", params={"status": "DONE", "project_id": PROJECT, "limit": "30"} | cursor).json()
            assert {each["status"] for each in page["items"]} == {"DONE"}
            seen += [each["id"] for each in page["items"]]
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}
    assert len(seen) == len(set(seen)) == CROWD // 10 // 5
    assert seen == sorted(seen, reverse=True)


# --- from which index --------------------------------------------------------------------------------------------


def test_given_every_route_that_reads_when_walked_then_no_statement_reads_a_whole_table_or_sorts_a_list(
    crowded: RunningApi, job: Job
) -> None:
    known = parameters(crowded, job)
    analyze(crowded.settings.database_url)
    with statements() as issued:
        answers = dict(walked(crowded, known))
    empty = f"jobs/{job.id}/assets.zip"  # the job has made none: a 404 that reads what an answer reads
    unanswered = {
        path: answer.status_code
        for path, answer in answers.items()
        if answer.status_code not in (200, 409) and (path, answer.status_code) != (empty, 404)
    }
    assert not unanswered
    explain = explain_sqlite if crowded.settings.database_url.startswith("sqlite") else explain_postgres
    distinct = {each.sql: each for each in issued}
    assert len(distinct) > 15
    objections = [
        f"{objection}\n{each.sql}"
        for each in distinct.values()
        for objection in explain(crowded.settings.database_url, each)
    ]
    assert not objections, "\n\n".join(objections)


def listed(issued: Issued) -> bool:
    """Whether it reads a page of something that grows, rather than the few rows of one thing."""
    return "LIMIT" in issued.sql


def explain_sqlite(url: str, issued: Issued) -> Iterator[str]:
    """What is wrong with how SQLite would do it."""
    with sqlite3.connect(Path(make_url(url).database or "")) as connection:
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {issued.sql}", issued.parameters)]
    connection.close()
    for step in plan:
        words = step.split()
        if words[0] == "SCAN" and words[1] in metadata.tables:
            yield f"reads all of {words[1]}: {step}"
        if "TEMP B-TREE FOR ORDER BY" in step and listed(issued):
            yield f"sorts what it lists: {plan}"


def explain_postgres(url: str, issued: Issued) -> Iterator[str]:
    """What is wrong with how Postgres would do it, when it has to use an index if there is one that serves."""
    settings = "-c enable_seqscan=off" + (" -c enable_sort=off -c enable_bitmapscan=off" if listed(issued) else "")
    target = make_url(url)
    with psycopg.connect(
        host=str(target.query["host"]), user=target.username, dbname=target.database, options=settings
    ) as connection:
        ((plans,),) = connection.execute(f"EXPLAIN (FORMAT JSON) {issued.sql}", issued.parameters).fetchall()
    for node in _nodes(plans[0]["Plan"]):
        if node["Node Type"] == "Seq Scan" or (
            node["Node Type"] in ("Index Scan", "Index Only Scan") and "Index Cond" not in node
        ):
            yield f"reads all of {node['Relation Name']}: {json.dumps(node)[:500]}"
        if node["Node Type"] == "Sort" and listed(issued):
            yield f"sorts what it lists: {node['Sort Key']}"


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from _nodes(below)
