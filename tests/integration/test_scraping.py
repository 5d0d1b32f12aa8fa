"""Reading a page of a real web site: what its robots.txt says, where it leads, what it holds."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from activities.generating import scraping
from activities.generating.making import Made
from activities.generating.scraping import PAGE_BYTES, REDIRECTS, TEXT_BYTES, PageScraper
from activities.providers.outbound import Bounds, Outbound
from domain.errors import (
    AddressRefused,
    Cancelled,
    GuidesmithError,
    PageUnreadable,
    ProviderAnswerInvalid,
    ProviderRateLimited,
    ProviderUnavailable,
    RobotsDisallowed,
)
from domain.orders.generation import ScrapeOrder

Answer = tuple[int, dict[str, str], bytes]

HTML = {"Content-Type": "text/html; charset=utf-8"}
SENTENCE = "A sentence that is long enough to be taken for something that a reader of the page would look for."


def page(body: str, title: str = "Title", charset: str = "utf-8") -> bytes:
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>".encode(charset)


@contextmanager
def running_site(pages: dict[str, Answer]) -> Iterator[tuple[str, list[str]]]:
    """A site's address, and the paths that it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            status, headers, body = pages.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def scraped(url: str, *, public: bool = False, stop: Callable[[], None] = lambda: None) -> Made:
    bounds = Bounds(size_bytes=PAGE_BYTES, redirects=REDIRECTS, timeout_s=60.0, connect_timeout_s=60.0)
    outbound = Outbound(bounds) if public else Outbound(bounds, permit=lambda _: True)
    return PageScraper(outbound, version="1").make(ScrapeOrder(url=url), request_id="", stop=stop)


def text_of(answer: Answer) -> str:
    with running_site({"/": answer}) as (url, _):
        return scraped(f"{url}/").data.decode()


def test_given_a_page_then_its_text_is_taken_without_scripts_and_navigation() -> None:
    body = f"<nav>Menu</nav><main><h1>Head</h1><p>{SENTENCE}</p></main><script>evil()</script>"
    text = text_of((200, HTML, page(body)))
    assert SENTENCE in text and text.startswith("Title\n\nSource: http://127.0.0.1")
    assert "Menu" not in text and "evil" not in text


def test_given_a_short_page_then_all_of_it_is_taken_that_is_no_navigation() -> None:
    text = text_of((200, HTML, page("<nav>Menu</nav><div>Closed on Mondays.</div><footer>Imprint</footer>")))
    assert "Closed on Mondays." in text and "Menu" not in text and "Imprint" not in text


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "windows-1252", "utf-16"])
def test_given_a_charset_then_the_text_is_read_by_it(charset: str) -> None:
    headers = {"Content-Type": f"text/html; charset={charset}"}
    assert "Grüße aus Köln" in text_of((200, headers, page(f"<p>Grüße aus Köln. {SENTENCE}</p>", charset=charset)))


@pytest.mark.parametrize("charset", ["klingon", "idna", "undefined", "punycode", "cp037"])
def test_given_a_charset_that_the_web_has_not_then_the_text_is_read_all_the_same(charset: str) -> None:
    assert SENTENCE in text_of((200, {"Content-Type": f"text/plain; charset={charset}"}, SENTENCE.encode()))


def test_given_html_in_a_charset_that_the_web_has_not_then_its_text_is_read_all_the_same() -> None:
    assert SENTENCE in text_of((200, {"Content-Type": "text/html; charset=punycode"}, page(f"<p>{SENTENCE}</p>")))


def test_given_a_byte_order_mark_then_it_says_more_than_the_charset() -> None:
    plain = "Grüße aus Köln."
    for body in (plain.encode("utf-8-sig"), plain.encode("utf-16"), b"\xfe\xff" + plain.encode("utf-16-be")):
        assert text_of((200, {"Content-Type": "text/plain; charset=iso-8859-1"}, body)).endswith(f"\n\n{plain}\n")


def test_given_plain_text_then_it_is_kept_without_what_no_text_file_holds() -> None:
    text = text_of((200, {"Content-Type": "text/plain"}, b"one\x00\x1b[31m two\n"))
    assert text.splitlines()[-1] == "one[31m two"


def test_given_a_text_without_end_then_it_is_cut() -> None:
    body = "<p>" + "word " * (PAGE_BYTES // 8) + "</p>"
    assert len(text_of((200, HTML, page(body))).encode()) <= TEXT_BYTES + 1


@pytest.mark.parametrize("body", ["<div>" * 2_000 + "deep", "<p", "<!--", "<table>" * 2_000])
def test_given_a_page_that_is_hard_to_read_then_it_is_read_or_refused(body: str) -> None:
    with suppress(PageUnreadable):
        text_of((200, HTML, page(body)))


def test_given_a_page_that_is_made_to_take_forever_then_its_reader_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scraping, "BOUNDS", replace(scraping.BOUNDS, cpu_s=1))
    with pytest.raises(PageUnreadable):
        text_of((200, HTML, page("<div>" * 200_000)))


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ((404, HTML, b""), PageUnreadable),
        ((401, HTML, b""), PageUnreadable),
        ((200, {"Content-Type": "application/pdf"}, b"%PDF"), PageUnreadable),
        ((200, HTML, b""), PageUnreadable),
        ((200, HTML, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 20), PageUnreadable),
        ((200, HTML, page("<script>only()</script>", title="")), PageUnreadable),
        ((429, {"Retry-After": "7"}, b""), ProviderRateLimited),
        ((503, {}, b""), ProviderUnavailable),
        ((200, HTML, b"x" * (PAGE_BYTES + 1)), ProviderAnswerInvalid),
        ((302, {"Location": "ftp://example.org/"}, b""), AddressRefused),
        ((302, {"Location": "/"}, b""), AddressRefused),
    ],
)
def test_given_what_is_no_page_then_the_error_says_so(answer: Answer, error: type[GuidesmithError]) -> None:
    with pytest.raises(error) as refused:
        text_of(answer)
    if error is ProviderRateLimited:
        assert refused.value.retry_after_s == 7.0


@pytest.mark.parametrize(
    ("robots", "error"),
    [
        ((200, {}, b"User-agent: *\nDisallow: /\n"), RobotsDisallowed),
        ((200, {}, b"User-agent: guidesmith\nDisallow: /a*e$\n"), RobotsDisallowed),
        ((200, {}, b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n"), RobotsDisallowed),
        ((200, {}, b"x" * (PAGE_BYTES + 1)), RobotsDisallowed),
        ((503, {}, b""), ProviderUnavailable),
        ((429, {}, b""), ProviderUnavailable),
    ],
)
def test_given_a_robots_txt_that_does_not_let_us_then_the_page_is_not_even_asked_for(
    robots: Answer, error: type[GuidesmithError]
) -> None:
    with running_site({"/robots.txt": robots, "/a-page": (200, HTML, page(SENTENCE))}) as (url, asked):
        with pytest.raises(error):
            scraped(f"{url}/a-page")
        assert asked == ["/robots.txt"]


@pytest.mark.parametrize(
    "robots",
    [
        (404, {}, b""),
        (403, {}, b""),
        (200, {}, b""),
        (200, {}, b"\xff\xfe\x00nonsense"),
        (200, {}, b"User-agent: *\nDisallow: /\n\nUser-agent: guidesmith\nAllow: /\n"),
    ],
)
def test_given_a_robots_txt_that_lets_us_then_the_page_is_read(robots: Answer) -> None:
    with running_site({"/robots.txt": robots, "/a-page": (200, HTML, page(f"<p>{SENTENCE}</p>"))}) as (url, _):
        assert SENTENCE in scraped(f"{url}/a-page").data.decode()


def test_given_a_redirect_to_another_site_then_that_sites_robots_txt_is_asked() -> None:
    robots: Answer = (200, {}, b"User-agent: *\nDisallow: /\n")
    with running_site({"/robots.txt": robots, "/": (200, HTML, page(SENTENCE))}) as (closed, asked):
        with running_site({"/": (302, {"Location": f"{closed}/"}, b"")}) as (url, _), pytest.raises(RobotsDisallowed):
            scraped(f"{url}/")
        assert asked == ["/robots.txt"]


def test_given_an_address_on_this_machine_then_nothing_is_asked_there() -> None:
    with running_site({"/": (200, HTML, page(SENTENCE))}) as (url, asked):
        with pytest.raises(AddressRefused):
            scraped(f"{url}/", public=True)
        assert asked == []


def test_given_a_stop_then_the_page_is_given_up() -> None:
    def stopped() -> None:
        raise Cancelled("stopped")

    with running_site({"/": (200, HTML, page(SENTENCE))}) as (url, _), pytest.raises(Cancelled):
        scraped(f"{url}/", stop=stopped)
