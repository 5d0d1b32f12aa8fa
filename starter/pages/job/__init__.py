"""One job: where it is, what went on, what it made."""
