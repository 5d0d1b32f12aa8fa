"""What a provider has shown that it cannot do: believed for a while, and then asked for again."""

import time
from collections.abc import Callable

BELIEVED_S = 600.0
"""A refusal may have meant the one request: what was asked more loosely after it, and answered, must not cost every
later request its schema or its times for as long as the process lives. One refused request in ten minutes is cheap."""


class Learned:
    """A number, 0 until something was learnt and once that is too long ago. Safe to use from several threads.

    Args:
        clock: Seconds that never go back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known = (0, 0.0)

    @property
    def value(self) -> int:
        value, until = self._known
        return value if self._clock() < until else 0

    def learn(self, value: int) -> None:
        """Believe it from now on. What is believed already is so no longer than before."""
        if value != self.value:
            self._known = (value, self._clock() + BELIEVED_S)
