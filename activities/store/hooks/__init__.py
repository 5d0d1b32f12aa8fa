"""Webhooks, out and in."""
