"""How the sample recording is made: a canvas, an app drawn on it, a script, a voice and a camera."""
