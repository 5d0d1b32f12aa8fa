"""The search in guides on both databases: what is indexed when, who finds what, and where; what changes, what goes."""

from pathlib import Path

import pytest
from sqlalchemy import delete

from activities.artifacts import ArtifactStore
from activities.store import Store
from activities.store.tables import search_sources, search_texts
from activities.upkeep.indexing import Indexer
from domain.artifacts import ArtifactKind
from domain.geometry import Box
from domain.jobs import Job, NewArtifact
from domain.lifecycles.instruction import DRAFT_READY, GENERATING
from domain.recordings.screen import ScreenRecord, ScreenText
from domain.recordings.transcript import Segment, SpeechFound, Transcript
from domain.search import Part, read_query
from tests.integration.store_builders import (
    MARKDOWN,
    OTHER_BLOCK,
    OWNER,
    Run,
    draft,
    edit,
    instruction_of,
    uploaded_job,
)

pytest_plugins = ("tests.databases",)

SAID = ("Now open the settings.", "Type the Endpoint URL and press Größe.")


@pytest.fixture
def artifacts(tmp_path: Path) -> ArtifactStore:
    return ArtifactStore.open(tmp_path.as_uri())


def told(store: Store, artifacts: ArtifactStore, owner: str = OWNER) -> Job:
    """A drafted job whose transcript and screen can be read."""
    segments = tuple(
        Segment(id=each, start_ms=each * 4000, end_ms=each * 4000 + 3000, text=text) for each, text in enumerate(SAID)
    )
    transcript = Transcript(speech=SpeechFound.SPEECH, language="en", duration_ms=9000, model="m", segments=segments)
    shown = ScreenText(
        id=0, text="Webhook secret", start_ms=45_000, end_ms=46_000, confidence=0.9, box=Box(x=0, y=0, w=1, h=1)
    )
    screen = ScreenRecord(reader="r", width=1, height=1, duration_ms=9000, texts=(shown,))
    run = Run(store, uploaded_job(store, owner).id).dispatched().extract_audio().transcribe()
    made = [
        NewArtifact(
            kind=kind, blob=artifacts.put_bytes(f"jobs/{run.job_id}/{kind}.json", data.encode(), "application/json")
        )
        for kind, data in (
            (ArtifactKind.DRAFT, "{}"),
            (ArtifactKind.TRANSCRIPT, transcript.model_dump_json()),
            (ArtifactKind.SCREEN, screen.model_dump_json()),
        )
    ]
    store.begin_stage(run.job_id, run.fence(), GENERATING)
    store.finish_stage(run.job_id, run.fence(), target=DRAFT_READY, artifacts=made, progress=100, version=draft())
    return store.get_job(run.job_id)


def found(store: Store, asked: str, owner: str = OWNER) -> list[tuple[str, list[tuple[Part, int | None]]]]:
    guides, _ = store.search_guides(owner, read_query(asked))
    return [(each.card.job.id, [(hit.part, hit.passage.at_ms) for hit in each.hits]) for each in guides]


def test_given_a_guide_when_searched_then_each_hit_says_where_it_is_and_strangers_find_nothing(
    store: Store, artifacts: ArtifactStore
) -> None:
    job, theirs = told(store, artifacts), told(store, artifacts, "eve")
    assert found(store, "custom") == [(job.id, [(Part.TITLE, None)])], "a document is indexed as it is saved"
    assert found(store, "endpoint") == []
    indexer = Indexer(store, artifacts)
    assert indexer.index_all() == 4 and indexer.index_all() == 0
    assert found(store, '"endpoint url"') == [(job.id, [(Part.TRANSCRIPT, 4000)])]
    assert found(store, "groesse secret") == [(job.id, [(Part.TRANSCRIPT, 4000), (Part.SCREEN, 45_000)])]
    assert found(store, '"url endpoint"') == [] and found(store, "endpoint nothing") == []
    assert [each for each, _ in found(store, "endpoint", "eve")] == [theirs.id]
    ((guide,), more) = store.search_guides(OWNER, read_query("name"))
    (hit,) = guide.hits
    assert (hit.part, hit.text, hit.passage.block_id, more) == (Part.STEP, "Enter the name.", OTHER_BLOCK, False)
    assert [hit.text[mark.start : mark.end] for mark in hit.marks] == ["name"]


def test_given_what_changes_when_searched_then_the_new_is_found_and_the_old_is_not(
    store: Store, artifacts: ArtifactStore
) -> None:
    job = told(store, artifacts)
    indexer = Indexer(store, artifacts)
    indexer.index_all()
    store.save_version(OWNER, instruction_of(job), 1, edit(MARKDOWN.replace("Enter the name", "Write the surname")))
    assert found(store, "surname") and not found(store, '"enter the name"')
    store.correct(OWNER, job.id, 0, SAID[0], "Now open the preferences.")
    assert not found(store, "preferences"), "some seconds later"
    assert indexer.index_all() == 1
    assert found(store, "preferences") and not found(store, '"open the settings"')
    store.throw_away(OWNER, job.id)
    assert found(store, "surname") == []
    store.take_out_of_bin(OWNER, job.id)
    assert found(store, "surname")
    store.begin_erasure(job.id, owner=OWNER)
    assert found(store, "surname") == []
    store.erase_rows(job.id)
    assert store.unindexed() == ()


def test_given_guides_of_before_there_was_an_index_then_all_of_them_are_indexed_and_what_is_lost_is_passed_over(
    store: Store, artifacts: ArtifactStore
) -> None:
    jobs = [told(store, artifacts) for _ in range(3)]
    with store._database.write() as connection:
        for table in (search_sources, search_texts):
            connection.execute(delete(table))
    assert found(store, "custom") == []
    lost = store.latest_artifact(jobs[0].id, ArtifactKind.SCREEN)
    assert lost is not None
    artifacts.delete(lost.blob.key)
    assert Indexer(store, artifacts).index_all() == 9
    assert {each for each, _ in found(store, "custom endpoint")} == {each.id for each in jobs}
    assert len(found(store, "webhook")) == 2 and store.unindexed() == ()
