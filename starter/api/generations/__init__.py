"""Generations over HTTP."""
