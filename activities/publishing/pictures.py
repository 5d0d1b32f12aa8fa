"""Screenshots made fit for print and screen: checked by decoding, turned upright, no larger than a page can show.

What is decoded here was taken in before: a frame or a painting of our own, or a picture that was opened in a confined
process when its upload was confirmed. It is the same bytes still, by their checksum.
"""

import io
from dataclasses import dataclass, replace

from PIL import Image, ImageOps

from activities.publishing.markup import printable
from domain.documents.publication import Picture
from domain.errors import exhausted_by
from domain.geometry import Box

LONGEST_EDGE = 2_400
"""Pixels. Across the 170 mm of a page's text that is 360 dots an inch; more only makes files heavy."""
MOST_PIXELS = 120_000_000
"""A picture that unpacks to more is refused before it is decoded: a bomb, not a screenshot."""
JPEG_QUALITY = 90

_EXTENSIONS = {"PNG": "png", "JPEG": "jpg"}


@dataclass(frozen=True, slots=True)
class Illustration:
    """A picture as a document holds it: PNG or JPEG. ``name`` has no extension; sizes are pixels. Where it is a part of
    a picture that readers may open, ``whole`` is that picture and ``crop`` the part. ``is_outcome``: it shows what came
    of the step."""

    name: str
    data: bytes
    extension: str
    width: int
    height: int
    alt: str
    timestamp_ms: int | None
    whole: "Illustration | None" = None
    crop: Box | None = None
    is_outcome: bool = False

    @property
    def filename(self) -> str:
        return f"{self.name}.{self.extension}"

    @property
    def media_type(self) -> str:
        return "image/png" if self.extension == "png" else "image/jpeg"


def illustrate(picture: Picture, name: str) -> Illustration | None:
    """The picture, or ``None`` where it cannot be decoded. PNG and JPEG of ordinary size keep their bytes."""
    shown = _readable(picture.data, name, picture)
    if shown is None or picture.whole is None or picture.crop is None:
        return shown
    whole = _readable(picture.whole, f"{name}-whole", picture)
    return shown if whole is None else replace(shown, whole=whole, crop=picture.crop)


def _readable(encoded: bytes, name: str, picture: Picture) -> Illustration | None:
    try:
        with Image.open(io.BytesIO(encoded), formats=("PNG", "JPEG", "WEBP")) as image:
            if image.width * image.height > MOST_PIXELS:
                return None
            image.load()
            data, extension, size = _fit(image, encoded)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as fault:
        lacking = exhausted_by(fault)
        if lacking is not None:
            raise lacking from None
        return None
    alt = printable(picture.alt)
    return Illustration(name, data, extension, *size, alt, picture.timestamp_ms, is_outcome=picture.is_outcome)


def scaled(picture: Illustration, factor: float) -> bytes:
    """The picture's bytes with each side ``factor`` as long, in its own format, packed quickly rather than well."""
    out = io.BytesIO()
    with Image.open(io.BytesIO(picture.data)) as image:
        size = (max(1, round(image.width * factor)), max(1, round(image.height * factor)))
        if picture.extension == "jpg":
            image.convert("RGB").resize(size, Image.Resampling.BICUBIC).save(out, "JPEG", quality=JPEG_QUALITY)
        else:
            mode = "RGBA" if image.has_transparency_data else "RGB"
            image.convert(mode).resize(size, Image.Resampling.BICUBIC).save(out, "PNG", compress_level=1)
    return out.getvalue()


def _fit(image: Image.Image, data: bytes) -> tuple[bytes, str, tuple[int, int]]:
    upright = ImageOps.exif_transpose(image)
    turned = image.getexif().get(0x0112, 1) != 1
    extension = _EXTENSIONS.get(image.format or "")
    plain_mode = image.mode in ("RGB", "RGBA", "L", "LA", "P", "1")
    if extension and plain_mode and not turned and max(image.size) <= LONGEST_EDGE:
        return data, extension, image.size
    if upright.mode not in ("RGB", "RGBA", "L"):
        upright = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    upright.thumbnail((LONGEST_EDGE, LONGEST_EDGE), Image.Resampling.LANCZOS, reducing_gap=3.0)
    out = io.BytesIO()
    if image.format == "JPEG":
        upright.convert("RGB").save(out, "JPEG", quality=JPEG_QUALITY)
        return out.getvalue(), "jpg", upright.size
    upright.save(out, "PNG", compress_level=6)
    return out.getvalue(), "png", upright.size
