"""What jobs have made, and the addresses where it stays."""
