"""All that is a user's, as one ZIP that is made as it is fetched: nothing is kept of it, and memory does not grow with
it.

``user/TABLE.jsonl`` and ``jobs/ID/TABLE.jsonl`` hold the rows, one a line; ``jobs/ID/instruction.md`` the newest text
of a document, ``jobs/ID/instruction.LANGUAGE.md`` that of a translation; ``files/KEY`` every stored file that a row
names, once; ``index.json``, which comes last, says what is in it and which files could not be read.
"""

import json
import zipfile
from collections.abc import Iterator
from datetime import datetime

from activities.artifacts import ArtifactStore
from activities.store import Store
from activities.store.upkeep.belongings import Row
from domain.artifacts import Blob, lies_with
from domain.errors import ArtifactCorrupt, ArtifactKeyInvalid, ArtifactMissing

STORED = frozenset({"video", "audio", "image"})
"""Files of these types are small as they are."""

UNKNOWN = "application/octet-stream"


class _Pipe:
    """What the ZIP is written to, and taken from piece by piece. It cannot seek, so sizes stand behind the members."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is held."""

    def taken(self) -> bytes:
        taken, self._pieces = b"".join(self._pieces), []
        return taken


class UserArchive:
    """One user's archive.

    Args:
        now: What its members are dated.
    """

    def __init__(self, store: Store, artifacts: ArtifactStore, user: str, now: datetime) -> None:
        self._store = store
        self._artifacts = artifacts
        self._user = user
        self._now = now
        self._pipe = _Pipe()
        self._named: dict[str, Blob] = {}
        self._done: set[str] = set()
        self._newest: dict[str, Row] = {}
        self._languages: dict[str, str] = {}
        self._lost: list[str] = []

    def pieces(self) -> Iterator[bytes]:
        """The ZIP's bytes. Reads database and artifact store as it goes.

        Raises:
            DatabaseUnavailable, ArtifactStoreUnavailable: Half-way: what was taken is no whole ZIP.
        """
        jobs: list[str] = []
        with zipfile.ZipFile(self._pipe, "w", zipfile.ZIP_DEFLATED) as file:
            for table, rows in self._store.rows_of_user(self._user):
                yield from self._lines(file, f"user/{table}.jsonl", rows)
            for job_id in self._store.job_ids_of(self._user):
                jobs.append(job_id)
                yield from self._job(file, job_id)
            told = {"user": self._user, "made_at": self._now.isoformat(), "jobs": jobs, "unreadable": self._lost}
            file.writestr(self._member("index.json"), json.dumps(told, ensure_ascii=False, indent=2))
        yield self._pipe.taken()

    def _job(self, file: zipfile.ZipFile, job_id: str) -> Iterator[bytes]:
        self._newest, self._languages = {}, {}
        for table, rows in self._store.rows_of_job(self._user, job_id):
            yield from self._lines(file, f"jobs/{job_id}/{table}.jsonl", map(self._noted, rows))
        for instruction_id, newest in self._newest.items():
            language = self._languages.get(instruction_id)
            name = f"instruction.{language}.md" if language else "instruction.md"
            text = f"# {newest['title']}\n\n{newest['markdown']}"
            file.writestr(self._member(f"jobs/{job_id}/{name}"), text)
        for key in sorted(self._store.keys_of_jobs([job_id])):
            yield from self._file(file, key, job_id)

    def _noted(self, row: Row) -> Row:
        """Look at a row as it passes: which file it names, with what hash, and whether it is a document's text."""
        for named in (row, row.get("thumbnail") or {}):
            key, size, checksum = named.get("key"), named.get("size_bytes"), named.get("checksum_sha256")
            if key and key not in self._named and size is not None and checksum:
                media_type = named.get("media_type") or UNKNOWN
                self._named[key] = Blob(key=key, size_bytes=size, checksum_sha256=checksum, media_type=media_type)
        if row.get("translation_of"):
            self._languages[row["id"]] = row["language"]
        if {"markdown", "version"} <= row.keys():
            known = self._newest.get(row["instruction_id"], {})
            if row["version"] > known.get("version", 0):
                self._newest[row["instruction_id"]] = row
        return row

    def _lines(self, file: zipfile.ZipFile, name: str, rows: Iterator[Row]) -> Iterator[bytes]:
        """A member with a row a line, if there is any."""
        first = next(rows, None)
        if first is None:
            return
        with file.open(self._member(name), "w", force_zip64=True) as member:
            member.write(_line(first))
            for row in rows:
                member.write(_line(row))
                yield self._pipe.taken()
        yield self._pipe.taken()

    def _file(self, file: zipfile.ZipFile, key: str, job_id: str) -> Iterator[bytes]:
        """A stored file, unless it is in the archive already, or ``key`` is another text that stands in a row."""
        if key in self._done:
            return
        blob = self._blob(key, job_id)
        if blob is None:
            return
        self._done.add(key)
        info = self._member(f"files/{key}")
        if blob.media_type.partition("/")[0] in STORED:
            info.compress_type = zipfile.ZIP_STORED
        try:
            with file.open(info, "w", force_zip64=True) as member:
                for piece in self._artifacts.read_chunks(blob):
                    member.write(piece)
                    yield self._pipe.taken()
        except (ArtifactMissing, ArtifactCorrupt):
            self._lost.append(key)
        yield self._pipe.taken()

    def _blob(self, key: str, job_id: str) -> Blob | None:
        """What a row named with its hash; of what lies with the job, what there is."""
        if key in self._named:
            return self._named[key]
        try:
            return self._artifacts.blob_of(key, UNKNOWN) if lies_with(key, job_id) else None
        except (ArtifactMissing, ArtifactKeyInvalid):
            return None

    def _member(self, name: str) -> zipfile.ZipInfo:
        info = zipfile.ZipInfo(name, self._now.timetuple()[:6])
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o600 << 16
        return info


def _line(row: Row) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"
