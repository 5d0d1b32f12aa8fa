"""Reads lines of text off a picture."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from rapidocr.ch_ppocr_det import TextDetector
from rapidocr.ch_ppocr_rec import TextRecInput, TextRecognizer
from rapidocr.utils.typings import EngineType, LangRec

from activities.screen.film import Colours
from activities.screen.rectangles import Rect
from activities.screen.weights import DETECTOR, RECOGNISER, load

logging.getLogger("RapidOCR").setLevel(logging.WARNING)

LEAST_CONFIDENCE = 0.5
"""Below it what was read is mostly an icon."""

_NARROWEST = 96
"""Pixels at 48 in height that a line is padded to. With 320, as the weights were trained, short names cost four times
as much, and no more of them are read right."""
_BATCH_WIDTH = 1_600
"""Pixels at 48 in height of all lines read together: what memory it takes."""
_REMEMBERED = 2_000
"""Lines whose picture is kept, to know them again when a page comes back: 10 MB."""
_SAME_LEVELS = 4.0, 14.0
"""Grey levels that the picture of a same line differs by, on average and in its worst block."""
_SHORT_SIDE = 720
"""Pictures with fewer lines are enlarged to it: the detector was made for documents."""
_LONGEST_SIDE = 2000
_MARGIN = 48
"""Pixels around a part that is read on its own: the detector needs some ground around text."""
_FIND_S, _RECOGNISE_S = 0.53e-6, 0.090e-3
"""CPU seconds for a pixel that text is sought in, and for a pixel of width at 48 in height that is recognised. Measured
on the sample with one thread. Reckoned and not timed, so that a busy machine reads what an idle one does."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, where it is in the picture (pixels), and how sure the reader is (0 to 1)."""

    text: str
    place: Rect
    confidence: float


def likely_s(part: Rect, wide: int, high: int) -> float:
    """CPU seconds that reading a part of a picture is likely to cost: finding, and twice as much recognising."""
    scale = _scale(wide, high)
    place = part.padded(_MARGIN).clipped(Rect(0, 0, wide, high))
    return 3 * _FIND_S * max(0, place.area) * scale * scale


class _Options(dict[str, Any]):
    __getattr__ = dict.__getitem__


class TextReader:
    """Reads with at most ``threads`` cores. ``check`` is called between two computations, and may raise to stop."""

    def __init__(self, threads: int, check: Callable[[], None] = lambda: None) -> None:
        self._check = check
        self.spent_s = 0.0
        """CPU seconds that reading has cost so far, as reckoned."""
        self._lines: OrderedDict[tuple[int, int, int, int], tuple[Line, Colours]] = OrderedDict()
        self._detector = TextDetector(
            _Options(
                engine_type=EngineType.ONNXRUNTIME,
                session=load(DETECTOR, threads),
                limit_side_len=1,
                limit_type="min",
                mean=[0.5] * 3,
                std=[0.5] * 3,
                thresh=0.3,
                box_thresh=0.5,
                unclip_ratio=1.6,
                use_dilation=True,
            )
        )
        self._recogniser = TextRecognizer(
            _Options(
                engine_type=EngineType.ONNXRUNTIME,
                session=load(RECOGNISER, threads),
                lang_type=LangRec.CH,
                font_path=None,
                rec_batch_num=64,
                rec_img_shape=[3, 48, _NARROWEST],
                rec_keys_path=None,
            )
        )

    def read(self, picture: Colours, part: Rect | None = None) -> list[Line]:
        """The lines in ``part`` of the picture (pixels), or in all of it, in reading order."""
        high, wide = picture.shape[:2]
        whole = Rect(0, 0, wide, high)
        inner = whole if part is None else part.padded(_MARGIN).clipped(whole)
        if inner.empty:
            return []
        scale = _scale(wide, high)
        cut = picture[inner.top : inner.bottom, inner.left : inner.right]
        if scale != 1:
            way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
            shrunk = np.asarray(cv2.resize(cut, None, fx=scale, fy=scale, interpolation=way), dtype=np.uint8)
        else:
            shrunk = cut
        shrunk = _padded(shrunk)
        self._check()
        self.spent_s += _FIND_S * shrunk.shape[0] * shrunk.shape[1]
        found = self._detector(shrunk)
        if found.boxes is None:
            return []
        places = [_place(box, scale, inner) for box in found.boxes]
        places = [place for place in places if not place.clipped(whole).empty]
        return self._recognised(picture, _unmerged(places))

    def _recognised(self, picture: Colours, places: Sequence[Rect]) -> list[Line]:
        whole = Rect(0, 0, picture.shape[1], picture.shape[0])
        cuts = []
        kept = []
        for place in places:
            # accents stand above what the detector takes for the line
            roomy = Rect(place.left, place.top - max(1, place.height // 12), place.right, place.bottom).clipped(whole)
            if roomy.height < 4 or roomy.width < 4:
                continue
            kept.append(place)
            cuts.append(picture[roomy.top : roomy.bottom, roomy.left : roomy.right])
        if not cuts:
            return []
        lines: dict[int, Line] = {}
        unknown: list[int] = []
        for at, (place, cut) in enumerate(zip(kept, cuts, strict=True)):
            known = self._known(place, cut)
            if known is None:
                unknown.append(at)
            elif known.text:
                lines[at] = known
        widths = [cut.shape[1] * 48 / cut.shape[0] for cut in cuts]
        for batch in _batches(unknown, widths):
            self._check()
            self.spent_s += _RECOGNISE_S * len(batch) * max(_NARROWEST, *(widths[at] for at in batch))
            read = self._recogniser(TextRecInput(img=[cuts[at] for at in batch], return_word_box=False))
            for at, text, confidence in zip(batch, read.txts or (), read.scores or (), strict=True):
                sure = float(min(1.0, max(0.0, confidence)))
                line = Line(" ".join(text.split()) if sure >= LEAST_CONFIDENCE else "", kept[at], sure)
                self._remember(line, cuts[at])
                if line.text:
                    lines[at] = line
        return [lines[at] for at in sorted(lines)]

    def _known(self, place: Rect, cut: Colours) -> Line | None:
        """The line that was read from the same picture at the same place before."""
        kept = self._lines.get(_about(place))
        if kept is None:
            return None
        line, before = kept
        now = _grey(cut)
        if now.shape != before.shape:
            return None
        difference = cv2.absdiff(now, before)
        blocks = cv2.resize(
            difference,
            (max(1, difference.shape[1] // 6), max(1, difference.shape[0] // 6)),
            interpolation=cv2.INTER_AREA,
        )
        if float(difference.mean()) > _SAME_LEVELS[0] or float(blocks.max()) > _SAME_LEVELS[1]:
            return None
        return Line(line.text, place, line.confidence)

    def _remember(self, line: Line, cut: Colours) -> None:
        self._lines[_about(line.place)] = line, _grey(cut)
        self._lines.move_to_end(_about(line.place))
        if len(self._lines) > _REMEMBERED:
            self._lines.popitem(last=False)


def _about(place: Rect) -> tuple[int, int, int, int]:
    return place.left // 4, place.top // 4, place.right // 4, place.bottom // 4


def _grey(cut: Colours) -> Colours:
    """Of one size, whatever the detector's last pixel was."""
    high, wide = cut.shape[0] // 4 * 4, cut.shape[1] // 4 * 4
    return np.asarray(cv2.cvtColor(cv2.resize(cut, (max(4, wide), max(4, high))), cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def _batches(lines: Sequence[int], widths: Sequence[float]) -> Iterator[list[int]]:
    """Alike widths together: a batch is as wide as its widest line."""
    batch: list[int] = []
    for at in sorted(lines, key=lambda each: widths[each]):
        if batch and max(_NARROWEST, widths[at]) * (len(batch) + 1) > _BATCH_WIDTH:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def _scale(wide: int, high: int) -> float:
    if max(wide, high) > _LONGEST_SIDE:
        return _LONGEST_SIDE / max(wide, high)
    if min(wide, high) < _SHORT_SIDE:
        return min(2.0, _SHORT_SIDE / min(wide, high), _LONGEST_SIDE / max(wide, high))
    return 1.0


def _padded(cut: Colours) -> Colours:
    """To a whole number of the network's cells, so that nothing is stretched."""
    high, wide = cut.shape[:2]
    below, right = -high % 32, -wide % 32
    if high + below < 64:
        below += 32
    if wide + right < 64:
        right += 32
    if not below and not right:
        return cut
    return np.asarray(cv2.copyMakeBorder(cut, 0, below, 0, right, cv2.BORDER_REPLICATE), dtype=np.uint8)


def _place(box: np.ndarray, scale: float, inner: Rect) -> Rect:
    left, top = box.min(axis=0) / scale
    right, bottom = box.max(axis=0) / scale
    return Rect(
        inner.left + int(left),
        inner.top + int(top),
        min(inner.right, inner.left + round(right)),
        min(inner.bottom, inner.top + round(bottom)),
    )


def _unmerged(places: Sequence[Rect]) -> list[Rect]:
    return [place for place in places if place.width >= 4 and place.height >= 6]
