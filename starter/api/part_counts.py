"""Which parts of an upload have arrived, as this process last knew: so that not every part asks for all before it.

A list of 2,000 parts takes tens of milliseconds, and there would be two for each part. Here it is taken again when it
is older than some times as long as it took; what this process itself took in between is added. What other processes
took is then seen a little later, which costs nothing: a confirmation counts for itself.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from domain.uploads import ArrivedPart

AGE_PER_TAKEN = 20.0
"""How many times as long as a list took it is used: some 5 % of the time goes into lists."""

UPLOADS_KEPT = 500


@dataclass
class _Counted:
    sizes: dict[int, int]
    until: float
    lock: threading.Lock = field(default_factory=threading.Lock)


class PartCounts:
    """Of all uploads of one process; shared by its threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._uploads: OrderedDict[str, _Counted] = OrderedDict()
        self._lock = threading.Lock()

    def sizes(self, upload: str, listed: Callable[[], Iterable[ArrivedPart]]) -> dict[int, int]:
        """Bytes by part number. What ``listed`` raises is raised."""
        counted = self._of(upload)
        with counted.lock:
            began = self._clock()
            if began >= counted.until:
                counted.sizes = {part.number: part.size_bytes for part in listed()}
                counted.until = self._clock() + AGE_PER_TAKEN * (self._clock() - began)
            return dict(counted.sizes)

    def took(self, upload: str, number: int, size_bytes: int) -> None:
        """This process has put a part there; an empty one but the first is one that was taken back."""
        counted = self._of(upload)
        with counted.lock:
            if size_bytes or number == 1:
                counted.sizes[number] = size_bytes
            else:
                counted.sizes.pop(number, None)

    def forget(self, upload: str) -> None:
        """Something else has changed what is there: the next question lists."""
        with self._lock:
            self._uploads.pop(upload, None)

    def _of(self, upload: str) -> _Counted:
        with self._lock:
            counted = self._uploads.setdefault(upload, _Counted({}, float("-inf")))
            self._uploads.move_to_end(upload)
            while len(self._uploads) > UPLOADS_KEPT:
                self._uploads.popitem(last=False)
            return counted
