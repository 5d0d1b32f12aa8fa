"""What programs use of guidesmith from outside. It knows nothing of the server's code."""
