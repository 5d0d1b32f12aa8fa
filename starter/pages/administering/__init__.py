"""Everybody's jobs, for administrators."""
