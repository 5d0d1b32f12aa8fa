"""A pretend provider on this machine, whose faults can be scripted: for tests, and for trying the product without keys.

It speaks OpenAI's chat completions, models, audio transcriptions, images and moderations under ``/v1``, and is told
how to behave under ``/_sandbox``:

- ``PUT /_sandbox/script`` ``{"chat": [{"status": 429, "retry_after": "2"}, {"cut": "json"}], "transcriptions": []}``:
  what the next requests of each route get, one after another; afterwards they get a good answer again
- ``DELETE /_sandbox/script``: back to good answers
- ``GET /_sandbox/requests`` and ``DELETE``: what was received, without keys; counts by route
"""

from starter.sandbox.app import create_sandbox_app
from starter.sandbox.script import Behaviour, Cut
from starter.sandbox.server import RunningSandbox, run, running_sandbox

__all__ = ["Behaviour", "Cut", "RunningSandbox", "create_sandbox_app", "run", "running_sandbox"]
