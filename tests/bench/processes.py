"""CPU time by process, as the kernel counts it."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass

import psutil


@dataclass(frozen=True)
class Cpu:
    """Seconds of CPU time."""

    user: float = 0.0
    system: float = 0.0

    def __add__(self, other: "Cpu") -> "Cpu":
        return Cpu(self.user + other.user, self.system + other.system)

    def __sub__(self, other: "Cpu") -> "Cpu":
        return Cpu(self.user - other.user, self.system - other.system)

    @property
    def total(self) -> float:
        return self.user + self.system


def cpu_of(pid: int) -> Cpu:
    """What a process and its children, living and reaped, have used."""
    root = psutil.Process(pid)
    used = _own(root)
    if pid != os.getpid():  # the benchmark itself is the parent of everything that it measures
        used += sum((_own(child) for child in root.children(recursive=True)), Cpu())
    return used


def _own(process: psutil.Process) -> Cpu:
    times = process.cpu_times()
    if process.pid == os.getpid():
        return Cpu(times.user, times.system)
    return Cpu(times.user + times.children_user, times.system + times.children_system)


def child_called(name: str) -> int:
    """The pid of the benchmark's own child of that name: of several, the last that it started."""
    found = [child for child in psutil.Process().children() if child.name() == name]
    return max(found, key=psutil.Process.create_time).pid


class Meter:
    """What each of the named processes has used since the meter was made."""

    def __init__(self, pids: Mapping[str, int]) -> None:
        self._pids = pids
        self._start, self._machine = self._now(), _busy()
        self._begun = time.perf_counter()

    def _now(self) -> dict[str, Cpu]:
        return {name: cpu_of(pid) for name, pid in self._pids.items()}

    def read(self) -> dict[str, Cpu]:
        now = self._now()
        return {name: now[name] - self._start[name] for name in self._pids}

    def others(self) -> float:
        """The part of the machine's capacity, 0 to 1, that other processes than the named have used."""
        ours = sum(used.total for used in self.read().values())
        capacity = (time.perf_counter() - self._begun) * (os.cpu_count() or 1)
        return max(0.0, _busy() - self._machine - ours) / capacity


def _busy() -> float:
    """Seconds of CPU time that the whole machine has spent working."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system + times.irq + times.softirq)
