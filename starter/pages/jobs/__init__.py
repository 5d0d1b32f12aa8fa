"""The list of jobs of every kind, kept live."""
