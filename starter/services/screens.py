"""What was read off the screen of a job's recording, and the search in it."""

from collections.abc import Sequence
from functools import lru_cache

from activities.artifacts import ArtifactStore
from activities.store import Store
from domain.artifacts import ArtifactKind, Blob
from domain.recordings.screen import ScreenRecord, ScreenText

KEPT = 4
"""Records kept parsed: their pages are read in a row."""


def screen(store: Store, artifacts: ArtifactStore, job_id: str) -> ScreenRecord | None:
    """What the job's newest draft saw; ``None``: nothing was read (yet), or there was no picture."""
    artifact = store.latest_artifact(job_id, ArtifactKind.SCREEN)
    return _parsed(artifacts, artifact.blob) if artifact is not None else None


def found(record: ScreenRecord, wanted: str) -> Sequence[ScreenText]:
    """The lines that hold every word of ``wanted``, whatever its case, in order of time; all where it is empty."""
    words = wanted.casefold().split()
    if not words:
        return record.texts
    return [each for each in record.texts if all(word in each.text.casefold() for word in words)]


@lru_cache(maxsize=KEPT)
def _parsed(artifacts: ArtifactStore, blob: Blob) -> ScreenRecord:
    return ScreenRecord.model_validate_json(artifacts.read_bytes(blob))
