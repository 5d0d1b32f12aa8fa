"""A job's transcript as it reads now: what was recognised, with what its reader has corrected."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from activities.artifacts import ArtifactStore
from activities.store import Store
from domain.artifacts import ArtifactKind, Blob
from domain.recordings.corrections import Correction, applicable, corrected
from domain.recordings.transcript import Transcript

KEPT = 4
"""Transcripts kept parsed: one of ten hours takes a tenth of a second to parse, and its pages are read in a row."""


@dataclass(frozen=True)
class CurrentTranscript:
    """``recognised`` is what was heard, ``transcript`` how it reads now. ``corrections`` by segment."""

    recognised: Transcript
    transcript: Transcript
    corrections: Mapping[int, Correction]


def current_transcript(store: Store, artifacts: ArtifactStore, job_id: str) -> CurrentTranscript | None:
    """The job's newest transcript; ``None``: it has none yet."""
    artifact = store.latest_artifact(job_id, ArtifactKind.TRANSCRIPT)
    if artifact is None:
        return None
    recognised = _parsed(artifacts, artifact.blob)
    corrections = store.corrections(job_id)
    return CurrentTranscript(recognised, corrected(recognised, corrections), applicable(recognised, corrections))


@lru_cache(maxsize=KEPT)
def _parsed(artifacts: ArtifactStore, blob: Blob) -> Transcript:
    return Transcript.model_validate_json(artifacts.read_bytes(blob))
