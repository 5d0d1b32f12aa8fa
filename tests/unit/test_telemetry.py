"""Nothing leaves the machine unless its owner says so: what runs inside ours must not report to its makers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

DETECTIONS = (
    "from activities.speech.voice import find_speech as detect",
    "from activities.media.tracks import speech_spans as detect",
)


@pytest.mark.parametrize("loading", DETECTIONS)
def test_voice_detection_leaves_no_device_id_and_no_event_in_the_home_folder(loading: str, tmp_path: Path) -> None:
    program = (
        f"import numpy, sys\n{loading}\ndetect(numpy.zeros(16_000, numpy.float32))\nassert 'onnxruntime' in sys.modules"
    )

    subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        timeout=120,
        cwd=Path(__file__).parents[2],
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},  # no CI, under which the library reports nothing
    )

    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
