"""ZIP files that depend on nothing but what is in them: no clock, no machine, no order of a folder."""

import io
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime

EARLIEST = datetime(1980, 1, 1, tzinfo=UTC)
"""What ZIP counts from, and the date of whatever has none."""
LATEST_YEAR = 2107

ALREADY_COMPRESSED = (".png", ".jpg", ".jpeg")


def zipped(members: Iterable[tuple[str, bytes]], date: datetime | None, *, packed: bool = True) -> bytes:
    """A ZIP with the members in the given order, each dated ``date`` (UTC).

    Args:
        packed: What is not compressed already is. Otherwise every member stands in it as it is.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members:
            info = zipfile.ZipInfo(name, _stamp(date))
            info.external_attr = 0o644 << 16
            info.create_system = 3
            stored = not packed or name.endswith(ALREADY_COMPRESSED)
            archive.writestr(info, data, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)
    return out.getvalue()


def redated(data: bytes, date: datetime | None) -> bytes:
    """The same ZIP with every member dated ``date``."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return zipped([(name, archive.read(name)) for name in archive.namelist()], date)


def _stamp(date: datetime | None) -> tuple[int, int, int, int, int, int]:
    when = max(date.astimezone(UTC), EARLIEST) if date else EARLIEST
    if when.year > LATEST_YEAR:
        when = when.replace(year=LATEST_YEAR)
    return (when.year, when.month, when.day, when.hour, when.minute, when.second)
