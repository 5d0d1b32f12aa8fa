"""What is read off a recording's pictures, on films that wheels alone can make."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from activities.screen import ScreenResumePoint, read_screen
from activities.screen.actions import ObservedChange, control_of, kind_of
from activities.screen.change_detection import ChangeDetector
from activities.screen.rectangles import Rect
from activities.screen.text import Line
from activities.screen.typing_detection import is_prompt, without_prompt
from domain.errors import Cancelled
from domain.recordings.screen import PARTLY_READ, ChangeKind
from tests.children import running

SIZE, FPS = (540, 540), 10
"""Square: pictures are enlarged to 720 lines before text is sought in them, and each pixel of that costs."""
FONT = ImageFont.load_default(20)


def page(dialog: bool, ticked: bool, lit: bool, dark: bool) -> Image.Image:
    """A page with a button and a box to tick; over it, a dialog."""
    paper, ink, card = ("#16181d", "#d8dce6", "#2b3040") if dark else ("#f4f5f8", "#22252e", "#ffffff")
    picture = Image.new("RGB", SIZE, paper)
    draw = ImageDraw.Draw(picture)
    draw.text((60, 40), "Workspace settings", font=FONT, fill=ink)
    draw.rounded_rectangle((60, 100, 240, 140), 6, fill="#5f92ff" if lit else "#2f62f0")
    draw.text((80, 108), "Invite members", font=FONT, fill="white")
    draw.rectangle((60, 180, 84, 204), fill="#2f62f0" if ticked else card, outline="#8894b3", width=2)
    if ticked:
        draw.line((65, 192, 70, 198, 79, 186), fill="white", width=3)
    draw.text((96, 180), "Export data", font=FONT, fill=ink)
    if dialog:
        draw.rectangle((260, 150, 530, 390), fill=card, outline="#8894b3", width=2)
        draw.text((290, 180), "Email address", font=FONT, fill=ink)
    return picture


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return film(tmp_path_factory.mktemp("light") / "film.mp4", dark=False, webcam=False)


def film(path: Path, dark: bool, webcam: bool) -> Path:
    """The pointer goes to the box, ticks it at 3 s, goes to the button that lights up, opens the dialog at 7 s; 10 s in
    all."""

    ways = ((1.0, 2.0, (340, 460), (72, 192)), (5.0, 6.0, (72, 192), (150, 120)))

    def frames() -> Iterator[Image.Image]:
        for number in range(10 * FPS):
            at = number / FPS
            picture = page(at >= 7, at >= 3, at >= 5.9, dark)
            draw = ImageDraw.Draw(picture)
            x, y = pointer_on(ways, at)
            draw.polygon([(x, y), (x, y + 20), (x + 5, y + 15), (x + 14, y + 14)], fill="black", outline="white")
            if webcam:
                draw.ellipse((440, 430, 530, 520), fill=(90 + 40 * (number % 4), 60 + 50 * (number % 3), 80))
            yield picture

    return filmed(path, frames())


Spot = tuple[int, int]


def pointer_on(ways: Sequence[tuple[float, float, Spot, Spot]], at: float) -> tuple[float, float]:
    """Where it is at a second, that goes from spot to spot: ``(from, until, start, end)`` of each way, in order."""
    place: tuple[float, float] = ways[0][2]
    for start, end, a, b in ways:
        share = min(1.0, max(0.0, (at - start) / (end - start)))
        place = (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share) if at >= start else place
    return place


def filmed(path: Path, frames: Iterator[Image.Image]) -> Path:
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=FPS)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        stream.options = {"crf": "24", "preset": "veryfast"}
        for number, each in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(np.asarray(each), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


@pytest.mark.parametrize("dark_with_a_webcam", [False, True], ids=["light", "dark-with-a-webcam"])
def test_what_was_clicked_is_found_with_its_control_and_nothing_else(
    light: Path, tmp_path: Path, dark_with_a_webcam: bool
) -> None:
    record = read_screen(film(tmp_path / "film.mp4", dark=True, webcam=True) if dark_with_a_webcam else light)
    ticked, opened = record.changes
    assert (ticked.kind, opened.kind) == (ChangeKind.PRESS, ChangeKind.PRESS)
    assert 2900 <= ticked.at_ms <= 3300 and 6900 <= opened.at_ms <= 7300
    assert (ticked.label, opened.label) == ("Export data", "Invite members")
    assert (ticked.marked, opened.marked) == (True, None)
    assert opened.appeared == ("Email address",) and record.warnings == ()
    for change, (x, y) in ((ticked, (72, 192)), (opened, (150, 120))):
        assert change.control is not None
        assert abs((change.control.x + change.control.w / 2) * SIZE[0] - x) <= 25
        assert abs((change.control.y + change.control.h / 2) * SIZE[1] - y) <= 25
        assert change.before_ms < change.at_ms < change.after_ms <= change.until_ms
    assert {each.text for each in record.texts_at(1000)} >= {"Workspace settings", "Invite members", "Export data"}
    assert "Email address" not in {each.text for each in record.texts_at(1000)}


def form(path: Path) -> Path:
    """The pointer goes to a list and opens it at 3 s, to a field in which "Checkout is slow" is typed from 6 s on, and
    to a button at 10 s: a ripple, and a message far from it. 12 s in all."""
    ways = ((1.0, 2.4, (480, 380), (150, 120)), (4.4, 5.4, (150, 120), (200, 330)), (8.6, 9.6, (200, 330), (110, 420)))
    value = "Checkout is slow"

    def frames() -> Iterator[Image.Image]:
        for number in range(12 * FPS):
            at = number / FPS
            picture = Image.new("RGB", SIZE, "#f4f5f8")
            draw = ImageDraw.Draw(picture)
            draw.text((60, 40), "New alert", font=FONT, fill="#22252e")
            draw.rectangle((60, 100, 460, 140), fill="white", outline="#8894b3", width=2)
            draw.text((74, 108), "Metric", font=FONT, fill="#22252e")
            if 3 <= at < 5.6:
                draw.rectangle((60, 146, 460, 226), fill="white")
                draw.text((74, 152), "Error rate", font=FONT, fill="#22252e")
                draw.text((74, 190), "Latency", font=FONT, fill="#22252e")
            draw.text((60, 282), "Description", font=FONT, fill="#22252e")
            draw.rectangle((60, 310, 460, 350), fill="white", outline="#8894b3", width=2)
            draw.text((74, 318), value[: max(0, int((at - 6) * 8))], font=FONT, fill="#22252e")
            draw.rounded_rectangle((60, 400, 200, 440), 6, fill="#2f62f0")
            draw.text((80, 408), "Create", font=FONT, fill="white")
            if at >= 10:
                draw.rectangle((270, 470, 530, 510), fill="#177245")
                draw.text((290, 478), "Alert created", font=FONT, fill="white")
            x, y = pointer_on(ways, at)
            if 10 <= at < 10.3:
                ring = 8 + 60 * (at - 10)
                draw.ellipse((x - ring, y - ring, x + ring, y + ring), outline="#e5484d", width=3)
            draw.polygon([(x, y), (x, y + 20), (x + 5, y + 15), (x + 14, y + 14)], fill="black", outline="white")
            yield picture

    return filmed(path, frames())


def test_lists_that_open_typed_texts_and_messages_are_told_apart_and_so_is_when_the_hand_set_off(
    tmp_path: Path,
) -> None:
    record = read_screen(form(tmp_path / "form.mp4"))
    opened, *_, typed, sent = record.changes
    assert (opened.kind, opened.label, opened.appeared) == (ChangeKind.PRESS, "Metric", ("Error rate", "Latency"))
    assert (typed.kind, typed.label, typed.appeared) == (ChangeKind.TYPING, "Description", ("Checkout is slow",))
    assert (sent.kind, sent.label, sent.appeared) == (ChangeKind.PRESS, "Create", ("Alert created",))
    for change, set_off_ms in ((opened, 1_000), (typed, 4_400), (sent, 8_600)):
        assert change.hand_ms is not None and abs(change.hand_ms - set_off_ms) <= 300
    assert [(round(rest.at.x * SIZE[0], -1), rest.start_ms // 500 * 500) for rest in record.rests][-1] == (110, 9_500)


def test_a_reading_goes_on_where_it_stopped_and_stops_when_told(light: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)  # whoever loads it here fails: it is all read elsewhere
    saved: list[ScreenResumePoint] = []

    def stop_after(position_ms: int) -> Callable[[int], None]:
        def at(now_ms: int) -> None:
            if now_ms > position_ms:
                raise Cancelled("Stopped.")

        return at

    with pytest.raises(Cancelled):
        read_screen(light, on_progress=stop_after(5_000), save=saved.append, save_every_s=0)
    assert running("decoder.py") == []
    assert saved[-1].resume_ms >= 3_500
    while_it_rests = next(each for each in saved if each.resume_ms >= 2_400)  # at the box that is ticked at 3 s
    for moment in (while_it_rests, saved[-1]):
        rest = read_screen(light, so_far=ScreenResumePoint.model_validate_json(moment.model_dump_json()))
        assert [each.label for each in rest.changes] == ["Export data", "Invite members"]
        assert [round(each.at_ms, -3) for each in rest.changes] == [3_000, 7_000]
        assert [round((each.hand_ms or 0), -3) for each in rest.changes] == [1_000, 5_000]

    costly = saved[-1].model_copy(update={"shown": saved[-1].shown.model_copy(update={"spent_s": 1_000.0})})
    hasty = read_screen(light, so_far=costly)
    assert hasty.warnings == (PARTLY_READ,) and rest.warnings == ()
    assert [each.label for each in hasty.changes] == ["Export data", "Invite members"]
    assert "Email address" in {each.text for each in rest.texts} - {each.text for each in hasty.texts}


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("$ npm ci", "npm ci"),
        ("kim@host:~/api$ git status", "git status"),
        ("PS C:\\Users\\kim> dir", "dir"),
        ("(venv) $ pip list", "pip list"),
        ("Price $ 5", "Price $ 5"),
    ],
)
def test_a_command_is_what_stands_behind_the_prompt(line: str, command: str) -> None:
    assert without_prompt(line) == command
    assert not is_prompt(line)
    assert is_prompt("$") and is_prompt("kim@host:~$ ")


def test_the_pointer_is_followed_where_what_was_under_it_goes_and_where_it_takes_another_shape() -> None:
    def look(at: tuple[float, float], listed: bool, hand: bool) -> np.ndarray:
        picture = Image.new("L", (960, 540), 245)
        draw = ImageDraw.Draw(picture)
        if listed:
            draw.rectangle((200, 200, 480, 400), fill=205)
            draw.rectangle((200, 290, 480, 320), fill=185)  # lit
        x, y = at
        shape = ((0, 0), (3, 0), (3, 8), (13, 10), (13, 20), (1, 22)) if hand else ((0, 0), (0, 17), (4, 13), (12, 12))
        draw.polygon([(x + a, y + b) for a, b in shape], fill=0, outline=255)
        return np.asarray(picture)

    places = [(700 - 40 * step, 440 - 14 * step) for step in range(11)]
    story = [
        *((place, True, False) for place in places),
        *[(places[-1], True, True)] * 12,
        *[(places[-1], False, False)] * 12,
        *(((300 - 20 * step, 300 - 20 * step), False, False) for step in range(1, 9)),
        *[((140, 140), False, False)] * 8,
    ]
    settling = ChangeDetector(look(*story[0]), 0)
    for number, each in enumerate(story[1:], start=1):
        settling.until(number * 100)
        settling.see(number * 100, look(*each))
    last = settling.pointer.last
    assert last is not None
    assert abs(last.tip[0] - 140) <= 8 and abs(last.tip[1] - 140) <= 8
    there, here = settling.pointer.rests(len(story) * 100)[-2:]
    assert abs(there.x - 300) <= 8 and abs(here.x - 140) <= 8
    assert abs(there.end_ms - 3_400) <= 300


def quick_hands(path: Path, *, held: bool) -> Path:
    """A box is ticked at 2.0 s, and a field below it that comes with that is filled at 3.5 s: the hand is there before
    the screen has settled. The field's outline is thin, and paler at its corners. 5 s in all. ``held``: by a hand that
    shakes, over a darker table."""
    ways = ((0.6, 1.6, (500, 480), (73, 193)), (2.5, 3.0, (73, 193), (190, 290)))

    def frames() -> Iterator[Image.Image]:
        for number in range(5 * FPS):
            at = number / FPS
            x, y = map(round, pointer_on(ways, at))
            picture = Image.new("RGB", SIZE, "white")
            draw = ImageDraw.Draw(picture)
            draw.rectangle((60, 180, 84, 204), fill="#2f62f0" if at >= 2 else "white", outline="#8894b3", width=2)
            draw.text((100, 178), "Two-factor login", font=FONT, fill="#22252e")
            if at >= 2:
                draw.text((60, 240), "Phone number", font=FONT, fill="#22252e")
                draw.rounded_rectangle((60, 270, 460, 306), 6, fill="white", outline="#8894b3", width=2)
                draw.text((74, 276), "555 0137" if at >= 3.5 else "", font=FONT, fill="#22252e")
            draw.polygon([(x, y), (x, y + 20), (x + 5, y + 15), (x + 14, y + 14)], fill="black", outline="white")
            if held:
                table = Image.new("RGB", SIZE, "#444")
                table.paste(picture, (round(4 * np.sin(number / 3)), round(5 * np.cos(number / 4 + 1))))
                picture = table
            yield picture

    return filmed(path, frames())


@pytest.mark.parametrize("held", [False, True], ids=["recorded", "filmed by hand"])
def test_given_hands_that_go_on_before_the_screen_has_settled_then_each_action_has_its_control(
    tmp_path: Path, held: bool
) -> None:
    ticked, filled = read_screen(quick_hands(tmp_path / "quick.mp4", held=held)).changes
    assert (ticked.kind, ticked.label) == (ChangeKind.PRESS, "Two-factor login")
    assert (filled.kind, filled.label, filled.appeared) == (ChangeKind.TYPING, "Phone number", ("555 0137",))
    assert abs(ticked.at_ms - 2_000) <= 300 and abs(filled.at_ms - 3_500) <= 300
    assert filled.control is not None and abs(filled.control.w * SIZE[0] - 400) <= 6


def test_given_a_video_in_the_page_then_what_moves_through_it_is_no_change_and_a_click_beside_it_is_one() -> None:
    def look(at_ms: int) -> np.ndarray:
        picture = Image.new("L", (960, 540), 230)
        draw = ImageDraw.Draw(picture)
        draw.rectangle((600, 60, 900, 240), fill=90)
        for number in range(4):  # each comes to no place often
            angle = at_ms / 1_000 * (0.8 + 0.3 * number) + number
            x, y = 750 + 110 * np.cos(angle), 150 + 55 * np.sin(1.3 * angle)
            draw.ellipse((x - 22, y - 22, x + 22, y + 22), fill=40 + 50 * number)
        if at_ms >= 9_000:
            draw.rectangle((100, 400, 160, 430), fill=30)
        return np.asarray(picture, dtype=np.uint8)

    settling, found = ChangeDetector(look(0), 0), []
    for at_ms in range(100, 14_000, 100):
        found += [patch for patch in settling.until(at_ms) if patch.came_ms >= 6_000]
        settling.see(at_ms, look(at_ms))
    beside = [patch for patch in found if patch.place.left < 560]
    assert [(patch.place.edges, patch.left_ms) for patch in beside] == [((98, 398, 163, 433), 9_000)]
    assert len(found) - len(beside) <= 3


def sheet(path: Path) -> Path:
    """A menu bar, whose Data opens at 2.0 s; at 4.5 s it closes, and the sheet at the lower edge takes the place of the
    first, under a pointer of which only the upper half is to be seen. 6 s in all."""
    ways = ((0.6, 1.6, (500, 300), (285, 22)), (2.8, 3.8, (285, 22), (190, 528)))

    def frames() -> Iterator[Image.Image]:
        for number in range(6 * FPS):
            at = number / FPS
            x, y = map(round, pointer_on(ways, at))
            picture = Image.new("RGB", SIZE, "white")
            draw = ImageDraw.Draw(picture)
            left = 20.0
            for name in ("File", "Edit", "View", "Insert", "Data", "Tools"):
                draw.text((left, 10), name, font=FONT, fill="#22252e")
                left += draw.textlength(name, font=FONT) + 22
            for row in range(6):
                cells = ("Marketing", "9800") if at < 4.5 else ("Research", "11000")
                for column, cell in enumerate(cells):
                    draw.text((60 + 200 * column, 120 + 40 * row), cell, font=FONT, fill="#22252e")
            if 2.0 <= at < 4.5:
                draw.rectangle((262, 40, 500, 150), fill="#f4f5f8", outline="#8894b3", width=2)
                draw.text((280, 52), "Sort range", font=FONT, fill="#22252e")
                draw.text((280, 92), "Named ranges", font=FONT, fill="#22252e")
            for column, name in enumerate(("January", "February")):
                chosen = (column == 1) == (at >= 4.5)
                draw.rectangle((20 + 140 * column, 504, 150 + 140 * column, 540), fill="#d7e3fb" if chosen else "#eee")
                draw.text((36 + 140 * column, 510), name, font=FONT, fill="#22252e")
            draw.polygon([(x, y), (x, y + 20), (x + 5, y + 15), (x + 14, y + 14)], fill="black", outline="white")
            yield picture

    return filmed(path, frames())


def test_given_a_menu_bar_and_a_control_at_the_edge_of_the_picture_then_each_has_its_name(tmp_path: Path) -> None:
    record = read_screen(sheet(tmp_path / "sheet.mp4"))
    assert [change.label for change in record.changes] == ["Data", "February"]
    assert {"File", "Edit", "View", "Insert", "Data", "Tools"} <= {text.text for text in record.texts}
    data = next(text for text in record.texts if text.text == "Data")
    assert data.box.w * SIZE[0] < 60
    assert record.changes[1].pointer is not None
    assert abs(record.changes[1].pointer.y * SIZE[1] - 528) <= 8


def small(path: Path) -> Path:
    """Dark, and in small letters: the pointer crosses a short field until 1 s, and stays beside the digits that are
    typed from 1.6 s on; at 3.6 s it comes to a button, and is hardly there when an error fades in. 5 s in all."""
    ways, font = ((0.4, 1.0, (40, 440), (118, 121)), (2.8, 3.6, (118, 121), (110, 320))), ImageFont.load_default(14)

    def frames() -> Iterator[Image.Image]:
        for number in range(5 * FPS):
            at = number / FPS
            x, y = map(round, pointer_on(ways, at))
            picture = Image.new("RGB", SIZE, "#16181d")
            draw = ImageDraw.Draw(picture)
            draw.text((60, 84), "Port", font=font, fill="#8b93a3")
            draw.rectangle((60, 106, 160, 136), outline="#3a3f4b")
            draw.text((70, 113), "8080"[: max(0, int((at - 1.4) * 5))], font=font, fill="#d6dae3")
            draw.rectangle((60, 304, 180, 336), fill="#2f62f0")
            draw.text((80, 312), "Check", font=font, fill="white")
            failed = picture.copy()
            ImageDraw.Draw(failed).text((60, 150), "This port does not exist", font=font, fill="#ff6b6b")
            picture = Image.blend(picture, failed, min(1.0, max(0.0, 0.1 + (at - 3.6) * 9)) if at >= 3.6 else 0.0)
            draw = ImageDraw.Draw(picture)
            draw.polygon([(x, y), (x, y + 20), (x + 5, y + 15), (x + 14, y + 14)], fill="black", outline="white")
            yield picture

    return filmed(path, frames())


def test_given_small_letters_beside_the_pointer_and_an_error_as_it_arrives_then_both_are_changes(
    tmp_path: Path,
) -> None:
    typed, failed = read_screen(small(tmp_path / "small.mp4")).changes
    assert (typed.label, typed.appeared) == ("Port", ("8080",))
    assert (failed.label, failed.appeared) == ("Check", ("This port does not exist",))


def test_given_a_list_whose_entries_have_no_lines_between_then_the_one_at_the_pointer_was_clicked() -> None:
    """The field's value stands above the list as a field's name does above that."""
    picture = Image.new("RGB", (960, 540), "#f4f5f8")
    ImageDraw.Draw(picture).rectangle((60, 146, 460, 216), fill="white", outline="#8894b3", width=2)
    look: Any = SimpleNamespace(at_ms=0, colours=np.array(picture), grey=np.array(picture.convert("L")))
    lines = [
        Line(text, Rect(left, top, left + 9 * len(text), top + 20), 0.99)
        for text, left, top in (("glob", 69, 124), ("Globex Corporation", 76, 152), ("Globex Energy", 76, 188))
    ]
    moved = [Line("Test payments", Rect(500, 300, 620, 320), 0.99)]
    change = ObservedChange(
        before=look,
        clean=look,
        after=look,
        places=[moved[0].place],
        content=[],
        lasted_ms=900,
        lines=lines,
        replaced=np.ones((45, 80), dtype=bool),
        share=0.1,
        gone=[Line("Test payments", Rect(100, 300, 220, 320), 0.99)],
        came=moved,
        pointer=(120.0, 198.0),
        covers=None,
        moving=False,
        restless=False,
        stopped=True,
    )
    for at in ((120.0, 198.0), (230.0, 199.0)):
        control, label = control_of(replace(change, pointer=at), ChangeKind.PRESS)
        assert label == lines[2]
        assert control is not None and control.contains(*at) and control.contains(80, 198)
    assert kind_of(change) is ChangeKind.PRESS  # a card that was dragged, and no text that was typed
