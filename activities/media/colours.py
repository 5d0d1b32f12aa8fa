"""Pictures of any colour space as sRGB ones: HDR is tone-mapped, a wider gamut is brought into that of screens.

FFmpeg's scaler turns YUV into RGB and leaves transfer and primaries alone: a phone's HDR comes out grey and pale. The
rest of the way is short enough to be gone here, with tables: no filter for it is in every build of FFmpeg.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import cast

import numpy as np
from av.sidedata.sidedata import Type
from av.video.frame import VideoFrame
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
_Floats = NDArray[np.float32]

_PQ, _HLG = 16, 18
"""AVCOL_TRC_SMPTE2084 and AVCOL_TRC_ARIB_STD_B67, libavutil/pixfmt.h."""

_OF_SCREENS = 1
"""AVCOL_PRI_BT709."""
_TO_709: Mapping[int, tuple[tuple[float, float, float], ...]] = {
    9: ((1.6605, -0.5876, -0.0728), (-0.1246, 1.1329, -0.0083), (-0.0182, -0.1006, 1.1187)),
    11: ((1.1573, -0.1549, -0.0024), (-0.0415, 1.0455, -0.0040), (-0.0181, -0.0785, 1.0966)),
    12: ((1.2249, -0.2247, 0.0), (-0.0420, 1.0419, 0.0), (-0.0197, -0.0786, 1.0979)),
}
"""Linear RGB of BT.2020 (9), DCI-P3 (11) and Display P3 (12: what Macs and phones record) as that of BT.709, by
AVCOL_PRI_…; ITU-R BT.2087, SMPTE EG 432-1."""

_LUMA_2020 = (0.2627, 0.6780, 0.0593)
_REFERENCE_WHITE = 203.0
"""cd/m2 of a white page in HDR (ITU-R BT.2408)."""

_LEAST_WHITE = 80.0
_HLG_PEAK = 1000.0
_HLG_GAMMA = 1.2
"""System gamma of a display with that peak (ITU-R BT.2100)."""

_KNEE = 0.8
"""Of white: above it highlights are pressed together, so that they keep their drawing, and white stays white (243)."""

_DISPLAY_GAMMA = 2.2
_STEPS = 4096
_STRIP_PIXELS = 1 << 19
"""Converted at once, so that an 8K picture takes no more memory than a small one."""


@dataclass(frozen=True, slots=True)
class Colours:
    """What a recording's pictures are in: ``transfer`` and ``primaries`` as FFmpeg numbers them, ``white`` in cd/m2 for
    HDR."""

    transfer: int
    primaries: int
    white: float

    @classmethod
    def of(cls, frame: VideoFrame) -> "Colours | None":
        """``None``: nothing, the picture is one of usual screens, or does not say."""
        transfer, primaries = int(frame.color_trc or 0), int(frame.color_primaries or 0)
        if transfer not in (_PQ, _HLG) and primaries not in _TO_709:
            return None
        if primaries not in _TO_709 and primaries != _OF_SCREENS:
            primaries = 9
        return cls(transfer, primaries, _white(frame) if transfer == _PQ else _REFERENCE_WHITE)

    def rgb(self, frame: VideoFrame, width: int, height: int, *, interpolation: str | None = None) -> Pixels:
        """The picture as (height, width, 3) of sRGB."""
        scaled = frame.reformat(width, height, format="rgb48le", interpolation=interpolation)
        deep = np.asarray(scaled.to_ndarray(), dtype=np.uint16)
        shown: Pixels = np.empty(deep.shape, dtype=np.uint8)
        rows = max(1, _STRIP_PIXELS // max(1, width))
        for top in range(0, height, rows):
            shown[top : top + rows] = self._shown(deep[top : top + rows])
        return shown

    def _shown(self, deep: NDArray[np.uint16]) -> Pixels:
        linear: _Floats = _linear(self.transfer)[deep >> 4]
        if self.transfer == _HLG:
            luma = linear @ np.array(_LUMA_2020, dtype=np.float32)
            linear *= np.power(np.maximum(luma, 1e-6), _HLG_GAMMA - 1)[..., None]
            linear *= _HLG_PEAK / self.white
        elif self.transfer == _PQ:
            linear *= 10_000 / self.white
        if self.primaries != _OF_SCREENS:
            linear = linear @ np.array(_TO_709[self.primaries], dtype=np.float32).T
            np.maximum(linear, 0, out=linear)
        if self.transfer in (_PQ, _HLG):
            high = linear > _KNEE
            linear[high] = _pressed(linear[high], _HLG_PEAK / self.white)
        np.minimum(linear, 1, out=linear)
        # By the root, as dark colours need finer steps.
        shown: Pixels = _encoded()[(np.sqrt(linear) * (_STEPS - 1) + 0.5).astype(np.uint16)]
        return shown


def grey(rgb: Pixels) -> Pixels:
    """The luma of an sRGB picture (ITU-R BT.601, as in a picture that says nothing)."""
    luma: Pixels = (rgb @ np.array((0.299, 0.587, 0.114), dtype=np.float32) + 0.5).astype(np.uint8)
    return luma


def _white(frame: VideoFrame) -> float:
    """What white is in PQ: as the standard has it, or the brightest there is, if the recording says that it is darker
    (``MaxCLL``, the first of two 32-bit integers)."""
    said = cast("Mapping[Type, bytes]", frame.side_data).get(Type.CONTENT_LIGHT_LEVEL)
    if said is None:
        return _REFERENCE_WHITE
    brightest = int(np.frombuffer(said, dtype=np.uint32)[0])
    return float(min(_REFERENCE_WHITE, max(_LEAST_WHITE, brightest))) if brightest else _REFERENCE_WHITE


def _pressed(linear: _Floats, peak: float) -> _Floats:
    """From the knee on along Reinhard's curve, which brings ``peak`` to 1."""
    most = (peak - _KNEE) / (1 - _KNEE)
    over = (linear - _KNEE) / (1 - _KNEE)
    pressed: _Floats = _KNEE + (1 - _KNEE) * over * (1 + over / (most * most)) / (1 + over)
    return pressed


@cache
def _linear(transfer: int) -> _Floats:
    """Of each step of the signal: light of a display for PQ (1 is 10,000 cd/m2) and SDR (1 is white), of the scene for
    HLG (ITU-R BT.2100, tables 4 and 5)."""
    signal = np.arange(_STEPS, dtype=np.float64) / (_STEPS - 1)
    if transfer == _PQ:
        m1, m2, c1, c2, c3 = 2610 / 16384, 2523 / 32, 3424 / 4096, 2413 / 128, 2392 / 128
        root = signal ** (1 / m2)
        light = (np.maximum(root - c1, 0) / (c2 - c3 * root)) ** (1 / m1)
    elif transfer == _HLG:
        a, b, c = 0.17883277, 0.28466892, 0.55991073
        light = np.where(signal <= 0.5, signal**2 / 3, (np.exp((signal - c) / a) + b) / 12)
    else:
        light = signal**_DISPLAY_GAMMA
    return light.astype(np.float32)


@cache
def _encoded() -> Pixels:
    """Of each step of the root of light: what a display is sent."""
    root = np.arange(_STEPS, dtype=np.float64) / (_STEPS - 1)
    return np.rint(255 * root ** (2 / _DISPLAY_GAMMA)).astype(np.uint8)
