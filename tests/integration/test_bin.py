"""Guides in the bin: there for nobody, and back with all that was theirs; or erased when their time is over."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select
from temporalio.testing import ActivityEnvironment

from activities.artifacts import ArtifactStore
from activities.store import Sitting, Store
from activities.store.repository import new_uuid7
from activities.store.tables import metadata
from activities.store.upkeep.erasures import own_rows
from activities.upkeep.sweeping import Keeping, Sweeper
from domain.documents.annotations import operation_list
from domain.documents.publication import ExportFormat
from domain.documents.sharing import fingerprint
from domain.erasure import BIN_DAYS, binned
from domain.errors import GuideInUse, NotFound, QuotaExceeded
from domain.lifecycles.batch import BatchType
from domain.orders.batch import BatchOrder, Span
from domain.quotas import OwnerLimits
from starter.access.tokens import Role
from starter.services.batches import BatchRequests
from tests.apis import RunningApi, api_settings, running_api, wait_ready
from tests.integration.pictures import Illustrated, illustrated_job
from tests.integration.store_builders import OWNER, Run, created_job, drafted_job, instruction_of, uploaded_job
from tests.temporal import TemporalServer
from tests.walking import ABSENT, operations

PAGE = b"<!doctype html><html><body><header><h1>Guide</h1></header><main>Press Save.</main></body></html>"
IN_TIME, LATE = timedelta(days=BIN_DAYS, minutes=-1), timedelta(minutes=2)
TOLD = {"event_seq", "updated_at"}
"""What a job's row says of its log, which tells that it was thrown away and came back."""


@pytest.fixture(scope="module")
def api(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        settings = api_settings(tmp_path_factory.mktemp("bin"), rate_limit_default="off", rate_limit_expensive="off")
        with running_api(settings) as running:
            wait_ready(running)
            yield running


class Whole:
    """A guide with one of everything, and where each of it is fetched."""

    def __init__(self, api: RunningApi, owner: str) -> None:
        self.api, self.owner, self.http = api, owner, api.client(owner)
        self.told: Illustrated = illustrated_job(api.store, api.artifacts, owner)
        self.id, self.instruction = self.told.job.id, instruction_of(self.told.job)
        drawn = [{"op_type": "arrow", "geometry": {"x1": 0, "y1": 0, "x2": 0.5, "y2": 0.5}, "style": {}}]
        operation_list.validate_python(drawn)
        annotated = self.http.post(
            f"anchors/{self.told.anchor_id}/annotations",
            json={"base_asset_id": self.told.asset_id, "operations": drawn},
        )
        assert annotated.status_code == 200, annotated.text
        self.asset = annotated.json()["active_asset_id"]
        export, _ = api.store.request_export(owner, self.id, ExportFormat.HTML, self.told.instruction_version_id)
        blob = api.artifacts.put_bytes(f"exports/{export.id}.html", PAGE, "text/html; charset=utf-8")
        self.export = api.store.finish_export(export.id, blob, "guide.html", {})
        self.token = f"the-secret-of-{owner}"
        self.share = api.store.create_share(
            owner, self.instruction, export.id, fingerprint(self.token), recording=True, name="for the team"
        )
        self.sitting = Sitting(
            sitting_id=new_uuid7(),
            instruction_id=self.instruction,
            base_version=1,
            markdown="What is not saved yet.",
            kept_at=self.told.job.created_at,
        )
        api.store.keep_sitting(owner, self.sitting)

    @property
    def ids(self) -> dict[str, str]:
        return {
            "job_id": self.id,
            "instruction_id": self.instruction,
            "anchor_id": self.told.anchor_id,
            "asset_id": self.asset,
            "export_id": self.export.id,
            "share_id": self.share.id,
            "sitting_id": self.sitting.sitting_id,
        }

    def signed(self) -> list[str]:
        """Addresses that need no token."""
        export = self.http.get(f"exports/{self.export.id}").json()["download_url"]
        anchors = self.http.get(
            f"instructions/{self.instruction}/anchors",
            params={"instruction_version_id": self.told.instruction_version_id},
        ).json()
        pictures = [each["image_uri"] for anchor in anchors["items"] for each in anchor["assets"]]
        assert export and pictures
        return [export, *pictures]

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """All that the database has of it, but for what tells of the bin."""
        found: dict[str, list[dict[str, Any]]] = {}
        with self.api.store._database.read() as connection:
            for table in metadata.sorted_tables:
                if (own := own_rows(table, self.id)) is None:
                    continue
                rows = [dict(row) for row in connection.execute(select(table).where(own)).mappings()]
                kept = [row for row in rows if row.get("event_type") not in ("GUIDE_BINNED", "GUIDE_RESTORED")]
                drop = TOLD if table.name == "jobs" else set()
                found[table.name] = [{name: value for name, value in row.items() if name not in drop} for row in kept]
        return found


def shared(api: RunningApi, token: str) -> httpx.Response:
    return httpx.get(f"{api.url}/shared/{token}", timeout=30)


def told(api: RunningApi, token: str) -> tuple[int, str]:
    """What whoever has the link is told, but for what differs with every request."""
    answer = shared(api, token)
    return answer.status_code, re.sub(r'content="[^"]{20,24}"', "", answer.text.replace(token, ""))


def test_given_a_guide_with_one_of_everything_when_it_comes_back_from_the_bin_then_every_row_and_byte_is_as_before(
    api: RunningApi,
) -> None:
    whole = Whole(api, "ann")
    mine, addresses = whole.http, whole.signed()
    document = mine.get(f"instructions/{whole.instruction}").content
    files = [httpx.get(each).content for each in addresses]
    assert shared(api, whole.token).status_code == 200
    rows = whole.rows()
    assert files[0] == PAGE and len(rows["screenshot_assets"]) == 2 and rows["search_texts"]

    thrown = mine.post(f"guides/{whole.id}/bin")
    assert thrown.status_code == 200, thrown.text
    at, goes = (datetime.fromisoformat(thrown.json()[name]) for name in ("binned_at", "goes_at"))
    assert goes - at == timedelta(days=BIN_DAYS) and thrown.json()["title"] == "Add a customer"
    (listed,) = mine.get("guides/bin").json()["items"]
    assert listed == thrown.json()
    assert [httpx.get(each).status_code for each in addresses] == [404] * len(addresses)
    assert told(api, whole.token) == told(api, "no-such-link")
    assert whole.id not in mine.get("jobs", params={"limit": 100}).text
    with api.store._database.read() as connection:
        for table in metadata.sorted_tables:
            if "owner" in table.c and (own := own_rows(table, whole.id)) is not None:
                theirs = select(func.count()).select_from(table).where(own, table.c.owner == "ann")
                assert connection.scalar(theirs) == 0, table.name

    back = mine.post(f"guides/bin/{whole.id}/restore")
    assert (back.status_code, back.json()["id"], back.json()["status"]) == (200, whole.id, whole.told.job.status)
    assert mine.get("guides/bin").json()["items"] == []
    assert whole.rows() == rows
    assert mine.get(f"instructions/{whole.instruction}").content == document
    assert [httpx.get(each).content for each in addresses] == files
    assert shared(api, whole.token).status_code == 200
    history = [row["event_type"] for row in mine.get(f"jobs/{whole.id}/history").json()["items"]]
    assert history[:2] == ["GUIDE_RESTORED", "GUIDE_BINNED"]


def test_given_a_guide_in_the_bin_then_every_route_answers_its_owner_the_bytes_of_what_never_was(
    api: RunningApi,
) -> None:
    whole = Whole(api, "bea")
    assert whole.http.post(f"guides/{whole.id}/bin").status_code == 200
    ids, walked = whole.ids, 0
    for operation in operations(whole.http.get("openapi.json").json()):
        if not operation.parameters or not operation.needs_token or operation.is_admin:
            continue
        if not set(operation.parameters) <= set(ids) or operation.template.startswith("/api/v1/guides/bin/"):
            continue
        answers = [
            whole.http.request(
                operation.method,
                f"{api.url}{operation.path(named)}",
                params=operation.query(),
                json=operation.body() if operation.method != "GET" else None,
            )
            for named in (ids, dict.fromkeys(ids, ABSENT))
        ]
        assert answers[0].status_code == 404, (operation.name, answers[0].text)
        assert answers[0].content == answers[1].content, operation.name
        walked += 1
    assert walked > 30
    admin = api.client("root", Role.ADMIN)
    assert admin.get(f"admin/jobs/{whole.id}").content == admin.get(f"admin/jobs/{ABSENT}").content
    foreign = api.client("eve")
    for method, path in (("POST", f"guides/bin/{whole.id}/restore"), ("DELETE", f"guides/bin/{whole.id}")):
        absent = foreign.request(method, path.replace(whole.id, ABSENT))
        assert foreign.request(method, path).content == absent.content
        assert absent.status_code == 404
    assert foreign.get("guides/bin").json()["items"] == []


def test_given_a_name_that_the_store_keeps_for_itself_then_no_token_speaks_for_it(api: RunningApi) -> None:
    for subject in (binned("ann"), "(erased) somebody"):
        refused = api.client(subject).get("jobs")
        assert (refused.status_code, refused.json()["code"]) == (401, "UNAUTHORIZED")


def test_given_a_guide_that_is_worked_on_then_it_is_not_thrown_away_and_nothing_changes(api: RunningApi) -> None:
    store, mine = api.store, api.client("kim")
    making = uploaded_job(store, "kim")
    run = Run(store, making.id).dispatched()
    refused = mine.post(f"guides/{making.id}/bin")
    assert (refused.status_code, refused.json()["code"]) == (409, "GUIDE_IN_USE")
    assert mine.get(f"jobs/{making.id}").status_code == 200
    run.extract_audio().transcribe().write_draft()
    version = store.get_instruction("kim", instruction_of(store.get_job(making.id)))
    export, _ = store.request_export("kim", making.id, ExportFormat.PDF, version.id)
    assert mine.post(f"guides/{making.id}/bin").json()["code"] == "GUIDE_IN_USE", "it is being exported"
    store.finish_export(export.id, api.artifacts.put_bytes("exports/kim.pdf", b"%PDF", "application/pdf"), "a.pdf", {})
    assert mine.post(f"guides/{making.id}/bin").status_code == 200
    other = store.create_job("kim", making.project_id, kind="analysis")
    assert mine.post(f"guides/{other.id}/bin").status_code == 404, "it is no guide"


def test_given_a_guide_in_the_bin_when_it_is_erased_for_good_then_nothing_of_it_can_come_back(api: RunningApi) -> None:
    whole = Whole(api, "lou")
    assert whole.http.delete(f"guides/bin/{whole.id}").status_code == 404, "it is not in the bin"
    whole.http.post(f"guides/{whole.id}/bin")
    gone = whole.http.delete(f"guides/bin/{whole.id}")
    assert gone.status_code == 202 and gone.json()["job_id"] == whole.id
    assert whole.http.get("guides/bin").json()["items"] == []
    assert whole.http.post(f"guides/bin/{whole.id}/restore").status_code == 404
    assert whole.http.delete(f"guides/bin/{whole.id}").status_code == 404
    assert api.store.erasure_owner(whole.id) == "lou", "whose memos go with it"
    api.store.erase_rows(whole.id)
    assert not any(whole.rows().values())


# --- by the store's own time -----------------------------------------------------------------------------------------


class Time:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def aged(database_url: str, time: Time) -> Iterator[Store]:
    store = Store.open(database_url, clock=time, durable=False, limits=OwnerLimits(open_jobs=3))
    yield store
    store.dispose()


def test_given_guides_in_the_bin_when_their_days_are_over_then_the_sweep_erases_them_and_what_came_back_stays(
    aged: Store, time: Time, tmp_path: Path
) -> None:
    old, restored, young = (drafted_job(aged)[0] for _ in range(3))
    for each in (old, restored):
        aged.throw_away(OWNER, each.id)
    aged.take_out_of_bin(OWNER, restored.id)
    time.now += IN_TIME
    aged.throw_away(OWNER, young.id)
    assert aged.expired_in_bin() == ()
    time.now += LATE
    sweeper = Sweeper(aged, ArtifactStore.open(tmp_path.as_uri()), longest_s=3600.0, keeping=Keeping(log_s=3600.0))
    assert ActivityEnvironment().run(sweeper.sweep).binned == 1
    (erasure,) = aged.list_erasures().items
    assert (erasure.job_id, erasure.by_age, erasure.by_admin) == (old.id, True, False)
    assert [each.card.job.id for each in aged.list_bin(OWNER).items] == [young.id]
    assert aged.get_job(restored.id, owner=OWNER).status == restored.status
    with pytest.raises(NotFound):
        aged.begin_erasure_in_bin(restored.id, owner=None, by_age=True)
    assert ActivityEnvironment().run(sweeper.sweep).binned == 0


def test_given_what_lies_in_the_bin_then_it_counts_towards_what_its_owner_may_have(aged: Store) -> None:
    for _ in range(2):
        aged.throw_away(OWNER, created_job(aged).id)
    created_job(aged)
    with pytest.raises(QuotaExceeded):
        created_job(aged)


def test_given_a_recording_that_a_batch_reads_then_its_guide_is_not_thrown_away(aged: Store) -> None:
    job = drafted_job(aged)[0]
    spans = (Span(start_ms=0, end_ms=1000),)
    BatchRequests(aged).make(OWNER, BatchOrder(job_type=BatchType.CLIPS, sources=(job.id,), spans=spans))
    with pytest.raises(GuideInUse):
        aged.throw_away(OWNER, job.id)


def test_given_a_user_who_is_erased_then_what_they_threw_away_goes_too(aged: Store) -> None:
    job = drafted_job(aged)[0]
    aged.throw_away(OWNER, job.id)
    assert list(aged.job_ids_of(OWNER)) == [job.id], "it is in the archive of what is theirs"
    purge = aged.begin_user_purge(OWNER)
    assert not aged.erase_user_rows(purge.id), "it stands in the way"
    assert aged.erase_jobs_of_user(purge.id, 10) == (job.id,)
    aged.erase_rows(job.id)
    assert aged.erase_user_rows(purge.id)
