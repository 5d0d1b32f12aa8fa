"""Whose name requests are signed in where the settings have no key pair: what Amazon's own tools find (environment,
profile, web identity of a pod, pod identity, container, instance), renewed before it ends.

One for whatever speaks to a bucket: obstore's own search is another, which knows no profiles and tells nobody what it
found, so that nothing could be signed with it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import botocore.session
from botocore.credentials import ReadOnlyCredentials, RefreshableCredentials

from activities.artifacts.faults import credentials_away, no_credentials
from activities.artifacts.s3_faults import s3_faults
from domain.errors import GuidesmithError, SettingsInvalid

if TYPE_CHECKING:
    from obstore.store import S3Credential

KEPT = timedelta(minutes=10)
"""What botocore hands out lasts so long at least: it waits for new ones before fewer minutes are left."""


MACHINE, UNSURE_S = "iam-role", 25 * 60
"""Where an instance's own are about to end, botocore takes it that they last 17 to 25 minutes more, whatever they say
(``InstanceMetadataFetcher``): when they really end is known before that only."""


class FoundCredentials:
    """Credentials of this process. Safe to use from many threads; nothing is looked for before it is needed."""

    def __init__(self) -> None:
        with s3_faults():
            self.session = botocore.session.Session()

    def current(self) -> ReadOnlyCredentials:
        """What to sign with now. Asks whoever gives them out only when they are about to end.

        Raises:
            SettingsInvalid: There are none, or the role is refused.
            ArtifactStoreUnavailable: Whoever gives them out does not answer.
        """
        with _finding():
            found = self.session.get_credentials()
            frozen = None if found is None else found.get_frozen_credentials()
        if frozen is None:
            raise no_credentials()
        return frozen

    def last(self, seconds: int) -> bool:
        """Whether what is signed now holds for so long. It does not where nothing can be signed."""
        try:
            self.current()
        except GuidesmithError:
            return False
        found = self.session.get_credentials()
        if not isinstance(found, RefreshableCredentials):
            return True
        return not found.refresh_needed(max(seconds, UNSURE_S) if found.method == MACHINE else seconds)

    def __call__(self) -> "S3Credential":
        """As obstore asks for them."""
        frozen = self.current()
        return {
            "access_key_id": frozen.access_key,
            "secret_access_key": frozen.secret_key,
            "token": frozen.token,
            "expires_at": datetime.now(UTC) + KEPT,
        }


@contextmanager
def _finding() -> Iterator[None]:
    try:
        with s3_faults():
            yield
    except (FileNotFoundError, PermissionError):
        raise SettingsInvalid(
            "The token of this process's role cannot be read. Correct AWS_WEB_IDENTITY_TOKEN_FILE or "
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE."
        ) from None
    except (KeyError, RuntimeError):  # an answer that lacks something; what was renewed has ended already
        raise credentials_away() from None
