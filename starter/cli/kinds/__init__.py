"""The commands of the kinds beside the instruction."""
