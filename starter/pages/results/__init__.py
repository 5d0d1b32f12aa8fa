"""What jobs of the kinds beside instructions made, and wait for: the facts that their pages show."""
