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

KEYS = (
    artifacts.c.key,
    uploads.c.key,
    exports.c.key,
    screenshot_assets.c.key,
    picture_uploads.c.key,
    library_assets.c.key,
)
"""Columns with the key of an object: all that are called so, but the keys of requests."""

SAYING = (
    library_assets.c.thumbnail,
    job_inputs.c.result,
    analyses.c.files,
    analyses.c.tables,
    generation_submissions.c.word,
    purges.c["keys"],
)
"""JSON of a job's own in which keys may stand."""


class References(Repository):
    def keys_of_jobs(self, job_ids: Sequence[str]) -> frozenset[str]:
        """The keys that rows of these jobs name, and other texts that stand beside them."""
        with self._database.read() as connection:
            return keys_of(connection, job_ids)

    def named_keys(self, keys: Sequence[str]) -> frozenset[str]:
        """Those of ``keys`` that a row of any job names. Reads whole tables: ask for few."""
        by_column = [select(column).where(column.in_(keys)) for column in KEYS]
        thumbnail = library_assets.c.thumbnail["key"].as_string()
        with self._database.read() as connection:
            return _found(connection, union_all(*by_column, select(thumbnail).where(thumbnail.in_(keys))))


def keys_of(connection: Connection, job_ids: Sequence[str]) -> frozenset[str]:
    """As :meth:`References.keys_of_jobs`, in the caller's transaction."""
    named = {str(key) for column in KEYS for key in connection.scalars(_of_jobs(column, job_ids)) if key}
    for column in SAYING:
        for value in connection.scalars(_of_jobs(column, job_ids)):
            named.update(_texts(value))
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
