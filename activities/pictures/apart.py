"""Opening strangers' pictures apart from the process that holds the keys, as recordings are decoded.

Whoever takes a picture in lets it be opened here first. What is decoded later (exports, drawing) was taken in so.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from threading import BoundedSemaphore

from pydantic import TypeAdapter, ValidationError

from activities.confined.outside import Bounds, Died, Overran, answer, places
from activities.pictures.formats import refuse
from activities.pictures.opening import PictureFacts
from domain.errors import UploadInvalid

OPENER = Path(__file__).with_name("opener.py")

BOUNDS = Bounds(wall_s=120.0, cpu_s=30, memory_bytes=1536 << 20, file_bytes=1 << 20, open_files=64)
"""Of one picture. The largest that are taken, 40 million pixels, held 0.33 GB (progressive JPEG) and 0.68 GB (WebP)."""

TRIES = 2
"""A process may die since the machine is short of memory. Of the second one the picture is to blame."""

_OPENED = BoundedSemaphore(2)
"""Pictures that a process has opened at once: what bounds their memory, whoever asks."""
_FACTS = TypeAdapter(PictureFacts)


def inspect_picture(data: bytes) -> PictureFacts:
    """See ``activities.pictures.opening``. ``details.mismatch`` may be ``decoding``, too: it takes too much.

    Raises:
        UploadInvalid: See there.
    """
    with _OPENED, TemporaryDirectory(prefix="guidesmith-picture-") as folder:
        picture = Path(folder).resolve() / "picture"
        picture.write_bytes(data)
        for _ in range(TRIES):
            try:
                told = answer(
                    OPENER,
                    {"picture": str(picture)},
                    BOUNDS,
                    environment={**places(), "LC_ALL": "C.UTF-8", "MALLOC_ARENA_MAX": "2", "OPENBLAS_NUM_THREADS": "1"},
                )
                if "refused" not in told:
                    return _FACTS.validate_python(told)
            except (Died, Overran, ValidationError):
                continue
            details = told.get("details")
            raise UploadInvalid(str(told["refused"]), details=details if isinstance(details, dict) else {})
    return refuse("decoding", "The picture takes too much memory or time to be decoded. Save it anew, upload that.")
