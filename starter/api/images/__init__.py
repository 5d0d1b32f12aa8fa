"""Image jobs and the library over HTTP."""
