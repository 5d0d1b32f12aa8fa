"""Guides of the blocking client: their documents, translations, exports and links."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from guidesmith.client.blocking.calls import Calls
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
    def guides(self, *, sort: str | None = None, project_id: str | None = None) -> Iterator[Guide]:
        """Your guides, page after page. ``sort``: ``changed`` (as it is), ``made``, ``title``."""
        return self._listed("guides", Guide, sort=sort, project_id=project_id)

    def search_guides(self, words: str, *, project_id: str | None = None) -> Iterator[FoundGuide]:
        """Those that hold every word in their titles, steps, transcripts, or on their screens, and where."""
        return self._listed("guides/search", FoundGuide, q=words, project_id=project_id)

    def rename_guide(self, job_id: str, title: str) -> Guide:
        """Give its document another title, in a new version."""
        return self._run(flows.rename_guide(job_id, title))

    def throw_away(self, job_id: str) -> BinnedGuide:
        """Put a guide into the bin: for 30 days it can be restored."""
        return self._run(flows.throw_away(job_id))

    def bin(self) -> Iterator[BinnedGuide]:
        """What lies in it, the latest first, page after page."""
        return self._listed("guides/bin", BinnedGuide)

    def restore_guide(self, job_id: str) -> Job:
        """Take a guide out of the bin, with all that is its own."""
        return self._run(flows.restore_guide(job_id))

    def erase_guide(self, job_id: str) -> None:
        """Erase a guide that lies in the bin, for good."""
        self._run(asking.delete(f"guides/bin/{job_id}"))

    # --- documents ---------------------------------------------------------------------------------------------

    def instruction(self, instruction_id: str, version: int | None = None) -> Instruction:
        """The document: this version, or the newest."""
        return self._run(flows.get_instruction(instruction_id, version))

    def save(self, instruction: Instruction, markdown: str) -> Instruction:
        """Store an edit of that version as the next one. Raises: ApiError: ``VERSION_CONFLICT``: it is not the newest
        any more."""
        return self._run(flows.save_instruction(instruction.instruction_id, instruction.version, markdown))

    def versions(self, instruction: Instruction | str) -> Iterator[Version]:
        """The versions of a document without their text, newest first."""
        return self._listed(f"instructions/{flows.instruction_id(instruction)}/versions", Version)

    def restore(self, instruction: Instruction, version: int) -> Instruction:
        """Make an earlier version's text the newest again, after ``instruction``, as a version of its own. Raises:
        ApiError: ``VERSION_CONFLICT``: that one is not the newest any more."""
        return self._run(flows.restore(instruction.instruction_id, instruction.version, version))

    def name_version(self, instruction: Instruction | str, version: int, name: str | None) -> Version:
        """Call a version something, to find it again; ``None``: nothing any more."""
        return self._run(flows.name_version(flows.instruction_id(instruction), version, name))

    def regenerate(self, instruction: Instruction, block_id: str, context: str | None = None) -> Task:
        """Have a block written again, and wait until it is. Raises: JobFailed."""
        return self._run(flows.regenerate(instruction.instruction_id, instruction.version, block_id, context))

    # --- translations ------------------------------------------------------------------------------------------

    def translate(self, instruction: Instruction, language: str, *, version: int | None = None) -> TranslationTask:
        """Have the newest version, or this one, translated, and wait until it is. Where there is a translation into the
        language, what is behind in it is translated. Raises: JobFailed."""
        return self._run(flows.translate(instruction.instruction_id, language, version))

    def translations(self, instruction: Instruction) -> tuple[Translation, ...]:
        """The translations of a document, and which steps of each are behind: in numbers."""
        return self._run(flows.translations(instruction.instruction_id))

    def delete_translation(self, translation: Translation | str) -> None:
        """Delete a translation for good, with its exports, links and comments; the original stays."""
        found = translation if isinstance(translation, str) else translation.instruction_id
        self._run(asking.delete(f"instructions/{found}/translation"))

    def begin_translation(
        self, instruction: Instruction, language: str, *, version: int | None = None
    ) -> TranslationTask:
        """As :meth:`translate`, without waiting: :meth:`translation_task` tells how far it is."""
        return self._run(flows.begin_translation(instruction.instruction_id, language, version))

    def translation_task(self, task: TranslationTask | str) -> TranslationTask:
        """How far a translation is. ``status``: ``PENDING``, ``RUNNING``, ``SUCCEEDED``, ``FAILED``."""
        return self._run(flows.translation_task(asking.id_of(task)))

    def cancel_translation(self, task: TranslationTask | str) -> TranslationTask:
        """Stop a translation that is being made; nothing of it is put in place. One that is over stays as it is."""
        return self._run(flows.cancel_translation(asking.id_of(task)))

    def translation(self, translation: Translation | str) -> TranslationDetails:
        """A translation, held against its original block by block. By its id, which is that of an instruction."""
        return self._run(flows.translation(flows.instruction_id(translation)))

    def answer_translation(
        self, translation: TranslationDetails, block_id: str, *, take: bool = True
    ) -> TranslationDetails:
        """Take a block's new translation (its ``offer``), or say that its text is right as it is. Raises: ApiError:
        ``VERSION_CONFLICT``: there is a newer version than the one that was looked at."""
        return self._run(flows.answer_translation(translation.instruction_id, translation.version, block_id, take))

    # --- exports -----------------------------------------------------------------------------------------------

    def export(self, job: Job | str, format: str = "PDF", *, version_id: str | None = None) -> Export:
        """Export the newest version, or this one, and wait until it is done. Raises: JobFailed."""
        return self._run(flows.export(asking.id_of(job), format, version_id))

    def download(self, export: Export, path: str | Path) -> Path:
        """Save an export's file as ``path``, which appears whole or not at all. A file that is there is replaced."""
        if export.download_url is None:
            raise Unreachable("The export has no file: it has not succeeded.")
        return self.fetch(export.download_url, path)

    def download_site(self, exports: Iterable[Export], path: str | Path, *, title: str = "Guides") -> Path:
        """Save the static site of these exports, each of format ``SITE``, as the ZIP ``path``; see :meth:`download`."""
        return self.fetch(flows.site_url(exports, title), path)

    def download_exports(self, exports: Iterable[Export], path: str | Path) -> Path:
        """Save the files of these exports as the ZIP ``path``; see :meth:`download`."""
        return self.fetch(flows.exports_url(exports), path)

    # --- links -------------------------------------------------------------------------------------------------

    def shares(self, instruction: Instruction | str) -> Iterator[Share]:
        """The links to a guide, newest first, those that open nothing any more too."""
        return self._listed(f"instructions/{flows.instruction_id(instruction)}/shares", Share)

    def share(
        self,
        instruction: Instruction | str,
        *,
        name: str | None = None,
        expires_at: datetime | None = None,
        passphrase: str | None = None,
        recording: bool = False,
        embed_origins: Sequence[str] = (),
    ) -> MadeShare:
        """Make a link: its ``url``, which is answered only here, shows the newest version to whoever has it.

        Args:
            name: What you call it, for yourself.
            expires_at: When it ends; none: when it is revoked.
            passphrase: Asked of everybody who opens it.
            recording: Whether the recording may be watched, too.
            embed_origins: Sites that may show the guide within their pages; not with a passphrase.
        """
        chosen = {
            "name": name,
            "expires_at": asking.moment(expires_at),
            "passphrase": passphrase,
            "recording": recording,
            "embed_origins": list(embed_origins),
        }
        return self._run(flows.share(flows.instruction_id(instruction), chosen))

    def update_share(self, share: Share | str) -> Share:
        """Have a link show the newest version. Until that is exported, its readers see what they do now."""
        return self._run(flows.update_share(asking.id_of(share)))

    def revoke_share(self, share: Share | str) -> None:
        """A link opens nothing any more, at once."""
        self._run(asking.delete(f"shares/{asking.id_of(share)}"))
