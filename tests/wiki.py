"""A small Confluence of our own, which holds its callers to the documented REST API: spaces and pages of its version 2,
attachments of version 1, storage format that is XML with known macros."""

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
from xml.etree import ElementTree

SPACES = {"HB": "77", "OPS": "78"}
"""Their ids by their keys."""
MACROS = {"anchor", "toc", "info", "warning", "code"}
NAMESPACES = "xmlns:ac='ac' xmlns:ri='ri'"


@dataclass
class Wiki:
    """``faults``: statuses that are answered next, before anything is done. ``broken``: what callers did wrong."""

    authorization: str
    url: str = ""
    pages: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    faults: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    @property
    def space(self) -> str:
        return f"{self.url}/wiki/spaces/HB/overview"

    def texts(self, page_id: str) -> list[str]:
        return [each.strip() for each in parsed(self.pages[page_id]["body"]).itertext() if each.strip()]


def parsed(body: str) -> ElementTree.Element:
    """Raises: ParseError: it is no XHTML."""
    named = re.sub(r"&(?!amp;|lt;|gt;|quot;|#)", "&amp;", body)
    assert named == body, "an entity that XML does not have"
    return ElementTree.fromstring(f"<root {NAMESPACES}>{body}</root>")


@contextmanager
def running_wiki(authorization: str) -> Iterator[Wiki]:
    wiki = Wiki(authorization)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            wiki.asked.append(f"{self.command} {self.path.partition('?')[0]}")
            if self.headers.get("Authorization") != wiki.authorization:
                return self._answer(401, {"message": "no"})
            if wiki.faults:
                status, headers = wiki.faults.pop(0)
                return self._answer(status, {"message": "later"}, headers)
            try:
                self._answer(*_served(wiki, self.command, urlsplit(self.path), dict(self.headers), body))
            except (AssertionError, KeyError, ValueError, ElementTree.ParseError) as wrong:
                wiki.broken.append(f"{self.command} {self.path}: {wrong!r}")
                self._answer(400, {"errors": [{"status": 400}]})

        do_GET = do_POST = do_PUT = do_DELETE = _any  # noqa: N815 - the names that http.server calls

        def _answer(self, status: int, body: Any = None, headers: dict[str, str] | None = None) -> None:
            held = b"" if body is None else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(held)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(held)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    wiki.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield wiki
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _served(wiki: Wiki, method: str, url: Any, headers: dict[str, str], body: bytes) -> tuple[int, Any]:
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    path = url.path.removeprefix("/wiki")
    if (method, path) == ("GET", "/api/v2/spaces"):
        key = query["keys"]
        return 200, {"results": [{"id": SPACES[key], "key": key}] if key in SPACES else [], "_links": {}}
    if (method, path) == ("GET", "/api/v2/pages"):
        assert query["body-format"] == "storage" and query["space-id"] in SPACES.values()
        named = query["title"], query["space-id"]
        found = [each for each in wiki.pages.values() if (each["title"], each["space"]) == named]
        return 200, {"results": [_page(each) for each in found], "_links": {}}
    if (method, path) == ("POST", "/api/v2/pages"):
        new = json.loads(body)
        assert new["spaceId"] in SPACES.values() and new["status"] == "current"
        if new.get("parentId", "1000") not in wiki.pages and "parentId" in new:
            return 404, {"errors": [{"status": 404, "title": "Parent not found"}]}
        if any((each["title"], each["space"]) == (new["title"], new["spaceId"]) for each in wiki.pages.values()):
            return 400, {"errors": [{"status": 400, "title": "A page with this title already exists"}]}
        return 200, _page(_kept(wiki, str(1000 + len(wiki.pages)), new, 1))
    if held := re.fullmatch(r"/api/v2/pages/(\d+)", path):
        if held[1] not in wiki.pages:
            return 404, {"errors": [{"status": 404}]}
        page = wiki.pages[held[1]]
        if method == "GET":
            assert query["body-format"] == "storage"
            return 200, _page(page)
        changed = json.loads(body)
        assert method == "PUT" and changed["id"] == held[1] and changed["status"] == "current"
        if changed["version"]["number"] != page["version"] + 1:
            return 409, {"errors": [{"status": 409}]}
        return 200, _page(_kept(wiki, held[1], changed, changed["version"]["number"]))
    if held := re.fullmatch(r"/api/v2/pages/(\d+)/attachments", path):
        names = list(wiki.files[held[1]])
        at = int(query.get("cursor", 0))  # one at a time, so that callers have to go on
        following = f"/wiki{path}?cursor={at + 1}" if at + 1 < len(names) else None
        listed = [{"id": f"att-{held[1]}-{name}", "title": name} for name in names[at : at + 1]]
        return 200, {"results": listed, "_links": {"next": following} if following else {}}
    if held := re.fullmatch(r"/api/v2/attachments/att-(\d+)-(.+)", path):
        assert method == "DELETE"
        del wiki.files[held[1]][held[2]]
        return 204, None
    held = re.fullmatch(r"/rest/api/content/(\d+)/child/attachment", path)
    assert held and method == "PUT" and headers["X-Atlassian-Token"] == "nocheck", f"{method} {path} is not documented"
    form = message_from_bytes(b"Content-Type: " + headers["Content-Type"].encode() + b"\r\n\r\n" + body)
    (file,) = [each for each in form.get_payload() if each.get_filename()]  # type: ignore[union-attr]
    wiki.files[held[1]][file.get_filename()] = file.get_payload(decode=True)  # type: ignore[union-attr, index, assignment]
    return 200, {"results": [{"id": "att"}]}


def _kept(wiki: Wiki, page_id: str, given: dict[str, Any], version: int) -> dict[str, Any]:
    assert given["body"]["representation"] == "storage"
    tree = parsed(given["body"]["value"])
    assert {each.get("{ac}name") for each in tree.iter("{ac}structured-macro")} <= MACROS
    wiki.files.setdefault(page_id, {})
    kept = {"id": page_id, "title": given["title"], "version": version, "space": given["spaceId"]}
    kept["parent"] = given.get("parentId", wiki.pages.get(page_id, {}).get("parent"))
    wiki.pages[page_id] = kept | {"body": given["body"]["value"]}
    return wiki.pages[page_id]


def _page(page: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": page["id"],
        "status": "current",
        "title": page["title"],
        "spaceId": page["space"],
        "version": {"number": page["version"]},
        "body": {"storage": {"representation": "storage", "value": page["body"]}},
        "_links": {"webui": f"/spaces/HB/pages/{page['id']}"},
    }
