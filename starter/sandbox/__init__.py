"""A pretend provider on this machine, whose faults can be scripted: for tests, and for trying the product without keys.

It speaks OpenAI's chat completions, models, audio transcriptions and speech, images and moderations, and Replicate's
predictions with signed webhooks, all under ``/v1``, and is told how to behave under ``/_sandbox``:

- ``PUT /_sandbox/script`` ``{"chat": [{"status": 429, "retry_after": "2"}, {"cut": "json"}], "transcriptions": []}``:
  what the next requests of each route get, one after another; afterwards they get a good answer again
- ``DELETE /_sandbox/script``: back to good answers
- ``PUT /_sandbox/predictions`` ``[{"verdict": "nsfw"}, {"takes_ms": 500, "calls": [{"times": 2}, {"forged": true}]}]``:
  what becomes of the next predictions (:class:`Course`), and how they call back (:class:`Call`)
- ``POST /_sandbox/predictions/{id}/calls`` ``{"age_s": 600}``: call back about one now; answers what came of it
- ``GET /_sandbox/calls``: every webhook that was sent, and how it was answered
- ``GET /_sandbox/requests`` and ``DELETE``: what was received, without keys; counts by route

A request with an ``Idempotency-Key`` that was answered well is answered the same again, and makes nothing anew.
"""

from starter.sandbox.app import create_sandbox_app
from starter.sandbox.calling import SECRET, Call, Sent
from starter.sandbox.predictions import Course, Verdict
from starter.sandbox.script import Behaviour, Cut
from starter.sandbox.server import RunningSandbox, run, running_sandbox

__all__ = [
    "SECRET",
    "Behaviour",
    "Call",
    "Course",
    "Cut",
    "RunningSandbox",
    "Sent",
    "Verdict",
    "create_sandbox_app",
    "run",
    "running_sandbox",
]
