"""How the API is reached, whichever client asks."""

import httpx

BASE = "/api/v1/"
PROJECT = "Recordings"
"""The project of who names none."""

TIMEOUT = httpx.Timeout(30.0, connect=5.0)
STREAMED = httpx.Timeout(30.0, connect=5.0, read=45.0)
"""The event stream says something at least every 15 s."""


def authorisation(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
