"""One request after the other: what every method of the blocking client stands on."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from guidesmith.client.errors import ApiError
from guidesmith.client.flows import asking
from guidesmith.client.flows.asking import Ask, Flow, Given, T
from guidesmith.client.saving import appearing
from guidesmith.client.transport import BASE, TIMEOUT, authorisation


class Calls:
    def __init__(self, base_url: str, token: str, *, transport: httpx.BaseTransport | None = None) -> None:
        self._authorisation = authorisation(token)
        self._http = httpx.Client(base_url=base_url.rstrip("/") + BASE, timeout=TIMEOUT, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def request(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        """Any route below ``/api/v1/``; answers its JSON. Raises: ApiError, Unreachable."""
        return self.send(asking.route(method, path, body, params))

    def send(self, ask: Ask) -> Any:
        """One request, as often as it has to be sent; answers its JSON. Raises: ApiError, Unreachable."""
        return self._run(asking.asked(ask))

    def fetch(self, url: str, path: str | Path) -> Path:
        """Save what an address, or a route below ``/api/v1/``, answers as ``path``; see :meth:`download`."""
        target = Path(path)
        with appearing(target) as file, self._answer(url) as answer:
            if answer.is_error:
                answer.read()
                raise ApiError.of(answer)
            for piece in answer.iter_bytes():
                file.write(piece)
        return target

    def _listed(self, url: str, shape: type[asking.Shown], **chosen: Any) -> Iterator[asking.Shown]:
        cursor: str | None = None
        while True:
            page, cursor = self._run(asking.page_of(url, shape, cursor, chosen))
            yield from page
            if cursor is None:
                return

    def _answer(self, url: str) -> AbstractContextManager[httpx.Response]:
        if "://" in url:  # it is its own permission
            return httpx.stream("GET", url, timeout=TIMEOUT, follow_redirects=True)
        return self._http.stream("GET", url, headers=self._authorisation, timeout=asking.PATIENT)

    def _run(self, flow: Flow[T]) -> T:
        given: Given = None
        while True:
            try:
                step = flow.send(given)
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]
            if isinstance(step, Ask):
                given = self._sent(step)
            else:
                time.sleep(step.seconds)
                given = None

    def _sent(self, ask: Ask) -> Given:
        try:
            return self._http.request(
                ask.method,
                ask.url,
                json=ask.json,
                params=ask.params or None,
                content=ask.content() if callable(ask.content) else ask.content,
                headers={**({} if ask.signed else self._authorisation), **ask.headers},
                timeout=ask.timeout or TIMEOUT,
            )
        except httpx.TransportError as broken:
            return broken
