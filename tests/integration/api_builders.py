"""What the API's tests need again and again: a job that went all the way to its draft, transcript included."""

from activities.artifacts import ArtifactStore
from activities.store import Store
from domain.artifacts import ArtifactKind
from domain.documents.document import parse
from domain.documents.translations import NewText
from domain.documents.versions import fingerprint
from domain.jobs import Job, NewArtifact
from domain.lifecycles.instruction import TRANSCRIBING, TRANSCRIPT_READY
from domain.recordings.transcript import Segment, SpeechFound, Transcript
from tests.integration.store_builders import OWNER, Run, uploaded_job

SPOKEN = Transcript(
    speech=SpeechFound.SPEECH,
    language="en",
    duration_ms=9_000,
    model="test",
    segments=tuple(
        Segment(id=number, start_ms=number * 1_000, end_ms=number * 1_000 + 900, text=f"Sentence {number} <b>.")
        for number in range(5)
    ),
)


def transcribed(store: Store, artifacts: ArtifactStore, run: Run, said: Transcript = SPOKEN) -> Run:
    """Take a run whose audio is ready to TRANSCRIPT_READY, with ``said`` in the artifact store."""
    store.begin_stage(run.job_id, run.fence(), TRANSCRIBING)
    blob = artifacts.put_bytes(f"said/{run.job_id}", said.model_dump_json().encode(), "application/json")
    new = NewArtifact(kind=ArtifactKind.TRANSCRIPT, blob=blob)
    store.finish_stage(run.job_id, run.fence(), target=TRANSCRIPT_READY, artifacts=[new])
    return run.next()


def told_job(store: Store, artifacts: ArtifactStore, owner: str = OWNER) -> Job:
    """A job at DRAFT_READY whose transcript can be read."""
    run = Run(store, uploaded_job(store, owner).id).dispatched().extract_audio()
    transcribed(store, artifacts, run).write_draft()
    return store.get_job(run.job_id)


def translated_by_hand(store: Store, owner: str, instruction_id: str) -> str:
    """The id of a German translation, whose text nobody has translated."""
    task, _ = store.request_translation(
        owner, instruction_id, "de", is_update=False, client_request_id="by-hand", requested_by=owner
    )
    work = store.begin_translation(task.id)
    assert work is not None
    texts = {block.id: block.markdown for block in parse(work.source.markdown).blocks if block.id in work.wanted}
    made = {block_id: NewText(markdown=text, source_sha256=fingerprint(text)) for block_id, text in texts.items()}
    none = dict.fromkeys(("model_profile_id", "prompt_template_id", "prompt_params_ref"))
    return str(store.finish_translation(work, made, none).instruction_id)
