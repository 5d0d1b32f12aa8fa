"""The sample recording: a made-up app, shown and explained, and what is true of it."""
