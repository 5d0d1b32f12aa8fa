"""What writers do with a guide as a whole."""

import asyncio

from activities.drafting.markdown import escape_heading
from activities.store import Store
from domain.documents.guides import retitled
from domain.errors import GuideUnwritten, VersionConflict
from starter.services.documents import DocumentService

TRIES = 3
"""How often a new title is written where somebody saves the document in between."""


class GuideService:
    """Renames guides. The store is called from threads."""

    def __init__(self, store: Store, documents: DocumentService) -> None:
        self._store = store
        self._documents = documents

    async def rename(self, owner: str, job_id: str, title: str) -> None:
        """Give a guide another title: its document's, in a new version, so that the list, the page and every export
        from now on say the same.

        Raises:
            NotFound: The job is absent, or not ``owner``'s.
            GuideUnwritten: It has no document (yet).
            VersionConflict: Others saved again and again meanwhile.
        """
        job = await asyncio.to_thread(self._store.get_job, job_id, owner=owner)
        if job.instruction_id is None:
            raise GuideUnwritten(
                "The guide has no document yet: it is called what its recording is. Rename it once its draft is there.",
                details={"current_status": job.status},
            )
        for left in reversed(range(TRIES)):
            base = await asyncio.to_thread(self._store.get_instruction, owner, job.instruction_id)
            markdown = retitled(base.markdown, escape_heading(title))
            try:
                await self._documents.save(owner, job.instruction_id, base.version, markdown)
                return
            except VersionConflict:
                if not left:
                    raise
