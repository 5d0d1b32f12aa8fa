"""What is written at a desk before it is a version: for how long it is kept."""

KEPT_DAYS = 30
"""Since it was written at last: as long as a browser keeps it."""

MOST_SITTINGS = 20
"""Of one instruction. A person has a tab or two, and a device or two; what was left longest ago goes."""
