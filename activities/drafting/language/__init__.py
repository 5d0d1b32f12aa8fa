"""What a spoken sentence says: English by its grammar, German, Spanish and French by their phrases."""
