"""A guide as a page of Notion, by the documented API (``Notion-Version`` 2022-06-28).

A guide is one page, for as long as that is there: it is found by its id, which an earlier export left behind, or by its
title and the mark within it, which a worker that died leaves behind. Retries are Temporal's; each ends in that
page.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from threading import Lock
from typing import Any
from urllib.parse import quote
from uuid import UUID

from pydantic import SecretStr

from activities.providers.cancellation import Stop
from activities.providers.http import Answer, ProviderClient
from activities.publishing.manuscript import Manuscript
from activities.publishing.notion.blocks import Node, blocks_of, mark, mark_of, title
from activities.publishing.pictures import Illustration, scaled
from activities.publishing.places import Place
from domain.errors import (
    Cancelled,
    ProviderAnswerInvalid,
    ProviderRateLimited,
    ProviderRequestRefused,
    ProviderUnavailable,
)
from domain.jobs import Project

VERSION = "2022-06-28"
AT_ONCE, ELEMENTS_AT_ONCE, BYTES_AT_ONCE = 100, 1_000, 450_000
"""Blocks of one list, all blocks and bytes (documented: 500 KB) of a request."""
LARGEST_FILE = 20 << 20
"""Bytes that are uploaded in one part."""
PACE_S = 0.34
"""Between requests: three a second on average."""
LONGEST_WAIT_S, MOST_WAITS = 30.0, 5
"""How long a request that came too early is held back here, and how often; beyond that the export is tried again."""
STAYING = ("child_page", "child_database")
"""What people put under a guide's page is theirs."""


class _Pace:
    """Turns, ``apart_s`` seconds from one another, of all who put guides there."""

    def __init__(self, apart_s: float) -> None:
        self._apart_s, self._next, self._lock = apart_s, 0.0, Lock()

    def turn_s(self) -> float:
        """Seconds until one's turn, which nobody else has then."""
        with self._lock:
            now = time.monotonic()
            at = max(now, self._next)
            self._next = at + self._apart_s
        return at - now


class NotionPage:
    """The page that guides are put under.

    Args:
        parent: Its id.
        url: Of the API, without ``/v1``.
        pace_s: Seconds between requests.
        per_project: Whether projects have pages of their own.
    """

    def __init__(
        self,
        url: str,
        parent: str,
        token: SecretStr | None,
        *,
        timeout_s: float = 120.0,
        pace_s: float = PACE_S,
        per_project: bool = False,
    ) -> None:
        self._site, self._parent, self._per_project = url, str(UUID(parent)), per_project
        self._client = ProviderClient(
            f"{url}/v1", api_key=token, timeout_s=timeout_s, provider="Notion", headers={"Notion-Version": VERSION}
        )
        self._pace = _Pace(pace_s)

    def of_project(self, project: Project) -> "NotionPage":
        """The page that that project's guides are put under: another one, at the same pace, where projects have their
        own, or this."""
        if project.notion_parent is None or not self._per_project:
            return self
        other = copy(self)
        other._parent = str(UUID(project.notion_parent))
        return other

    def publish(self, manuscript: Manuscript, guide_id: str, before: Mapping[str, Any] | None, stop: Stop) -> Place:
        """Write the guide's page: what stood on it goes to Notion's bin, except pages that people put under it.

        Args:
            before: The place that the guide had, as :class:`Place` has it.

        Raises:
            ProviderAccessDenied, ProviderRequestRefused: The token may not, or there is no such page.
            ProviderRateLimited, ProviderUnavailable, ProviderTimeout: Try again later.
        """
        name = title(manuscript.title_text)
        with _told():
            page = self._found("".join(each["text"]["content"] for each in name), guide_id, before, stop)
            # pictures first: one that does not arrive leaves the page as it was
            nodes = blocks_of(manuscript, lambda picture: self._uploaded(picture, stop))
            properties = {"title": {"title": name}}
            if page is None:
                new = {
                    "parent": {"type": "page_id", "page_id": self._parent},
                    "properties": properties,
                    "children": [_sent(mark(guide_id))],
                }
                page = self._asked(lambda: self._client.post("/pages", json=new, stop=stop), stop)
            else:
                path = f"/pages/{quote(str(page['id']))}"
                self._asked(lambda: self._client.patch(path, json={"properties": properties}, stop=stop), stop)
                self._cleared(str(page["id"]), guide_id, stop)
            page_id = str(page["id"])
            self._append(page_id, nodes, stop)
        version = int(before["version"]) + 1 if before and before.get("page_id") == page_id else 1
        return Place(self._site, page_id, str(page.get("url", "")), version)

    def _found(self, name: str, guide_id: str, before: Mapping[str, Any] | None, stop: Stop) -> dict[str, Any] | None:
        if before and before.get("site") == self._site:
            page = self._page(str(before.get("page_id")), stop)
            if page is not None:
                return page
        for child in self._children(self._parent, stop):
            if child.get("type") != "child_page" or child["child_page"].get("title") != name:
                continue
            if any(_is_mark(each, guide_id) for each in self._children(str(child["id"]), stop)):
                return self._page(str(child["id"]), stop)
        return None

    def _page(self, page_id: str, stop: Stop) -> dict[str, Any] | None:
        """The page, if it is there and stands under the parent still."""
        try:
            page = self._asked(lambda: self._client.get(f"/pages/{quote(page_id)}", stop=stop), stop)
        except ProviderRequestRefused as refused:
            if refused.details.get("status") != 404:
                raise
            return None
        parent = str((page.get("parent") or {}).get("page_id") or "")
        gone = page.get("archived") or page.get("in_trash")
        return None if gone or parent.replace("-", "") != self._parent.replace("-", "") else page

    def _cleared(self, page_id: str, guide_id: str, stop: Stop) -> None:
        """Only the mark stays, so that a page that is half written is known still."""
        for child in list(self._children(page_id, stop)):
            if child.get("type") not in STAYING and not _is_mark(child, guide_id):
                path = f"/blocks/{quote(str(child['id']))}"
                self._asked(lambda path=path: self._client.delete(path, stop=stop), stop)  # type: ignore[misc]

    def _children(self, block_id: str, stop: Stop) -> Iterator[dict[str, Any]]:
        cursor = ""
        while True:
            path = f"/blocks/{quote(block_id)}/children?page_size={AT_ONCE}{cursor}"
            listed = self._asked(lambda path=path: self._client.get(path, stop=stop), stop)  # type: ignore[misc]
            yield from listed.get("results", [])
            if not listed.get("has_more"):
                return
            cursor = f"&start_cursor={quote(str(listed['next_cursor']))}"

    def _uploaded(self, picture: Illustration, stop: Stop) -> str:
        data, factor = picture.data, 1.0
        while len(data) > LARGEST_FILE:
            factor /= 2
            data = scaled(picture, factor)
        new = {"mode": "single_part", "filename": picture.filename, "content_type": picture.media_type}
        upload = self._asked(lambda: self._client.post("/file_uploads", json=new, stop=stop), stop)
        upload_id = str(upload["id"])
        files = {"file": (picture.filename, data, picture.media_type)}
        path = f"/file_uploads/{quote(upload_id)}/send"
        self._asked(lambda: self._client.post(path, files=files, stop=stop), stop)
        return upload_id

    def _append(self, block_id: str, nodes: Sequence[Node], stop: Stop) -> None:
        for batch in _batches(nodes):
            body = {"children": [_sent(each) for each in batch]}
            path = f"/blocks/{quote(block_id)}/children"
            made = self._asked(
                lambda path=path, body=body: self._client.patch(path, json=body, stop=stop),  # type: ignore[misc]
                stop,
            ).get("results", [])
            if len(made) < len(batch):
                raise _odd()
            for node, there in zip(batch, made[-len(batch) :], strict=True):
                rest = node.children[len(_inner(node)) :]
                if rest:
                    self._append(str(there["id"]), rest, stop)

    def _asked(self, send: Callable[[], Answer], stop: Stop) -> dict[str, Any]:
        """The answer to one request, at Notion's pace; one that came too early is sent again when Notion says so."""
        for waited in range(MOST_WAITS + 1):
            _wait(self._pace.turn_s(), stop)
            try:
                held = send().json()
            except ProviderRateLimited as limited:
                wait_s = limited.retry_after_s
                if wait_s is None or wait_s > LONGEST_WAIT_S or waited == MOST_WAITS:
                    raise
                _wait(wait_s, stop)
            else:
                if not isinstance(held, dict):
                    raise _odd()
                return held
        raise AssertionError("the last wait raises")


def _wait(seconds: float, stop: Stop) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if stop():
            raise Cancelled("The request was given up.")
        time.sleep(min(left, 1.0))


def _is_mark(block: Mapping[str, Any], guide_id: str) -> bool:
    held = (block.get("paragraph") or {}).get("rich_text") or []
    return "".join(str((each.get("text") or {}).get("content", "")) for each in held) == mark_of(guide_id)


def _inner(node: Node) -> tuple[Node, ...]:
    """What goes along with a block: rows with their table, which cannot be without, and what holds nothing itself. All
    else follows when its block is there: two levels are taken at once."""
    if node.type == "table" or not any(each.children for each in node.children):
        return node.children[:AT_ONCE]
    return ()


def _sent(node: Node) -> dict[str, Any]:
    inner = [_sent(each) for each in _inner(node)]
    content = node.content | ({"children": inner} if inner else {})
    return {"object": "block", "type": node.type, node.type: content}


def _batches(nodes: Sequence[Node]) -> Iterator[list[Node]]:
    batch: list[Node] = []
    elements = size = 0
    for node in nodes:
        more, weight = 1 + len(_inner(node)), len(json.dumps(_sent(node)))
        full = len(batch) == AT_ONCE or elements + more > ELEMENTS_AT_ONCE or size + weight > BYTES_AT_ONCE
        if batch and full:
            yield batch
            batch, elements, size = [], 0, 0
        batch.append(node)
        elements, size = elements + more, size + weight
    if batch:
        yield batch


@contextmanager
def _told() -> Iterator[None]:
    """A refusal in words of where a guide is put."""
    try:
        yield
    except ProviderRequestRefused as refused:
        status = refused.details.get("status")
        if status == 409:
            raise ProviderUnavailable("The page was changed meanwhile.", details=refused.details) from None
        if status == 404:
            raise ProviderRequestRefused(
                "Notion answered 404: there is no such page, or it is not shared with the token's connection. Check "
                "the project's page, or GUIDESMITH_NOTION_PARENT.",
                details=refused.details,
            ) from None
        raise
    except (KeyError, TypeError):
        raise _odd() from None


def _odd() -> ProviderAnswerInvalid:
    return ProviderAnswerInvalid("Notion sent something else than it is documented to.")
