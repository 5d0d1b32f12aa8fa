"""Anchors, extraction tasks and uploaded pictures in the store, on both databases."""

from datetime import timedelta

import pytest

from activities.store import Store
from activities.store.repository import utc_now
from domain.documents.anchors import Addressing, Anchor
from domain.documents.screenshots import (
    Extraction,
    FrameStrategy,
    NewFrame,
    PictureFormat,
    PictureUpload,
    ScreenshotTask,
)
from domain.documents.versions import InstructionVersion
from domain.errors import NotFound, RequestInvalid, UploadInvalid, UploadSealed
from domain.jobs import Failure, Job, TaskStatus
from tests.integration.store_builders import (
    MARKDOWN,
    OTHER_BLOCK,
    STEP_BLOCK,
    TITLE_BLOCK,
    at_once,
    blob,
    drafted_job,
    edit,
    instruction_of,
)

pytest_plugins = ("tests.databases",)

ABSENT = "01890000-0000-7000-8000-000000000000"
HALF_A_SECOND = Extraction(timestamp_ms=500)
FAILURE = Failure(failure_code="MEDIA_TRUNCATED", failure_message="Cut off.", failed_stage="screenshot")


@pytest.fixture
def job(store: Store) -> Job:
    return drafted_job(store)[0]


def version_of(store: Store, job: Job) -> InstructionVersion:
    return store.get_instruction("ann", instruction_of(job))


def anchored(store: Store, job: Job, block_id: str = OTHER_BLOCK) -> Anchor:
    version = version_of(store, job)
    return store.create_anchor("ann", version.instruction_id, version.id, Addressing.of_block(block_id))


def extract(
    store: Store,
    job: Job,
    extraction: Extraction = HALF_A_SECOND,
    place: Addressing | None = None,
    anchor_id: str | None = None,
    owner: str = "ann",
) -> tuple[ScreenshotTask, bool]:
    version = version_of(store, job)
    return store.request_extraction(
        owner, job.id, version.instruction_id, version.id, extraction, anchor_id=anchor_id, place=place
    )


def replace(
    store: Store, job: Job, anchor: Anchor, extraction: Extraction = HALF_A_SECOND
) -> tuple[ScreenshotTask, bool]:
    version = version_of(store, job)
    return store.request_replacement("ann", anchor.id, version.instruction_id, version.id, extraction)


def frame(name: str = "frame") -> NewFrame:
    return NewFrame(blob=blob(f"frames/{name}", "image/png"), width=640, height=360, pts_ms=480)


def done(store: Store, task: ScreenshotTask) -> ScreenshotTask:
    store.begin_screenshot(task.id)
    return store.finish_screenshot(task.id, frame(task.id))


def audited(store: Store, job: Job, prefix: str = "") -> list[str]:
    wanted = ("SCREENSHOT_", "ANCHOR_")
    return [e.event_type for e in store.events(job.id) if e.event_type.startswith(prefix or wanted)]


# --- anchors -----------------------------------------------------------------------------------------------------


def test_given_a_place_when_anchored_then_listed_newest_first_with_what_shows_there(store: Store, job: Job) -> None:
    chars = Addressing.of_range(MARKDOWN.index("Choose"), MARKDOWN.index("Choose") + 6)
    version = version_of(store, job)
    ranged = store.create_anchor("ann", version.instruction_id, version.id, chars)
    block = anchored(store, job)
    first = store.list_anchors("ann", version.instruction_id, limit=2)
    assert [each.id for each in first.items] == [block.id, ranged.id]
    assert first.items[1].addressing == chars
    (drafted,) = store.list_anchors("ann", version.instruction_id, cursor=first.next_cursor).items
    assert (drafted.addressing.block_id, block.active_asset_id) == (STEP_BLOCK, None)
    assert [each.id for each in store.assets_of([drafted.id])[drafted.id]] == [drafted.active_asset_id]
    assert audited(store, job) == ["ANCHOR_CREATED", "ANCHOR_CREATED"]


def test_given_what_is_foreign_or_absent_when_anchored_or_read_then_not_found(store: Store, job: Job) -> None:
    version, anchor = version_of(store, job), anchored(store, job)
    other = version_of(store, drafted_job(store)[0])
    place = Addressing.of_block(OTHER_BLOCK)
    for call in (
        lambda: store.create_anchor("bob", version.instruction_id, version.id, place),
        lambda: store.create_anchor("ann", ABSENT, version.id, place),
        lambda: store.create_anchor("ann", version.instruction_id, other.id, place),
        lambda: store.get_anchor("bob", anchor.id),
        lambda: store.get_anchor("ann", ABSENT),
        lambda: store.list_anchors("bob", version.instruction_id),
        lambda: store.delete_asset("bob", anchor.id, ABSENT),
        lambda: store.delete_asset("ann", anchor.id, ABSENT),
    ):
        with pytest.raises(NotFound):
            call()
    with pytest.raises(RequestInvalid):
        store.create_anchor("ann", version.instruction_id, version.id, Addressing.of_block(ABSENT))
    assert audited(store, job) == ["ANCHOR_CREATED"]


def test_given_a_range_with_a_picture_when_its_text_moves_then_the_picture_moves_along_and_with_its_text_it_goes(
    store: Store, job: Job
) -> None:
    version = version_of(store, job)
    start = MARKDOWN.index("Enter the name")
    anchor = store.create_anchor("ann", version.instruction_id, version.id, Addressing.of_range(start, start + 14))
    done(store, extract(store, job, anchor_id=anchor.id)[0])
    assert [each.block_id for each in store.screenshots_for(version.id)] == [STEP_BLOCK, OTHER_BLOCK]

    moved = MARKDOWN.replace("Choose **New**.", "Choose **New**, then wait.")
    second, _ = store.save_version("ann", version.instruction_id, 1, edit(moved))
    assert [each.block_id for each in store.screenshots_for(second.id)] == [STEP_BLOCK, OTHER_BLOCK]

    gone = MARKDOWN.replace("Enter the name.", "Think.")
    third, _ = store.save_version("ann", version.instruction_id, 2, edit(gone))
    assert [each.block_id for each in store.screenshots_for(third.id)] == [STEP_BLOCK]


def test_given_a_block_that_was_cut_and_pasted_without_its_marker_when_shown_then_its_picture_came_along(
    store: Store, job: Job
) -> None:
    version = version_of(store, job)
    pasted = (
        MARKDOWN.replace(f"<!-- block:{STEP_BLOCK} -->\nChoose **New**.\n\n", "")
        + "\n<!-- block -->\nChoose **New**.\n"
    )
    second, _ = store.save_version("ann", version.instruction_id, 1, edit(pasted))
    (shown,) = store.screenshots_for(second.id)
    assert shown.block_id not in (TITLE_BLOCK, STEP_BLOCK, OTHER_BLOCK)


# --- extraction --------------------------------------------------------------------------------------------------


def test_given_an_extraction_when_it_ends_well_then_its_picture_shows_and_each_step_is_audited_once(
    store: Store, job: Job
) -> None:
    task, created = extract(store, job, place=Addressing.of_block(OTHER_BLOCK))
    assert (created, task.status, task.asset_id) == (True, TaskStatus.PENDING, None)
    for _ in range(2):
        assert store.begin_screenshot(task.id).status is TaskStatus.RUNNING
    ended = store.finish_screenshot(task.id, frame())
    assert store.finish_screenshot(task.id, frame("late")) == ended
    assert store.fail_screenshot(task.id, FAILURE) == ended
    anchor = store.get_anchor("ann", task.anchor_id)
    (asset,) = store.assets_of([anchor.id])[anchor.id]
    assert anchor.addressing == Addressing.of_block(OTHER_BLOCK)
    assert (anchor.active_asset_id, asset.id) == (ended.asset_id, ended.asset_id)
    assert (asset.version, asset.kind, asset.timestamp_ms, asset.blob.key) == (1, "EXTRACTED", 480, "frames/frame")
    assert asset.extraction_key == task.canonical_key
    assert audited(store, job) == ["SCREENSHOT_REQUESTED", "SCREENSHOT_STARTED", "SCREENSHOT_SUCCEEDED"]
    assert {event.stream for event in store.events(job.id) if event.event_type.startswith("SCREENSHOT")} == {"task"}


def test_given_an_extraction_that_failed_when_asked_again_then_another_task(store: Store, job: Job) -> None:
    task, _ = extract(store, job)
    store.begin_screenshot(task.id)
    failed = store.fail_screenshot(task.id, FAILURE)
    assert (failed.status, failed.failure and failed.failure.failure_code) == (TaskStatus.FAILED, "MEDIA_TRUNCATED")
    again, created = extract(store, job)
    assert created and again.id != task.id
    assert again.anchor_id == task.anchor_id, "its anchor, which shows nothing yet, is used"
    assert store.get_screenshot_task(task.id, owner="ann") == failed


@pytest.mark.parametrize(
    "other",
    [
        {"timestamp_ms": 501},
        {"offset_ms": 1},
        {"strategy": FrameStrategy.NEAREST_KEYFRAME},
        {"format": PictureFormat.WEBP},
    ],
    ids=str,
)
def test_given_another_frame_or_format_when_asked_then_another_task_and_otherwise_the_same(
    store: Store, job: Job, other: dict[str, object]
) -> None:
    task, _ = extract(store, job)
    assert extract(store, job) == (task, False)
    assert extract(store, job, place=Addressing.of_block(TITLE_BLOCK)) == (task, False)
    assert extract(store, job, HALF_A_SECOND.model_copy(update=other))[1] is True


def test_given_another_version_when_asked_for_the_same_frame_then_another_task(store: Store, job: Job) -> None:
    task, _ = extract(store, job)
    store.save_version("ann", instruction_of(job), 1, edit(MARKDOWN + "\nMore.\n"))
    assert extract(store, job)[0].id != task.id


def test_given_a_place_or_none_when_extracted_then_the_anchor_is_found_made_or_told_by_the_moment(
    store: Store, job: Job
) -> None:
    (drafted,) = store.list_anchors("ann", instruction_of(job)).items
    chars = Addressing.of_range(MARKDOWN.index("Choose"), MARKDOWN.index("Choose") + 6)
    at_block, _ = extract(store, job, Extraction(timestamp_ms=1), Addressing.of_block(STEP_BLOCK.upper()))
    assert at_block.anchor_id == drafted.id
    ranged = [extract(store, job, Extraction(timestamp_ms=at), chars)[0] for at in (2, 3)]
    assert ranged[0].anchor_id == ranged[1].anchor_id != drafted.id
    by_moment, _ = extract(store, job, Extraction(timestamp_ms=4))
    beside = store.get_anchor("ann", by_moment.anchor_id)
    assert beside.addressing == Addressing.of_block(STEP_BLOCK)
    assert beside.id != drafted.id, "the picture that shows there is not hidden"
    mine = anchored(store, job)
    assert extract(store, job, Extraction(timestamp_ms=5), anchor_id=mine.id)[0].anchor_id == mine.id


@pytest.mark.parametrize("replaced", [False, True], ids=["extraction", "replacement"])
def test_given_twenty_of_the_same_at_once_when_asked_then_one_task_one_anchor_one_audit_row(
    store: Store, job: Job, replaced: bool
) -> None:
    (anchor,) = store.list_anchors("ann", instruction_of(job)).items

    def ask(_: int) -> tuple[ScreenshotTask, bool]:
        if replaced:
            return replace(store, job, anchor)
        return extract(store, job, place=Addressing.of_block(OTHER_BLOCK))

    answers = at_once(20, ask)
    tasks = {answer[0].id for answer in answers if isinstance(answer, tuple)}
    assert (len(answers), len(tasks)) == (20, 1), answers
    assert sum(answer[1] for answer in answers if isinstance(answer, tuple)) == 1
    assert audited(store, job) == ["SCREENSHOT_REQUESTED"]
    assert len(store.list_anchors("ann", instruction_of(job)).items) == (1 if replaced else 2)


def test_given_what_is_foreign_or_absent_when_extracted_then_not_found_and_nothing_is_written(
    store: Store, job: Job
) -> None:
    version, other = version_of(store, job), drafted_job(store)[0]
    foreign = anchored(store, other)
    known = (version.instruction_id, version.id)
    for call in (
        lambda: extract(store, job, owner="bob"),
        lambda: extract(store, job, anchor_id=foreign.id),
        lambda: extract(store, job, anchor_id=ABSENT),
        lambda: store.request_extraction("ann", ABSENT, *known, HALF_A_SECOND),
        lambda: store.request_extraction("ann", job.id, ABSENT, version.id, HALF_A_SECOND),
        lambda: store.request_extraction("ann", job.id, version.instruction_id, ABSENT, HALF_A_SECOND),
        lambda: store.request_extraction("ann", other.id, *known, HALF_A_SECOND),
        lambda: store.request_replacement("ann", foreign.id, *known, HALF_A_SECOND),
        lambda: store.request_replacement("bob", foreign.id, *known, HALF_A_SECOND),
        lambda: store.get_screenshot_task(ABSENT, owner="ann"),
        lambda: store.begin_screenshot(ABSENT),
    ):
        with pytest.raises(NotFound):
            call()
    with pytest.raises(RequestInvalid):
        extract(store, job, place=Addressing.of_block(ABSENT))
    assert audited(store, job) == []


def test_given_a_task_that_nobody_started_when_looked_for_then_found_and_once_begun_not(store: Store, job: Job) -> None:
    task, _ = extract(store, job)
    assert ("screenshot", task.id, job.id) in store.unstarted_tasks(older_than_s=-1)
    assert store.running_tasks(older_than_s=-1) == ()
    store.begin_screenshot(task.id)
    assert store.unstarted_tasks(older_than_s=-1) == ()
    assert store.running_tasks(older_than_s=-1) == (("screenshot", task.id, job.id),)
    assert store.running_tasks() == (), "it may just be slow"


# --- replacement and deletion ------------------------------------------------------------------------------------


def test_given_replacements_when_they_end_then_versions_that_name_the_one_before(store: Store, job: Job) -> None:
    (anchor,) = store.list_anchors("ann", instruction_of(job)).items
    first, second = (done(store, replace(store, job, anchor, Extraction(timestamp_ms=at))[0]) for at in (600, 700))
    newest, before, drafted = store.assets_of([anchor.id])[anchor.id]
    assert [newest.id, before.id, drafted.id] == [second.asset_id, first.asset_id, anchor.active_asset_id]
    assert (newest.previous_asset_id, before.previous_asset_id) == (before.id, drafted.id)
    assert [newest.version, before.version, drafted.version] == [3, 2, 1]
    assert store.get_anchor("ann", anchor.id).active_asset_id == newest.id


def test_given_the_same_replacement_when_its_picture_shows_then_replayed_and_when_it_gave_way_then_made_again(
    store: Store, job: Job
) -> None:
    (anchor,) = store.list_anchors("ann", instruction_of(job)).items
    task, _ = replace(store, job, anchor)
    assert replace(store, job, anchor) == (task, False)
    first = done(store, task)
    assert replace(store, job, anchor) == (first, False)
    assert extract(store, job)[0].id != task.id, "an extraction of the same frame is another request"
    done(store, replace(store, job, anchor, Extraction(timestamp_ms=900))[0])
    again, created = replace(store, job, anchor)
    assert created and again.id != task.id


def test_given_a_deleted_picture_when_it_showed_then_the_newest_live_one_shows_and_at_last_none(
    store: Store, job: Job
) -> None:
    (anchor,) = store.list_anchors("ann", instruction_of(job)).items
    task = done(store, replace(store, job, anchor, Extraction(timestamp_ms=600))[0])
    middle, newest = str(task.asset_id), str(done(store, replace(store, job, anchor)[0]).asset_id)
    assert store.delete_asset("ann", anchor.id, middle).active_asset_id == newest
    assert store.delete_asset("ann", anchor.id, newest).active_asset_id == anchor.active_asset_id
    assert store.delete_asset("ann", anchor.id, newest).active_asset_id == anchor.active_asset_id
    assert store.delete_asset("ann", anchor.id, str(anchor.active_asset_id)).active_asset_id is None
    assert store.assets_of([anchor.id])[anchor.id] == ()
    kept = store.assets_of([anchor.id], include_deleted=True)[anchor.id]
    assert [(each.version, each.is_deleted) for each in kept] == [(3, True), (2, True), (1, True)]
    assert audited(store, job, "SCREENSHOT_DELETED") == ["SCREENSHOT_DELETED"] * 3
    assert store.screenshots_for(version_of(store, job).id) == ()


def test_given_an_extraction_whose_picture_was_deleted_when_asked_again_then_taken_again(
    store: Store, job: Job
) -> None:
    task = done(store, extract(store, job)[0])
    assert extract(store, job) == (task, False)
    store.delete_asset("ann", task.anchor_id, str(task.asset_id))
    assert extract(store, job)[1] is True


# --- uploaded pictures -------------------------------------------------------------------------------------------


def announced(store: Store, job: Job, expires_in_s: float = 60) -> PictureUpload:
    return store.begin_picture(
        "ann",
        job.id,
        filename="mine.png",
        media_type="image/png",
        size_bytes=9,
        checksum_sha256="a" * 64,
        expires_at=utc_now() + timedelta(seconds=expires_in_s),
    )


def confirmed(store: Store, job: Job) -> PictureUpload:
    upload = announced(store, job)
    store.receive_picture(upload.id, f"pictures/{upload.id}")
    return store.confirm_picture(upload.id, f"pictures/{upload.id}", 320, 200)


def test_given_a_picture_when_received_again_and_confirmed_then_nothing_of_it_changes_any_more(
    store: Store, job: Job
) -> None:
    upload = announced(store, job)
    assert upload.asset is None and store.picture_of_asset(upload.asset_id) is None
    assert store.receive_picture(upload.id, "pictures/1") is None
    assert store.receive_picture(upload.id, "pictures/2") == "pictures/1"
    with pytest.raises(UploadInvalid):
        store.confirm_picture(upload.id, "pictures/1", 320, 200)
    ready = store.confirm_picture(upload.id, "pictures/2", 320, 200)
    assert store.confirm_picture(upload.id, "pictures/2", 1, 1) == ready
    with pytest.raises(UploadSealed):
        store.receive_picture(upload.id, "pictures/3")
    asset = store.picture_of_asset(upload.asset_id)
    assert asset is not None and (asset.blob.key, asset.width, asset.anchor_id) == ("pictures/2", 320, None)
    assert audited(store, job) == ["SCREENSHOT_UPLOAD_REQUESTED", "SCREENSHOT_UPLOADED"]


def test_given_a_confirmed_picture_when_attached_then_it_shows_and_once_more_nothing_happens(
    store: Store, job: Job
) -> None:
    version, upload = version_of(store, job), confirmed(store, job)
    (anchor,) = store.list_anchors("ann", version.instruction_id).items
    attached = store.attach_picture("ann", anchor.id, upload.id, version.id)
    assert attached.active_asset_id == upload.asset_id
    newest, drafted = store.assets_of([anchor.id])[anchor.id]
    assert (newest.kind, newest.upload_id, newest.previous_asset_id) == ("UPLOADED", upload.id, drafted.id)
    assert store.attach_picture("ann", anchor.id, upload.id, version.id) == attached
    assert audited(store, job, "SCREENSHOT_ATTACHED") == ["SCREENSHOT_ATTACHED"]

    done(store, replace(store, job, anchor)[0])
    assert store.attach_picture("ann", anchor.id, upload.id, version.id).active_asset_id == upload.asset_id
    store.delete_asset("ann", anchor.id, upload.asset_id)
    again = store.attach_picture("ann", anchor.id, upload.id, version.id).active_asset_id
    elsewhere = store.attach_picture("ann", anchored(store, job).id, upload.id, version.id).active_asset_id
    assert len({again, elsewhere, upload.asset_id, None}) == 4


def test_given_an_upload_that_is_foreign_or_not_confirmed_when_attached_then_refused(store: Store, job: Job) -> None:
    version, upload, anchor = version_of(store, job), confirmed(store, job), anchored(store, job)
    other = drafted_job(store)[0]
    for call in (
        lambda: store.attach_picture("bob", anchor.id, upload.id, version.id),
        lambda: store.attach_picture("ann", anchor.id, ABSENT, version.id),
        lambda: store.attach_picture("ann", anchor.id, confirmed(store, other).id, version.id),
        lambda: store.attach_picture("ann", anchor.id, upload.id, version_of(store, other).id),
        lambda: store.get_picture(upload.id, owner="bob"),
        lambda: store.get_picture(upload.id, job_id=other.id),
        lambda: store.begin_picture(
            "bob",
            job.id,
            filename="x",
            media_type="image/png",
            size_bytes=1,
            checksum_sha256="a" * 64,
            expires_at=utc_now(),
        ),
    ):
        with pytest.raises(NotFound):
            call()
    with pytest.raises(UploadInvalid):
        store.attach_picture("ann", anchor.id, announced(store, job).id, version.id)
    assert store.get_anchor("ann", anchor.id).active_asset_id is None


def test_given_twenty_that_attach_at_once_when_done_then_one_picture_and_one_audit_row(store: Store, job: Job) -> None:
    version, upload, anchor = version_of(store, job), confirmed(store, job), anchored(store, job)
    answers = at_once(20, lambda _: store.attach_picture("ann", anchor.id, upload.id, version.id).active_asset_id)
    assert set(answers) == {upload.asset_id}
    assert audited(store, job, "SCREENSHOT_ATTACHED") == ["SCREENSHOT_ATTACHED"]


def test_given_bytes_that_nobody_confirms_when_their_address_has_expired_then_they_can_be_let_go(
    store: Store, job: Job
) -> None:
    stale, fresh = announced(store, job, expires_in_s=-60), announced(store, job)
    for upload in (stale, fresh):
        store.receive_picture(upload.id, f"pictures/{upload.id}")
    assert announced(store, job, expires_in_s=-60).key is None, "and one that holds nothing"
    assert [each.id for each in store.abandoned_pictures(30)] == [stale.id]
    assert store.forget_picture(stale.id, "another") is False
    assert store.forget_picture(stale.id, f"pictures/{stale.id}") is True
    assert store.abandoned_pictures(30) == ()
    ready = confirmed(store, job)
    assert store.forget_picture(ready.id, str(ready.key)) is False
