"""A draft that comes from outside: whoever sees DRAFT_READY finds the instruction, before any worker has looked."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import event as sql_event
from sqlalchemy.exc import OperationalError

from activities.store import Store
from domain.artifacts import ArtifactKind
from domain.documents.document import parse
from domain.documents.versions import NewVersion
from domain.errors import DatabaseUnavailable
from domain.lifecycles.callbacks import DRAFT, Callback
from domain.lifecycles.instruction import DRAFT_READY
from tests.apis import RunningApi, api_settings, running_api, wait_ready
from tests.integration.api_builders import transcribed
from tests.integration.store_builders import OWNER, STEP_BLOCK, Run, artifact, blob, draft, log_of, screenshot
from tests.temporal import TemporalServer

pytest_plugins = ("tests.databases",)

RUNNER = "runner-" + "5" * 40
OUTLINE: dict[str, Any] = {
    "blocks": [
        {"role": "title", "heading": "Choose a language"},
        {"role": "step", "heading": "Open the settings", "body": "Choose **Settings**.", "segments": [0]},
        {"role": "step", "heading": "Save", "body": "Click **Save**.", "segments": [1]},
    ],
    "language": "en",
    "provenance": {"model_profile_id": "our-drafter", "prompt_template_id": "ours/1"},
}
LYING = OUTLINE | {"blocks": [OUTLINE["blocks"][0], {"role": "step", "heading": "Made up", "segments": [7]}]}


@pytest.fixture(scope="module")
def api(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        settings = api_settings(tmp_path_factory.mktemp("api"), callback_secret=SecretStr(RUNNER))
        with running_api(settings) as running:
            wait_ready(running)
            yield running


def project_of(store: Store) -> str:
    return store.create_project(OWNER, "Manuals", {"draft": "external"}).id


def audible(store: Store) -> Run:
    """The run of a job whose draft is done outside, once its audio is there."""
    job = store.create_job(OWNER, project_of(store))
    store.confirm_upload(OWNER, job.id, blob(f"videos/{job.id}", "video/mp4"), "demo.mp4")
    return Run(store, job.id).dispatched().extract_audio()


@pytest.fixture
def run(api: RunningApi) -> Run:
    """Of a job that waits for its draft."""
    run = transcribed(api.store, api.artifacts, audible(api.store))
    api.store.enter_external(run.job_id, run.fence(), DRAFT)
    return run


def report(api: RunningApi, run: Run, outline: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A callback that brings ``outline``."""
    made = api.artifacts.put_bytes(f"external/{run.job_id}.json", json.dumps(outline).encode(), "application/json")
    values = {
        "event_id": "e-1",
        "status": "DRAFT_READY",
        "occurred_at": datetime.now(UTC).isoformat(),
        "correlation_id": "c-1",
        "artifact_updates": {"draft_uri": api.artifacts.uri(made.key)},
    }
    return values | fields


def send(api: RunningApi, run: Run, body: dict[str, Any]) -> int:
    url = f"{api.url}/api/v1/internal/jobs/{run.job_id}/status"
    return httpx.post(url, json=body, headers={"X-Callback-Secret": RUNNER}, timeout=60).status_code


def test_given_a_draft_when_reported_then_the_job_that_says_so_has_its_document(api: RunningApi, run: Run) -> None:
    assert send(api, run, report(api, run, OUTLINE)) == 204
    with api.client(OWNER) as client:
        job = client.get(f"jobs/{run.job_id}").json()
        version = client.get(f"instructions/{job['instruction_id']}").json()
    assert (job["status"], version["version"], version["validation_status"]) == ("DRAFT_READY", 1, "PASS")
    assert (version["model_profile_id"], version["prompt_template_id"]) == ("our-drafter", "ours/1")
    assert [block.markdown.splitlines()[0] for block in parse(version["markdown"]).blocks] == [
        "# Choose a language",
        "## Open the settings",
        "## Save",
    ]


def test_given_a_draft_that_came_with_a_sign_of_life_when_its_end_is_reported_then_the_document_is_of_it(
    api: RunningApi, run: Run
) -> None:
    assert send(api, run, report(api, run, OUTLINE, event_id="e-0", status="GENERATING")) == 204
    assert api.store.get_job(run.job_id).instruction_id is None
    assert send(api, run, report(api, run, OUTLINE, artifact_updates={})) == 204
    assert api.store.get_job(run.job_id).instruction_id is not None


def test_given_one_report_twenty_times_at_once_when_taken_then_one_version(api: RunningApi, run: Run) -> None:
    body = report(api, run, OUTLINE)
    with ThreadPoolExecutor(20) as pool:
        answers = sorted(pool.map(lambda _: send(api, run, body), range(20)))
    assert answers == [200] * 19 + [204]
    job = api.store.get_job(run.job_id)
    assert len(api.store.versions(OWNER, job.instruction_id or "").items) == 1
    assert [move for move in log_of(api.store, run.job_id) if move[2] == "DRAFT_READY"] == [
        ("STATUS_CHANGED", "GENERATING", "DRAFT_READY")
    ]


@pytest.mark.parametrize(
    ("outline", "uri"),
    [
        (LYING, None),
        ({}, None),
        (OUTLINE, "https://127.0.0.1:9/draft.json"),
        (OUTLINE, "artifact://external/nothing.json"),
        (OUTLINE, "artifact://external/a;b.json"),
    ],
    ids=["a lie", "no draft", "elsewhere", "not there", "no name of ours"],
)
def test_given_a_draft_that_cannot_be_used_when_reported_then_it_is_taken_as_given_without_a_document(
    api: RunningApi, run: Run, outline: dict[str, Any], uri: str | None
) -> None:
    body = report(api, run, outline)
    if uri is not None:
        body |= {"artifact_updates": {"draft_uri": uri}}
    assert send(api, run, body) == 204
    job = api.store.get_job(run.job_id)
    assert (job.status, job.instruction_id) == ("DRAFT_READY", None)


# --- in the store ------------------------------------------------------------------------------------------------


def waiting(store: Store) -> Run:
    run = audible(store).transcribe()
    store.enter_external(run.job_id, run.fence(), DRAFT)
    return run


DRAFTED = Callback(
    event_id="e-1",
    status=DRAFT_READY,
    occurred_at=datetime(2100, 1, 1, tzinfo=UTC),
    correlation_id="c-1",
    artifacts={ArtifactKind.DRAFT: "artifact://external/draft.json"},
)


def applied(store: Store, run: Run, document: NewVersion | None = None) -> str:
    return store.apply_callback(run.job_id, DRAFTED, "a" * 64, document or draft()).job.instruction_id or ""


def test_given_a_database_that_fails_at_any_step_when_a_draft_is_reported_then_all_or_nothing(store: Store) -> None:
    run, number, instruction_id = waiting(store), 0, None
    before = store.get_job(run.job_id), store.events(run.job_id)
    while instruction_id is None:
        number += 1
        seen = 0

        def broken(_: Any, __: Any, sql: str, *___: Any, at: int = number) -> None:
            nonlocal seen
            seen += 1
            if seen == at:
                raise OperationalError(sql, None, Exception("injected"))

        sql_event.listen(store._database.engine, "before_cursor_execute", broken)
        try:
            instruction_id = applied(store, run)
        except (DatabaseUnavailable, OperationalError):
            pass
        finally:
            sql_event.remove(store._database.engine, "before_cursor_execute", broken)
        if instruction_id is None:
            assert (store.get_job(run.job_id), store.events(run.job_id)) == before, number
    assert number > 6
    assert store.get_instruction(OWNER, instruction_id).version == 1


def test_given_a_document_that_came_with_its_callback_when_the_report_is_adopted_then_it_gets_its_pictures(
    store: Store,
) -> None:
    run = waiting(store)
    instruction_id = applied(store, run)
    reported = store.latest_report(run.job_id, ArtifactKind.DRAFT)
    assert reported is not None

    def adopt(version: NewVersion) -> int:
        shots = [screenshot(STEP_BLOCK, "frame")]
        new = [artifact(ArtifactKind.DRAFT)]
        store.adopt_report(reported, run.next().fence(), new, progress=100, version=version, screenshots=shots)
        return store.get_instruction(OWNER, instruction_id).version

    assert adopt(draft()) == 1
    assert len(store.screenshots_for(store.get_instruction(OWNER, instruction_id).id)) == 1


def test_given_a_draft_that_changed_after_its_callback_when_adopted_then_what_was_verified_is_the_next_version(
    store: Store,
) -> None:
    run = waiting(store)
    instruction_id = applied(store, run)
    reported = store.latest_report(run.job_id, ArtifactKind.DRAFT)
    assert reported is not None
    other = draft(draft().markdown.replace("Enter the name.", "Enter it."))
    store.adopt_report(reported, run.next().fence(), [artifact(ArtifactKind.DRAFT)], progress=100, version=other)
    newest = store.get_instruction(OWNER, instruction_id)
    assert (newest.version, newest.markdown) == (2, other.markdown)
