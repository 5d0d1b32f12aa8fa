"""The list of jobs, kept live."""
