"""How the guides of a project look. A brand that was saved over is kept while an export shows it: it is made with the
brand that was there when it was asked for, whatever was saved since."""

import base64
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, delete, exists, insert, select

from activities.store.jobs.locking import not_found
from activities.store.jobs.projects import read_project
from activities.store.jobs.quotas import check_bytes
from activities.store.repository import Repository
from activities.store.tables import exports, jobs, project_brands, project_logos, projects
from domain.documents.brand import Brand, Branding, Logo, SavedBrand, check_brand

REPLACED_FOR = timedelta(hours=1)
"""After so long no transaction goes on that took a brand for the newest one, to write it into an export."""

AT_ONCE = 500
"""Rows of one transaction."""


class Brands(Repository):
    def brand(self, owner: str, project_id: str) -> SavedBrand | None:
        """The project's brand; ``None``: nobody has saved one. Raises: NotFound: absent, or not ``owner``'s."""
        with self._database.read() as connection:
            read_project(connection, owner, project_id)
            return newest_brand(connection, project_id)

    def save_brand(self, owner: str, project_id: str, brand: Brand, saved_by: str) -> SavedBrand:
        """Have the project's guides look so from now on. Its logo stays.

        Raises:
            NotFound: The project is absent, or not ``owner``'s.
            RequestInvalid, ColoursUnreadable: As ``check_brand``.
        """
        check_brand(brand)
        with self._database.write() as connection:
            _hold(connection, owner, project_id)
            before = newest_brand(connection, project_id)
            logo = before.logo if before else None
            return self._save_over(connection, project_id, owner, before, brand, logo, saved_by)

    def save_logo(self, owner: str, project_id: str, logo: Logo | None, saved_by: str) -> SavedBrand:
        """Give the project another logo, or none; the rest of its brand stays.

        Raises:
            NotFound: As above.
            QuotaExceeded: There is no room for it.
        """
        with self._database.write() as connection:
            _hold(connection, owner, project_id)
            before = newest_brand(connection, project_id)
            brand = before.brand if before else Brand()
            return self._save_over(connection, project_id, owner, before, brand, logo, saved_by)

    def branding_of_export(self, export_id: str) -> Branding | None:
        """The brand that there was when the export was asked for; ``None``: none. Raises: NotFound."""
        with self._database.read() as connection:
            provenance = connection.scalar(select(exports.c.provenance).where(exports.c.id == export_id))
            if provenance is None:
                raise not_found()
            told = provenance.get("brand")
            saved = _find(connection, project_brands.c.id == told["id"]) if told else None
        if saved is None:
            return None
        return Branding(brand=saved.brand, logo=saved.logo, project=told["project"] or "")

    def forget_brands(self) -> int:
        """Forget brands that were saved over and that no export names, then logos that no brand has. Answers how many
        brands."""
        newer = project_brands.alias()
        same = newer.c.project_id == project_brands.c.project_id, newer.c.id > project_brands.c.id
        replaced = exists().where(*same, newer.c.saved_at < self._clock() - REPLACED_FOR)
        named = exports.c.provenance["brand"]["id"].as_string()
        forgotten, after = 0, ""
        while True:
            old = select(project_brands.c.id).where(replaced, project_brands.c.id > after)
            with self._database.read() as connection:
                ids = list(connection.scalars(old.order_by(project_brands.c.id).limit(AT_ONCE)))
                shown = set(connection.scalars(select(named).where(named.in_(ids)))) if ids else set()
            if gone := [each for each in ids if each not in shown]:
                with self._database.write() as connection:
                    connection.execute(delete(project_brands).where(project_brands.c.id.in_(gone)))
                    had = exists().where(project_brands.c.logo_id == project_logos.c.id)
                    connection.execute(delete(project_logos).where(~had))
                forgotten += len(gone)
            if len(ids) < AT_ONCE:
                return forgotten
            after = ids[-1]

    def brand_mark(self, job_id: str) -> dict[str, object] | None:
        """As :func:`brand_mark`, of the job's project. Raises: NotFound."""
        with self._database.read() as connection:
            project_id = connection.scalar(select(jobs.c.project_id).where(jobs.c.id == job_id))
            if project_id is None:
                raise not_found()
            return brand_mark(connection, project_id)

    def _save_over(
        self,
        connection: Connection,
        project_id: str,
        owner: str,
        before: SavedBrand | None,
        brand: Brand,
        logo: Logo | None,
        saved_by: str,
    ) -> SavedBrand:
        if before is not None and (before.brand, before.logo) == (brand, logo):
            return before
        saved = SavedBrand(
            id=self._new_id(), project_id=project_id, brand=brand, logo=logo, saved_by=saved_by, saved_at=self._clock()
        )
        if logo is None or before is None or before.logo != logo:
            logo_id = None if logo is None else self._keep_logo(connection, project_id, owner, logo)
        else:  # the one that it has
            kept = select(project_brands.c.logo_id).where(project_brands.c.id == before.id)
            logo_id = connection.scalar(kept)
        columns = {**saved.model_dump(mode="json", exclude={"logo", "saved_at"}), "saved_at": saved.saved_at}
        connection.execute(insert(project_brands), {**columns, "logo_id": logo_id})
        return saved

    def _keep_logo(self, connection: Connection, project_id: str, owner: str, logo: Logo) -> str:
        check_bytes(connection, owner, self._limits, len(logo.png))
        logo_id = self._new_id()
        columns = {"id": logo_id, "project_id": project_id, **logo.model_dump(mode="json", exclude={"png"})}
        connection.execute(insert(project_logos), {**columns, "png": base64.b64encode(logo.png).decode()})
        return logo_id


def _hold(connection: Connection, owner: str, project_id: str) -> None:
    """Let nobody else save a brand of the project until this transaction ends. Raises: NotFound: not ``owner``'s."""
    locked = select(projects.c.owner).where(projects.c.id == project_id).with_for_update()
    if connection.scalar(locked) != owner:
        raise not_found()


def newest_brand(connection: Connection, project_id: str) -> SavedBrand | None:
    """What was saved last for the project."""
    return _find(connection, project_brands.c.project_id == project_id)


def brand_mark(connection: Connection, project_id: str) -> dict[str, object] | None:
    """What an export that is asked for now remembers of its project's brand; ``None``: there is none, or one that
    changes nothing. ``project`` is the name, where it is shown: another name makes another file."""
    saved = newest_brand(connection, project_id)
    if saved is None or saved.is_plain:
        return None
    is_named = saved.brand.names_project or saved.logo is not None
    name = connection.scalar(select(projects.c.name).where(projects.c.id == project_id))
    return {
        "id": saved.id,
        "saved_at": saved.saved_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "project": name if is_named else None,
    }


def _find(connection: Connection, criterion: Any) -> SavedBrand | None:
    query = select(project_brands, *(project_logos.c[each] for each in ("png", "width", "height", "ground")))
    query = query.outerjoin(project_logos, project_logos.c.id == project_brands.c.logo_id).where(criterion)
    row = connection.execute(query.order_by(project_brands.c.id.desc()).limit(1)).mappings().one_or_none()
    return None if row is None else _read(dict(row))


def _read(row: Mapping[str, Any]) -> SavedBrand:
    facts = {name: row[name] for name in ("width", "height", "ground")}
    logo = None if row["png"] is None else Logo(png=base64.b64decode(row["png"]), **facts)
    known = {name: row[name] for name in ("id", "project_id", "saved_by", "saved_at")}
    return SavedBrand(brand=Brand.model_validate(row["brand"]), logo=logo, **known)
