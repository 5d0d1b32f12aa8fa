"""What may be asked of the kinds that one request makes."""
