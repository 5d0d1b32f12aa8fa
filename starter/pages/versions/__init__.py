"""The versions of an instruction, compared and restored."""
