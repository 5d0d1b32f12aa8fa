"""Recordings: what a file is, what was said in it, and what its screen shows."""
