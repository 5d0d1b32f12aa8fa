"""What the stores' exceptions mean, said once.

obstore raises ``FileNotFoundError`` and classes of its own whose text quotes URLs and paths; that text is read here
for the status and the store's error code, and goes no further. Sources: obstore's ``exceptions`` module and Amazon's
"List of error codes" for S3.
"""

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager

from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

from domain.errors import (
    ArtifactCorrupt,
    ArtifactMissing,
    ArtifactStoreUnavailable,
    GuidesmithError,
    SettingsInvalid,
)

_STATUS = re.compile(r"status code: (\d{3})")
_CODE = re.compile(r"<Code>([A-Za-z0-9]{1,60})</Code>")
_OS_ERROR = re.compile(r"\(os error (\d+)\)|Os \{\s*code: (\d+)")

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM}
_NAME_TAKEN = {errno.ENOTDIR, errno.EISDIR}

_OVER_HTTP = "HTTP error"
"""obstore's words for a request that got no answer; what the operating system said of the socket stands behind it."""

_RETRYABLE_STATUS = {408, 409, 425, 429}
"""Client errors that pass by themselves: slow requests, a conditional conflict, throttling."""

_PASSING_OF_ROLES = {"IDPCommunicationError", "Throttling", "ThrottlingException", "RequestLimitExceeded"}
"""Errors of Amazon's STS that pass by themselves."""

_SETTING_OF_CODE = {
    "NoSuchBucket": "The bucket does not exist. Create it, or correct the bucket in the artifact store's URL.",
    "InvalidBucketName": "The bucket's name is not valid. Correct it in the artifact store's URL.",
    "InvalidAccessKeyId": "The object store does not know the access key. Correct the access key id.",
    "SignatureDoesNotMatch": "The object store refused the signature. Correct the secret access key.",
    "RequestTimeTooSkewed": "This machine's clock differs from the object store's. Set the clock.",
    "PermanentRedirect": "The bucket lies in another region. Correct the region.",
    "AuthorizationHeaderMalformed": "The object store expects another region. Correct the region.",
}


@contextmanager
def translated(*, writing: bool = False) -> Iterator[None]:
    """Turn what a store raises inside the block into the taxonomy; everything else passes.

    Raises:
        ArtifactMissing: The object is not there (never when ``writing``).
        ArtifactCorrupt: The object ends before the bytes asked for.
        ArtifactStoreUnavailable: Network, 5xx, throttling, a full disk. Trying again may help.
        SettingsInvalid: Credentials, permission, bucket, region, endpoint. Trying again will not help.
    """
    try:
        yield
    except GuidesmithError:
        raise
    except (BaseError, OSError) as met:
        # No cause: its text names paths and URLs, and a cause travels into histories with the error.
        raise fault(met, writing=writing) from None


def fault(met: Exception, *, writing: bool = False) -> GuidesmithError:
    """The error of the taxonomy for what a store raised. See :func:`translated`."""
    text = str(met)
    status, code = _first(_STATUS, text), _first(_CODE, text)
    if code or status:
        return fault_of_answer(int(status) if status else 0, code, missing=not writing)
    if _OVER_HTTP in text:
        return unreachable()
    if isinstance(met, OSError) and met.errno is not None:
        return _fault_of_disk(met.errno, missing=not writing)
    if found := _first(_OS_ERROR, text):
        return _fault_of_disk(int(found), missing=not writing)
    if isinstance(met, FileNotFoundError) and not writing:
        return _missing()
    if "range was invalid" in text:
        return _short()
    if isinstance(met, PermissionDeniedError | UnauthenticatedError):
        return _forbidden({})
    return unreachable()


def fault_of_answer(status: int, code: str | None, *, missing: bool = True) -> GuidesmithError:
    """The error for an HTTP answer of the object store: ``status`` and the S3 error ``code``, where it had one.

    Args:
        missing: Whether a 404 speaks of the object that was asked for.
    """
    details: dict[str, object] = {"status": status, "error": code}
    if sentence := _SETTING_OF_CODE.get(code or ""):
        return SettingsInvalid(sentence, details=details)
    if code == "ExpiredToken":  # renewed by whoever gave them out, or by an operator: no job fails of it for good
        return ArtifactStoreUnavailable("The object store's credentials have expired. Renew them.", details=details)
    if status >= 500 or status in _RETRYABLE_STATUS or code in {"SlowDown", "NoSuchUpload", "InternalError"}:
        return ArtifactStoreUnavailable(
            f"The artifact store answered with a fault of its own ({status}).", details=details
        )
    if status == 416 or code == "InvalidRange":
        return _short()
    if status == 404:
        return _missing() if missing else ArtifactStoreUnavailable("The artifact store lost an object being written.")
    if status in (401, 403):
        return _forbidden(details)
    return SettingsInvalid(
        f"The object store refused the request ({status} {code or ''}). Check endpoint, region and bucket.".replace(
            " )", ")"
        ),
        details=details,
    )


def _fault_of_disk(number: int, *, missing: bool) -> GuidesmithError:
    details: dict[str, object] = {"error": errno.errorcode.get(number, str(number))}
    if number in _FULL:
        return ArtifactStoreUnavailable("The artifact store's disk is full. Free some space.", details=details)
    if number == errno.EROFS:
        return ArtifactStoreUnavailable(
            "The artifact store's disk takes no writes now. Mount it writable.", details=details
        )
    if number in _FORBIDDEN:
        return SettingsInvalid(
            "The artifact folder may not be used. Make it readable and writable for this user.", details=details
        )
    if number == errno.ENOENT and missing:
        return _missing()
    if number in _NAME_TAKEN:
        return SettingsInvalid("An artifact's key is taken by a folder, or goes through a file.", details=details)
    return ArtifactStoreUnavailable(f"The artifact store's disk answered {details['error']}.", details=details)


def unreachable() -> GuidesmithError:
    """The store gave no answer."""
    return ArtifactStoreUnavailable("The artifact store cannot be reached. Check that it runs and its endpoint.")


def _missing() -> GuidesmithError:
    return ArtifactMissing("The artifact is not in the store any more. Run the job again from an earlier checkpoint.")


def _short() -> GuidesmithError:
    return ArtifactCorrupt("The stored artifact is shorter than recorded. Run the stage that made it again.")


def _forbidden(details: dict[str, object]) -> GuidesmithError:
    return SettingsInvalid(
        "The object store refused access. Check the access key, the secret and their permissions on the bucket.",
        details=details,
    )


def no_credentials() -> GuidesmithError:
    """None were set, and none were found."""
    return SettingsInvalid(
        "No credentials for the object store were found. Set the access key id and the secret, or give this process a "
        "role that may use the bucket."
    )


def credentials_away() -> GuidesmithError:
    """They end, and whoever gives them out gives none."""
    return ArtifactStoreUnavailable(
        "Credentials for the object store cannot be had now: the service that gives them out does not answer."
    )


def role_refused(status: int, code: str | None) -> GuidesmithError:
    """Amazon's STS does not let this process be the role that it was given."""
    if status >= 500 or status == 429 or code in _PASSING_OF_ROLES:
        return credentials_away()
    return SettingsInvalid(
        f"The role for the object store is refused ({code or status}). Check AWS_ROLE_ARN, whom its trust policy "
        "names, and the token's audience.",
        details={"status": status, "error": code},
    )


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return next((each for each in found.groups() if each), None) if found else None
