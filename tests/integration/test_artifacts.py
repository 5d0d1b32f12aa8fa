"""The artifact store's contract, on a folder and on a real S3 server."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from activities.artifacts import ArtifactStore, S3Options
from domain.artifacts import Blob
from domain.errors import (
    ArtifactCorrupt,
    ArtifactKeyInvalid,
    ArtifactMissing,
    ArtifactStoreUnavailable,
    ArtifactTooLarge,
    Cancelled,
    SettingsInvalid,
)
from tests.objectstores import S3Server, sweep_all

pytest_plugins = ("tests.objectstores",)

MiB = 1 << 20
LARGE = bytes(range(256)) * (20 * MiB // 256)
"""More than one part: a multipart upload on S3."""


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def keys(store: ArtifactStore, prefix: str = "") -> set[str]:
    return {each.key for each in store.list(prefix)}


def nothing_is_left(store: ArtifactStore) -> bool:
    """No object, and no invisible remains of a writer."""
    return keys(store) == set() and sweep_all(store) == 0


# --- what is written is read ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 8 * MiB - 1, 8 * MiB, 8 * MiB + 1, 20 * MiB])
def test_given_bytes_of_any_size_when_put_then_they_are_read_back_and_the_blob_describes_them(
    artifact_store: ArtifactStore, size: int
) -> None:
    data = LARGE[:size]

    blob = artifact_store.put_bytes("jobs/1/audio.flac", data, "audio/flac")

    assert blob == Blob(key="jobs/1/audio.flac", size_bytes=size, checksum_sha256=sha256(data), media_type="audio/flac")
    assert artifact_store.read_bytes(blob) == data
    facts = artifact_store.stat(blob.key)
    assert facts is not None and facts.size_bytes == size
    artifact_store.verify(blob)


def test_given_a_200_mb_file_when_put_and_downloaded_then_every_byte_is_the_same(
    artifact_store: ArtifactStore, tmp_path: Path
) -> None:
    source, copy = tmp_path / "recording.mp4", tmp_path / "copy.mp4"
    with source.open("wb") as file:
        for number in range(200):
            file.write(number.to_bytes(4, "big") * (MiB // 4))
    with source.open("rb") as file:
        expected = hashlib.file_digest(file, "sha256").hexdigest()
    seen: list[int] = []

    blob = artifact_store.put_file("recording.mp4", source, "video/mp4", on_progress=seen.append)
    artifact_store.download(blob, copy)

    assert (blob.size_bytes, blob.checksum_sha256) == (200 * MiB, expected)
    with copy.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == expected
    assert seen == sorted(seen) and seen[-1] == 200 * MiB


def test_given_a_writer_when_a_zip_is_written_to_it_then_the_object_is_that_zip(
    artifact_store: ArtifactStore, tmp_path: Path
) -> None:
    with artifact_store.writer("export.zip", "application/zip") as sink, zipfile.ZipFile(sink, "w") as bundle:
        bundle.writestr("instruction.md", "# Steps\n")
        bundle.writestr("shot.png", LARGE)

    with artifact_store.local_path(sink.blob) as path, zipfile.ZipFile(path) as stored:
        assert stored.testzip() is None
        assert stored.read("instruction.md") == b"# Steps\n"


def test_given_an_existing_key_when_put_again_then_the_new_content_replaces_it(
    artifact_store: ArtifactStore,
) -> None:
    first = artifact_store.put_bytes("draft.json", b"{}", "application/json")
    assert artifact_store.put_bytes("draft.json", b"{}", "application/json") == first

    second = artifact_store.put_bytes("draft.json", b"[1]", "application/json")

    assert artifact_store.read_bytes(second) == b"[1]"
    assert keys(artifact_store) == {"draft.json"}


@pytest.mark.parametrize(
    ("start", "end"),
    [(0, 10), (8 * MiB - 3, 8 * MiB + 3), (5, None), (20 * MiB - 1, None), (7, 7), (0, None), (0, 20 * MiB)],
)
def test_given_a_range_when_read_then_exactly_those_bytes_come(
    artifact_store: ArtifactStore, start: int, end: int | None
) -> None:
    blob = artifact_store.put_bytes("large", LARGE, "application/octet-stream")

    assert b"".join(artifact_store.read_chunks(blob, start, end)) == LARGE[start:end]


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2), (0, 6), (6, None)])
def test_given_a_range_outside_the_object_when_read_then_it_is_refused(
    artifact_store: ArtifactStore, start: int, end: int | None
) -> None:
    blob = artifact_store.put_bytes("small", b"12345", "text/plain")

    with pytest.raises(ValueError, match="range"):
        artifact_store.read_chunks(blob, start, end)


def test_given_an_object_over_the_limit_when_read_at_once_then_it_is_refused(artifact_store: ArtifactStore) -> None:
    blob = artifact_store.put_bytes("small", b"12345", "text/plain")

    with pytest.raises(ArtifactTooLarge):
        artifact_store.read_bytes(blob, limit=4)


def test_given_an_object_of_unknown_hash_when_measured_then_its_blob_verifies(artifact_store: ArtifactStore) -> None:
    artifact_store.put_bytes("video.mp4", LARGE, "application/octet-stream")

    blob = artifact_store.blob_of("video.mp4", "video/mp4")

    assert (blob.size_bytes, blob.checksum_sha256, blob.media_type) == (len(LARGE), sha256(LARGE), "video/mp4")


def test_given_a_blob_when_a_local_path_is_asked_for_then_the_file_has_its_bytes_and_suffix(
    artifact_store: ArtifactStore, tmp_path: Path
) -> None:
    blob = artifact_store.put_bytes("jobs/1/audio.flac", LARGE, "audio/flac")

    with artifact_store.local_path(blob) as path:
        assert path.read_bytes() == LARGE
        assert path.suffix == ".flac"

    assert list((tmp_path / "scratch").iterdir()) == []
    assert artifact_store.verifies(blob)


def test_given_objects_when_listed_then_only_those_below_the_folder_come(artifact_store: ArtifactStore) -> None:
    for key in ("jobs/1/a", "jobs/1/b/c", "jobs/11/a", "other"):
        artifact_store.put_bytes(key, b"x", "text/plain")

    assert keys(artifact_store, "jobs/1") == {"jobs/1/a", "jobs/1/b/c"}
    assert keys(artifact_store, "jobs/1/") == {"jobs/1/a", "jobs/1/b/c"}
    assert keys(artifact_store) == {"jobs/1/a", "jobs/1/b/c", "jobs/11/a", "other"}
    assert keys(artifact_store, "nothing") == set()


def test_given_an_object_when_deleted_twice_then_it_is_gone_and_nothing_is_raised(
    artifact_store: ArtifactStore,
) -> None:
    blob = artifact_store.put_bytes("jobs/1/a", b"x", "text/plain")

    artifact_store.delete(blob.key)
    artifact_store.delete(blob.key)

    assert not artifact_store.exists(blob.key)
    assert artifact_store.stat(blob.key) is None


def test_given_a_working_store_when_pinged_then_it_answers_and_keeps_nothing(artifact_store: ArtifactStore) -> None:
    artifact_store.ensure_bucket()
    artifact_store.ping()
    artifact_store.ping(write=True)

    assert nothing_is_left(artifact_store)


# --- what is damaged is noticed -------------------------------------------------------------------------------------


def each_way_of_reading(store: ArtifactStore, tmp_path: Path) -> dict[str, Callable[[Blob], object]]:
    def as_file(blob: Blob) -> None:
        with store.local_path(blob):
            pass

    return {
        "read_bytes": store.read_bytes,
        "read_chunks": lambda blob: list(store.read_chunks(blob)),
        "verify": store.verify,
        "download": lambda blob: store.download(blob, tmp_path / "copy"),
        "local_path": as_file,
    }


def test_given_a_damaged_object_when_read_in_chunks_then_a_reader_never_gets_all_of_it(
    artifact_store: ArtifactStore,
) -> None:
    blob = artifact_store.put_bytes("object", LARGE, "video/mp4")
    artifact_store.put_bytes("object", b"?" + LARGE[1:], "video/mp4")
    received = 0
    with pytest.raises(ArtifactCorrupt):
        for chunk in artifact_store.read_chunks(blob):
            received += len(chunk)
    assert received < blob.size_bytes


@pytest.mark.parametrize("size", [5, 20 * MiB], ids=["small", "large"])
@pytest.mark.parametrize("damage", ["flipped", "truncated", "extended", "emptied"])
def test_given_a_damaged_object_when_read_in_any_way_then_it_is_corrupt(
    artifact_store: ArtifactStore, tmp_path: Path, size: int, damage: str
) -> None:
    data = LARGE[:size]
    damaged = {
        "flipped": data[:-1] + bytes([data[-1] ^ 1]),
        "truncated": data[:-1],
        "extended": data + b"x",
        "emptied": b"",
    }[damage]
    blob = artifact_store.put_bytes("object", data, "text/plain")
    artifact_store.put_bytes("object", damaged, "text/plain")

    for name, read in each_way_of_reading(artifact_store, tmp_path).items():
        with pytest.raises(ArtifactCorrupt):
            read(blob)
            pytest.fail(f"{name} noticed nothing")
    assert not artifact_store.verifies(blob)
    assert not (tmp_path / "copy").exists()
    assert list((tmp_path / "scratch").iterdir()) == []


def test_given_a_missing_object_when_read_in_any_way_then_it_is_missing(
    artifact_store: ArtifactStore, tmp_path: Path
) -> None:
    for data in (b"", b"12345"):
        blob = artifact_store.put_bytes("object", data, "text/plain")
        artifact_store.delete("object")

        for name, read in each_way_of_reading(artifact_store, tmp_path).items():
            with pytest.raises(ArtifactMissing):
                read(blob)
                pytest.fail(f"{name} noticed nothing")
        with pytest.raises(ArtifactMissing):
            artifact_store.blob_of("object", "text/plain")
        assert not artifact_store.verifies(blob)


def test_given_a_damaged_object_when_downloaded_over_a_file_then_the_file_stays(
    artifact_store: ArtifactStore, tmp_path: Path
) -> None:
    blob = artifact_store.put_bytes("object", b"12345", "text/plain")
    artifact_store.put_bytes("object", b"54321", "text/plain")
    target = tmp_path / "target"
    target.write_bytes(b"before")

    with pytest.raises(ArtifactCorrupt):
        artifact_store.download(blob, target)

    assert target.read_bytes() == b"before"
    assert not list(tmp_path.glob("*.part"))


# --- what is not finished is not there ------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [100, 20 * MiB], ids=["small", "large"])
def test_given_a_writer_when_its_block_raises_then_nothing_is_left(artifact_store: ArtifactStore, size: int) -> None:
    with pytest.raises(ZeroDivisionError), artifact_store.writer("object", "text/plain") as sink:
        sink.write(LARGE[:size])
        _ = 1 // 0

    assert nothing_is_left(artifact_store)
    with pytest.raises(ValueError, match="not stored"):
        _ = sink.blob


def test_given_an_object_when_a_writer_of_its_key_raises_then_the_object_stays(artifact_store: ArtifactStore) -> None:
    blob = artifact_store.put_bytes("object", b"before", "text/plain")

    with pytest.raises(ZeroDivisionError), artifact_store.writer("object", "text/plain") as sink:
        sink.write(LARGE)
        _ = 1 // 0

    assert artifact_store.read_bytes(blob) == b"before"


def cancelling_after(limit: int) -> Callable[[int], None]:
    def on_progress(done: int) -> None:
        if done > limit:
            raise Cancelled("stop")

    return on_progress


def test_given_a_cancel_when_a_file_is_put_then_nothing_is_left(artifact_store: ArtifactStore, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(LARGE)

    with pytest.raises(Cancelled):
        artifact_store.put_file("object", source, "video/mp4", on_progress=cancelling_after(15 * MiB))

    assert nothing_is_left(artifact_store)


def test_given_a_cancel_when_an_object_is_read_then_nothing_is_left(
    artifact_store: ArtifactStore, tmp_path: Path
) -> None:
    blob = artifact_store.put_bytes("object", LARGE, "video/mp4")
    stop = cancelling_after(10 * MiB)

    with pytest.raises(Cancelled):
        artifact_store.download(blob, tmp_path / "copy", on_progress=stop)
    with pytest.raises(Cancelled):
        artifact_store.verify(blob, on_progress=stop)

    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == []
    assert keys(artifact_store) == {"object"}
    assert sweep_all(artifact_store) == 0


def test_given_a_source_that_is_not_there_when_put_then_the_error_is_the_sources(
    artifact_store: ArtifactStore, tmp_path: Path
) -> None:
    with pytest.raises(FileNotFoundError):
        artifact_store.put_file("object", tmp_path / "nothing", "video/mp4")


KILLED_WRITER = """
import sys
from activities.artifacts import ArtifactStore, S3Options
url, endpoint, key_id, secret = sys.argv[1:]
s3 = S3Options(endpoint=endpoint or None, access_key_id=key_id, secret_access_key=secret, allow_http=True)
with ArtifactStore.open(url, s3=s3).writer("object", "video/mp4") as sink:
    for _ in range(24):
        sink.write(bytes(1 << 20))
    print("half-way", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(params=["folder", "s3"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, S3Options | None]:
    """A store that another process can open."""
    if request.param == "folder":
        return (tmp_path / "shared").as_uri(), None
    server: S3Server = request.getfixturevalue("s3_server")
    return server.url(f"shared-{os.urandom(8).hex()}"), server.options


def test_given_a_writer_when_its_process_is_killed_then_nothing_is_visible_and_its_remains_can_be_swept(
    address: tuple[str, S3Options | None],
) -> None:
    url, s3 = address
    reach = [s3.endpoint or "", s3.access_key_id or "", s3.secret_access_key or ""] if s3 else ["", "", ""]
    with subprocess.Popen(
        [sys.executable, "-c", KILLED_WRITER, url, *reach],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half-way\n"
        process.send_signal(signal.SIGKILL)
    store = ArtifactStore.open(url, s3=s3)

    assert not store.exists("object")
    assert keys(store) == set()
    blob = store.put_bytes("object", b"again", "video/mp4")
    assert store.read_bytes(blob) == b"again"

    assert store.sweep_abandoned(3600) == 0
    assert sweep_all(store) == 1
    assert sweep_all(store) == 0
    assert store.read_bytes(blob) == b"again"


def test_given_many_writers_of_one_key_when_they_finish_then_one_of_them_is_stored_whole(
    artifact_store: ArtifactStore,
) -> None:
    contents = [bytes([number]) * (9 * MiB) for number in range(6)]

    with ThreadPoolExecutor(len(contents)) as pool:
        blobs = list(pool.map(lambda data: artifact_store.put_bytes("object", data, "text/plain"), contents))

    assert len({each.checksum_sha256 for each in blobs}) == len(contents)
    assert artifact_store.load_small("object") in contents
    assert keys(artifact_store) == {"object"}
    assert sweep_all(artifact_store) == 0


def test_given_a_key_that_is_rewritten_when_read_meanwhile_then_a_reader_sees_one_content_or_the_other(
    artifact_store: ArtifactStore,
) -> None:
    contents = {sha256(data): data for data in (b"a" * 9 * MiB, b"b" * 9 * MiB)}
    artifact_store.put_bytes("object", next(iter(contents.values())), "text/plain")
    written = threading.Event()

    def rewrite() -> None:
        try:
            for _ in range(5):
                for data in contents.values():
                    artifact_store.put_bytes("object", data, "text/plain")
        finally:
            written.set()

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(rewrite)
        seen = set()
        while not written.is_set():
            data = artifact_store.load_small("object")
            assert data is not None
            seen.add(sha256(data))
        writing.result()

    assert seen <= set(contents)


# --- names ----------------------------------------------------------------------------------------------------------

BAD_KEYS = [
    "",
    "/etc/passwd",
    "../secret",
    "a/../b",
    "a/..",
    "./a",
    "a//b",
    "a/",
    "a\\b",
    "a\x00b",
    "a\nb",
    "a\n",
    "a b",
    "ä",
    "a\u202eb",
    "a?b",
    "a#1",
    "a%2e",
    ".hidden",
    "-rf",
    "x" * 201,
    "/".join(["abc"] * 129),
]


@pytest.mark.parametrize("key", BAD_KEYS)
def test_given_a_key_that_is_none_when_used_in_any_way_then_it_is_refused(
    folder_store: ArtifactStore, tmp_path: Path, key: str
) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"x")
    blob = Blob.model_construct(key=key, size_bytes=1, checksum_sha256="0" * 64, media_type="text/plain")

    def as_file() -> None:
        with folder_store.local_path(blob):
            pass

    def written() -> None:
        with folder_store.writer(key, "text/plain"):
            pass

    uses: list[Callable[[], object]] = [
        lambda: folder_store.put_bytes(key, b"x", "text/plain"),
        lambda: folder_store.put_file(key, source, "text/plain"),
        written,
        lambda: folder_store.multipart.begin(key, "text/plain"),
        lambda: folder_store.read_bytes(blob),
        lambda: folder_store.load_small(key),
        as_file,
        lambda: folder_store.stat(key),
        lambda: folder_store.delete(key),
        lambda: folder_store.signed_get_url(blob, 60),
        lambda: folder_store.uri(key),
        lambda: folder_store.key_of(f"artifact://{key}"),
    ]
    for use in uses:
        with pytest.raises(ArtifactKeyInvalid):
            use()
    assert {each.name for each in tmp_path.iterdir()} == {"artifacts", "scratch", "source"}
    assert nothing_is_left(folder_store)


def test_given_a_key_when_made_a_uri_then_the_uri_gives_the_key_back(artifact_store: ArtifactStore) -> None:
    uri = artifact_store.uri("jobs/1/video+a=b@c.mp4")

    assert uri == "artifact://jobs/1/video+a=b@c.mp4"
    assert artifact_store.key_of(uri) == "jobs/1/video+a=b@c.mp4"
    for other in ("s3://bucket/key", "file:///etc/passwd", "jobs/1", "artifact:jobs/1"):
        with pytest.raises(ArtifactKeyInvalid):
            artifact_store.key_of(other)


def test_given_a_key_of_odd_but_allowed_characters_when_put_then_it_is_read_listed_and_deleted(
    artifact_store: ArtifactStore,
) -> None:
    key = "jobs/0_1/A+b=c@d..e-.mp4"
    blob = artifact_store.put_bytes(key, b"x", "video/mp4")

    assert artifact_store.read_bytes(blob) == b"x"
    assert keys(artifact_store, "jobs/0_1") == {key}
    artifact_store.delete(key)
    assert keys(artifact_store) == set()


# --- the folder's own -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url", ["relative/folder", "file://relative/folder", "file:///", "http://host/x", "s3://", "s3:///x", "s3://b/../c"]
)
def test_given_a_url_that_names_no_store_when_opened_then_the_settings_are_invalid(url: str) -> None:
    with pytest.raises(SettingsInvalid):
        ArtifactStore.open(url)


def test_given_a_folder_that_is_away_when_used_then_it_is_unavailable_nothing_is_lost_and_none_is_made_in_its_place(
    folder_store: ArtifactStore, tmp_path: Path
) -> None:
    blob = folder_store.put_bytes("object", b"x", "text/plain")
    (tmp_path / "artifacts").rename(tmp_path / "elsewhere")

    for use in (
        folder_store.ping,
        lambda: folder_store.stat(blob.key),
        lambda: folder_store.read_bytes(blob),
        lambda: folder_store.put_bytes("other", b"x", "text/plain"),
        lambda: folder_store.put_bytes("large", bytes(9 << 20), "text/plain"),
    ):
        with pytest.raises(ArtifactStoreUnavailable, match="folder"):
            use()
    (tmp_path / "elsewhere").rename(tmp_path / "artifacts")
    assert folder_store.read_bytes(blob) == b"x"


def test_given_a_folder_store_when_a_signed_url_is_asked_for_then_there_is_none(folder_store: ArtifactStore) -> None:
    blob = folder_store.put_bytes("object", b"x", "text/plain")

    assert folder_store.signed_get_url(blob, 60, "x.txt") is None


FULL_DISK = """
import resource, sys
from activities.artifacts import ArtifactStore
from domain.errors import ArtifactStoreUnavailable
store = ArtifactStore.open(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
for size in (2 << 20, 20 << 20):
    try:
        store.put_bytes("object", bytes(size), "video/mp4")
    except ArtifactStoreUnavailable as met:
        print(met.message)
    assert list(store.list()) == [] and store.sweep_abandoned(-2) == 0
"""


def test_given_a_disk_that_takes_no_more_when_put_then_the_store_is_unavailable_and_nothing_is_left(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, tmp_path.joinpath("artifacts").as_uri()],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.count("disk is full") == 2
    assert str(tmp_path) not in done.stdout


def test_given_an_iterator_of_chunks_when_left_early_then_the_object_can_still_be_read(
    artifact_store: ArtifactStore,
) -> None:
    blob = artifact_store.put_bytes("object", LARGE, "video/mp4")
    chunks: Iterator[bytes] = artifact_store.read_chunks(blob)
    next(chunks)
    del chunks

    artifact_store.verify(blob)
