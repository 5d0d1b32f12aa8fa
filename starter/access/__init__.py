"""Who calls, and who can."""
