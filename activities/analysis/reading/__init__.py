"""Reads what was uploaded: files become typed tables and their profiles. But for ``inputs``, it runs inside."""
