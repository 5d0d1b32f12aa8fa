"""Objects that arrive in parts: on a folder and on a real S3 server the same promises."""

import contextlib
import hashlib
import os
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

import httpx
import pytest

from activities.artifacts import ArtifactStore, Multipart, PartsChanged, UploadGone
from activities.artifacts import folder_multipart as on_folder
from activities.artifacts.s3_multipart import PARTS_AT_ONCE, WHOLE_PART, S3Whole
from domain.errors import ArtifactStoreUnavailable
from domain.uploads import ArrivedPart
from tests.objectstores import S3Server, sweep_all

pytest_plugins = ("tests.objectstores",)

KEY = "jobs/1/upload/recording.mp4"
MiB = 1 << 20
PARTS = {1: os.urandom(5 * MiB), 2: os.urandom(5 * MiB + 7), 3: b"the end"}
WHOLE = b"".join(PARTS.values())


def send(multipart: Multipart, upload_id: str, number: int, data: bytes) -> None:
    sink = multipart.part(KEY, upload_id, number)
    for at in range(0, len(data), MiB):
        sink.write(data[at : at + MiB])
    sink.commit()


def send_again(multipart: Multipart, upload_id: str, number: int, data: bytes) -> None:
    """Until it is the one that counts: SeaweedFS cannot tell apart what came within one second."""
    while {part.size_bytes for part in multipart.arrived(KEY, upload_id) if part.number == number} != {len(data)}:
        send(multipart, upload_id, number, data)


def begun(multipart: Multipart, *numbers: int) -> str:
    upload_id = multipart.begin(KEY, "video/mp4")
    for number in numbers:
        send(multipart, upload_id, number, PARTS[number])
    return upload_id


def silent(_: int) -> None:
    """Nobody watches."""


def joined(store: ArtifactStore, upload_id: str) -> bytes | None:
    multipart = store.multipart
    multipart.freeze(KEY, upload_id)
    parts = multipart.arrived(KEY, upload_id)
    sha256 = multipart.digest(KEY, upload_id, parts, silent)
    multipart.join(KEY, upload_id, parts, silent)
    data = store.load_small(KEY)
    assert data is not None
    assert sha256 in (None, hashlib.sha256(data).hexdigest())
    return data


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_given_parts_in_any_order_and_one_again_when_joined_then_the_object_is_them_in_order(
    artifact_store: ArtifactStore,
) -> None:
    multipart = artifact_store.multipart
    upload_id = begun(multipart, 3, 1)
    send(multipart, upload_id, 2, PARTS[2])
    send(multipart, upload_id, 1, PARTS[1])
    arrived = multipart.arrived(KEY, upload_id)
    assert [(part.number, part.size_bytes) for part in arrived] == [(n, len(data)) for n, data in PARTS.items()]
    assert list(artifact_store.list()) == []
    assert joined(artifact_store, upload_id) == WHOLE
    assert [each.key for each in artifact_store.list()] == [KEY]
    assert sweep_all(artifact_store) == 0


def test_given_a_whole_object_when_joined_then_it_is_there_as_sent(artifact_store: ArtifactStore) -> None:
    data = os.urandom(21 * MiB)
    multipart = artifact_store.multipart
    upload_id = multipart.begin(KEY, "video/mp4")
    sink = multipart.whole(KEY, upload_id)
    for at in range(0, len(data), MiB):
        sink.write(data[at : at + MiB])
    assert multipart.arrived(KEY, upload_id) == () or not artifact_store.exists(KEY)
    sink.commit()
    assert joined(artifact_store, upload_id) == data


def test_given_nothing_at_all_when_it_is_sent_whole_then_the_object_is_empty(artifact_store: ArtifactStore) -> None:
    multipart = artifact_store.multipart
    upload_id = multipart.begin(KEY, "video/mp4")
    multipart.whole(KEY, upload_id).commit()
    assert joined(artifact_store, upload_id) == b""


def test_given_bodies_that_are_abandoned_when_looked_at_then_nothing_of_them_is_there(
    artifact_store: ArtifactStore,
) -> None:
    multipart = artifact_store.multipart
    upload_id = begun(multipart, 1)
    part = multipart.part(KEY, upload_id, 1)
    part.write(b"x" * MiB)
    part.abandon()
    whole_id = multipart.begin(KEY, "video/mp4")
    whole = multipart.whole(KEY, whole_id)
    whole.write(b"x" * (9 * MiB))
    whole.abandon()
    multipart.abort(KEY, whole_id)
    assert [part.size_bytes for part in multipart.arrived(KEY, upload_id)] == [len(PARTS[1])]
    multipart.abort(KEY, upload_id)
    assert sweep_all(artifact_store) == 0


@pytest.mark.parametrize("ended", ["joined", "aborted"])
def test_given_an_upload_that_ended_when_used_in_any_way_then_it_is_gone_and_the_object_stays(
    artifact_store: ArtifactStore, ended: str
) -> None:
    multipart = artifact_store.multipart
    upload_id = begun(multipart, 1)
    late = multipart.part(KEY, upload_id, 1)
    late.write(b"late")
    parts = multipart.arrived(KEY, upload_id)
    if ended == "joined":
        assert joined(artifact_store, upload_id) == PARTS[1]
    else:
        multipart.abort(KEY, upload_id)
        multipart.abort(KEY, upload_id)

    uses: list[Callable[[], object]] = [
        late.commit,
        lambda: send(multipart, upload_id, 2, b"x"),
        lambda: multipart.arrived(KEY, upload_id),
    ]
    for use in uses:
        with pytest.raises(UploadGone):
            use()
    if ended == "joined":  # S3 answers a completion again as it did the first time: nothing happens either way
        with contextlib.suppress(UploadGone):
            multipart.join(KEY, upload_id, parts, silent)
        assert artifact_store.load_small(KEY) == PARTS[1]


def test_given_a_part_that_is_sent_again_when_the_old_ones_are_joined_then_refused_or_the_old_ones_it_is(
    artifact_store: ArtifactStore,
) -> None:
    multipart = artifact_store.multipart
    upload_id = begun(multipart, 1)
    parts = multipart.arrived(KEY, upload_id)
    changed = [ArrivedPart(1, parts[0].size_bytes, '"0123456789abcdef0123456789abcdef"')]
    multipart.freeze(KEY, upload_id)
    with pytest.raises((PartsChanged, ArtifactStoreUnavailable)):
        multipart.join(KEY, upload_id, changed, silent)
    assert not artifact_store.exists(KEY)


def test_given_an_upload_that_was_looked_at_in_vain_when_reopened_then_a_part_can_be_sent_again(
    artifact_store: ArtifactStore,
) -> None:
    multipart = artifact_store.multipart
    upload_id = begun(multipart, 1, 2, 3)
    multipart.freeze(KEY, upload_id)
    parts = multipart.arrived(KEY, upload_id)
    if multipart.digest(KEY, upload_id, parts, silent) is None:
        multipart.join(KEY, upload_id, parts, silent)  # such a store has to join before anybody can look
    again = multipart.reopen(KEY, "video/mp4", upload_id, parts)
    arrived = multipart.arrived(KEY, again)
    assert [(part.number, part.size_bytes) for part in arrived] == [(n, len(data)) for n, data in PARTS.items()]
    send_again(multipart, again, 2, PARTS[1])
    assert joined(artifact_store, again) == PARTS[1] + PARTS[1] + PARTS[3]


def test_given_uploads_nobody_knows_when_swept_then_only_those_known_stay(artifact_store: ArtifactStore) -> None:
    known, other = begun(artifact_store.multipart, 1), begun(artifact_store.multipart, 1)
    assert artifact_store.sweep_abandoned(3600) == 0
    assert artifact_store.sweep_abandoned(-5, known.__eq__) == 1
    assert len(artifact_store.multipart.arrived(KEY, known)) == 1
    with pytest.raises(UploadGone):
        artifact_store.multipart.arrived(KEY, other)


# --- S3 ---------------------------------------------------------------------------------------------------------------


def test_given_s3_when_parts_are_addressed_then_anyone_can_send_exactly_those(s3_store: ArtifactStore) -> None:
    multipart = s3_store.multipart
    upload_id = begun(multipart)
    for number, data in PARTS.items():
        address = multipart.address(KEY, upload_id, number, expires_s=3600, size_bytes=len(data))
        assert address is not None
        longer = httpx.put(address.url, content=data + b"x")
        assert longer.status_code == 403
        assert httpx.put(address.url.replace(f"partNumber={number}", "partNumber=9"), content=data).status_code == 403
        assert httpx.put(address.url, content=data, headers=dict(address.headers)).status_code == 200
    assert joined(s3_store, upload_id) == WHOLE
    assert address is not None
    assert httpx.put(address.url, content=PARTS[3], headers=dict(address.headers)).status_code == 404


def test_given_an_address_of_a_part_when_its_time_is_over_then_it_takes_nothing(s3_store: ArtifactStore) -> None:
    multipart = s3_store.multipart
    upload_id = begun(multipart)
    address = multipart.address(KEY, upload_id, 1, expires_s=1, size_bytes=None)
    assert address is not None
    over = threading.Event()
    while httpx.put(address.url, content=b"x").status_code == 200:
        over.wait(0.2)
    assert httpx.put(address.url, content=b"x").status_code == 403


def test_given_a_folder_when_a_part_is_addressed_then_there_is_no_address(folder_store: ArtifactStore) -> None:
    upload_id = begun(folder_store.multipart)
    assert folder_store.multipart.address(KEY, upload_id, 1, expires_s=60, size_bytes=None) is None


def test_given_s3_when_it_stumbles_in_the_middle_of_a_whole_object_then_it_is_unavailable(
    own_s3_server: "S3Server",
) -> None:
    store = ArtifactStore.open(own_s3_server.url("outage"), s3=own_s3_server.options)
    upload_id = store.multipart.begin(KEY, "video/mp4")
    sink = store.multipart.whole(KEY, upload_id)
    sink.write(bytes(9 * MiB))
    own_s3_server.stop()
    with pytest.raises(ArtifactStoreUnavailable):
        for _ in range(100):
            sink.write(bytes(9 * MiB))
    sink.abandon()


# --- a folder -------------------------------------------------------------------------------------------------------


class Killed(Exception):
    """As a process may end, in the middle of anything."""


def killed_after(done: int) -> Callable[[int], None]:
    def look(bytes_done: int) -> None:
        if bytes_done >= done:
            raise Killed

    return look


@pytest.mark.parametrize("after", [1, 3, 7])
def test_given_a_joining_that_broke_off_when_joined_again_then_it_goes_on_where_it_was(
    folder_store: ArtifactStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    monkeypatch.setattr(on_folder, "SETTLE_BYTES", 2 * 1000)
    multipart = folder_store.multipart
    pieces = [os.urandom(1000) for _ in range(8)]
    upload_id = multipart.begin(KEY, "video/mp4")
    for number, piece in enumerate(pieces, start=1):
        send(multipart, upload_id, number, piece)
    multipart.freeze(KEY, upload_id)
    parts = multipart.arrived(KEY, upload_id)
    sha256 = multipart.digest(KEY, upload_id, parts, silent)
    with pytest.raises(Killed):
        multipart.join(KEY, upload_id, parts, killed_after(after * 1000))
    assert not folder_store.exists(KEY)

    assert multipart.arrived(KEY, upload_id) == parts
    assert multipart.digest(KEY, upload_id, parts, killed_after(0)) == sha256  # not read again
    assert joined(folder_store, upload_id) == b"".join(pieces)
    assert files_below(tmp_path / "artifacts") == [KEY]


def test_given_parts_when_they_are_joined_then_never_much_more_space_is_taken_than_they_have(
    folder_store: ArtifactStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_folder, "SETTLE_BYTES", 2 * MiB)
    multipart = folder_store.multipart
    upload_id = multipart.begin(KEY, "video/mp4")
    for number in range(1, 17):
        send(multipart, upload_id, number, bytes([number]) * MiB)
    multipart.freeze(KEY, upload_id)
    most = 0

    def measure(_: int) -> None:
        nonlocal most
        folder = tmp_path / "artifacts"
        most = max(most, sum((folder / name).stat().st_size for name in files_below(folder)))

    multipart.join(KEY, upload_id, multipart.arrived(KEY, upload_id), measure)
    assert 16 * MiB <= most <= 19 * MiB


def test_given_files_the_kernel_does_not_copy_when_joined_then_they_are_copied_a_piece_at_a_time(
    folder_store: ArtifactStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "copy_file_range")
    assert joined(folder_store, begun(folder_store.multipart, 1, 2, 3)) == WHOLE


def test_given_many_who_join_at_once_when_all_end_then_it_was_joined_once(folder_store: ArtifactStore) -> None:
    multipart = folder_store.multipart
    upload_id = begun(multipart, 1, 2, 3)
    multipart.freeze(KEY, upload_id)
    parts = multipart.arrived(KEY, upload_id)

    def join(_: int) -> bool:
        try:
            multipart.join(KEY, upload_id, parts, silent)
        except UploadGone:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(join, range(6))) == [False] * 5 + [True]
    assert folder_store.load_small(KEY) == WHOLE


def test_given_a_frozen_upload_when_a_part_lands_then_it_finds_no_place(folder_store: ArtifactStore) -> None:
    multipart = folder_store.multipart
    upload_id = begun(multipart, 1)
    late = multipart.part(KEY, upload_id, 1)
    late.write(b"late")
    multipart.freeze(KEY, upload_id)
    multipart.freeze(KEY, upload_id)
    with pytest.raises(UploadGone):
        late.commit()
    with pytest.raises(UploadGone):
        multipart.part(KEY, upload_id, 2)
    assert joined(folder_store, upload_id) == PARTS[1]


@pytest.mark.parametrize("upload_id", ["", "..", "../..", "x" * 32, "0" * 31, "0" * 32 + "/..", "0" * 32])
def test_given_an_id_that_is_none_when_used_then_the_upload_is_gone(
    folder_store: ArtifactStore, tmp_path: Path, upload_id: str
) -> None:
    for use in (folder_store.multipart.arrived, folder_store.multipart.freeze):
        with pytest.raises(UploadGone):
            use(KEY, upload_id)
    assert files_below(tmp_path) == []


def test_given_a_folder_that_vanished_when_parts_come_then_the_store_is_away(
    folder_store: ArtifactStore, tmp_path: Path
) -> None:
    upload_id = begun(folder_store.multipart, 1)
    shutil.move(tmp_path / "artifacts", tmp_path / "elsewhere")
    with pytest.raises(ArtifactStoreUnavailable):
        folder_store.multipart.part(KEY, upload_id, 2)
    with pytest.raises(ArtifactStoreUnavailable):
        folder_store.multipart.begin(KEY, "video/mp4")


def test_given_a_store_that_is_slow_when_a_whole_object_is_sent_then_a_few_parts_of_it_are_held() -> None:
    written = done = most_held = 0
    counting = threading.Lock()

    def send_slowly(_: int, body: IO[bytes]) -> None:
        nonlocal done
        size = len(body.read())
        with counting:
            done += size

    sink = S3Whole(send_slowly)
    piece = bytes(MiB)
    for _ in range(400):
        sink.write(piece)
        written += len(piece)
        with counting:
            most_held = max(most_held, written - done)
    sink.commit()
    assert done == written
    assert most_held <= (PARTS_AT_ONCE + 2) * WHOLE_PART
