"""How an S3-compatible store is reached."""

from dataclasses import dataclass, field

CONNECT_TIMEOUT_S = 3.0
RETRY_BUDGET_S = 8.0
"""Seconds within which a failed request may be tried again, three times in all. A stage fails soon; the workflow
retries it, and says so."""
MAX_RETRIES = 2
MAX_EXPIRES_S = 7 * 24 * 3600
"""Seconds a signed address may live at most: the protocol's own limit (AWS Signature Version 4)."""


@dataclass(frozen=True)
class S3Options:
    """How to reach an S3-compatible store.

    Args:
        endpoint: ``http(s)://host[:port]``; None for Amazon's own. With ``virtual_hosted`` it includes the bucket.
        public_endpoint: The same store as browsers reach it, for signed URLs, where that differs from ``endpoint``.
        access_key_id: None to let credentials be found (:mod:`activities.artifacts.credentials`).
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
    def has_keys(self) -> bool:
        """Whether there is a key pair."""
        return bool(self.access_key_id and self.secret_access_key)
