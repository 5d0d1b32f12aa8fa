"""The glossary, and correcting a word everywhere at once."""
