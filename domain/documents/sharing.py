"""Links that show a guide to whoever holds them: what one may be, and when it opens.

A link is a secret: only its SHA-256 is kept. What it shows is one export, chosen by the guide's owner, so that nobody
reads a half-written page, and what was blurred is blurred for every reader.
"""

import base64
import hashlib
import hmac
import re
import secrets
from datetime import datetime, timedelta

from domain.errors import RequestInvalid
from domain.jobs import Frozen

LONGEST = timedelta(days=3650)
LINKS_LIMIT = 50
"""Links of one guide that may be open at once."""

EMBEDDERS_LIMIT = 10
PASSPHRASE_LENGTHS = range(8, 201)
"""Characters (NIST SP 800-63B, 5.1.1.2: at least 8)."""

_SCRYPT = {"n": 2**14, "r": 8, "p": 1}
"""16 MiB and some 50 ms a try (RFC 7914's interactive parameters)."""

_ORIGIN = re.compile(
    r"(?:https://|http://(?=localhost(?::|$)))[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*"
    r"(?::[1-9][0-9]{0,4})?"
)


class Share(Frozen):
    """A link to a guide.

    Args:
        name: What its owner calls it.
        export_id: What is shown, once it has succeeded.
        previous_export_id: What is shown until then.
        passphrase_hash: As :func:`hashed` made it; ``None``: the link alone opens it.
        recording: Whether the recording may be watched, too.
        embed_origins: Sites that may show the guide within a page of theirs.
        views: How often the guide was opened by it.
        created_by: Who made it; ``None``: an earlier version of guidesmith, which did not note it.
        updated_by: Who last had it show another version; ``None``: nobody has.
        revoked_by: Who revoked it; ``None``: nobody did, or what it led to was erased.
    """

    id: str
    instruction_id: str
    job_id: str
    owner: str
    name: str | None = None
    export_id: str
    previous_export_id: str | None = None
    passphrase_hash: str | None = None
    recording: bool = False
    embed_origins: tuple[str, ...] = ()
    views: int = 0
    last_viewed_at: datetime | None = None
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    created_by: str | None = None
    updated_by: str | None = None
    revoked_by: str | None = None

    def is_open(self, now: datetime) -> bool:
        """Whether it leads anywhere at ``now``."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


def token_of(share_id: str, key: bytes) -> str:
    """A link's secret, as it stands in its address: of 256 bits, made of its id and a key that no database has, so that
    whoever asks for the same link twice is told the same without it being kept."""
    made = hmac.new(key, share_id.encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(made).decode().rstrip("=")


def fingerprint(token: str) -> str:
    """What is kept of a secret: its SHA-256, 64 hexadecimal digits."""
    return hashlib.sha256(token.encode()).hexdigest()


def hashed(passphrase: str) -> str:
    """What is kept of a passphrase: ``scrypt$salt$hash``, hexadecimal. Takes 50 ms."""
    salt = secrets.token_bytes(16)
    return f"scrypt${salt.hex()}${hashlib.scrypt(passphrase.encode(), salt=salt, **_SCRYPT).hex()}"


def opens(passphrase: str, kept: str) -> bool:
    """Whether it is the passphrase that ``kept`` was made of. Takes 50 ms."""
    if len(passphrase) not in PASSPHRASE_LENGTHS:
        return False
    _, salt, wanted = kept.split("$")
    found = hashlib.scrypt(passphrase.encode(), salt=bytes.fromhex(salt), **_SCRYPT).hex()
    return hmac.compare_digest(found, wanted)


def check_share(
    *, passphrase: str | None, embed_origins: tuple[str, ...], expires_at: datetime | None, now: datetime
) -> None:
    """Raises: RequestInvalid: No link may be like that; the message says why."""
    if expires_at is not None and not now < expires_at <= now + LONGEST:
        raise RequestInvalid("A link ends in the future, and within ten years.", field="expires_at")
    if passphrase is not None and len(passphrase) not in PASSPHRASE_LENGTHS:
        raise RequestInvalid("A passphrase has 8 to 200 characters.", field="passphrase")
    if len(embed_origins) > EMBEDDERS_LIMIT or not all(map(_ORIGIN.fullmatch, embed_origins)):
        raise RequestInvalid(
            f"Sites that may embed the guide are at most {EMBEDDERS_LIMIT} origins in lower case, as "
            "https://wiki.example.org, without a path.",
            field="embed_origins",
        )
    if embed_origins and passphrase is not None:
        # browsers keep a session in a foreign frame from being remembered: it would ask for ever
        raise RequestInvalid("A guide that others embed cannot ask for a passphrase.", field="passphrase")
