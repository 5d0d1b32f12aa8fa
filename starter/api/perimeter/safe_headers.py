"""What every answer says of how it is to be treated, the API's as the pages'."""

SAFE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""On every answer that does not say otherwise itself: nothing of it is to be kept, framed, guessed at or run."""

HTTPS_ONLY = {"Strict-Transport-Security": "max-age=31536000"}
