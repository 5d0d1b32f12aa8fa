"""Where objects lie: a folder of this machine or a bucket of an S3-compatible store.

A place knows what the two do differently (durability, signed URLs, what a killed writer leaves behind);
``store.ArtifactStore`` is the same for both.
"""

import os
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote, urlsplit

import httpx
import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, S3Store

from activities.artifacts.faults import fault_of_answer, translated
from activities.artifacts.keys import checked_prefix
from activities.artifacts.signing import Credentials, encoded_path, signed_url
from domain.errors import ArtifactKeyInvalid, ArtifactStoreUnavailable, GuidesmithError, SettingsInvalid

if TYPE_CHECKING:
    from obstore import Attributes
    from obstore.store import S3Config

CONNECT_TIMEOUT_S = 3.0
RETRY_BUDGET_S = 8.0
"""Seconds within which a failed request may be tried again, three times in all. A stage fails soon; the workflow
retries it, and says so."""
MAX_RETRIES = 2


@dataclass(frozen=True)
class S3Options:
    """How to reach an S3-compatible store.

    Args:
        endpoint: ``http(s)://host[:port]``; None for Amazon's own. With ``virtual_hosted`` it includes the bucket.
        public_endpoint: The same store as browsers reach it, for signed URLs, where that differs from ``endpoint``.
        access_key_id: None to let the client find credentials (environment, web identity, instance role). Signed
            URLs then carry no file name, and buckets cannot be created.
        timeout_s: Seconds one request may take, its body (at most 8 MiB) included.
    """

    endpoint: str | None = None
    region: str = "us-east-1"
    access_key_id: str | None = None
    secret_access_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    allow_http: bool = False
    virtual_hosted: bool = False
    public_endpoint: str | None = None
    timeout_s: float = 20.0

    @property
    def credentials(self) -> Credentials | None:
        """The key pair, when both halves are set."""
        if not (self.access_key_id and self.secret_access_key):
            return None
        return Credentials(self.access_key_id, self.secret_access_key, self.session_token)


class Place(Protocol):
    """What differs between a folder and a bucket."""

    @property
    def objects(self) -> LocalStore | S3Store: ...

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

    def signed(self, method: str, key: str, expires_s: int, parameters: Mapping[str, str]) -> str | None:
        """A URL that needs no credentials, where the place can be reached by URL."""

    def sweep(self, older_than_s: float) -> int:
        """Remove what killed writers left behind; how many there were."""


class Folder:
    """A folder. Writers stage into ``name#N`` beside the object and rename; readers never see the staged file."""

    _STAGED = re.compile(r".+#\d+")

    def __init__(self, root: Path) -> None:
        self._root = root
        self.ensure()
        self.objects = LocalStore(root)

    def attributes(self, media_type: str) -> "Attributes | None":
        return None

    def settle(self, key: str) -> None:
        path = self._root / key
        _fsync(path)
        for folder in path.parents:
            _fsync(folder)
            if folder == self._root:
                break

    def path(self, key: str) -> Path:
        return self._root / key

    def ensure(self) -> None:
        with translated(writing=True):
            self._root.mkdir(parents=True, exist_ok=True)

    def check(self) -> None:
        if not self._root.is_dir():
            raise SettingsInvalid("The artifact folder is not there. Mount or create it, or correct its URL.")
        if not os.access(self._root, os.R_OK | os.W_OK | os.X_OK):
            raise SettingsInvalid("The artifact folder may not be used. Make it readable and writable for this user.")

    def signed(self, method: str, key: str, expires_s: int, parameters: Mapping[str, str]) -> str | None:
        return None

    def sweep(self, older_than_s: float) -> int:
        before, swept = time.time() - older_than_s, 0
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
        self.objects = _s3_store(bucket, prefix, options)

    def attributes(self, media_type: str) -> "Attributes | None":
        return {"Content-Type": media_type}

    def settle(self, key: str) -> None:
        """S3 answers when the object is durable."""

    def path(self, key: str) -> Path | None:
        return None

    def ensure(self) -> None:
        body = ""
        if self._options.endpoint is None and self._options.region != "us-east-1":
            region = self._options.region
            body = (
                "<CreateBucketConfiguration><LocationConstraint>"
                f"{region}</LocationConstraint></CreateBucketConfiguration>"
            )
        try:
            self._request("PUT", "", {}, content=body.encode())
        except GuidesmithError as met:
            if met.details.get("error") not in {"BucketAlreadyOwnedByYou", "BucketAlreadyExists"}:
                raise
        self.check()

    def check(self) -> None:
        with translated():
            # A prefix that holds nothing: the cheapest request that needs the bucket and answers with a code.
            next(iter(obstore.list(self.objects, "_check")), None)

    def signed(self, method: str, key: str, expires_s: int, parameters: Mapping[str, str]) -> str | None:
        endpoint = self._options.public_endpoint or self._options.endpoint
        if (credentials := self._options.credentials) is not None:
            return self._signed(credentials, method, endpoint, self._full(key), expires_s, parameters)
        with translated():
            return obstore.sign(self.objects, "PUT" if method == "PUT" else "GET", key, timedelta(seconds=expires_s))

    def sweep(self, older_than_s: float) -> int:
        if self._options.credentials is None:
            return 0
        before, swept = datetime.now(UTC) - timedelta(seconds=older_than_s), 0
        for key, upload_id, initiated in list(self._unfinished()):
            if initiated < before:
                self._request("DELETE", key, {"uploadId": upload_id})
                swept += 1
        return swept

    def _unfinished(self) -> Iterator[tuple[str, str, datetime]]:
        markers: dict[str, str] = {}
        prefix = f"{self._prefix}/" if self._prefix else ""
        while True:
            page = self._request("GET", "", {"uploads": "", "prefix": prefix, **markers})
            for upload in re.findall(r"<Upload>(.*?)</Upload>", page, re.DOTALL):
                yield _tag(upload, "Key"), _tag(upload, "UploadId"), datetime.fromisoformat(_tag(upload, "Initiated"))
            if _tag(page, "IsTruncated") != "true":
                return
            markers = {
                "key-marker": _tag(page, "NextKeyMarker"),
                "upload-id-marker": _tag(page, "NextUploadIdMarker"),
            }

    def _request(self, method: str, full_key: str, parameters: Mapping[str, str], content: bytes = b"") -> str:
        """Send what obstore cannot. ``full_key`` counts from the bucket.

        Raises:
            ArtifactStoreUnavailable, SettingsInvalid: As :func:`activities.artifacts.faults.fault_of_answer`.
        """
        if (credentials := self._options.credentials) is None:
            raise SettingsInvalid("This needs the object store's access key id and secret in the settings.")
        url = self._signed(credentials, method, self._options.endpoint, full_key, 60, parameters)
        timeout = httpx.Timeout(self._options.timeout_s, connect=CONNECT_TIMEOUT_S)
        try:
            answer = httpx.request(method, url, content=content, timeout=timeout)
        except httpx.HTTPError:
            raise ArtifactStoreUnavailable(
                "The artifact store cannot be reached. Check that it runs and its endpoint."
            ) from None
        if answer.is_success:
            return answer.text
        raise fault_of_answer(answer.status_code, _tag(answer.text, "Code") or None, missing=False)

    def _signed(
        self,
        credentials: Credentials,
        method: str,
        endpoint: str | None,
        full_key: str,
        expires_s: int,
        parameters: Mapping[str, str],
    ) -> str:
        return signed_url(
            method,
            self._url(endpoint, full_key),
            region=self._options.region,
            credentials=credentials,
            expires_s=expires_s,
            now=datetime.now(UTC),
            parameters=parameters,
        )

    def _url(self, endpoint: str | None, full_key: str) -> str:
        path = encoded_path(full_key)
        if self._options.virtual_hosted:
            base = endpoint or f"https://{self._bucket}.s3.{self._options.region}.amazonaws.com"
            return f"{base.rstrip('/')}/{path}"
        base = endpoint or f"https://s3.{self._options.region}.amazonaws.com"
        return f"{base.rstrip('/')}/{self._bucket}/{path}".removesuffix("/")

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


def _s3_store(bucket: str, prefix: str, options: S3Options) -> S3Store:
    for endpoint in (options.endpoint, options.public_endpoint):
        if endpoint is not None and urlsplit(endpoint).scheme not in ("http", "https"):
            raise SettingsInvalid("The object store's endpoint is written http(s)://host[:port].")
    if (options.endpoint or "").startswith("http://") and not options.allow_http:
        raise SettingsInvalid("The object store's endpoint is plain HTTP. Use https, or allow HTTP in the settings.")
    if bool(options.access_key_id) != bool(options.secret_access_key):
        raise SettingsInvalid("The object store's access key id and secret are set together or not at all.")
    config: S3Config = {
        "region": options.region,
        "virtual_hosted_style_request": options.virtual_hosted,
        "disable_bulk_delete": True,
    }
    if options.endpoint is not None:
        config["endpoint"] = options.endpoint
    if options.credentials is not None:
        config["access_key_id"] = options.credentials.access_key_id
        config["secret_access_key"] = options.credentials.secret_access_key
    if options.session_token is not None:
        config["session_token"] = options.session_token
    try:
        return S3Store(
            bucket,
            prefix=prefix or None,
            config=config,
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


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _tag(text: str, name: str) -> str:
    found = re.search(rf"<{name}>([^<]*)</{name}>", text)
    return found.group(1) if found else ""
