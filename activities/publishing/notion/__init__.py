"""Guides as pages of Notion: ``blocks`` writes its blocks, ``page`` puts them there. Nothing is imported here."""
