"""Remembered work: results of pure stages, and the partial results of stages that were stopped half-way.

Both are addressed by what went in, so that the same question finds its answer, and by the owner's hash, so that
nobody is ever answered from somebody else's work. Both may be lost at any time: then the work is done again.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping

from pydantic import BaseModel, ConfigDict, ValidationError

from activities.artifacts.store import ArtifactStore
from domain.artifacts import Blob

MEMOS, PARTIALS = "memo", "partial"
"""Folders of what is remembered."""

BELIEVED_S = 14 * 24 * 3600.0
"""Seconds for which a memo is believed. A result that nobody but a memo names may be removed some time after that."""

_DIGEST_BYTES = hashlib.sha256().digest_size


class _Remembered(BaseModel):
    model_config = ConfigDict(frozen=True)

    blob: Blob
    facts: dict[str, object]


class StageMemo:
    """Results of stages whose outcome depends on their inputs alone.

    ``inputs`` names everything that shapes the result: the checksums of the artifacts read, the model, the options,
    and a version of the stage's own code.
    """

    def __init__(self, store: ArtifactStore) -> None:
        self._store = store

    def get(self, owner: str, stage: str, inputs: Mapping[str, str]) -> tuple[Blob, dict[str, object]] | None:
        """The remembered result and its facts, or None, also after ``BELIEVED_S``. The result was read and has its
        recorded hash: a damaged one, answered once, would be answered to every retry and every new job, and fail them
        all."""
        record = self._store.load_small(_key(MEMOS, owner, stage, inputs, "json"), younger_than_s=BELIEVED_S)
        if record is None:
            return None
        try:
            remembered = _Remembered.model_validate_json(record)
        except ValidationError:
            return None
        if not self._store.verifies(remembered.blob):
            return None
        return remembered.blob, remembered.facts

    def put(
        self, owner: str, stage: str, inputs: Mapping[str, str], blob: Blob, facts: Mapping[str, object] | None = None
    ) -> None:
        """Remember that these inputs gave ``blob``. ``facts`` are JSON values: numbers and names, no text of the
        user's."""
        record = _Remembered(blob=blob, facts=dict(facts or {})).model_dump_json()
        self._store.put_bytes(_key(MEMOS, owner, stage, inputs, "json"), record.encode(), "application/json")

    def forget(self, owner: str, stage: str, inputs: Mapping[str, str]) -> None:
        """Drop one remembered result, for instance because its object turned out to be corrupt."""
        self._store.delete(_key(MEMOS, owner, stage, inputs, "json"))

    def forget_blobs(self, owner: str, keys: Collection[str]) -> int:
        """Drop every memo of ``owner``'s whose result is one of the objects ``keys``; how many."""
        dropped = 0
        for found in self._store.list(f"{MEMOS}/{_sha256(owner)}/"):
            record = self._store.load_small(found.key)
            if record is not None and _names_one_of(record, keys):
                self._store.delete(found.key)
                dropped += 1
        return dropped

    def forget_all(self, owner: str, beat: Callable[[], object]) -> None:
        """Drop all that is remembered of ``owner``'s work, resume points too. ``beat`` is called at each."""
        for folder in (MEMOS, PARTIALS):
            for found in self._store.list(f"{folder}/{_sha256(owner)}/"):
                beat()
                self._store.delete(found.key)


def _names_one_of(record: bytes, keys: Collection[str]) -> bool:
    try:
        return _Remembered.model_validate_json(record).blob.key in keys
    except ValidationError:
        return False


class ResumePoints:
    """What a long stage has done so far. Each save replaces the last one whole."""

    def __init__(self, store: ArtifactStore) -> None:
        self._store = store

    def save(self, owner: str, stage: str, inputs: Mapping[str, str], data: bytes) -> None:
        """Keep ``data`` (up to 64 MiB) as the resume point of this work."""
        sealed = hashlib.sha256(data).digest() + data
        self._store.put_bytes(_key(PARTIALS, owner, stage, inputs, "bin"), sealed, "application/octet-stream")

    def load(self, owner: str, stage: str, inputs: Mapping[str, str]) -> bytes | None:
        """The last saved data, or None when there is none or it was damaged."""
        sealed = self._store.load_small(_key(PARTIALS, owner, stage, inputs, "bin"))
        if sealed is None:
            return None
        digest, data = sealed[:_DIGEST_BYTES], sealed[_DIGEST_BYTES:]
        return data if hashlib.sha256(data).digest() == digest else None

    def clear(self, owner: str, stage: str, inputs: Mapping[str, str]) -> None:
        """Forget it: the stage has finished."""
        self._store.delete(_key(PARTIALS, owner, stage, inputs, "bin"))


def _key(kind: str, owner: str, stage: str, inputs: Mapping[str, str], suffix: str) -> str:
    question = json.dumps({"stage": stage, "inputs": dict(inputs)}, sort_keys=True, separators=(",", ":"))
    return f"{kind}/{_sha256(owner)}/{_sha256(question)}.{suffix}"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
