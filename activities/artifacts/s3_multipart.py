"""Multipart uploads on S3: parts come through us or straight from a client, and joining copies nothing.

The rules are Amazon's: parts 1 to 10,000, 5 MiB to 5 GiB each but the last; a part sent again replaces the one before;
a completed upload is gone.
"""

import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from io import BytesIO
from typing import IO, Any

from botocore.exceptions import ClientError

from activities.artifacts.keys import checked_key
from activities.artifacts.multipart import PartAddress, PartsChanged, Progress, UploadGone
from activities.artifacts.s3_client import S3Clients
from activities.artifacts.s3_faults import error_code, s3_faults
from domain.uploads import ArrivedPart, counted

MiB = 1 << 20

WHOLE_PART = 8 * MiB
"""Bytes of the parts that a whole object is cut into on its way, while it is short."""

GROW_AFTER = 1000
"""After so many parts the next ones are twice as large: 10 GiB goes in parts of 8 and 16 MiB, and 10,000 parts hold
8 TiB, more than S3 keeps in one object."""

PARTS_AT_ONCE = 4
"""Parts of one whole object in flight. With their size it bounds the memory of a write."""

SPOOLED = 8 * MiB
"""What of a part is held in memory; more of it waits in a temporary file until it is complete."""

COPIES_AT_ONCE = 8


def _answered_at(page: Mapping[str, Any]) -> datetime:
    """When the store answered, by the clock that says when uploads were begun: this machine's own may be anywhere."""
    return parsedate_to_datetime(page["ResponseMetadata"]["HTTPHeaders"]["date"])


class S3Multipart:
    """Uploads in ``bucket`` below ``prefix``."""

    least_part_bytes = 5 * MiB

    def __init__(self, bucket: str, prefix: str, clients: S3Clients) -> None:
        self._bucket, self._prefix, self._clients = bucket, prefix, clients

    @property
    def _client(self) -> Any:
        return self._clients.store

    def begin(self, key: str, media_type: str) -> str:
        with s3_faults():
            begun = self._client.create_multipart_upload(**self._object(key), ContentType=media_type)
        return str(begun["UploadId"])

    def part(self, key: str, upload_id: str, number: int) -> "S3Part":
        return S3Part(lambda body: self._send(key, upload_id, number, body))

    def whole(self, key: str, upload_id: str) -> "S3Whole":
        return S3Whole(lambda number, body: self._send(key, upload_id, number, body))

    def arrived(self, key: str, upload_id: str) -> tuple[ArrivedPart, ...]:
        newest: dict[int, tuple[datetime, ArrivedPart]] = {}
        with _or_gone():
            pages = self._client.get_paginator("list_parts").paginate(**self._upload(key, upload_id))
            for row in (row for page in pages for row in page.get("Parts", ())):
                part = ArrivedPart(int(row["PartNumber"]), int(row["Size"]), str(row["ETag"]))
                # S3 lists the last of each number; SeaweedFS all that ever came
                if part.number not in newest or newest[part.number][0] <= row["LastModified"]:
                    newest[part.number] = (row["LastModified"], part)
        return counted(part for _, part in newest.values())

    def freeze(self, key: str, upload_id: str) -> None:
        """S3 cannot; but what is joined is named part by part, and a part that changed meanwhile is refused."""

    def digest(self, key: str, upload_id: str, parts: Sequence[ArrivedPart], on_progress: Progress) -> str | None:
        return None

    def join(self, key: str, upload_id: str, parts: Sequence[ArrivedPart], on_progress: Progress) -> None:
        named = [{"PartNumber": part.number, "ETag": part.etag} for part in parts]
        with _or_gone():
            self._client.complete_multipart_upload(**self._upload(key, upload_id), MultipartUpload={"Parts": named})

    def reopen(self, key: str, media_type: str, upload_id: str, parts: Sequence[ArrivedPart]) -> str:
        """Where they are joined already, S3 takes the parts out of the object again, by itself."""
        try:
            self.arrived(key, upload_id)
        except UploadGone:
            upload_id = self.begin(key, media_type)
            self._take_apart(key, upload_id, parts)
        return upload_id

    def abort(self, key: str, upload_id: str) -> None:
        try:
            with _or_gone():
                self._client.abort_multipart_upload(**self._upload(key, upload_id))
        except UploadGone:
            return

    def address(
        self, key: str, upload_id: str, number: int, *, expires_s: int, size_bytes: int | None
    ) -> PartAddress | None:
        holds_s = self._clients.holds_for(expires_s)
        if not holds_s:
            return None
        length = {} if size_bytes is None else {"ContentLength": size_bytes}
        with s3_faults():
            url = self._clients.public.generate_presigned_url(
                "upload_part",
                Params={**self._upload(key, upload_id), "PartNumber": number, **length},
                ExpiresIn=holds_s,
            )
        return PartAddress(
            str(url), {"Content-Length": str(size_bytes)} if length else {}, holds_s if holds_s < expires_s else None
        )

    def sweep(self, older_than_s: float, known: Callable[[str], bool]) -> int:
        with s3_faults():
            listing = self._client.get_paginator("list_multipart_uploads").paginate(
                Bucket=self._bucket, Prefix=f"{self._prefix}/" if self._prefix else ""
            )
            pages = list(listing)
        unfinished = [upload for page in pages for upload in page.get("Uploads", ())]
        before, swept = _answered_at(pages[0]) - timedelta(seconds=older_than_s), 0
        for upload in unfinished:
            upload_id = str(upload["UploadId"])
            if upload["Initiated"] < before and not known(upload_id):
                with s3_faults():
                    self._client.abort_multipart_upload(Bucket=self._bucket, Key=upload["Key"], UploadId=upload_id)
                swept += 1
        return swept

    def _send(self, key: str, upload_id: str, number: int, body: IO[bytes]) -> None:
        with _or_gone():
            self._client.upload_part(**self._upload(key, upload_id), PartNumber=number, Body=body)

    def _take_apart(self, key: str, upload_id: str, parts: Sequence[ArrivedPart]) -> None:
        ends, at = [], 0
        for part in parts:
            at += part.size_bytes
            ends.append((part.number, at - part.size_bytes, at))

        def copied(number: int, start: int, end: int) -> None:
            with s3_faults():
                self._client.upload_part_copy(
                    **self._upload(key, upload_id),
                    PartNumber=number,
                    CopySource={"Bucket": self._bucket, "Key": self._full(key)},
                    CopySourceRange=f"bytes={start}-{end - 1}",
                )

        with ThreadPoolExecutor(COPIES_AT_ONCE, thread_name_prefix="part-copy") as pool:
            list(pool.map(lambda row: copied(*row), [row for row in ends if row[1] < row[2]]))

    def _upload(self, key: str, upload_id: str) -> dict[str, str]:
        return {**self._object(key), "UploadId": upload_id}

    def _object(self, key: str) -> dict[str, str]:
        return {"Bucket": self._bucket, "Key": self._full(key)}

    def _full(self, key: str) -> str:
        return f"{self._prefix}/{checked_key(key)}" if self._prefix else checked_key(key)


class S3Part:
    """One part: it waits here until it is complete, so that a client that hangs up has sent S3 nothing, and S3 can be
    asked again when it stumbles."""

    def __init__(self, send: Callable[[IO[bytes]], None]) -> None:
        self._send = send
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(SPOOLED)  # noqa: SIM115 - open until commit or abandon

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def commit(self) -> None:
        with self._file as whole:
            whole.seek(0)
            self._send(whole)

    def abandon(self) -> None:
        self._file.close()


class S3Whole:
    """A whole object: cut into parts, a few of them on their way at once, none held longer than that."""

    def __init__(self, send: Callable[[int, IO[bytes]], None]) -> None:
        self._send = send
        self._gathered = bytearray()
        self._sent = 0
        self._flights: list[Future[None]] = []
        self._room = threading.Semaphore(PARTS_AT_ONCE)
        self._pool = ThreadPoolExecutor(PARTS_AT_ONCE, thread_name_prefix="part-upload")

    def write(self, data: bytes) -> None:
        self._gathered += data
        if len(self._gathered) >= WHOLE_PART << (self._sent // GROW_AFTER):
            self._hand_over()

    def commit(self) -> None:
        if self._gathered or not self._sent:
            self._hand_over()
        with self._pool:
            for flight in self._flights:
                flight.result()

    def abandon(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _hand_over(self) -> None:
        self._room.acquire()
        self._raise_failure()
        self._sent += 1
        flight = self._pool.submit(self._send, self._sent, BytesIO(bytes(self._gathered)))
        flight.add_done_callback(lambda _: self._room.release())
        self._flights.append(flight)
        self._gathered.clear()

    def _raise_failure(self) -> None:
        running = [flight for flight in self._flights if not flight.done()]
        for flight in self._flights:
            if flight.done():
                flight.result()
        self._flights = running


@contextmanager
def _or_gone() -> Iterator[None]:
    with s3_faults():
        try:
            yield
        except ClientError as met:
            if error_code(met) == "NoSuchUpload":
                raise UploadGone(
                    "This upload takes no more parts. Ask what has arrived, or begin the upload again."
                ) from None
            if error_code(met) in ("InvalidPart", "InvalidPartOrder"):
                raise PartsChanged("A part was sent again while the upload was confirmed. Confirm again.") from None
            raise
