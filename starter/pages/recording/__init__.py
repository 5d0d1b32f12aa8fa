"""Recording the screen in the browser."""
