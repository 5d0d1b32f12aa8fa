"""The HTTP interface, to be read: drawn from the description that the API gives of itself."""
