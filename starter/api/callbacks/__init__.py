"""Callbacks of external stage runners over HTTP."""
