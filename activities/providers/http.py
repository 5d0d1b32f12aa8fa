"""One request to a provider, with every way it can go wrong mapped to the taxonomy.

Nothing is retried here: Temporal owns retries. Nothing of the request or of the key is logged or put into an error.
"""

import asyncio
import base64
import json
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from activities.process.metrics import PROVIDER
from activities.providers import cancellation
from activities.providers.cancellation import Stop
from activities.providers.faults import fault_of
from domain.errors import (
    GuidesmithError,
    ProviderAnswerInvalid,
    ProviderRequestRefused,
    ProviderTimeout,
    ProviderUnavailable,
)


@dataclass(frozen=True)
class Answer:
    """A 2xx answer, read to its end. ``provider`` is for the messages of its errors."""

    provider: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            ProviderAnswerInvalid: It is not JSON, for instance because it was cut.
        """
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError) as fault:
            raise ProviderAnswerInvalid(
                f"{self.provider} sent an answer that is not valid JSON. Try again.",
                details={"provider": self.provider, "bytes": len(self.body)},
            ) from fault


def _host(address: str) -> str:
    """Whom an address means; of one that is none, nobody: the request is refused."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


class ProviderClient:
    """Sends requests to one provider. Safe to use from several threads: every request has a connection of its own.

    Args:
        base_url: Paths are put behind it (``https://host/v1``).
        api_key: Sent as a bearer token, or, with a ``user``, as their password; never shown.
        timeout_s: Seconds until the whole answer must be there.
        provider: What to call it in messages.
        connect_timeout_s: Seconds until the connection, TLS included, must stand.
        answer_cap_bytes: An answer longer than this is not read on.
        headers: Sent with every request.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: SecretStr | str | None = None,
        user: str | None = None,
        timeout_s: float = 120.0,
        provider: str = "The provider",
        connect_timeout_s: float = 10.0,
        answer_cap_bytes: int = 32 << 20,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.provider = provider
        self._base_url = base_url.rstrip("/")
        self._host = _host(base_url)
        self._api_key = SecretStr(api_key) if isinstance(api_key, str) else api_key
        self._user = user
        self._timeout_s = timeout_s
        self._connect_timeout_s = connect_timeout_s
        self._answer_cap_bytes = answer_cap_bytes
        self._headers = dict(headers or {})

    def __repr__(self) -> str:
        return f"ProviderClient({self.provider!r})"

    def get(self, path: str, *, stop: Stop | None = None) -> Answer:
        """GET ``path``. Errors as :meth:`post`."""
        return self._request("GET", path, stop)

    def post(
        self,
        path: str,
        *,
        json: object = None,
        data: Mapping[str, str | list[str]] | None = None,
        files: Mapping[str, tuple[str, bytes, str]] | None = None,
        headers: Mapping[str, str] | None = None,
        stop: Stop | None = None,
    ) -> Answer:
        """POST ``json``, or a multipart form of ``data`` and ``files`` (field: file name, content, media type).

        Raises:
            ProviderRateLimited: 429; ``retry_after_s`` holds what it asked for.
            ProviderUnavailable: 5xx, no connection, or a connection that broke, also within the answer.
            ProviderTimeout: No (whole) answer in time.
            ProviderAnswerInvalid: The answer cannot be unpacked, or is longer than the limit.
            ProviderAccessDenied: 401, 402, 403.
            ProviderRequestTooLarge: 413.
            ProviderRequestRefused: Any other 4xx, a redirect, or an address that is none.
            Cancelled: ``stop`` said so. What ``stop`` raises goes through.
        """
        return self._request("POST", path, stop, json=json, data=data, files=files, headers=headers)

    def put(
        self,
        path: str,
        *,
        json: object = None,
        data: Mapping[str, str | list[str]] | None = None,
        files: Mapping[str, tuple[str, bytes, str]] | None = None,
        headers: Mapping[str, str] | None = None,
        stop: Stop | None = None,
    ) -> Answer:
        """PUT, as :meth:`post`."""
        return self._request("PUT", path, stop, json=json, data=data, files=files, headers=headers)

    def patch(self, path: str, *, json: object, stop: Stop | None = None) -> Answer:
        """PATCH ``json``. Errors as :meth:`post`."""
        return self._request("PATCH", path, stop, json=json)

    def delete(self, path: str, *, stop: Stop | None = None) -> Answer:
        """DELETE ``path``. Errors as :meth:`post`."""
        return self._request("DELETE", path, stop)

    def save(
        self,
        path: str,
        *,
        json: object,
        to: Path,
        headers: Mapping[str, str] | None = None,
        stop: Stop | None = None,
    ) -> Answer:
        """POST ``json``; the body of a 2xx is written to ``to`` as it comes, and not in the answer. Errors as
        :meth:`post`.

        Raises:
            OSError: The file cannot be written.
        """
        with to.open("wb") as file:
            return self._request("POST", path, stop, file=file, json=json, headers=headers)

    def _request(self, method: str, path: str, stop: Stop | None, **content: Any) -> Answer:
        began, outcome = time.perf_counter(), "ok"
        try:
            return cancellation.run(self._bounded(method, path, content), stop)
        except GuidesmithError as fault:
            outcome = fault.code
            raise
        except BaseException:
            outcome = GuidesmithError.code
            raise
        finally:
            PROVIDER.labels(self._host, outcome).observe(time.perf_counter() - began)

    async def _bounded(self, method: str, path: str, content: dict[str, Any]) -> Answer:
        details = {"provider": self.provider}
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._send(method, path, content)
        except (TimeoutError, httpx.TimeoutException) as fault:
            raise ProviderTimeout(
                f"{self.provider} did not answer in time. Try again later.", details=details
            ) from fault
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError) as fault:
            raise ProviderRequestRefused(
                f"The address or the key of {self.provider.lower()} is malformed. Correct it in the settings.",
                details=details,
            ) from fault
        except httpx.TransportError as fault:
            raise ProviderUnavailable(
                f"{self.provider} cannot be reached, or broke the connection. Try again later.",
                details={**details, "kind": type(fault).__name__},
            ) from fault

    async def _send(self, method: str, path: str, content: dict[str, Any]) -> Answer:
        headers = self._headers | dict(content.pop("headers", None) or {})
        file = content.pop("file", None)
        if self._api_key is not None:
            headers["Authorization"] = self._authorization(self._api_key.get_secret_value())
        timeout = httpx.Timeout(self._timeout_s, connect=self._connect_timeout_s)
        async with (
            httpx.AsyncClient(timeout=timeout, verify=_trust(), follow_redirects=False) as client,
            client.stream(method, self._base_url + path, headers=headers, **content) as response,
        ):
            body = await self._read(response, file if response.is_success else None)
        if response.is_success:
            return Answer(self.provider, response.status_code, dict(response.headers), body)
        raise fault_of(self.provider, response.status_code, dict(response.headers), body)

    def _authorization(self, secret: str) -> str:
        if self._user is None:
            return f"Bearer {secret}"
        return f"Basic {base64.b64encode(f'{self._user}:{secret}'.encode()).decode()}"

    async def _read(self, response: httpx.Response, file: BinaryIO | None) -> bytes:
        """The body; nothing, where it went into ``file``."""
        body, size = bytearray(), 0
        try:
            async for part in response.aiter_bytes():
                size += len(part)
                if file is None:
                    body += part
                else:
                    file.write(part)
                if size > self._answer_cap_bytes:
                    raise ProviderAnswerInvalid(
                        f"{self.provider} sent an answer of more than {self._answer_cap_bytes} bytes.",
                        details={"provider": self.provider},
                    )
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.DecodingError) as fault:
            if not response.is_success:
                return bytes(body)  # the status says enough
            if not isinstance(fault, httpx.DecodingError):
                raise  # closed or reset, as the network has it: a connection that broke, like any other
            raise ProviderAnswerInvalid(
                f"{self.provider} sent an answer that cannot be unpacked. Try again.",
                details={"provider": self.provider, "bytes": size},
            ) from fault
        return bytes(body)


@cache
def _trust() -> ssl.SSLContext:
    """Made once: reading the certificates takes longer than a request."""
    return httpx.create_ssl_context()
