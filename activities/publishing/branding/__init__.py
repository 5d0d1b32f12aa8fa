"""A project's brand on what is published."""
