"""Analyses over HTTP."""
