"""Instructions, their versions and exports over HTTP."""
