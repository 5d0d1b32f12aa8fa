"""A guide's links: where its owner makes them, and what they open."""
