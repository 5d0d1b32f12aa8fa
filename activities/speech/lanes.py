"""Works on several windows at once, and hands the answers over in the windows' order.

One answer of a small model keeps two cores two thirds busy: its spectra, its search and its aligner are work of one
thread. Two windows at once took 10.0 s, one after the other 14.9 (five minutes of talk on two cores, tiny.en).
"""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")

POLL_S = 0.2
"""How often a caller who waits for an answer may look around, and stop."""

_END = object()


@dataclass
class _Underway(Generic[Item, Answer]):
    """An item, and the answers about it as they come."""

    item: Item
    answers: SimpleQueue[object] = field(default_factory=SimpleQueue)
    work: "Future[None] | None" = None


def in_order(
    items: Iterable[Item],
    answer: Callable[[Item], Iterable[Answer]],
    *,
    lanes: int,
    while_waiting: Callable[[], None],
) -> Generator[tuple[Item, Iterator[Answer]], None, None]:
    """Each item with its answers. ``answer`` runs in ``lanes`` threads, at most one item further than those ahead of
    the reader; ``items`` and ``while_waiting`` run in the reader's own thread.

    Closing the iterator, or an exception of ``items`` or ``while_waiting``, stops the lanes after the answers that they
    are at. An exception of ``answer`` is raised where its answer would be read.
    """
    stop = threading.Event()
    underway: deque[_Underway[Item, Answer]] = deque()
    with ThreadPoolExecutor(lanes, thread_name_prefix="speech-lane") as pool:
        try:
            for item in items:
                begun: _Underway[Item, Answer] = _Underway(item)
                begun.work = pool.submit(_work, answer, begun, stop)
                underway.append(begun)
                if len(underway) > lanes:
                    yield _read(underway.popleft(), while_waiting)
            while underway:
                yield _read(underway.popleft(), while_waiting)
        finally:
            stop.set()


def _work(answer: Callable[[Item], Iterable[Answer]], underway: _Underway[Item, Answer], stop: threading.Event) -> None:
    try:
        if not stop.is_set():
            for each in answer(underway.item):
                underway.answers.put(each)
                if stop.is_set():
                    break
    finally:
        underway.answers.put(_END)


def _read(underway: _Underway[Item, Answer], while_waiting: Callable[[], None]) -> tuple[Item, Iterator[Answer]]:
    return underway.item, _answers(underway, while_waiting)


def _answers(underway: _Underway[Item, Answer], while_waiting: Callable[[], None]) -> Iterator[Answer]:
    while True:
        while_waiting()
        try:
            given = underway.answers.get(timeout=POLL_S)
        except Empty:
            continue
        if given is _END:
            break
        yield given  # type: ignore[misc]
    assert underway.work is not None
    underway.work.result()
