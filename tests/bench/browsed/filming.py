"""Drives the app in a browser and films it: ten pictures a second of a screen that waits for the camera, so that a busy
machine films what an idle one does."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page

SIZE, FPS = (1280, 720), 10
FRAME_MS = 1_000 // FPS
APP = Path(__file__).with_name("app.html")
TOAST_MS = 3_500
"""How long a message stands."""
LETTER_MS, BREATH_MS = 62, 350
"""Of speech: a letter, and what every sentence takes besides."""
CLICK_EARLY_MS = 100

_ARROW = ((0, 0), (0, 20), (5, 15), (9, 23), (12, 21), (9, 14), (15, 14))
_HAND = ((0, 0), (3, 0), (3, 8), (13, 10), (13, 20), (10, 25), (1, 25), (-7, 14), (-4, 12), (0, 15))
_BEAM = ((-4, -9), (4, -9), (1, -8), (1, 8), (4, 9), (-4, 9), (-1, 8), (-1, -8))
_SHAPES = {"pointer": _HAND, "text": _BEAM}


@dataclass(frozen=True)
class Act:
    """One step: what is said (nothing: nobody speaks), what a writer would write, and what is done where.

    ``typed``: letters for the field ``on``; ``wordings``: others that are as good; ``later_ms``: how long after the
    sentence its click comes (negative: before its end).
    """

    said: str
    text: str
    on: str
    typed: str = ""
    wordings: Sequence[str] = ()
    later_ms: int = 0


@dataclass(frozen=True)
class Remark:
    """What is said besides."""

    said: str
    not_step: str = ""


@dataclass
class Truth:
    """What is true of a recording, in the shape that ``tests.bench.guides`` reads."""

    steps: list[dict[str, Any]] = field(default_factory=list)
    lines: list[tuple[str, int, int]] = field(default_factory=list)
    """What is said, from when until when."""
    not_steps: list[str] = field(default_factory=list)
    ui: list[str] = field(default_factory=list)


class _Camera:
    def __init__(self, page: Page, out: av.container.OutputContainer) -> None:
        self._page = page
        self._out = out
        self._stream = out.add_stream("libx264", rate=FPS)
        self._stream.width, self._stream.height, self._stream.pix_fmt = *SIZE, "yuv420p"
        self._stream.options = {"crf": "24", "preset": "veryfast"}
        self._number = 0
        self.pointer = (900.0, 640.0)
        self._under: Any = None
        self._shot: Image.Image | None = None
        self._forget_ms = 0

    @property
    def at_ms(self) -> int:
        return self._number * FRAME_MS

    def answer(self) -> None:
        """The screen is about to change; a message goes by itself some time later."""
        self._shot = None
        self._forget_ms = self.at_ms + TOAST_MS

    def settle(self) -> None:
        """Until nothing moves any more."""
        self._take()
        while self._shot is None:
            self._take()

    def hold(self, until_ms: int) -> None:
        while self.at_ms < until_ms:
            self._take()

    def go(self, to: tuple[float, float], until_ms: int) -> None:
        """Move the pointer as a hand does, slow at both ends."""
        begun_ms, start = self.at_ms, self.pointer
        while self.at_ms < until_ms:
            share = (self.at_ms + FRAME_MS - begun_ms) / max(FRAME_MS, until_ms - begun_ms)
            eased = min(1.0, share * share * (3 - 2 * share))
            self.pointer = (start[0] + (to[0] - start[0]) * eased, start[1] + (to[1] - start[1]) * eased)
            self._take()
        self.pointer = to

    def end(self) -> None:
        self._out.mux(self._stream.encode(None))

    def _take(self) -> None:
        self._page.mouse.move(*self.pointer)
        if self._forget_ms and self.at_ms >= self._forget_ms:
            self._page.evaluate("forget()")
            self._forget_ms, self._shot = 0, None
        under = self._page.evaluate("([x, y]) => under(x, y)", list(self.pointer))
        moves = self._page.evaluate(f"pass({FRAME_MS})")
        if self._shot is None or moves or under != self._under:
            self._shot = Image.open(BytesIO(self._page.screenshot())).convert("RGB")
        if under != self._under:  # what lights up does so from now on
            self._under = under
        picture = self._shot.copy()
        x, y = self.pointer
        shape = [(x + a, y + b) for a, b in _SHAPES.get(str(under[0]), _ARROW)]
        ImageDraw.Draw(picture).polygon(shape, fill="black", outline="white")
        frame = av.VideoFrame.from_ndarray(np.asarray(picture), format="rgb24")
        frame.pts, frame.time_base = self._number, Fraction(1, FPS)
        self._out.mux(self._stream.encode(frame))
        self._number += 1
        if moves:
            self._shot = None


def film(browser: Browser, path: Path, app: dict[str, Any], story: Sequence[Act | Remark]) -> Truth:
    """Play a story on an app, and write its film (without sound) to ``path``."""
    page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
    try:
        page.goto(APP.as_uri())
        page.evaluate("what => begin(what)", app)
        with av.open(str(path), "w") as out:
            camera = _Camera(page, out)
            truth = Truth(ui=sorted(_names(app)))
            camera.hold(1_000)
            for each in story:
                if isinstance(each, Remark):
                    said = _say(camera, truth, each.said)
                    camera.hold(said[1] + 700)
                    truth.not_steps += [each.not_step] if each.not_step else []
                else:
                    _play(page, camera, truth, each)
            camera.hold(camera.at_ms + 2_000)
            camera.end()
            _end(truth, camera.at_ms)
    finally:
        page.close()
    return truth


def _say(camera: _Camera, truth: Truth, said: str) -> tuple[int, int]:
    begins = camera.at_ms
    ends = begins + BREATH_MS + LETTER_MS * len(said)
    if said:
        truth.lines.append((said, begins, ends))
    return begins, ends


def _play(page: Page, camera: _Camera, truth: Truth, act: Act) -> None:
    begins, ends = _say(camera, truth, act.said) if act.said else (camera.at_ms, camera.at_ms + 1_400)
    click_ms = max(begins + 1_000, ends - CLICK_EARLY_MS + act.later_ms)
    sets_off = max(begins + 100, min(ends - 900, click_ms - 1_500)) if act.said else begins
    camera.hold(sets_off)
    x, y, wide, high = page.evaluate("name => find(name)", act.on)
    camera.go((x + min(0.5 * wide, 60), y + 0.5 * high + 3), click_ms - 400)
    camera.hold(click_ms)
    click = camera.at_ms
    camera.answer()
    page.mouse.down()
    page.mouse.up()
    camera.settle()
    for letter in act.typed:
        page.keyboard.type(letter)
        camera.answer()
        camera.hold(camera.at_ms + FRAME_MS)
    settled = camera.at_ms
    truth.steps.append(
        {
            "text": act.text,
            "also": list(act.wordings),
            "start_ms": begins,
            "click": {"label": act.on, "x": x, "y": y, "w": wide, "h": high},
            "before_ms": truth.steps[-1]["settled_ms"] if truth.steps else 0,
            "click_ms": click,
            "settled_ms": settled,
            "typed": bool(act.typed),
        }
    )
    camera.hold(max(ends, settled) + 900)


def _end(truth: Truth, end_ms: int) -> None:
    for number, step in enumerate(truth.steps):
        step["until_ms"] = truth.steps[number + 1]["click_ms"] if number + 1 < len(truth.steps) else end_ms


def _names(told: Any) -> Iterator[str]:
    """All texts of an app."""
    if isinstance(told, str):
        yield told
    elif isinstance(told, dict):
        for key, value in told.items():
            yield from [key, *_names(value)] if key[:1].isupper() else _names(value)
    elif isinstance(told, list | tuple):
        for each in told:
            yield from _names(each)
