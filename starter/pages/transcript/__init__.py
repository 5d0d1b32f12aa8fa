"""The transcript of a recording, and correcting it."""
