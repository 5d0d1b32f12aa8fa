"""Opening pictures apart from the process that holds the keys, as recordings are decoded: strangers' and providers'.

Whoever takes a picture in lets it be opened here first, and drawing, which decodes it again, is done here as well. What
exports decode was taken in so, and is the same bytes still.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import BoundedSemaphore
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from activities.confined.outside import Bounds, Died, Overran, answer, made_bytes, places
from activities.pictures.formats import refuse
from activities.pictures.opening import PictureFacts
from domain.documents.annotations import Operation, operation_list
from domain.documents.brand import LOGO_BYTES, Ground, Logo
from domain.errors import UploadInvalid

OPENER = Path(__file__).with_name("opener.py")
LOADS = ("activities.pictures.opening", "activities.pictures.drawing")

LARGEST_MADE = 192 << 20
"""Bytes of a file that is made: a PNG of 40 million pixels of noise has 120 MB, and more than is kept is refused by
whoever stores it."""

BOUNDS = Bounds(
    wall_s=120.0,
    cpu_s=60,
    memory_bytes=1536 << 20,
    file_bytes=LARGEST_MADE,
    folder_bytes=2 * LARGEST_MADE,
    open_files=64,
)
"""Of one picture. The largest that are taken, 40 million pixels, held 0.33 GB (progressive JPEG) and 0.68 GB (WebP)."""

SVG_BEGINS_WITHIN = 4096
"""Bytes in which an SVG says that it is one."""

TRIES = 2
"""A process may die since the machine is short of memory. Of the second one the picture is to blame."""

_OPENED = BoundedSemaphore(2)
"""Pictures that a process has opened at once: what bounds their memory, whoever asks."""
_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "MALLOC_ARENA_MAX": "2", "OPENBLAS_NUM_THREADS": "1"}
_MADE = "made"
_FACTS = TypeAdapter(PictureFacts)
_SIZE = TypeAdapter(tuple[int, int])
_LOGO = TypeAdapter(tuple[int, int, Ground])
_T = TypeVar("_T")


def inspect_picture(data: bytes) -> PictureFacts:
    """See ``activities.pictures.opening``. ``details.mismatch`` may be ``decoding``, too: it takes too much.

    Raises:
        UploadInvalid: See there.
    """
    return _opened(data, {"work": "inspect"}, lambda report, _: _FACTS.validate_python(report))


def made_small(data: bytes, side: int) -> tuple[PictureFacts, bytes]:
    """What the picture is, and a JPEG of it, at most ``side`` pixels wide and high.

    Raises:
        UploadInvalid: As for :func:`inspect_picture`.
    """
    return _opened(
        data,
        {"work": "thumbnail", "side": side},
        lambda report, folder: (_FACTS.validate_python(report), made_bytes(folder, _MADE, LARGEST_MADE)),
    )


def draw(base: bytes, operations: Sequence[Operation]) -> tuple[bytes, int, int]:
    """See ``activities.pictures.drawing``.

    Raises:
        UploadInvalid: As for :func:`inspect_picture`.
    """
    order = {"work": "draw", "operations": operation_list.dump_python(tuple(operations), mode="json")}

    def drawn(report: object, folder: Path) -> tuple[bytes, int, int]:
        width, height = _SIZE.validate_python(report)
        return made_bytes(folder, _MADE, LARGEST_MADE), width, height

    return _opened(base, order, drawn)


def made_logo(data: bytes) -> Logo:
    """See ``activities.pictures.opening``. A drawing in SVG is not taken: it may hold scripts and addresses, and looks
    different with every reader's fonts.

    Raises:
        UploadInvalid: As for :func:`inspect_picture`.
    """
    if b"<svg" in data[:SVG_BEGINS_WITHIN].lower():
        refuse("type", "A logo is a PNG, JPEG or WebP picture. Save the SVG as PNG, 800 pixels wide, and upload that.")

    def made(report: object, folder: Path) -> Logo:
        width, height, ground = _LOGO.validate_python(report)
        return Logo(png=made_bytes(folder, _MADE, LOGO_BYTES), width=width, height=height, ground=ground)

    return _opened(data, {"work": "logo"}, made)


def _opened(data: bytes, order: Mapping[str, object], read: Callable[[object, Path], _T]) -> _T:
    with _OPENED, TemporaryDirectory(prefix="guidesmith-picture-") as made:
        folder = Path(made).resolve()
        (folder / "picture").write_bytes(data)
        out = folder / "out"
        out.mkdir()
        whole = {**order, "picture": str(folder / "picture"), "made": str(out / _MADE)}
        for _ in range(TRIES):
            try:
                report = answer(OPENER, whole, BOUNDS, environment={**places(), **_ENVIRONMENT}, cwd=out, loads=LOADS)
                if "refused" not in report:
                    return read(report.get("done"), out)
            except (Died, Overran, ValidationError):
                continue
            details = report.get("details")
            raise UploadInvalid(str(report["refused"]), details=details if isinstance(details, dict) else {})
    return refuse("decoding", "The picture takes too much memory or time to be decoded. Save it anew, upload that.")
