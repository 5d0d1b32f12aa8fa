"""Pictures: what a file really is, its pixels, and what is drawn into them."""
