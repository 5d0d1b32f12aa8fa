"""Reads what is shown on a recording's screen, and what is done on it."""
