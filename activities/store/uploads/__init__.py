"""Uploads: how a recording or another input arrives, and is confirmed by one process at a time."""
