"""Breaks of lines and pages that are neither a space nor a line end to Markdown."""

_BREAKS = dict.fromkeys((0x0B, 0x0C, 0x1C, 0x1D, 0x1E, 0x85, 0x2028, 0x2029), " ")
"""Vertical tab (a soft line break of slides), form feed, the separators of files, groups and records, next line, and
Unicode's line and paragraph separators."""


def with_spaces(text: str) -> str:
    """The text with a space for each such break. Left out, they would glue words together; no offset moves."""
    return text.translate(_BREAKS)
