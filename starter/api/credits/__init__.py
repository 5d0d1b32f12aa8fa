"""Credits over HTTP."""
