"""The ZIP that is made while it is sent: others can read it, its size is known, and any part of it can be had alone."""

import io
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.artifacts import Blob
from domain.errors import ArtifactCorrupt, ArtifactMissing, GuidesmithError
from starter.api.batches.archive import Archive, Member

AT = datetime(2026, 3, 5, 14, 7, 9, tzinfo=UTC)
CHUNK = 7


class Kept:
    """Files in memory, a few bytes at a time."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    def read_chunks(self, blob: Blob, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        data = self.files[blob.key][start:end]
        return (data[at : at + CHUNK] for at in range(0, len(data), CHUNK))

    def members(self) -> list[Member]:
        return [
            Member(
                name,
                Blob(
                    key=name,
                    size_bytes=len(data),
                    checksum_sha256=sha256(data).hexdigest(),
                    media_type="video/mp4",
                ),
            )
            for name, data in self.files.items()
        ]


FILES = {"clip-0001.mp4": b"one" * 50, "clip-0002.mp4": b"", "Prüfung-0003.mp4": bytes(range(256))}


def archive(files: dict[str, bytes]) -> tuple[Archive, bytes]:
    made = Archive(Kept(files), Kept(files).members(), AT)
    return made, b"".join(made.read_chunks(made.blob))


def test_given_files_when_zipped_then_others_read_them_in_their_order_and_the_size_was_known() -> None:
    made, data = archive(FILES)
    assert len(data) == made.blob.size_bytes
    with zipfile.ZipFile(io.BytesIO(data)) as read:
        assert read.testzip() is None
        assert {name: read.read(name) for name in read.namelist()} == FILES
        assert read.namelist() == list(FILES)
        assert {each.date_time for each in read.infolist()} == {(2026, 3, 5, 14, 7, 8)}


def test_given_the_archive_when_unpacked_by_another_program_then_it_finds_no_fault(tmp_path: Path) -> None:
    (tmp_path / "made.zip").write_bytes(archive(FILES)[1])
    program = shutil.which("bsdtar") or shutil.which("unzip")
    if program is None:  # Python's own reader has judged it above
        return
    listed = [program, "-tf", "made.zip"] if program.endswith("bsdtar") else [program, "-t", "made.zip"]
    assert subprocess.run(listed, cwd=tmp_path, capture_output=True, check=False).returncode == 0


@given(start=st.integers(0, 1200), length=st.integers(0, 1200))
def test_given_any_part_when_asked_for_alone_then_it_is_that_of_the_whole(start: int, length: int) -> None:
    made, data = archive(FILES)
    assert b"".join(made.read_chunks(made.blob, start, start + length)) == data[start : start + length]


@pytest.mark.parametrize("loss", [ArtifactCorrupt, ArtifactMissing])
def test_given_a_file_that_is_damaged_on_the_way_then_it_fails_its_checksum_and_the_others_arrive(
    loss: type[GuidesmithError],
) -> None:
    class Losing(Kept):
        def read_chunks(self, blob: Blob, start: int = 0, end: int | None = None) -> Iterator[bytes]:
            chunks = super().read_chunks(blob, start, end)
            if blob.key != "clip-0001.mp4":
                yield from chunks
                return
            yield next(chunks)
            raise loss("It is not what was made.")

    made = Archive(Losing(FILES), Kept(FILES).members(), AT)
    data = b"".join(made.read_chunks(made.blob))
    assert len(data) == made.blob.size_bytes
    assert b"".join(made.read_chunks(made.blob, 100)) == data[100:]
    with zipfile.ZipFile(io.BytesIO(data)) as read:
        assert read.testzip() == "clip-0001.mp4"
        whole = {name: content for name, content in FILES.items() if name != "clip-0001.mp4"}
        assert {name: read.read(name) for name in whole} == whole


def test_given_other_files_or_names_when_zipped_then_another_checksum() -> None:
    same, renamed = archive(FILES)[0].blob, archive({f"x{name}": data for name, data in FILES.items()})[0].blob
    changed = archive({**FILES, "clip-0002.mp4": b"x"})[0].blob
    assert archive(dict(FILES))[0].blob == same
    assert len({same.checksum_sha256, renamed.checksum_sha256, changed.checksum_sha256}) == 3


def test_given_more_than_four_gigabytes_when_zipped_then_only_a_chunk_of_them_is_ever_held() -> None:
    size, chunk = 5 << 30, bytes(8 << 20)

    class Large:
        def read_chunks(self, blob: Blob, start: int = 0, end: int | None = None) -> Iterator[bytes]:
            return iter([chunk] * 4)  # the rest is not read: what is said of it comes before

    blob = Blob(key="a", size_bytes=size, checksum_sha256="0" * 64, media_type="video/mp4")
    made = Archive(Large(), [Member("a.mp4", blob), Member("b.mp4", blob)], AT)
    assert made.blob.size_bytes == 2 * (size + 30 + 5 + 20 + 24 + 46 + 5 + 28) + 98
    pieces = made.read_chunks(made.blob, 0, 40 << 20)
    assert max(len(each) for each in pieces) == len(chunk)
