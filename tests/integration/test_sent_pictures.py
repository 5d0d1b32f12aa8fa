"""Given a recording and what was read off it, then a model is sent what was done, and nothing that is private."""

import io

import numpy as np
import pytest
from PIL import Image

from activities import media
from activities.pictures.sending import LONG_SIDE, sent
from domain.errors import Cancelled
from domain.geometry import Box
from domain.recordings.screen import ChangeKind, ScreenChange, ScreenRecord, ScreenText
from sample.truth import recording

CONTROL = Box(x=0.1, y=0.1, w=0.2, h=0.06)
LINE = Box(x=0.5, y=0.6, w=0.3, h=0.05)


def read(text: str) -> ScreenRecord:
    info = media.probe(recording())
    assert info.video is not None
    times = {"before_ms": 4_000, "at_ms": 4_200, "after_ms": 4_400, "until_ms": 6_000}
    return ScreenRecord(
        reader="test",
        width=info.video.width,
        height=info.video.height,
        duration_ms=info.duration_ms,
        texts=(ScreenText(id=0, text=text, box=LINE, confidence=0.9, start_ms=0, end_ms=10_000),),
        changes=tuple(
            ScreenChange(id=number, kind=ChangeKind.PRESS, box=CONTROL, control=CONTROL, **times) for number in (2, 7)
        ),
    )


def pixels(jpeg: bytes, box: Box) -> np.ndarray:
    with Image.open(io.BytesIO(jpeg)) as picture:
        wide, high = picture.size
        assert (picture.format, max(picture.size)) == ("JPEG", LONG_SIDE)
        left, top, right, bottom = box.x * wide, box.y * high, (box.x + box.w) * wide, (box.y + box.h) * high
        return np.asarray(picture.crop((round(left), round(top), round(right), round(bottom))), dtype=np.int16)


def test_given_what_was_done_then_each_change_has_its_picture_with_the_control_ringed() -> None:
    screen = read("Nothing to hide")
    made = dict(sent(recording(), screen.changes, screen))
    assert list(made) == [2, 7]
    around = Box(x=CONTROL.x - 0.02, y=CONTROL.y - 0.03, w=CONTROL.w + 0.04, h=CONTROL.h + 0.06)
    red, green, blue = (pixels(made[2], around)[..., channel] for channel in range(3))
    assert ((red > green + 60) & (red > blue + 60)).sum() > 200


def test_given_what_is_private_then_it_is_blurred_before_it_is_sent() -> None:
    secret = "Owner anna.berg@example.com and more of it here"
    plain, private = read("Nothing to hide"), read(secret)
    (_, shown), *_ = sent(recording(), plain.changes, plain)
    (_, hidden), *_ = sent(recording(), private.changes, private)
    (_, listed), *_ = sent(recording(), plain.changes, plain, ["Nothing to hide"])
    inner = Box(x=LINE.x + 0.05, y=LINE.y, w=0.1, h=LINE.h)
    for blurred in (hidden, listed):
        assert np.abs(pixels(blurred, inner) - pixels(shown, inner)).max() > 10
        assert pixels(blurred, inner).std() <= pixels(shown, inner).std() + 1


@pytest.mark.parametrize("badly", [True, False], ids=["read badly", "not read"])
def test_given_a_picture_that_could_not_be_checked_then_it_is_not_sent_and_the_others_are(badly: bool) -> None:
    screen = read("Owner anna.berg@example.com and more of it here")
    (line,) = screen.texts
    early, late = screen.changes
    late = late.model_copy(update={"before_ms": 9_000, "at_ms": 9_200, "after_ms": 9_400, "until_ms": 9_900})
    unsure = [line.model_copy(update={"end_ms": 6_500, "confidence": 0.3})] if badly else []
    texts = (*unsure, line.model_copy(update={"id": 1, "start_ms": 8_500}))
    screen = screen.model_copy(update={"texts": texts, "changes": (early, late)})
    assert [number for number, _ in sent(recording(), screen.changes, screen)] == [late.id]


def test_given_a_stop_then_no_further_picture_is_taken() -> None:
    def stop() -> None:
        raise Cancelled("stop")

    screen = read("Nothing to hide")
    with pytest.raises(Cancelled):
        list(sent(recording(), screen.changes, screen, check=stop))
