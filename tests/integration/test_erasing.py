"""A recording alone, and a user with all that is theirs, are erased; all that is a user's is fetched; and what is old
goes by itself: on the real stack."""

import io
import json
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr, ValidationError
from sqlalchemy import insert, select
from temporalio.testing import ActivityEnvironment

from activities.store import Sitting, Store
from activities.store.repository import new_uuid7, utc_now
from activities.store.tables import analyses, metadata, provider_webhooks
from activities.upkeep.sweeping import Keeping, Sweeper, Swept
from domain.artifacts import ArtifactKind
from domain.documents.screenshots import Extraction
from domain.erasure import PurgeKind, read_keeping, read_project_keeping
from domain.errors import RecordingInUse, RetryNotAllowed
from domain.jobs import Actor, Failure, Job
from domain.lifecycles.batch import BatchType
from domain.lifecycles.kinds import LIFECYCLES
from domain.lifecycles.lifecycle import Trigger
from domain.orders.batch import BatchOrder, Span
from domain.webhooks import WebhookEvent
from starter.access.tokens import Role
from starter.services.batches import BatchRequests
from starter.settings import Settings
from starter.work.worker import keeping
from tests.apis import SECRET, RunningApi, running_api, wait_ready
from tests.integration.analysis_jobs import Bureau
from tests.integration.store_builders import STEP_BLOCK, Run, blob, drafted_job, instruction_of, uploaded_job
from tests.integration.test_fates import reconcile
from tests.stack import Stack, running_stack, wait_until
from tests.temporal import TemporalServer, free_port

DAY_S = 24 * 3600.0


@pytest.fixture(scope="module")
def running(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stack, RunningApi]]:
    folder = tmp_path_factory.mktemp("erasing")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        settings: dict[str, Any] = {"api_port": free_port(), "auth_secret": SecretStr(SECRET), "prices": "image=4"}
        settings |= {"rate_limit_default": "off", "rate_limit_expensive": "off"}
        with running_stack(folder, temporal, **settings) as stack, running_api(stack.settings) as api:
            wait_ready(api)
            yield stack, api


@pytest.fixture
def office(running: tuple[Stack, RunningApi]) -> Iterator[tuple[Stack, RunningApi]]:
    """Without a worker at a test's start."""
    yield running
    running[0].kill_worker()


def with_files(stack: Stack, owner: str) -> Job:
    """A drafted job whose recording and sound lie in the artifact store."""
    return drafted_with_files(stack, owner, stack.store.create_project(owner, "Manuals").id)


def drafted_with_files(stack: Stack, owner: str, project_id: str) -> Job:
    store = stack.store
    job = store.create_job(owner, project_id)
    video = stack.artifacts.put_bytes(f"jobs/{job.id}/upload/recording.mp4", job.id.encode() * 1000, "video/mp4")
    store.confirm_upload(owner, job.id, video, "demo.mp4")
    Run(store, job.id).dispatched().extract_audio().transcribe().write_draft()
    return store.get_job(job.id)


def mentions(stack: Stack, word: str) -> set[str]:
    """Tables in which it stands."""
    with stack.store._database.read() as connection:
        return {
            table.name
            for table in metadata.sorted_tables
            for row in connection.execute(select(table)).mappings()
            if any(word in str(value) for value in row.values())
        }


def unzipped(answer: httpx.Response) -> dict[str, bytes]:
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as file:
        assert file.testzip() is None
        return {each: file.read(each) for each in file.namelist()}


def lines(member: bytes) -> list[dict[str, Any]]:
    return [json.loads(each) for each in member.splitlines()]


def test_given_a_recording_when_it_is_erased_alone_then_the_document_stays_and_nothing_reads_it_any_more(
    office: tuple[Stack, RunningApi],
) -> None:
    stack, api = office
    mine, other = api.client("ann"), api.client("bob")
    job, waiting = with_files(stack, "ann"), uploaded_job(stack.store, "ann")
    key = f"jobs/{job.id}/upload/recording.mp4"
    assert other.delete(f"jobs/{job.id}/recording").status_code == 404
    busy = mine.delete(f"jobs/{waiting.id}/recording")
    assert (busy.status_code, busy.json()["code"]) == (409, "RECORDING_IN_USE"), "it waits for its run"
    gone = mine.delete(f"jobs/{job.id}/recording")
    assert gone.status_code == 202 and job.id not in gone.text
    assert mine.delete(f"jobs/{job.id}/recording").status_code == 404, "it has none any more"
    assert stack.store.latest_artifact(job.id, ArtifactKind.VIDEO) is None
    assert mine.get(f"jobs/{job.id}").json()["manifest"].get("video_uri") is None
    assert mine.get(f"jobs/{job.id}/history").json()["items"][0]["event_type"] == "RECORDING_ERASED"

    stack.start_worker()
    wait_until(lambda: not stack.artifacts.exists(key), 60, "the file to go")
    wait_until(lambda: not stack.store.open_purges(-60.0), 60, "its record")
    assert mine.get(f"instructions/{instruction_of(job)}").status_code == 200
    assert stack.store.latest_artifact(job.id, ArtifactKind.TRANSCRIPT) is not None
    admin = api.client("root", Role.ADMIN)
    assert mine.get("admin/purges").status_code == 403
    (told,) = [each for each in admin.get("admin/purges").json()["items"] if each["id"] == gone.json()["id"]]
    assert told["what"] == "recording" and told["completed_at"] and job.id not in str(told) and "ann" not in str(told)
    stack.kill_worker()


def test_given_a_failed_job_without_its_recording_when_it_is_retried_then_a_sentence_says_why_not(
    office: tuple[Stack, RunningApi],
) -> None:
    stack, api = office
    job = with_files(stack, "eve")
    failure = Failure(failure_code="INTERNAL", failure_message="It broke.", failed_stage="draft")
    stack.store.move(job.id, None, "FAILED", trigger=Trigger.API, actor=Actor.SYSTEM, failure=failure)
    assert api.client("eve").delete(f"jobs/{job.id}/recording").status_code == 202
    refused = api.client("eve").post(f"jobs/{job.id}/retry", json={"client_request_id": "again"})
    assert (refused.status_code, refused.json()["code"]) == (409, RetryNotAllowed.code)
    assert "erased" in refused.json()["message"]


def test_given_a_user_when_everything_is_fetched_then_the_archive_holds_it_and_no_secret_and_nobody_elses(
    office: tuple[Stack, RunningApi],
) -> None:
    stack, api = office
    job, foreign = with_files(stack, "zoe"), with_files(stack, "yan")
    stack.store.grant("zoe", 100, reason="a gift", actor="root", idempotency_key="zoe")
    endpoint, secret = stack.store.create_endpoint("zoe", "https://example.org/z", (WebhookEvent.JOB_FAILED,)), "whsec"
    sitting = Sitting(
        sitting_id=job.id,
        instruction_id=instruction_of(job),
        base_version=1,
        markdown="unsaved",
        kept_at=job.created_at,
    )
    stack.store.keep_sitting("zoe", sitting)
    of_member = sitting.model_copy(update={"sitting_id": foreign.id, "markdown": "theirs alone"})
    stack.store.keep_sitting("zoe", of_member, author="yan")
    shared, binned = drafted_job(stack.store, "yan")[0], drafted_job(stack.store, "zoe")[0]
    there = sitting.model_copy(update={"instruction_id": instruction_of(shared), "markdown": "in a guide of yan's"})
    stack.store.keep_sitting("yan", there, author="zoe")
    stack.store.add_thread("zoe", instruction_of(binned), STEP_BLOCK, "Look at it again.", author="zoe")
    for each, text in (("zoe", "thrown away unsaved"), ("yan", "theirs in the bin")):
        left = {"instruction_id": instruction_of(binned), "sitting_id": new_uuid7(), "markdown": text}
        stack.store.keep_sitting("zoe", sitting.model_copy(update=left), author=each)
    stack.store.throw_away("zoe", binned.id)
    failure = Failure(failure_code="INTERNAL", failure_message="It broke.", failed_stage="draft")
    stack.store.move(job.id, None, "FAILED", trigger=Trigger.API, actor=Actor.SYSTEM, failure=failure)
    stack.store.review_job(job.id, "the-administrator", "what they noted")
    came: dict[str, Any] = {"id": "w", "provider": "p", "event_id": "e", "ticket": "the-address", "job_id": job.id}
    came |= {"attempt": 1, "verdict": "apply", "payload": {"said": "so"}, "received_at": job.created_at}
    with stack.store._database.write() as connection:
        connection.execute(insert(provider_webhooks), came)
    members = unzipped(api.client("zoe").get("account/archive"))
    places = [f"jobs/{job.id}", "user", f"jobs/{binned.id}"]
    kept = {each: [row["markdown"] for row in lines(members[f"{each}/sittings.jsonl"])] for each in places}
    assert kept == dict(zip(places, (["unsaved"], ["in a guide of yan's"], ["thrown away unsaved"]), strict=True))
    assert "user/comments.jsonl" not in members and f"jobs/{binned.id}/comments.jsonl" in members, "once"
    of_yan = unzipped(api.client("yan").get("account/archive"))
    texts = sorted(row["markdown"] for row in lines(of_yan["user/sittings.jsonl"]))
    assert texts == ["theirs alone", "theirs in the bin"]
    assert not [name for name in of_yan if name.startswith("jobs/") and name.endswith("/sittings.jsonl")]
    index = json.loads(members["index.json"])
    assert (index["user"], index["jobs"]) == ("zoe", [job.id, binned.id])
    assert members[f"files/jobs/{job.id}/upload/recording.mp4"] == job.id.encode() * 1000
    assert "some/key" in index["unreadable"], "a row names it, and it was never stored: said, not left out"
    assert b"Add a customer" in members[f"jobs/{job.id}/instruction.md"]
    (row,) = lines(members[f"jobs/{job.id}/jobs.jsonl"])
    assert (row["id"], row["owner"]) == (job.id, "zoe")
    assert lines(members["user/webhook_endpoints.jsonl"])[0]["id"] == endpoint.id
    assert lines(members["user/credit_postings.jsonl"])[0]["amount"] == 100
    whole = b"".join(members.values())
    assert foreign.id.encode() not in whole and secret.encode() not in whole and b'"secret"' not in whole
    assert lines(members[f"jobs/{job.id}/provider_webhooks.jsonl"])[0]["payload"] == {"said": "so"}
    assert not [each for each in (b"the-address", b"the-administrator", b"they noted") if each in whole]
    assert unzipped(api.client("nobody").get("account/archive")).keys() == {"index.json"}


def test_given_a_table_whose_cells_are_keys_of_anothers_files_then_these_are_neither_handed_out_nor_erased(
    office: tuple[Stack, RunningApi],
) -> None:
    stack, api = office
    victim = with_files(stack, "vic")
    keys = [f"jobs/{victim.id}/upload/recording.mp4", f"jobs/{victim.id}/inputs/task-1/1.parquet"]
    stack.artifacts.put_bytes(keys[1], b"only a table of theirs names it", "application/octet-stream")
    bureau = Bureau(stack, api)
    bureau.http = api.client("mal")
    stack.start_worker()
    job = bureau.drafted("Total amount by place", ("cells.csv", f"place,amount\n{keys[0]},1\n{keys[1]},2\n"))
    with stack.store._database.read() as connection:
        (said,) = connection.scalars(select(analyses.c.tables).where(analyses.c.job_id == job.id))
    assert all(key in json.dumps(said) for key in keys), "the cells stand in the table's profile"

    members = unzipped(bureau.http.get("account/archive"))
    files = {each for each in members if each.startswith("files/")}
    assert {each.split("/")[2] for each in files} == {job.id}
    assert any(each.endswith("/1.parquet") for each in files), "what only its own table names is there"

    assert bureau.http.delete(f"jobs/{job.id}").status_code == 202
    wait_until(lambda: not stack.store.open_erasures(-60.0), 60, "the erasure")
    stack.kill_worker()
    assert all(stack.artifacts.exists(key) for key in keys)
    assert not [*stack.artifacts.list(f"jobs/{job.id}/")]


def test_given_a_user_with_jobs_when_they_are_erased_then_nothing_names_them_and_the_books_balance(
    office: tuple[Stack, RunningApi],
) -> None:
    stack, api = office
    user, admin = "quentin-of-the-archive", api.client("root", Role.ADMIN)
    mine = api.client(user)
    stack.store.grant(user, 100, reason=f"for {user}", actor="root", idempotency_key=user)
    stack.store.create_endpoint(user, "https://example.org/q", (WebhookEvent.JOB_STATUS_CHANGED,))
    jobs = [with_files(stack, user), drafted_job(stack.store, user)[0]]
    jobs.append(stack.store.create_job(user, jobs[0].project_id, kind="analysis"))
    memo = f"jobs/{jobs[0].id}/upload/recording.mp4"
    kept = with_files(stack, "bob")
    assert mine.delete("account").status_code == 400
    assert mine.delete("account", params={"user_id": "bob"}).status_code == 400, "a slip erases nobody"
    begun = mine.delete("account", params={"user_id": user})
    assert begun.status_code == 202
    assert mine.delete("account", params={"user_id": user}).json()["id"] == begun.json()["id"], "it is one erasure"
    stack.start_worker()
    wait_until(lambda: not stack.store.open_purges(-60.0), 120, "the erasure")
    stack.kill_worker()
    assert mentions(stack, user) == set()
    for job in jobs:
        assert mentions(stack, job.id) <= {"erasures", "credit_postings"}, job.kind
    assert not stack.artifacts.exists(memo) and mine.get("jobs").json()["items"] == []
    assert mine.get("credits").json()["available"] == 0
    assert stack.store.get_job(kept.id).owner == "bob"
    books = stack.store.audit_credits()
    assert books.balanced, books.findings
    told = next(each for each in admin.get("admin/purges").json()["items"] if each["id"] == begun.json()["id"])
    assert (told["what"], told["by_admin"]) == ("user", False) and told["completed_at"]


def test_given_a_project_when_it_is_erased_then_it_is_gone_for_all_at_once_and_then_nothing_names_it(
    office: tuple[Stack, RunningApi],
) -> None:
    stack, api = office
    mine, theirs = api.client("paula"), api.client("peter")
    job = with_files(stack, "paula")
    other, binned = stack.store.create_job("paula", job.project_id), drafted_with_files(stack, "paula", job.project_id)
    stack.store.throw_away("paula", binned.id)
    kept, project = with_files(stack, "paula"), f"projects/{job.project_id}"
    invitation = mine.post(f"{project}/invitations", json={"role": "editor"}).json()
    token = invitation["url"].rpartition("/")[2]
    assert theirs.post("invitations/accept", json={"token": token}).status_code == 200
    assert theirs.delete(project).status_code == 403, "a member cannot"
    assert api.client("eve").delete(project).status_code == 404
    begun = mine.delete(project)
    assert begun.status_code == 202
    assert {each.delete(project).status_code for each in (mine, theirs)} == {404}
    assert theirs.get(f"jobs/{job.id}").status_code == 404 == mine.get(project).status_code
    assert mine.post(f"{project}/jobs").status_code == 404
    stack.start_worker()
    wait_until(lambda: not stack.store.open_purges(-60.0), 120, "the erasure")
    stack.kill_worker()
    assert mentions(stack, job.project_id) == set()
    for each in (job, other, binned):
        assert mentions(stack, each.id) == {"erasures"}
        assert not [*stack.artifacts.list(f"jobs/{each.id}/")]
    assert stack.store.get_job(kept.id).owner == "paula"
    told = api.client("root", Role.ADMIN).get("admin/purges").json()["items"]
    assert next(each["what"] for each in told if each["id"] == begun.json()["id"]) == "project"


def test_given_an_erasure_of_a_user_whose_start_was_lost_when_reconciled_then_it_is_done(
    office: tuple[Stack, RunningApi],
) -> None:
    stack, api = office
    job = with_files(stack, "walter")
    purge = stack.store.begin_user_purge("walter", by_admin=True)
    stack.store.erase_jobs_of_user(purge.id, 10)  # and whoever did died
    assert stack.store.open_purges(older_than_s=-60.0) == ((purge.id, PurgeKind.USER),)
    stack.start_worker()
    later = Store.open(stack.settings.database, clock=lambda: utc_now() + timedelta(minutes=1))
    reconcile(stack, later)
    later.dispose()
    wait_until(lambda: not stack.store.open_purges(-60.0), 60, "its end")
    stack.kill_worker()
    assert mentions(stack, "walter") == set() and mentions(stack, job.id) == {"erasures"}
    assert stack.store.begin_user_purge("walter").id != purge.id, "who comes back can go again"
    assert (
        api.client("root", Role.ADMIN).delete("admin/users", params={"user_id": "walter"}).json()["by_admin"] is False
    )


def test_given_what_is_kept_for_days_when_the_sweep_comes_then_what_is_older_goes_and_documents_stay(
    store: Store, tmp_path: Path
) -> None:
    from activities.artifacts import ArtifactStore

    artifacts = ArtifactStore.open(tmp_path.as_uri())
    drafted, waiting = drafted_job(store)[0], uploaded_job(store)
    ended = uploaded_job(store)
    store.move(ended.id, None, "CANCELLED", trigger=Trigger.API, actor=Actor.EDITOR)

    def sweep(days: float, **keeping: Any) -> tuple[int, int]:
        clock = lambda: utc_now() + timedelta(days=days)  # noqa: E731
        later = Store(store._database, clock, store._new_id)
        sweeper = Sweeper(later, artifacts, longest_s=DAY_S, keeping=Keeping(log_s=3650 * DAY_S, **keeping))
        done = ActivityEnvironment().run(sweeper.sweep)
        return done.jobs, done.recordings

    assert sweep(100) == (0, 0), "for ever, unless it is said"
    assert sweep(9, recordings_s=10 * DAY_S, jobs_s={"instruction": 10 * DAY_S}) == (0, 0)
    assert sweep(11, recordings_s=10 * DAY_S, jobs_s={"instruction": 10 * DAY_S}) == (1, 1)
    assert sweep(11, recordings_s=10 * DAY_S, jobs_s={"instruction": 10 * DAY_S}) == (0, 0), "once"
    assert store.latest_artifact(drafted.id, ArtifactKind.VIDEO) is None
    assert store.latest_artifact(waiting.id, ArtifactKind.VIDEO) is not None, "its run has still to read it"
    assert store.get_instruction("ann", instruction_of(drafted)).job_id == drafted.id
    (erasure,) = store.list_erasures().items
    assert (erasure.job_id, erasure.by_age, erasure.by_admin) == (ended.id, True, False)
    (purge,) = store.list_purges().items
    assert (purge.what, purge.by_age) == (PurgeKind.RECORDING, True)


def test_given_a_time_of_a_projects_own_when_the_sweep_comes_then_it_goes_before_what_is_said_for_all(
    store: Store, tmp_path: Path
) -> None:
    from activities.artifacts import ArtifactStore

    artifacts = ArtifactStore.open(tmp_path.as_uri())

    def ended(project: str | None) -> Job:
        job = uploaded_job(store, project_id=project)
        store.move(job.id, None, "CANCELLED", trigger=Trigger.API, actor=Actor.EDITOR)
        return job

    quick, slow = (store.create_project("ann", name).id for name in ("soon gone", "kept long"))
    jobs = {name: ended(project) for name, project in (("quick", quick), ("slow", slow), ("other", None))}
    pictured = {name: drafted_job(store, project_id=project)[0] for name, project in (("quick", quick), ("slow", slow))}

    def sweep(days: float, **said: Any) -> Swept:
        later = Store(store._database, lambda: utc_now() + timedelta(days=days), store._new_id)
        told = keeping(Settings(data_dir=tmp_path, webhook_retention_days=3650, **said))
        return ActivityEnvironment().run(Sweeper(later, artifacts, longest_s=DAY_S, keeping=told).sweep)

    def left() -> set[str]:
        erased = {each.job_id for each in store.list_erasures().items}
        return {name for name, job in jobs.items() if job.id not in erased}

    own = {"project_retention": f"{quick}=5, {slow}/instruction=30, {quick}/recording=3, {slow}/image=1"}
    assert (sweep(2, **own).jobs, left()) == (0, {"quick", "slow", "other"})
    assert (sweep(4, **own).recordings, left()) == (2, {"quick", "slow", "other"}), "of that project alone"
    assert store.latest_artifact(pictured["quick"].id, ArtifactKind.VIDEO) is None
    assert store.latest_artifact(pictured["slow"].id, ArtifactKind.VIDEO) is not None
    assert (sweep(6, **own).jobs, left()) == (1, {"slow", "other"}), "nothing is said for all: others stay for ever"
    assert (sweep(20, **own, job_retention="instruction=10").jobs, left()) == (1, {"slow"}), "longer than all others"
    assert (sweep(31, **own, job_retention="instruction=10").jobs, left()) == (1, set())
    assert store.get_instruction("ann", instruction_of(pictured["slow"])).job_id == pictured["slow"].id


def test_given_a_recording_that_a_batch_or_a_picture_needs_then_it_goes_neither_by_hand_nor_by_its_age(
    store: Store,
) -> None:
    job = drafted_job(store, "ann")[0]
    failure = Failure(failure_code="INTERNAL", failure_message="It broke.", failed_stage="processing")

    def stays() -> bool:
        aged = store.expired_recordings(-DAY_S)
        try:
            store.begin_recording_purge(job.id, owner="ann")
        except RecordingInUse as refused:
            assert "Wait" in refused.message and aged == ()
            return True
        return False

    batches = BatchRequests(store)
    spans = (Span(start_ms=0, end_ms=1000),)
    for kind, blocks in ((BatchType.CLIPS, True), (BatchType.THUMBNAILS, True), (BatchType.CAPTIONS, False)):
        order = BatchOrder(job_type=kind, sources=(job.id,), spans=spans if kind is BatchType.CLIPS else ())
        batch = batches.make("ann", order)
        assert (store.expired_recordings(-DAY_S) == ()) is blocks
        if blocks:
            assert stays(), kind
            store.end_batch(batch.id, failure, version=batch.version, actor=Actor.SYSTEM, note="stopped")
    others = drafted_job(store, "ann")[0]
    batches.make("ann", BatchOrder(job_type=BatchType.THUMBNAILS, sources=(others.id,)))

    shown = store.get_instruction("ann", instruction_of(job))
    task, _ = store.request_extraction("ann", job.id, shown.instruction_id, shown.id, Extraction(timestamp_ms=100))
    assert stays(), "a picture"
    store.fail_screenshot(task.id, failure)
    assert store.expired_recordings(-DAY_S) == (job.id,)
    assert not stays(), "and now nothing needs it"


@pytest.mark.parametrize("written", ["image", "image=0", "image=x", "film=3", "image=1,image=2", "image=36501"])
def test_given_a_retention_that_cannot_be_meant_then_the_setting_is_refused(written: str) -> None:
    with pytest.raises(ValidationError):
        Settings(job_retention=written)
    assert read_keeping(" image=30, batch = 90 ") == {"image": 30, "batch": 90}


@pytest.mark.parametrize(
    "written", ["p", "=3", "p=0", "p/film=3", "p/=3", "p=1,p=2", "p/image=1,p/image=2", "p/recording=36501", "p=x"]
)
def test_given_a_retention_of_a_project_that_cannot_be_meant_then_the_setting_is_refused(written: str) -> None:
    with pytest.raises(ValidationError):
        Settings(project_retention=written)
    kept = read_project_keeping(" p/image = 7, p=30 ,q/recording=2")
    assert kept == {"p": dict.fromkeys(LIFECYCLES, 30) | {"image": 7}, "q": {"recording": 2}}


def test_given_a_blob_that_is_shared_when_one_recording_goes_then_the_file_stays(
    office: tuple[Stack, RunningApi],
) -> None:
    stack, api = office
    shared = stack.artifacts.put_bytes("some/key", b"both", "text/plain")
    first, second = drafted_job(stack.store, "kim")[0], drafted_job(stack.store, "kim")[0]
    assert blob().key == shared.key
    assert api.client("kim").delete(f"jobs/{first.id}/recording").status_code == 202
    stack.start_worker()
    wait_until(lambda: not stack.store.open_purges(-60.0), 60, "its record")
    stack.kill_worker()
    assert stack.artifacts.exists("some/key") and stack.store.latest_artifact(second.id, ArtifactKind.AUDIO) is not None
