"""Guides in the bin: there for nobody, and back with all that was theirs; or erased when their time is over."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import func, insert, select
from temporalio.testing import ActivityEnvironment

from activities.artifacts import ArtifactStore
from activities.store import Sitting, Store
from activities.store.repository import new_uuid7
from activities.store.tables import metadata
from activities.store.upkeep.erasures import own_rows
from activities.upkeep.sweeping import Keeping, Sweeper
from domain.artifacts import ArtifactKind
from domain.documents.annotations import operation_list
from domain.documents.presence import Place
from domain.documents.publication import ExportFormat
from domain.documents.screenshots import Extraction, NewFrame
from domain.documents.sharing import fingerprint
from domain.documents.translations import NewText
from domain.documents.versions import KEPT_DAYS
from domain.erasure import BIN_DAYS, binned
from domain.errors import GuideInUse, NotFound, QuotaExceeded
from domain.jobs import Failure
from domain.lifecycles.batch import BatchType
from domain.orders.batch import BatchOrder, Span
from domain.projects import ProjectRole
from domain.quotas import OwnerLimits
from starter.access.tokens import Role
from starter.services.batches import BatchRequests
from tests.apis import RunningApi, api_settings, running_api, wait_ready
from tests.integration.pictures import Illustrated, illustrated_job, screen
from tests.integration.store_builders import (
    OWNER,
    STEP_BLOCK,
    Run,
    created_job,
    drafted_job,
    instruction_of,
    uploaded_job,
)
from tests.temporal import TemporalServer
from tests.walking import ABSENT, operations

PAGE = b"<!doctype html><html><body><header><h1>Guide</h1></header><main>Press Save.</main></body></html>"
IN_TIME, LATE = timedelta(days=BIN_DAYS, minutes=-1), timedelta(minutes=2)
FAILED = Failure(failure_code="PROVIDER_TIMEOUT", failure_message="Try again.", failed_stage="rewrite")
OF_NO_GUIDE = {"project_id", "invitation_id", "term_id", "endpoint_id", "delivery_id", "kind"}
"""What routes name that is not a guide's, and stays where it is when one is thrown away."""
OF_NO_SUCH_GUIDE = {
    *("analyses", "plan_tasks", "batch_items", "generation_submissions", "provider_webhooks", "webhook_tickets"),
    *("library_assets", "callback_events", "reported_artifacts", "job_inputs", "webhook_attempts", "uploads"),
    *("reviews", "purges"),
}
"""Tables of other kinds of jobs, of outside runners, of requests on their way, and of what administrators do."""
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
    """A guide with one of everything, and where each of it is fetched; an editor is in its project."""

    def __init__(self, api: RunningApi, owner: str) -> None:
        self.api, self.owner, self.http = api, owner, api.client(owner)
        api.store.create_endpoint(owner, "https://example.org/hook")
        self.told: Illustrated = illustrated_job(api.store, api.artifacts, owner)
        self.id, self.instruction = self.told.job.id, instruction_of(self.told.job)
        self.project, self.member = self.told.job.project_id, f"editor-of-{owner}"
        api.store.invite(owner, self.project, ProjectRole.EDITOR, fingerprint(self.member))
        api.store.accept_invitation(self.member, fingerprint(self.member))
        self.shot = self._shot()
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
        self.sitting = self._sitting(f"What {owner} has not saved yet.")
        api.store.keep_sitting(owner, self.sitting)
        api.store.keep_sitting(owner, self._sitting("What is theirs alone."), author=self.member)
        api.store.be_present(owner, self.instruction, self.sitting.sitting_id, Place(), subject=self.member)
        self.thread = api.store.add_thread(owner, self.instruction, STEP_BLOCK, "Which one?", author=self.member)
        api.store.correct(owner, self.id, 0, "Herd.", "Heard.")
        corrected = api.store.correcting_everywhere(owner, self.id, [], segments=[], base=None, blocks=[])
        self.corrections = corrected()
        of_one: dict[str, Any] = {"client_request_id": "one", "requested_by": self.member}
        self.rewriting, _ = api.store.create_regenerate(
            owner, self.instruction, base_version=1, selection={"block_id": STEP_BLOCK}, request={}, **of_one
        )
        api.store.fail_regenerate(self.rewriting.id, FAILED)
        self.translating, _ = api.store.request_translation(owner, self.instruction, "de", is_update=False, **of_one)
        work = api.store.begin_translation(self.translating.id)
        assert work is not None
        german = {each: NewText(markdown="Auf Deutsch.", source_sha256=fingerprint(each)) for each in work.wanted}
        self.german = api.store.finish_translation(work, german, {}).instruction_id
        assert self.german is not None
        in_german = self._sitting("Was noch nicht gespeichert ist.", self.german)
        api.store.keep_sitting(owner, in_german, author=self.member)
        picture: dict[str, Any] = {
            "filename": "mine.png",
            "media_type": "image/png",
            "size_bytes": 1,
            "checksum_sha256": "0" * 64,
        }
        lasts = datetime.now(UTC) + timedelta(hours=1)
        self.picture = api.store.begin_picture(owner, self.id, **picture, expires_at=lasts)

    def _sitting(self, markdown: str, instruction_id: str | None = None) -> Sitting:
        return Sitting(
            sitting_id=new_uuid7(),
            instruction_id=instruction_id or self.instruction,
            base_version=1,
            markdown=markdown,
            kept_at=self.told.job.created_at,
        )

    def _shot(self) -> str:
        """The task of another frame, which was taken."""
        at = self.told.anchor_id, self.instruction, self.told.instruction_version_id
        task, _ = self.api.store.request_replacement(self.owner, *at, Extraction(timestamp_ms=700))
        self.api.store.begin_screenshot(task.id)
        blob = self.api.artifacts.put_bytes(f"taken/{task.id}.png", screen("another"), "image/png")
        self.api.store.finish_screenshot(task.id, NewFrame(blob=blob, width=320, height=200, pts_ms=700))
        return task.id

    def sittings(self) -> list[tuple[str, str]]:
        """What is not saved yet, and whose it is."""
        return sorted((each["owner"], each["markdown"]) for each in self.rows()["sittings"])

    @property
    def ids(self) -> dict[str, str]:
        return {
            "task_id": self.rewriting.id,
            "translation_task_id": self.translating.id,
            "thread_id": self.thread.id,
            "comment_id": self.thread.comments[0].id,
            "set_id": self.corrections.id,
            "upload_id": self.picture.id,
            "desk_id": self.sitting.sitting_id,
            "block_id": STEP_BLOCK,
            "version": "1",
            "index": "0",
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
    german = mine.get(f"instructions/{whole.german}").content
    files = [httpx.get(each).content for each in addresses]
    assert shared(api, whole.token).status_code == 200
    rows = whole.rows()
    assert files[0] == PAGE and len(rows["screenshot_assets"]) == 3
    assert {name for name, found in rows.items() if not found} == OF_NO_SUCH_GUIDE, "one of everything"
    with api.client(whole.member) as member:
        unsaved = member.get(f"instructions/{whole.instruction}/sittings").json()["items"]
    assert len(unsaved) == 1 and len(rows["sittings"]) == 3

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
    assert mine.get(f"instructions/{whole.german}").content == german
    with api.client(whole.member) as member:
        assert member.get(f"instructions/{whole.instruction}/sittings").json()["items"] == unsaved
    assert [httpx.get(each).content for each in addresses] == files
    assert shared(api, whole.token).status_code == 200
    history = [row["event_type"] for row in mine.get(f"jobs/{whole.id}/history").json()["items"]]
    assert history[:2] == ["GUIDE_RESTORED", "GUIDE_BINNED"]


def test_given_a_guide_in_the_bin_then_every_route_answers_whose_it_is_and_members_the_bytes_of_what_never_was(
    api: RunningApi,
) -> None:
    whole = Whole(api, "bea")
    member = api.client(whole.member)
    assert whole.http.post(f"guides/{whole.id}/bin").status_code == 200
    walked = 0
    for operation in operations(whole.http.get("openapi.json").json()):
        if not operation.parameters or not operation.needs_token or operation.is_admin:
            continue
        if set(operation.parameters) <= OF_NO_GUIDE or operation.template.startswith("/api/v1/guides/bin/"):
            continue
        ids = whole.ids | ({"task_id": whole.shot} if "/screenshot-tasks/" in operation.template else {})
        missing = set(operation.parameters) - set(ids)
        assert not missing, f"{operation.name}: make one of {missing} in Whole, or name it in OF_NO_GUIDE"
        never = {name: value if name in ("version", "index") else ABSENT for name, value in ids.items()}
        for client in (whole.http, member):
            answers = [
                client.request(
                    operation.method,
                    f"{api.url}{operation.path(named)}",
                    params=operation.query(),
                    json=operation.body() if operation.method != "GET" else None,
                )
                for named in (ids, never)
            ]
            assert answers[0].status_code == 404, (operation.name, answers[0].text)
            assert answers[0].content == answers[1].content, operation.name
        walked += 1
    assert walked > 80
    admin = api.client("root", Role.ADMIN)
    assert admin.get(f"admin/jobs/{whole.id}").content == admin.get(f"admin/jobs/{ABSENT}").content
    foreign = api.client("eve")
    for method, path in (("POST", f"guides/bin/{whole.id}/restore"), ("DELETE", f"guides/bin/{whole.id}")):
        absent = foreign.request(method, path.replace(whole.id, ABSENT))
        assert foreign.request(method, path).content == absent.content
        assert absent.status_code == 404
    assert foreign.get("guides/bin").json()["items"] == []
    assert whole.http.post(f"guides/bin/{whole.id}/restore").status_code == 200
    assert len(whole.sittings()) == 3, "nothing of all that was done"


def test_given_a_member_who_leaves_while_a_guide_lies_in_the_bin_then_what_they_had_not_saved_goes_with_them(
    api: RunningApi,
) -> None:
    whole = Whole(api, "mia")
    with api.client(whole.member) as member:
        whole.http.post(f"guides/{whole.id}/bin")
        assert member.post(f"projects/{whole.project}/leave").status_code == 204
    kept = [(binned("mia"), whole.sitting.markdown)]
    assert whole.sittings() == kept
    old = whole._sitting("Of somebody who left when the bin was not looked into.")
    with api.store._database.write() as connection:  # as versions before this one left it
        row = old.model_dump() | {"blocks": [], "job_id": whole.id, "owner": binned("gone")}
        connection.execute(insert(metadata.tables["sittings"]), row)
    whole.http.post(f"guides/bin/{whole.id}/restore")
    assert whole.sittings() == [("mia", whole.sitting.markdown)]


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


def test_given_what_is_not_saved_when_its_guide_was_in_the_bin_for_long_then_it_came_back_and_is_kept_anew(
    aged: Store, time: Time
) -> None:
    job, _ = drafted_job(aged)
    instruction = instruction_of(job)
    sitting = Sitting(
        sitting_id="desk", instruction_id=instruction, base_version=1, markdown="Not saved.", kept_at=time.now
    )
    aged.keep_sitting(OWNER, sitting)
    time.now += timedelta(days=KEPT_DAYS - 1)
    aged.throw_away(OWNER, job.id)
    time.now += IN_TIME
    assert aged.purge_sittings() == 0, "it waits for what becomes of its guide"
    aged.take_out_of_bin(OWNER, job.id)
    time.now += timedelta(days=KEPT_DAYS)
    assert aged.purge_sittings() == 0
    (kept,) = aged.list_sittings(OWNER, instruction)
    assert (kept.sitting_id, kept.kept_at) == ("desk", sitting.kept_at)
    assert aged.get_sitting(OWNER, instruction, "desk").markdown == "Not saved."
    time.now += timedelta(seconds=1)
    assert aged.list_sittings(OWNER, instruction) == ()
    assert aged.purge_sittings() == 1


def test_given_a_rule_of_how_long_recordings_are_kept_then_it_counts_in_the_bin_too_and_the_guide_comes_back_without(
    aged: Store, time: Time, tmp_path: Path
) -> None:
    job, _ = drafted_job(aged)
    aged.throw_away(OWNER, job.id)
    keeping = Keeping(log_s=3600.0, recordings_s=7 * 24 * 3600.0)
    sweeper = Sweeper(aged, ArtifactStore.open(tmp_path.as_uri()), longest_s=3600.0, keeping=keeping)
    assert ActivityEnvironment().run(sweeper.sweep).recordings == 0
    time.now += timedelta(days=8)
    assert ActivityEnvironment().run(sweeper.sweep).recordings == 1
    aged.take_out_of_bin(OWNER, job.id)
    assert aged.latest_artifact(job.id, ArtifactKind.VIDEO) is None
    assert aged.get_instruction(OWNER, instruction_of(job)).markdown
    happened = [each.event_type for each in aged.history(OWNER, job.id).items]
    assert happened[:3] == ["GUIDE_RESTORED", "RECORDING_ERASED", "GUIDE_BINNED"]


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
