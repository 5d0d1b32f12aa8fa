"""Secrets of users as they lie in the database: sealed with a key that does not.

A sealed secret is ``sealed:`` and a JWE (RFC 7516, ``dir`` with ``A256GCM``), whose header names its key. One from
before there was a key is read as it is.
"""

import base64
import hashlib
import json
from collections.abc import Sequence

from joserfc import jwe
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from domain.errors import SettingsInvalid

MARK = "sealed:"
ALGORITHMS = ["dir", "A256GCM"]


class Sealing:
    """Encrypts secrets, and decrypts them.

    Args:
        keys: Texts of enough randomness. The first seals; the others open what it did before it was replaced. None at
            all: what is kept is kept as it is.
    """

    def __init__(self, keys: Sequence[str] = ()) -> None:
        self._keys = {_name(each): OctKey.import_key(_key(each)) for each in keys}
        self._first = next(iter(self._keys), None)

    @property
    def has_key(self) -> bool:
        """Whether there is a key."""
        return self._first is not None

    def is_due(self, stored: str) -> bool:
        """Whether ``stored`` would be sealed otherwise now: it lies in clear, or under a key that was replaced."""
        return self._first is not None and (not stored.startswith(MARK) or self._named(stored) != self._first)

    def sealed(self, secret: str) -> str:
        """As it is kept."""
        if self._first is None:
            return secret
        header = {"alg": "dir", "enc": "A256GCM", "kid": self._first}
        return MARK + jwe.encrypt_compact(header, secret, self._keys[self._first], algorithms=ALGORITHMS)

    def opened(self, stored: str) -> str:
        """What ``stored`` was made of.

        Raises:
            SettingsInvalid: Its key is not here.
        """
        if not stored.startswith(MARK):
            return stored
        key = self._keys.get(self._named(stored) or "")
        if key is None:
            raise SettingsInvalid(
                "A secret in the database is sealed with a key that is not set: give GUIDESMITH_SECRETS_KEY the one it "
                "was sealed with, too (after a comma)."
            )
        try:
            plain = jwe.decrypt_compact(stored.removeprefix(MARK), key, algorithms=ALGORITHMS).plaintext
        except (JoseError, ValueError):
            raise SettingsInvalid("A sealed secret in the database is damaged.") from None
        return (plain or b"").decode()

    @staticmethod
    def _named(stored: str) -> str | None:
        head = stored.removeprefix(MARK).partition(".")[0]
        try:
            header = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
            return str(header["kid"])
        except (ValueError, TypeError, KeyError):
            return None


def _key(text: str) -> bytes:
    return hashlib.sha256(b"guidesmith secrets in the database" + text.encode()).digest()


def _name(text: str) -> str:
    """What a header calls a key, which tells nothing of it."""
    return hashlib.sha256(b"guidesmith name of a key" + _key(text)).hexdigest()[:16]
