"""Recordings of a real browser, whose steps are known to the pixel: an app in Chromium, driven and filmed."""
