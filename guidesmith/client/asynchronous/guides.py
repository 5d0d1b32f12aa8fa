"""Guides of the asynchronous client: their documents, translations, exports and links."""

from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime
from pathlib import Path

from guidesmith.client.asynchronous.calls import Calls
from guidesmith.client.errors import Unreachable
from guidesmith.client.flows import asking
from guidesmith.client.flows import documents as flows
from guidesmith.client.shapes import (
    BinnedGuide,
    Export,
    FoundGuide,
    Guide,
    Instruction,
    Job,
    MadeShare,
    Share,
    Task,
    Translation,
    TranslationDetails,
    TranslationTask,
    Version,
)


class Guides(Calls):
    async def guides(self, *, sort: str | None = None, project_id: str | None = None) -> AsyncIterator[Guide]:
        async for each in self._listed("guides", Guide, sort=sort, project_id=project_id):
            yield each

    async def search_guides(self, words: str, *, project_id: str | None = None) -> AsyncIterator[FoundGuide]:
        async for each in self._listed("guides/search", FoundGuide, q=words, project_id=project_id):
            yield each

    async def rename_guide(self, job_id: str, title: str) -> Guide:
        return await self._run(flows.rename_guide(job_id, title))

    async def throw_away(self, job_id: str) -> BinnedGuide:
        return await self._run(flows.throw_away(job_id))

    async def bin(self) -> AsyncIterator[BinnedGuide]:
        async for each in self._listed("guides/bin", BinnedGuide):
            yield each

    async def restore_guide(self, job_id: str) -> Job:
        return await self._run(flows.restore_guide(job_id))

    async def erase_guide(self, job_id: str) -> None:
        await self._run(asking.delete(f"guides/bin/{job_id}"))

    # --- documents ---------------------------------------------------------------------------------------------

    async def instruction(self, instruction_id: str, version: int | None = None) -> Instruction:
        return await self._run(flows.get_instruction(instruction_id, version))

    async def save(self, instruction: Instruction, markdown: str) -> Instruction:
        return await self._run(flows.save_instruction(instruction.instruction_id, instruction.version, markdown))

    async def versions(self, instruction: Instruction | str) -> AsyncIterator[Version]:
        async for each in self._listed(f"instructions/{flows.instruction_id(instruction)}/versions", Version):
            yield each

    async def restore(self, instruction: Instruction, version: int) -> Instruction:
        return await self._run(flows.restore(instruction.instruction_id, instruction.version, version))

    async def name_version(self, instruction: Instruction | str, version: int, name: str | None) -> Version:
        return await self._run(flows.name_version(flows.instruction_id(instruction), version, name))

    async def regenerate(self, instruction: Instruction, block_id: str, context: str | None = None) -> Task:
        return await self._run(flows.regenerate(instruction.instruction_id, instruction.version, block_id, context))

    # --- translations ------------------------------------------------------------------------------------------

    async def translate(
        self, instruction: Instruction, language: str, *, version: int | None = None
    ) -> TranslationTask:
        return await self._run(flows.translate(instruction.instruction_id, language, version))

    async def translations(self, instruction: Instruction) -> tuple[Translation, ...]:
        return await self._run(flows.translations(instruction.instruction_id))

    async def delete_translation(self, translation: Translation | str) -> None:
        found = translation if isinstance(translation, str) else translation.instruction_id
        await self._run(asking.delete(f"instructions/{found}/translation"))

    async def begin_translation(
        self, instruction: Instruction, language: str, *, version: int | None = None
    ) -> TranslationTask:
        return await self._run(flows.begin_translation(instruction.instruction_id, language, version))

    async def translation_task(self, task: TranslationTask | str) -> TranslationTask:
        return await self._run(flows.translation_task(asking.id_of(task)))

    async def cancel_translation(self, task: TranslationTask | str) -> TranslationTask:
        return await self._run(flows.cancel_translation(asking.id_of(task)))

    async def translation(self, translation: Translation | str) -> TranslationDetails:
        return await self._run(flows.translation(flows.instruction_id(translation)))

    async def answer_translation(
        self, translation: TranslationDetails, block_id: str, *, take: bool = True
    ) -> TranslationDetails:
        return await self._run(
            flows.answer_translation(translation.instruction_id, translation.version, block_id, take)
        )

    # --- exports -----------------------------------------------------------------------------------------------

    async def export(self, job: Job | str, format: str = "PDF", *, version_id: str | None = None) -> Export:
        return await self._run(flows.export(asking.id_of(job), format, version_id))

    async def download(self, export: Export, path: str | Path) -> Path:
        """As :meth:`Client.download`: a file that is there is replaced."""
        if export.download_url is None:
            raise Unreachable("The export has no file: it has not succeeded.")
        return await self.fetch(export.download_url, path)

    async def download_site(self, exports: Iterable[Export], path: str | Path, *, title: str = "Guides") -> Path:
        return await self.fetch(flows.site_url(exports, title), path)

    async def download_exports(self, exports: Iterable[Export], path: str | Path) -> Path:
        return await self.fetch(flows.exports_url(exports), path)

    # --- links -------------------------------------------------------------------------------------------------

    async def shares(self, instruction: Instruction | str) -> AsyncIterator[Share]:
        async for each in self._listed(f"instructions/{flows.instruction_id(instruction)}/shares", Share):
            yield each

    async def share(
        self,
        instruction: Instruction | str,
        *,
        name: str | None = None,
        expires_at: datetime | None = None,
        passphrase: str | None = None,
        recording: bool = False,
        embed_origins: Sequence[str] = (),
    ) -> MadeShare:
        chosen = {
            "name": name,
            "expires_at": asking.moment(expires_at),
            "passphrase": passphrase,
            "recording": recording,
            "embed_origins": list(embed_origins),
        }
        return await self._run(flows.share(flows.instruction_id(instruction), chosen))

    async def update_share(self, share: Share | str) -> Share:
        return await self._run(flows.update_share(asking.id_of(share)))

    async def revoke_share(self, share: Share | str) -> None:
        await self._run(asking.delete(f"shares/{asking.id_of(share)}"))
