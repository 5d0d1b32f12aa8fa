"""The readable text of a public web page.

Public addresses only (``activities/providers/outbound.py``), after every redirect too, and only where the site's
robots.txt lets us (RFC 9309). The page is parsed in a process that is confined: it was written by anybody.
"""

import json
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urljoin, urlsplit

from activities.confined import outside
from activities.generating.making import Made, Stop
from activities.providers.faults import retry_after_s
from activities.providers.outbound import Fetched, Outbound, checked_url
from domain.errors import (
    AddressRefused,
    PageUnreadable,
    ProviderAnswerInvalid,
    ProviderRateLimited,
    ProviderUnavailable,
    RobotsDisallowed,
    exhausted_by,
)
from domain.orders.generation import ScrapeOrder

AGENT = "guidesmith"
"""What robots.txt calls us; requests name it with a version."""

PAGE_BYTES = 4 << 20
"""Of a page: the text of a long book has one million."""

REDIRECTS = 5
ROBOTS_BYTES = 500 * 1024
"""What RFC 9309, 2.5 has a crawler read of a robots.txt."""

TEXT_BYTES = 2 << 20
"""Of a page's readable text that is kept."""

READER = Path(__file__).with_name("page_reader.py")
BOUNDS = outside.Bounds(wall_s=30.0, cpu_s=10, memory_bytes=1 << 30, file_bytes=TEXT_BYTES * 4, open_files=64)

LOOKED_AT_BYTES = 4096
STRAY_BYTES = 16
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
"""Bytes that text has none of (WHATWG MIME Sniffing, "binary data byte"); a page may hold stray ones."""

_MARKS = {BOM_UTF8: "utf-8", BOM_UTF16_LE: "utf-16-le", BOM_UTF16_BE: "utf-16-be"}
"""Byte order marks, and what they say that the text is encoded in."""

_MOVED = frozenset({301, 302, 303, 307, 308})
_PAGES = ("text/html", "application/xhtml+xml", "text/plain")


class PageScraper:
    """Fetches one page and keeps its text.

    Args:
        outbound: Speaks with strangers; its bounds are a page's.
        scratch: The folder for a page while it is read.
    """

    name = "web"

    def __init__(self, outbound: Outbound, *, version: str, scratch: Path | None = None) -> None:
        self._outbound = outbound
        self._headers = {"User-Agent": f"{AGENT}/{version}", "Accept": ", ".join(_PAGES)}
        self._scratch = scratch

    def make(self, order: ScrapeOrder, *, request_id: str, stop: Stop) -> Made:
        fetched = self._page(order.url, stop)
        kind, charset = _content(fetched)
        if kind == "text/plain":
            title, text = "", _decoded(fetched.body, charset)
        else:
            title, text = self._read(fetched.body, charset, stop)
        text = text.strip()
        if not text:
            raise PageUnreadable("The page holds no text that could be read. Pages that scripts write are not run.")
        kept = "\n\n".join(part for part in (title, f"Source: {fetched.url}", text) if part)
        data = _cut(kept)
        facts = {"characters": len(text), "fetched_bytes": len(fetched.body)}
        return Made(data, "text/plain", f"{AGENT}-reader/1", facts)

    def _page(self, url: str, stop: Stop) -> Fetched:
        """The page, after redirects; each address is asked for only where its site lets us."""
        for _ in range(REDIRECTS + 1):
            self._check_robots(url, stop)
            fetched = self._outbound.look(url, headers=self._headers, stop=stop)
            if fetched.status not in _MOVED or "location" not in fetched.headers:
                return _answered(fetched)
            before, url = url, urljoin(url, fetched.headers["location"])
            if before.startswith("https:") and not url.startswith("https:"):
                raise AddressRefused("The address leads away from https.")
            checked_url(url)
        raise AddressRefused("The address redirects too often.")

    def _check_robots(self, url: str, stop: Stop) -> None:
        """RFC 9309, 2.3.1: no robots.txt allows everything, one that cannot be had now allows nothing.

        Raises:
            RobotsDisallowed: The site does not want this page fetched.
            ProviderUnavailable: It cannot be asked now.
        """
        from protego import Protego

        parts = urlsplit(url)
        try:
            fetched = self._outbound.get(
                f"{parts.scheme}://{parts.netloc}/robots.txt", headers=self._headers, stop=stop
            )
        except ProviderAnswerInvalid:
            raise RobotsDisallowed("The site's robots.txt cannot be read, so nothing is fetched from it.") from None
        if fetched.status == 429 or fetched.status >= 500:
            raise ProviderUnavailable("The site's robots.txt cannot be had now. Try again later.")
        if fetched.status != 200:
            return
        rules = Protego.parse(fetched.body[:ROBOTS_BYTES].decode("utf-8-sig", "replace"))
        if not rules.can_fetch(url, AGENT):
            raise RobotsDisallowed("The site's robots.txt does not let this page be fetched.")

    def _read(self, page: bytes, charset: str | None, stop: Stop) -> tuple[str, str]:
        """Title and text of an HTML page.

        Raises:
            PageUnreadable: It cannot be read within the bounds.
        """
        with TemporaryDirectory(prefix="guidesmith-", dir=self._scratch) as folder:
            source, out = Path(folder) / "page", Path(folder) / "out"
            source.write_bytes(page)
            out.mkdir()
            order = {"page": str(source), "out": str(out), "charset": charset}
            try:
                outside.answer(READER, order, BOUNDS, environment=outside.places(), cwd=out, on_poll=stop)
                answer: dict[str, Any] = json.loads(outside.made_bytes(out, "text.json", TEXT_BYTES * 4))
            except OSError as fault:
                raise exhausted_by(fault) or fault from None
            except (outside.Overran, outside.Died, ValueError):
                raise PageUnreadable("The page cannot be read: it is too large or damaged.") from None
        return str(answer["title"]), str(answer["text"])


def _answered(fetched: Fetched) -> Fetched:
    if fetched.status == 200:
        return fetched
    refusal = f"The page's address answered {fetched.status}."
    wait_s = retry_after_s(fetched.headers, datetime.now(UTC))
    if fetched.status == 429:
        raise ProviderRateLimited(refusal, retry_after_s=wait_s)
    if fetched.status >= 500 or fetched.status in (408, 425):
        raise ProviderUnavailable(refusal, retry_after_s=wait_s)
    raise PageUnreadable(f"{refusal} Give the address of a page that anybody may read.")


def _content(fetched: Fetched) -> tuple[str, str | None]:
    """Media type and charset, as the refusal says."""
    kind, _, parameters = fetched.headers.get("content-type", "text/html").partition(";")
    kind = kind.strip().lower()
    name, _, label = parameters.strip().partition("=")
    charset = _web_charset(label.strip(" \"'")) if name.strip().lower() == "charset" else None
    if kind not in _PAGES or _is_binary(fetched.body[:LOOKED_AT_BYTES], charset):
        raise PageUnreadable("The address leads to something that is no page of text.")
    return kind, charset


def _is_binary(begin: bytes, charset: str | None) -> bool:
    """Whether what is called a page is none."""
    wide = begin.startswith(tuple(_MARKS)) or (charset or "").startswith("utf-16")
    return not wide and len(_BINARY.findall(begin)) > STRAY_BYTES


def _web_charset(label: str) -> str | None:
    """The codec of a charset that the web has (WHATWG), UTF-8 for any other; ``None``: no label. Python's own codecs
    are more: some raise whatever they are given, and one takes hours for a page."""
    from resiliparse.parse.encoding import map_encoding_to_html5

    return str(map_encoding_to_html5(label)) if label else None


def _decoded(body: bytes, charset: str | None) -> str:
    """Plain text; a byte order mark says more than the charset."""
    for mark, named in _MARKS.items():
        if body.startswith(mark):
            return body[len(mark) :].decode(named, "replace")
    return body.decode(charset or "utf-8", "replace")


def _cut(text: str) -> bytes:
    """At most ``TEXT_BYTES``, whole characters, and nothing that a text file does not hold."""
    plain = "".join(each if each in "\n\t" or each.isprintable() else " " if each.isspace() else "" for each in text)
    return plain.encode("utf-8", "replace")[:TEXT_BYTES].decode("utf-8", "ignore").encode() + b"\n"
