"""What is shown to others, and who works in a project."""
