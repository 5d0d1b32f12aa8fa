"""Invitations to projects: made with a secret that is not kept, and used by who has it."""

import hashlib
import hmac
from collections.abc import Callable
from datetime import datetime
from functools import partial

from activities.store import Store
from activities.store.repository import new_uuid7
from domain.documents.sharing import fingerprint
from domain.projects import Invitation, InvitationFor, ProjectRole, invitation_token


class InvitationService:
    """Makes invitations, and lets people in. Blocking: call it in threads.

    Args:
        secret: The API's own, from which the key of the invitations' secrets is derived.
    """

    def __init__(self, store: Store, secret: str) -> None:
        self._store = store
        self._key = hmac.new(secret.encode(), b"guidesmith invitations", hashlib.sha256).digest()

    def prepare(
        self,
        owner: str,
        project_id: str,
        role: ProjectRole,
        *,
        email: str | None = None,
        expires_at: datetime | None = None,
    ) -> Callable[[], Invitation]:
        """What makes an invitation, in one short transaction."""
        invitation_id = new_uuid7()
        token = fingerprint(self.token(invitation_id))
        return partial(
            self._store.invite,
            owner,
            project_id,
            role,
            token,
            invitation_id=invitation_id,
            email=email,
            expires_at=expires_at,
        )

    def token(self, invitation_id: str) -> str:
        """The secret of an invitation that is made."""
        return invitation_token(invitation_id, self._key)

    def find(self, token: str) -> InvitationFor:
        """The open invitation of that secret. Raises: NotFound: absent, used, taken back or expired."""
        return self._store.find_invitation(fingerprint(token))

    def let_in_known(self, email: str | None) -> None:
        """Let in at once who was invited by an address that they have signed in with before."""
        if email is not None:
            for person in self._store.people_with_email(email)[:1]:
                self._store.accept_invitations_for(person.subject, email)

    def accept(self, subject: str, token: str) -> str:
        """Let somebody in; the project's id. Raises: as :meth:`Store.accept_invitation`."""
        person = self._store.person(subject)
        email = person.email if person is not None and person.email_verified else None
        return self._store.accept_invitation(subject, fingerprint(token), email=email)
