"""A user's webhooks, and what was delivered."""
