"""What the bundler has made for the browser (``static/``): found by its source's name, sent with its content's.

A file's name changes with what is in it, so a browser may keep it for ever.
"""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response

from domain.errors import NotFound, SettingsInvalid

FOLDER = Path(__file__).parents[1] / "static"
ADDRESS = "/static/"
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".txt": "text/plain",
}
FOR_EVER = "public, max-age=31536000, immutable"


class Built(NamedTuple):
    """A built file's address, and those of the modules that it loads at once."""

    address: str
    imports: tuple[str, ...]


@cache
def _manifest(_changed: float) -> dict[str, Built]:
    entries = json.loads((FOLDER / "manifest.json").read_text("utf-8"))
    return {
        name: Built(ADDRESS + entry["file"], tuple(ADDRESS + each for each in entry["imports"]))
        for name, entry in entries.items()
    }


def built(name: str) -> Built:
    """The built form of ``name``, a source's path from ``starter/pages``.

    Raises:
        SettingsInvalid: The pages were not built: this is a checkout that was never installed.
    """
    try:
        return _manifest((FOLDER / "manifest.json").stat().st_mtime)[name]
    except (OSError, KeyError):
        raise SettingsInvalid("The pages are not built. Run `make setup`, or `python hatch_build.py`.") from None


def send(name: str, headers: Headers) -> Response:
    """The file ``name``, packed for who can unpack it.

    Raises:
        NotFound: There is none.
    """
    path = FOLDER / name
    kind = TYPES.get(path.suffix)
    if kind is None or path.parent != FOLDER or not path.is_file():
        raise NotFound
    kept = {"Cache-Control": FOR_EVER, "Vary": "Accept-Encoding"}
    packed = path.with_name(f"{name}.gz")
    if "gzip" in headers.get("accept-encoding", "") and packed.is_file():
        return FileResponse(packed, media_type=kind, headers={**kept, "Content-Encoding": "gzip"})
    return FileResponse(path, media_type=kind, headers=kept)
