"""Exporting an instruction."""
