"""Guides as a static site: an export of each, put together while it is sent.

What a guide's page is made of is an export like any other (format ``SITE``): a worker makes it, once for each version
and set of pictures, and it goes when the guide is erased. Of the whole nothing is kept: no copy of a guide outlives it,
and whether the caller may read each is asked whenever the site is fetched.
"""

import io
import zipfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Any
from zlib import crc32

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse

from activities.artifacts import content_disposition
from activities.drafting.language.names import name_of
from activities.publishing.labels import primary_language
from activities.publishing.naming import filename_of
from activities.publishing.site.assembling import INDEX, Given, Site, SiteGuide, index, page_of, site_of
from activities.publishing.site.page import FACTS, PAGE, GuideFacts
from domain.artifacts import Blob
from domain.documents.publication import ExportFormat
from domain.documents.tasks import Export
from domain.errors import ArtifactCorrupt, ArtifactMissing, ExportRequestInvalid, RequestInvalid
from starter.api.batches.archive import MEDIA_TYPE, Archive, Files, Member
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.errors import not_found
from starter.api.file_responses import AskedFile, file_answers, file_response
from starter.api.guides.routes import export_of
from starter.api.responses import errors

router = APIRouter(prefix="/guides", tags=["guides"])

MOST_GUIDES = 200
"""In one site: their ids stand in its address, of which servers take 8,000 characters."""
LONGEST_NAME = 200
READ_AT_ONCE = 8
"""Guides whose pages are read at once: where files lie in S3 each takes some requests."""
LOCAL_HEADER_BYTES = 30
"""Of a member of a ZIP, before its name."""
TAIL_BYTES = 64 << 10
"""Read of a ZIP at a time, where its list of members is looked for."""

SITE: dict[str, Any] = {
    "path": "/site.zip",
    "response_class": StreamingResponse,
    "responses": {**file_answers("The site.", MEDIA_TYPE), **errors(400, 404, 416)},
}


@router.head(**SITE, name="download_site_head")
@router.get(**SITE)
def download_site(
    api: ApiParts,
    owner: Owner,
    asked: AskedFile,
    export_ids: Annotated[
        str,
        Query(
            max_length=37 * MOST_GUIDES,
            description=f"Up to {MOST_GUIDES} ids of exports in the format SITE, with commas, one of each document.",
        ),
    ],
    title: Annotated[str, Query(max_length=LONGEST_NAME, description="What the site is called.")] = "",
) -> Response:
    """Guides as a static site in one ZIP, made while it is sent: unpack it, and open its index.html, from a disk or any
    web server. Its sections are the guides' projects; where a guide is there in several languages, these lead to each
    other, and each section is of one language. All exports have to have succeeded. One that broke off can be taken up
    again by Range."""
    wanted = list(dict.fromkeys(identifier(each) for each in export_ids.split(",")))
    if len(wanted) > MOST_GUIDES:
        raise RequestInvalid(f"At most {MOST_GUIDES} guides are in one site.", field="query.export_ids")
    exports = [_site_export(api, owner, each) for each in wanted]
    cards = api.store.guide_cards(owner, {each.job_id for each in exports})
    if any(each.job_id not in cards for each in exports):
        raise not_found()
    # as they were made, a translation behind its original: ids begin with the time
    exports.sort(key=lambda each: (each.job_id, each.instruction_id))
    with ThreadPoolExecutor(READ_AT_ONCE) as pool:
        parts = list(pool.map(lambda each: _part(api, each), exports))
    ids = [each.job_id for each in exports]
    projects = [cards[each].project_name for each in ids]
    name = " ".join(title.split()) or (projects[0] if len(set(projects)) == 1 else "Guides")
    given = [Given(*each) for each in zip(projects, (part.facts for part in parts), ids, strict=True)]
    site, order = site_of(name, given, lambda tag: name_of(tag, primary_language(tag)) or tag)
    files = _Inside(api.artifacts)
    members = list(_members(site, list(zip(order, parts, strict=True)), files))
    archive = Archive(files, members, max(each.requested_at for each in exports))
    headers = {"Content-Disposition": content_disposition(f"{filename_of(name)}.zip"), "Cache-Control": "no-store"}
    return file_response(archive, archive.blob, asked, headers)


def _site_export(api: Api, subject: str, export_id: str) -> Export:
    """Raises: NotFound: absent, another's, or not there (yet). ExportRequestInvalid: of another format."""
    export = export_of(api, subject, export_id)
    if export.format is not ExportFormat.SITE:
        raise ExportRequestInvalid("A site is made of exports in the format SITE.")
    if export.blob is None:
        raise not_found()
    return export


@dataclass(frozen=True)
class _Part:
    """A guide's ZIP, looked into. ``pictures``: name, place, size and checksum (CRC-32) of what is sent as it is."""

    blob: Blob
    facts: GuideFacts
    page: str
    pictures: tuple[tuple[str, int, int, int], ...]


def _part(api: Api, export: Export) -> _Part:
    """Raises: NotFound: the file is gone or damaged; the export has failed then, and the same request makes another."""
    assert export.blob is not None
    try:
        with zipfile.ZipFile(io.BufferedReader(_Remote(api.artifacts, export.blob), TAIL_BYTES)) as archive:
            facts = GuideFacts.model_validate_json(archive.read(FACTS))
            page = archive.read(PAGE).decode()
            others = [each for each in archive.infolist() if each.filename not in (FACTS, PAGE)]
            return _Part(export.blob, facts, page, tuple(_place(each) for each in others))
    except (ArtifactMissing, ArtifactCorrupt, zipfile.BadZipFile):
        api.store.lose_export(export.id)
        raise not_found() from None


def _place(info: zipfile.ZipInfo) -> tuple[str, int, int, int]:
    """Where a member that is not packed begins: behind its local header (APPNOTE.TXT 4.3.7), which we wrote without an
    extra field."""
    begins = info.header_offset + LOCAL_HEADER_BYTES + len(info.filename.encode())
    return info.filename, begins, info.file_size, info.CRC


def _members(site: Site, parts: Sequence[tuple[SiteGuide, _Part]], files: "_Inside") -> Iterator[Member]:
    yield _written(INDEX, index(site))
    for guide, part in parts:
        yield _written(f"{guide.folder}/{PAGE}", page_of(site, guide, part.page))
        for name, begins, size, checksum in part.pictures:
            yield files.member(f"{guide.folder}/{name}", part.blob, begins, size, checksum)


def _written(name: str, text: str) -> Member:
    data = text.encode()
    blob = Blob(key=name, size_bytes=len(data), checksum_sha256=sha256(data).hexdigest(), media_type="text/html")
    return Member(name, blob, data)


@dataclass
class _Inside:
    """Files that lie in others, as they are."""

    files: Files
    places: dict[str, tuple[Blob, int, int]] = field(default_factory=dict)

    def member(self, name: str, outer: Blob, begins: int, size: int, checksum: int) -> Member:
        digest = sha256(f"{outer.checksum_sha256} {begins} {size} {checksum}".encode()).hexdigest()
        self.places[name] = outer, begins, checksum
        return Member(name, Blob(key=name, size_bytes=size, checksum_sha256=digest, media_type="image/*"))

    def read_chunks(self, blob: Blob, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Raises: ArtifactMissing, ArtifactCorrupt: after what could be read."""
        outer, begins, expected = self.places[blob.key]
        stop = blob.size_bytes if end is None else end
        checksum = 0
        for chunk in self.files.read_chunks(outer, begins + start, begins + stop):
            checksum = crc32(chunk, checksum)
            yield chunk
        if stop - start == blob.size_bytes and checksum != expected:
            raise ArtifactCorrupt("A picture in an export is not what was stored. Export the version again.")


class _Remote(io.RawIOBase):
    """A stored file that is read here and there."""

    def __init__(self, files: Files, blob: Blob) -> None:
        self._files, self._blob, self._at = files, blob, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        from_where = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._blob.size_bytes}[whence]
        self._at = max(0, from_where + offset)
        return self._at

    def readinto(self, buffer: Any) -> int:
        stop = min(self._at + len(buffer), self._blob.size_bytes)
        if stop <= self._at:
            return 0
        data = b"".join(self._files.read_chunks(self._blob, self._at, stop))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
