"""Thumbnails: stills of a recording, and all of them on one contact sheet with the time of each."""

from collections.abc import Sequence
from dataclasses import replace

from PIL import Image, ImageDraw

from activities.media import Frame

COLUMNS = 4
GAP, STRIP = 8, 18
"""Pixels between stills, and of the strip below one that says its time."""

PAPER, INK = (24, 24, 27), (228, 228, 231)


def spread(duration_ms: int, count: int) -> list[int]:
    """``count`` times of a recording, each in the middle of a stretch of the same length. Fewer, of a shorter one."""
    return sorted({duration_ms * (2 * number + 1) // (2 * count) for number in range(count)})


def small(frame: Frame, width: int) -> Frame:
    """The frame with its picture ``width`` pixels wide, never wider than it was."""
    picture = frame.image
    if picture.width <= width:
        return frame
    height = max(1, round(picture.height * width / picture.width))
    return replace(frame, image=picture.resize((width, height), Image.Resampling.LANCZOS))


def contact_sheet(stills: Sequence[Frame]) -> Image.Image:
    """Stills of one size in rows, in their order, each above its time."""
    width, height = stills[0].image.size
    columns = min(COLUMNS, len(stills))
    rows = -(-len(stills) // columns)
    sheet = Image.new("RGB", (columns * (width + GAP) + GAP, rows * (height + STRIP + GAP) + GAP), PAPER)
    pen = ImageDraw.Draw(sheet)
    for number, each in enumerate(stills):
        row, column = divmod(number, columns)
        left, top = GAP + column * (width + GAP), GAP + row * (height + STRIP + GAP)
        sheet.paste(each.image, (left, top))
        pen.text((left, top + height + 3), time_of(each.timestamp_ms), fill=INK)
    return sheet


def time_of(at_ms: int) -> str:
    """``1:02:03``, as players write it."""
    minutes, seconds = divmod(at_ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
