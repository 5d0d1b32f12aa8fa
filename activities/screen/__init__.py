"""Reads what is shown on a recording's screen, and what is done on it."""

from activities.screen.reading import NAME, ReadSoFar, read_screen

__all__ = ["NAME", "ReadSoFar", "read_screen"]
