"""The sweep of orphans: files that an execution wrote and nobody recorded.

Each execution of a stage writes under a key of its own, so that no zombie can change what another recorded. One that
was killed, or overtaken, leaves its files behind, and no row ever names them.

Only such files are looked at (``EXECUTIONS``), and only when they are so old that nothing can be about to name them:
an execution ends within hours, and a memo is believed for two weeks (``activities.artifacts.memo``). A row may name
a file of another job, of which a memo told; so rows are asked by key, not by job.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Protocol

import structlog
from temporalio import activity

from activities.artifacts import ArtifactStore
from activities.artifacts.memo import BELIEVED_S, MEMOS, PARTIALS
from activities.rails.contracts import Message
from activities.rails.heartbeat import Heartbeat
from activities.store.repository import utc_now

ORPHANED_AFTER_S = BELIEVED_S + 7 * 24 * 3600.0
"""Seconds since an object was written, after which nobody can be about to name it."""

EXECUTIONS = re.compile(
    r"jobs/[^/]+/\d+-\d+(-\d+)?-\d+/[^/]+"  # a stage's: attempt, sequence number, item, execution
    r"|jobs/[^/]+/screenshots/[^/]+/\d+\.[a-z]+"
    r"|exports/[^/]+/[^/]+/\d+/[^/]+"
)
"""Keys that one execution alone writes to."""

FOLDERS = ("jobs", "exports")

AT_ONCE = 500
"""Keys that the database is asked about together."""

HEARTBEAT_TIMEOUT_S = 60.0

log = structlog.get_logger("guidesmith.sweep")


class Orphaned(Message):
    """How many objects were removed: files that nobody recorded, and memos and resume points that are too old."""

    files: int = 0
    memos: int = 0


class ReferenceStore(Protocol):
    """What the sweep needs of the store."""

    def keys_of_jobs(self, job_ids: Sequence[str]) -> frozenset[str]: ...
    def named_keys(self, keys: Sequence[str]) -> frozenset[str]: ...
    def is_newer(self) -> bool: ...


class OrphanSweeper:
    """One activity, run by a schedule. What it holds in memory does not grow with the store."""

    def __init__(
        self, names: ReferenceStore, artifacts: ArtifactStore, clock: Callable[[], datetime] = utc_now
    ) -> None:
        self._names = names
        self._artifacts = artifacts
        self._clock = clock

    @activity.defn(name="sweep-orphans", no_thread_cancel_exception=True)
    def sweep(self) -> Orphaned:
        """Look at every object once, and remove the orphans. Nothing where a newer version has upgraded the schema: its
        tables may name files that this one takes for nobody's."""
        if self._names.is_newer():
            log.warning("sweep.schema_is_newer")
            return Orphaned()
        before = self._clock() - timedelta(seconds=ORPHANED_AFTER_S)
        with Heartbeat(HEARTBEAT_TIMEOUT_S) as heartbeat:
            files = memos = 0
            for folder in FOLDERS:
                for some in _chunks(self._old(folder, before, heartbeat)):
                    files += self._drop_orphans([key for key in some if EXECUTIONS.fullmatch(key)])
            for folder in (MEMOS, PARTIALS):
                for some in _chunks(self._old(folder, before, heartbeat)):
                    memos += self._drop(some)
        swept = Orphaned(files=files, memos=memos)
        if swept != Orphaned():
            log.info("sweep.orphans", **swept.model_dump())
        return swept

    def _old(self, folder: str, before: datetime, heartbeat: Heartbeat) -> Iterator[str]:
        for each in self._artifacts.list(folder):
            heartbeat.check()
            if each.modified_at < before:
                yield each.key

    def _drop_orphans(self, keys: Sequence[str]) -> int:
        """Most files are named by their own job's rows, which are found by an index; only the rest is looked for
        everywhere."""
        own = self._names.keys_of_jobs(sorted({key.split("/")[1] for key in keys}))
        rest = [key for key in keys if key not in own]
        if not rest:
            return 0
        named = self._names.named_keys(rest)
        return self._drop([key for key in rest if key not in named])

    def _drop(self, keys: Sequence[str]) -> int:
        for key in keys:
            self._artifacts.delete(key)
        return len(keys)


def _chunks(keys: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(keys)
    while some := list(islice(rest, AT_ONCE)):
        yield some
