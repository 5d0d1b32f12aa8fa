"""Guides in other languages: which there are, which steps are behind, and what to do about it."""
