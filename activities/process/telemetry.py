"""Keeps the libraries that we run from reporting to their makers: nothing leaves the machine unless its owner says so.

ONNX Runtime, on which voice activity detection runs, sends events to Microsoft and leaves a device id in the home
folder since its version 1.29, unless an environment variable tells it not to.
"""

import os

_SWITCHES = {"ORT_DISABLE_TELEMETRY": "1"}
"""From ONNX Runtime's Privacy.md: it stops the uploader, the events and the device id."""


def report_nothing() -> None:
    """Turn off the telemetry of this process and of those it starts. Call it before such a library is loaded."""
    os.environ.update(_SWITCHES)
