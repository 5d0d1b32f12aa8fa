"""Whether an artifact's URI leads into our own store, and to which object of it."""

from urllib.parse import unquote

from activities.artifacts.keys import SCHEME, checked_key


class Locator:
    """Knows the store by its URL and nothing else: it asks nobody and opens nothing.

    Args:
        root: The store's URL: ``file:///absolute/folder`` or ``s3://bucket/prefix``.
    """

    def __init__(self, root: str) -> None:
        self._root = _plain(root).rstrip("/") + "/"

    def key_of(self, uri: str) -> str | None:
        """The key of the object at ``uri``: ``artifact://KEY``, or the store's own URL and the key. ``None``: it lies
        elsewhere, where we do not go.

        Raises:
            ArtifactKeyInvalid: It names our store, and a place that no object of ours can have (``..``, blanks).
        """
        if uri.startswith(SCHEME):
            return checked_key(uri.removeprefix(SCHEME))
        plain = _plain(uri)
        if not plain.startswith(self._root):
            return None
        return checked_key(plain.removeprefix(self._root))


def _plain(uri: str) -> str:
    """Decoded where it is a file's: paths are written with escapes in URIs, S3's keys are not."""
    return unquote(uri) if uri.startswith("file://") else uri
