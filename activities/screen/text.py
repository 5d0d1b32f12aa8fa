"""Reads lines of text off a picture."""

import logging
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import cv2
import numpy as np
from rapidocr.ch_ppocr_det import TextDetector
from rapidocr.ch_ppocr_rec import TextRecInput, TextRecognizer
from rapidocr.ch_ppocr_rec.typings import WordInfo
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
_FAR = 0.7
"""Of a line's height: a space is 0.3 of it, in a terminal 0.5; the entries of a menu bar lie 0.8 and more apart."""
_INK = 40
"""Grey levels from the ground: more than a button that lights up, and less than any letter."""
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


@dataclass(frozen=True, slots=True)
class _Recognised:
    """What stands in a place, cut where words lie too far from each other to be one text: each with its share of the
    width, from and until."""

    parts: tuple[tuple[str, float, float], ...]
    confidence: float

    def lines(self, place: Rect) -> list[Line]:
        wide = place.width
        return [
            Line(
                text,
                Rect(place.left + round(begins * wide), place.top, place.left + round(ends * wide), place.bottom),
                self.confidence,
            )
            for text, begins, ends in self.parts
        ]


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
        self._lines: OrderedDict[tuple[int, int, int, int], tuple[_Recognised, Colours]] = OrderedDict()
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
        found: dict[int, _Recognised] = {}
        unknown: list[int] = []
        for at, (place, cut) in enumerate(zip(kept, cuts, strict=True)):
            known = self._known(place, cut)
            if known is None:
                unknown.append(at)
            else:
                found[at] = known
        widths = [cut.shape[1] * 48 / cut.shape[0] for cut in cuts]
        for batch in _batches(unknown, widths):
            self._check()
            self.spent_s += _RECOGNISE_S * len(batch) * max(_NARROWEST, *(widths[at] for at in batch))
            read = self._recogniser(TextRecInput(img=[cuts[at] for at in batch], return_word_box=True))
            texts, scores, words = read.txts or (), read.scores or (), cast(tuple[WordInfo, ...], read.word_results)
            for at, text, confidence, each in zip(batch, texts, scores, words, strict=True):
                sure = float(min(1.0, max(0.0, confidence)))
                parts = _parts(" ".join(text.split()), each, cuts[at]) if sure >= LEAST_CONFIDENCE else ()
                found[at] = _Recognised(parts, sure)
                self._remember(found[at], kept[at], cuts[at])
        return [line for at in sorted(found) for line in found[at].lines(kept[at])]

    def _known(self, place: Rect, cut: Colours) -> _Recognised | None:
        """What was read from the same picture at the same place before."""
        kept = self._lines.get(_about(place))
        if kept is None:
            return None
        recognised, before = kept
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
        return recognised

    def _remember(self, recognised: _Recognised, place: Rect, cut: Colours) -> None:
        self._lines[_about(place)] = recognised, _grey(cut)
        self._lines.move_to_end(_about(place))
        if len(self._lines) > _REMEMBERED:
            self._lines.popitem(last=False)


def _parts(text: str, words: WordInfo, cut: Colours) -> tuple[tuple[str, float, float], ...]:
    """``text`` cut at wide gaps: the detector takes a menu bar, or two cells of a row, for one line."""
    letters = [at for at, letter in enumerate(text) if not letter.isspace()]
    across = [column / max(1, words.line_txt_len) for word in words.word_cols for column in word]
    wide = cut.shape[1]
    if not text or len(across) != len(letters):
        return ((text, 0.0, 1.0),) if text else ()
    parts, start, begins = [], 0, 0.0
    for left, right in _gaps(cut):
        at = bisect_left(across, (left + right) / 2 / wide)
        spaced = [n for n in (at, at - 1, at + 1) if start < n < len(letters) and letters[n] > letters[n - 1] + 1]
        if spaced:
            parts.append((text[letters[start] : letters[spaced[0] - 1] + 1], begins, left / wide))
            start, begins = spaced[0], right / wide
    return (*parts, (text[letters[start] :], begins, 1.0))


def _gaps(cut: Colours) -> Iterator[tuple[int, int]]:
    """Where nothing stands in a line, over more than what parts two words: from and until, in pixels."""
    grey = cv2.cvtColor(cut, cv2.COLOR_BGR2GRAY).astype(np.int16)
    written = np.flatnonzero((np.abs(grey - int(np.median(grey))) > _INK).any(axis=0))
    for left, right in pairwise(written.tolist()):
        if right - left > _FAR * cut.shape[0]:
            yield left + 1, right


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
