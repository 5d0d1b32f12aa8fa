"""The stages of each kind of job, one class a kind."""
