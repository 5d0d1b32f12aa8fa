"""Free ports on the loopback address."""

import socket
from collections.abc import Iterable, Sequence

LOOPBACK = "127.0.0.1"


def is_free(port: int) -> bool:
    """Whether a server could listen on ``port`` now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As servers do: a port whose last connections still linger counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def choose(wanted: Sequence[Iterable[int]]) -> list[int]:
    """One free port for each entry of ``wanted``: its first free candidate, else whatever the system offers. All are
    different."""
    chosen: list[int] = []
    for candidates in wanted:
        port = next((each for each in candidates if each not in chosen and is_free(each)), None)
        chosen.append(port if port is not None else _any_free(chosen))
    return chosen


def _any_free(taken: Sequence[int]) -> int:
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.bind((LOOPBACK, 0))
            port = int(probe.getsockname()[1])
        if port not in taken:
            return port
