"""Translating a document on request: every block of it, or what is behind."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from temporalio import activity

from activities.rails.contracts import TaskCall, TaskFailure
from activities.rails.heartbeat import Heartbeat
from domain.artifacts import Artifact, ArtifactKind
from domain.documents.document import BlockEvidence, parse
from domain.documents.translations import NewText, TranslationTask
from domain.documents.versions import fingerprint
from domain.errors import ArtifactCorrupt, ArtifactMissing, TranslationUnavailable
from domain.jobs import Failure
from domain.recordings.screen import ScreenRecord

if TYPE_CHECKING:
    from activities.artifacts import ArtifactStore
    from activities.drafting.chat.translator import ChatTranslator, Piece
    from activities.store.documents.translations import TranslationWork


class TranslationStore(Protocol):
    """What the task needs of the store."""

    def latest_artifact(self, job_id: str, kind: ArtifactKind) -> Artifact | None: ...
    def begin_translation(self, task_id: str) -> "TranslationWork | None": ...
    def keep_translated(self, task_id: str, made: Mapping[str, NewText], progress_pct: int) -> None: ...
    def finish_translation(
        self, work: "TranslationWork", made: Mapping[str, NewText], written_by: Mapping[str, str | None]
    ) -> TranslationTask: ...
    def fail_translation(self, task_id: str, failure: Failure) -> TranslationTask: ...


class TranslationTasks:
    """The activities of the translating workflow. Each may run twice; its row is settled once.

    Args:
        translator: ``None``: no language model is set up here.
    """

    def __init__(
        self, store: TranslationStore, artifacts: "ArtifactStore", translator: "ChatTranslator | None"
    ) -> None:
        self._store = store
        self._artifacts = artifacts
        self._translator = translator

    @activity.defn(name="translate", no_thread_cancel_exception=True)
    def translate(self, call: TaskCall) -> None:
        """Translate what the task wants, part by part; what was answered is kept before the next is asked for."""
        with Heartbeat(call.heartbeat_timeout_s) as heartbeat:
            work = self._store.begin_translation(call.task_id)
            if work is None:
                return
            made = {block_id: text for block_id, text in work.made.items() if block_id in work.wanted}
            pieces = [piece for piece in self._pieces(work) if piece.block_id not in made]
            written_by: dict[str, str | None] = {}
            if pieces:
                made |= self._made(work, pieces, made, heartbeat)
            if self._translator is not None and work.wanted:
                written_by = dict(self._translator.provenance.model_dump())
            self._store.finish_translation(work, made, written_by)

    @activity.defn(name="fail-translation", no_thread_cancel_exception=True)
    def fail_translation(self, call: TaskFailure) -> None:
        self._store.fail_translation(call.task_id, call.failure)

    def _made(
        self, work: "TranslationWork", pieces: "list[Piece]", before: Mapping[str, NewText], heartbeat: Heartbeat
    ) -> dict[str, NewText]:
        from activities.drafting.chat.translator import Languages
        from activities.drafting.language.names import name_of

        if self._translator is None:
            raise TranslationUnavailable("No language model is set up on the worker, and nothing else translates.")
        target = work.task.language
        languages = Languages(source=work.source.language, target=target, name=name_of(target) or target)
        originals = {piece.block_id: piece.markdown for piece in pieces}
        made = dict(before)
        for part in self._translator.translate(pieces, languages, title=work.source.title, stop=heartbeat.check):
            for each in part:
                made[each.block_id] = NewText(
                    markdown=each.markdown,
                    source_sha256=fingerprint(originals[each.block_id]),
                    untranslated=not each.is_usable,
                )
            self._store.keep_translated(work.task.id, made, min(99, 100 * len(made) // len(work.wanted)))
        return made

    def _pieces(self, work: "TranslationWork") -> "list[Piece]":
        from activities.drafting.chat.translator import Piece

        labels = self._labels(work)
        return [
            Piece(block.id, block.markdown, labels.get(block.id, ()))
            for block in parse(work.source.markdown).blocks
            if block.id in work.wanted
        ]

    def _labels(self, work: "TranslationWork") -> dict[str, tuple[str, ...]]:
        """Names of the controls that each block tells, as they were read off the screen; without its record, none."""
        artifact = self._store.latest_artifact(work.task.job_id, ArtifactKind.SCREEN)
        if artifact is None:
            return {}
        try:
            screen = ScreenRecord.model_validate_json(self._artifacts.read_bytes(artifact.blob))
        except (ArtifactMissing, ArtifactCorrupt):
            return {}
        known = {change.id: change.label for change in screen.changes if change.label}
        evidence = (BlockEvidence.model_validate(each) for each in work.source.evidence)
        return {each.block_id: tuple(known[of] for of in each.changes if of in known) for each in evidence}
