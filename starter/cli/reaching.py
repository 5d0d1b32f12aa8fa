"""The API for one command of a group, and the one sentence that says where what it did not find is listed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from domain.errors import NotFound

if TYPE_CHECKING:
    from starter.cli.client import Client


@contextmanager
def reached(data_dir: Path | None, absent: str, *, as_admin: bool = False) -> Iterator["Client"]:
    """A client of the API that is named, or runs on the data folder.

    Args:
        absent: What is said of something that is absent or somebody else's.
        as_admin: With an administrator's token, where one is issued here.

    Raises:
        NotFound: With ``absent``. Refused, Unreachable: The API said no, or nothing.
    """
    from starter.cli.client import Client, Refused
    from starter.cli.connection import ADMIN, EDITOR, connected

    role = ADMIN if as_admin else EDITOR
    with connected(data_dir, start=False, role=role) as connection, Client(connection) as client:
        try:
            yield client
        except Refused as refused:
            if refused.code == NotFound.code:
                raise NotFound(absent) from None
            raise
