"""Given a drawing, when it is recorded, then it is one version of its anchor's picture, however often it comes."""

import pytest

from activities.store import Store
from domain.documents.annotations import Blur, Operation, Outline, Ring, ops_hash
from domain.documents.screenshots import Extraction, NewDrawing, NewFrame
from domain.errors import NotFound
from domain.geometry import Box
from domain.jobs import Job
from tests.integration.store_builders import at_once, blob, drafted_job, edit, instruction_of

DRAWING = "d" * 64
ABSENT = "01890000-0000-7000-8000-000000000000"


def drawing(ops_hash: str = DRAWING) -> NewDrawing:
    return NewDrawing(ops_hash=ops_hash, blob=blob(f"drawings/{ops_hash}", "image/png"), width=320, height=200)


@pytest.fixture
def job(store: Store) -> Job:
    return drafted_job(store)[0]


def shown(store: Store, job: Job) -> tuple[str, str]:
    """The anchor of the job's one picture, and the asset that shows there."""
    version = store.get_instruction("ann", instruction_of(job))
    (picture,) = store.screenshots_for(version.id)
    return picture.anchor_id, picture.asset_id


def audited(store: Store, job: Job) -> list[dict[str, object]]:
    return [event.data for event in store.events(job.id) if event.event_type == "ANCHOR_ANNOTATED"]


def test_given_a_drawing_when_recorded_then_it_shows_and_the_base_stays_below_it(store: Store, job: Job) -> None:
    anchor, base = shown(store, job)
    asset = store.add_annotation("ann", anchor, base, drawing())
    assert shown(store, job) == (anchor, asset)
    version = store.get_instruction("ann", instruction_of(job))
    (picture,) = store.screenshots_for(version.id)
    assert (picture.blob.key, picture.timestamp_ms) == (f"drawings/{DRAWING}", 500)
    assert audited(store, job) == [{"anchor_id": anchor, "asset_id": asset, "base_asset_id": base}]


def test_given_the_same_drawing_again_when_recorded_then_nothing_is_written(store: Store, job: Job) -> None:
    anchor, base = shown(store, job)
    asset = store.add_annotation("ann", anchor, base, drawing())
    assert store.show_annotation("ann", anchor, base, DRAWING) == asset
    assert store.add_annotation("ann", anchor, base, drawing()) == asset
    assert len(audited(store, job)) == 1


def test_given_a_drawing_that_no_longer_shows_when_drawn_again_then_it_shows_again(store: Store, job: Job) -> None:
    anchor, base = shown(store, job)
    first = store.add_annotation("ann", anchor, base, drawing())
    second = store.add_annotation("ann", anchor, base, drawing("e" * 64))
    assert shown(store, job) == (anchor, second)
    assert store.show_annotation("ann", anchor, base, DRAWING) == first
    assert shown(store, job) == (anchor, first)
    assert [row["asset_id"] for row in audited(store, job)] == [first, second, first]


def test_given_a_drawing_that_nobody_made_when_shown_then_there_is_none(store: Store, job: Job) -> None:
    anchor, base = shown(store, job)
    assert store.show_annotation("ann", anchor, base, DRAWING) is None
    assert store.show_annotation("ann", anchor, base, "e" * 64) is None
    assert shown(store, job) == (anchor, base)
    assert audited(store, job) == []


def test_given_twenty_of_the_same_at_once_when_recorded_then_one_version_and_one_audit_row(
    store: Store, job: Job
) -> None:
    anchor, base = shown(store, job)
    answers = at_once(20, lambda _: store.add_annotation("ann", anchor, base, drawing()))
    assert len(set(answers)) == 1, answers
    assert shown(store, job) == (anchor, answers[0])
    assert len(audited(store, job)) == 1


def test_given_different_drawings_at_once_when_recorded_then_each_is_a_version(store: Store, job: Job) -> None:
    anchor, base = shown(store, job)
    answers = at_once(8, lambda place: store.add_annotation("ann", anchor, base, drawing(f"{place:064}")))
    assert len(set(answers)) == 8, answers
    assert len(audited(store, job)) == 8
    assert shown(store, job)[1] in answers


@pytest.mark.parametrize("what", ["owner", "anchor", "base", "base of another anchor"])
def test_given_what_is_absent_or_foreign_when_drawn_on_then_it_is_not_found_and_nothing_is_written(
    store: Store, job: Job, what: str
) -> None:
    anchor, base = shown(store, job)
    owner = "bob" if what == "owner" else "ann"
    if what == "anchor":
        anchor = ABSENT
    if what == "base":
        base = ABSENT
    if what == "base of another anchor":
        base = shown(store, drafted_job(store)[0])[1]
    for call in (
        lambda: store.annotation_base(owner, anchor, base),
        lambda: store.show_annotation(owner, anchor, base, DRAWING),
        lambda: store.add_annotation(owner, anchor, base, drawing()),
    ):
        with pytest.raises(NotFound):
            call()
    assert audited(store, job) == []


# --- and the versions of the text -------------------------------------------------------------------------------


def operated(base: str, *operations: Operation) -> NewDrawing:
    hashed = ops_hash(base, operations, "1")
    return drawing(hashed).model_copy(update={"operations": operations})


RING = Ring(op_type="ring", geometry=Box(x=0.1, y=0.1, w=0.2, h=0.2))
OUTLINE = Outline(op_type="outline", geometry=Box(x=0.1, y=0.1, w=0.3, h=0.3))
BLUR = Blur(op_type="blur", geometry=Box(x=0.5, y=0.5, w=0.2, h=0.2))


@pytest.mark.parametrize(("drawn", "comes_back"), [((RING,), True), ((RING, BLUR), False)], ids=["ring", "blur"])
def test_given_a_version_when_it_is_restored_then_its_pictures_show_again_but_nothing_blurred_since(
    store: Store, job: Job, drawn: tuple[Operation, ...], comes_back: bool
) -> None:
    anchor, base = shown(store, job)
    first = store.get_instruction("ann", instruction_of(job))
    store.save_version("ann", first.instruction_id, 1, edit(first.markdown + "\nMore.\n"))
    over = store.add_annotation("ann", anchor, base, operated(base, *drawn))
    again, created = store.restore_version("ann", first.instruction_id, 2, 1, author="ann")
    assert (created, again.version) == (True, 3)
    assert shown(store, job) == (anchor, base if comes_back else over)
    newest, created = store.restore_version("ann", first.instruction_id, 3, 2, author="ann")
    assert (created, newest.version) == (True, 4)
    assert shown(store, job) == (anchor, over), "what showed with the version before is not lost"


@pytest.mark.parametrize("gone", ["hidden", "replaced", "deleted", "drawn anew", "extracted again"])
@pytest.mark.parametrize(("drawn", "comes_back"), [(RING, True), (BLUR, False)], ids=["ring", "blur"])
def test_given_a_blurred_picture_that_no_longer_shows_when_restored_then_its_frame_does_not_come_back_unblurred(
    store: Store, job: Job, gone: str, drawn: Operation, comes_back: bool
) -> None:
    anchor, base = shown(store, job)
    first = store.get_instruction("ann", instruction_of(job))
    store.save_version("ann", first.instruction_id, 1, edit(first.markdown + "\nMore.\n"))
    over = store.add_annotation("ann", anchor, base, operated(base, drawn))
    if gone == "hidden":
        store.hide_assets("ann", anchor)
    elif gone == "deleted":
        store.delete_asset("ann", anchor, over)
        store.hide_assets("ann", anchor)
    elif gone == "drawn anew":
        store.add_annotation("ann", anchor, base, operated(base, OUTLINE))
    else:
        replaced(store, first.instruction_id, first.id, anchor, 9_000)
    if gone == "extracted again":
        replaced(store, first.instruction_id, first.id, anchor, 500)
    before = store.get_anchor("ann", anchor).active_asset_id
    assert before not in (base, over)
    store.restore_version("ann", first.instruction_id, 2, 1, author="ann")
    assert store.get_anchor("ann", anchor).active_asset_id == (base if comes_back else before)


def replaced(store: Store, instruction_id: str, version_id: str, anchor: str, at_ms: int) -> None:
    wish = Extraction(timestamp_ms=at_ms)
    task, _ = store.request_replacement("ann", anchor, instruction_id, version_id, wish)
    frame = NewFrame(blob=blob(f"frames/{at_ms}", "image/png"), width=640, height=360, pts_ms=at_ms)
    store.finish_screenshot(task.id, frame)


def test_given_a_frame_that_was_extracted_again_and_blurred_when_restored_then_it_does_not_come_back_unblurred(
    store: Store, job: Job
) -> None:
    anchor, _ = shown(store, job)
    first = store.get_instruction("ann", instruction_of(job))
    store.save_version("ann", first.instruction_id, 1, edit(first.markdown + "\nMore.\n"))
    replaced(store, first.instruction_id, first.id, anchor, 500)
    again = shown(store, job)[1]
    over = store.add_annotation("ann", anchor, again, operated(again, BLUR))
    store.restore_version("ann", first.instruction_id, 2, 1, author="ann")
    assert shown(store, job) == (anchor, over)


def test_given_a_picture_deleted_since_or_the_same_text_when_restored_then_deleted_stays_and_pictures_count(
    store: Store, job: Job
) -> None:
    anchor, base = shown(store, job)
    first = store.get_instruction("ann", instruction_of(job))
    store.save_version("ann", first.instruction_id, 1, edit(first.markdown + "\nMore.\n"))
    store.restore_version("ann", first.instruction_id, 2, 1, author="ann")
    over = store.add_annotation("ann", anchor, base, operated(base, RING))
    _, created = store.restore_version("ann", first.instruction_id, 3, 1, author="ann")
    assert (created, shown(store, job)) == (True, (anchor, base)), "the same text with other pictures is a version"
    _, created = store.restore_version("ann", first.instruction_id, 4, 1, author="ann")
    assert not created
    store.show_asset("ann", anchor, over)
    store.delete_asset("ann", anchor, base)
    store.restore_version("ann", first.instruction_id, 4, 1, author="ann")
    assert shown(store, job) == (anchor, over)
    store.show_asset("ann", anchor, base, undelete=True)
    assert shown(store, job) == (anchor, base)
    assert store.hide_assets("ann", anchor).active_asset_id is None
    assert store.screenshots_for(first.id) == ()
