"""The first page: a person's guides, the search in them, and the bin."""
