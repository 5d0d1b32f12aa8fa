"""What an object may be called, and the URI by which the rest of the world knows it."""

import re

from domain.errors import ArtifactKeyInvalid

KEY_LIMIT = 512
"""Characters of a key: the width of the column that keeps it (``domain.artifacts.Blob``)."""

SEGMENT_LIMIT = 200
"""Characters between two slashes: file systems allow 255 bytes, a file being written carries a suffix."""

SCHEME = "artifact://"

_SEGMENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.=+@-]*")
"""Plain ASCII, no leading dot or dash: the same object name in a folder, in S3, in a URL and in a shell."""


def checked_key(key: str) -> str:
    """``key``, when it is one: ASCII segments of letters, digits and ``_.=+@-`` divided by single slashes.

    Raises:
        ArtifactKeyInvalid: Empty, absolute, climbing (``..``), too long, or with a character that some store or
            file system reads in its own way.
    """
    if not 0 < len(key) <= KEY_LIMIT:
        raise ArtifactKeyInvalid(f"An artifact key has 1 to {KEY_LIMIT} characters.")
    for segment in key.split("/"):
        if len(segment) > SEGMENT_LIMIT or not _SEGMENT.fullmatch(segment):
            raise ArtifactKeyInvalid(
                f"Each part of an artifact key has 1 to {SEGMENT_LIMIT} letters, digits or '_.=+@-' and begins with "
                "a letter, a digit or '_'."
            )
    return key


def checked_prefix(prefix: str) -> str:
    """The folder ``prefix`` without its closing slash; empty for the whole store.

    Raises:
        ArtifactKeyInvalid: See :func:`checked_key`.
    """
    return checked_key(prefix.removesuffix("/")) if prefix else ""


def uri_of(key: str) -> str:
    """The public name of the object ``key``: it stays when the store moves, and tells nothing of where it lies."""
    return SCHEME + checked_key(key)


def key_of(uri: str) -> str:
    """The key inside an artifact URI.

    Raises:
        ArtifactKeyInvalid: Not an ``artifact://`` URI, or not with a valid key.
    """
    if not uri.startswith(SCHEME):
        raise ArtifactKeyInvalid(f"An artifact URI begins with {SCHEME}.")
    return checked_key(uri.removeprefix(SCHEME))
