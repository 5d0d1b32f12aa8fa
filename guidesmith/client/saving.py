"""A file of an answer, which appears whole or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

import httpx

from guidesmith.client.errors import Unreachable


@contextmanager
def appearing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which replaces ``path`` once the block has ended well.

    Raises:
        Unreachable: What was read meanwhile broke off. OSError: The file cannot be written.
    """
    part = path.with_name(f".{uuid4().hex}.part")  # not longer than the shortest limit of any file system
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    except httpx.TransportError as broken:
        raise Unreachable("The download broke off.") from broken
    finally:
        part.unlink(missing_ok=True)
