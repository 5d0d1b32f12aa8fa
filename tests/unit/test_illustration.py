"""Given what was done on the screen, then the pictures of a step show where to act, and what came of it."""

from typing import Any

import pytest

from activities.pictures.illustrating import wanted
from domain.documents.annotations import Crop, Ring
from domain.documents.document import BlockEvidence
from domain.documents.draft import BlockRole
from domain.documents.illustration import pointed, sights
from domain.geometry import Box
from domain.recordings.media import Scene
from domain.recordings.screen import ChangeKind, Point, PointerRest, ScreenChange, ScreenRecord, ScreenText

SIZE = (1920, 1080)
BUTTON = Box(x=0.4, y=0.5, w=0.1, h=0.03)
DIALOG = Box(x=0.2, y=0.2, w=0.6, h=0.5)


def change(kind: ChangeKind = ChangeKind.PRESS, **said: Any) -> ScreenChange:
    known = {"before_ms": 4_900, "at_ms": 5_000, "after_ms": 5_400, "until_ms": 9_000, "box": DIALOG, "control": BUTTON}
    return ScreenChange(id=0, kind=kind, **(known | said))


def test_given_a_press_that_opens_a_dialog_then_the_control_is_ringed_before_it_and_the_dialog_is_second() -> None:
    before, after = sights([change()], SIZE)
    assert (before.timestamp_ms, before.is_outcome) == (4_900, False)
    ring, crop = before.operations
    assert isinstance(ring, Ring) and ring.geometry == BUTTON
    assert isinstance(crop, Crop) and crop.style.whole
    assert crop.geometry.x <= BUTTON.x and BUTTON.x + BUTTON.w <= crop.geometry.x + crop.geometry.w
    assert crop.geometry.y <= BUTTON.y and BUTTON.y + BUTTON.h <= crop.geometry.y + crop.geometry.h
    assert (after.is_outcome, after.operations) == (True, ())
    assert 5_400 <= after.timestamp_ms < 9_000


@pytest.mark.parametrize(
    ("what", "tells"),
    [
        ({"box": BUTTON}, False),
        ({"box": Box(x=0.4, y=0.5, w=0.3, h=0.03), "appeared": ("Editor",)}, False),
        ({"box": Box(x=0.7, y=0.02, w=0.25, h=0.06), "appeared": ("Invitation sent",)}, True),
        ({"box": Box(x=0.7, y=0.02, w=0.25, h=0.06)}, False),
        ({"kind": ChangeKind.PAGE, "box": Box(x=0, y=0, w=1, h=1)}, True),
        ({"kind": ChangeKind.SCROLL, "box": DIALOG}, False),
    ],
    ids=["a tick", "a chosen value", "a message", "a flicker elsewhere", "a page", "a scroll"],
)
def test_given_what_came_of_an_action_then_it_is_shown_where_it_tells_something(
    what: dict[str, Any], tells: bool
) -> None:
    assert [each.is_outcome for each in sights([change(**what)], SIZE)] == [False, True][: 1 + tells]


def test_given_typing_then_the_field_is_shown_filled_and_the_click_behind_it_by_what_came_of_it() -> None:
    typing = change(ChangeKind.TYPING, box=BUTTON, until_ms=7_000)
    (filled,) = sights([typing], SIZE)
    assert 5_400 < filled.earliest_ms <= filled.timestamp_ms < 7_000  # the last letters are noticed late
    assert filled.operations[0].geometry == BUTTON
    sent = ScreenChange(
        id=1, kind=ChangeKind.PAGE, before_ms=6_900, at_ms=7_000, after_ms=7_600, until_ms=7_700, box=DIALOG
    )
    assert [each.timestamp_ms for each in sights([typing, sent], SIZE)] == [filled.timestamp_ms, 7_650]


def test_given_a_value_that_was_there_at_once_then_its_step_says_whether_it_was_chosen_or_typed() -> None:
    filled = change(ChangeKind.TYPING, box=BUTTON)
    slowly = change(ChangeKind.TYPING, box=BUTTON, after_ms=6_500)
    for action, heading, before in (
        (filled, "Choose a manager", True),
        (filled, "Wählen Sie die Rolle", True),
        (filled, "Type the address", False),
        (filled, "Geben Sie den Namen ein", False),
        (slowly, "Set the retention to thirty days", False),
        (filled, "", False),
    ):
        (picture,) = sights([action], SIZE, heading)
        assert (picture.timestamp_ms < action.at_ms) is before, heading
        assert picture.operations[0].geometry == BUTTON


def test_given_an_action_that_changes_nothing_then_what_the_pointer_came_to_rest_on_is_ringed_if_it_is_named() -> None:
    def rest(start_ms: int, x: float, y: float) -> PointerRest:
        return PointerRest(start_ms=start_ms, end_ms=start_ms + 2_000, at=Point(x=x, y=y))

    name, field = (
        ScreenText(id=at, text=text, box=box, confidence=1, start_ms=0, end_ms=20_000)
        for at, text, box in (
            (0, "Save group", Box(x=0.4, y=0.5, w=0.1, h=0.02)),
            (1, "Recovery key", Box(x=0.4, y=0.7, w=0.1, h=0.02)),
        )
    )
    record = ScreenRecord(
        reader="test",
        width=1920,
        height=1080,
        duration_ms=20_000,
        texts=(name, field),
        rests=(rest(2_000, 0.1, 0.1), rest(5_500, 0.43, 0.505), rest(9_500, 0.45, 0.75)),
    )
    pressed = pointed("Click Save group", 4_000, 6_000, record)
    assert pressed is not None and (pressed.earliest_ms, pressed.timestamp_ms) == (5_500, 5_700)
    ring = pressed.operations[0].geometry
    assert isinstance(ring, Box) and abs(ring.x + ring.w / 2 - 0.45) < 0.01 and ring.h > name.box.h
    below = pointed("Download the recovery key", 8_000, 10_000, record)
    assert below is not None
    ring = below.operations[0].geometry
    assert isinstance(ring, Box)
    assert abs(ring.x + ring.w / 2 - 0.45) < 0.01 and abs(ring.y + ring.h / 2 - 0.75) < 0.01
    for heading, start_ms, end_ms in (
        ("Click Confirm plan", 4_000, 6_000),  # that is not named
        ("Click Save group", 14_000, 15_000),  # that is not then
        ("Save group", 4_000, 6_000),  # a verb is no name
    ):
        assert pointed(heading, start_ms, end_ms, record) is None

    def shot(heading: str) -> Any:
        evidence = BlockEvidence(block_id="a", role=BlockRole.STEP, start_ms=4_000, end_ms=6_000)
        return next(wanted([evidence], (), record, 20_000, {"a": heading}))

    assert shot("Click Save group").operations == pressed.operations
    assert shot("Click Confirm plan").operations == ()


def test_given_only_a_pointer_then_it_is_ringed_and_with_nothing_nothing_is() -> None:
    box = sights([change(control=None, pointer=Point(x=0.99, y=0.5))], SIZE)[0].operations[0].geometry
    assert isinstance(box, Box) and box.x + box.w <= 1 and box.x < 0.99 and box.y < 0.5 < box.y + box.h
    assert sights([change(control=None)], SIZE)[0].operations == ()


def test_given_no_pointer_then_the_one_text_that_the_heading_names_is_ringed() -> None:
    def record(*texts: tuple[str, float]) -> ScreenRecord:
        stood = [
            ScreenText(id=n, text=text, box=Box(x=0.1, y=y, w=0.2, h=0.02), confidence=0.9, start_ms=0, end_ms=9_000)
            for n, (text, y) in enumerate(texts)
        ]
        return ScreenRecord(reader="t", width=1080, height=1920, duration_ms=9_000, texts=tuple(stood))

    tapped = change(control=None)
    (ring, *_) = sights([tapped], (1080, 1920), "Tap Freeze card", record(("Cards", 0.2), ("Freeze card", 0.4)))[
        0
    ].operations
    assert isinstance(ring, Ring) and isinstance(ring.geometry, Box)
    assert (ring.geometry.x, ring.geometry.y) == pytest.approx((0.09, 0.39))
    twice = record(("Freeze card", 0.2), ("Freeze card", 0.4))
    assert sights([tapped], (1080, 1920), "Tap Freeze card", twice)[0].operations == ()
    assert sights([tapped], (1080, 1920), "Tap here", record(("Cards", 0.2)))[0].operations == ()


def test_given_a_pointer_right_beside_a_label_then_the_box_that_it_ticks_is_ringed() -> None:
    label = Box(x=0.22, y=0.17, w=0.14, h=0.055)
    ring = sights([change(control=label, pointer=Point(x=0.214, y=0.2))], (1280, 720))[0].operations[0].geometry
    assert isinstance(ring, Box)
    assert (ring.x + ring.w / 2, ring.y + ring.h / 2) == pytest.approx((0.214, 0.2), abs=1e-4)
    assert (ring.w * 1280, ring.h * 720) == pytest.approx((39.6, 39.6), abs=0.1)
    for elsewhere in (Point(x=0.3, y=0.2), Point(x=0.05, y=0.2), Point(x=0.214, y=0.5)):
        assert sights([change(control=label, pointer=elsewhere)], SIZE)[0].operations[0].geometry == label


def test_given_a_large_control_or_one_in_a_corner_then_the_crop_fits_it() -> None:
    assert len(sights([change(control=Box(x=0.1, y=0.1, w=0.6, h=0.04))], SIZE)[0].operations) == 1
    crop = sights([change(control=Box(x=0.98, y=0, w=0.02, h=0.02))], SIZE)[0].operations[1].geometry
    assert isinstance(crop, Box) and crop.x + crop.w <= 1 and crop.y == 0


def test_given_a_step_without_a_known_action_then_it_shows_what_it_showed_without_a_reader() -> None:
    scenes = (Scene(id=0, start_ms=0, end_ms=3_000), Scene(id=1, start_ms=3_500, end_ms=9_000))
    record = ScreenRecord(reader="test", width=1920, height=1080, duration_ms=10_000, changes=(change(),))

    def evidence(*changes: int) -> BlockEvidence:
        return BlockEvidence(block_id="a", role=BlockRole.STEP, changes=changes, start_ms=3_600, end_ms=4_800)

    (as_before,) = wanted([evidence()], scenes, None, 10_000, {})
    for told in ([evidence()], [evidence(7)]):
        assert list(wanted(told, scenes, record, 10_000, {})) == [as_before]
    assert list(wanted([evidence(0)], scenes, None, 10_000, {})) == [as_before]
    assert next(wanted([evidence(0)], scenes, record, 10_000, {})).request.timestamp_ms == 4_900


def test_given_a_step_that_waits_or_presses_keys_then_nothing_is_ringed_where_the_pointer_was_left() -> None:
    for heading in ("Wait until it is ready", "Press control Z", "Save it with Ctrl+S", "Press Enter"):
        assert sights([change()], SIZE, heading)[0].operations == (), heading
    for heading in ("Press Enter report", "Open the control panel", "Click Next"):
        assert sights([change()], SIZE, heading)[0].operations, heading
