"""Progress on stderr: bars for a person at a terminal, lines for a log, JSON lines for a script."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol


class View(Protocol):
    """Shows steps that run, one or several at once. ``key`` names a step, ``fraction`` is 0 to 1."""

    def step(self, key: str, title: str, fraction: float) -> None:
        """The step is that far; the first call begins it, 1 ends it."""

    def say(self, text: str) -> None:
        """A sentence between the steps."""


class Bars:
    """A live bar for each step."""

    def __init__(self, progress: Any) -> None:
        self._progress = progress
        self._tasks: dict[str, Any] = {}

    def step(self, key: str, title: str, fraction: float) -> None:
        if key not in self._tasks:
            self._tasks[key] = self._progress.add_task(title, total=1.0)
        task = self._tasks[key]
        self._progress.update(task, completed=fraction)
        if fraction >= 1.0:
            self._progress.stop_task(task)

    def say(self, text: str) -> None:
        self._progress.console.print(text, highlight=False, markup=False)


class Lines:
    """One line when a step begins and one when it ends."""

    def __init__(self) -> None:
        self._began: dict[str, float] = {}
        self._ended: set[str] = set()

    def step(self, key: str, title: str, fraction: float) -> None:
        if key not in self._began:
            self._began[key] = time.monotonic()
            if fraction < 1.0:
                self.say(f"{title} …")
        if fraction >= 1.0 and key not in self._ended:
            self._ended.add(key)
            self.say(f"{title}: done ({time.monotonic() - self._began[key]:.1f} s)")

    def say(self, text: str) -> None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


class JsonLines:
    """One JSON object a line, at most one for each whole percent of a step."""

    def __init__(self) -> None:
        self._shown: dict[str, int] = {}

    def step(self, key: str, title: str, fraction: float) -> None:
        percent = int(fraction * 100)
        if self._shown.get(key) != percent:
            self._shown[key] = percent
            self._write({"step": key, "title": title, "percent": percent})

    def say(self, text: str) -> None:
        self._write({"message": text})

    @staticmethod
    def _write(line: dict[str, Any]) -> None:
        sys.stderr.write(json.dumps(line) + "\n")
        sys.stderr.flush()


@contextmanager
def shown(*, as_json: bool) -> Iterator[View]:
    """The view that fits where stderr goes."""
    if as_json:
        yield JsonLines()
        return
    if not sys.stderr.isatty():
        yield Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<26}"), BarColumn(40), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        yield Bars(progress)
