"""Given what was read off a screen, then what is private is found, wherever it stands, and nothing else is."""

import pytest

from domain.documents.annotations import MOST_OPERATIONS, Blur, Ring
from domain.documents.privacy import Unchecked, private_in, private_of, to_blur, unchecked, with_blurs
from domain.geometry import Box
from domain.recordings.screen import ScreenRecord, ScreenText

BOX = Box(x=0.1, y=0.2, w=0.4, h=0.03)
LISTED = ("Anna Berg", "Project Falcon")


def line(text: str, start_ms: int = 0, end_ms: int = 5_000, confidence: float = 0.95) -> ScreenText:
    return ScreenText(id=0, text=text, box=BOX, confidence=confidence, start_ms=start_ms, end_ms=end_ms)


def screen(*texts: ScreenText) -> ScreenRecord:
    return ScreenRecord(reader="test", width=1280, height=720, duration_ms=60_000, texts=texts)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("Email joe@example.com", "email", "joe@example.com"),
        ("joe.doe+x@ mail.example.co.uk sent", "email", "joe.doe+x@ mail.example.co.uk"),
        ("sk-proj-4f9aXk2LmQ8r", "key", "sk-proj-4f9aXk2LmQ8r"),
        ("export GITHUB=ghp_16C7e42F292c6912E7710c838347Ae178B4a", "key", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
        ("AKIAIOSFODNN7EXAMPLE", "key", "AKIAIOSFODNN7EXAMPLE"),
        ("Password: hunter2", "key", "hunter2"),
        ("id 3fa85f64-5717-4562-b3fc-2c963f66afa6", "key", "3fa85f64-5717-4562-b3fc-2c963f66afa6"),
        ("Card 4111 1111 1111 1111", "card", "4111 1111 1111 1111"),
        ("5500-0055-5555-5559 valid", "card", "5500-0055-5555-5559"),
        ("Call +49 30 901820", "phone", "+49 30 901820"),
        ("(415) 555-2671", "phone", "(415) 555-2671"),
        ("Tel. 030/1234567", "phone", "030/1234567"),
        ("Owner ANNA  BERG, Admin", "listed", "ANNA  BERG"),
        ("project falcon", "listed", "project falcon"),
    ],
)
def test_given_a_line_then_what_is_private_in_it_is_found(text: str, kind: str, value: str) -> None:
    (found,) = private_in(text, LISTED)
    assert (str(found.kind), found.text) == (kind, value)
    assert text[found.start : found.end] == value


@pytest.mark.parametrize(
    "text",
    [
        *("Invite members", "2026-11-28 21:42", "28.11.2026", "Apr 10, 2026", "$2,380.00", "42 invoices"),
        *("1234 5678 9012 3456", "Version 10.4.2", "192.168.10.12", "10:30 - 11:45", "MP-1042", "1920 x 1080"),
        *("https://app.example.com/billing/overview", "Annabergstrasse", "100 000 000", "some-internationalization"),
    ],
)
def test_given_an_ordinary_line_then_nothing_in_it_is_private(text: str) -> None:
    assert private_in(text, LISTED) == ()


def test_given_a_value_in_a_line_then_its_place_is_covered_with_some_margin() -> None:
    text = "Signed in as joe@example.com today"
    ((_, box),) = to_blur(screen(line(text)), 1_000, ())
    wide = BOX.w / len(text)
    start, end = BOX.x + text.index("joe") * wide, BOX.x + (text.index(".com") + 4) * wide
    assert box.x < start and box.x + box.w > end
    assert box.y < BOX.y and box.y + box.h > BOX.y + BOX.h
    assert box.w < BOX.w * 0.75


@pytest.mark.parametrize(
    "read",
    ["joe@example.com", "joe @example.corn", "joeexample.com", "joe@exam", "JOE@EXAMPLE.COM", "jce@example com"],
)
def test_given_a_value_that_is_read_differently_on_another_picture_then_it_is_covered_there_too(read: str) -> None:
    record = screen(line("joe@example.com", 0, 5_000), line(read, 30_000, 40_000))
    known = private_of(record)
    ((_, box),) = to_blur(record, 35_000, known)
    assert box.x <= BOX.x and box.x + box.w >= BOX.x + BOX.w
    assert to_blur(record, 20_000, known) == ()


def test_given_only_the_domain_of_an_address_then_it_is_not_covered() -> None:
    record = screen(line("joe@example.com", 0, 5_000), line("www.example.com", 30_000, 40_000))
    assert to_blur(record, 35_000, private_of(record)) == ()


def test_given_a_frame_a_moment_before_its_text_was_read_then_it_is_covered() -> None:
    assert to_blur(screen(line("joe@example.com", 6_500, 9_000)), 6_370, ())


def test_given_a_picture_that_nobody_could_read_then_it_is_said_so() -> None:
    record = screen(line("joe@example.com", 0, 5_000), line("Inv1te mernbers", 30_000, 40_000, confidence=0.3))
    assert unchecked(record, 1_000) is None
    assert unchecked(record, None) is Unchecked.NO_MOMENT
    assert unchecked(record, 20_000) is Unchecked.NOT_READ
    assert unchecked(None, 1_000) is Unchecked.NOT_READ
    assert unchecked(record, 35_000) is Unchecked.READ_BADLY


def test_given_a_drawing_then_blurs_go_below_it_and_a_second_time_nothing_is_added() -> None:
    ring = Ring(op_type="ring", geometry=BOX)
    once = with_blurs((ring,), [BOX, BOX])
    assert [each.op_type for each in once] == ["blur", "ring"]
    assert with_blurs(once, [BOX]) == once
    many = [Box(x=n / 300, y=n / 300, w=0.003, h=0.003) for n in range(150)]
    full = with_blurs((ring,), many)
    assert len(full) == MOST_OPERATIONS
    assert full[-1] == ring and isinstance(full[0], Blur)
    assert with_blurs(full, many) == full
