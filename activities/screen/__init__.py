"""Reads what is shown on a recording's screen, and what is done on it.

That is done in a process of its own (``isolated``), in which the other modules work.
"""

from activities.screen.isolated import read_screen
from activities.screen.resume_point import ScreenResumePoint

__all__ = ["ScreenResumePoint", "read_screen"]
