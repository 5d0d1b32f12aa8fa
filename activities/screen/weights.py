"""Finds and loads the weights that read text. Nothing is ever downloaded.

PP-OCRv6 small (Apache-2.0), from the wheel ``rapidocr``, which is pinned. Measured against others on screens of 13
pixel text, light, dark and in a terminal.
"""

import hashlib
import importlib.util
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from domain.errors import ScreenReaderUnavailable

if TYPE_CHECKING:
    import onnxruntime

READER = "pp-ocrv6-small"
_PACKAGE = "rapidocr"
_SHA256 = {
    "PP-OCRv6_det_small.onnx": "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
    "PP-OCRv6_rec_small.onnx": "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
}
"""Of the files of rapidocr 3.10.0."""
DETECTOR, RECOGNISER = _SHA256

_loading = threading.Lock()
_loaded: "dict[tuple[str, int], onnxruntime.InferenceSession]" = {}


def weights_folder() -> Path:
    """Where the weights are.

    Raises:
        ScreenReaderUnavailable: The package is not installed.
    """
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise _not_installed()
    return Path(found.origin).parent / "models"


def load(name: str, threads: int) -> "onnxruntime.InferenceSession":
    """The network in the file ``name``, computing with ``threads`` threads; loaded once a process.

    Raises:
        ScreenReaderUnavailable: The file is missing, or not the one that was measured.
    """
    with _loading:
        session = _loaded.get((name, threads))
        if session is None:
            session = _loaded[name, threads] = _load(name, threads)
        return session


def _load(name: str, threads: int) -> "onnxruntime.InferenceSession":
    import onnxruntime  # it has threads from here on: whoever forks processes that read has not loaded it

    try:
        network = (weights_folder() / name).read_bytes()
    except OSError as fault:
        raise _not_installed() from fault
    if hashlib.sha256(network).hexdigest() != _SHA256[name]:
        raise _not_installed()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = False
    # threads that spin while they wait take the cores from the transcription beside
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])


def _not_installed() -> ScreenReaderUnavailable:
    return ScreenReaderUnavailable(
        "The weights that read text on the screen are not installed, or are not the ones that this version was "
        "measured with. Install guidesmith again."
    )
