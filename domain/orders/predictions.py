"""How a model of predictions is named, as Replicate writes it."""

import re

_PART = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"

PREDICTION_MODEL = re.compile(rf"({_PART})/({_PART})(?::({_PART}))?|([0-9a-f]{{64}})")
"""``owner/name``, ``owner/name:version``, or a version alone. Groups: owner, name, version, version alone."""
