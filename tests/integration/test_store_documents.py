"""Instructions: versions, optimistic edits, regenerations that lose no edit, exports that are made once."""

from typing import Any

import pytest

from activities.store import Sitting, Store
from activities.store.repository import new_uuid7, utc_now
from domain.documents.document import BlockMark
from domain.documents.draft import BlockRole
from domain.documents.merging import KeptProposal
from domain.documents.publication import ExportFormat
from domain.documents.tasks import Export, ExportStatus, Regenerated, RegenerateTask
from domain.documents.versions import InstructionVersion, NewVersion, VersionOrigin
from domain.errors import (
    ExportRequestInvalid,
    IdempotencyConflict,
    NotFound,
    RegenerateInProgress,
    RequestInvalid,
    VersionConflict,
)
from domain.jobs import Failure, Project, TaskStatus
from tests.integration.store_builders import (
    MARKDOWN,
    OTHER_BLOCK,
    OWNER,
    STEP_BLOCK,
    at_once,
    blob,
    created_job,
    drafted_job,
    edit,
    instruction_of,
)

pytest_plugins = ("tests.databases",)

FAILURE = Failure(failure_code="PROVIDER_TIMEOUT", failure_message="Try again.", failed_stage="regeneration")
EDITED = MARKDOWN.replace("Enter the name.", "Enter the full name.")


@pytest.fixture
def instruction(store: Store) -> InstructionVersion:
    job, _ = drafted_job(store)
    return store.get_instruction(OWNER, instruction_of(job))


# --- versions ----------------------------------------------------------------------------------------------------


def test_given_a_draft_when_it_is_stored_then_it_is_validated_and_keeps_its_provenance(
    instruction: InstructionVersion,
) -> None:
    assert (instruction.version, instruction.origin, instruction.title) == (1, "draft", "Add a customer")
    assert (instruction.validation_status, instruction.validation_errors) == ("PASS", ())
    assert (instruction.model_profile_id, instruction.prompt_template_id) == ("local", "local/1")
    assert instruction.warnings[0]["code"] == "LOCAL_DRAFTER"


def test_given_an_edit_when_it_is_saved_then_it_is_a_version_whose_blocks_keep_their_evidence(
    store: Store, instruction: InstructionVersion
) -> None:
    saved, created = store.save_version(
        OWNER, instruction.instruction_id, 1, edit(MARKDOWN.replace("Choose", "Press") + "\nSave.\n")
    )

    assert created
    assert (saved.version, saved.origin, saved.author, saved.language) == (2, "edit", OWNER, "en")
    assert saved.evidence == instruction.evidence
    assert saved.markdown.count("<!-- block:") == 4
    assert store.get_instruction(OWNER, instruction.instruction_id) == saved
    assert store.get_instruction(OWNER, instruction.instruction_id, 1) == instruction
    assert store.get_version_by_id(saved.id, owner=OWNER) == saved


def test_given_identical_text_when_it_is_saved_then_there_is_no_new_version(
    store: Store, instruction: InstructionVersion
) -> None:
    written = store.last_event_seq(instruction.job_id)
    assert store.save_version(OWNER, instruction.instruction_id, 1, edit(MARKDOWN)) == (instruction, False)
    assert store.last_event_seq(instruction.job_id) == written


def test_given_a_stale_base_when_an_edit_is_saved_then_it_conflicts_and_nothing_is_written(
    store: Store, instruction: InstructionVersion
) -> None:
    store.save_version(OWNER, instruction.instruction_id, 1, edit(EDITED))

    with pytest.raises(VersionConflict) as conflict:
        store.save_version(OWNER, instruction.instruction_id, 1, edit(MARKDOWN + "\nMine.\n"))

    assert conflict.value.details == {"base_version": 1, "current_version": 2}
    assert store.get_instruction(OWNER, instruction.instruction_id).version == 2


def test_given_a_save_whose_answer_was_lost_when_it_comes_again_then_it_is_answered_and_no_other_is(
    store: Store, instruction: InstructionVersion
) -> None:
    key, sent = instruction.instruction_id, edit(EDITED + "\n<!-- block -->\nA block of its own.\n")
    mark = BlockMark(block_id=STEP_BLOCK, role=BlockRole.NOTE)
    first, created = store.save_version(OWNER, key, 1, sent, marks=(mark,))
    assert created and first.markdown.count("<!-- block:") == 1 + EDITED.count("<!-- block:"), "with an id"
    written = store.last_event_seq(instruction.job_id)

    left = Sitting(sitting_id="desk", instruction_id=key, base_version=1, markdown=EDITED, kept_at=first.created_at)
    store.keep_sitting(OWNER, left)
    assert store.save_version(OWNER, key, 1, sent, marks=(mark,), sitting="desk") == (first, False)
    assert store.list_sittings(OWNER, key) == ()

    others = [
        (edit(EDITED + "\n<!-- block -->\nAnother.\n"), (mark,)),
        (sent.model_copy(update={"author": "bob"}), (mark,)),
        (sent.model_copy(update={"origin": VersionOrigin.RESTORE}), (mark,)),
        (sent, ()),
    ]
    for other, marks in others:
        with pytest.raises(VersionConflict):
            store.save_version(OWNER, key, 1, other, marks=marks)
    assert store.last_event_seq(instruction.job_id) == written
    store.save_version(OWNER, key, 2, edit(MARKDOWN))
    with pytest.raises(VersionConflict):
        store.save_version(OWNER, key, 1, sent, marks=(mark,))


def test_given_editors_that_race_when_all_save_then_one_wins_and_the_rest_conflict(
    store: Store, instruction: InstructionVersion
) -> None:
    answers = at_once(
        6,
        lambda number: store.save_version(
            OWNER, instruction.instruction_id, 1, edit(MARKDOWN.replace("name", f"name {number}"))
        ),
    )

    assert [isinstance(each, VersionConflict) for each in answers].count(False) == 1
    assert store.get_instruction(OWNER, instruction.instruction_id).version == 2


def test_given_a_text_that_takes_long_to_compose_when_it_is_saved_then_others_write_meanwhile(
    store: Store, instruction: InstructionVersion
) -> None:
    meanwhile: list[Project | Exception] = []

    def asked_for_an_id() -> str:
        if not meanwhile:
            meanwhile.extend(at_once(1, lambda _: store.create_project(OWNER, "meanwhile")))
        return new_uuid7()

    slow = Store(store._database, utc_now, asked_for_an_id)
    saved, created = slow.save_version(OWNER, instruction.instruction_id, 1, edit(f"{MARKDOWN}\nOne more.\n"))

    assert [type(each) for each in meanwhile] == [Project]
    assert (saved.version, created) == (2, True)


def test_given_versions_when_they_are_listed_then_they_come_newest_first_in_pages(
    store: Store, instruction: InstructionVersion
) -> None:
    for base in (1, 2):
        store.save_version(OWNER, instruction.instruction_id, base, edit(f"{MARKDOWN}\nLine {base}.\n"))

    first = store.versions(OWNER, instruction.instruction_id, limit=2)
    rest = store.versions(OWNER, instruction.instruction_id, limit=2, cursor=first.next_cursor)

    assert [(each.version, each.origin) for each in (*first.items, *rest.items)] == [
        (3, "edit"),
        (2, "edit"),
        (1, "draft"),
    ]
    for forged in ("nonsense", "WzIxNDc0ODM2NDhd", "Wzk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5XQ"):  # 2**31, and far more
        with pytest.raises(RequestInvalid):
            store.versions(OWNER, instruction.instruction_id, cursor=forged)


def test_given_a_foreign_or_absent_instruction_or_version_when_asked_for_then_it_is_not_found(
    store: Store, instruction: InstructionVersion
) -> None:
    for ask in (
        lambda: store.get_instruction("bob", instruction.instruction_id),
        lambda: store.get_instruction(OWNER, "absent"),
        lambda: store.get_instruction(OWNER, instruction.instruction_id, 9),
        lambda: store.get_version_by_id(instruction.id, owner="bob"),
        lambda: store.versions("bob", instruction.instruction_id),
        lambda: store.save_version("bob", instruction.instruction_id, 1, edit(EDITED)),
        lambda: store.screenshots_for("absent"),
        lambda: store.current_instruction("absent"),
    ):
        with pytest.raises(NotFound):
            ask()


@pytest.mark.parametrize("text", ["# T\n\nnul \x00 here\n", "# T\n\nhalf \ud800 pair\n"])
def test_given_text_that_a_database_cannot_keep_when_it_is_saved_then_it_is_refused_or_kept_as_failing(
    store: Store, instruction: InstructionVersion, text: str
) -> None:
    try:
        saved, _ = store.save_version(OWNER, instruction.instruction_id, 1, edit(text))
    except RequestInvalid:
        assert store.get_instruction(OWNER, instruction.instruction_id) == instruction
    else:
        assert saved.validation_status == "FAIL"


def test_given_a_deleted_block_when_its_version_is_shown_then_its_screenshot_is_not(
    store: Store, instruction: InstructionVersion
) -> None:
    without = MARKDOWN.replace(f"<!-- block:{STEP_BLOCK} -->\nChoose **New**.\n\n", "")
    saved, _ = store.save_version(OWNER, instruction.instruction_id, 1, edit(without))

    assert store.screenshots_for(saved.id) == ()
    assert [each.block_id for each in store.screenshots_for(instruction.id)] == [STEP_BLOCK]


def test_given_an_earlier_version_when_it_is_restored_then_its_text_and_evidence_are_the_newest_again(
    store: Store, instruction: InstructionVersion
) -> None:
    added = MARKDOWN.replace("Choose **New**.", "Choose **New**.\n\nThen wait.")
    store.save_version(OWNER, instruction.instruction_id, 1, edit(added))
    without = MARKDOWN[: MARKDOWN.index(f"<!-- block:{STEP_BLOCK}")] + "Nothing is left.\n"
    store.save_version(OWNER, instruction.instruction_id, 2, edit(without))

    restored, created = store.restore_version(OWNER, instruction.instruction_id, 3, 1, author=OWNER)
    again, created_again = store.restore_version(OWNER, instruction.instruction_id, 4, 1, author=OWNER)

    assert (created, restored.version, restored.origin, restored.author) == (True, 4, "restore", OWNER)
    assert (restored.markdown, restored.evidence) == (instruction.markdown, instruction.evidence)
    assert (restored.model_profile_id, restored.warnings) == (instruction.model_profile_id, instruction.warnings)
    assert (restored.validation_status, restored.validated_at > instruction.validated_at) == ("PASS", True)
    assert (again, created_again) == (restored, False)
    rows = store.events(instruction.job_id)[-3:]
    assert [(each.event_type, each.actor_type, each.data["instruction_version"]) for each in rows] == [
        ("INSTRUCTION_SAVED", "editor", 2),
        ("INSTRUCTION_SAVED", "editor", 3),
        ("INSTRUCTION_RESTORED", "editor", 4),
    ]


def test_given_an_edit_that_breaks_the_document_then_it_is_kept_and_says_fail_and_restored_it_is_judged_as_it_was(
    store: Store, instruction: InstructionVersion
) -> None:
    broken, _ = store.save_version(OWNER, instruction.instruction_id, 1, edit("No title, [no target](javascript:x).\n"))
    store.save_version(OWNER, instruction.instruction_id, 2, edit(MARKDOWN))
    restored, _ = store.restore_version(OWNER, instruction.instruction_id, 3, 2, author=OWNER)
    assert (broken.validation_status, broken.evidence) == ("FAIL", ())
    assert "TITLE_MISSING" in {error["code"] for error in broken.validation_errors}
    assert (restored.markdown, restored.validation_status, restored.validation_errors, restored.validator_version) == (
        broken.markdown,
        broken.validation_status,
        broken.validation_errors,
        broken.validator_version,
    )


def test_given_a_stale_base_or_a_version_that_is_absent_when_restored_then_it_is_refused(
    store: Store, instruction: InstructionVersion
) -> None:
    store.save_version(OWNER, instruction.instruction_id, 1, edit(EDITED))

    with pytest.raises(VersionConflict):
        store.restore_version(OWNER, instruction.instruction_id, 1, 1, author=OWNER)
    with pytest.raises(NotFound):
        store.restore_version(OWNER, instruction.instruction_id, 2, 9, author=OWNER)
    with pytest.raises(NotFound):
        store.restore_version("bob", instruction.instruction_id, 2, 1, author="bob")
    assert store.get_instruction(OWNER, instruction.instruction_id).version == 2


# --- regenerations -----------------------------------------------------------------------------------------------


def ask(store: Store, instruction: InstructionVersion, request_id: str = "r-1", base: int = 1, **request: Any) -> Any:
    return store.create_regenerate(
        OWNER,
        instruction.instruction_id,
        base_version=base,
        selection={"block_id": STEP_BLOCK},
        client_request_id=request_id,
        requested_by=OWNER,
        request=request,
    )


def rewritten(current: InstructionVersion) -> Regenerated:
    """The step in other words, whatever else the document says by now."""
    markdown = current.markdown.replace("Choose **New**.", "Press **New**.")
    return Regenerated(
        version=NewVersion(
            title=current.title, markdown=markdown, origin=VersionOrigin.REGENERATE, author=OWNER, model_profile_id="m"
        )
    )


def task_events(store: Store, task: RegenerateTask) -> list[str]:
    return [event.event_type for event in store.events(task.job_id, streams=["task"])]


def test_given_a_regeneration_when_it_ends_well_then_its_version_and_its_log_say_so(
    store: Store, instruction: InstructionVersion
) -> None:
    task, created = ask(store, instruction)
    assert (task.status, created) == (TaskStatus.PENDING, True)
    assert store.begin_regenerate(task.id).status is TaskStatus.RUNNING

    done = store.finish_regenerate(task.id, rewritten)

    assert (done.status, done.instruction_version, done.progress_pct) == (TaskStatus.SUCCEEDED, 2, 100)
    current = store.get_instruction(OWNER, instruction.instruction_id)
    assert (current.origin, current.model_profile_id) == ("regenerate", "m")
    assert "Press **New**." in current.markdown
    assert task_events(store, task) == ["REGENERATE_REQUESTED", "REGENERATE_STARTED", "REGENERATE_SUCCEEDED"]
    assert store.get_regenerate(task.id, owner=OWNER) == done


def test_given_an_edit_saved_meanwhile_when_the_regeneration_ends_then_both_are_in_the_document(
    store: Store, instruction: InstructionVersion
) -> None:
    task, _ = ask(store, instruction)
    store.begin_regenerate(task.id)
    store.save_version(OWNER, instruction.instruction_id, 1, edit(EDITED))

    store.finish_regenerate(task.id, rewritten)

    current = store.get_instruction(OWNER, instruction.instruction_id)
    assert current.version == 3
    assert "Press **New**." in current.markdown
    assert "Enter the full name." in current.markdown


def test_given_an_edit_saved_while_the_regeneration_is_merged_then_it_is_merged_again_and_both_are_there(
    store: Store, instruction: InstructionVersion
) -> None:
    task, _ = ask(store, instruction)
    store.begin_regenerate(task.id)
    onto: list[int] = []

    def interrupted(current: InstructionVersion) -> Regenerated:
        onto.append(current.version)
        if len(onto) == 1:
            at_once(1, lambda _: store.save_version(OWNER, instruction.instruction_id, 1, edit(EDITED)))
        return rewritten(current)

    done = store.finish_regenerate(task.id, interrupted)

    assert (onto, done.instruction_version) == ([1, 2], 3)
    current = store.get_instruction(OWNER, instruction.instruction_id)
    assert "Press **New**." in current.markdown
    assert "Enter the full name." in current.markdown


def test_given_an_edit_that_won_when_the_regeneration_ends_then_the_proposal_is_kept_and_no_version_made(
    store: Store, instruction: InstructionVersion
) -> None:
    task, _ = ask(store, instruction)
    store.begin_regenerate(task.id)

    kept = (
        KeptProposal(block_id=STEP_BLOCK, markdown="Press it.", deleted=False),
        KeptProposal(block_id=OTHER_BLOCK, markdown="Type it.", deleted=True),
    )
    done = store.finish_regenerate(task.id, lambda _: Regenerated(version=None, kept=kept))

    assert (done.status, done.instruction_version) == (TaskStatus.SUCCEEDED, 1)
    assert (done.proposal, done.kept) == ("Press it.\n\nType it.", kept)
    assert store.get_regenerate(task.id) == done
    assert store.get_instruction(OWNER, instruction.instruction_id).version == 1


def test_given_the_same_text_when_the_regeneration_ends_then_it_succeeds_with_the_current_version(
    store: Store, instruction: InstructionVersion
) -> None:
    task, _ = ask(store, instruction)
    same = NewVersion(title="T", markdown=instruction.markdown, origin=VersionOrigin.REGENERATE, author=OWNER)

    notice = {"code": "INSTRUCTION_NOT_FOLLOWED", "message": "Not without a language model."}
    done = store.finish_regenerate(
        task.id, lambda _: Regenerated(version=same, warnings=(notice,), model_profile_id="local")
    )

    assert (done.status, done.instruction_version) == (TaskStatus.SUCCEEDED, 1)
    assert (done.warnings, done.model_profile_id) == ((notice,), "local")


def test_given_a_task_that_ended_when_its_activity_runs_again_then_nothing_is_written_twice(
    store: Store, instruction: InstructionVersion
) -> None:
    task, _ = ask(store, instruction)
    store.begin_regenerate(task.id)
    store.begin_regenerate(task.id)
    done = store.finish_regenerate(task.id, rewritten)

    assert store.begin_regenerate(task.id) == done
    assert store.finish_regenerate(task.id, rewritten) == done
    assert store.fail_regenerate(task.id, FAILURE) == done
    assert len(task_events(store, task)) == 3
    assert store.get_instruction(OWNER, instruction.instruction_id).version == 2


def test_given_a_failed_regeneration_when_it_is_read_then_it_says_why_and_another_may_begin(
    store: Store, instruction: InstructionVersion
) -> None:
    task, _ = ask(store, instruction)

    failed = store.fail_regenerate(task.id, FAILURE)

    assert failed.status is TaskStatus.FAILED
    assert failed.failure is not None
    assert failed.failure.failure_code == "PROVIDER_TIMEOUT"
    assert task_events(store, task)[-1] == "REGENERATE_FAILED"
    assert ask(store, instruction, "r-2")[1]


def test_given_an_active_regeneration_when_another_is_asked_for_then_it_is_refused_with_its_id(
    store: Store, instruction: InstructionVersion
) -> None:
    task, _ = ask(store, instruction)

    with pytest.raises(RegenerateInProgress) as refusal:
        ask(store, instruction, "r-2")

    assert refusal.value.details == {"task_id": task.id}


def test_given_a_request_id_when_it_comes_again_then_it_is_the_same_task_unless_the_request_differs(
    store: Store, instruction: InstructionVersion
) -> None:
    task, _ = ask(store, instruction, context="shorter")

    assert ask(store, instruction, context="shorter") == (task, False)
    with pytest.raises(IdempotencyConflict):
        ask(store, instruction, context="longer")
    store.finish_regenerate(task.id, rewritten)
    replay, created = ask(store, instruction, context="shorter")
    assert (replay.id, created) == (task.id, False)


def test_given_a_stale_base_when_a_regeneration_is_asked_for_then_it_conflicts(
    store: Store, instruction: InstructionVersion
) -> None:
    store.save_version(OWNER, instruction.instruction_id, 1, edit(EDITED))

    with pytest.raises(VersionConflict):
        ask(store, instruction)


def test_given_requests_that_race_when_all_arrive_then_one_regeneration_is_active(
    store: Store, instruction: InstructionVersion
) -> None:
    answers = at_once(6, lambda number: ask(store, instruction, f"r-{number}"))

    assert [isinstance(each, RegenerateInProgress) for each in answers].count(True) == 5


# --- exports -----------------------------------------------------------------------------------------------------


def request(store: Store, version: InstructionVersion, export_format: ExportFormat = ExportFormat.PDF) -> Any:
    return store.request_export(OWNER, version.job_id, export_format, version.id)


def export_events(store: Store, export: Export) -> list[str]:
    return [event.event_type for event in store.events(export.job_id, streams=["export"])]


def test_given_an_export_when_it_succeeds_then_its_provenance_is_frozen_with_its_hash_and_time(
    store: Store, instruction: InstructionVersion
) -> None:
    export, created = request(store, instruction)
    assert (export.status, created) == (ExportStatus.REQUESTED, True)
    assert store.begin_export(export.id).status is ExportStatus.RUNNING
    (shown,) = store.screenshots_for(instruction.id)
    anchors = [{"anchor_id": shown.anchor_id, "active_asset_id": shown.asset_id}]

    done = store.finish_export(export.id, blob("out.pdf"), "guide.pdf", {"anchors": anchors}, ["one glyph"])

    assert (done.status, done.filename, done.warnings) == (ExportStatus.SUCCEEDED, "guide.pdf", ("one glyph",))
    assert done.blob == blob("out.pdf")
    assert done.provenance_frozen_at is not None
    assert done.provenance["screenshot_set_hash"] == export.provenance["screenshot_set_hash"]
    assert done.provenance["instruction_version_id"] == instruction.id
    assert str(done.provenance["generated_at"]).endswith("Z")
    assert export_events(store, export) == ["EXPORT_REQUESTED", "EXPORT_STARTED", "EXPORT_SUCCEEDED"]


def test_given_an_export_when_it_is_asked_for_again_then_it_is_the_same_without_a_row(
    store: Store, instruction: InstructionVersion
) -> None:
    export, _ = request(store, instruction)

    assert request(store, instruction) == (export, False)
    assert request(store, instruction, ExportFormat.DOCX)[1]
    done = store.finish_export(export.id, blob(), "guide.pdf", {})
    assert request(store, instruction) == (done, False)
    assert export_events(store, export) == ["EXPORT_REQUESTED", "EXPORT_REQUESTED", "EXPORT_SUCCEEDED"]


def test_given_an_export_made_while_pictures_could_not_be_read_when_asked_for_again_then_it_is_made_again(
    store: Store, instruction: InstructionVersion
) -> None:
    export, _ = request(store, instruction)
    lacking = store.finish_export(export.id, blob(), "guide.pdf", {}, ["one is lost"], incomplete=True)
    assert lacking.status is ExportStatus.SUCCEEDED
    assert store.get_export(export.id, owner=OWNER).blob == blob()

    anew, created = request(store, instruction)

    assert created
    assert anew.identity_key == export.identity_key != lacking.identity_key
    whole = store.finish_export(anew.id, blob("whole.pdf"), "guide.pdf", {})
    assert request(store, instruction) == (whole, False)


def test_given_a_failed_export_when_it_is_asked_for_again_then_it_is_a_new_one_and_the_failed_stays(
    store: Store, instruction: InstructionVersion
) -> None:
    export, _ = request(store, instruction)
    failed = store.fail_export(export.id, FAILURE)

    anew, created = request(store, instruction)

    assert created
    assert anew.id != failed.id
    assert anew.identity_key == failed.identity_key
    assert store.get_export(failed.id, owner=OWNER) == failed
    assert failed.failure is not None
    assert [each.id for each in store.list_exports(OWNER, instruction.job_id).items] == [anew.id, failed.id]


def test_given_an_export_that_ended_when_its_activity_runs_again_then_nothing_changes(
    store: Store, instruction: InstructionVersion
) -> None:
    export, _ = request(store, instruction)
    done = store.finish_export(export.id, blob("first"), "first.pdf", {})

    assert store.finish_export(export.id, blob("second"), "second.pdf", {}) == done
    assert store.begin_export(export.id) == done
    assert store.fail_export(export.id, FAILURE) == done


def test_given_exports_that_race_when_all_ask_for_the_same_then_one_is_made(
    store: Store, instruction: InstructionVersion
) -> None:
    answers = at_once(8, lambda _: request(store, instruction))

    made = [each for each in answers if not isinstance(each, Exception)]
    assert len(made) == 8
    assert len({export.id for export, _ in made}) == 1
    assert [created for _, created in made].count(True) == 1


def test_given_another_set_of_screenshots_when_an_export_is_asked_for_then_it_is_another_export(
    store: Store, instruction: InstructionVersion
) -> None:
    other = MARKDOWN.replace(f"<!-- block:{OTHER_BLOCK} -->\nEnter the name.\n", "")
    saved, _ = store.save_version(OWNER, instruction.instruction_id, 1, edit(other))

    assert request(store, instruction)[0].identity_key != request(store, saved)[0].identity_key


def test_given_an_unknown_or_foreign_version_or_job_when_an_export_is_asked_for_then_it_is_refused(
    store: Store, instruction: InstructionVersion
) -> None:
    with pytest.raises(ExportRequestInvalid):
        store.request_export(OWNER, instruction.job_id, ExportFormat.PDF, "absent")
    with pytest.raises(ExportRequestInvalid):
        store.request_export(OWNER, created_job(store).id, ExportFormat.PDF, instruction.id)
    with pytest.raises(NotFound):
        store.request_export("bob", instruction.job_id, ExportFormat.PDF, instruction.id)
    export, _ = request(store, instruction)
    with pytest.raises(NotFound):
        store.get_export(export.id, owner="bob")


def test_given_tasks_that_nobody_began_when_the_reconciler_asks_then_only_those_come(
    store: Store, instruction: InstructionVersion
) -> None:
    task, _ = ask(store, instruction)
    export, _ = request(store, instruction)
    begun, _ = request(store, instruction, ExportFormat.HTML)
    store.begin_export(begun.id)

    assert store.unstarted_tasks(older_than_s=3600) == ()
    assert set(store.unstarted_tasks(older_than_s=-1)) == {
        ("export", export.id, instruction.job_id),
        ("regenerate", task.id, instruction.job_id),
    }
