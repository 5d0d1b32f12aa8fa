"""Pictures: how one begins, and what was made."""
