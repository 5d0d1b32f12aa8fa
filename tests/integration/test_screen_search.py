"""Where and when something stood on the screen: searched over HTTP."""

from domain.artifacts import ArtifactKind
from domain.geometry import Box
from domain.jobs import Job, NewArtifact
from domain.lifecycles.instruction import DRAFT_READY, GENERATING
from domain.recordings.screen import ScreenRecord, ScreenText
from tests.apis import RunningApi
from tests.integration.api_builders import told_job, transcribed
from tests.integration.store_builders import Run, draft, uploaded_job

LINES = ("Endpoint URL", "https://hooks.example/a", "Save endpoint", "URL copied")


def seen_job(api: RunningApi, owner: str) -> Job:
    """A job at DRAFT_READY whose screen was read."""
    run = Run(api.store, uploaded_job(api.store, owner).id).dispatched().extract_audio()
    run = transcribed(api.store, api.artifacts, run)
    texts = tuple(
        ScreenText(
            id=at, text=text, box=Box(x=0.1, y=0.1 * at, w=0.2, h=0.05), confidence=0.9, start_ms=at, end_ms=at + 10
        )
        for at, text in enumerate(LINES)
    )
    record = ScreenRecord(reader="test", width=1280, height=720, duration_ms=100, texts=texts)
    blob = api.artifacts.put_bytes(f"seen/{run.job_id}", record.model_dump_json().encode(), "application/json")
    api.store.begin_stage(run.job_id, run.fence(), GENERATING)
    made = [NewArtifact(kind=ArtifactKind.SCREEN, blob=blob)]
    api.store.finish_stage(run.job_id, run.fence(), target=DRAFT_READY, artifacts=made, version=draft())
    return api.store.get_job(run.job_id)


def test_given_a_read_screen_when_words_are_searched_then_the_lines_that_hold_them_all_are_answered_in_pages(
    api: RunningApi,
) -> None:
    job = seen_job(api, "kim")
    path = f"jobs/{job.id}/screen"
    with api.client("kim") as kim, api.client("lee") as lee:
        assert [each["text"] for each in kim.get(path).json()["items"]] == list(LINES)
        first = kim.get(path, params={"q": "url", "limit": 1}).json()
        assert first["items"] == [
            {
                "text": "Endpoint URL",
                "start_ms": 0,
                "end_ms": 10,
                "confidence": 0.9,
                "box": {"x": 0.1, "y": 0.0, "w": 0.2, "h": 0.05},
            }
        ]
        rest = kim.get(path, params={"q": "url", "limit": 1, "cursor": first["next_cursor"]}).json()
        assert [each["text"] for each in rest["items"]] == ["URL copied"] and rest["next_cursor"] is None
        assert [each["text"] for each in kim.get(path, params={"q": "ENDPOINT save"}).json()["items"]] == [LINES[2]]
        assert kim.get(path, params={"cursor": "bm9uc2Vuc2U"}).status_code == 400
        assert lee.get(path).status_code == 404
        unread = kim.get(f"jobs/{told_job(api.store, api.artifacts, 'kim').id}/screen")
        assert (unread.status_code, unread.json()["code"]) == (409, "SCREEN_NOT_READY")
