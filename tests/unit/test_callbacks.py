"""What a callback may do to a job: the whole table of decisions, without a database."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from activities.artifacts.locating import Locator
from domain.artifacts import ArtifactKind
from domain.documents.draft import Draft, check_draft
from domain.errors import (
    MESSAGE_LIMIT,
    ArtifactKeyInvalid,
    CallbackOutOfOrder,
    EventPayloadMismatch,
    ExternalStageFailed,
    GuidesmithError,
    RequestInvalid,
    StaleDispatch,
    TerminalImmutable,
    TransitionRefused,
)
from domain.jobs import StageName
from domain.lifecycles.callbacks import (
    AUDIO,
    CLOCK_SKEW_S,
    DRAFT,
    EXTERNAL_STAGES,
    TRANSCRIPTION,
    URI_LIMIT,
    Callback,
    CallbackContext,
    Effect,
    Reached,
    checked_moment,
    checked_uri,
    decide,
    external_stages,
    in_words,
    is_needed,
    reached,
)
from domain.lifecycles.instruction import ACTIVE, FAILED, INSTRUCTION, InstructionStatus
from domain.lifecycles.lifecycle import Trigger
from domain.recordings.transcript import Transcript

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HASH, OTHER = "a" * 64, "b" * 64
SECOND = timedelta(seconds=1)
EVERY = frozenset(EXTERNAL_STAGES)


def callback(status: str = "TRANSCRIPT_READY", **fields: Any) -> Callback:
    values = {"event_id": "e-1", "status": status, "occurred_at": NOON, "correlation_id": "c-1"}
    return Callback.model_validate({**values, **fields})


def context(status: str = "TRANSCRIBING", **fields: Any) -> CallbackContext:
    waiting = CallbackContext(
        lifecycle=INSTRUCTION,
        status=status,
        dispatch_id="run-1",
        attempt_began=NOON - timedelta(hours=1),
        latest_occurred_at=None,
        latest_in_attempt=None,
        known_payload=None,
        external=frozenset({StageName.TRANSCRIPTION}),
    )
    return replace(waiting, **fields)


def refusal(where: CallbackContext, what: Callback, payload: str = HASH) -> GuidesmithError:
    with pytest.raises(GuidesmithError) as refused:
        decide(where, what, payload)
    return refused.value


# --- the table ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", list(InstructionStatus))
@pytest.mark.parametrize("current", list(InstructionStatus))
@pytest.mark.parametrize("external", [frozenset(), EVERY], ids=["internal", "external"])
def test_given_any_status_when_any_is_reported_then_only_the_moves_of_a_stage_that_is_done_outside(
    current: InstructionStatus, target: InstructionStatus, external: frozenset[StageName]
) -> None:
    of_a_stage = {
        move
        for stage in EXTERNAL_STAGES.values()
        for move in (
            (stage.before, stage.processing),
            (stage.before, FAILED),
            (stage.processing, stage.processing),
            (stage.processing, stage.checkpoint),
            (stage.processing, FAILED),
        )
    }
    where, what = context(current, external=external), callback(target)
    if external and (current, target) in of_a_stage:
        decision = decide(where, what, HASH)
        assert decision.effect is (Effect.SELF if current is target else Effect.MOVE)
        assert decision.stage is not None and current in (decision.stage.before, decision.stage.processing)
        assert INSTRUCTION.may(current, target, Trigger.WORKFLOW)
        return
    refused = refusal(where, what)
    assert type(refused) is (TransitionRefused if current in ACTIVE else TerminalImmutable)
    assert refused.details == {
        "current_status": current,
        "attempted_status": target,
        "allowed_next_statuses": [str(each) for each in INSTRUCTION.allowed_next(current)],
    }


@pytest.mark.parametrize("stage", EXTERNAL_STAGES.values(), ids=lambda stage: str(stage.name))
def test_given_one_stage_outside_when_another_is_reported_then_refused(stage: Any) -> None:
    assert decide(
        context(stage.processing, external=frozenset({stage.name})), callback(stage.checkpoint), HASH
    ).stage == (stage)
    refused = refusal(context(stage.processing, external=EVERY - {stage.name}), callback(stage.checkpoint))
    assert type(refused) is TransitionRefused


def test_given_a_job_that_was_not_dispatched_when_reported_then_refused() -> None:
    refused = refusal(context("UPLOADED", dispatch_id=None, external=EVERY), callback("AUDIO_EXTRACTING"))
    assert type(refused) is TransitionRefused


# --- the order of the checks -------------------------------------------------------------------------------------

LATE: dict[str, Any] = {"latest_in_attempt": NOON + SECOND, "latest_occurred_at": NOON + SECOND}


def test_given_an_event_that_came_before_when_it_comes_again_then_a_replay_whatever_else_is_wrong() -> None:
    where = context("CANCELLED", known_payload=HASH, **LATE)
    assert decide(where, callback("EDITING", dispatch_id="other"), HASH).effect is Effect.REPLAY


def test_given_an_event_that_came_before_when_it_says_something_else_then_a_mismatch_before_anything_else() -> None:
    refused = refusal(context("CANCELLED", known_payload=OTHER, **LATE), callback("EDITING", dispatch_id="other"))
    assert (type(refused), refused.details) == (EventPayloadMismatch, {"event_id": "e-1"})


@pytest.mark.parametrize("status", ["DONE", "FAILED", "CANCELLED"])
def test_given_a_job_that_ended_when_reported_late_and_of_another_run_then_terminal(status: str) -> None:
    refused = refusal(context(status, **LATE), callback(status, dispatch_id="other"))
    assert type(refused) is TerminalImmutable
    assert refused.details["attempted_status"] == status


def test_given_another_run_when_reported_late_then_stale() -> None:
    refused = refusal(context(**LATE), callback("EDITING", dispatch_id="run-0"))
    assert (type(refused), refused.details["current_dispatch_id"]) == (StaleDispatch, "run-1")


def test_given_a_newer_callback_when_an_older_one_comes_then_out_of_order_before_the_table() -> None:
    refused = refusal(context(**LATE), callback("EDITING"))
    assert type(refused) is CallbackOutOfOrder
    assert refused.details == {
        "latest_applied_occurred_at": "2026-01-01T12:00:01.000Z",
        "current_status": "TRANSCRIBING",
        "attempted_status": "EDITING",
    }


def test_given_a_callback_of_the_same_moment_when_another_comes_then_it_counts() -> None:
    decide(context(latest_in_attempt=NOON, latest_occurred_at=NOON), callback(), HASH)


def test_given_no_dispatch_id_when_it_occurred_before_the_attempt_began_then_out_of_order() -> None:
    began = context(attempt_began=NOON + SECOND)
    refused = refusal(began, callback())
    assert (type(refused), refused.details["latest_applied_occurred_at"]) == (CallbackOutOfOrder, None)
    assert decide(context(attempt_began=NOON), callback(), HASH).effect is Effect.MOVE


def test_given_the_current_dispatch_id_when_it_occurred_before_the_attempt_began_then_it_counts() -> None:
    decide(context(attempt_began=NOON + SECOND), callback(dispatch_id="run-1"), HASH)


def test_given_a_clock_that_was_wrong_in_an_earlier_attempt_when_reported_then_it_counts() -> None:
    decide(context(latest_occurred_at=NOON + timedelta(days=9000)), callback(), HASH)


# --- stages ------------------------------------------------------------------------------------------------------


def test_given_the_pipeline_when_a_stage_is_asked_after_then_how_far_it_is() -> None:
    seen = {status: reached(status, TRANSCRIPTION) for status in InstructionStatus if status in (*ACTIVE, FAILED)}
    assert [status for status, how in seen.items() if how is Reached.PROCESSING] == ["TRANSCRIBING"]
    assert seen[InstructionStatus.AUDIO_READY] is Reached.BEFORE
    assert seen[InstructionStatus.TRANSCRIPT_READY] is Reached.ENDED
    assert seen[InstructionStatus.EDITING] is Reached.ENDED
    assert seen[FAILED] is Reached.FAILED
    for ended in (InstructionStatus.DONE, InstructionStatus.CANCELLED):
        with pytest.raises(TerminalImmutable):
            reached(ended, TRANSCRIPTION)


def test_given_who_reads_it_when_asked_then_whether_it_must_lie_with_us() -> None:
    assert is_needed(AUDIO, ["audio"]) and not is_needed(AUDIO, ["audio", "transcription"])
    assert is_needed(TRANSCRIPTION, ["transcription"]) and not is_needed(TRANSCRIPTION, ["draft"])
    assert is_needed(DRAFT, ["audio", "transcription", "draft"])


def test_given_a_projects_stages_when_read_then_those_that_are_external() -> None:
    assert external_stages({}) == frozenset()
    assert external_stages({"audio": "external", "draft": "external"}) == {StageName.AUDIO, StageName.DRAFT}


# --- failures ----------------------------------------------------------------------------------------------------


def test_given_a_failure_that_says_all_when_reported_then_it_is_the_jobs() -> None:
    failed = callback(
        "FAILED", failure_code="GPU_LOST", failure_message="no\x1b[31m GPU\n\nleft " + "x" * 999, failed_stage="decode"
    ).failure(TRANSCRIPTION)
    assert failed is not None
    assert (failed.failure_code, failed.failed_stage, failed.correlation_id) == ("GPU_LOST", "decode", "c-1")
    assert failed.failure_message.startswith("no [31m GPU left xxx")
    assert failed.failure_message.isprintable() and len(failed.failure_message) == MESSAGE_LIMIT


def test_given_a_failure_that_says_nothing_when_reported_then_what_we_know() -> None:
    failed = callback("FAILED", failure_message=" \n ").failure(TRANSCRIPTION)
    assert failed is not None
    assert (failed.failure_code, failed.failed_stage) == (ExternalStageFailed.code, "transcription")
    assert "transcription" in failed.failure_message
    assert callback("TRANSCRIPT_READY", failure_code="X").failure(TRANSCRIPTION) is None


# --- URIs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "uri",
    [
        "artifact://external/j-1/transcript.json",
        "s3://bucket/a/b.c/d..e.json",
        "file:///srv/artifacts/a%20b.json",
        "https://host.example:8443/a?sig=1%2F2",
    ],
)
def test_given_an_absolute_uri_when_checked_then_taken_as_given(uri: str) -> None:
    assert checked_uri(uri) == uri


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "transcript.json",
        "/etc/passwd",
        "artifact:key",
        "artifact://",
        "artifact://../secret",
        "artifact://a/../../secret",
        "artifact://a/./b",
        "artifact://a/%2e%2e/b",
        "artifact://a/%252e%252e/b",
        "artifact://a/..%2fb",
        "file:///srv/artifacts/../../etc/passwd",
        "artifact://a\\..\\b",
        "artifact://a b",
        "artifact://a\nb",
        "artifact://a%0ab",
        "artifact://a%00b",
        "artifact://" + "a" * URI_LIMIT,
    ],
)
def test_given_a_uri_that_is_none_or_climbs_when_checked_then_refused(uri: str) -> None:
    with pytest.raises(RequestInvalid):
        checked_uri(uri)


@pytest.mark.parametrize(
    ("root", "uri", "key"),
    [
        ("file:///srv/a%20b/artifacts", "artifact://external/j/t.json", "external/j/t.json"),
        ("file:///srv/a%20b/artifacts", "file:///srv/a%20b/artifacts/external/t.json", "external/t.json"),
        ("file:///srv/artifacts/", "file:///srv/artifacts/t.json", "t.json"),
        ("file:///srv/artifacts", "file:///srv/artifacts-of-others/t.json", None),
        ("file:///srv/artifacts", "file:///srv/artifacts", None),
        ("file:///srv/artifacts", "file:///etc/passwd", None),
        ("file:///srv/artifacts", "file://host/srv/artifacts/t.json", None),
        ("file:///srv/artifacts", "https://host/srv/artifacts/t.json", None),
        ("s3://bucket/prefix", "s3://bucket/prefix/external/t.json", "external/t.json"),
        ("s3://bucket", "s3://bucket/external/t.json", "external/t.json"),
        ("s3://bucket/prefix", "s3://bucket/t.json", None),
        ("s3://bucket/prefix", "s3://bucket-of-others/prefix/t.json", None),
    ],
)
def test_given_our_store_when_a_uri_is_located_then_the_key_or_elsewhere(root: str, uri: str, key: str | None) -> None:
    assert Locator(root).key_of(uri) == key


@pytest.mark.parametrize(
    "uri",
    [
        "artifact://../secret",
        "artifact:///etc/passwd",
        "artifact://a/%2e%2e/b",
        "file:///srv/artifacts/../secret",
        "file:///srv/artifacts/a/%2e%2e/%2e%2e/secret",
        "file:///srv/artifacts//etc/passwd",
        "file:///srv/artifacts/.hidden",
    ],
)
def test_given_our_store_when_a_uri_leads_out_of_it_then_refused(uri: str) -> None:
    with pytest.raises(ArtifactKeyInvalid):
        Locator("file:///srv/artifacts").key_of(uri)


def test_given_artifacts_when_reported_then_by_kind() -> None:
    assert callback(artifacts={"audio": "artifact://a"}).artifacts == {ArtifactKind.AUDIO: "artifact://a"}


# --- the formats that runners are told ---------------------------------------------------------------------------


def test_given_the_formats_in_the_documentation_when_read_as_a_runners_files_are_then_they_are_right() -> None:
    page = (Path(__file__).parents[2] / "docs" / "operations" / "runners.md").read_text(encoding="utf-8")
    spoken, drafted = re.findall(r"^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    transcript = Transcript.model_validate_json(spoken, strict=True)
    check_draft(Draft.model_validate_json(drafted, strict=True), transcript)


@pytest.mark.parametrize("ahead_s", [-1e9, 0, CLOCK_SKEW_S])
def test_given_a_clock_within_the_tolerance_when_checked_then_its_moment_counts(ahead_s: float) -> None:
    moment = NOON + timedelta(seconds=ahead_s)
    assert checked_moment(moment, NOON) == moment


def test_given_a_clock_far_ahead_when_checked_then_refused_before_it_blocks_what_comes_after() -> None:
    with pytest.raises(RequestInvalid, match="over 5 minutes ahead"):
        checked_moment(NOON + timedelta(seconds=CLOCK_SKEW_S + 1), NOON)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.5, "0.5 seconds"),
        (1, "1 second"),
        (59, "59 seconds"),
        (60, "1 minute"),
        (5400, "1.5 hours"),
        (86_400, "24 hours"),
    ],
)
def test_given_a_duration_when_told_then_in_units_that_fit(seconds: float, words: str) -> None:
    assert in_words(seconds) == words
