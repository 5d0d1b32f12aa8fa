"""Guides in other languages: asked for, brought up to date, and looked through block by block."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from activities.artifacts import ArtifactStore
from activities.drafting.language.names import name_of
from activities.process.callers import acting_member
from activities.rails.task_dispatch import TRANSLATE
from activities.store import Store
from activities.store.documents.translated import Compared
from domain.documents.translations import TranslationTask, language_tag
from domain.errors import ArtifactStoreUnavailable, Cancelled, RequestInvalid, TranslationUnavailable
from domain.jobs import Failure, StageName, TaskStatus
from starter.logs import log
from starter.services.documents import DocumentService


@dataclass(frozen=True)
class Translated:
    """A translation held against its original, and the task that works on it, or did last."""

    compared: Compared
    task: TranslationTask | None


class TranslationService:
    """What people do with translations. The store is called from threads.

    Args:
        has_model: Whether a language model is set up, which alone translates.
    """

    def __init__(self, store: Store, documents: DocumentService, artifacts: ArtifactStore, *, has_model: bool) -> None:
        self._store = store
        self._artifacts = artifacts
        self._documents = documents
        self._has_model = has_model

    async def translate(
        self, owner: str, source_id: str, language: str, client_request_id: str, *, source_version: int | None = None
    ) -> tuple[TranslationTask, bool]:
        """Have a guide translated; the task, and whether the same request came before.

        Raises:
            TranslationUnavailable: No language model is set up.
            RequestInvalid: There is no such language, or the guide is in it.
            TranslationExists, TranslationInProgress, TranslationMismatch, IdempotencyConflict, NotFound.
            EngineUnavailable: The task is there, and begins when Temporal is.
        """
        source = await asyncio.to_thread(self._store.get_instruction, owner, source_id, source_version)
        self._check_model()
        tag = known_language(language)
        if source.language is not None and source.language.lower() == tag.lower():
            raise RequestInvalid("The guide is in this language.", field="language")
        return await self._asked(
            owner, source_id, tag, client_request_id, is_update=False, source_version=source_version
        )

    async def update(
        self,
        owner: str,
        instruction_id: str,
        client_request_id: str,
        *,
        blocks: Sequence[str] | None = None,
        reorder: bool = False,
    ) -> tuple[TranslationTask, bool]:
        """Have what is behind and missing in a translation translated from its original as that is now, or ``blocks``
        alone.

        Raises:
            As :meth:`translate`; TranslationMismatch: it is no translation.
        """
        known = await asyncio.to_thread(self._store.compare_translation, owner, instruction_id)
        self._check_model()
        if blocks is not None and (strange := set(blocks) - {each.block_id for each in known.stands.blocks}):
            raise RequestInvalid(
                "The original has no such block. Load it again.", field="blocks", details={"blocks": sorted(strange)}
            )
        return await self._asked(
            owner,
            known.translation.source_id,
            known.translation.language,
            client_request_id,
            is_update=True,
            blocks=blocks,
            reorder=reorder,
        )

    async def cancel(self, owner: str, task_id: str) -> TranslationTask:
        """Stop a translation that is being made. What was answered so far is dropped; one that is over stays as it is.

        Raises:
            NotFound. EngineUnavailable: Nothing changed.
        """
        task = await asyncio.to_thread(self._store.get_translation_task, task_id, owner=owner)
        if task.is_over:
            return task
        await self._documents.cancel_task(TRANSLATE, task.id)
        stopped = Failure(
            failure_code=Cancelled.code,
            failure_message="The translation was cancelled.",
            failed_stage=StageName.TRANSLATION,
        )
        return await asyncio.to_thread(self._store.fail_translation, task.id, stopped)

    def of(self, owner: str, source_id: str) -> tuple[Translated, ...]:
        """An original's translations, by language. Blocking. Raises: NotFound."""
        tasks = self._store.latest_translation_tasks(source_id)
        found = self._store.translations_of(owner, source_id)
        return tuple(Translated(each, tasks.get(each.translation.language)) for each in found)

    def first_tasks(self, source_id: str, made: Sequence[Translated]) -> tuple[TranslationTask, ...]:
        """The latest tasks of languages that there is no translation into (yet). Blocking."""
        there = {each.compared.translation.language for each in made}
        tasks = self._store.latest_translation_tasks(source_id)
        return tuple(task for language, task in sorted(tasks.items()) if language not in there)

    def one(self, owner: str, instruction_id: str) -> Translated:
        """One translation. Blocking. Raises: NotFound. TranslationMismatch: It is an original."""
        compared = self._store.compare_translation(owner, instruction_id)
        tasks = self._store.latest_translation_tasks(compared.translation.source_id)
        return Translated(compared, tasks.get(compared.translation.language))

    def answer(self, owner: str, instruction_id: str, block_id: str, *, base_version: int, take: bool) -> Translated:
        """See :meth:`Store.answer_translated`. Blocking."""
        author = acting_member() or owner
        self._store.answer_translated(
            owner, instruction_id, block_id, base_version=base_version, take=take, author=author
        )
        return self.one(owner, instruction_id)

    def delete(self, owner: str, instruction_id: str) -> None:
        """Delete a translation for good, and its files. Blocking. See :meth:`Store.delete_translation`."""
        for key in self._store.delete_translation(owner, instruction_id):
            try:
                self._artifacts.delete(key)
            except ArtifactStoreUnavailable:  # no row names it any more: it goes with what is swept
                log("translations").warning("translations.file_left", key=key)

    def _check_model(self) -> None:
        if not self._has_model:
            raise TranslationUnavailable(
                "No language model is set up here, and nothing else translates. Whoever runs guidesmith can set one."
            )

    async def _asked(
        self,
        owner: str,
        source_id: str,
        language: str,
        client_request_id: str,
        *,
        is_update: bool,
        source_version: int | None = None,
        blocks: Sequence[str] | None = None,
        reorder: bool = False,
    ) -> tuple[TranslationTask, bool]:
        task, created = await asyncio.to_thread(
            self._store.request_translation,
            owner,
            source_id,
            language,
            is_update=is_update,
            client_request_id=client_request_id,
            requested_by=acting_member() or owner,
            source_version=source_version,
            blocks=blocks,
            reorder=reorder,
        )
        if task.status is TaskStatus.PENDING:
            job = await asyncio.to_thread(self._store.get_job, task.job_id)
            await self._documents.hand_over(TRANSLATE, task.id, job)
            task = await asyncio.to_thread(self._store.get_translation_task, task.id)
        return task, not created


def known_language(text: str) -> str:
    """The tag of a language that has a name.

    Raises:
        RequestInvalid: It is no tag of BCP 47, or one of no language.
    """
    tag = language_tag(text)
    if name_of(tag) is None:
        raise RequestInvalid(
            "There is no language with this tag. German is de, Brazilian Portuguese pt-BR.", field="language"
        )
    return tag
