"""Jobs that are erased with all that is theirs, and what administrators do with anybody's: on the real stack."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from pydantic import SecretStr
from sqlalchemy import select
from temporalio.client import WorkflowHandle
from temporalio.service import RPCError
from typer.testing import CliRunner

from activities.store import Store
from activities.store.jobs import quotas
from activities.store.repository import utc_now
from activities.store.tables import metadata
from domain.erasure import NOBODY
from domain.errors import GuidesmithError, QuotaExceeded
from domain.jobs import Actor, Job
from domain.lifecycles.lifecycle import Trigger
from domain.quotas import OwnerLimits
from domain.webhooks import WebhookEvent
from starter.access.tokens import Role, Tokens
from starter.cli.app import app
from starter.services.jobs import JobService
from starter.wiring import model_profiles, run_options
from tests.apis import SECRET, RunningApi, running_api, wait_ready
from tests.integration.store_builders import blob, drafted_job, instruction_of
from tests.integration.test_fates import placed, reconcile
from tests.stack import OWNER, Stack, begin_upload, running_stack, wait_until
from tests.temporal import TemporalServer, free_port

SHARED = "some/key"
"""Where the artifacts of every drafted job of the builders lie: one file that several jobs name."""


@pytest.fixture(scope="module")
def office(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stack, RunningApi]]:
    folder = tmp_path_factory.mktemp("office")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        settings: dict[str, Any] = {"api_port": free_port(), "auth_secret": SecretStr(SECRET), "prices": "image=4"}
        settings |= {"rate_limit_default": "off", "rate_limit_expensive": "off"}
        with running_stack(folder, temporal, **settings) as stack, running_api(stack.settings) as api:
            wait_ready(api)
            stack.store.grant(OWNER, 1000, reason="test", actor="test", idempotency_key="x")
            yield stack, api


@pytest.fixture(autouse=True)
def _nobody_works(office: tuple[Stack, RunningApi]) -> Iterator[None]:
    """But for whom a test lets: a run that is placed stays where it is."""
    yield
    office[0].kill_worker()


def traces(stack: Stack, job_id: str) -> set[str]:
    """Tables in which anything of the job stands."""
    with stack.store._database.read() as connection:
        return {
            table.name
            for table in metadata.sorted_tables
            for row in connection.execute(select(table)).mappings()
            if any(job_id in str(value) for value in row.values())
        }


def is_known(stack: Stack, workflow_id: str) -> bool:
    handle: WorkflowHandle[object, object] = stack.client.get_workflow_handle(workflow_id)
    try:
        stack.loop.run(handle.describe())
    except RPCError:
        return False
    return True


@pytest.mark.timeout(360)  # Temporal takes its time to forget
def test_given_jobs_when_their_owner_deletes_them_then_nothing_is_left_but_that_it_was_done(
    office: tuple[Stack, RunningApi],
) -> None:
    stack, api = office
    mine, other, admin = api.client(OWNER), api.client("bob"), api.client("root", Role.ADMIN)
    stack.artifacts.put_bytes(SHARED, b"both", "text/plain")
    stack.store.create_endpoint(OWNER, "https://example.org/hook", (WebhookEvent.JOB_STATUS_CHANGED,))
    kept, _ = drafted_job(stack.store, OWNER)
    drafted, _ = drafted_job(stack.store, OWNER)
    worked_on = placed(stack, "image", "running")
    waiting = stack.store.create_job(OWNER, kept.project_id, kind="analysis")
    own = f"jobs/{drafted.id}/1-1-0-1/left.txt"
    stack.artifacts.put_bytes(own, b"of an execution that was killed", "text/plain")
    doomed = (drafted, worked_on, waiting)

    absent = mine.get("jobs/00000000-0000-0000-0000-000000000000")
    for job in doomed:
        foreign = other.delete(f"jobs/{job.id}")
        assert (foreign.status_code, foreign.json()["code"]) == (404, "RESOURCE_NOT_FOUND")
        answer = mine.delete(f"jobs/{job.id}")
        assert (answer.status_code, answer.json()["job_id"]) == (202, job.id)
        again = mine.delete(f"jobs/{job.id}")
        assert (again.status_code, mine.get(f"jobs/{job.id}").status_code) == (404, absent.status_code)
        assert stack.job(job).owner.startswith(NOBODY)
    assert mine.get(f"instructions/{instruction_of(drafted)}").status_code == 404, "before any worker has come"
    assert {each["id"] for each in mine.get("jobs").json()["items"]} == {kept.id}

    worker = stack.start_worker()
    wait_until(lambda: not stack.store.open_erasures(older_than_s=-60.0), 90, "the erasures")
    assert worker.poll() is None
    for job in doomed:
        assert traces(stack, job.id) <= {"erasures", "credit_postings"}, job.kind
        wait_until(lambda job=job: not is_known(stack, job.id), 60, "Temporal to forget it")  # type: ignore[misc]
    assert not stack.artifacts.exists(own) and stack.artifacts.exists(SHARED), "another job stands on it"
    assert stack.store.get_instruction(OWNER, instruction_of(kept)).job_id == kept.id
    books = stack.store.audit_credits()
    assert books.balanced and mine.get("credits").json()["available"] == 1000, books.findings
    done = admin.get("admin/erasures").json()["items"]
    assert {each["job_id"] for each in done} == {job.id for job in doomed}
    assert all(each["completed_at"] and not each["by_admin"] for each in done)
    with stack.store._database.read() as connection:
        rows = connection.execute(select(metadata.tables["erasures"])).mappings().all()
    assert {(row["owner"], str(row["keys"]), str(row["workflows"])) for row in rows} == {(None, "[]", "[]")}

    assert admin.delete(f"admin/jobs/{kept.id}").json()["by_admin"] is True
    wait_until(lambda: not stack.artifacts.exists(SHARED), 60, "the shared file to go with its last job")
    wait_until(lambda: not stack.store.open_erasures(-60.0), 60, "its record")  # a worker killed now is missed for long


def test_given_an_erasure_whose_start_was_lost_when_reconciled_then_it_is_done(
    office: tuple[Stack, RunningApi],
) -> None:
    stack, _ = office
    job = stack.store.create_job(OWNER, stack.store.create_project(OWNER, "x").id)
    stack.store.begin_erasure(job.id, owner=OWNER, by_admin=False)
    stack.store.erase_rows(job.id)  # and whoever did died before it could say so
    wait_until(lambda: job.id in stack.store.open_erasures(older_than_s=0.0), 10, "the erasure to be due")
    stack.start_worker()
    later = Store.open(stack.settings.database, clock=lambda: utc_now() + timedelta(minutes=1))
    reconcile(stack, later)
    later.dispose()
    wait_until(lambda: traces(stack, job.id) == {"erasures"} and not stack.store.open_erasures(-60.0), 60, "its end")


def test_given_an_administrator_when_they_look_at_anybodys_jobs_then_they_see_stop_and_review_them(
    office: tuple[Stack, RunningApi],
) -> None:
    stack, api = office
    mine, admin = api.client(OWNER), api.client("root", Role.ADMIN)
    lost, stopped = placed(stack, "image", "running"), placed(stack, "generation", "pending")
    for path in ("admin/jobs", f"admin/jobs/{lost.id}", f"admin/jobs/{lost.id}/history", "admin/erasures"):
        refused = mine.get(path)
        assert (refused.status_code, refused.json()["code"]) == (403, "FORBIDDEN"), path
    assert mine.delete(f"admin/jobs/{lost.id}").status_code == 403
    found = admin.get("admin/jobs", params={"user_id": OWNER, "kind": "image", "status": "running"}).json()["items"]
    assert [(each["id"], each["owner"]) for each in found] == [(lost.id, OWNER)]
    assert admin.get(f"admin/jobs/{lost.id}").json()["status"] == "running"
    assert admin.get(f"admin/jobs/{lost.id}/history").json()["items"][0]["new_status"] == "running"
    assert admin.post(f"admin/jobs/{lost.id}/review", json={"note": "?"}).status_code == 409, "it works still"
    assert admin.post(f"admin/jobs/{lost.id}/cancel").status_code == 409, "the kind's table has no such move"
    assert admin.get("jobs").json()["items"] == [], "their own list is their own"

    stack.loop.run(stack.client.get_workflow_handle(lost.id).terminate())
    stack.loop.run(stack.client.get_workflow_handle(stopped.id).terminate())
    assert admin.post(f"admin/jobs/{stopped.id}/cancel").json()["status"] == "canceled"
    reconcile(stack)

    def to_review() -> list[str]:
        return [each["id"] for each in admin.get("admin/jobs", params={"to_review": True}).json()["items"]]

    assert to_review() == [lost.id]
    first = admin.post(f"admin/jobs/{lost.id}/review", json={"note": "the provider was down"}).json()
    assert (first["reviewer"], first["note"]) == ("root", "the provider was down")
    assert admin.post(f"admin/jobs/{lost.id}/review", json={"note": "again"}).json() == first
    assert to_review() == [] and _is_listed(admin.get("admin/jobs").json()["items"], lost)


def _is_listed(items: list[dict[str, object]], job: Job) -> bool:
    return any(each["id"] == job.id for each in items)


def test_given_a_user_with_as_much_as_they_may_have_when_they_ask_for_more_then_429_and_no_other_user_is_held_up(
    office: tuple[Stack, RunningApi],
) -> None:
    stack, _ = office
    limits = OwnerLimits(open_jobs=2, stored_bytes=100)
    store = Store.open(stack.settings.database, limits=limits)
    mine, theirs = store.create_project("carl", "x").id, store.create_project("dora", "x").id
    first = store.create_job("carl", mine)
    store.create_job("carl", mine)
    with pytest.raises(QuotaExceeded) as refused:
        store.create_job("carl", mine)
    assert refused.value.details == {"limit": "open_jobs", "used": 2, "allowed": 2} and refused.value.retry_after_s
    store.create_job("dora", theirs)
    store.move(first.id, None, "CANCELLED", trigger=Trigger.API, actor=Actor.EDITOR)
    third = store.create_job("carl", mine)
    with pytest.raises(QuotaExceeded) as refused:
        begin_upload(store, third, "x.mp4", 101)
    assert refused.value.details["limit"] == "stored_bytes" and store.get_job(third.id).status == "CREATED"
    assert refused.value.code == "QUOTA_EXCEEDED"
    drafted, _ = drafted_job(store, "dora")
    assert store.get_job(drafted.id).status == "DRAFT_READY"
    store.create_job("dora", theirs)  # a document that is only edited takes nobody's time
    store.dispose()


def test_given_a_user_with_as_many_runs_as_they_may_have_when_they_ask_for_another_then_429_and_nothing_is_started(
    office: tuple[Stack, RunningApi],
) -> None:
    stack, _ = office
    limits = OwnerLimits(running_jobs=1)
    store = Store.open(stack.settings.database, limits=limits)
    jobs = JobService(store, stack.artifacts, stack.client, run_options(stack.settings), model_profiles(stack.settings))
    project = store.create_project("emil", "x").id
    first, second = (placed_upload(stack, store, "emil", project) for _ in range(2))
    assert stack.loop.run(jobs.run("emil", first)).replayed is False
    for _ in range(2):
        assert stack.loop.run(jobs.run("emil", first)).replayed is True, "its own run is no other"
    with pytest.raises(QuotaExceeded) as refused:
        stack.loop.run(jobs.run("emil", second))
    assert refused.value.details == {"limit": "running_jobs", "used": 1, "allowed": 1} and refused.value.retry_after_s
    assert store.get_job(second).status == "UPLOADED" and not is_known(stack, second)
    with pytest.raises(QuotaExceeded):
        store.create_job("emil", project, kind="batch")
    store.create_job("emil", project)  # it waits for its recording: nothing works for it
    store.move(first, None, "CANCELLED", trigger=Trigger.API, actor=Actor.EDITOR)
    assert stack.loop.run(jobs.run("emil", second)).replayed is False
    store.dispose()


def placed_upload(stack: Stack, store: Store, owner: str, project: str) -> str:
    job = store.create_job(owner, project)
    blob = stack.artifacts.put_bytes(f"uploads/{job.id}/recording", b"x", "video/mp4")
    store.confirm_upload(owner, job.id, blob, "x.mp4")
    return job.id


def test_given_a_users_bytes_when_far_from_the_limit_then_they_are_summed_once_a_minute_and_near_it_each_time(
    tmp_path: Path,
) -> None:
    store = Store.open(f"sqlite:///{tmp_path}/x.db", limits=OwnerLimits(stored_bytes=1000))
    store.upgrade()
    project = store.create_project("fred", "x").id

    def stored(size: int) -> None:
        job = store.create_job("fred", project)
        key = begin_upload(store, job, "x.mp4", size)
        recording = blob(key, "video/mp4").model_copy(update={"size_bytes": size})
        store.confirm_upload("fred", job.id, recording, "x.mp4")

    with patch.object(quotas, "stored_bytes", wraps=quotas.stored_bytes) as summed:
        for size in (100, 300, 300):
            stored(size)
        assert summed.call_count == 1
        stored(250)
        assert summed.call_count > 1
        with pytest.raises(QuotaExceeded) as refused:
            stored(51)
    assert refused.value.details == {"limit": "stored_bytes", "used": 950, "announced": 51, "allowed": 1000}
    store.dispose()


def test_given_an_administrators_token_when_the_command_line_is_to_act_on_anybodys_jobs_then_it_does(
    office: tuple[Stack, RunningApi], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stack, api = office
    lost, stopped = placed(stack, "generation", "processing"), placed(stack, "generation", "pending")
    monkeypatch.setenv("GUIDESMITH_API_URL", api.url)
    monkeypatch.setenv("GUIDESMITH_DATA_DIR", str(tmp_path))

    def printed(role: Role, *words: str) -> str:
        monkeypatch.setenv("GUIDESMITH_TOKEN", Tokens(SECRET).issue("root", role))
        done = CliRunner().invoke(app, ["jobs", *words, "--any"], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    def as_json(*words: str) -> dict[str, Any]:
        text = printed(Role.ADMIN, *words, "--json")
        found: dict[str, Any] = json.JSONDecoder().raw_decode(text[text.index("{\n") :])[0]  # behind the API's own log
        return found

    listed = ("list", "--user", OWNER, "--kind", "generation", "--status", "processing")
    for words in (
        *(listed, ("show", lost.id), ("history", lost.id), ("cancel", stopped.id)),
        *(("retry", lost.id), ("delete", lost.id, "--yes")),
    ):
        with pytest.raises(GuidesmithError) as refused:
            printed(Role.EDITOR, *words)
        assert refused.value.code == "FORBIDDEN", words
    assert stack.job(lost).status == "processing" and stack.job(stopped).status == "pending"

    assert lost.id in printed(Role.ADMIN, *listed) and stopped.id not in printed(Role.ADMIN, *listed)
    assert as_json("show", lost.id)["owner"] == OWNER
    assert as_json("history", lost.id)["items"][-1]["new_status"] == "processing"
    for job in (lost, stopped):
        stack.loop.run(stack.client.get_workflow_handle(job.id).terminate())
    assert "canceled" in printed(Role.ADMIN, "cancel", stopped.id)
    reconcile(stack)
    assert lost.id in printed(Role.ADMIN, "list", "--to-review")
    assert "has attempt 2" in printed(Role.ADMIN, "retry", lost.id)
    assert f"Job {stopped.id} is gone" in printed(Role.ADMIN, "delete", stopped.id, "--yes")
    assert api.client(OWNER).get(f"jobs/{stopped.id}").status_code == 404
    assert api.client(OWNER).get(f"jobs/{lost.id}").json()["attempt"] == 2
