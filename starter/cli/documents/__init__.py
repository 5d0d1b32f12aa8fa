"""Commands about what recordings become: guides, and their words."""
