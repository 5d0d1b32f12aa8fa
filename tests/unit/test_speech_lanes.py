"""Windows that are worked on at once: the order of their answers, and how they stop."""

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from activities.speech.lanes import in_order

PATIENCE_S = 20.0


def nothing() -> None:
    """A reader who does not mind waiting."""


def test_given_a_later_window_that_is_done_first_when_read_then_answers_come_in_the_windows_order() -> None:
    second_is_done = threading.Event()

    def answers(window: int) -> Iterator[str]:
        yield f"{window}a"
        if window == 1:
            assert second_is_done.wait(PATIENCE_S)
        yield f"{window}b"
        if window == 2:
            second_is_done.set()

    read = [(window, list(found)) for window, found in in_order([1, 2, 3], answers, lanes=2, while_waiting=nothing)]
    assert read == [(1, ["1a", "1b"]), (2, ["2a", "2b"]), (3, ["3a", "3b"])]


def test_given_two_lanes_when_windows_are_many_then_two_are_worked_on_and_one_more_waits() -> None:
    taken: list[int] = []

    def windows() -> Iterator[int]:
        for number in range(10):
            taken.append(number)
            yield number

    reading = in_order(windows(), lambda window: [window], lanes=2, while_waiting=nothing)
    with closing(reading):
        first, _ = next(reading)
    assert first == 0
    assert taken == [0, 1, 2]


def test_given_an_answer_that_fails_when_it_would_be_read_then_its_error_is_raised_after_what_came_before() -> None:
    def answers(window: int) -> Iterator[str]:
        yield "heard"
        raise RuntimeError(f"window {window}")

    read: list[str] = []
    with pytest.raises(RuntimeError, match="window 1"):
        for _, found in in_order([1, 2], answers, lanes=2, while_waiting=nothing):
            read.extend(found)
    assert read == ["heard"]


def test_given_a_reader_who_is_told_to_stop_while_it_waits_then_every_lane_stops() -> None:
    told_to_stop = threading.Event()
    begun: list[int] = []

    def answers(window: int) -> Iterator[int]:
        begun.append(window)
        assert told_to_stop.wait(PATIENCE_S)
        yield from range(1_000_000)

    def stop() -> None:
        told_to_stop.set()
        raise InterruptedError

    reading = in_order(range(5), answers, lanes=2, while_waiting=stop)
    with pytest.raises(InterruptedError), closing(reading):
        for _, found in reading:
            list(found)
    assert len(begun) <= 2
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("speech-lane")]
