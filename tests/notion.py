"""A small Notion of our own, which holds its callers to the documented API (Notion-Version 2022-06-28): its limits of
requests and of text, its kinds of blocks, and files that are uploaded before a block shows them."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

PARENT = "1f2e3d4c-5b6a-7988-0123-456789abcdef"
TEXTS = {
    "paragraph": True,
    "quote": True,
    "callout": True,
    "to_do": True,
    "bulleted_list_item": True,
    "numbered_list_item": True,
    "heading_1": False,
    "heading_2": False,
    "heading_3": False,
    "code": False,
}
"""Blocks with text; whether they hold others."""
OTHERS = {"divider", "table_of_contents", "table", "table_row", "image"}
KEYS = {"rich_text", "children", "color", "icon", "checked", "language"}
ANNOTATIONS = {"bold", "italic", "strikethrough", "underline", "code", "color"}
LANGUAGES = {"bash", "shell", "python", "javascript", "json", "plain text"}


@dataclass
class Notion:
    """``faults``: statuses that are answered next, before anything is done. ``broken``: what callers did wrong."""

    token: str
    url: str = ""
    blocks: dict[str, dict[str, Any]] = field(default_factory=dict)
    within: dict[str, list[str]] = field(default_factory=lambda: {PARENT: []})
    uploads: dict[str, dict[str, Any]] = field(default_factory=dict)
    faults: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def children(self, block_id: str) -> list[dict[str, Any]]:
        return [self.blocks[each] for each in self.within.get(block_id, []) if not self.blocks[each]["archived"]]

    def every(self, block_id: str) -> list[dict[str, Any]]:
        return [each for child in self.children(block_id) for each in (child, *self.every(child["id"]))]

    def shown(self, page_id: str) -> list[bytes]:
        """The pictures of a page."""
        images = [each["image"] for each in self.every(page_id) if each["type"] == "image"]
        return [self.uploads[each["file_upload"]["id"]]["data"] for each in images]

    def texts(self, page_id: str) -> list[tuple[str, str]]:
        """Kind and words of what has any."""
        held = [(each["type"], each[each["type"]].get("rich_text")) for each in self.every(page_id)]
        return [(kind, words(rich)) for kind, rich in held if rich]


def words(rich: list[dict[str, Any]]) -> str:
    return "".join(each["text"]["content"] for each in rich)


@contextmanager
def running_notion(token: str) -> Iterator[Notion]:
    notion = Notion(token)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            notion.asked.append(f"{self.command} {self.path.partition('?')[0]}")
            if self.headers.get("Authorization") != f"Bearer {notion.token}":
                return self._answer(401, {"object": "error", "code": "unauthorized"})
            if notion.faults:
                status, headers = notion.faults.pop(0)
                return self._answer(status, {"object": "error", "code": "later"}, headers)
            try:
                assert (self.headers["Notion-Version"] == "2022-06-28" and len(body) <= 500_000) or "send" in self.path
                self._answer(*_served(notion, self.command, urlsplit(self.path), dict(self.headers), body))
            except (AssertionError, KeyError, ValueError) as wrong:
                notion.broken.append(f"{self.command} {self.path}: {wrong!r}")
                self._answer(400, {"object": "error", "code": "validation_error"})

        do_GET = do_POST = do_PATCH = do_DELETE = _any  # noqa: N815 - the names that http.server calls

        def _answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
            held = json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(held)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(held)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    notion.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield notion
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _served(notion: Notion, method: str, url: Any, headers: dict[str, str], body: bytes) -> tuple[int, Any]:
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    path = url.path.removeprefix("/v1")
    if held := re.fullmatch(r"/file_uploads/([^/]+)/send", path):
        form = message_from_bytes(b"Content-Type: " + headers["Content-Type"].encode() + b"\r\n\r\n" + body)
        (file,) = list(form.get_payload())
        upload = notion.uploads[held[1]]
        assert file.get_content_type() == upload["content_type"] and "data" not in upload
        upload["data"] = file.get_payload(decode=True)
        return 200, {"object": "file_upload", "id": held[1], "status": "uploaded"}
    given = json.loads(body) if body else {}
    if (method, path) == ("POST", "/file_uploads"):
        assert given["mode"] == "single_part" and len(given["filename"]) <= 900
        upload_id = str(uuid4())
        notion.uploads[upload_id] = {"content_type": given["content_type"]}
        return 200, {"object": "file_upload", "id": upload_id, "upload_url": f"{notion.url}/v1{path}/{upload_id}/send"}
    if (method, path) == ("POST", "/pages"):
        if given["parent"]["page_id"] not in notion.within:
            return 404, {"object": "error", "code": "object_not_found"}
        name = _rich(given["properties"]["title"]["title"])
        page = {"type": "child_page", "child_page": {"title": name}, "parent": given["parent"]}
        page_id = _made(notion, given["parent"]["page_id"], page)
        _appended(notion, page_id, given["children"])
        return 200, _page(notion, page_id)
    held = re.fullmatch(r"/(pages|blocks)/([^/]+)(/children)?", path)
    assert held, f"{method} {path} is not documented"
    if held[2] not in notion.blocks and held[2] not in notion.within:
        return 404, {"object": "error", "code": "object_not_found"}
    match method, held[1], held[3]:
        case "GET", "pages", None:
            return 200, _page(notion, held[2])
        case "PATCH", "pages", None:
            notion.blocks[held[2]]["child_page"] = {"title": _rich(given["properties"]["title"]["title"])}
            return 200, _page(notion, held[2])
        case "GET", "blocks", "/children":
            at, size = int(query.get("start_cursor", 0)), min(7, int(query["page_size"]))  # callers have to go on
            assert int(query["page_size"]) <= 100
            listed = notion.children(held[2])
            more = at + size < len(listed)
            following = str(at + size) if more else None
            return 200, {"results": listed[at : at + size], "has_more": more, "next_cursor": following}
        case "PATCH", "blocks", "/children":
            return 200, {"results": [notion.blocks[each] for each in _appended(notion, held[2], given["children"])]}
        case "DELETE", "blocks", None:
            assert not notion.blocks[held[2]]["archived"]
            notion.blocks[held[2]]["archived"] = True
            return 200, notion.blocks[held[2]]
    raise AssertionError(f"{method} {path} is not documented")


def _page(notion: Notion, page_id: str) -> dict[str, Any]:
    page = notion.blocks[page_id]
    named = {"url": f"https://www.notion.so/{page_id.replace('-', '')}", "in_trash": page["archived"]}
    return {"object": "page", "id": page_id, "parent": page["parent"], "archived": page["archived"], **named}


def _made(notion: Notion, parent: str, block: dict[str, Any]) -> str:
    block_id = str(uuid4())
    notion.blocks[block_id] = {**block, "id": block_id, "archived": False}
    notion.within[block_id] = []
    notion.within[parent].append(block_id)
    return block_id


def _appended(notion: Notion, parent: str, blocks: list[dict[str, Any]]) -> list[str]:
    assert _count(blocks, 0) <= 1000, "more than 1,000 blocks"
    for block in blocks:
        _check(notion, block, notion.blocks.get(parent, {}).get("type"))
    return [_kept(notion, parent, block) for block in blocks]


def _kept(notion: Notion, parent: str, block: dict[str, Any]) -> str:
    content = dict(block[block["type"]])
    inner = content.pop("children", [])
    block_id = _made(notion, parent, {"type": block["type"], block["type"]: content})
    for each in inner:
        _kept(notion, block_id, each)
    return block_id


def _count(blocks: list[dict[str, Any]], depth: int) -> int:
    assert len(blocks) <= 100, "more than 100 children"
    assert depth <= 2, "more than two levels"
    return sum(1 + _count(each[each["type"]].get("children", []), depth + 1) for each in blocks)


def _check(notion: Notion, block: dict[str, Any], parent: str | None) -> None:
    kind = block["type"]
    content = block[kind]
    assert set(block) <= {"object", "type", kind}
    assert (kind == "table_row") == (parent == "table")
    assert parent not in TEXTS or TEXTS[parent], f"{parent} holds no blocks"
    if kind in TEXTS:
        assert set(content) <= KEYS, content.keys()
        _rich(content["rich_text"])
        assert kind != "code" or content["language"] in LANGUAGES
    elif kind == "table":
        rows = content["children"]
        assert rows and all(len(each["table_row"]["cells"]) == content["table_width"] for each in rows)
    elif kind == "table_row":
        assert [_rich(cell) for cell in content["cells"]]
    elif kind == "image":
        assert content["type"] == "file_upload" and "data" in notion.uploads[content["file_upload"]["id"]]
        _rich(content["caption"])
    else:
        assert kind in OTHERS and content == {}, kind
    for each in content.get("children", []):
        _check(notion, each, kind)


def _rich(pieces: list[dict[str, Any]]) -> str:
    assert len(pieces) <= 100, "more than 100 pieces"
    for piece in pieces:
        content, link = piece["text"]["content"], piece["text"].get("link")
        assert piece["type"] == "text" and len(content.encode("utf-16-le")) <= 4000, "more than 2,000 characters"
        assert link is None or (re.match("https?://|mailto:", link["url"]) and len(link["url"]) <= 2000)
        assert set(piece.get("annotations", {})) <= ANNOTATIONS
    return words(pieces)
