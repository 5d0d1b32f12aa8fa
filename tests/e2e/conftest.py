"""One stack for the tests that only look at its answers; the fault tests make their own."""

from collections.abc import Iterator
from pathlib import Path

import av
import pytest

from activities.batching.clips import cut
from domain.orders.batch import Span
from tests.databases import PostgresServer, temporary_postgres
from tests.stack import ROOT, Stack, running_stack
from tests.temporal import TemporalServer


def repeated_sound(recording: Path, out: Path, times: int) -> Path:
    """The sound of ``recording``, ``times`` over, as 16 kHz mono FLAC."""
    with av.open(str(out), "w") as sink:
        target = sink.add_stream("flac", rate=16_000, layout="mono")
        position = 0
        for _ in range(times):
            resampler = av.AudioResampler("s16", "mono", 16_000)
            with av.open(str(recording)) as source:
                for frame in source.decode(audio=0):
                    for piece in resampler.resample(frame):
                        piece.pts = position
                        position += piece.samples
                        sink.mux(target.encode(piece))
        sink.mux(target.encode(None))
    return out


SAMPLE = ROOT / "sample" / "recording.mp4"

PIECE_MS = 45_000
"""About as long as the sample, and longer than what is decoded at once. Pieces of five minutes show nothing more, and
take a minute to hear."""


@pytest.fixture(scope="session")
def sample() -> Path:
    return SAMPLE


@pytest.fixture(scope="session")
def short(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """How the sample begins, for tests in which the words do not matter: soon heard."""
    clip = tmp_path_factory.mktemp("short") / "short.mp4"
    cut(sample, Span(start_ms=0, end_ms=14_000), clip)
    return clip


MISSED_AFTER_S = 10.0
"""Without a beat, where nobody kills a worker: on a busy machine one may come seconds late, and would be missed."""


@pytest.fixture(scope="session")
def shared_stack(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack with one worker, for the session."""
    with running_stack(tmp_path_factory.mktemp("stack"), temporal, heartbeat_timeout_s=MISSED_AFTER_S) as stack:
        stack.start_worker()
        yield stack


@pytest.fixture(scope="session")
def twofold_talk(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's narration twice: two pieces, where one is to be as long as :data:`PIECE_MS` says."""
    return repeated_sound(sample, tmp_path_factory.mktemp("talk") / "talk.flac", times=2)


@pytest.fixture
def own_postgres() -> Iterator[PostgresServer]:
    """A Postgres that a test may stop."""
    yield from temporary_postgres()


@pytest.fixture(scope="session")
def long_talk(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's narration, four times in a row: long enough to be interrupted."""
    return repeated_sound(sample, tmp_path_factory.mktemp("talk") / "talk.flac", times=4)


@pytest.fixture
def stack(temporal: TemporalServer, tmp_path: Path) -> Iterator[Stack]:
    """A stack of its own, without a worker."""
    with running_stack(tmp_path, temporal) as stack:
        yield stack


@pytest.fixture
def lasting_stack(temporal: TemporalServer, tmp_path: Path) -> Iterator[Stack]:
    """The same for a test that kills no worker."""
    with running_stack(tmp_path, temporal, heartbeat_timeout_s=MISSED_AFTER_S) as stack:
        yield stack
