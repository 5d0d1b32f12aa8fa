"""Amazon's own client, for what obstore cannot ask of S3: the calls of a multipart upload, and making a bucket.

Imported only where it is needed: it takes a while to load.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import botocore.session
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    HTTPClientError,
    NoCredentialsError,
    PartialCredentialsError,
)
from botocore.exceptions import ConnectionError as NoConnection

from activities.artifacts.faults import fault_of_answer, no_credentials, unreachable
from activities.artifacts.options import CONNECT_TIMEOUT_S, MAX_RETRIES, S3Options
from domain.errors import SettingsInvalid

CONNECTIONS = 64


def s3_client(bucket: str, options: S3Options, *, public: bool = False) -> Any:
    """A client of the store that ``options`` describe; with ``public`` one that signs URLs for browsers.

    Without a key pair in ``options`` it finds credentials as Amazon's tools do, and renews them.

    Raises:
        SettingsInvalid: The environment names a profile or a file that cannot be used.
    """
    endpoint = (options.public_endpoint if public else None) or options.endpoint
    with s3_faults():
        return botocore.session.Session().create_client(
            "s3",
            region_name=options.region,
            endpoint_url=_without_bucket(endpoint, bucket) if options.virtual_hosted else endpoint,
            aws_access_key_id=options.access_key_id,
            aws_secret_access_key=options.secret_access_key,
            aws_session_token=options.session_token,
            config=Config(
                signature_version="s3v4",
                s3={"addressing_style": "virtual" if options.virtual_hosted else "path"},
                connect_timeout=CONNECT_TIMEOUT_S,
                read_timeout=options.timeout_s,
                retries={"mode": "standard", "total_max_attempts": MAX_RETRIES + 1},
                max_pool_connections=CONNECTIONS,
                # only Amazon's own store is sure to know the newer checksums; ours are SHA-256 and kept with the row
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
                ignore_configured_endpoint_urls=True,
            ),
        )


@contextmanager
def s3_faults() -> Iterator[None]:
    """Turn what the client raises inside the block into the taxonomy; see :mod:`activities.artifacts.faults`."""
    try:
        yield
    except ClientError as met:
        status = int(met.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
        raise fault_of_answer(status, error_code(met), missing=False) from None
    except (NoCredentialsError, PartialCredentialsError):
        raise no_credentials() from None
    except (HTTPClientError, NoConnection):
        raise unreachable() from None
    except (BotoCoreError, ValueError):
        raise SettingsInvalid(
            "The object store's settings cannot be used. Check endpoint, region, bucket and credentials."
        ) from None


def error_code(met: ClientError) -> str | None:
    """S3's name for the error, where the answer had one; a bare status is no name."""
    code = str(met.response.get("Error", {}).get("Code", ""))
    return code if code and not code.isdigit() else None


def _without_bucket(endpoint: str | None, bucket: str) -> str | None:
    """Our endpoint of a virtual-hosted bucket includes the bucket; the client's does not."""
    if endpoint is None:
        return None
    parts = urlsplit(endpoint)
    return f"{parts.scheme}://{parts.netloc.removeprefix(f'{bucket}.')}"
