"""What is searched of guides and is not indexed yet: transcripts and screens as they come, corrections, and all that
was there before there was an index. Some at a time, each in a transaction of its own; what was done stands in its rows,
so that any worker goes on."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import structlog
from pydantic import ValidationError

from activities.artifacts import ArtifactStore
from activities.store.documents.searching import Unindexed
from domain.artifacts import Artifact, ArtifactKind
from domain.errors import ArtifactCorrupt, ArtifactMissing, NotFound
from domain.recordings.corrections import Correction, corrected
from domain.recordings.screen import ScreenRecord
from domain.recordings.transcript import Transcript
from domain.search import Passage

NAME = "indexer"
EVERY_S = 10.0
"""How soon what was said can be found. A round that finds nothing to do is two statements."""

AT_MOST = 500
"""Of a round: the next one goes on."""

log = structlog.get_logger("guidesmith.indexing")


class IndexStore(Protocol):
    """What indexing needs of the store."""

    def unindexed(self, limit: int = 20) -> tuple[Unindexed, ...]: ...
    def index_document(self, job_id: str) -> None: ...
    def index_artifact(
        self, artifact: Artifact, passages: Iterable[Passage], corrections: Sequence[Correction] = ()
    ) -> None: ...
    def corrections(self, job_id: str) -> tuple[Correction, ...]: ...


class Indexer:
    """Indexes until there is nothing left; no text of anybody's reaches a log."""

    def __init__(self, store: IndexStore, artifacts: ArtifactStore) -> None:
        self._store = store
        self._artifacts = artifacts

    async def look(self) -> int:
        """Index what is not; how much that was."""
        return await asyncio.to_thread(self.index_all)

    def index_all(self) -> int:
        """As :meth:`look`, blocking."""
        done = 0
        before: tuple[Unindexed, ...] = ()
        while done < AT_MOST and (found := self._store.unindexed()) and found != before:
            for each in found:
                self._index(each)
            done += len(found)
            before = found
        if done:
            log.info("search.indexed", sources=done)
        return done

    def _index(self, found: Unindexed) -> None:
        try:
            if found.artifact is None:
                self._store.index_document(found.job_id)
            else:
                corrections = self._store.corrections(found.job_id)
                passages = tuple(self._passages(found.artifact, corrections))
                self._store.index_artifact(found.artifact, passages, corrections)
        except NotFound:  # it was erased meanwhile
            return

    def _passages(self, artifact: Artifact, corrections: Sequence[Correction]) -> Iterator[Passage]:
        """None of what is lost or cannot be read: it is not looked for again."""
        try:
            data = self._artifacts.read_bytes(artifact.blob)
            if artifact.kind is ArtifactKind.TRANSCRIPT:
                said = corrected(Transcript.model_validate_json(data), corrections)
                yield from (Passage(text=each.text, at_ms=each.start_ms) for each in said.segments)
            else:
                shown = ScreenRecord.model_validate_json(data)
                yield from (Passage(text=each.text, at_ms=each.start_ms) for each in shown.texts)
        except (ArtifactMissing, ArtifactCorrupt, ValidationError) as fault:
            log.warning(
                "search.unreadable", job_id=artifact.job_id, artifact=str(artifact.kind), fault=type(fault).__name__
            )
