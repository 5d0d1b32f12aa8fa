"""What every request passes before a route sees it: token, limits, size, shape of the body."""
