"""One request after the other: what every method of the asynchronous client stands on."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
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
    def __init__(self, base_url: str, token: str, *, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._authorisation = authorisation(token)
        self._http = httpx.AsyncClient(base_url=base_url.rstrip("/") + BASE, timeout=TIMEOUT, transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def request(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        return await self.send(asking.route(method, path, body, params))

    async def send(self, ask: Ask) -> Any:
        return await self._run(asking.asked(ask))

    async def fetch(self, url: str, path: str | Path) -> Path:
        target = Path(path)
        with appearing(target) as file:
            async with self._answer(url) as answer:
                if answer.is_error:
                    await answer.aread()
                    raise ApiError.of(answer)
                async for piece in answer.aiter_bytes():
                    file.write(piece)
        return target

    async def _listed(self, url: str, shape: type[asking.Shown], **chosen: Any) -> AsyncIterator[asking.Shown]:
        cursor: str | None = None
        while True:
            page, cursor = await self._run(asking.page_of(url, shape, cursor, chosen))
            for each in page:
                yield each
            if cursor is None:
                return

    @asynccontextmanager
    async def _answer(self, url: str) -> AsyncIterator[httpx.Response]:
        if "://" in url:  # it is its own permission
            async with (
                httpx.AsyncClient(timeout=TIMEOUT, follow_redirects=True) as files,
                files.stream("GET", url) as answer,
            ):
                yield answer
        else:
            async with self._http.stream("GET", url, headers=self._authorisation, timeout=asking.PATIENT) as answer:
                yield answer

    async def _run(self, flow: Flow[T]) -> T:
        given: Given = None
        while True:
            try:
                step = flow.send(given)
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]
            if isinstance(step, Ask):
                given = await self._sent(step)
            else:
                await asyncio.sleep(step.seconds)
                given = None

    async def _sent(self, ask: Ask) -> Given:
        try:
            return await self._http.request(
                ask.method,
                ask.url,
                json=ask.json,
                params=ask.params or None,
                content=_pieces(ask.content) if callable(ask.content) else ask.content,
                headers={**({} if ask.signed else self._authorisation), **ask.headers},
                timeout=ask.timeout or TIMEOUT,
            )
        except httpx.TransportError as broken:
            return broken


async def _pieces(content: Callable[[], Iterator[bytes]]) -> AsyncIterator[bytes]:
    for piece in content():
        yield piece
