"""What an identity provider answers, over HTTP: whole within a few seconds, not larger than it can be, from the address
that was asked alone."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import httpx

FETCH_TIMEOUT_S = 5.0
"""How long an answer may take, unless who asks says otherwise."""

ANSWER_LIMIT_BYTES = 256 * 1024


class Unfetched(Exception):
    """Nobody answered, or not with what was asked for."""


async def fetched(
    url: str,
    *,
    form: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
) -> tuple[int, Any]:
    """The status of what ``url`` answers, and its JSON, ``None`` where it is none; ``form``: what is posted to it.
    Redirects are not followed.

    Raises:
        Unfetched: No answer in time, or one that is too large.
    """
    within_s = FETCH_TIMEOUT_S if timeout_s is None else timeout_s
    try:
        async with (
            asyncio.timeout(within_s),
            httpx.AsyncClient(timeout=within_s, follow_redirects=False) as client,
            client.stream(
                "GET" if form is None else "POST",
                url,
                data=form,
                headers={"Accept": "application/json", **(headers or {})},
            ) as answer,
        ):
            body = bytearray()
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > ANSWER_LIMIT_BYTES:
                    raise Unfetched
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, OSError):
        raise Unfetched from None
    try:
        return answer.status_code, json.loads(body)
    except (ValueError, RecursionError):
        return answer.status_code, None
