"""What people may ask for, whichever way they come in: the rules of the domain, the store and Temporal together."""
