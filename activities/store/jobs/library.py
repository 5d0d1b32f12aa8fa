"""The library: what jobs made for their owner to keep. Assets are added by the stage that made them, and stay."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select
from sqlalchemy.engine import RowMapping

from activities.store import rows
from activities.store.cursors import newest_first
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.repository import Repository
from activities.store.tables import library_assets
from domain.jobs import Page
from domain.library import AssetMedium, LibraryAsset, NewAsset


def add_assets(
    connection: Connection, job: LockedJob, new: Sequence[NewAsset], now: datetime, new_id: Callable[[], str]
) -> None:
    """Record what a job made, for its owner. The job's row is locked."""
    if not new:
        return
    kept = set(connection.execute(select(library_assets.c.ordinal).where(library_assets.c.job_id == job.id)).scalars())
    for each in new:
        if each.ordinal not in kept:
            connection.execute(insert(library_assets), _columns(job, each, now, new_id()))


def _columns(job: LockedJob, asset: NewAsset, now: datetime, asset_id: str) -> dict[str, Any]:
    return {
        **asset.model_dump(exclude={"blob", "thumbnail", "medium"}),
        **rows.blob_columns(asset.blob),
        "medium": str(asset.medium),
        "thumbnail": asset.thumbnail.model_dump() if asset.thumbnail else None,
        "id": asset_id,
        "job_id": job.id,
        "owner": job["owner"],
        "created_at": now,
    }


def read_asset(row: RowMapping) -> LibraryAsset:
    return LibraryAsset(
        **{name: value for name, value in row.items() if name in LibraryAsset.model_fields}, blob=rows.blob(row)
    )


class Library(Repository):
    def library(
        self, owner: str, *, medium: AssetMedium | None = None, limit: int = 20, cursor: str | None = None
    ) -> Page[LibraryAsset]:
        """``owner``'s assets, newest first. Raises: RequestInvalid: bad limit or cursor."""
        query = select(library_assets).where(library_assets.c.owner == owner)
        if medium is not None:
            query = query.where(library_assets.c.medium == str(medium))
        moment, unique = library_assets.c.created_at, library_assets.c.id
        with self._database.read() as connection:
            return newest_first(connection, query, moment, unique, limit=limit, cursor=cursor, read=read_asset)

    def library_asset(self, asset_id: str) -> LibraryAsset:
        """Raises: NotFound: there is no such asset."""
        with self._database.read() as connection:
            query = select(library_assets).where(library_assets.c.id == asset_id)
            row = connection.execute(query).mappings().one_or_none()
        if row is None:
            raise not_found()
        return read_asset(row)

    def library_of_job(self, job_id: str) -> tuple[LibraryAsset, ...]:
        """What a job made, in its order."""
        query = select(library_assets).where(library_assets.c.job_id == job_id).order_by(library_assets.c.ordinal)
        with self._database.read() as connection:
            return tuple(read_asset(row) for row in connection.execute(query).mappings())
