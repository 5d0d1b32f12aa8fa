"""What Amazon's own client raises, in the words of the taxonomy.

Imported only where it is needed: botocore takes a while to load.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    HTTPClientError,
    MetadataRetrievalError,
    NoCredentialsError,
    PartialCredentialsError,
)
from botocore.exceptions import ConnectionError as NoConnection
from botocore.parsers import ResponseParserError

from activities.artifacts.faults import credentials_away, fault_of_answer, no_credentials, role_refused, unreachable
from domain.errors import SettingsInvalid

_ROLES = frozenset({"AssumeRole", "AssumeRoleWithWebIdentity"})
"""Calls to Amazon's STS, which botocore makes by itself, between ours to the store."""


@contextmanager
def s3_faults() -> Iterator[None]:
    """Turn what the client raises inside the block into the taxonomy; see :mod:`activities.artifacts.faults`."""
    try:
        yield
    except ClientError as met:
        status = int(met.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
        if met.operation_name in _ROLES:
            raise role_refused(status, error_code(met)) from None
        raise fault_of_answer(status, error_code(met), missing=False) from None
    except (CredentialRetrievalError, MetadataRetrievalError):
        raise credentials_away() from None
    except (NoCredentialsError, PartialCredentialsError):
        raise no_credentials() from None
    except (HTTPClientError, NoConnection, ResponseParserError):  # or something that is no S3 answers
        raise unreachable() from None
    except (BotoCoreError, ValueError):
        raise SettingsInvalid(
            "The object store's settings cannot be used. Check endpoint, region, bucket and credentials."
        ) from None


def error_code(met: ClientError) -> str | None:
    """S3's name for the error, where the answer had one; a bare status is no name."""
    code = str(met.response.get("Error", {}).get("Code", ""))
    return code if code and not code.isdigit() else None
