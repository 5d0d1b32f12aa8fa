"""One module for each area of the pages: its routes, and what their templates show."""
