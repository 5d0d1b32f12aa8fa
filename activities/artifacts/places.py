"""Where objects lie: a folder of this machine or a bucket of an S3-compatible store.

A place knows what the two do differently (durability, signed URLs, what a killed writer leaves behind);
``store.ArtifactStore`` is the same for both.
"""

import os
import re
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote, urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, S3Store

from activities.artifacts.durable import fsync
from activities.artifacts.faults import translated
from activities.artifacts.folder_multipart import FolderMultipart
from activities.artifacts.keys import checked_prefix
from activities.artifacts.multipart import Multipart
from activities.artifacts.options import CONNECT_TIMEOUT_S, MAX_EXPIRES_S, MAX_RETRIES, RETRY_BUDGET_S, S3Options
from domain.errors import ArtifactKeyInvalid, ArtifactStoreUnavailable, GuidesmithError, SettingsInvalid

if TYPE_CHECKING:
    from obstore import Attributes
    from obstore.store import S3Config

    from activities.artifacts.credentials import FoundCredentials
    from activities.artifacts.s3_client import S3Clients


ROOM_BYTES = 64 << 10
"""What a disk that is not full takes at once."""

WRITTEN_EVERY_S = 60.0
"""Between objects that probes write to a bucket, which are paid for: $5 a million on S3, 0.22 a month and process."""
ROOM_KEY = "_check/room"


class Place(Protocol):
    """What differs between a folder and a bucket."""

    @property
    def objects(self) -> LocalStore | S3Store: ...

    @property
    def multipart(self) -> Multipart: ...

    def attributes(self, media_type: str) -> "Attributes | None":
        """What the store keeps with the object, where it can."""

    def settle(self, key: str) -> None:
        """Make a written object outlast a power cut."""

    def path(self, key: str) -> Path | None:
        """The object's own file, where it has one."""

    def ensure(self) -> None:
        """Create the place if it does not exist."""

    def check(self) -> None:
        """Raise unless the place exists and may be used."""

    def check_room(self) -> None:
        """Raise where nothing can be written: a full disk, a bucket that is only read."""

    def check_present(self) -> None:
        """Raise where a write would make the place anew, beside what was mounted there. Costs next to nothing."""

    @property
    def origin(self) -> str | None:
        """Scheme, host and port of signed URLs; None where there are none."""

    def signed(self, key: str, expires_s: int, answered: Mapping[str, str]) -> str | None:
        """A URL that reads the object without credentials for ``expires_s`` seconds, where such a one can be made.

        Args:
            answered: With what, under the names of S3's ``GetObject``.
        """

    def sweep(self, older_than_s: float, known: Callable[[str], bool]) -> int:
        """Remove what killed writers left behind, and multipart uploads whose id is not ``known``; how many there
        were."""


class Folder:
    """A folder. Writers stage into ``name#N`` beside the object and rename; readers never see the staged file."""

    _STAGED = re.compile(r".+#\d+")

    def __init__(self, root: Path) -> None:
        self._root = root
        self.ensure()
        self.objects = LocalStore(root)
        self.multipart = FolderMultipart(root, self.check, self.settle, self._now)

    def attributes(self, media_type: str) -> "Attributes | None":
        return None

    def settle(self, key: str) -> None:
        path = self._root / key
        fsync(path)
        for folder in path.parents:
            fsync(folder)
            if folder == self._root:
                break

    def path(self, key: str) -> Path:
        return self._root / key

    def ensure(self) -> None:
        with translated(writing=True):
            self._root.mkdir(parents=True, exist_ok=True)

    def check_room(self) -> None:
        with translated(writing=True), NamedTemporaryFile(prefix=".room#", dir=self._root) as probe:
            probe.write(bytes(ROOM_BYTES))
            probe.flush()

    def check_present(self) -> None:
        if not self._root.is_dir():
            self.check()

    def check(self) -> None:
        if not self._root.is_dir():
            raise ArtifactStoreUnavailable("The artifact folder is not there. Mount or create it, or correct its URL.")
        if not os.access(self._root, os.R_OK | os.W_OK | os.X_OK):
            raise SettingsInvalid("The artifact folder may not be used. Make it readable and writable for this user.")

    origin: str | None = None

    def signed(self, key: str, expires_s: int, answered: Mapping[str, str]) -> str | None:
        return None

    def _now(self) -> float:
        """By the clock that stamps the files: this machine's own may be anywhere."""
        with translated(writing=True), NamedTemporaryFile(prefix=".now#", dir=self._root) as stamped:
            return os.fstat(stamped.fileno()).st_mtime

    def sweep(self, older_than_s: float, known: Callable[[str], bool]) -> int:
        before, swept = self._now() - older_than_s, self.multipart.sweep(older_than_s, known)
        with translated(writing=True):
            for path in self._root.rglob("*#*"):
                if self._STAGED.fullmatch(path.name) and path.is_file() and path.stat().st_mtime < before:
                    path.unlink(missing_ok=True)
                    swept += 1
        return swept


class Bucket:
    """A bucket, or a prefix of one. Large objects are multipart uploads, which S3 shows only when complete."""

    def __init__(self, bucket: str, prefix: str, options: S3Options) -> None:
        self._bucket, self._prefix, self._options = bucket, prefix, options
        self._found = None if options.has_keys else self._clients.found
        self._objects = _s3_store(bucket, prefix, options, self._found)
        self._wrote_at = float("-inf")

    @property
    def objects(self) -> S3Store:
        """Raises: SettingsInvalid, ArtifactStoreUnavailable: There are no credentials; obstore's own word for that is
        no better than that something went wrong."""
        if self._found is not None:
            self._found.current()
        return self._objects

    @cached_property
    def _clients(self) -> "S3Clients":
        from activities.artifacts.s3_client import S3Clients

        return S3Clients(self._bucket, self._options)

    def attributes(self, media_type: str) -> "Attributes | None":
        return {"Content-Type": media_type}

    def settle(self, key: str) -> None:
        """S3 answers when the object is durable."""

    def check_room(self) -> None:
        """An object in and out, where that was not done within the last :data:`WRITTEN_EVERY_S`."""
        now = time.monotonic()
        if now - self._wrote_at < WRITTEN_EVERY_S:
            return
        with translated(writing=True):
            obstore.put(self.objects, ROOM_KEY, b"room")
            obstore.delete(self.objects, ROOM_KEY)
        self._wrote_at = now

    def check_present(self) -> None:
        """A bucket that is not there takes nothing."""

    def path(self, key: str) -> Path | None:
        return None

    @cached_property
    def multipart(self) -> Multipart:
        from activities.artifacts.s3_multipart import S3Multipart

        return S3Multipart(self._bucket, self._prefix, self._clients)

    def ensure(self) -> None:
        from activities.artifacts.s3_faults import s3_faults

        where: dict[str, object] = {}
        if self._options.endpoint is None and self._options.region != "us-east-1":
            where["CreateBucketConfiguration"] = {"LocationConstraint": self._options.region}
        try:
            with s3_faults():
                self._clients.store.create_bucket(Bucket=self._bucket, **where)
        except GuidesmithError as met:
            if met.details.get("error") not in {"BucketAlreadyOwnedByYou", "BucketAlreadyExists"}:
                raise
        self.check()

    def check(self) -> None:
        with translated():
            # A prefix that holds nothing: the cheapest request that needs the bucket and answers with a code.
            next(iter(obstore.list(self.objects, "_check")), None)

    @property
    def origin(self) -> str:
        endpoint = self._options.public_endpoint or self._options.endpoint
        parts = urlsplit(endpoint or _of_amazon(self._bucket, self._options))
        return f"{parts.scheme}://{parts.netloc}"

    def signed(self, key: str, expires_s: int, answered: Mapping[str, str]) -> str | None:
        """None where the credentials end before: an address that holds for less than is said of it is a wrong one."""
        from activities.artifacts.s3_faults import s3_faults

        if (holds_s := self._clients.holds_for(expires_s)) < min(expires_s, MAX_EXPIRES_S):
            return None
        with s3_faults():
            url = self._clients.public.generate_presigned_url(
                "get_object",
                Params={"Bucket": self._bucket, "Key": self._full(key), **answered},
                ExpiresIn=holds_s,
            )
        return str(url)

    def sweep(self, older_than_s: float, known: Callable[[str], bool]) -> int:
        return self.multipart.sweep(older_than_s, known)

    def _full(self, key: str) -> str:
        return f"{self._prefix}/{key}" if self._prefix else key


def place_of(url: str, s3: S3Options | None) -> Place:
    """The place that ``url`` names: ``file:///absolute/folder`` (created if absent) or ``s3://bucket/prefix``.

    Raises:
        SettingsInvalid: Another URL, or options that contradict it.
    """
    parts = urlsplit(url)
    if parts.scheme == "file":
        path = Path(unquote(parts.path))
        if parts.netloc not in ("", "localhost") or not path.is_absolute() or path == Path("/"):
            raise SettingsInvalid("A local artifact store is written file:///absolute/folder.")
        return Folder(path)
    if parts.scheme == "s3" and parts.netloc:
        try:
            prefix = checked_prefix(parts.path.strip("/"))
        except ArtifactKeyInvalid as met:
            raise SettingsInvalid(f"The prefix in the artifact store's URL is not valid. {met.message}") from None
        return Bucket(parts.netloc, prefix, s3 or S3Options())
    raise SettingsInvalid("The artifact store's URL is file:///absolute/folder or s3://bucket/prefix.")


def _of_amazon(bucket: str, options: S3Options) -> str:
    """Amazon's own endpoint. Said to obstore, too, which would else go where AWS_ENDPOINT_URL leads: half of our
    requests, beside the other half that Amazon's client sends."""
    host = f"s3.{options.region}.amazonaws.com"
    return f"https://{bucket}.{host}" if options.virtual_hosted else f"https://{host}"


def _s3_store(bucket: str, prefix: str, options: S3Options, found: "FoundCredentials | None") -> S3Store:
    for endpoint in (options.endpoint, options.public_endpoint):
        if endpoint is not None and urlsplit(endpoint).scheme not in ("http", "https"):
            raise SettingsInvalid("The object store's endpoint is written http(s)://host[:port].")
    if (options.endpoint or "").startswith("http://") and not options.allow_http:
        raise SettingsInvalid("The object store's endpoint is plain HTTP. Use https, or allow HTTP in the settings.")
    if bool(options.access_key_id) != bool(options.secret_access_key):
        raise SettingsInvalid("The object store's access key id and secret are set together or not at all.")
    config: S3Config = {
        "region": options.region,
        "endpoint": options.endpoint or _of_amazon(bucket, options),
        "virtual_hosted_style_request": options.virtual_hosted,
        "disable_bulk_delete": True,
    }
    if options.access_key_id and options.secret_access_key:
        config["access_key_id"] = options.access_key_id
        config["secret_access_key"] = options.secret_access_key
    if options.session_token is not None:
        config["session_token"] = options.session_token
    try:
        return S3Store(
            bucket,
            prefix=prefix or None,
            config=config,
            credential_provider=found,
            client_options={
                "allow_http": options.allow_http,
                "connect_timeout": timedelta(seconds=CONNECT_TIMEOUT_S),
                "timeout": timedelta(seconds=options.timeout_s),
            },
            retry_config={
                "max_retries": MAX_RETRIES,
                "retry_timeout": timedelta(seconds=RETRY_BUDGET_S),
                "backoff": {
                    "init_backoff": timedelta(milliseconds=100),
                    "max_backoff": timedelta(seconds=1),
                    "base": 2,
                },
            },
        )
    except (BaseError, ValueError):
        raise SettingsInvalid(
            "The object store's settings cannot be used. Check endpoint, region and bucket."
        ) from None
