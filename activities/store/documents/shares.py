"""Links that show a guide to whoever holds them."""

from datetime import datetime
from typing import Any

from sqlalchemy import and_, case, func, insert, or_, select, update

from activities.process.callers import acting_member
from activities.store.cursors import newest_first
from activities.store.jobs.locking import not_found
from activities.store.repository import Repository
from activities.store.rows import Columns
from activities.store.tables import exports, instructions, shares
from domain.documents.sharing import LINKS_LIMIT, Share
from domain.documents.tasks import ExportStatus
from domain.erasure import is_absent
from domain.errors import RequestInvalid
from domain.jobs import Page

_COLUMNS = tuple(column for column in shares.c if column is not shares.c.token_sha256)


class Shares(Repository):
    def create_share(
        self,
        owner: str,
        instruction_id: str,
        export_id: str,
        token_sha256: str,
        *,
        share_id: str | None = None,
        name: str | None = None,
        passphrase_hash: str | None = None,
        recording: bool = False,
        embed_origins: tuple[str, ...] = (),
        expires_at: datetime | None = None,
    ) -> Share:
        """A link that shows ``export_id`` of the instruction. Its id is ``share_id``, where one is given.

        Raises:
            NotFound: The instruction is absent, or not ``owner``'s.
            RequestInvalid: It has as many open links as it may have.
        """
        now = self._clock()
        instruction = select(instructions.c.job_id).where(
            instructions.c.id == instruction_id, instructions.c.owner == owner
        )
        standing = select(func.count()).where(
            shares.c.instruction_id == instruction_id,
            shares.c.revoked_at.is_(None),
            or_(shares.c.expires_at.is_(None), shares.c.expires_at > now),
        )
        with self._database.write() as connection:
            job_id = connection.scalar(instruction)
            if job_id is None:
                raise not_found()
            if connection.scalar(standing) >= LINKS_LIMIT:  # type: ignore[operator]
                raise RequestInvalid(f"This guide has {LINKS_LIMIT} open links already. Revoke one first.")
            columns: dict[str, Any] = {
                "id": share_id or self._new_id(),
                "instruction_id": instruction_id,
                "job_id": job_id,
                "owner": owner,
                "name": name,
                "token_sha256": token_sha256,
                "export_id": export_id,
                "passphrase_hash": passphrase_hash,
                "recording": recording,
                "embed_origins": list(embed_origins),
                "views": 0,
                "created_at": now,
                "created_by": acting_member() or owner,
                "expires_at": expires_at,
            }
            connection.execute(insert(shares), columns)
        return _share(columns)

    def list_shares(self, owner: str, instruction_id: str, limit: int = 20, cursor: str | None = None) -> Page[Share]:
        """An instruction's links, newest first, revoked and expired ones too.

        Raises:
            NotFound: The instruction is absent, or not ``owner``'s. RequestInvalid: bad limit or cursor.
        """
        own = select(instructions.c.id).where(instructions.c.id == instruction_id, instructions.c.owner == owner)
        query = select(*_COLUMNS).where(shares.c.instruction_id == instruction_id)
        with self._database.read() as connection:
            if connection.scalar(own) is None:
                raise not_found()
            moment, unique = shares.c.created_at, shares.c.id
            return newest_first(connection, query, moment, unique, limit=limit, cursor=cursor, read=_share)

    def get_share(self, owner: str, share_id: str) -> Share:
        """Raises: NotFound: absent, or not ``owner``'s."""
        query = select(*_COLUMNS).where(shares.c.id == share_id, shares.c.owner == owner)
        with self._database.read() as connection:
            row = connection.execute(query).mappings().one_or_none()
        if row is None:
            raise not_found()
        return _share(row)

    def show_by_share(self, owner: str, share_id: str, export_id: str) -> Share:
        """Have the link show another export; until that has succeeded, what it shows now. Raises: NotFound."""
        made = select(exports.c.status).where(exports.c.id == shares.c.export_id).scalar_subquery()
        shown = case((made == str(ExportStatus.SUCCEEDED), shares.c.export_id), else_=shares.c.previous_export_id)
        changed = update(shares).where(
            shares.c.id == share_id, shares.c.owner == owner, shares.c.export_id != export_id
        )
        with self._database.write() as connection:
            who = acting_member() or owner
            connection.execute(changed.values(export_id=export_id, previous_export_id=shown, updated_by=who))
        return self.get_share(owner, share_id)

    def revoke_share(self, owner: str, share_id: str) -> None:
        """It opens nothing any more; revoked once more, nothing changes. Raises: NotFound."""
        mine = and_(shares.c.id == share_id, shares.c.owner == owner)
        with self._database.write() as connection:
            revoked = update(shares).where(mine)
            at = func.coalesce(shares.c.revoked_at, self._clock())
            by = case((shares.c.revoked_at.is_(None), acting_member() or owner), else_=shares.c.revoked_by)
            if connection.execute(revoked.values(revoked_at=at, revoked_by=by)).rowcount == 0:
                raise not_found()

    def find_share(self, token_sha256: str) -> Share:
        """The open link with that secret. Raises: NotFound: there is none, it was revoked, or has expired."""
        query = select(*_COLUMNS).where(shares.c.token_sha256 == token_sha256)
        with self._database.read() as connection:
            row = connection.execute(query).mappings().one_or_none()
        if row is None or not (share := _share(row)).is_open(self._clock()) or is_absent(share.owner):
            raise not_found()
        return share

    def count_view(self, share_id: str) -> None:
        """The guide was opened by the link once more."""
        seen = update(shares).where(shares.c.id == share_id)
        with self._database.write() as connection:
            connection.execute(seen.values(views=shares.c.views + 1, last_viewed_at=self._clock()))


def _share(row: Columns) -> Share:
    return Share.model_validate({name: value for name, value in dict(row).items() if name != "token_sha256"})
