"""What another package brings is found by its entry points: the example, built and installed as one."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import text

from activities.publishing.publisher import publish
from activities.store import Store
from domain.documents.draft import BlockRole, check_draft
from domain.documents.publication import ExportFormat, Publication, PublicationBlock
from domain.errors import ExportFailed, SettingsInvalid
from domain.recordings.transcript import Segment, SpeechFound, Transcript
from starter import plugins
from starter.settings import load_settings
from starter.wiring import build_activities, build_drafters, build_recogniser, model_profiles
from tests.apis import api_settings, running_api, wait_ready
from tests.integration.api_builders import told_job
from tests.integration.store_builders import OWNER, drafted_job, instruction_of
from tests.integration.test_pages_roles import visitor
from tests.stack import ROOT, wait_until
from tests.temporal import TemporalServer
from tests.workers import serving
from workflows.tasks import ExportWorkflow

CHECKLIST = ExportFormat("X_CHECKLIST")
STEP = PublicationBlock(block_id="b", markdown="## Open the *file*\n\nIt is there.", role="step", start_ms=61_000)
GUIDE = Publication(title="A guide", version=1, blocks=(STEP,))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The example's wheel, installed in a folder that Python looks in."""
    folder = tmp_path_factory.mktemp("plugin")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")]
    subprocess.run(build, cwd=ROOT / "examples" / "plugin", check=True, capture_output=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    site = folder / "site"
    install = [ROOT / ".tools" / "bin" / "uv", "pip", "install", "--no-index", "--no-deps", "--target", site, wheel]
    subprocess.run([*map(str, install), "--python", sys.executable], check=True, capture_output=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        plugins.exporters.cache_clear()
        yield site
    plugins.exporters.cache_clear()


def test_given_an_installed_exporter_when_its_format_is_asked_for_then_it_makes_the_file(
    installed: Path, tmp_path: Path
) -> None:
    exporters = plugins.exporters()
    assert set(exporters) == {CHECKLIST} and exporters[CHECKLIST].title == "Checklist"
    made = publish(GUIDE, CHECKLIST, out=tmp_path, exporters=exporters)
    assert (made.filename, made.media_type) == ("A-guide.txt", "text/plain; charset=utf-8")
    assert made.path.read_text() == "A guide\n\n[ ] Open the *file* (1:01)\n"


def test_given_a_format_that_nothing_here_makes_or_a_broken_exporter_then_the_export_fails_with_a_sentence(
    tmp_path: Path,
) -> None:
    class Broken:
        title, media_type, extension = "x", "text/plain", ".x"

        def export(self, publication: Publication) -> bytes:
            raise KeyError("a secret of somebody's")

    with pytest.raises(ExportFailed, match="No package on this worker makes X_CHECKLIST"):
        publish(GUIDE, CHECKLIST, out=tmp_path)
    with pytest.raises(ExportFailed, match="KeyError") as failed:
        publish(GUIDE, CHECKLIST, out=tmp_path, exporters={CHECKLIST: Broken()})
    assert "secret" not in failed.value.message


def test_given_an_added_format_when_it_is_asked_for_over_http_then_the_worker_that_has_its_package_makes_it(
    installed: Path, temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    with running_api(api_settings(tmp_path, task_queue_prefix=f"plugins-{uuid4().hex}")) as api:
        wait_ready(api)
        job = told_job(api.store, api.artifacts, "ann")
        _, tasks = build_activities(api.settings, api.store, api.artifacts)  # as every worker has it
        does = [tasks.publish, tasks.fail_export]
        with (
            api.client("ann") as ann,
            serving(temporal.address, api.settings, ("jobs", "media"), does, (ExportWorkflow,)),
        ):
            markdown = ann.get(f"instructions/{job.instruction_id}").json()["markdown"]
            headed = {"base_version": 1, "markdown": markdown.replace("Choose", "## Begin\n\nChoose")}
            version = ann.put(f"instructions/{job.instruction_id}", json=headed).json()["instruction_version_id"]
            order = {"format": "X_CHECKLIST", "instruction_version_id": version}
            asked = ann.post(f"jobs/{job.id}/exports", json=order)
            assert (asked.status_code, asked.json()["format"]) == (202, "X_CHECKLIST")

            def made() -> dict[str, Any] | None:
                body: dict[str, Any] = ann.get(f"exports/{asked.json()['id']}").json()
                return body if body["status"] in ("SUCCEEDED", "FAILED") else None

            export = wait_until(made, 60, "the export")
            assert export["status"] == "SUCCEEDED", export["failure"]
            file = httpx.get(export["download_url"])
            # rolled back: the rows are those of a version that knows more
            with api.store._database.write() as connection:
                connection.execute(text("PRAGMA ignore_check_constraints = ON"))
                connection.execute(text("UPDATE exports SET format = 'HOLOGRAM'"))
                connection.execute(text("UPDATE instruction_versions SET origin = 'dictated' WHERE version = 2"))
                connection.execute(text("PRAGMA ignore_check_constraints = OFF"))
            for path in (f"exports/{export['id']}", f"jobs/{job.id}", f"instructions/{job.instruction_id}", "jobs"):
                assert ann.get(path).status_code == 200, path
            assert ann.get(f"exports/{export['id']}").json()["format"] == "HOLOGRAM"
            assert ann.post(f"jobs/{job.id}/exports", json={**order, "format": "HOLOGRAM"}).status_code == 400
            with visitor(api, "ann") as pages:
                shown = pages.get(f"/instructions/{job.instruction_id}/export").text
                assert pages.get(f"/jobs/{job.id}").status_code == 200
            assert "HOLOGRAM" in shown and f"/exports/{export['id']}/file" in shown
    assert file.headers["content-type"] == "text/plain; charset=utf-8"
    assert file.text == "Add a customer\n\n[ ] Begin (0:00)\n"


def test_given_an_export_in_an_added_format_when_it_is_stored_then_it_is_read_again_wherever_that_is(
    store: Store,
) -> None:
    job, _ = drafted_job(store)
    version = store.get_instruction(OWNER, instruction_of(job)).id
    export, created = store.request_export(OWNER, job.id, CHECKLIST, version)
    assert created and store.get_export(export.id).format == "X_CHECKLIST" and export.format.is_added
    assert store.request_export(OWNER, job.id, ExportFormat("X_CHECKLIST"), version) == (export, False)
    assert export.model_dump(mode="json")["format"] == "X_CHECKLIST"
    for wrong in ("x_checklist", "X", "1_X", "CHECK LIST", ""):
        with pytest.raises(ValueError):
            ExportFormat(wrong)


def test_given_a_drafter_and_a_speech_service_that_the_settings_name_then_they_are_put_together(
    installed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("REMOTE_WHISPER_URL", "http://127.0.0.1:9/v1")
    settings = load_settings(data_dir=tmp_path, draft_provider="verbatim", speech_provider="remote-whisper")
    assert model_profiles(settings)[0] == "verbatim" and "whisper-large-v3" in build_recogniser(settings).name
    said = (
        Segment(id=0, start_ms=0, end_ms=900, text="Open it."),
        Segment(id=1, start_ms=900, end_ms=1900, text="Go."),
    )
    transcript = Transcript(speech=SpeechFound.SPEECH, language="en", duration_ms=2000, model="x", segments=said)
    draft = build_drafters(settings)["verbatim"].draft(transcript, (), source_name="x.mp4")
    check_draft(draft, transcript, ())
    assert [(each.role, each.heading) for each in draft.blocks[1:]] == [
        (BlockRole.STEP, "Open it."),
        (BlockRole.STEP, "Go."),
    ]


def test_given_a_name_that_no_package_brings_or_one_that_breaks_then_a_sentence_says_which(
    installed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(SettingsInvalid, match=r"'nobodys'\. Installed: verbatim"):
        plugins.drafter("nobodys")
    monkeypatch.delenv("REMOTE_WHISPER_URL", raising=False)
    with pytest.raises(SettingsInvalid, match="guidesmith-checklist cannot be loaded: KeyError"):
        plugins.recogniser("remote-whisper")
    with pytest.raises(SettingsInvalid, match="GUIDESMITH_DRAFT_PROVIDER"):
        load_settings(data_dir=tmp_path, draft_provider="llm")
