"""What the clock asks of the store: what is old, what nobody has begun, and which objects a row names."""
