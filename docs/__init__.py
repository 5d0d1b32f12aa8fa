"""The documentation, and what writes the pages of it that say what the code says."""
