"""Drafting with a chat model: what it is told, how its answer is read, and what of it stands."""
