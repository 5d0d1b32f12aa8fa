"""What codes mean, in the words of each language."""
