"""Misheard words, found in a job's transcript and in its document, and put right in all chosen places at once."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NoReturn

from activities.artifacts import ArtifactStore
from activities.store import Store
from domain.documents.correcting import (
    MOST_PLACES,
    BlockChange,
    CorrectionSet,
    Place,
    SegmentChange,
    corrected_text,
    places,
)
from domain.documents.document import Document, parse
from domain.documents.versions import InstructionVersion
from domain.errors import CorrectionConflict, GuidesmithError, RequestInvalid, TranscriptNotReady, VersionConflict
from domain.jobs import Job
from domain.recordings.corrections import text_sha256
from domain.recordings.glossary import Pair, Search
from starter.services.transcripts import CurrentTranscript, current_transcript

TRIES = 5
"""Of an undo that a save comes before."""


@dataclass(frozen=True)
class FoundPlaces:
    """``version`` is the document's that was looked at, ``None`` where there is none yet. ``more``: there are more
    than are told at once."""

    pairs: tuple[Pair, ...]
    places: tuple[Place, ...]
    version: int | None
    more: bool


class Correcting:
    """Called from threads."""

    def __init__(self, store: Store, artifacts: ArtifactStore) -> None:
        self._store = store
        self._artifacts = artifacts

    def find(self, owner: str, job_id: str, pairs: Sequence[Pair]) -> FoundPlaces:
        """Where these words stand, and where something stands that sounds like what is right.

        Raises:
            NotFound: The job is absent, or not ``owner``'s.
            TranscriptNotReady: There is neither a transcript nor a document yet.
        """
        job = self._store.get_job(job_id, owner=owner)
        heard, version = self._read(job)
        document = parse(version.markdown) if version else None
        transcript = heard.transcript if heard else None
        found = tuple(islice(places(Search(pairs), transcript, document), MOST_PLACES + 1))
        number = version.version if version else None
        return FoundPlaces(tuple(pairs), found[:MOST_PLACES], number, more=len(found) > MOST_PLACES)

    def find_known(self, owner: str, job_id: str) -> FoundPlaces:
        """As :meth:`find`, of all that the glossary has for the job's project; what only sounds alike is left out."""
        job = self._store.get_job(job_id, owner=owner)
        heard, version = self._read(job)
        document = parse(version.markdown) if version else None
        terms = self._store.glossary(owner, job.project_id)
        pairs = tuple(Pair(heard=each.heard, right=each.right) for each in terms)
        transcript = heard.transcript if heard else None
        search = Search(pairs, sounding=False)
        found = tuple(islice(places(search, transcript, document), MOST_PLACES + 1))
        # only what is there: what is put right is looked for again by the same pairs
        used = sorted({each.pair for each in found})
        told = tuple(each.model_copy(update={"pair": used.index(each.pair)}) for each in found[:MOST_PLACES])
        number = version.version if version else None
        return FoundPlaces(tuple(pairs[each] for each in used), told, number, more=len(found) > MOST_PLACES)

    def prepare(
        self, owner: str, job_id: str, pairs: Sequence[Pair], chosen: Collection[str], base_version: int | None
    ) -> Callable[[], CorrectionSet]:
        """What puts right what stands in the chosen places (their ids, as :meth:`find` told them for the same pairs):
        one short transaction, or the refusal of it.

        What is answered raises:
            NotFound: The job is absent, or not ``owner``'s.
            TranscriptNotReady: There is neither a transcript nor a document yet.
            VersionConflict: The document is no longer at ``base_version``.
            CorrectionConflict: A chosen place does not read as it did. Nothing was written, as in all of these.
        """
        try:
            return self._prepared(owner, job_id, pairs, chosen, base_version)
        except GuidesmithError as refused:
            return partial(_raise, refused)  # a repeated request is answered all the same

    def _prepared(
        self, owner: str, job_id: str, pairs: Sequence[Pair], chosen: Collection[str], base_version: int | None
    ) -> Callable[[], CorrectionSet]:
        job = self._store.get_job(job_id, owner=owner)
        heard, version = self._read(job)
        if version is not None and version.version != base_version:
            raise VersionConflict(
                f"The instruction is at version {version.version}. Look for the words again.",
                details={"base_version": base_version, "current_version": version.version},
            )
        wanted, search = set(chosen), Search(pairs)
        blocks = _blocks(parse(version.markdown), search, wanted) if version else []
        segments = _segments(heard, search, wanted) if heard else []
        if wanted:
            raise CorrectionConflict("Some of these places do not read as they did. Look for the words again.")
        return self._store.correcting_everywhere(owner, job_id, pairs, segments=segments, base=version, blocks=blocks)

    def undo(self, owner: str, job_id: str, set_id: str) -> CorrectionSet:
        """Let everything read as it did, but what was changed since.

        Raises:
            NotFound: There is no such set, or it is not ``owner``'s.
            VersionConflict: Somebody saves again and again; nothing was written.
        """
        for _ in range(TRIES - 1):
            try:
                return self._store.undo_correction_set(owner, job_id, set_id)
            except VersionConflict:
                continue
        return self._store.undo_correction_set(owner, job_id, set_id)

    def _read(self, job: Job) -> tuple[CurrentTranscript | None, InstructionVersion | None]:
        heard = current_transcript(self._store, self._artifacts, job.id)
        version = self._store.current_instruction(job.instruction_id) if job.instruction_id else None
        if heard is None and version is None:
            raise TranscriptNotReady("The job has no transcript yet.", details={"current_status": job.status})
        return heard, version


def _segments(heard: CurrentTranscript, search: Search, wanted: set[str]) -> list[SegmentChange]:
    """Takes the ids that it finds out of ``wanted``."""
    changes = []
    for segment in heard.transcript.segments:
        text, used = corrected_text(segment.text, wanted, search, str(segment.id))
        if not used:
            continue
        wanted -= used
        original = heard.recognised.segments[segment.id].text
        known = heard.corrections.get(segment.id)
        changes.append(
            SegmentChange(
                segment=segment.id,
                original_sha256=text_sha256(original),
                before=known.text if known else None,
                after=None if text.strip() == original.strip() else text.strip(),
            )
        )
    return changes


def _blocks(document: Document, search: Search, wanted: set[str]) -> list[BlockChange]:
    """Takes the ids that it finds out of ``wanted``."""
    changes = []
    for block in document.blocks:
        text, used = corrected_text(block.markdown, wanted, search, block.id)
        if used:
            wanted -= used
            changes.append(BlockChange(block_id=block.id, before=block.markdown, after=text))
    return changes


def _raise(refused: GuidesmithError) -> NoReturn:
    raise refused


def check_pairs(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Raises: RequestInvalid: What is heard is what is right."""
    for each in pairs:
        if each.heard == each.right:
            raise RequestInvalid("What was heard is what is right already.", field="pairs")
    return tuple(dict.fromkeys(pairs))
