"""The routes, a module for each thing the contract names."""
