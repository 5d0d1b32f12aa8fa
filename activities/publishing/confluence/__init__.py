"""Guides as pages of Confluence: ``storage`` writes its storage format, ``space`` puts pages into a space. Nothing is
imported here."""
