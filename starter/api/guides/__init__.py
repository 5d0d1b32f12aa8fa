"""Guides: found, kept and thrown away."""
