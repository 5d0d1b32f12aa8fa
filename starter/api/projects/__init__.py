"""Members of projects and invitations over HTTP."""
