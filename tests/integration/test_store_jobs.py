"""Projects and jobs: made, owned, listed; the log as history and as event stream; uploads."""

import base64
import json
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any

import pytest

from activities.store import IdempotencyScope, JobRequest, Store
from domain.artifacts import ArtifactKind
from domain.errors import (
    IdempotencyConflict,
    NotFound,
    QuotaExceeded,
    RequestInvalid,
    TerminalImmutable,
    TransitionRefused,
    VersionConflict,
)
from domain.jobs import Actor, Failure, Job, Page
from domain.lifecycles.instruction import CANCELLED, CREATED, UPLOADED, UPLOADING
from domain.lifecycles.lifecycle import Trigger
from domain.quotas import OwnerLimits
from tests.databases import PATIENT
from tests.integration.store_builders import OWNER, Run, at_once, blob, created_job, drafted_job, log_of, uploaded_job

pytest_plugins = ("tests.databases",)

NOON = datetime(2026, 1, 1, 12, 0, 0, 1, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)
HASH = "a" * 64


def pages(fetch: Any, limit: int) -> list[list[Any]]:
    found, cursor = [], None
    while True:
        page: Page[Any] = fetch(limit=limit, cursor=cursor)
        found.append(list(page.items))
        cursor = page.next_cursor
        if cursor is None:
            return found


# --- ownership ---------------------------------------------------------------------------------------------------


def test_given_a_job_when_it_is_made_then_it_begins_its_lifecycle_with_a_row(store: Store) -> None:
    project = store.create_project(OWNER, "Manuals", {"audio": "external"})
    job = store.create_job(OWNER, project.id, language="en", correlation_id="c-1")

    assert store.get_project(OWNER, project.id) == project
    assert store.get_job(job.id, owner=OWNER) == job
    assert (job.status, job.progress, job.attempt, job.version, job.language) == (CREATED, 0, 1, 1, "en")
    (row,) = store.events(job.id)
    assert (row.seq, row.event_type, row.new_status, row.project_id, row.correlation_id) == (
        1,
        "JOB_CREATED",
        CREATED,
        project.id,
        "c-1",
    )


def test_given_foreign_absent_and_malformed_ids_when_asked_for_then_the_answers_are_alike(store: Store) -> None:
    job = created_job(store)
    answers = set()
    for owner, job_id in (("bob", job.id), (OWNER, job.id[:-1] + "x"), (OWNER, "../é"), (OWNER, "")):
        for ask in (
            lambda owner=owner, job_id=job_id: store.get_job(job_id, owner=owner),
            lambda owner=owner, job_id=job_id: store.history(owner, job_id),
            lambda owner=owner, job_id=job_id: store.confirm_upload(owner, job_id, blob()),
            lambda owner=owner, job_id=job_id: store.list_exports(owner, job_id),
        ):
            with pytest.raises(NotFound) as refusal:
                ask()
            answers.add((refusal.value.message, repr(refusal.value.details)))

    assert len(answers) == 1


def test_given_another_owners_project_when_a_job_is_made_in_it_then_there_is_no_such_project(store: Store) -> None:
    project = store.create_project(OWNER, "Manuals")

    with pytest.raises(NotFound):
        store.create_job("bob", project.id)
    with pytest.raises(RequestInvalid):
        store.create_job(OWNER, project.id, kind="nonsense")


def test_given_times_when_they_are_stored_then_they_come_back_aware_to_the_microsecond(database_url: str) -> None:
    store = Store.open(database_url, clock=lambda: NOON.astimezone(tz=None), durable=False)
    job = created_job(store)

    found = store.get_job(job.id)
    assert found.created_at == NOON
    assert found.created_at.utcoffset() == timedelta(0)
    assert store.events(job.id)[0].recorded_at == NOON
    store.dispose()


# --- lists -------------------------------------------------------------------------------------------------------


def test_given_jobs_of_one_moment_when_listed_in_pages_then_each_comes_once_newest_first(database_url: str) -> None:
    ticks = count()
    store = Store.open(database_url, clock=lambda: NOON + timedelta(seconds=next(ticks) // 6), durable=False)
    project = store.create_project(OWNER, "Manuals")
    made = [store.create_job(OWNER, project.id) for _ in range(11)]
    store.create_job("bob", store.create_project("bob", "His").id)

    listed = pages(lambda **page: store.list_jobs(OWNER, **page), 3)

    assert [len(page) for page in listed] == [3, 3, 3, 2]
    newest_first = sorted(made, key=lambda job: (job.created_at, job.id), reverse=True)
    assert [job.id for page in listed for job in page] == [job.id for job in newest_first]
    store.dispose()


def test_given_jobs_when_their_cards_are_asked_for_by_id_then_an_owner_gets_those_of_their_own(store: Store) -> None:
    mine, other = created_job(store), created_job(store)
    his = store.create_job("bob", store.create_project("bob", "His").id)

    cards = store.job_cards_of(OWNER, {mine.id, his.id, "01a2222e-a898-744b-9c74-4812e0ca5ab0"})

    assert {each: card.job for each, card in cards.items()} == {mine.id: mine}
    assert store.job_cards_of(OWNER, ()) == {}
    assert [card.job for card in store.job_cards(OWNER).items] == [other, mine]


def test_given_a_page_that_was_read_when_jobs_arrive_then_the_next_page_neither_repeats_nor_skips(store: Store) -> None:
    made = [created_job(store) for _ in range(4)]
    first = store.list_jobs(OWNER, limit=2)
    created_job(store)

    second = store.list_jobs(OWNER, limit=2, cursor=first.next_cursor)

    assert [job.id for job in (*first.items, *second.items)] == [job.id for job in reversed(made)]
    assert second.next_cursor is None


def test_given_filters_when_jobs_are_listed_then_only_matching_ones_come(store: Store) -> None:
    here, there = created_job(store), uploaded_job(store)

    assert [job.id for job in store.list_jobs(OWNER, status=UPLOADED).items] == [there.id]
    assert [job.id for job in store.list_jobs(OWNER, project_id=here.project_id).items] == [here.id]
    assert len(store.list_jobs(OWNER, kind="instruction").items) == 2
    assert store.list_jobs(OWNER, kind="image") == Page[Job](items=())
    assert [project.id for project in store.list_projects(OWNER, limit=1).items] == [there.project_id]


SOME_ID = "01a22904-5a39-73da-800b-89ce73c57abe"


def forged(moment: str, last: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([moment, last]).encode()).decode().rstrip("=")


BEFORE_ALL_TIME = forged("0001-01-01T00:00:00+23:00", SOME_ID)
AFTER_ALL_TIME = forged("9999-12-31T23:59:59-23:00", SOME_ID)
NO_TEXT_FOR_A_DATABASE = forged("2026-01-01T00:00:00+00:00", "a\x00b")


def test_given_everybodys_jobs_when_listed_in_pages_then_each_that_was_asked_for_comes_once_newest_first(
    store: Store,
) -> None:
    jobs = [created_job(store, owner) for owner in ("ann", "bob", "ann", "bob", "cyd")]
    for job in jobs[1:]:
        failure = Failure(failure_code="X", failure_message="x", failed_stage="audio")
        store.move(job.id, None, "FAILED", trigger=Trigger.API, actor=Actor.EDITOR, failure=failure)
    image, _ = store.request_job(JobRequest(owner="ann", kind="image", input={"prompt": "x", "params": {}}, cost=0))
    ids = [job.id for job in (*jobs, image)][::-1]
    store.review_job(jobs[2].id, "root", "looked")

    def listed(**wanted: Any) -> list[str]:
        found, cursor = [], None
        while True:
            page = store.list_all_jobs(limit=2, cursor=cursor, **wanted)
            found += [job.id for job in page.items]
            if (cursor := page.next_cursor) is None:
                return found

    assert listed() == ids
    assert listed(kind="instruction") == ids[1:]
    assert listed(kind="instruction", status="FAILED") == listed(status="FAILED") == ids[1:5]
    assert listed(owner="ann") == [image.id, jobs[2].id, jobs[0].id]
    assert listed(to_review=True) == [jobs[4].id, jobs[3].id, jobs[1].id]
    assert listed(to_review=True, owner="bob", kind="instruction") == [jobs[3].id, jobs[1].id]
    assert listed(to_review=True, status="CREATED") == listed(to_review=True, kind="batch") == []
    store.begin_erasure(jobs[1].id, owner=None, by_admin=True)
    with pytest.raises(NotFound):
        store.anybodys_job(jobs[1].id)
    assert store.anybodys_job(jobs[3].id).owner == "bob"


@pytest.mark.parametrize(
    "cursor",
    [
        *("", "nonsense", "é", "bnVsbA", "WzFd", "WyIyMDI2LTAxLTAxIiwiYSJd", "[" * 400),
        *(BEFORE_ALL_TIME, AFTER_ALL_TIME, NO_TEXT_FOR_A_DATABASE),
    ],
)
def test_given_a_cursor_that_is_not_ours_when_listing_then_it_is_refused(store: Store, cursor: str) -> None:
    with pytest.raises(RequestInvalid):
        store.list_jobs(OWNER, cursor=cursor)


@pytest.mark.parametrize("limit", [0, -1, 101])
def test_given_a_limit_out_of_range_when_listing_then_it_is_refused(store: Store, limit: int) -> None:
    with pytest.raises(RequestInvalid):
        store.list_jobs(OWNER, limit=limit)


# --- the log -----------------------------------------------------------------------------------------------------


def test_given_a_log_when_it_is_read_from_a_number_then_nothing_is_missing_or_repeated(store: Store) -> None:
    job, run = drafted_job(store)
    whole = store.events(job.id)

    assert store.events(job.id, after_seq=4, limit=3) == whole[4:7]
    assert store.events(job.id, after_seq=len(whole)) == ()
    assert store.last_event_seq(job.id) == len(whole)
    assert store.events(job.id, streams=["progress"]) == ()
    assert run.job_id == job.id


def test_given_progress_in_the_log_when_history_is_read_then_it_is_newest_first_without_it(store: Store) -> None:
    run = Run(store, uploaded_job(store).id).dispatched()
    store.begin_stage(run.job_id, run.fence(), "AUDIO_EXTRACTING")
    store.report_progress(run.job_id, run.fence(), 5)

    history = pages(lambda **page: store.history(OWNER, run.job_id, **page), 2)

    rows = [row for page in history for row in page]
    assert [row.seq for row in rows] == [4, 3, 2, 1]
    assert {row.stream for row in rows} == {"status"}


def test_given_writers_that_race_when_the_log_is_read_meanwhile_then_it_never_shows_a_gap(store: Store) -> None:
    run = Run(store, uploaded_job(store).id).dispatched()
    store.begin_stage(run.job_id, run.fence(), "AUDIO_EXTRACTING")

    def write_or_read(number: int) -> list[int]:
        if number % 2:
            for percent in range(number, 60, 5):
                store.report_progress(run.job_id, run.fence(), percent)
        return [event.seq for event in store.events(run.job_id)]

    for seen in at_once(6, write_or_read):
        assert not isinstance(seen, Exception)
        assert seen == list(range(1, len(seen) + 1))


# --- moves without a run -------------------------------------------------------------------------------------------


def test_given_a_decision_on_an_old_version_when_it_is_written_then_it_conflicts(store: Store) -> None:
    job = created_job(store)
    store.confirm_upload(OWNER, job.id, blob("video"))

    with pytest.raises(VersionConflict) as conflict:
        store.move(job.id, None, CANCELLED, trigger=Trigger.API, actor=Actor.SYSTEM, expected_version=job.version)

    assert conflict.value.details == {"base_version": 1, "current_version": 2}


def test_given_cancels_that_race_when_all_arrive_then_one_row_says_so(store: Store) -> None:
    job = uploaded_job(store)

    answers = at_once(
        6, lambda _: store.move(job.id, None, CANCELLED, trigger=Trigger.API, actor=Actor.EDITOR, note="asked for")
    )

    assert len({repr(each) for each in answers}) == 1
    assert log_of(store, job.id)[-1] == ("STATUS_CHANGED", UPLOADED, CANCELLED)
    assert [new for _, _, new in log_of(store, job.id)].count(CANCELLED) == 1


# --- uploads -----------------------------------------------------------------------------------------------------


def begin(store: Store, job: Job, name: str = "first") -> Any:
    return store.begin_upload(
        OWNER,
        job.id,
        upload_id=f"upload-{name}",
        key=f"videos/{name}",
        filename=f"{name}.mp4",
        size_bytes=10,
        expires_at=NOON,
    )


def test_given_a_created_job_when_an_upload_begins_twice_then_the_same_session_is_answered_refreshed(
    store: Store,
) -> None:
    job = created_job(store)
    uploading, session = begin(store, job)

    again, refreshed = begin(store, job, "second")

    assert (uploading.status, again) == (UPLOADING, uploading)
    assert (refreshed.id, refreshed.key, refreshed.filename) == (session.id, session.key, "second.mp4")
    assert store.get_upload(session.id) == refreshed == store.upload_of_job(job.id)
    assert log_of(store, job.id)[1:] == [("STATUS_CHANGED", CREATED, UPLOADING)]


def test_given_a_declared_size_when_the_same_file_is_announced_again_without_it_then_it_still_holds(
    store: Store,
) -> None:
    job = created_job(store)
    again: dict[str, Any] = {"upload_id": "u-2", "key": "uploads/u-2", "expires_at": LATER}
    _, session = begin(store, job)
    _, same = store.begin_upload(OWNER, job.id, filename=session.filename, **again)
    _, other = store.begin_upload(OWNER, job.id, filename="other.mp4", **again)
    assert (same.size_bytes, other.size_bytes) == (10, None)
    assert (session.expires_at, same.expires_at) == (NOON, LATER)


def test_given_an_upload_when_it_is_confirmed_then_the_video_is_the_jobs_first_artifact(store: Store) -> None:
    job, session = begin(store, created_job(store))

    confirmed, replayed = store.confirm_upload(OWNER, job.id, blob(session.key, "video/mp4"), "demo.mp4")

    assert (confirmed.status, confirmed.source_name, replayed) == (UPLOADED, "demo.mp4", False)
    video = store.latest_artifact(job.id, ArtifactKind.VIDEO)
    assert video is not None
    assert (video.version, video.blob.key) == (1, session.key)


def test_given_a_confirmed_upload_when_it_is_confirmed_again_in_a_later_state_then_it_is_a_replay(store: Store) -> None:
    job, _ = drafted_job(store)

    again, replayed = store.confirm_upload(OWNER, job.id, blob(f"videos/{job.id}"), "other-name.mp4")

    assert replayed
    assert again == job


def test_given_confirmations_that_race_when_all_arrive_then_one_writes_and_the_rest_replay(store: Store) -> None:
    job = created_job(store)

    answers = at_once(6, lambda _: store.confirm_upload(OWNER, job.id, blob("video")))

    assert sorted(each[1] for each in answers if isinstance(each, tuple)) == [False] + [True] * 5
    assert len(store.artifacts(job.id)) == 1


def test_given_a_job_past_its_upload_when_an_upload_begins_or_is_confirmed_then_the_table_refuses(store: Store) -> None:
    with pytest.raises(TransitionRefused):
        begin(store, uploaded_job(store))
    cancelled = created_job(store)
    store.move(cancelled.id, None, CANCELLED, trigger=Trigger.API, actor=Actor.EDITOR)
    with pytest.raises(TerminalImmutable):
        store.confirm_upload(OWNER, cancelled.id, blob("video"))


# --- idempotency keys ---------------------------------------------------------------------------------------------


def test_given_a_key_when_it_comes_again_then_it_is_answered_alike_for_a_day(database_url: str) -> None:
    now = [NOON]
    store = Store.open(database_url, clock=lambda: now[0], durable=False)
    scope = IdempotencyScope(OWNER, "POST", "/api/v1/projects", "k-1")

    assert store.idempotent_answer(scope, HASH) is None
    assert store.once(scope, HASH, lambda: {"id": "p-1"}) == ({"id": "p-1"}, False)
    assert store.once(scope, HASH, lambda: {"id": "p-2"}) == ({"id": "p-1"}, True)
    assert store.idempotent_answer(scope, HASH) == {"id": "p-1"}
    assert store.idempotent_answer(scope._replace(owner="bob"), HASH) is None
    for asked in (store.idempotent_answer, partial(store.once, create=dict)):
        with pytest.raises(IdempotencyConflict):
            asked(scope, "b" * 64)

    now[0] += timedelta(hours=24)
    assert store.idempotent_answer(scope, "b" * 64) is None
    assert store.once(scope, "b" * 64, lambda: {"id": "p-3"}) == ({"id": "p-3"}, False)
    assert store.purge_idempotency_keys() == 0
    now[0] += timedelta(hours=25)
    assert store.purge_idempotency_keys() == 1
    store.dispose()


def test_given_a_creation_that_fails_when_its_key_comes_again_then_nothing_was_made_and_the_key_is_free(
    store: Store,
) -> None:
    scope = IdempotencyScope(OWNER, "POST", "/api/v1/projects", "k-1")

    def made_and_failed() -> dict[str, object]:
        project = store.create_project(OWNER, "lost")
        assert store.get_project(OWNER, project.id) == project  # what it wrote, it reads
        raise VersionConflict("afterwards")

    with pytest.raises(VersionConflict):
        store.once(scope, HASH, made_and_failed)

    assert store.list_projects(OWNER).items == ()
    assert store.once(scope, HASH, lambda: {"id": "p-1"}) == ({"id": "p-1"}, False)


def test_given_one_key_in_two_processes_when_used_at_once_then_one_creation(database_url: str) -> None:
    stores = [Store.open(database_url, durable=False, **PATIENT) for _ in range(2)]
    scope = IdempotencyScope(OWNER, "POST", "/api/v1/projects", "k-1")

    def made(number: int) -> tuple[dict[str, object], bool]:
        store = stores[number % 2]
        return store.once(scope, HASH, lambda: {"id": store.create_project(OWNER, "one").id})

    answers = [answer for answer in at_once(16, made) if isinstance(answer, tuple)]

    (project,) = stores[0].list_projects(OWNER).items
    assert [answer for answer, _ in answers] == [{"id": project.id}] * 16
    assert [replayed for _, replayed in answers].count(False) == 1
    for store in stores:
        store.dispose()


# --- as much as a user may have ----------------------------------------------------------------------------------


def test_given_a_user_with_room_for_two_jobs_when_they_ask_for_ten_at_once_then_they_have_two(
    database_url: str,
) -> None:
    store = Store.open(database_url, durable=False, limits=OwnerLimits(open_jobs=2), **PATIENT)
    project = store.create_project(OWNER, "x").id
    answers = at_once(10, lambda _: store.create_job(OWNER, project))
    assert sum(isinstance(answer, Job) for answer in answers) == 2
    assert {type(answer) for answer in answers} == {Job, QuotaExceeded}
    store.dispose()


def test_given_uploads_that_are_announced_when_together_they_are_too_large_then_the_last_is_refused(
    database_url: str,
) -> None:
    limits = OwnerLimits(stored_bytes=100, undeclared_recording=40, undeclared_input=30)
    moments = [datetime(2026, 1, 1, tzinfo=UTC)]
    store = Store.open(database_url, durable=False, limits=limits, clock=lambda: moments[-1])
    project = store.create_project(OWNER, "x").id
    first, second, third = (store.create_job(OWNER, project) for _ in range(3))
    until = moments[0] + timedelta(days=1)

    def begin(job: Job, size: int | None) -> None:
        told: dict[str, Any] = {
            "upload_id": f"u-{job.id}",
            "key": f"k/{job.id}",
            "filename": "x.mp4",
            "expires_at": until,
        }
        store.begin_upload(OWNER, job.id, size_bytes=size, **told)

    begin(first, 70)
    with pytest.raises(QuotaExceeded) as refused:
        begin(second, None)  # nobody says how large: as large as it may be
    assert refused.value.details == {"limit": "stored_bytes", "used": 0, "announced": 110, "allowed": 100}
    assert "without size_bytes counts as the largest" in refused.value.message
    assert store.get_job(second.id).status == "CREATED"
    begin(second, 30)
    with pytest.raises(QuotaExceeded):
        begin(second, 31)
    begin(first, 60)  # announced anew, it takes what it takes now
    begin(third, 10)
    moments.append(until + timedelta(seconds=1))  # no address holds any more
    until += timedelta(days=2)
    begin(second, 100)
    store.dispose()
