"""The golden path over HTTP, on a real stack, by a client that was generated from the API's description.

Only bytes travel without it: a recording, a picture and a file go to and from signed addresses.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image
from pydantic import SecretStr

from starter.access.tokens import Tokens
from starter.settings import Settings
from tests.apis import SECRET, RunningApi, running_api, wait_ready
from tests.generated import GeneratedClient, generated_client
from tests.stack import Stack, wait_until
from tests.temporal import free_port

WITHIN_S = 120.0
ENDED = ("SUCCEEDED", "FAILED")


@pytest.fixture
def api(shared_stack: Stack) -> Iterator[RunningApi]:
    """The API of the shared stack, whose worker does the work."""
    values = shared_stack.settings.model_dump() | {"api_port": free_port(), "auth_secret": SecretStr(SECRET)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", shared_stack.temporal.address)
        with running_api(Settings(**values)) as running:
            wait_ready(running)
            yield running


@pytest.fixture
def client(api: RunningApi, tmp_path: Path) -> Iterator[GeneratedClient]:
    schema = httpx.get(f"{api.url}/api/v1/openapi.json").json()
    with generated_client(schema, tmp_path, api.url, Tokens(SECRET).issue("golda")) as client:
        described = {each["operationId"] for item in schema["paths"].values() for each in item.values()}
        assert client.names == described
        yield client


def ended(client: GeneratedClient, operation: str, **which: Any) -> Any:
    """A task, once it has ended well."""
    done = wait_until(
        lambda: found if (found := client.ask(operation, **which)).status in ENDED else None, WITHIN_S, operation
    )
    assert done.status == "SUCCEEDED", done
    return done


def job_in(client: GeneratedClient, job_id: str, *statuses: str) -> Any:
    """The job, once it has one of ``statuses``."""
    return wait_until(
        lambda: job if (job := client.ask("get_job", job_id=job_id)).status in statuses else None, WITHIN_S, "the job"
    )


def exported(client: GeneratedClient, job_id: str, version: Any, form: str) -> tuple[Any, bytes]:
    """An export and its file."""
    body = {"format": form, "instruction_version_id": version.instruction_version_id}
    asked = client.ask("request_export", status=202, job_id=job_id, body=body)
    done = ended(client, "get_export", export_id=asked.export_id)
    assert done.provenance.instruction_version_id == version.instruction_version_id
    file = httpx.get(done.download_url)
    assert (file.status_code, len(file.content)) == (200, done.size_bytes)
    again = client.ask("request_export", job_id=job_id, body=body)
    assert again.export_id == done.export_id
    return done, file.content


def saved(client: GeneratedClient, version: Any, was: str, now: str) -> Any:
    """The next version, in which ``now`` stands in the place of ``was``."""
    assert was in version.markdown
    body = {"base_version": version.version, "markdown": version.markdown.replace(was, now, 1)}
    after = client.ask("save_instruction", instruction_id=version.instruction_id, body=body)
    assert (after.version, after.validation_status) == (version.version + 1, "PASS")
    return after


def test_given_a_recording_when_the_whole_path_is_walked_then_every_step_of_it_works(
    api: RunningApi, client: GeneratedClient, sample: Path
) -> None:
    # authenticate, project, job, upload, confirm, run
    assert httpx.get(f"{api.url}/api/v1/projects").status_code == 401
    project = client.ask("create_project", status=201, body={"name": "Handbooks"})
    job = client.ask("create_job", status=201, project_id=project.id, body={"language": "en"})
    assert (job.status, job.kind, job.project_id) == ("CREATED", "instruction", project.id)
    upload = client.ask("begin_upload", job_id=job.id, body={"filename": "Add a customer.mp4"})
    assert httpx.put(upload.upload_url, content=sample.read_bytes(), timeout=60).status_code == 200
    confirmed = client.ask("confirm_upload", job_id=job.id, body={"video_uri": upload.video_uri})
    assert (confirmed.job.status, confirmed.replayed) == ("UPLOADED", False)
    run = client.ask("run_job", status=202, job_id=job.id)
    assert client.ask("run_job", job_id=job.id).dispatch_id == run.dispatch_id

    # draft, edit
    job = job_in(client, job.id, "DRAFT_READY", "FAILED")
    assert job.status == "DRAFT_READY", job.failure
    assert all((job.manifest.video_uri, job.manifest.audio_uri, job.manifest.transcript_uri, job.manifest.draft_uri))
    transcript = client.ask("get_transcript", job_id=job.id)
    assert "customer" in " ".join(each.text for each in transcript.items).lower()
    draft = client.ask("get_instruction", instruction_id=job.instruction_id)
    assert (draft.version, draft.origin, draft.validation_status) == (1, "draft", "PASS")
    edited = saved(client, draft, draft.title, "How to add a customer")
    assert job_in(client, job.id, "EDITING").status == "EDITING"

    # screenshot, annotate
    shot = client.ask(
        "extract_screenshot",
        status=202,
        job_id=job.id,
        body={
            "instruction_id": draft.instruction_id,
            "instruction_version_id": edited.instruction_version_id,
            "timestamp_ms": 6000,
        },
    )
    shot = ended(client, "get_screenshot_task", task_id=shot.task_id)
    before = picture(shot.asset.image_uri)
    drawn = client.ask(
        "annotate",
        anchor_id=shot.anchor_id,
        body={
            "base_asset_id": shot.asset_id,
            "operations": [
                {"op_type": "blur", "geometry": {"x": 0.1, "y": 0.1, "w": 0.4, "h": 0.4}},
                {"op_type": "arrow", "geometry": {"x1": 0.9, "y1": 0.9, "x2": 0.6, "y2": 0.6}},
            ],
        },
    )
    anchor = client.ask("get_anchor", anchor_id=shot.anchor_id)
    assert anchor.active_asset_id == drawn.rendered_asset_id != shot.asset_id
    shown = next(each for each in anchor.assets if each.id == drawn.rendered_asset_id)
    after = picture(shown.image_uri)
    assert after.size == before.size
    assert after.tobytes() != before.tobytes()

    # regenerate
    block_id = step_of(client, draft.instruction_id, edited)
    task = client.ask(
        "regenerate",
        status=202,
        instruction_id=draft.instruction_id,
        body={
            "base_version": edited.version,
            "selection": {"block_id": block_id},
            "client_request_id": "golden",
            "context": "Make it shorter",
        },
    )
    task = ended(client, "get_task", task_id=task.task_id)
    assert (task.proposal, task.provenance.model_profile_id) == (None, "local")
    current = client.ask("get_instruction", instruction_id=draft.instruction_id)
    assert current.version == task.instruction_version
    diff = client.ask("diff_versions", instruction_id=draft.instruction_id, from_=edited.version, to=current.version)
    assert {change.block_id for change in diff.blocks} <= {block_id}

    # export, done
    _, bundle = exported(client, job.id, current, "MD_ZIP")
    names = zipfile.ZipFile(io.BytesIO(bundle)).namelist()
    assert "instruction.md" in names and len(names) > 1
    _, document = exported(client, job.id, current, "PDF")
    assert document.startswith(b"%PDF-")
    done = job_in(client, job.id, "DONE")
    assert done.completed_at is not None
    assert {each.format_ for each in done.manifest.exports} == {"MD_ZIP", "PDF"}

    # edit and export again
    last = saved(client, current, "How to add a customer", "Adding a customer")
    export, page = exported(client, job.id, last, "HTML")
    assert b"Adding a customer" in page
    assert client.ask("get_job", job_id=job.id).status == "DONE"
    rows = client.ask("history", job_id=job.id, limit=100).items
    assert [row.new_status for row in rows].count("DONE") == 1
    assert {row.data["export_id"] for row in rows if row.event_type == "EXPORT_SUCCEEDED"} >= {export.export_id}


def picture(address: str) -> Image.Image:
    answer = httpx.get(address)
    assert answer.status_code == 200
    return Image.open(io.BytesIO(answer.content)).convert("RGB")


def step_of(client: GeneratedClient, instruction_id: str, version: Any) -> str:
    """The id of a step that has a picture."""
    anchors = client.ask(
        "list_anchors", instruction_id=instruction_id, instruction_version_id=version.instruction_version_id
    )
    steps = re.findall(r"<!-- block:(\S+) -->\n## ", version.markdown)
    shown = {each.addressing.block_id for each in anchors.items}
    return str(next(step for step in steps if step in shown))
