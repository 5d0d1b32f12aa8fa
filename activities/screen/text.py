"""Reads lines of text off a picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from rapidocr.ch_ppocr_det import TextDetector
from rapidocr.ch_ppocr_rec import TextRecInput, TextRecognizer
from rapidocr.utils.typings import EngineType, LangRec

from activities.screen.film import Colours
from activities.screen.places import Place
from activities.screen.weights import DETECTOR, RECOGNISER, load

LEAST_CONFIDENCE = 0.5
"""Below it what was read is mostly an icon."""

_BATCH = 6
_SHORT_SIDE = 720
"""Pictures with fewer lines are enlarged to it: the detector was made for documents."""
_LONGEST_SIDE = 2000
_MARGIN = 48
"""Pixels around a part that is read on its own: the detector needs some ground around text."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, where it is in the picture (pixels), and how sure the reader is (0 to 1)."""

    text: str
    place: Place
    confidence: float


class _Options(dict[str, Any]):
    __getattr__ = dict.__getitem__


class TextReader:
    """Reads with at most ``threads`` cores."""

    def __init__(self, threads: int) -> None:
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
                rec_batch_num=_BATCH,
                rec_img_shape=[3, 48, 320],
                rec_keys_path=None,
            )
        )

    def read(self, picture: Colours, part: Place | None = None) -> list[Line]:
        """The lines in ``part`` of the picture (pixels), or in all of it, in reading order."""
        high, wide = picture.shape[:2]
        whole = Place(0, 0, wide, high)
        inner = whole if part is None else part.grown(_MARGIN).within(whole)
        if inner.empty:
            return []
        scale = _scale(wide, high)
        cut = picture[inner.top : inner.bottom, inner.left : inner.right]
        if scale != 1:
            way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
            shrunk = cv2.resize(cut, None, fx=scale, fy=scale, interpolation=way)
        else:
            shrunk = cut
        shrunk = _padded(shrunk)
        found = self._detector(shrunk)
        if found.boxes is None:
            return []
        places = [_place(box, scale, inner) for box in found.boxes]
        places = [place for place in places if not place.within(whole).empty]
        return self._recognised(picture, _unmerged(places))

    def _recognised(self, picture: Colours, places: Sequence[Place]) -> list[Line]:
        whole = Place(0, 0, picture.shape[1], picture.shape[0])
        cuts = []
        kept = []
        for place in places:
            # accents stand above what the detector takes for the line
            roomy = Place(place.left, place.top - max(1, place.height // 12), place.right, place.bottom).within(whole)
            if roomy.height < 4 or roomy.width < 4:
                continue
            kept.append(place)
            cuts.append(picture[roomy.top : roomy.bottom, roomy.left : roomy.right])
        if not cuts:
            return []
        read = self._recogniser(TextRecInput(img=cuts, return_word_box=False))
        return [
            Line(" ".join(text.split()), place, float(min(1.0, max(0.0, confidence))))
            for place, text, confidence in zip(kept, read.txts, read.scores, strict=True)
            if text.strip() and confidence >= LEAST_CONFIDENCE
        ]


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
    return cv2.copyMakeBorder(cut, 0, below, 0, right, cv2.BORDER_REPLICATE) if below or right else cut


def _place(box: np.ndarray, scale: float, inner: Place) -> Place:
    left, top = box.min(axis=0) / scale
    right, bottom = box.max(axis=0) / scale
    return Place(
        inner.left + int(left),
        inner.top + int(top),
        min(inner.right, inner.left + round(right)),
        min(inner.bottom, inner.top + round(bottom)),
    )


def _unmerged(places: Sequence[Place]) -> list[Place]:
    return [place for place in places if place.width >= 4 and place.height >= 6]
