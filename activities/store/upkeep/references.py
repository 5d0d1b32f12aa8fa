"""Which objects of the artifact store a row names: what no row names may be removed
(``activities/upkeep/orphans.py``)."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Select, select, union_all

from activities.store.repository import Repository
from activities.store.tables import (
    analyses,
    anchors,
    artifacts,
    exports,
    generation_submissions,
    instructions,
    job_inputs,
    library_assets,
    picture_uploads,
    purges,
    screenshot_assets,
    uploads,
)
from domain.artifacts import lies_with

KEYS = (
    artifacts.c.key,
    uploads.c.key,
    exports.c.key,
    screenshot_assets.c.key,
    picture_uploads.c.key,
    library_assets.c.key,
)
"""Columns with the key of an object: all that are called so, but the keys of requests."""

THUMBNAIL = library_assets.c.thumbnail["key"].as_string()

SAYING = (
    job_inputs.c.result,
    analyses.c.files,
    analyses.c.tables,
    generation_submissions.c.word,
)
"""JSON of a job's own in which keys may stand beside what people wrote, such as a table's cells: only those count that
lie with the job."""


class References(Repository):
    def keys_of_jobs(self, job_ids: Sequence[str]) -> frozenset[str]:
        """The keys that rows of these jobs name. A few other texts may be among them, that begin as theirs do."""
        with self._database.read() as connection:
            return keys_of(connection, job_ids)

    def named_keys(self, keys: Sequence[str]) -> frozenset[str]:
        """Those of ``keys`` that a row of any job names. Reads whole tables: ask for few."""
        by_column = [select(column).where(column.in_(keys)) for column in KEYS]
        with self._database.read() as connection:
            return _found(connection, union_all(*by_column, select(THUMBNAIL).where(THUMBNAIL.in_(keys))))


def keys_of(connection: Connection, job_ids: Sequence[str]) -> frozenset[str]:
    """As :meth:`References.keys_of_jobs`, in the caller's transaction."""
    named = {str(key) for column in KEYS for key in connection.scalars(_of_jobs(column, job_ids)) if key}
    thumbnails = select(THUMBNAIL).where(library_assets.c.job_id.in_(job_ids))
    named.update(str(key) for key in connection.scalars(thumbnails) if key)
    for keys in connection.scalars(_of_jobs(purges.c["keys"], job_ids)):
        named.update(keys)
    for column in SAYING:
        job_id = column.table.c.job_id
        for of, value in connection.execute(select(job_id, column).where(job_id.in_(job_ids))):
            named.update(text for text in _texts(value) if lies_with(text, of))
    return frozenset(named)


def _of_jobs(column: Column[Any], job_ids: Sequence[str]) -> Select[Any]:
    if column.table is screenshot_assets:
        pictures = select(column).join(anchors, anchors.c.id == screenshot_assets.c.anchor_id)
        pictures = pictures.join(instructions, instructions.c.id == anchors.c.instruction_id)
        return pictures.where(instructions.c.job_id.in_(job_ids))
    return select(column).where(column.table.c.job_id.in_(job_ids))


def _found(connection: Connection, query: Any) -> frozenset[str]:
    return frozenset(str(key) for key in connection.scalars(query))


def _texts(value: object) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
