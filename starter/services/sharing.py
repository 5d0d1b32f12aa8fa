"""Guides shown to others: links are made, brought up to date, and opened by who has no account."""

import asyncio
import hashlib
import hmac
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from activities.store import Store
from activities.store.repository import new_uuid7
from domain.documents.publication import ExportFormat
from domain.documents.sharing import Share, check_share, fingerprint, hashed, opens, token_of
from domain.documents.tasks import Export, ExportStatus
from domain.errors import NotFound
from starter.services.documents import DocumentService


class SharingService:
    """Makes links and finds what they show. The store is called from threads.

    Args:
        secret: The API's own, from which the key of the links' secrets is derived.
    """

    def __init__(self, store: Store, documents: DocumentService, secret: str) -> None:
        self._store = store
        self._documents = documents
        self._key = hmac.new(secret.encode(), b"guidesmith share links", hashlib.sha256).digest()

    async def prepare(
        self,
        owner: str,
        instruction_id: str,
        *,
        name: str | None = None,
        passphrase: str | None = None,
        recording: bool = False,
        embed_origins: tuple[str, ...] = (),
        expires_at: datetime | None = None,
    ) -> Callable[[], Share]:
        """What makes a link to the newest version, which is exported for it: one short transaction.

        Raises:
            NotFound: The instruction is absent, or not ``owner``'s.
            RequestInvalid: No link may be like that; also by what is answered, where there are too many.
            EngineUnavailable, DispatchFailed: No link can be made.
        """
        check_share(passphrase=passphrase, embed_origins=embed_origins, expires_at=expires_at, now=datetime.now(UTC))
        export = await self._newest(owner, instruction_id)
        share_id = new_uuid7()
        return partial(
            self._store.create_share,
            owner,
            instruction_id,
            export.id,
            fingerprint(self.token(share_id)),
            share_id=share_id,
            name=name,
            passphrase_hash=await asyncio.to_thread(hashed, passphrase) if passphrase else None,
            recording=recording,
            embed_origins=embed_origins,
            expires_at=expires_at,
        )

    def token(self, share_id: str) -> str:
        """The secret of a link that is made."""
        return token_of(share_id, self._key)

    async def update(self, owner: str, share_id: str) -> Share:
        """Have the link show the newest version. Until that is exported it shows what it did.

        Raises:
            NotFound. EngineUnavailable, DispatchFailed: Nothing changed.
        """
        share = await asyncio.to_thread(self._store.get_share, owner, share_id)
        export = await self._newest(owner, share.instruction_id)
        return await asyncio.to_thread(self._store.show_by_share, owner, share_id, export.id)

    def find(self, token: str) -> Share:
        """The open link of that secret. Raises: NotFound: absent, revoked or expired, which looks the same."""
        return self._store.find_share(fingerprint(token))

    def opens(self, share: Share, passphrase: str) -> bool:
        """Whether the passphrase opens the link. Takes 50 ms."""
        return share.passphrase_hash is not None and opens(passphrase, share.passphrase_hash)

    def is_lost(self, share: Share) -> bool:
        """Whether what the link should show was not made, or its file is gone: nobody makes it again unasked."""
        return self._store.get_export(share.export_id).status is ExportStatus.FAILED

    def shown(self, share: Share) -> Export | None:
        """What the link shows: its export, or, while that is not there, the one before; ``None``: neither is yet."""
        for export_id in (share.export_id, share.previous_export_id):
            if export_id is None:
                continue
            try:
                export = self._store.get_export(export_id)
            except NotFound:
                continue
            if export.status is ExportStatus.SUCCEEDED and export.blob is not None:
                return export
        return None

    async def _newest(self, owner: str, instruction_id: str) -> Export:
        version = await asyncio.to_thread(self._store.get_instruction, owner, instruction_id)
        export, _ = await self._documents.export(owner, version.job_id, ExportFormat.HTML, version.id)
        return export
