"""Pictures that people bring: what a file really is, and its pixels, without trusting its name or its header.

Order of the checks: bytes, structure (:mod:`activities.pictures.formats`), size in pixels, and only then a full decode,
which is what finds a file that is cut inside or lies about itself.
"""

import io
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import NoReturn

from PIL import Image, ImageOps, ImageStat

from activities.pictures.formats import Structure, damaged, refuse, structure_of
from domain.documents.brand import LOGO_BYTES, LOGO_MADE, LOGO_RATIO, LOGO_SIDE, Ground
from domain.errors import exhausted_by

MOST_BYTES = 20 * 1024 * 1024
"""Bytes of a picture that somebody brings. A lossless screenshot of an 8K screen full of text has about 12 MB."""
MOST_STORED_BYTES = 64 * 1024 * 1024
"""Of one that we made: a lossless frame of a camera's recording is heavier than a screen."""
MOST_PIXELS = 40_000_000
"""Width times height: an 8K screen (33 million) fits. Four bytes each while decoded: 160 MB."""
LONGEST_SIDE = 16_384
"""Pixels. WebP ends there, and no screen is wider."""

THUMBNAIL_QUALITY = 85
PALE = 190
"""Mean lightness, of 255, from which a logo is hardly seen on white."""

_DECODES = BoundedSemaphore(2)
"""Pictures that a process decodes at once: what bounds their memory, whoever asks."""


@dataclass(frozen=True, slots=True)
class PictureFacts:
    """What a picture file is. ``width`` and ``height`` are pixels as people see it, its EXIF turn applied."""

    media_type: str
    width: int
    height: int


def inspect_picture(data: bytes) -> PictureFacts:
    """Check a picture by its content: PNG, JPEG or WebP, one picture, whole, of a size that can be worked with.

    Raises:
        UploadInvalid: It is not. ``details.mismatch`` names ``size``, ``type``, ``pixels``, ``animated``, ``trailing``
            (something stands behind the picture) or ``damaged``.
    """
    structure, image = _decoded(data, MOST_BYTES)
    with image:
        return PictureFacts(structure.media_type, *_shown_size(image))


def decode_picture(data: bytes) -> Image.Image:
    """The picture as people see it: RGB, turned as its EXIF says, on white where something shines through.

    Nothing else of the file comes along: no EXIF, no profile, no thumbnail.

    Raises:
        UploadInvalid: As for :func:`inspect_picture`, but for the bytes: those of a stored picture.
    """
    _, image = _decoded(data, MOST_STORED_BYTES)
    try:
        upright = ImageOps.exif_transpose(image)
        paper = Image.new("RGB", upright.size, "white")
        shades = _of_eight_bits(upright) if upright.mode == "I;16" else upright
        paper.paste(shades.convert("RGB"), None, upright.convert("RGBA") if upright.has_transparency_data else None)
    except Exception as fault:  # EXIF and palettes are as hostile as the rest of the file
        _blame(fault)
    return paper


def _of_eight_bits(grey: Image.Image) -> Image.Image:
    """The upper half of each of its 16 bits, which are stored with the lower half first."""
    return Image.frombytes("L", grey.size, grey.tobytes()[1::2])


def thumbnail(data: bytes, side: int) -> bytes:
    """A JPEG of the picture, at most ``side`` pixels wide and high. Raises as :func:`decode_picture`."""
    picture = decode_picture(data)
    picture.thumbnail((side, side))
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=THUMBNAIL_QUALITY)
    return out.getvalue()


def logo(data: bytes) -> tuple[bytes, int, int, Ground]:
    """A PNG of a logo, its size in pixels, and what it is seen on. Nothing else of the file comes along.

    Raises:
        UploadInvalid: As for :func:`inspect_picture`, with the bounds of logos; ``details.mismatch`` may be ``empty``,
            too: nothing is to be seen in it.
    """
    if len(data) > LOGO_BYTES:
        refuse("size", f"A logo's file has at most {LOGO_BYTES // 1024} KiB. Save it smaller and upload that.")
    _, image = _decoded(data, LOGO_BYTES)
    try:
        upright = ImageOps.exif_transpose(image)
        shades = _of_eight_bits(upright) if upright.mode == "I;16" else upright
        shown = shades.convert("RGBA")
        box = shown.getchannel("A").getbbox()
    except Exception as fault:  # as in decode_picture
        _blame(fault)
    if box is None:
        refuse("empty", "Nothing is to be seen in the logo: all of it is transparent.")
    sides = sorted(shown.size)
    if not all(each in LOGO_SIDE for each in sides) or sides[1] > LOGO_RATIO * sides[0]:
        refuse(
            "pixels",
            f"The logo has {shown.width} x {shown.height} pixels. Each side has {LOGO_SIDE.start} to "
            f"{LOGO_SIDE.stop - 1}, and one at most {LOGO_RATIO} times the other.",
        )
    cut = shown.crop(box)  # an empty rim would only make it small
    room = LOGO_MADE
    while True:
        cut.thumbnail(room, Image.Resampling.LANCZOS)
        out = io.BytesIO()
        cut.save(out, "PNG", optimize=True)
        if out.tell() <= LOGO_BYTES:
            return out.getvalue(), cut.width, cut.height, _ground(cut)
        room = room[0] // 2, room[1] // 2


def _ground(picture: Image.Image) -> Ground:
    """What a logo is seen on: one of which less than a twentieth shines through, on any; a pale one on dark."""
    opacity = picture.getchannel("A")
    if ImageStat.Stat(opacity).mean[0] > 0.95 * 255:
        return Ground.ANY
    lightness = ImageStat.Stat(picture.convert("L"), mask=opacity).mean[0]
    return Ground.DARK if lightness > PALE else Ground.LIGHT


def _decoded(data: bytes, most_bytes: int) -> tuple[Structure, Image.Image]:
    if not 0 < len(data) <= most_bytes:
        refuse("size", f"The picture is empty or has more than {most_bytes // 1024**2} MiB. Upload a smaller one.")
    structure = structure_of(data)
    width, height = structure.width, structure.height
    if not (0 < width <= LONGEST_SIDE and 0 < height <= LONGEST_SIDE and width * height <= MOST_PIXELS):
        refuse(
            "pixels",
            f"The picture has {width} x {height} pixels. At most {MOST_PIXELS // 1_000_000} million, and "
            f"{LONGEST_SIDE} a side, are taken: upload a smaller one.",
        )
    with _DECODES:
        try:
            image = Image.open(io.BytesIO(data), formats=(structure.name,))
            image.load()
        except Exception as fault:  # decoders meet hostile bytes with whatever exception their parsers trip over
            _blame(fault)
    if image.size != (width, height):
        damaged()
    return structure, image


def _shown_size(image: Image.Image) -> tuple[int, int]:
    try:
        turned = image.getexif().get(0x0112, 1) in (5, 6, 7, 8)  # EXIF orientation: the quarter turns
    except Exception as fault:  # EXIF is as hostile as the rest of the file
        _blame(fault)
    return (image.height, image.width) if turned else image.size


def _blame(fault: Exception) -> NoReturn:
    """The picture for what its decoder met, unless the machine is short of something."""
    lacking = exhausted_by(fault)
    if lacking is not None:
        raise lacking from None
    damaged()
