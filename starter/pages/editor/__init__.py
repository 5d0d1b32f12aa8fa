"""The editor of an instruction."""
