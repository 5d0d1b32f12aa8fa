"""Amazon's own client, for what obstore cannot ask of S3: the calls of a multipart upload, making a bucket, and signed
addresses that say how an object is to be shown.

Imported only where it is needed: it takes a while to load.
"""

from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import botocore.session
from botocore.config import Config

from activities.artifacts.credentials import FoundCredentials
from activities.artifacts.options import CONNECT_TIMEOUT_S, MAX_EXPIRES_S, MAX_RETRIES, S3Options
from activities.artifacts.s3_faults import s3_faults

CONNECTIONS = 64

SPANS_S = (6 * 3600, 3600, 1800, 900, 600, 300)
"""How long something is signed for where what it is signed with ends sooner than was wanted."""


class S3Clients:
    """Clients of the store that ``options`` describe. Without a key pair in them, all sign with what is found.

    Raises:
        SettingsInvalid: The environment names a profile or a file that cannot be used.
    """

    def __init__(self, bucket: str, options: S3Options) -> None:
        self._bucket, self._options = bucket, options
        self.found = None if options.has_keys else FoundCredentials()

    @cached_property
    def store(self) -> Any:
        """The store as this process reaches it."""
        return self._client(self._options.endpoint)

    @cached_property
    def public(self) -> Any:
        """The store as browsers reach it: for what is signed."""
        return self._client(self._options.public_endpoint or self._options.endpoint)

    def holds_for(self, wanted_s: int) -> int:
        """For how many of the wanted seconds what is signed now holds: a signature ends with the credentials that it
        was made with. 0: nothing can be signed."""
        wanted_s = min(max(wanted_s, 1), MAX_EXPIRES_S)
        if self.found is None:
            return wanted_s
        spans = (wanted_s, *(each for each in SPANS_S if each < wanted_s))
        return next((each for each in spans if self.found.last(each)), 0)

    def _client(self, endpoint: str | None) -> Any:
        if self.found is not None:
            self.found.current()  # a client that was made without credentials never asks for them again
        with s3_faults():
            return (self.found.session if self.found else botocore.session.Session()).create_client(
                "s3",
                region_name=self._options.region,
                endpoint_url=_without_bucket(endpoint, self._bucket) if self._options.virtual_hosted else endpoint,
                aws_access_key_id=self._options.access_key_id,
                aws_secret_access_key=self._options.secret_access_key,
                aws_session_token=self._options.session_token,
                config=Config(
                    signature_version="s3v4",
                    s3={"addressing_style": "virtual" if self._options.virtual_hosted else "path"},
                    connect_timeout=CONNECT_TIMEOUT_S,
                    read_timeout=self._options.timeout_s,
                    retries={"mode": "standard", "total_max_attempts": MAX_RETRIES + 1},
                    max_pool_connections=CONNECTIONS,
                    # only Amazon's own store is sure to know the newer checksums; ours are kept with the row
                    request_checksum_calculation="when_required",
                    response_checksum_validation="when_required",
                    ignore_configured_endpoint_urls=True,
                ),
            )


def _without_bucket(endpoint: str | None, bucket: str) -> str | None:
    """Our endpoint of a virtual-hosted bucket includes the bucket; the client's does not."""
    if endpoint is None:
        return None
    parts = urlsplit(endpoint)
    return f"{parts.scheme}://{parts.netloc.removeprefix(f'{bucket}.')}"
